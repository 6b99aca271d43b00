/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of awkward sizes and bytes in zones and messages. */
#include "target.h"

int main(void)
{
	static char text[100000];
	static const size_t sizes[] = {0,  1,	 15,   16,   17,    31,
				       32, 4095, 4096, 4097, 65535, 100000};

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 37);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		TRACEWRAP_ZONE("text");
		TRACEWRAP_TEXT(text, sizes[i]);
		TRACEWRAP_NAME("quote\"back\\slash\n\x01", 18);
		TRACEWRAP_MESSAGE(text, sizes[i]);
	}
	puts("done");
	return 0;
}
