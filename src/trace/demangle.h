/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++ names for people. The demangler is libstdc++'s __cxa_demangle, found when the
 * first mangled name comes: linking it would make the C++ library a need of a C program
 * and slow every start. It runs in a child process of its own: names come from files
 * that nobody vouches for, a name of 300 bytes can demangle to more text than there is
 * memory (each substitution may double it), and a child can be stopped. Single thread.
 */
#ifndef TW_DEMANGLE_H
#define TW_DEMANGLE_H

#include <stddef.h>

#define TW_DEMANGLED_MAX 16384u

struct tw_demangler;

struct tw_demangler *tw_demangler_new(void); /* NULL without memory */
void tw_demangler_free(struct tw_demangler *demangler);

/*
 * Writes the readable form of `name` (NUL-terminated) to buffer[TW_DEMANGLED_MAX] and
 * returns its length; 0 when the name is not mangled, too much, or cannot be helped.
 */
size_t tw_demangle(struct tw_demangler *demangler, const char *name, char *buffer);

#endif
