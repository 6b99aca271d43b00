/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPython's functions, by dlsym: the only way this room talks to the interpreter. A row
 * is the name we call it by, result, arguments, its symbol, an older symbol of the same
 * shape (or the same again), and whether there is no recording without it.
 */
#ifndef TW_PYTHON_CALL_H
#define TW_PYTHON_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "python.h"

typedef struct tw_py_object tw_o;
typedef int (*tw_py_audit_hook)(const char *event, tw_o *arguments, void *data);
typedef int (*tw_py_profile_hook)(tw_o *self, tw_o *frame, int what, tw_o *argument);

/* clang-format off */
#define TW_PY_CALLS(X) \
	X(version, const char *, (void), "Py_GetVersion", "Py_GetVersion", 1) \
	X(is_initialised, int, (void), "Py_IsInitialized", "Py_IsInitialized", 1) \
	X(at_exit, int, (void (*)(void)), "Py_AtExit", "Py_AtExit", 1) \
	X(add_audit_hook, int, (tw_py_audit_hook, void *), \
	  "PySys_AddAuditHook", "PySys_AddAuditHook", 0) \
	X(add_pending_call, int, (int (*)(void *), void *), \
	  "Py_AddPendingCall", "Py_AddPendingCall", 0) \
	X(runtime_initialise, void *, (void *), \
	  "_PyRuntime_Initialize", "_PyRuntime_Initialize", 0) \
	X(thread_state, void *, (void), \
	  "PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet", 1) \
	X(interpreter, void *, (void), "PyInterpreterState_Get", "_PyInterpreterState_Get", 0) \
	X(interpreter_id, int64_t, (void *), \
	  "PyInterpreterState_GetID", "PyInterpreterState_GetID", 0) \
	X(set_eval, void, (void *, void *), "_PyInterpreterState_SetEvalFrameFunc", \
	  "_PyInterpreterState_SetEvalFrameFunc", 0) \
	X(get_eval, void *, (void *), "_PyInterpreterState_GetEvalFrameFunc", \
	  "_PyInterpreterState_GetEvalFrameFunc", 0) \
	X(set_profile, void, (tw_py_profile_hook, tw_o *), \
	  "PyEval_SetProfile", "PyEval_SetProfile", 1) \
	X(set_profile_all, void, (tw_py_profile_hook, tw_o *), \
	  "PyEval_SetProfileAllThreads", "PyEval_SetProfileAllThreads", 0) \
	X(frame_now, tw_o *, (void), "PyEval_GetFrame", "PyEval_GetFrame", 1) \
	X(globals_now, tw_o *, (void), "PyEval_GetGlobals", "PyEval_GetGlobals", 1) \
	X(frame_code, tw_o *, (tw_o *), "PyFrame_GetCode", "PyFrame_GetCode", 0) \
	X(frame_variable, tw_o *, (tw_o *, const char *), \
	  "PyFrame_GetVarString", "PyFrame_GetVarString", 0) \
	X(extra_index, ssize_t, (void (*)(void *)), \
	  "PyUnstable_Eval_RequestCodeExtraIndex", "_PyEval_RequestCodeExtraIndex", 1) \
	X(extra_get, int, (tw_o *, ssize_t, void **), \
	  "PyUnstable_Code_GetExtra", "_PyCode_GetExtra", 1) \
	X(extra_set, int, (tw_o *, ssize_t, void *), \
	  "PyUnstable_Code_SetExtra", "_PyCode_SetExtra", 1) \
	X(enter_tracing, void, (void *), \
	  "PyThreadState_EnterTracing", "PyThreadState_EnterTracing", 0) \
	X(leave_tracing, void, (void *), \
	  "PyThreadState_LeaveTracing", "PyThreadState_LeaveTracing", 0) \
	X(compile, tw_o *, (const char *, const char *, int), \
	  "Py_CompileString", "Py_CompileString", 0) \
	X(evaluate, tw_o *, (tw_o *, tw_o *, tw_o *), "PyEval_EvalCode", "PyEval_EvalCode", 1) \
	X(builtins, tw_o *, (void), "PyEval_GetBuiltins", "PyEval_GetBuiltins", 1) \
	X(dict_new, tw_o *, (void), "PyDict_New", "PyDict_New", 1) \
	X(dict_set, int, (tw_o *, const char *, tw_o *), \
	  "PyDict_SetItemString", "PyDict_SetItemString", 1) \
	X(call, tw_o *, (tw_o *, tw_o *), "PyObject_CallObject", "PyObject_CallObject", 1) \
	X(import, tw_o *, (const char *), "PyImport_ImportModule", "PyImport_ImportModule", 1) \
	X(modules, tw_o *, (void), "PyImport_GetModuleDict", "PyImport_GetModuleDict", 1) \
	X(sys, tw_o *, (const char *), "PySys_GetObject", "PySys_GetObject", 1) \
	X(attribute, tw_o *, (tw_o *, const char *), \
	  "PyObject_GetAttrString", "PyObject_GetAttrString", 1) \
	X(call_method, tw_o *, (tw_o *, const char *, const char *, ...), \
	  "PyObject_CallMethod", "PyObject_CallMethod", 1) \
	X(dict_get, tw_o *, (tw_o *, const char *), \
	  "PyDict_GetItemString", "PyDict_GetItemString", 1) \
	X(dict_delete, int, (tw_o *, const char *), \
	  "PyDict_DelItemString", "PyDict_DelItemString", 1) \
	X(mapping_get, tw_o *, (tw_o *, const char *), \
	  "PyMapping_GetItemString", "PyMapping_GetItemString", 1) \
	X(list_append, int, (tw_o *, tw_o *), "PyList_Append", "PyList_Append", 1) \
	X(tuple_size, ssize_t, (tw_o *), "PyTuple_Size", "PyTuple_Size", 1) \
	X(tuple_get, tw_o *, (tw_o *, ssize_t), "PyTuple_GetItem", "PyTuple_GetItem", 1) \
	X(text, const char *, (tw_o *), "PyUnicode_AsUTF8", "PyUnicode_AsUTF8", 1) \
	X(integer, long, (tw_o *), "PyLong_AsLong", "PyLong_AsLong", 1) \
	X(unsigned_integer, unsigned long, (tw_o *), \
	  "PyLong_AsUnsignedLong", "PyLong_AsUnsignedLong", 1) \
	X(function_code, tw_o *, (tw_o *), "PyFunction_GetCode", "PyFunction_GetCode", 1) \
	X(is_subtype, int, (void *, void *), "PyType_IsSubtype", "PyType_IsSubtype", 1) \
	X(type_of, tw_o *, (tw_o *), "PyObject_Type", "PyObject_Type", 1) \
	X(type_flags, unsigned long, (void *), "PyType_GetFlags", "PyType_GetFlags", 1) \
	X(method_function, tw_o *, (tw_o *), "PyMethod_Function", "PyMethod_Function", 1) \
	X(generic_attribute, tw_o *, (tw_o *, tw_o *), \
	  "PyObject_GenericGetAttr", "PyObject_GenericGetAttr", 1) \
	X(unicode, tw_o *, (const char *), "PyUnicode_InternFromString", \
	  "PyUnicode_InternFromString", 1) \
	X(type_lookup, tw_o *, (tw_o *, tw_o *), "_PyType_Lookup", "_PyType_Lookup", 0) \
	X(type_from, tw_o *, (void *), "PyType_FromSpec", "PyType_FromSpec", 1) \
	X(allocate, tw_o *, (tw_o *, ssize_t), "PyType_GenericAlloc", "PyType_GenericAlloc", 1) \
	X(function_new, tw_o *, (void *, tw_o *, tw_o *), \
	  "PyCFunction_NewEx", "PyCFunction_NewEx", 1) \
	X(error_fetch, void, (tw_o **, tw_o **, tw_o **), "PyErr_Fetch", "PyErr_Fetch", 1) \
	X(error_restore, void, (tw_o *, tw_o *, tw_o *), "PyErr_Restore", "PyErr_Restore", 1) \
	X(error_clear, void, (void), "PyErr_Clear", "PyErr_Clear", 1) \
	X(error_now, tw_o *, (void), "PyErr_Occurred", "PyErr_Occurred", 1) \
	X(error_set, void, (tw_o *, const char *), "PyErr_SetString", "PyErr_SetString", 1) \
	X(module_new, tw_o *, (const char *), "PyModule_New", "PyModule_New", 1) \
	X(module_add, int, (tw_o *, void *), \
	  "PyModule_AddFunctions", "PyModule_AddFunctions", 1) \
	X(module_dict, tw_o *, (tw_o *), "PyModule_GetDict", "PyModule_GetDict", 1) \
	X(parse, int, (tw_o *, const char *, ...), "PyArg_ParseTuple", "PyArg_ParseTuple", 1) \
	X(build, tw_o *, (const char *, ...), "Py_BuildValue", "Py_BuildValue", 1) \
	X(call_with, tw_o *, (tw_o *, tw_o *, tw_o *), \
	  "PyObject_Call", "PyObject_Call", 1) \
	X(set_attribute, int, (tw_o *, const char *, tw_o *), \
	  "PyObject_SetAttrString", "PyObject_SetAttrString", 1) \
	X(list_insert, int, (tw_o *, ssize_t, tw_o *), "PyList_Insert", "PyList_Insert", 1) \
	X(list_size, ssize_t, (tw_o *), "PyList_Size", "PyList_Size", 1) \
	X(list_get, tw_o *, (tw_o *, ssize_t), "PyList_GetItem", "PyList_GetItem", 1) \
	X(run_code, tw_o *, (tw_o *, tw_o *, tw_o *), \
	  "PyEval_EvalCode", "PyEval_EvalCode", 1) \
	X(to_text, tw_o *, (tw_o *), "PyObject_Str", "PyObject_Str", 1) \
	X(to_bytes, tw_o *, (tw_o *, const char *, const char *), \
	  "PyUnicode_AsEncodedString", "PyUnicode_AsEncodedString", 1) \
	X(bytes, char *, (tw_o *), "PyBytes_AsString", "PyBytes_AsString", 1) \
	X(bytes_size, ssize_t, (tw_o *), "PyBytes_Size", "PyBytes_Size", 1) \
	X(bool_new, tw_o *, (long), "PyBool_FromLong", "PyBool_FromLong", 1) \
	X(is_true, int, (tw_o *), "PyObject_IsTrue", "PyObject_IsTrue", 1) \
	X(method_new, tw_o *, (tw_o *), "PyInstanceMethod_New", "PyInstanceMethod_New", 1) \
	X(weak_new, tw_o *, (tw_o *, tw_o *), "PyWeakref_NewRef", "PyWeakref_NewRef", 1) \
	X(keep, void, (tw_o *), "Py_IncRef", "Py_IncRef", 1) \
	X(drop, void, (tw_o *), "Py_DecRef", "Py_DecRef", 1)

