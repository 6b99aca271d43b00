/* SPDX-License-Identifier: BSD-3-Clause */
/* Closes every descriptor it did not open, in each usual way, and goes on. */
#include <linux/close_range.h>
#include <sys/resource.h>

#include "target.h"

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "loop";
	char line[64];

	work(10);
	if (strcmp(way, "loop") == 0) {
		int n_open = 0;

		for (int fd = 3; fd < 4096; fd++)
			n_open += close(fd) == 0;
		snprintf(line, sizeof(line), "closed %d\n", n_open);
		say(line);
	} else if (strcmp(way, "closefrom") == 0) {
		closefrom(3);
	} else if (strcmp(way, "range") == 0) {
		MUST(close_range(3, ~0U, 0) == 0);
	} else if (strcmp(way, "cloexec") == 0) {
		MUST(close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0);
	} else if (strcmp(way, "unshare") == 0) {
		MUST(close_range(3, ~0U, CLOSE_RANGE_UNSHARE) == 0);
	} else if (strcmp(way, "everything") == 0) {
		close_range(0, ~0U, 0);
	}
	work(10);
	snprintf(line, sizeof(line), "next %d\n", open("/dev/null", O_RDONLY));
	say(line);
	if (fork() == 0) {
		work(10);
		_exit(0);
	}
	wait(NULL);
	work(10);
	return 17;
}
