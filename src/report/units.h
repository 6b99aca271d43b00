/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people: three digits and a unit. Pure functions. */
#ifndef TW_UNITS_H
#define TW_UNITS_H

#include <stdint.h>

#define TW_UNITS_BYTES 24

/* "0 ns", "999 ns", "1.23 us", "45.6 ms", "789 s"; writes to text and returns it. */
const char *tw_units_time(char text[TW_UNITS_BYTES], uint64_t ns);

/* "512 B", "1.20 kB", "34.5 MB": powers of ten. */
const char *tw_units_size(char text[TW_UNITS_BYTES], uint64_t bytes);

#endif
