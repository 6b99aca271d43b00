/* SPDX-License-Identifier: BSD-3-Clause */
/* Says into a file which of 0, 1, 2 are open, and which number comes next. */
#include "target.h"

int main(int argc, char **argv)
{
	char line[128];
	int fd, n, is_open[3];

	MUST(argc > 1);
	work(5);
	for (int i = 0; i < 3; i++)
		is_open[i] = fcntl(i, F_GETFD) >= 0;
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return 98;
	n = snprintf(line, sizeof(line), "open %d %d %d next %d\n", is_open[0],
		     is_open[1], is_open[2], fd);
	if (write(fd, line, (size_t)n) != n)
		return 97;
	say("out\n");
	work(5);
	return 0;
}
