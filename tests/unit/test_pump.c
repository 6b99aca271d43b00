/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pump and spool writer, from rings in this process to a file that the reader reads:
 * everything that was pushed is there, losses are written down, a full disk and a size
 * cap end in order.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "trace/timeline.h"

struct count {
	uint64_t n_begins, n_ends, n_texts, n_others;
	uint64_t last_ns;
	uint64_t n_text_bytes;
};

static int count_event(void *context, const struct tw_event *event)
{
	struct count *c = context;

	if (event->kind == TW_EVENT_ZONE_BEGIN)
		c->n_begins++;
	else if (event->kind == TW_EVENT_ZONE_END)
		c->n_ends++;
	else if (event->kind == TW_EVENT_ZONE_TEXT)
		c->n_texts++;
	else
		c->n_others++;
	c->n_text_bytes += event->n_bytes;
	return 0;
}

static struct tw_timeline *read_back(struct rig *rig, struct count *count)
{
	struct tw_timeline *timeline;
	struct tw_fault fault;
	struct tw_visitor visitor = {.context = count, .event = count_event};

	memset(count, 0, sizeof(*count));
	cr_assert_eq(tw_timeline_open(&timeline, rig->path, &fault), 0, "%s",
		     fault.text);
	cr_assert_eq(tw_timeline_each(timeline, &visitor, &fault), 0, "%s", fault.text);
	unlink(rig->path);
	return timeline;
}

Test(pump, what_was_pushed_is_in_the_file)
{
	struct rig rig;
	struct tw_producer p;
	struct count count;
	struct tw_timeline *t;
	uint32_t location;

	rig_open(&rig, 16u << 20, false);
	rig_pump(&rig, 0);
	rig_thread(&rig, &p);
	location = rig_location(&rig, "a zone");
	for (int i = 0; i < 10000; i++) {
		rig_begin(&p, location);
		tw_producer_push(&p, TW_EVENT_ZONE_TEXT, 0, "some text", 9);
		rig_end(&p);
		if (i % 500 == 0)
			tw_pump_turn(rig.pump, i % 1000 == 0);
	}
	rig_close(&rig);
	t = read_back(&rig, &count);
	cr_assert_eq(count.n_begins, 10000);
	cr_assert_eq(count.n_ends, 10000);
	cr_assert_eq(count.n_texts, 10000);
	cr_assert_eq(count.n_text_bytes, 90000);
	cr_assert(t->is_complete);
	cr_assert_eq(t->n_threads, 1);
	cr_assert_eq(t->n_processes, 1);
	cr_assert_eq(t->n_lost, 0);
	cr_assert_eq(t->n_bad_records, 0);
	tw_timeline_close(t);
}

struct worker {
	struct rig *rig;
	struct tw_producer p;
	pthread_t thread;
	uint32_t location;
};

static void *push_many(void *argument)
{
	struct worker *w = argument;

	for (int i = 0; i < 200000; i++) {
		rig_begin(&w->p, w->location);
		rig_end(&w->p);
	}
	return NULL;
}

static _Atomic int is_stopping;

static void *pump_until_told(void *argument)
{
	struct rig *rig = argument;

	while (!atomic_load(&is_stopping))
		if (!tw_pump_turn(rig->pump, false))
			tw_pump_sleep(rig->pump);
	return NULL;
}

