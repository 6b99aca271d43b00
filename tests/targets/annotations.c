/* SPDX-License-Identifier: BSD-3-Clause */
/* One of every annotation, nested. */
#include "target.h"

static void inner(int i)
{
	TRACEWRAP_ZONE("inner");
	TRACEWRAP_VALUE((uint64_t)i);
}

static void outer(int i)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "round %d", i);

	TRACEWRAP_ZONE_COLOUR("outer", 0x3366cc);
	TRACEWRAP_TEXT(text, (size_t)n);
	for (int k = 0; k < 10; k++)
		inner(k);
}

static void renamed(void)
{
	TRACEWRAP_ZONE("plain");
	TRACEWRAP_NAME("dressed", 7);
	TRACEWRAP_COLOUR(0xff0000);
}

static void by_hand(void)
{
	struct tracewrap_zone a = TRACEWRAP_BEGIN("hand");
	struct tracewrap_zone b = TRACEWRAP_BEGIN("in hand");

	TRACEWRAP_END(b);
	TRACEWRAP_END(a);
}

int main(void)
{
	TRACEWRAP_THREAD_NAME("annotator");
	for (int i = 0; i < 10; i++) {
		outer(i);
		TRACEWRAP_PLOT("load", i * 0.5);
		TRACEWRAP_FRAME(i % 2 ? "odd" : NULL);
	}
	renamed();
	by_hand();
	TRACEWRAP_MESSAGE("caf\xc3\xa9", 5);
	puts("done");
	return 0;
}
