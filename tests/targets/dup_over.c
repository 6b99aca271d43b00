/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts one file of its own onto every descriptor number; the file stays its own. */
#include "target.h"

int main(void)
{
	char text[256] = "";
	int fd = open("dup_over.out", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ssize_t n;

	MUST(fd >= 0);
	work(10);
	for (int to = 3; to < 1024; to++)
		if (to != fd)
			MUST(dup2(fd, to) == to);
	for (int i = 0; i < 200; i++) {
		work(500);
		nap_ms(1);
	}
	MUST(write(1000, "mine\n", 5) == 5);
	n = pread(fd, text, sizeof(text) - 1, 0);
	printf("%zd bytes: %s", n, text);
	unlink("dup_over.out");
	return 0;
}
