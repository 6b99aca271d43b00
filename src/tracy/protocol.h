/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs between versions of the Tracy protocol: numbers and sizes of the items
 * that a client sends, numbers of the queries that a server sends, and a few flags.
 * Plain constant data, any thread. One file per version (proto_NN.c) plus one line in
 * TW_TRACY_PROTOCOLS; nothing else knows a version by its number.
 *
 * To add a version: copy the nearest proto_NN.c, renumber, add its line below, its file
 * to Makemodule.am, its column to tests/unit/tracy_numbers.h. A new item gets a row in
 * TW_TRACY_ITEMS, a new query one in TW_TRACY_QUERIES.
 */
#ifndef TW_TRACY_PROTOCOL_H
#define TW_TRACY_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
/* Every version that is served, oldest first; a fork's follows its upstream. */
#define TW_TRACY_PROTOCOLS(X) \
	X(63)    \
	X(64)    \
	X(65)    \
	X(66)    \
	X(66_tt) \
	X(69)    \
	X(72)    \
	X(74)    \
	X(76)    \
	X(76_tt) \
	X(82)

/* Items in the order of their numbers; the words are Tracy's own. */
#define TW_TRACY_ITEMS(X) \
	X(ZONE_TEXT, "ZoneText")                                                                    \
	X(ZONE_NAME, "ZoneName")                                                                    \
	X(MESSAGE, "Message")                                                                       \
	X(MESSAGE_COLOUR, "MessageColor")                                                           \
	X(MESSAGE_CALLSTACK, "MessageCallstack")                                                    \
	X(MESSAGE_COLOUR_CALLSTACK, "MessageColorCallstack")                                        \
	X(MESSAGE_APP_INFO, "MessageAppInfo")                                                       \
	X(ZONE_BEGIN_ALLOC_LOCATION, "ZoneBeginAllocSrcLoc")                                        \
	X(ZONE_BEGIN_ALLOC_LOCATION_CALLSTACK, "ZoneBeginAllocSrcLocCallstack")                     \
	X(CALLSTACK_SERIAL, "CallstackSerial")                                                      \
	X(CALLSTACK, "Callstack")                                                                   \
	X(CALLSTACK_ALLOC, "CallstackAlloc")                                                        \
	X(CALLSTACK_SAMPLE, "CallstackSample")                                                      \
	X(CALLSTACK_SAMPLE_32, "CallstackSample32")                                                 \
	X(CALLSTACK_SAMPLE_16, "CallstackSample16")                                                 \
	X(CALLSTACK_SAMPLE_CONTEXT_SWITCH, "CallstackSampleContextSwitch")                          \
	X(CALLSTACK_SAMPLE_CONTEXT_SWITCH_32, "CallstackSampleContextSwitch32")                     \
	X(CALLSTACK_SAMPLE_CONTEXT_SWITCH_16, "CallstackSampleContextSwitch16")                     \
	X(FRAME_IMAGE, "FrameImage")                                                                \
	X(ZONE_BEGIN, "ZoneBegin")                                                                  \
	X(ZONE_BEGIN_32, "ZoneBegin32")                                                             \
	X(ZONE_BEGIN_16, "ZoneBegin16")                                                             \
	X(ZONE_BEGIN_CALLSTACK, "ZoneBeginCallstack")                                               \
	X(ZONE_BEGIN_CALLSTACK_32, "ZoneBeginCallstack32")                                          \
	X(ZONE_BEGIN_CALLSTACK_16, "ZoneBeginCallstack16")                                          \
	X(ZONE_END, "ZoneEnd")                                                                      \
	X(ZONE_END_32, "ZoneEnd32")                                                                 \
	X(ZONE_END_16, "ZoneEnd16")                                                                 \
	X(LOCK_WAIT, "LockWait")                                                                    \
	X(LOCK_OBTAIN, "LockObtain")                                                                \
	X(LOCK_RELEASE, "LockRelease")                                                              \
	X(LOCK_SHARED_WAIT, "LockSharedWait")                                                       \
	X(LOCK_SHARED_OBTAIN, "LockSharedObtain")                                                   \
	X(LOCK_SHARED_RELEASE, "LockSharedRelease")                                                 \
	X(LOCK_NAME, "LockName")                                                                    \
	X(MEM_ALLOC, "MemAlloc")                                                                    \
	X(MEM_ALLOC_NAMED, "MemAllocNamed")                                                         \
	X(MEM_FREE, "MemFree")                                                                      \
	X(MEM_FREE_NAMED, "MemFreeNamed")                                                           \
	X(MEM_ALLOC_CALLSTACK, "MemAllocCallstack")                                                 \
	X(MEM_ALLOC_CALLSTACK_NAMED, "MemAllocCallstackNamed")                                      \
	X(MEM_FREE_CALLSTACK, "MemFreeCallstack")                                                   \
	X(MEM_FREE_CALLSTACK_NAMED, "MemFreeCallstackNamed")                                        \
	X(MEM_DISCARD, "MemDiscard")                                                                \
	X(MEM_DISCARD_CALLSTACK, "MemDiscardCallstack")                                             \
	X(GPU_ZONE_BEGIN, "GpuZoneBegin")                                                           \
	X(GPU_ZONE_BEGIN_CALLSTACK, "GpuZoneBeginCallstack")                                        \
	X(GPU_ZONE_BEGIN_ALLOC_LOCATION, "GpuZoneBeginAllocSrcLoc")                                 \
	X(GPU_ZONE_BEGIN_ALLOC_LOCATION_CALLSTACK, "GpuZoneBeginAllocSrcLocCallstack")              \
	X(GPU_ZONE_END, "GpuZoneEnd")                                                               \
	X(GPU_ZONE_BEGIN_SERIAL, "GpuZoneBeginSerial")                                              \
	X(GPU_ZONE_BEGIN_CALLSTACK_SERIAL, "GpuZoneBeginCallstackSerial")                           \
	X(GPU_ZONE_BEGIN_ALLOC_LOCATION_SERIAL, "GpuZoneBeginAllocSrcLocSerial")                    \
	X(GPU_ZONE_BEGIN_ALLOC_LOCATION_CALLSTACK_SERIAL, "GpuZoneBeginAllocSrcLocCallstackSerial") \
	X(GPU_ZONE_END_SERIAL, "GpuZoneEndSerial")                                                  \
	X(PLOT_DATA_INT, "PlotDataInt")                                                             \
	X(PLOT_DATA_FLOAT, "PlotDataFloat")                                                         \
	X(PLOT_DATA_DOUBLE, "PlotDataDouble")                                                       \
	X(CONTEXT_SWITCH, "ContextSwitch")                                                          \
	X(THREAD_WAKEUP, "ThreadWakeup")                                                            \
	X(GPU_TIME, "GpuTime")                                                                      \
	X(GPU_CONTEXT_NAME, "GpuContextName")                                                       \
	X(GPU_ANNOTATION_NAME, "GpuAnnotationName")                                                 \
	X(CALLSTACK_FRAME_SIZE, "CallstackFrameSize")                                               \
	X(SYMBOL_INFORMATION, "SymbolInformation")                                                  \
	X(EXTERNAL_NAME_METADATA, "ExternalNameMetadata")                                           \
	X(SYMBOL_CODE_METADATA, "SymbolCodeMetadata")                                               \
	X(SOURCE_CODE_METADATA, "SourceCodeMetadata")                                               \
	X(FIBER_ENTER, "FiberEnter")                                                                \
	X(FIBER_LEAVE, "FiberLeave")                                                                \
	X(SECTION_ENTER, "SectionEnter")                                                            \
	X(SECTION_LEAVE, "SectionLeave")                                                            \
	X(SECTION_SETUP, "SectionSetup")                                                            \
	X(TERMINATE, "Terminate")                                                                   \
	X(KEEP_ALIVE, "KeepAlive")                                                                  \
	X(THREAD_CONTEXT, "ThreadContext")                                                          \
	X(GPU_CALIBRATION, "GpuCalibration")                                                        \
	X(GPU_TIME_SYNC, "GpuTimeSync")                                                             \
	X(CRASH, "Crash")                                                                           \
	X(CRASH_REPORT, "CrashReport")                                                              \
	X(ZONE_VALIDATION, "ZoneValidation")                                                        \
	X(ZONE_COLOUR, "ZoneColor")                                                                 \
	X(ZONE_VALUE, "ZoneValue")                                                                  \
	X(FRAME_MARK_MSG, "FrameMarkMsg")                                                           \
	X(FRAME_MARK_MSG_START, "FrameMarkMsgStart")                                                \
	X(FRAME_MARK_MSG_END, "FrameMarkMsgEnd")                                                    \
	X(FRAME_VSYNC, "FrameVsync")                                                                \
	X(SOURCE_LOCATION, "SourceLocation")                                                        \
	X(LOCK_ANNOUNCE, "LockAnnounce")                                                            \
	X(LOCK_TERMINATE, "LockTerminate")                                                          \
	X(LOCK_MARK, "LockMark")                                                                    \
	X(MESSAGE_LITERAL, "MessageLiteral")                                                        \
	X(MESSAGE_LITERAL_COLOUR, "MessageLiteralColor")                                            \
	X(MESSAGE_LITERAL_CALLSTACK, "MessageLiteralCallstack")                                     \
	X(MESSAGE_LITERAL_COLOUR_CALLSTACK, "MessageLiteralColorCallstack")                         \
	X(GPU_NEW_CONTEXT, "GpuNewContext")                                                         \
	X(CALLSTACK_FRAME, "CallstackFrame")                                                        \
	X(SYS_TIME_REPORT, "SysTimeReport")                                                         \
	X(SYS_POWER_REPORT, "SysPowerReport")                                                       \
	X(TID_TO_PID, "TidToPid")                                                                   \
	X(HW_SAMPLE_CPU_CYCLE, "HwSampleCpuCycle")                                                  \
	X(HW_SAMPLE_INSTRUCTION_RETIRED, "HwSampleInstructionRetired")                              \
	X(HW_SAMPLE_CACHE_REFERENCE, "HwSampleCacheReference")                                      \
	X(HW_SAMPLE_CACHE_MISS, "HwSampleCacheMiss")                                                \
	X(HW_SAMPLE_BRANCH_RETIRED, "HwSampleBranchRetired")                                        \
	X(HW_SAMPLE_BRANCH_MISS, "HwSampleBranchMiss")                                              \
	X(PLOT_CONFIG, "PlotConfig")                                                                \
	X(PARAM_SETUP, "ParamSetup")                                                                \
	X(ACK_SERVER_QUERY_NOOP, "AckServerQueryNoop")                                              \
	X(ACK_SOURCE_CODE_NOT_AVAILABLE, "AckSourceCodeNotAvailable")                               \
	X(ACK_SYMBOL_CODE_NOT_AVAILABLE, "AckSymbolCodeNotAvailable")                               \
	X(CPU_TOPOLOGY, "CpuTopology")                                                              \
	X(SINGLE_STRING_DATA, "SingleStringData")                                                   \
	X(SECOND_STRING_DATA, "SecondStringData")                                                   \
	X(SINGLE_STRING_DATA_8, "SingleStringData8")                                                \
	X(SECOND_STRING_DATA_8, "SecondStringData8")                                                \
	X(MEM_NAME_PAYLOAD, "MemNamePayload")                                                       \
	X(THREAD_GROUP_HINT, "ThreadGroupHint")                                                     \
	X(GPU_ZONE_ANNOTATION, "GpuZoneAnnotation")                                                 \
	X(STRING_DATA, "StringData")                                                                \
	X(THREAD_NAME, "ThreadName")                                                                \
	X(PLOT_NAME, "PlotName")                                                                    \
	X(SOURCE_LOCATION_PAYLOAD, "SourceLocationPayload")                                         \
	X(CALLSTACK_PAYLOAD, "CallstackPayload")                                                    \
	X(CALLSTACK_ALLOC_PAYLOAD, "CallstackAllocPayload")                                         \
	X(FRAME_NAME, "FrameName")                                                                  \
	X(FRAME_IMAGE_DATA, "FrameImageData")                                                       \
	X(EXTERNAL_NAME, "ExternalName")                                                            \
	X(EXTERNAL_THREAD_NAME, "ExternalThreadName")                                               \
	X(SYMBOL_CODE, "SymbolCode")                                                                \
	X(SOURCE_CODE, "SourceCode")                                                                \
	X(FIBER_NAME, "FiberName")                                                                 

