/* SPDX-License-Identifier: BSD-3-Clause */
/* Becomes a daemon by a double fork, closes everything, and works on. */
#include <sys/stat.h>

#include "target.h"

int main(int argc, char **argv)
{
	char temporary[4096];
	int fd;

	MUST(argc > 1);
	work(1);
	if (fork() > 0)
		return 0;
	setsid();
	if (fork() > 0)
		_exit(0);
	MUST(chdir("/") == 0);
	for (fd = 0; fd < 1024; fd++)
		close(fd);
	MUST(open("/dev/null", O_RDWR) == 0);
	for (int i = 0; i < 30; i++) {
		TRACEWRAP_ZONE("daemon");
		nap_ms(10);
	}
	snprintf(temporary, sizeof(temporary), "%.4000s.new", argv[1]);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, fd == 1 ? "daemon 1\n" : "daemon x\n", 9) != 9)
		return 1;
	return rename(temporary, argv[1]);
}
