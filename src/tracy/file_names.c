/* SPDX-License-Identifier: BSD-3-Clause */
/* See file_names.h. */
#define _GNU_SOURCE 1 /* strsignal */
#include "tracy/file_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEOPLE_TOLD 64u /* processes named in the application's information */

static void add_line(struct tw_tracy_file_names *names, uint32_t string)
{
	if (names->n_lines == names->lines_room) {
		uint32_t room = names->lines_room ? names->lines_room * 2 : 16;
		uint32_t *lines = realloc(names->lines, room * sizeof(*lines));

		if (!lines)
			return;
		names->lines = lines;
		names->lines_room = room;
	}
	if (string)
		names->lines[names->n_lines++] = string;
}

/* A command line with its NULs as blanks; buffer[512]. */
static const char *spaced(char *buffer, struct tw_slice text)
{
	uint32_t n = text.n_bytes < 511 ? text.n_bytes : 511;

	for (uint32_t i = 0; i < n; i++)
		buffer[i] = text.text[i] ? text.text[i] : ' ';
	buffer[n] = '\0';
	return buffer;
}

static void tell_process(struct tw_tracy_plan *plan, struct tw_tracy_file_names *names,
			 const struct tw_process *p)
{
	static const char *const ends[] = {[TW_END_UNKNOWN] = "unknown",
					   [TW_END_EXITED] = "exit",
					   [TW_END_SIGNALLED] = "signal",
					   [TW_END_EXEC] = "exec"};
	char command[512], end[64] = "still running";

	if (p->has_end && p->end < sizeof(ends) / sizeof(ends[0]))
		snprintf(end, sizeof(end), "%s %u", ends[p->end], p->code);
	add_line(names, tw_tracy_strings_format(
				&plan->strings, "process %u (parent %u, %s): %s",
				p->pid, p->ppid, end, spaced(command, p->command)));
}

static void tell_losses(struct tw_tracy_plan *plan, struct tw_tracy_file_names *names)
{
	const struct tw_timeline *t = plan->timeline;

	for (uint32_t i = 0; i <= TW_LOSS_COUNT; i++)
		if (t->lost[i])
			add_line(names, tw_tracy_strings_format(
						&plan->strings, "lost: %" PRIu64 " %s",
						t->lost[i], tw_loss_words(i)));
	if (t->rotated_events)
		add_line(names,
			 tw_tracy_strings_format(&plan->strings,
						 "lost: %" PRIu64
						 " events, the oldest, to --max-size",
						 t->rotated_events));
	if (plan->n_left_out + plan->strings.n_left_out)
		add_line(names,
			 tw_tracy_strings_format(
				 &plan->strings,
				 "lost: %" PRIu64 " texts, points and other events "
				 "that have no place in such a file",
				 plan->n_left_out + plan->strings.n_left_out));
	if (plan->n_mended)
		add_line(names,
			 tw_tracy_strings_format(
				 &plan->strings,
				 "added: %" PRIu64 " begins and ends of locks, memory, "
				 "frames and fibers, in place of lost ones",
				 plan->n_mended));
	for (uint64_t i = 0; i < t->n_notes && i < TW_NOTES_KEPT; i++)
		add_line(names, tw_tracy_strings_format(&plan->strings, "note: %.*s",
							tw_tracy_cut(t->notes[i], 900),
							t->notes[i].text));
}

static void name_session(struct tw_tracy_plan *plan, struct tw_tracy_file_names *names)
{
	static const char *const told[] = {"command", "cwd", "version"};
	const struct tw_timeline *t = plan->timeline;
	uint32_t n = 0;
	char text[512];

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		add_line(names, tw_tracy_strings_format(
					&plan->strings, "%s: %s", told[i],
					spaced(text, tw_tracy_session(t, told[i]))));
	for (uint32_t i = 0; i < t->processes.n; i++) {
		const struct tw_process *p = t->processes.items[i];

		if (p && n++ < PEOPLE_TOLD)
			tell_process(plan, names, p);
		if (p && p->has_end && p->end == TW_END_SIGNALLED &&
		    (!names->crashed || p->end_ns < names->crashed->end_ns))
			names->crashed = p;
	}
	if (n > PEOPLE_TOLD)
		add_line(names, tw_tracy_strings_format(&plan->strings,
							"and %u more processes",
							n - PEOPLE_TOLD));
	tell_losses(plan, names);
	if (names->crashed)
		names->crash = tw_tracy_strings_format(
			&plan->strings, "process %u was killed by signal %u (%s)",
			names->crashed->pid, names->crashed->code,
			names->crashed->code < 65 ? strsignal((int)names->crashed->code)
						  : "unknown");
}