#define TW_TRACY_QUERIES(X) \
	X(TERMINATE, "Terminate")                \
	X(STRING, "String")                      \
	X(THREAD_STRING, "ThreadString")         \
	X(SOURCE_LOCATION, "SourceLocation")     \
	X(PLOT_NAME, "PlotName")                 \
	X(FRAME_NAME, "FrameName")               \
	X(PARAMETER, "Parameter")                \
	X(FIBER_NAME, "FiberName")               \
	X(EXTERNAL_NAME, "ExternalName")         \
	X(DISCONNECT, "Disconnect")              \
	X(CALLSTACK_FRAME, "CallstackFrame")     \
	X(SYMBOL, "Symbol")                      \
	X(SYMBOL_CODE, "SymbolCode")             \
	X(SOURCE_CODE, "SourceCode")             \
	X(DATA_TRANSFER, "DataTransfer")         \
	X(DATA_TRANSFER_PART, "DataTransferPart")
/* clang-format on */

enum tw_tracy_item {
#define TW_X(name, words) TW_TRACY_##name,
	TW_TRACY_ITEMS(TW_X)
#undef TW_X
		TW_TRACY_ITEM_COUNT
};

enum tw_tracy_query {
#define TW_X(name, words) TW_TRACY_QUERY_##name,
	TW_TRACY_QUERIES(TW_X)
#undef TW_X
		TW_TRACY_QUERY_COUNT
};

