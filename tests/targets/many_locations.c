/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More source locations than a Tracy trace can hold (32,767): `many_locations N` begins
 * and ends one zone at each of N places, as code that is made at run time does, then
 * passes the first 100 once more.
 */
#include "target.h"

static void pass(struct tracewrap_location *place)
{
	tracewrap_end_(tracewrap_begin_(place));
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)atol(argv[1]) : 100000;
	struct tracewrap_location *places = calloc(n, sizeof(*places));
	char(*names)[32] = calloc(n, sizeof(*names));

	MUST(n >= 100 && places && names);
	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "place %zu", i);
		places[i].name = names[i];
		places[i].function = "made_at_run_time";
		places[i].file = i % 2 ? "odd.c" : "even.c";
		places[i].line = (uint32_t)i + 1;
		pass(&places[i]);
	}
	for (size_t i = 0; i < 100; i++)
		pass(&places[i]);
	printf("zones %zu\n", n + 100);
	return 0;
}
