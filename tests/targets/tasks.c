/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts its own threads: the parent pumps, so the program has only its own. */
#include <dirent.h>

#include "target.h"

int main(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	MUST(d);
	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	work(1);
	printf("%d\n", n);
	return 0;
}