/* An item on the wire: type byte and the size of its fixed part, type byte included. */
struct tw_tracy_form {
	uint8_t number;
	uint8_t bytes; /* 0 = the version has no such item */
};

struct tw_tracy_protocol {
	uint32_t number;
	const char *name;     /* "66", "66-tt" */
	const char *releases; /* what people call it */
	bool is_fork; /* of the same number as another; never chosen by number alone */
	uint16_t welcome_bytes;
	uint8_t gpu_context_bytes;
	uint8_t gpu_type_max;	   /* viewers index a table with the type, unchecked */
	bool has_delay;		   /* in the welcome */
	bool has_short_zones;	   /* 16- and 32-bit deltas, and the bias they bring */
	bool has_short_strings;	   /* 8-bit lengths; 16-bit ones count from 256 */
	bool has_message_metadata; /* a byte of severity and source */
	bool has_tagged_literals;  /* text keys are shifted by 8 for it */
	bool has_sample_thread_first;	       /* CallstackSample: thread before time */
	uint8_t queries[TW_TRACY_QUERY_COUNT]; /* number of each query */
	struct tw_tracy_form items[TW_TRACY_ITEM_COUNT];
};

#define TW_X(name) extern const struct tw_tracy_protocol tw_tracy_proto_##name;
TW_TRACY_PROTOCOLS(TW_X)
#undef TW_X

/* All of them, oldest first. */
extern const struct tw_tracy_protocol *const tw_tracy_protocols[];
extern const size_t tw_tracy_n_protocols;

/* Tracy's words for items and queries. */
extern const char *const tw_tracy_item_names[TW_TRACY_ITEM_COUNT];
extern const char *const tw_tracy_query_names[TW_TRACY_QUERY_COUNT];

/* The version of that number, the fork's when asked for and there is one; or NULL. */
const struct tw_tracy_protocol *tw_tracy_protocol_find(uint32_t number, bool is_fork);

/* The newest upstream version. */
const struct tw_tracy_protocol *tw_tracy_protocol_newest(void);

/* Which query a number means: enum tw_tracy_query, or -1 for none. */
int tw_tracy_query_of(const struct tw_tracy_protocol *protocol, uint8_t number);

static inline bool tw_tracy_has(const struct tw_tracy_protocol *protocol,
				enum tw_tracy_item item)
{
	return protocol->items[item].bytes != 0;
}

#endif
