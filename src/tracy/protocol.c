/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of protocol versions; see protocol.h. */
#include "tracy/protocol.h"

#define TW_X(name) &tw_tracy_proto_##name,
const struct tw_tracy_protocol *const tw_tracy_protocols[] = {TW_TRACY_PROTOCOLS(TW_X)};
#undef TW_X
const size_t tw_tracy_n_protocols =
	sizeof(tw_tracy_protocols) / sizeof(tw_tracy_protocols[0]);

#define TW_X(name, words) words,
const char *const tw_tracy_item_names[TW_TRACY_ITEM_COUNT] = {TW_TRACY_ITEMS(TW_X)};
const char *const tw_tracy_query_names[TW_TRACY_QUERY_COUNT] = {TW_TRACY_QUERIES(TW_X)};
#undef TW_X

const struct tw_tracy_protocol *tw_tracy_protocol_find(uint32_t number, bool is_fork)
{
	const struct tw_tracy_protocol *found = NULL;

	for (size_t i = 0; i < tw_tracy_n_protocols; i++) {
		const struct tw_tracy_protocol *p = tw_tracy_protocols[i];

		if (p->number == number && (!p->is_fork || is_fork))
			found = p;
	}
	return found;
}

const struct tw_tracy_protocol *tw_tracy_protocol_newest(void)
{
	const struct tw_tracy_protocol *newest = tw_tracy_protocols[0];

	for (size_t i = 0; i < tw_tracy_n_protocols; i++)
		if (!tw_tracy_protocols[i]->is_fork &&
		    tw_tracy_protocols[i]->number > newest->number)
			newest = tw_tracy_protocols[i];
	return newest;
}

int tw_tracy_query_of(const struct tw_tracy_protocol *protocol, uint8_t number)
{
	for (int i = 0; i < TW_TRACY_QUERY_COUNT; i++)
		if (protocol->queries[i] == number)
			return i;
	return -1;
}
