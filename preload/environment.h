/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LD_PRELOAD and our own variables: taken out of the program's environment at its
 * start, put back into what its children get. The program sees the environment that it
 * would have without us, and children are followed even when it cleans theirs. No
 * malloc: callers give memory. Any thread, vfork children.
 *
 * Our library is the last of LD_PRELOAD: the last one's constructor runs first, so
 * other people's constructors already see the clean environment. A sanitizer that
 * insists on being first is put there and named once more behind us, which says that we
 * did it.
 */
#ifndef TW_ENVIRONMENT_H
#define TW_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#define TW_SESSION_VARIABLE "TRACEWRAP_SESSION"
/* Under a bare LD_PRELOAD: "we are a traced program's child", and the TRACEWRAP_*
 * variables that were put back for us, separated by commas. */
#define TW_CHILD_VARIABLE   "TRACEWRAP_CHILD"

/* Value of `name` in an environment array, or NULL. */
const char *tw_environment_get(char *const *environment, const char *name);

/* Removes the variable with that name (n bytes) from the array, in place. */
void tw_environment_remove(char **environment, const char *name, size_t n);

/* Removes our library, and a sanitizer that we added, from LD_PRELOAD, in place. */
void tw_environment_unload(char **environment, const char *library);

/* Remembers the user's TRACEWRAP_* variables for children whose environment is cleaned.
 */
void tw_environment_keep(char *const *environment);

/* Removes TW_CHILD_VARIABLE and what it lists. */
void tw_environment_drop_kept(char **environment);

/* How a child's environment is to be changed. */
struct tw_plan {
	bool is_plain;	    /* not at all */
	bool will_join;	    /* it will be recorded */
	char sanitizer[64]; /* soname that must come first, or "" */
	size_t array_bytes; /* memory for the new array */
	size_t text_bytes;  /* memory for new variables */
};

/*
 * Decides for a program about to be executed: `path` as execve takes it, or by `fd`
 * when path is NULL. A program that cannot be followed is noted.
 */
void tw_plan_make(struct tw_plan *plan, const char *path, int fd,
		  char *const *environment);

/* The same for a name that is searched in PATH. */
void tw_plan_make_by_name(struct tw_plan *plan, const char *name,
			  char *const *environment);

/* Builds the environment in the caller's memory and returns it. */
char **tw_plan_fill(const struct tw_plan *plan, char *const *environment, void *array,
		    char *text);

#endif
