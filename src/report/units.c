/* SPDX-License-Identifier: BSD-3-Clause */
/* See units.h. */
#include "report/units.h"

#include <stdio.h>

static const char *scale(char text[TW_UNITS_BYTES], uint64_t value,
			 const char *const units[], unsigned last)
{
	double v = (double)value;
	unsigned unit = 0;

	/* 999.5 and more would round up to a fourth digit. */
	while (v >= 999.5 && unit < last) {
		v /= 1000;
		unit++;
	}
	if (unit == 0)
		snprintf(text, TW_UNITS_BYTES, "%.0f %s", v, units[0]);
	else
		snprintf(text, TW_UNITS_BYTES, "%.*f %s",
			 v < 9.995   ? 2
			 : v < 99.95 ? 1
				     : 0,
			 v, units[unit]);
	return text;
}

const char *tw_units_time(char text[TW_UNITS_BYTES], uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return scale(text, ns, units, 3);
}

const char *tw_units_size(char text[TW_UNITS_BYTES], uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

	return scale(text, bytes, units, 4);
}
