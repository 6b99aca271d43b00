/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends without begins and begins without ends. */
#include "target.h"

int main(void)
{
	struct tracewrap_zone z = TRACEWRAP_BEGIN("ended often");

	for (uint32_t i = 0; z.token && i < 100; i++) {
		z.token = 1 + i * 43112609u; /* nothing that a begin gave us */
		TRACEWRAP_END(z);
	}
	for (int i = 0; i < 100; i++) {
		struct tracewrap_zone open = TRACEWRAP_BEGIN("never ended");

		(void)open;
	}
	work(10);
	puts("done");
	return 0;
}
