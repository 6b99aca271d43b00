/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protocol 76 of Tenstorrent's fork: the upstream table, but that contexts of GPU items
 * are 16 bits wide. Nothing in the handshake tells the two apart.
 */
#define TW_TRACY_FORK 1
#include "tracy/proto_76.c"
