/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The form `.tracy`: what Tracy's viewer opens, written without Tracy. The functions
 * below stand in the order of the body's sections; the numbers are those of the list in
 * tw_export_tracy(). Called by src/export/export.c. Command only, one thread.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracy/file_ledger.h"
#include "tracy/file_names.h"
#include "tracy/layer_colour.h"

#define COPY_BYTES 16384u
#define SPAN_BYTES (8u + 8u + 4u) /* begin, end, image of a frame */

/* By enum tw_tracy_version. */
static const uint32_t versions[TW_TRACY_VERSION_COUNT] = {
	[TW_TRACY_0_9] = TW_TRACY_NUMBER(0, 9, 0),
	[TW_TRACY_0_10] = TW_TRACY_NUMBER(0, 10, 0),
	[TW_TRACY_0_11] = TW_TRACY_NUMBER(0, 11, 0),
	[TW_TRACY_NEWEST] = TW_TRACY_NUMBER(0, 14, 0),
};

static void put_reference(struct tw_tracy_out *out, uint32_t string)
{
	tw_tracy_u64(out, string ? string - 1 : 0);
	tw_tracy_u8(out, string ? TW_TRACY_REF_INDEX | TW_TRACY_REF_ACTIVE : 0);
}

static void write_head(const struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	static const char cpu[12] = "";
	uint64_t last_ns = plan->last_ns > plan->timeline->end_ns
				   ? plan->last_ns
				   : plan->timeline->end_ns;

	tw_tracy_put(out, "tracy", 5);
	tw_tracy_u8(out, out->version >> 16);
	tw_tracy_u8(out, out->version >> 8);
	tw_tracy_u8(out, out->version);
	if (!tw_tracy_has(out, TW_TRACY_LACKS_DELAY))
		tw_tracy_u64(out, 0);
	tw_tracy_u64(out, 1); /* ns of resolution */
	tw_tracy_f64(out, 1); /* ns a tick */
	tw_tracy_u64(out, tw_tracy_time(last_ns));
	tw_tracy_u64(out, 0); /* frames before the first */
	tw_tracy_u64(out, tw_tracy_first_process(plan->timeline)->pid);
	tw_tracy_u64(out, 0);		     /* period of samples */
	tw_tracy_u8(out, 0);		     /* architecture, ... */
	tw_tracy_u32(out, 0);		     /* ... processor and */
	tw_tracy_put(out, cpu, sizeof(cpu)); /* its maker are not in a trace */
	if (tw_tracy_has(out, TW_TRACY_HAS_ON_DEMAND))
		tw_tracy_u8(out, 0);
}

static void write_names(const struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	const struct tw_timeline *t = plan->timeline;
	struct tw_slice program = tw_tracy_program(tw_tracy_first_process(t));
	struct tw_slice version = tw_tracy_session(t, "version");
	struct tw_slice host = tw_tracy_session(t, "host");
	time_t seconds = (time_t)(t->start_wall_ns / 1000000000);
	char text[TW_TRACY_TEXT_MAX + 1], when[32] = "";
	struct tm tm;
	int n;

	if (program.n_bytes == 0)
		program = tw_slice_of("(unknown program)");
	if (seconds && localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), " @ %Y-%m-%d %H:%M:%S", &tm);
	n = snprintf(text, sizeof(text), "%.*s%s", tw_tracy_cut(program, 512),
		     program.text, when);
	tw_tracy_text(out, text, (size_t)n);
	tw_tracy_text(out, program.text, (size_t)tw_tracy_cut(program, 512));
	tw_tracy_u64(out, (uint64_t)seconds);
	tw_tracy_u64(out, 0); /* the executable's time */
	n = snprintf(text, sizeof(text), "Recorded by: tracewrap %.*s\n%.*s",
		     tw_tracy_cut(version, 64), version.text, tw_tracy_cut(host, 800),
		     host.text);
	tw_tracy_text(out, text, (size_t)n);
	tw_tracy_u64(out, 0); /* processors */
}

static void write_crash(const struct tw_tracy_plan *plan, struct tw_tracy_out *out,
			const struct tw_tracy_file_names *names)
{
	const struct tw_table *threads = &plan->timeline->threads;
	uint64_t id = 0;

	if (!names->crash) {
		tw_tracy_zeros(out, 28);
		return;
	}
	for (uint32_t i = 0; i < threads->n && id == 0; i++) {
		const struct tw_thread *thread = threads->items[i];

		if (thread && thread->kind == TW_THREAD_MAIN &&
		    thread->process == names->crashed)
			id = plan->threads[i].id;
	}
	tw_tracy_u64(out, id);
	tw_tracy_u64(out, tw_tracy_time(names->crashed->end_ns));
	tw_tracy_u64(out, TW_TRACY_CRASH_KEY);
	tw_tracy_u32(out, 0); /* callstack */
}

