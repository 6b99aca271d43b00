/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding CPython's functions, and small helpers over them; contract in call.h. Called
 * while arming and from slow paths, with the interpreter's lock but for
 * tw_py_call_find.
 */
#include "call.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/uio.h>

#include "core/sys.h"

struct tw_py_calls tw_py_call;

struct row {
	size_t offset;
	const char *name, *older;
	bool is_needed;
};

static const struct row rows[] = {
#define TW_X(field, result, arguments, name, older, is_needed)                         \
	{offsetof(struct tw_py_calls, field), name, older, is_needed},
	TW_PY_CALLS(TW_X)
#undef TW_X
#define TW_X(field, name, is_needed)                                                   \
	{offsetof(struct tw_py_calls, at_##field), name, name, is_needed},
		TW_PY_DATA(TW_X)
#undef TW_X
};

const char *tw_py_call_find(void *handle)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *found = dlsym(handle, rows[i].name);

		if (!found)
			found = dlsym(handle, rows[i].older);
		if (!found && rows[i].is_needed)
			return rows[i].name;
		*(void **)((char *)&tw_py_call + rows[i].offset) = found;
	}
	return NULL;
}

int tw_py_header_bytes(void)
{
	return (int)tw_py_number_of(tw_py_call.at_object_type, "__basicsize__", 0);
}

bool tw_py_read(const void *from, void *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)from, bytes};

	return tw_sys6(SYS_process_vm_readv, tw_sys_getpid(), (long)&local, 1,
		       (long)&remote, 1, 0) == (long)bytes;
}

const char *tw_py_text_of(tw_o *object, const char *attribute, tw_o **holder)
{
	const char *text = NULL;

	*holder = tw_py_call.attribute(object, attribute);
	if (*holder)
		text = tw_py_call.text(*holder);
	if (!text)
		tw_py_call.error_clear();
	return text;
}

long tw_py_number_of(tw_o *object, const char *attribute, long otherwise)
{
	tw_o *number = tw_py_call.attribute(object, attribute);
	long value;

	if (!number) {
		tw_py_call.error_clear();
		return otherwise;
	}
	value = tw_py_call.integer(number);
	tw_py_call.drop(number);
	return value;
}

struct tw_py_aside tw_py_aside_put(void)
{
	struct tw_py_aside aside = {.error = errno};

	tw_py_call.error_fetch(&aside.type, &aside.value, &aside.traceback);
	return aside;
}

void tw_py_aside_take(struct tw_py_aside *aside)
{
	tw_py_call.error_restore(aside->type, aside->value, aside->traceback);
	errno = aside->error;
}
