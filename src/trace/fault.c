/* SPDX-License-Identifier: BSD-3-Clause */
/* See fault.h. */
#include "trace/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int tw_fault_set(struct tw_fault *fault, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(fault->text, sizeof(fault->text), format, arguments) < 0)
		fault->text[0] = '\0';
	va_end(arguments);
	for (char *p = fault->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return error;
}

int tw_fault_no_memory(struct tw_fault *fault)
{
	return tw_fault_set(fault, -ENOMEM,
			    "out of memory: close something or raise the limit "
			    "(ulimit -v)");
}