/* Hands all points of series `key` to `put`; *next is the first one of a later key. */
static int each_point(struct tw_sorter *points, uint32_t key, struct tw_sort_item *next,
		      int *more, struct tw_tracy_out *out, bool has_value)
{
	uint64_t ns = 0;

	while (*more > 0 && next->key == key) {
		tw_tracy_u64(out, next->ns - ns);
		ns = next->ns;
		if (has_value)
			tw_tracy_u64(out, next->value);
		else
			tw_tracy_u32(out, UINT32_MAX); /* no image */
		*more = tw_sorter_next(points, next);
	}
	return *more < 0 ? *more : 0;
}

int tw_tracy_copy(struct tw_scratch *scratch, uint64_t offset, uint64_t n,
		  struct tw_tracy_out *out)
{
	uint8_t buffer[COPY_BYTES];
	int error = 0;

	while (n > 0 && !error) {
		size_t part = n < COPY_BYTES ? (size_t)n : COPY_BYTES;

		error = tw_scratch_get(scratch, offset, buffer, part);
		if (!error)
			tw_tracy_put(out, buffer, part);
		offset += part;
		n -= part;
	}
	return error;
}

static int write_frames(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	struct tw_tracy_series_set *set = &plan->frames;
	struct tw_sort_item next;
	int more = tw_sorter_next(&set->points, &next), error = 0;
	uint64_t at = 0;

	tw_tracy_u64(out, set->n + plan->spans.n);
	for (uint32_t i = 0; i < set->n && !error; i++) {
		tw_tracy_u64(out, TW_TRACY_FRAME_KEY(i));
		tw_tracy_u8(out, 1); /* continuous */
		tw_tracy_u64(out, set->series[i].n + (i == 0));
		if (i == 0) {
			/* The time before the first mark is a frame too. */
			tw_tracy_u64(out, 0);
			tw_tracy_u32(out, UINT32_MAX);
		}
		error = each_point(&set->points, i, &next, &more, out, false);
	}
	for (uint32_t i = 0; i < plan->spans.n && !error; i++) {
		uint64_t n = plan->spans.series[i].n;

		tw_tracy_u64(out, TW_TRACY_SPAN_KEY(i));
		tw_tracy_u8(out, 0); /* with ends */
		tw_tracy_u64(out, n);
		error = tw_tracy_copy(&plan->span_bytes, at, SPAN_BYTES * n, out);
		at += SPAN_BYTES * n;
	}
	if (tw_tracy_has(out, TW_TRACY_HAS_SECTIONS))
		tw_tracy_zeros(out, 16);
	return error;
}

static void put_pointer(struct tw_tracy_out *out, uint64_t key, uint32_t string)
{
	tw_tracy_u64(out, key);
	tw_tracy_u64(out, string);
}

static void write_pointers(const struct tw_tracy_plan *plan, struct tw_tracy_out *out,
			   const struct tw_tracy_file_names *names)
{
	tw_tracy_u64(out, plan->frames.n + plan->spans.n + plan->plots.n +
				  (plan->pools.n - 1) + (names->crash != 0));
	for (uint32_t i = 0; i < plan->frames.n; i++)
		put_pointer(out, TW_TRACY_FRAME_KEY(i), plan->frames.series[i].string);
	for (uint32_t i = 0; i < plan->spans.n; i++)
		put_pointer(out, TW_TRACY_SPAN_KEY(i), plan->spans.series[i].string);
	for (uint32_t i = 0; i < plan->plots.n; i++)
		put_pointer(out, TW_TRACY_PLOT_KEY(i), plan->plots.series[i].string);
	/* The default pool has no name: its pointer is that of the main frames. */
	for (uint32_t i = 1; i < plan->pools.n; i++)
		put_pointer(out, TW_TRACY_POOL_KEY(i), plan->pools.series[i].string);
	if (names->crash)
		put_pointer(out, TW_TRACY_CRASH_KEY, names->crash);
}

static void write_thread_names(const struct tw_tracy_plan *plan,
			       struct tw_tracy_out *out)
{
	uint32_t n = 0, n_threads = plan->timeline->threads.n;

