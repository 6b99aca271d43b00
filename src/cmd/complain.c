/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command's one way to say that something is wrong. Main thread; must not fail,
 * even with stderr closed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"

#define LINE_MAX_BYTES 4096

void tw_complain(const char *format, ...)
{
	static const char prefix[] = "tracewrap: ";
	char line[LINE_MAX_BYTES];
	size_t n = sizeof(prefix) - 1;
	int saved = errno;
	va_list arguments;
	int added;

	memcpy(line, prefix, n);
	va_start(arguments, format);
	added = vsnprintf(line + n, sizeof(line) - n, format, arguments);
	va_end(arguments);
	if (added > 0)
		n += strlen(line + n);
	/* A file name may hold anything; the message stays one line of harmless text.
	 */
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	}
	if (n == sizeof(line))
		n--;
	line[n++] = '\n';
	for (size_t done = 0; done < n;) {
		ssize_t written = write(STDERR_FILENO, line + done, n - done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			break;
		done += (size_t)written;
	}
	errno = saved;
}
