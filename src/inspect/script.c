/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `#!` lines, by the rules of the kernel's load_script(). Called by program.c and
 * doctor.
 */
#include "inspect/script.h"

#include <stdbool.h>
#include <string.h>

#include "inspect/files.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Blanks after `#!` are skipped, the interpreter ends at a blank, the rest of the line
 * without the blanks at its end is one argument. A line longer than the buffer is fine
 * as long as only its argument is cut.
 */
static int split_line(const char *line, size_t n, struct tw_script *out)
{
	const char *end = memchr(line, '\n', n);
	const char *p = line + 2, *word;
	bool is_cut = !end && n == TW_SCRIPT_LINE_MAX;

	if (!end)
		end = line + n;
	while (end > p && is_space(end[-1]))
		end--;
	while (p < end && is_space(*p))
		p++;
	word = p;
	while (p < end && !is_space(*p) && *p)
		p++;
	if (p == word || (is_cut && p == end))
		return -ENOEXEC;
	memcpy(out->interpreter, word, (size_t)(p - word));
	out->interpreter[p - word] = '\0';
	while (p < end && is_space(*p))
		p++;
	memcpy(out->argument, p, (size_t)(end - p));
	out->argument[end - p] = '\0';
	return 0;
}

int tw_script_read_fd(int fd, struct tw_script *out)
{
	char line[TW_SCRIPT_LINE_MAX];
	long n;

	do
		n = tw_sys_pread(fd, line, sizeof(line), 0);
	while (n == -EINTR);
	if (n < 0)
		return (int)n;
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return -ENOEXEC;
	return split_line(line, (size_t)n, out);
}

int tw_script_read(const char *path, struct tw_script *out)
{
	int fd = tw_file_open(path);
	int error;

	if (fd < 0)
		return fd;
	error = tw_script_read_fd(fd, out);
	tw_sys_close(fd);
	return error;
}