	for (uint32_t i = 0; i < n_threads; i++)
		n += plan->threads[i].name != 0;
	tw_tracy_u64(out, n);
	for (uint32_t i = 0; i < n_threads; i++)
		if (plan->threads[i].name)
			put_pointer(out, plan->threads[i].id, plan->threads[i].name);
	tw_tracy_u64(out, 0); /* names of strangers */
	/* Tables for short thread numbers: [0] is nobody. */
	tw_tracy_u64(out, (uint64_t)(n < UINT16_MAX ? n : UINT16_MAX) + 1);
	tw_tracy_u64(out, 0);
	for (uint32_t i = 0; i < n_threads; i++)
		if (plan->threads[i].short_number)
			tw_tracy_u64(out, plan->threads[i].id);
	tw_tracy_u64(out, 1); /* strangers */
	tw_tracy_u64(out, 0);
}

static void put_place(const struct tw_tracy_plan *plan, struct tw_tracy_out *out,
		      const uint32_t *strings, uint32_t location, bool is_folded)
{
	const struct tw_place *place = tw_timeline_place(plan->timeline, location);

	for (unsigned i = 0; i < 3; i++)
		put_reference(out, strings[i]);
	tw_tracy_u32(out, is_folded ? 0 : place->line);
	tw_tracy_u32(out, is_folded ? 0
				    : tw_tracy_colour(tw_layer_colour(place->colour,
								      place->layer)));
}

/* How many zones a location has: those of threads, or those of devices. Viewers want
 * every location that occurs. */
static void write_uses(const struct tw_tracy_places *p, struct tw_tracy_out *out,
		       bool is_device)
{
	uint64_t n = 0;

	for (unsigned is_put = 0; is_put < 2; is_put++) {
		if (is_put)
			tw_tracy_u64(out, n);
		for (uint32_t i = 0; i < p->n_fixed + p->n_folded; i++) {
			bool is_fixed = i < p->n_fixed;
			const struct tw_tracy_place *place =
				is_fixed ? &p->fixed[i] : &p->folded[i - p->n_fixed];
			uint64_t uses =
				is_device ? place->n_device_zones : place->n_zones;
			int32_t id = is_fixed ? (int32_t)i + 1
					      : -(int32_t)(i - p->n_fixed + 1);

			n += !is_put && uses;
			if (is_put && uses) {
				tw_tracy_u16(out, (uint16_t)id);
				tw_tracy_u64(out, uses);
			}
		}
	}
}

static void write_places(const struct tw_tracy_plan *plan, struct tw_tracy_out *out,
			 const struct tw_tracy_file_names *names)
{
	const struct tw_tracy_places *p = &plan->places;

	tw_tracy_u64(out, p->n_fixed);
	for (uint32_t i = 0; i < p->n_fixed; i++) {
		/* The key: the location's id, but never 0. */
		tw_tracy_u64(out, (uint64_t)p->fixed[i].location + 1);
		put_place(plan, out, names->places + 3 * i, p->fixed[i].location,
			  false);
	}
	tw_tracy_u64(out, p->n_fixed + 1);
	tw_tracy_u64(out, 0);
	for (uint32_t i = 0; i < p->n_fixed; i++)
		tw_tracy_u64(out, (uint64_t)p->fixed[i].location + 1);
	tw_tracy_u64(out, p->n_folded);
	for (uint32_t i = 0; i < p->n_folded; i++)
		put_place(plan, out, names->places + 3 * (p->n_fixed + i),
			  p->folded[i].location, true);
	write_uses(p, out, false);
	write_uses(p, out, true);
}

static int write_messages(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	struct tw_sort_item item;
	uint64_t ns = 0;
	int more;

	tw_tracy_u64(out, plan->n_messages);
	while ((more = tw_sorter_next(&plan->messages, &item)) > 0) {
		uint32_t colour = (uint32_t)(item.value >> 32);

		tw_tracy_u64(out, item.id);
		tw_tracy_u64(out, item.ns - ns);
		ns = item.ns;
		put_reference(out, (uint32_t)item.value);
		tw_tracy_u32(out, colour ? 0xff000000 | tw_tracy_colour(colour)
					 : 0xffffffff);
		tw_tracy_u24(out, 0); /* callstack */
		if (tw_tracy_has(out, TW_TRACY_HAS_SEVERITY)) {
			tw_tracy_u8(out, 0); /* the user's */
			tw_tracy_u8(out, 2); /* information */
		}
	}
	return more;
}

static int write_extras(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	tw_tracy_u64(out, (uint64_t)plan->n_extras + 1);
	tw_tracy_zeros(out, 12);
	return tw_tracy_copy(&plan->extras, 0, plan->extras.n_bytes, out);
}

