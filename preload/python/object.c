/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our callable type; contract in object.h. Made from a PyType_Spec, which is part of
 * the stable ABI: the structures below are the stable ABI's, and the numbers are slots
 * and flags of its headers (typeslots.h, object.h, structmember.h).
 */
#include "object.h"

#define SLOT_CALL	     50
#define SLOT_MEMBERS	     72
#define MEMBER_SSIZE	     19
#define MEMBER_READ_ONLY     1
#define FLAG_DEFAULT	     (1u << 18)
#define FLAG_HAVE_VECTORCALL (1u << 11)

struct slot {
	int number;
	void *value;
};

struct spec {
	const char *name;
	int size, item_size;
	unsigned flags;
	struct slot *slots;
};

struct member {
	const char *name;
	int type;
	ssize_t offset;
	int flags;
	const char *text;
};

static tw_o *type;
static int function_offset;

/* The interpreter keeps pointing to the members. */
static struct member members[2];

static tw_o *make_type(void)
{
	struct slot slots[] = {
		{SLOT_MEMBERS, members},
		{SLOT_CALL, tw_py_call.at_vectorcall_call},
		{0, NULL},
	};
	struct spec spec = {
		.name = "tracewrap.hook",
		.size = function_offset + (int)sizeof(void *),
		.flags = FLAG_DEFAULT | FLAG_HAVE_VECTORCALL,
		.slots = slots,
	};

	members[0] = (struct member){"__vectorcalloffset__", MEMBER_SSIZE,
				     function_offset, MEMBER_READ_ONLY, NULL};
	return tw_py_call.type_from(&spec);
}

tw_o *tw_py_object_new(tw_py_vectorcall function)
{
	tw_o *object;

	function_offset = tw_py_header_bytes();
	if (tw_py.minor < 12 || !tw_py_call.at_vectorcall_call || function_offset < 16)
		return NULL;
	if (!type)
		type = make_type();
	object = type ? tw_py_call.allocate(type, 0) : NULL;
	if (!object) {
		tw_py_call.error_clear();
		return NULL;
	}
	*(tw_py_vectorcall *)((char *)object + function_offset) = function;
	return object;
}

tw_py_vectorcall tw_py_object_swap(tw_o *object, tw_py_vectorcall function)
{
	tw_py_vectorcall *at = (tw_py_vectorcall *)((char *)object + function_offset);
	tw_py_vectorcall old = *at;

	*at = function;
	return old;
}

tw_o *tw_py_function_new(struct tw_py_function *row)
{
	tw_o *function = tw_py_call.function_new(row, NULL, NULL);

	if (!function)
		tw_py_call.error_clear();
	return function;
}

void tw_py_object_forget(void)
{
	type = NULL;
}
