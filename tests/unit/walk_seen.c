/* SPDX-License-Identifier: BSD-3-Clause */
/* See walk_seen.h. */
#include "walk_seen.h"

#include <criterion/criterion.h>
#include <string.h>

struct seen seen;
struct tw_fault fault;

static void copy(char out[64], struct tw_slice text)
{
	size_t n = text.n_bytes < 63 ? text.n_bytes : 63;

	memcpy(out, text.text, n);
	out[n] = '\0';
}

static int see_zone(void *context, const struct tw_zone *zone)
{
	struct seen *s = context;

	cr_assert_lt(s->n_zones, SEEN_MAX);
	copy(s->texts[s->n_zones], zone->text);
	copy(s->names[s->n_zones], zone->name);
	s->zones[s->n_zones++] = *zone;
	return 0;
}

static int see_message(void *context, const struct tw_event *event,
		       struct tw_slice text)
{
	struct seen *s = context;

	cr_assert_lt(s->n_messages, SEEN_MAX);
	s->message_ns[s->n_messages] = event->ns;
	copy(s->messages[s->n_messages++], text);
	return 0;
}

static int see_plot(void *context, const struct tw_event *event, struct tw_slice name,
		    double value)
{
	struct seen *s = context;

	(void)event;
	s->plot = value;
	copy(s->plot_name, name);
	return 0;
}

static int see_frame(void *context, const struct tw_event *event, struct tw_slice name)
{
	(void)event;
	copy(((struct seen *)context)->frame_name, name);
	return 0;
}

static int see_mark(void *context, uint64_t ns, struct tw_slice text)
{
	struct seen *s = context;

	s->mark_ns = ns;
	copy(s->mark, text);
	return 0;
}

static int see_gate(void *context, uint64_t ns, bool is_on)
{
	struct seen *s = context;

	s->gate_ns = ns;
	s->n_gates_on += is_on;
	s->n_gates_off += !is_on;
	return 0;
}

struct tw_timeline *open_file(const struct bytes *file)
{
	struct tw_timeline *t;

	cr_assert_eq(tw_timeline_open(&t, spool_save(file, "x.tw"), &fault), 0, "%s",
		     fault.text);
	return t;
}

void walk(struct tw_timeline *t)
{
	struct tw_walk_ops ops = {.context = &seen,
				  .wants_text = true,
				  .zone = see_zone,
				  .message = see_message,
				  .plot = see_plot,
				  .frame = see_frame,
				  .mark = see_mark,
				  .gate = see_gate};

	memset(&seen, 0, sizeof(seen));
	cr_assert_eq(tw_walk(t, &ops, &seen.counts, &fault), 0, "%s", fault.text);
	cr_assert_eq(seen.counts.n_zones, seen.n_zones);
}

void expect_zone(uint32_t i, uint32_t location, uint64_t begin, uint64_t duration,
		 uint64_t self, uint64_t depth)
{
	const struct tw_zone *z = &seen.zones[i];

	cr_assert_lt(i, seen.n_zones);
	cr_expect_eq(z->location, location, "zone %u: location %u", i, z->location);
	cr_expect_eq(z->begin_ns, begin, "zone %u: begin %lu", i, z->begin_ns);
	cr_expect_eq(z->duration_ns, duration, "zone %u: duration %lu", i,
		     z->duration_ns);
	cr_expect_eq(z->self_ns, self, "zone %u: self %lu", i, z->self_ns);
	cr_expect_eq(z->depth, depth, "zone %u: depth %lu", i, z->depth);
}

void put_tree(struct payload *p)
{
	put_begin(p, 100, 1);
	put_begin(p, 100, 2);
	put_end(p, 100);
	put_begin(p, 100, 3);
	put_begin(p, 100, 2);
	put_end(p, 100);
	put_end(p, 300);
	put_end(p, 100);
}

struct bytes busy_file(void)
{
	struct bytes file = {0};
	struct payload p = {0};

	put_prelude(&file, 1000);
	PUT_NUMBERS(&p, TW_META_THREAD, 2, 1, 101, 1000, 0);
	PUT_NUMBERS(&p, TW_META_CLOCK, 1000, 5000, 1700000000000000000, 1);
	put_mark(&p, 1500, "mark");
	put_meta_block(&file, &p);
	for (uint32_t block = 0; block < 3; block++) {
		for (uint32_t thread = 1; thread <= 2; thread++) {
			put_start(&p, 1000 + block * 1000, block);
			put_tree(&p);
			put_begin(&p, 10 * thread, thread);
			put_zone_text(&p, "some text");
			put_message(&p, 3, 0x00ff00, "some message");
			put_begin(&p, 1, 3);
			put_end(&p, 7);
			put_events_block(&file, &p, thread);
		}
	}
	put_start(&p, 5000, 3);
	for (int i = 0; i < 3; i++)
		put_end(&p, 100);
	put_events_block(&file, &p, 1);
	put_finish(&file, 6000);
	return file;
}