/* Data symbols: addresses of types and of functions that are only handed on. */
#define TW_PY_DATA(X) \
	X(none, "_Py_NoneStruct", 1) \
	X(type_type, "PyType_Type", 1) \
	X(object_type, "PyBaseObject_Type", 1) \
	X(code_type, "PyCode_Type", 1) \
	X(frame_type, "PyFrame_Type", 1) \
	X(function_type, "PyFunction_Type", 1) \
	X(property_type, "PyProperty_Type", 1) \
	X(builtin_type, "PyCFunction_Type", 1) \
	X(method_descriptor_type, "PyMethodDescr_Type", 1) \
	X(bound_method_type, "PyMethod_Type", 1) \
	X(class_method_type, "PyClassMethod_Type", 1) \
	X(static_method_type, "PyStaticMethod_Type", 1) \
	X(text_type, "PyUnicode_Type", 1) \
	X(import_error, "PyExc_ImportError", 1) \
	X(runtime, "_PyRuntime", 0) \
	X(eval_default, "_PyEval_EvalFrameDefault", 0) \
	X(function_vectorcall, "_PyFunction_Vectorcall", 0) \
	X(vectorcall_call, "PyVectorcall_Call", 0)
/* clang-format on */

struct tw_py_calls {
#define TW_X(field, result, arguments, name, older, is_needed) result(*field) arguments;
	TW_PY_CALLS(TW_X)
#undef TW_X
#define TW_X(field, name, is_needed) void *at_##field;
	TW_PY_DATA(TW_X)
#undef TW_X
};
extern struct tw_py_calls tw_py_call;

/* Finds everything; the name of something needed that is not there, or NULL. */
const char *tw_py_call_find(void *handle);

/* Size of an object's header (16; more in free-threaded and debug builds). */
int tw_py_header_bytes(void);

/* Copies memory that may not be there; false: it is not. */
bool tw_py_read(const void *from, void *to, size_t bytes);

/* A text attribute's UTF-8, or NULL; *holder is to be dropped by the caller. */
const char *tw_py_text_of(tw_o *object, const char *attribute, tw_o **holder);

/* A number attribute, or `otherwise`. */
long tw_py_number_of(tw_o *object, const char *attribute, long otherwise);

/* Drops a reference that may be NULL. */
static inline void tw_py_release(tw_o *object)
{
	if (object)
		tw_py_call.drop(object);
}

/* The exception that is set and errno, put aside while a hook asks for names. */
struct tw_py_aside {
	tw_o *type, *value, *traceback;
	int error;
};
struct tw_py_aside tw_py_aside_put(void);
void tw_py_aside_take(struct tw_py_aside *aside);

#endif
