/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zones nested at random over 32 names, ten million or as many as the argument says:
 * the trace for the figures of report, of .tracy files and of the live client.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tracewrap.h"

static uint64_t state = 88172645463325252ull;

static unsigned draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 32);
}

#define NAME(n)                                                                        \
	{                                                                              \
		"zone_" #n, "main", "many.c", n, 0, 0, 0                               \
	}
#define NAMES4(n) NAME(n##0), NAME(n##1), NAME(n##2), NAME(n##3)

static struct tracewrap_location places[] = {NAMES4(1), NAMES4(2), NAMES4(3),
					     NAMES4(4), NAMES4(5), NAMES4(6),
					     NAMES4(7), NAMES4(8)};

int main(int argc, char **argv)
{
	unsigned total = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10000000;
	struct tracewrap_zone open[8];
	unsigned depth = 0, n = 0;

	while (n < total || depth) {
		if (n < total && depth < 8 && (!depth || draw() % 2)) {
			open[depth++] = tracewrap_begin_(&places[draw() % 32]);
			n++;
		} else {
			tracewrap_end_(open[--depth]);
		}
	}
	return 0;
}
