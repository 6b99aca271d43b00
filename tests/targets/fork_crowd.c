/* SPDX-License-Identifier: BSD-3-Clause */
/* Sixty children at once. */
#include "target.h"

int main(void)
{
	int status, n_right = 0;

	for (int i = 0; i < 60; i++) {
		pid_t pid = fork();

		MUST(pid >= 0);
		if (pid == 0) {
			work(10);
			nap_ms(20);
			_exit(i);
		}
	}
	while (wait(&status) > 0)
		n_right += WIFEXITED(status) && WEXITSTATUS(status) < 60;
	printf("%d\n", n_right);
	return 0;
}
