/* SPDX-License-Identifier: BSD-3-Clause */
/* Test help: is this text one valid JSON value (RFC 8259), in valid UTF-8? */
#ifndef TW_JSON_CHECK_H
#define TW_JSON_CHECK_H

#include <stddef.h>

/* NULL when it is; else what is wrong, with the place in *at. */
const char *json_check(const char *text, size_t n, size_t *at);

#endif
