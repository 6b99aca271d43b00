/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Environments of this process and of its children; contract in environment.h.
 */
#include "environment.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/sys.h"
#include "core/text.h"
#include "inspect/program.h"
#include "log.h"
#include "self.h"

#define PRELOAD	 "LD_PRELOAD"
#define OURS	 "TRACEWRAP_"
#define KEPT_MAX 32u

/* Of the environment we were started with; the strings outlive everything. */
static const char *kept[KEPT_MAX];
static size_t n_kept;

static bool is_variable(const char *entry, const char *name, size_t n)
{
	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static size_t name_bytes(const char *entry)
{
	return strcspn(entry, "=");
}

const char *tw_environment_get(char *const *environment, const char *name)
{
	size_t n = strlen(name);

	for (; environment && *environment; environment++)
		if (is_variable(*environment, name, n))
			return *environment + n + 1;
	return NULL;
}

void tw_environment_remove(char **environment, const char *name, size_t n)
{
	char **to = environment;

	for (; environment && *environment; environment++)
		if (!is_variable(*environment, name, n))
			*to++ = *environment;
	if (to)
		*to = NULL;
}

void tw_environment_keep(char *const *environment)
{
	for (; environment && *environment && n_kept < KEPT_MAX; environment++)
		if (strncmp(*environment, OURS, strlen(OURS)) == 0 &&
		    !is_variable(*environment, TW_CHILD_VARIABLE,
				 strlen(TW_CHILD_VARIABLE)))
			kept[n_kept++] = *environment;
}

void tw_environment_drop_kept(char **environment)
{
	const char *list = tw_environment_get(environment, TW_CHILD_VARIABLE);

	while (list && *list) {
		size_t n = strcspn(list, ",");

		tw_environment_remove(environment, list, n);
		list += n;
		if (*list)
			list++;
	}
	tw_environment_remove(environment, TW_CHILD_VARIABLE,
			      strlen(TW_CHILD_VARIABLE));
}

static const char *base_of(const char *path, size_t n)
{
	const char *slash = memrchr(path, '/', n);

	return slash ? slash + 1 : path;
}

/*
 * Where our library stands in an LD_PRELOAD value, and how long its name is there, or
 * NULL. By file name alone: users write it relative, by soname, through links.
 */
static const char *find_ours(const char *value, size_t *bytes)
{
	const char *ours = base_of(tw_self.library, strlen(tw_self.library));

	for (const char *p = value; *p;) {
		size_t n = strcspn(p, ": ");
		const char *base = base_of(p, n);

		if (*ours && (size_t)(p + n - base) == strlen(ours) &&
		    strncmp(base, ours, strlen(ours)) == 0) {
			*bytes = n;
			return p;
		}
		p += n;
		if (*p)
			p++;
	}
	return NULL;
}

/*
 * Copies an LD_PRELOAD value without what tw_plan_fill added: "first:REST:OURS:first"
 * or "REST:OURS". Separators of the rest stay as the user wrote them.
 */
static void add_others(struct tw_text *t, const char *value)
{
	size_t n;
	const char *ours = find_ours(value, &n);
	const char *after, *end;

	if (!ours) {
		tw_text_add(t, value);
		return;
	}
	after = ours[n] ? ours + n + 1 : ours + n;
	end = ours > value ? ours - 1 : ours;
	if (*after) {
		size_t first = strcspn(value, ": ");

		if (strlen(after) == first && strncmp(value, after, first) == 0) {
			value += first + (value + first < ours);
			after += first;
			if (value > end)
				end = value;
		}
	}
	tw_text_add_bytes(t, value, (size_t)(end - value));
	if (*after && end > value)
		tw_text_add(t, ":");
	tw_text_add(t, after);
}

void tw_environment_unload(char **environment, const char *library)
{
	for (char **e = environment; e && *e; e++) {
		char copy[PATH_MAX * 2];
		struct tw_text t;
		size_t n = strlen(*e);

		if (!is_variable(*e, PRELOAD, strlen(PRELOAD)) || !*library ||
		    n >= sizeof(copy))
			continue;
		/* In place: the shorter list fits where the longer one was. */
		memcpy(copy, *e, n + 1);
		t = tw_text_in(*e, n + 1);
		tw_text_add(&t, PRELOAD "=");
		add_others(&t, copy + strlen(PRELOAD) + 1);
		if (t.used == strlen(PRELOAD) + 1)
			tw_environment_remove(environment, PRELOAD, strlen(PRELOAD));
		return;
	}
}

static void note_not_followed(const char *path, const struct tw_program *program)
{
	char text[PATH_MAX + 256];
	struct tw_text t = tw_text_in(text, sizeof(text));

	if (!tw_self.view.arena)
		return;
	tw_text_add(&t, "not followed: ");
	tw_text_add(&t, path ? path : "a program executed by descriptor");
	tw_text_add(&t, " (");
	tw_text_add(&t, tw_verdict_rows[program->verdict].word);
	tw_text_add(&t, ")");
	tw_arena_note(tw_self.view.arena, text, t.used);
	tw_log(TW_LOG_PROBLEM, text, NULL);
}

static void measure(struct tw_plan *plan, char *const *environment)
{
	const char *others = tw_environment_get(environment, PRELOAD);
	size_t n = 0;

	while (environment && environment[n])
		n++;
	plan->array_bytes = (n + n_kept + 4) * sizeof(char *);
	plan->text_bytes = sizeof(PRELOAD) + 2 * strlen(plan->sanitizer) +
			   strlen(tw_self.library) + (others ? strlen(others) : 0) +
			   sizeof(TW_SESSION_VARIABLE) + sizeof(tw_self.session) +
			   sizeof(TW_CHILD_VARIABLE) + 32;
	for (size_t i = 0; i < n_kept; i++)
		plan->text_bytes += name_bytes(kept[i]) + 1;
}

/* Whoever set a session variable on purpose (a tracewrap inside) means another run. */
static bool is_wanted(char *const *environment)
{
	return tw_start() && tw_self.follow == TW_FOLLOW_ALL && tw_self.library[0] &&
	       !atomic_load(&tw_self.is_caged) &&
	       !tw_environment_get(environment, TW_SESSION_VARIABLE) &&
	       tw_sys_access(tw_self.library, R_OK) == 0;
}

void tw_plan_make(struct tw_plan *plan, const char *path, int fd,
		  char *const *environment)
{
	struct tw_program program;
	int error;

	*plan = (struct tw_plan){.is_plain = true};
	if (!is_wanted(environment))
		return;
	error = path ? tw_program_probe(path, &program)
		     : tw_program_probe_fd(fd, &program);
	if (error)
		return; /* exec will fail and says why itself */
	if (!tw_verdict_rows[program.verdict].is_recorded &&
	    program.verdict != TW_PROGRAM_NOT_ELF)
		note_not_followed(path, &program);
	if (!tw_verdict_rows[program.verdict].takes_preload)
		return;
	plan->is_plain = false;
	plan->will_join = tw_verdict_rows[program.verdict].is_recorded;
	if (strlen(program.elf.sanitizer) < sizeof(plan->sanitizer))
		memcpy(plan->sanitizer, program.elf.sanitizer,
		       strlen(program.elf.sanitizer) + 1);
	measure(plan, environment);
}

void tw_plan_make_by_name(struct tw_plan *plan, const char *name,
			  char *const *environment)
{
	char path[PATH_MAX];

	*plan = (struct tw_plan){.is_plain = true};
	if (name && is_wanted(environment) &&
	    tw_program_find(name, tw_environment_get(environ, "PATH"), path,
			    sizeof(path)) == 0)
		tw_plan_make(plan, path, -1, environment);
}

/* LD_PRELOAD of a child: [sanitizer:][others:]OURS[:sanitizer]. */
static void fill_preload(struct tw_text *t, const struct tw_plan *plan,
			 const char *others)
{
	const char *first = plan->sanitizer;
	char rest[PATH_MAX * 2];
	struct tw_text r = tw_text_in(rest, sizeof(rest));

	if (others)
		add_others(&r, others);
	if (strncmp(rest, first, strlen(first)) == 0 && *first)
		first = ""; /* the user put it there */
	tw_text_add(t, PRELOAD "=");
	tw_text_add(t, first);
	tw_text_add(t, *first ? ":" : "");
	tw_text_add(t, rest);
	tw_text_add(t, *rest ? ":" : "");
	tw_text_add(t, tw_self.library);
	tw_text_add(t, *first ? ":" : "");
	tw_text_add(t, first);
}

/* What a child under a bare LD_PRELOAD needs: the user's settings, and their names. */
static char **fill_kept(char **to, struct tw_text *t, char *const *environment)
{
	*to++ = t->buffer + t->used;
	tw_text_add(t, TW_CHILD_VARIABLE "=");
	for (size_t i = 0; i < n_kept; i++) {
		char name[64];
		struct tw_text n = tw_text_in(name, sizeof(name));

		tw_text_add_bytes(&n, kept[i], name_bytes(kept[i]));
		if (n.is_cut || tw_environment_get(environment, name))
			continue;
		*to++ = (char *)kept[i];
		tw_text_add(t, t->buffer[t->used - 1] == '=' ? "" : ",");
		tw_text_add(t, name);
	}
	return to;
}

char **tw_plan_fill(const struct tw_plan *plan, char *const *environment, void *array,
		    char *text)
{
	char **to = array, **preload = NULL;
	const char *others = tw_environment_get(environment, PRELOAD);
	struct tw_text t;

	if (plan->is_plain)
		return (char **)environment;
	for (char *const *e = environment; e && *e; e++) {
		if (is_variable(*e, TW_CHILD_VARIABLE, strlen(TW_CHILD_VARIABLE)))
			continue;
		/* The user's keeps its place among the variables. */
		if (is_variable(*e, PRELOAD, strlen(PRELOAD)))
			preload = to;
		*to++ = *e;
	}
	t = tw_text_in(text, plan->text_bytes);
	if (tw_self.has_parent) {
		*to++ = text;
		tw_text_add(&t, TW_SESSION_VARIABLE "=");
		tw_text_add(&t, tw_self.session);
	} else {
		to = fill_kept(to, &t, environment);
	}
	t.used++; /* past the NUL: the next variable */
	if (!preload)
		preload = to++;
	*preload = t.buffer + t.used;
	*to = NULL;
	fill_preload(&t, plan, others);
	return array;
}