/* "worker", or "worker [server 4711]" when there are several processes. */
static void name_thread(struct tw_tracy_plan *plan, const struct tw_thread *thread)
{
	struct tw_slice name = thread->name;
	struct tw_slice program = tw_tracy_program(thread->process);
	char number[32];
	uint32_t string;

	if (name.n_bytes == 0) {
		snprintf(number, sizeof(number), "thread %u", thread->tid);
		name = tw_slice_of(thread->kind == TW_THREAD_MAIN	    ? "main"
				   : thread->kind == TW_THREAD_FIBER	    ? "fiber"
				   : thread->kind == TW_THREAD_DEVICE_TRACK ? "track"
									    : number);
	}
	if (plan->timeline->n_processes > 1)
		string = tw_tracy_strings_format(&plan->strings, "%.*s [%.*s %u]",
						 tw_tracy_cut(name, 400), name.text,
						 tw_tracy_cut(program, 400),
						 program.text, thread->process->pid);
	else
		string = tw_tracy_strings_add(&plan->strings, name, false);
	/* A thread without a name would be left out altogether. */
	plan->threads[thread->number].name = string ? string : 1;
}

static void name_threads(struct tw_tracy_plan *plan,
			 const struct tw_tracy_file_names *names)
{
	const struct tw_table *threads = &plan->timeline->threads;

	for (uint32_t i = 0; i < threads->n; i++) {
		const struct tw_thread *thread = threads->items[i];
		const struct tw_tracy_thread *to = &plan->threads[i];

		if (thread && (to->n_zones || to->n_messages || to->is_referred_to ||
			       (thread->kind == TW_THREAD_MAIN &&
				thread->process == names->crashed)))
			name_thread(plan, thread);
	}
	if (plan->threads[0].n_messages)
		plan->threads[0].name = tw_tracy_strings_add(
			&plan->strings, tw_slice_of("tracewrap"), false);
}

/* 16 bits is all that a short number has; 0 is nobody. */
static void number_shortly(struct tw_tracy_plan *plan)
{
	uint16_t n = 0;

	for (uint32_t i = 0; i < plan->timeline->threads.n && n < UINT16_MAX; i++)
		if (plan->threads[i].name)
			plan->threads[i].short_number = ++n;
}

static int name_places(struct tw_tracy_plan *plan, struct tw_tracy_file_names *names)
{
	const struct tw_tracy_places *p = &plan->places;
	uint32_t n = p->n_fixed + p->n_folded;

	names->places = calloc(n + 1, 3 * sizeof(*names->places));
	if (!names->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		bool is_folded = i >= p->n_fixed;
		uint32_t location = is_folded ? p->folded[i - p->n_fixed].location
					      : p->fixed[i].location;
		const struct tw_place *place =
			tw_timeline_place(plan->timeline, location);
		struct tw_slice name = place->name, function = place->function;

		if (is_folded)
			name = function = place->file.n_bytes
						  ? place->file
						  : tw_slice_of("(no source file)");
		if (function.n_bytes == 0)
			function = name;
		names->places[3 * i] =
			tw_tracy_strings_add(&plan->strings, name, false);
		names->places[3 * i + 1] =
			tw_tracy_strings_add(&plan->strings, function, false);
		names->places[3 * i + 2] =
			tw_tracy_strings_add(&plan->strings, place->file, false);
	}
	return 0;
}

int tw_tracy_names_make(struct tw_tracy_file_names *names, struct tw_tracy_plan *plan)
{
	int error;

	name_session(plan, names);
	name_threads(plan, names);
	number_shortly(plan);
	error = name_places(plan, names);
	return error ? error : plan->strings.table.error;
}

void tw_tracy_names_free(struct tw_tracy_file_names *names)
{
	free(names->places);
	free(names->lines);
}

const struct tw_process *tw_tracy_first_process(const struct tw_timeline *t)
{
	for (uint32_t i = 0; i < t->processes.n; i++)
		if (t->processes.items[i])
			return t->processes.items[i];
	return &t->unknown_process;
}

struct tw_slice tw_tracy_session(const struct tw_timeline *t, const char *key)
{
	for (uint32_t i = 0; i < t->n_session; i++)
		if (t->session[i].key.n_bytes == strlen(key) &&
		    memcmp(t->session[i].key.text, key, strlen(key)) == 0)
			return t->session[i].value;
	return (struct tw_slice){"", 0};
}
