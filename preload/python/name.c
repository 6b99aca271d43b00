/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of code objects; contract in name.h. From 3.11 a code object knows its
 * qualified name. Before, the class is looked for through the first argument: the
 * function whose code this is, among the attributes of the argument's classes. That
 * goes through C descriptors only: no code of the program runs.
 */
#include "name.h"

/* A descriptor of `type` itself, read from a class: what no metaclass can intercept. */
static tw_o *read_class(tw_o *class, const char *which)
{
	tw_o *dict = tw_py_call.attribute(tw_py_call.at_type_type, "__dict__");
	tw_o *descriptor = dict ? tw_py_call.mapping_get(dict, which) : NULL;
	tw_o *value = NULL;

	if (descriptor)
		value = tw_py_call.call_method(descriptor, "__get__", "O", class);
	tw_py_release(descriptor);
	tw_py_release(dict);
	return value;
}

/* The function inside of a property, class method or static method; a new reference. */
static tw_o *unwrap(tw_o *object)
{
	tw_o *type = tw_py_call.type_of(object);
	const char *inner = NULL;
	tw_o *function = object;

	if (type == tw_py_call.at_property_type)
		inner = "fget";
	else if (type == tw_py_call.at_class_method_type ||
		 type == tw_py_call.at_static_method_type)
		inner = "__func__";
	tw_py_release(type);
	if (!inner) {
		tw_py_call.keep(object);
		return object;
	}
	function = tw_py_call.attribute(object, inner);
	return function;
}

static bool is_function_of(tw_o *object, const tw_o *code)
{
	tw_o *type = tw_py_call.type_of(object);
	bool is_it = type == tw_py_call.at_function_type &&
		     tw_py_call.function_code(object) == code;

	tw_py_release(type);
	return is_it;
}

/* The qualified name of the function of this code in one class; a new reference. */
static tw_o *look_in_class(tw_o *class, const tw_o *code, const char *name)
{
	tw_o *dict = read_class(class, "__dict__");
	tw_o *entry = dict ? tw_py_call.mapping_get(dict, name) : NULL;
	tw_o *function = entry ? unwrap(entry) : NULL;
	tw_o *result = NULL;

	if (function && is_function_of(function, code))
		result = tw_py_call.attribute(function, "__qualname__");
	tw_py_release(function);
	tw_py_release(entry);
	tw_py_release(dict);
	tw_py_call.error_clear();
	return result;
}

static tw_o *look_in_classes(tw_o *class, const tw_o *code, const char *name)
{
	tw_o *order = read_class(class, "__mro__");
	tw_o *result = NULL;
	ssize_t n = order ? tw_py_call.tuple_size(order) : 0;

	for (ssize_t i = 0; i < n && !result; i++)
		result = look_in_class(tw_py_call.tuple_get(order, i), code, name);
	tw_py_release(order);
	tw_py_call.error_clear();
	return result;
}

/* Most often the first class that has the name at all is the right one, or none is. */
static tw_o *look_in(tw_o *class, const tw_o *code, tw_o *name)
{
	tw_o *entry, *function, *result = NULL;

	if (!tw_py_call.type_lookup)
		return NULL;
	entry = tw_py_call.type_lookup(class, name); /* borrowed */
	if (!entry)
		return NULL;
	function = unwrap(entry);
	if (function && is_function_of(function, code))
		result = tw_py_call.attribute(function, "__qualname__");
	tw_py_release(function);
	return result ? result : look_in_classes(class, code, tw_py_call.text(name));
}

static tw_o *find_qualified(tw_o *self, const tw_o *code, tw_o *name)
{
	tw_o *class = tw_py_call.type_of(self);
	tw_o *result = NULL;

	/* The first argument of a class method is a class itself. */
	if (tw_py_call.is_subtype(class, tw_py_call.at_type_type))
		result = look_in(self, code, name);
	if (!result)
		result = look_in(class, code, name);
	tw_py_release(class);
	tw_py_call.error_clear();
	return result;
}

static void find_function(struct tw_py_name *name, tw_o *code, tw_o *const *locals)
{
	/* Without arguments there may be no variable at all. A captured one is NULL. */
	tw_o *self = locals && name->n_arguments ? locals[0] : NULL;
	tw_o **holder = &name->holders[0];
	tw_o *qualified;

	if (tw_py.minor >= 11) {
		name->function = tw_py_text_of(code, "co_qualname", holder);
		return;
	}
	name->function = tw_py_text_of(code, "co_name", holder);
	if (!name->function || !self)
		return;
	qualified = find_qualified(self, code, *holder);
	if (qualified && tw_py_call.text(qualified)) {
		tw_py_release(*holder);
		*holder = qualified;
		name->function = tw_py_call.text(qualified);
		return;
	}
	tw_py_call.error_clear();
	tw_py_release(qualified);
}

void tw_py_name_begin(struct tw_py_name *name, tw_o *code, tw_o *const *locals)
{
	long line;

	*name = (struct tw_py_name){0};
	name->flags = (uint32_t)tw_py_number_of(code, "co_flags", 0);
	name->n_arguments = (uint32_t)tw_py_number_of(code, "co_argcount", 0);
	find_function(name, code, locals);
	if (!name->function)
		name->function = "?";
	name->file = tw_py_text_of(code, "co_filename", &name->holders[1]);
	if (!name->file)
		name->file = "";
	line = tw_py_number_of(code, "co_firstlineno", 0);
	name->line = line > 0 ? (uint32_t)line : 0;
}

void tw_py_name_end(struct tw_py_name *name)
{
	tw_py_release(name->holders[0]);
	tw_py_release(name->holders[1]);
}
