/* SPDX-License-Identifier: BSD-3-Clause */
/* A descriptor without close-on-exec reaches the next image, and no other does. */
#include "target.h"

int main(int argc, char **argv)
{
	int kept, gone;
	char number[16];

	if (argc > 2) {
		for (int fd = 3; fd < 1024; fd++)
			if (fcntl(fd, F_GETFD) >= 0)
				printf("open %d%s\n", fd,
				       fd == atoi(argv[2]) ? " kept" : "");
		work(1);
		return 0;
	}
	kept = open("/dev/null", O_RDONLY);
	gone = open("/dev/null", O_RDONLY | O_CLOEXEC);
	MUST(kept >= 0 && gone >= 0);
	snprintf(number, sizeof(number), "%d", kept);
	execl("/proc/self/exe", "exec_keeps", "again", number, (char *)NULL);
	(void)argv;
	return 99;
}
