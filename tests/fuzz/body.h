/* SPDX-License-Identifier: BSD-3-Clause */
/* Unpacking and packing the body of a `.tracy` file; for fuzz.c. */
#ifndef TW_FUZZ_BODY_H
#define TW_FUZZ_BODY_H

#include <stddef.h>
#include <stdint.h>

/* The whole body, to be freed; NULL when there is none. */
uint8_t *body_unpack(const char *path, size_t *n);

/* A file of version 0.10 with that body. */
void body_pack(const char *path, const uint8_t *body, size_t n);

#endif