Test(pump, several_threads_at_full_speed_lose_nothing, .timeout = 60)
{
	static struct worker workers[4];
	struct rig rig;
	struct count count;
	struct tw_timeline *t;
	pthread_t pump;

	rig_open(&rig, 16u << 20, false);
	rig_pump(&rig, 0);
	pthread_create(&pump, NULL, pump_until_told, &rig);
	for (int i = 0; i < 4; i++) {
		workers[i].rig = &rig;
		workers[i].location = rig_location(&rig, "busy");
		rig_thread(&rig, &workers[i].p);
		pthread_create(&workers[i].thread, NULL, push_many, &workers[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(workers[i].thread, NULL);
	atomic_store(&is_stopping, 1);
	pthread_join(pump, NULL);
	rig_close(&rig);
	t = read_back(&rig, &count);
	cr_assert_eq(count.n_begins, 800000);
	cr_assert_eq(count.n_ends, 800000);
	cr_assert_eq(t->n_lost, 0);
	tw_timeline_close(t);
}

Test(pump, dropped_events_are_written_down)
{
	struct rig rig;
	struct tw_producer p;
	struct count count;
	struct tw_timeline *t;
	uint64_t dropped;

	rig_open(&rig, 4u * TW_UNIT_BYTES, true);
	rig_pump(&rig, 0);
	rig_thread(&rig, &p);
	for (int i = 0; i < 100000; i++) {
		rig_begin(&p, 1);
		rig_end(&p);
	}
	dropped = atomic_load(&p.ring->lost[TW_LOSS_RING_FULL]);
	rig_close(&rig);
	t = read_back(&rig, &count);
	cr_assert_eq(count.n_begins, count.n_ends);
	cr_assert_eq(t->lost[TW_LOSS_RING_FULL], dropped);
	cr_assert_eq(count.n_begins + dropped, 100000, "each zone is there or counted");
	tw_timeline_close(t);
}

Test(pump, thread_slots_can_be_used_again_and_stay_apart_in_the_file)
{
	struct rig rig;
	struct count count;
	struct tw_timeline *t;

	rig_open(&rig, 4u * TW_UNIT_BYTES, false);
	rig_pump(&rig, 0);
	for (int i = 0; i < 300; i++) {
		struct tw_producer p;

		rig_thread(&rig, &p);
		rig_begin(&p, 1);
		rig_end(&p);
		p.ring->end_ticks = tw_clock_ticks(rig.view.arena->clock_kind);
		atomic_store(&p.ring->state, TW_SLOT_DEAD);
		tw_pump_turn(rig.pump, false);
	}
	cr_assert_leq(atomic_load(&rig.view.arena->next_thread), 2);
	rig_close(&rig);
	t = read_back(&rig, &count);
	cr_assert_eq(t->n_threads, 300);
	cr_assert_eq(count.n_begins, 300);
	tw_timeline_close(t);
}

Test(pump, stays_below_the_size_cap_and_keeps_the_newest)
{
	struct rig rig;
	struct tw_producer p;
	struct count count;
	struct tw_timeline *t;
	struct stat st;
	uint64_t n_last = 0;
	const uint64_t cap = 300000;
	uint64_t seed = 1;

	rig_open(&rig, 16u << 20, false);
	rig_pump(&rig, cap);
	rig_thread(&rig, &p);
	for (int i = 0; i < 200; i++) {
		for (int k = 0; k < 10; k++) {
			char text[512];

			for (size_t b = 0; b < sizeof(text); b++) {
				seed = seed * 6364136223846793005ull + 1;
				text[b] = (char)(seed >> 56);
			}
			tw_producer_push(&p, TW_EVENT_MESSAGE, 0, text, sizeof(text));
			n_last++;
		}
		tw_pump_turn(rig.pump, true);
		cr_assert_eq(stat(rig.path, &st), 0);
		cr_assert_leq((uint64_t)st.st_size, cap);
	}
	cr_assert_gt(rig.pump->spool.n_rotated_events, 0);
	cr_assert_eq(rig.pump->spool.error, 0);
	rig_close(&rig);
	t = read_back(&rig, &count);
	cr_assert_eq(count.n_others + t->rotated_events, n_last);
	cr_assert_gt(count.n_others, 100);
	cr_assert(t->is_complete);
	tw_timeline_close(t);
}

Test(pump, a_full_disk_stops_the_file_and_counts_the_rest)
{
	struct rig rig;
	struct tw_producer p;
	struct count count;
	struct tw_timeline *t;
	struct rlimit limit = {100000, RLIM_INFINITY};
	uint64_t seed = 1;

	signal(SIGXFSZ, SIG_IGN);
	rig_open(&rig, 16u << 20, false);
	rig_pump(&rig, 0);
	rig_thread(&rig, &p);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 2000; i++) {
		char text[256];

		for (size_t k = 0; k < sizeof(text); k++) {
			seed = seed * 6364136223846793005ull + 1;
			text[k] = (char)(seed >> 56);
		}
		tw_producer_push(&p, TW_EVENT_MESSAGE, 0, text, sizeof(text));
		if (i % 100 == 0)
			tw_pump_turn(rig.pump, true);
	}
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(rig.pump->spool.error, -EFBIG);
	rig_close(&rig);
	t = read_back(&rig, &count);
	cr_assert_eq(count.n_others + t->lost[TW_LOSS_DISK], 2000);
	cr_assert_gt(count.n_others, 0);
	cr_assert_eq(tw_spool_damage(t->spool)->bytes, 0, "cut back to whole blocks");
	tw_timeline_close(t);
}

Test(pump, refuses_to_overwrite_unless_forced)
{
	static struct tw_spool_writer w;
	char path[] = "/tmp/tw-unit-exists-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_eq(tw_spool_create(&w, path, false, 0, 1), -EEXIST);
	cr_assert_eq(tw_spool_create(&w, path, true, 0, 1), 0);
	cr_assert_eq(tw_spool_create(&w, "/nowhere/x.tw", false, 0, 1), -ENOENT);
	close(fd);
	unlink(path);
}

Test(pump, a_slot_that_is_never_committed_does_not_stop_the_thread, .timeout = 20)
{
	struct rig rig;
	struct tw_producer p;
	struct count count;
	struct tw_timeline *t;

	rig_open(&rig, 4u * TW_UNIT_BYTES, false);
	rig_pump(&rig, 0);
	rig_thread(&rig, &p);
	rig_begin(&p, 1);
	rig_end(&p);
	tw_producer_claim(&p, 1); /* a siglongjmp left here */
	rig_begin(&p, 1);
	rig_end(&p);
	for (int i = 0; i < 60; i++) {
		tw_pump_turn(rig.pump, true);
		usleep(10000);
	}
	cr_assert_eq(atomic_load(&p.ring->tail), 5);
	rig_close(&rig);
	t = read_back(&rig, &count);
	cr_assert_eq(count.n_begins, 2);
	cr_assert_eq(count.n_ends, 2);
	cr_assert_eq(t->lost[TW_LOSS_DAMAGED], 1);
	tw_timeline_close(t);
}

Test(pump, a_gate_and_a_mark_are_written_down)
{
	struct rig rig;
	struct count count;
	struct tw_timeline *t;
	struct tw_mark *mark;

	rig_open(&rig, 0, false);
	rig_pump(&rig, 0);
	atomic_store(&rig.view.arena->control.gate_request, 2);
	tw_pump_turn(rig.pump, false);
	cr_assert_eq(atomic_load(&rig.view.arena->gate), 0);
	cr_assert_eq(atomic_load(&rig.view.arena->control.gate_request), 0);
	mark = &rig.view.arena->control.mark;
	memcpy(mark->text, "here", 4);
	mark->bytes = 4;
	atomic_store(&mark->state, 2);
	tw_pump_turn(rig.pump, false);
	cr_assert_eq(atomic_load(&mark->state), 0);
	rig_close(&rig);
	t = read_back(&rig, &count);
	cr_assert_eq(t->n_gates, 1);
	cr_assert_eq(t->n_marks, 1);
	tw_timeline_close(t);
}
