/* SPDX-License-Identifier: BSD-3-Clause */
/* The words that the proto_NN.c files are written in; nobody else includes this. */
#ifndef TW_TRACY_PROTOCOL_ROWS_H
#define TW_TRACY_PROTOCOL_ROWS_H

#include "tracy/protocol.h"

/* Tenstorrent's fork made the context of its GPU items one byte wider. */
#ifdef TW_TRACY_FORK
#define GPU_CONTEXT_BYTES 2
#else
#define GPU_CONTEXT_BYTES 1
#endif

#define ITEM(name, n, size)                                                            \
	[TW_TRACY_##name] = {                                                          \
		.number = (n),                                                         \
		.bytes = (size),                                                       \
	}

/* `size` is that of upstream. */
#define GPU_ITEM(name, n, size) ITEM(name, n, (size)-1 + GPU_CONTEXT_BYTES)

#define QUERY(name, n) [TW_TRACY_QUERY_##name] = (n)

/* clang-format off */
#define TW_TRACY_QUERIES_COMMON \
	QUERY(TERMINATE, 0), QUERY(STRING, 1), QUERY(THREAD_STRING, 2), \
	QUERY(SOURCE_LOCATION, 3), QUERY(PLOT_NAME, 4), QUERY(FRAME_NAME, 5), \
	QUERY(PARAMETER, 6), QUERY(FIBER_NAME, 7), QUERY(SYMBOL, 11), \
	QUERY(SYMBOL_CODE, 12), QUERY(SOURCE_CODE, 13), QUERY(DATA_TRANSFER, 14), \
	QUERY(DATA_TRANSFER_PART, 15)

#define TW_TRACY_QUERIES_FROM_63 TW_TRACY_QUERIES_COMMON, \
	QUERY(DISCONNECT, 8), QUERY(CALLSTACK_FRAME, 9), QUERY(EXTERNAL_NAME, 10)

#define TW_TRACY_QUERIES_FROM_66 TW_TRACY_QUERIES_COMMON, \
	QUERY(EXTERNAL_NAME, 8), QUERY(DISCONNECT, 9), QUERY(CALLSTACK_FRAME, 10)
/* clang-format on */

#endif
