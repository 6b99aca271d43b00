/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that embeds Python: three interpreters, one after another. Linked with a
 * shared libpython by t_python_arm.sh; no Python.h, so that one source serves all.
 */
#include <stdio.h>

void Py_Initialize(void);
int Py_FinalizeEx(void);
int PyRun_SimpleString(const char *text);

int main(void)
{
	for (int i = 0; i < 3; i++) {
		Py_Initialize();
		PyRun_SimpleString("def marker(n):\n"
				   "    return n and marker(n - 1)\n"
				   "marker(4)\n");
		Py_FinalizeEx();
	}
	puts("end");
	return 0;
}
