/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spool format `.tw`, version 1.0: the one place where it is specified.
 * Writer: spool_write.c and encode.c; reader: spool_read.c. All integers are little
 * endian.
 *
 *   file   = file header, block*
 *   block  = block header, payload (stored_bytes, LZ4 block format when codec says so)
 *
 * The file only grows. Every block carries a checksum over its header and its stored
 * payload, so a file cut at any byte reads up to its last whole block, and a damaged
 * block costs only itself: a reader looks for the next block magic with a right
 * checksum. A file may be read while it is written. When `--max-size` bites, the writer
 * replaces the file (rename) by one that holds all META blocks and the newest EVENTS
 * blocks.
 *
 * varint = LEB128, low group first, at most 10 bytes.
 *
 * META payload: records `varint tag, varint bytes, body`; unknown tags are skipped.
 * A META record precedes every event that refers to it.
 *
 * EVENTS payload, all of one thread, in order:
 *   u64 ticks of the first event's base; varint depth (zones open before the first
 * event) event*: varint (delta_ticks << 1 | 0)                        zone end varint
 * (delta_ticks << 1 | 1), varint location >= 1   zone begin varint (delta_ticks << 1 |
 * 1), 0x00, u8 kind, varint id, varint n, n bytes any other kind (record.h) Time runs
 * in ticks of the recording clock; CLOCK records tie ticks to nanoseconds.
 *
 * Versions: a reader refuses a higher major and accepts any minor.
 *   1.0  first release
 */
#ifndef TW_FORMAT_H
#define TW_FORMAT_H

#include <stdint.h>

#include "core/loss.h"

#define TW_FORMAT_MAJOR 1
#define TW_FORMAT_MINOR 0

/* Bit 7 set, CR LF, control-Z: a transfer in text mode is noticed at once. */
#define TW_FILE_MAGIC	    "\x89TW\r\n\x1a\n\0"
#define TW_FILE_MAGIC_BYTES 8

struct tw_file_header {
	char magic[TW_FILE_MAGIC_BYTES];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes; /* sizeof this; the first block starts there */
	uint64_t session;      /* random; equal in files of one run */
	uint64_t created_wall_ns;
	uint64_t reserved[3];
	uint64_t checksum; /* XXH3-64 of everything before */
};
_Static_assert(sizeof(struct tw_file_header) == 64, "file header is 64 bytes");

#define TW_BLOCK_MAGIC 0x31425754u /* "TWB1" */

enum tw_block_kind { TW_BLOCK_META = 1, TW_BLOCK_EVENTS = 2 };
enum tw_block_codec { TW_CODEC_RAW = 0, TW_CODEC_LZ4 = 1 };

struct tw_block_header {
	uint32_t magic;
	uint8_t kind;
	uint8_t codec;
	uint16_t sequence; /* EVENTS: number of the block in its thread, modulo 65536: a
			    * step of more than one is a gap; else 0 */
	uint32_t stored_bytes;
	uint32_t raw_bytes;
	uint32_t thread;    /* EVENTS: thread number (TW_META_THREAD); else 0 */
	uint32_t n_records; /* events or META records inside */
	uint64_t checksum;  /* XXH3-64, seeded with XXH3-64 of the 24 bytes before,
			     * of the stored payload */
};
_Static_assert(sizeof(struct tw_block_header) == 32, "block header is 32 bytes");

/* Larger sizes in a header mean damage, never memory. */
#define TW_BLOCK_RAW_MAX (1u << 20)

/*
 * META tags. Bodies are varints in the order given; `text` is `varint n, n bytes`.
 * Numbers of processes and threads start at 1 and are never reused in a file; pids and
 * tids may be.
 */
enum tw_meta_tag {
	/* id, text */
	TW_META_STRING = 1,
	/* id, name string, function string, file string, line, colour, layer, is_code
	 * (line is the offset of a code address in file) */
	TW_META_LOCATION = 2,
	/* number, pid, ppid, start ticks, parent's number or 0, text program, text
	 * command line (arguments separated by NUL) */
	TW_META_PROCESS = 3,
	/* number, end ticks, enum tw_end, exit code or signal */
	TW_META_PROCESS_END = 4,
	/* number, process number, tid, start ticks, enum tw_thread_kind, device's
	 * number of a device track or 0. What is no thread of the system has an
	 * invented tid from TW_TID_INVENTED on. */
	TW_META_THREAD = 5,
	/* number, text; the last one wins */
	TW_META_THREAD_NAME = 6,
	/* number, end ticks */
	TW_META_THREAD_END = 7,
	/* ticks, monotonic ns, wall ns, enum tw_clock_kind */
	TW_META_CLOCK = 8,
	/* thread number or 0, enum tw_loss, count: adds up */
	TW_META_LOST = 9,
	/* thread number, stall ns, stalls: adds up */
	TW_META_STALL = 10,
	/* text: something a user should know, e.g. a child that could not be followed
	 */
	TW_META_NOTE = 11,
	/* text key, text value: "command", "version", "cwd", "writer" (its pid) */
	TW_META_SESSION = 12,
	/* blocks, events, bytes that --max-size took away so far: the last one wins */
	TW_META_ROTATED = 13,
	/* end ticks: the writer closed the file in order */
	TW_META_FINISH = 14,
	/* ticks, on (1) or off (0): recording was started or stopped */
	TW_META_GATE = 15,
	/* ticks, text: a mark set from outside (`tracewrap ctl PID mark TEXT`) */
	TW_META_MARK = 16,
	/* ticks: every event before is in front of this record. Written for events
	 * whose order matters across threads: locks and memory. */
	TW_META_HORIZON = 17,
};

/* No tid of Linux is as large. */
#define TW_TID_INVENTED (1u << 22)

#endif