static int write_plots(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	struct tw_tracy_series_set *set = &plan->plots;
	struct tw_sort_item next;
	int more = tw_sorter_next(&set->points, &next), error = 0;

	tw_tracy_u64(out, set->n);
	for (uint32_t i = 0; i < set->n && !error; i++) {
		const struct tw_tracy_series *s = &set->series[i];

		tw_tracy_u8(out, 0);  /* the user's */
		tw_tracy_u8(out, 0);  /* numbers */
		tw_tracy_u8(out, 0);  /* no steps */
		tw_tracy_u8(out, 1);  /* filled */
		tw_tracy_u32(out, 0); /* any colour */
		tw_tracy_u64(out, TW_TRACY_PLOT_KEY(i));
		tw_tracy_f64(out, s->min);
		tw_tracy_f64(out, s->max);
		tw_tracy_f64(out, s->sum);
		tw_tracy_u64(out, s->n);
		error = each_point(&set->points, i, &next, &more, out, true);
	}
	return error;
}

/* What comes after memory and call stacks; much of it nobody knows. */
static int write_rest(struct tw_tracy_plan *plan, struct tw_tracy_out *out,
		      const struct tw_tracy_file_names *names)
{
	int error;

	tw_tracy_u64(out, names->n_lines); /* 26 */
	for (uint32_t i = 0; i < names->n_lines; i++)
		put_reference(out, names->lines[i]);
	tw_tracy_u32(out, 0);			/* 27, frame images: dictionary, ... */
	tw_tracy_u64(out, 0);			/* ... images */
	error = tw_tracy_write_runs(plan, out); /* 28 */
	tw_tracy_u64(out, 0);			/* processors: in all, ... */
	tw_tracy_zeros(out, 8 * TW_TRACY_CPUS); /* ... each */
	tw_tracy_zeros(out, 2 * 8); /* processes of threads, times of threads */
	tw_tracy_zeros(out, 3 * 8); /* symbols: two counts, list */
	tw_tracy_zeros(out, 4 * 8); /* code, its symbols, samples, sources */
	return error;
}

static int write_body(struct tw_tracy_plan *plan, struct tw_tracy_out *out,
		      const struct tw_tracy_file_names *names)
{
	int error;

	write_head(plan, out);		    /* 1, 2 */
	write_names(plan, out);		    /* 3, 4 */
	write_crash(plan, out, names);	    /* 5 */
	error = write_frames(plan, out);    /* 6, 7 */
	tw_tracy_u64(out, plan->strings.n); /* 8 */
	if (!error)
		error = tw_tracy_copy(&plan->strings.table, 0,
				      plan->strings.table.n_bytes, out);
	write_pointers(plan, out, names); /* 9 */
	write_thread_names(plan, out);	  /* 10 to 12 */
	write_places(plan, out, names);	  /* 13 to 16 */
	if (!error)
		error = tw_tracy_write_locks(plan, out); /* 17 */
	if (!error)
		error = write_messages(plan, out); /* 18 */
	if (!error)
		error = write_extras(plan, out); /* 19 */
	if (error)
		return tw_tracy_scratch_failed(plan->fault, error);
	error = tw_tracy_write_threads(plan, out); /* 20 */
	if (error)
		return error;
	error = tw_tracy_write_devices(plan, out); /* 21 */
	if (!error)
		error = write_plots(plan, out); /* 22 */
	if (!error)
		error = tw_tracy_write_memory(plan, out); /* 23 */
	if (!error)
		error = tw_tracy_write_stacks(plan, out); /* 24, 25 */
	if (!error)
		error = write_rest(plan, out, names); /* 26 to 32 */
	return error ? tw_tracy_scratch_failed(plan->fault, error) : 0;
}

int tw_export_tracy(struct tw_timeline *timeline, struct tw_writer *w,
		    const struct tw_config *config, struct tw_export_result *result,
		    struct tw_fault *fault)
{
	struct tw_tracy_plan plan = {
		.timeline = timeline, .result = result, .fault = fault};
	struct tw_tracy_file_names names = {0};
	struct tw_tracy_out out = {0};
	int error = tw_tracy_gather(&plan);

	if (!error) {
		error = tw_tracy_names_make(&names, &plan);
		if (error)
			tw_tracy_scratch_failed(fault, error);
		else
			error = tw_ledger_write(&plan);
	}
	if (!error) {
		error = plan.strings.table.error;
		if (!error)
			error = tw_tracy_out_open(&out, w,
						  versions[config->tracy_version],
						  config->tracy_compression);
		if (error)
			tw_tracy_scratch_failed(fault, error);
	}
	if (!error)
		error = write_body(&plan, &out, &names);
	tw_tracy_out_close(&out, !error);
	result->n_left_out = plan.n_left_out + plan.strings.n_left_out;
	tw_tracy_names_free(&names);
	tw_tracy_plan_free(&plan);
	return error;
}
