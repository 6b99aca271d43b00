/* SPDX-License-Identifier: BSD-3-Clause */
/* The producer's half of a ring: order, balance, limits, waiting. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sys.h"
#include "rig.h"

#define SMALL (4u * TW_UNIT_BYTES) /* the arena's least: one ring of 4 units fits */

/* Walks committed records from slot 0; returns begins - ends and checks no end is
 * alone. */
static int balance(const struct tw_producer *p, uint64_t from, uint64_t to)
{
	int depth = 0;

	for (uint64_t i = from; i < to;) {
		unsigned kind = rig_kind_at(p, i);
		const struct tw_record *r = &p->slots[i & p->mask];

		cr_assert_neq(kind, 0, "slot %llu is not committed",
			      (unsigned long long)i);
		if (kind == TW_EVENT_ZONE_BEGIN)
			depth++;
		if (kind == TW_EVENT_ZONE_END)
			depth--;
		cr_assert_geq(depth, 0);
		i += tw_record_slots(r->bytes);
	}
	return depth;
}

Test(ring, keeps_the_order_of_events)
{
	struct rig rig;
	struct tw_producer p;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	for (int i = 0; i < 100; i++) {
		rig_begin(&p, 7);
		rig_end(&p);
	}
	cr_assert_eq(p.head, 200);
	for (uint64_t i = 0; i < 200; i++)
		cr_assert_eq(rig_kind_at(&p, i),
			     i % 2 ? TW_EVENT_ZONE_END : TW_EVENT_ZONE_BEGIN);
	cr_assert_eq(p.slots[0].id, 7);
	cr_assert_leq(atomic_load(&p.slots[0].ticks), atomic_load(&p.slots[199].ticks));
}

Test(ring, keeps_zones_balanced_when_full)
{
	struct rig rig;
	struct tw_producer p;
	uint64_t lost;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	for (int i = 0; i < 100000; i++) {
		rig_begin(&p, 1);
		rig_begin(&p, 2);
		tw_producer_push(&p, TW_EVENT_ZONE_TEXT, 0, "text", 4);
		rig_end(&p);
		rig_end(&p);
	}
	cr_assert_eq(p.depth, 0);
	cr_assert_eq(p.n_skipped, 0);
	cr_assert_leq(p.head, p.mask + 1, "nobody read, so nothing may be overwritten");
	cr_assert_eq(balance(&p, 0, p.head), 0);
	lost = atomic_load(&p.ring->lost[TW_LOSS_RING_FULL]);
	cr_assert_geq(lost, 100000u, "each dropped begin is counted: %llu",
		      (unsigned long long)lost);
}

Test(ring, ends_of_recorded_zones_always_fit)
{
	struct rig rig;
	struct tw_producer p;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	/* Fill up inside 500 open zones, then close them all. */
	for (int i = 0; i < 500; i++)
		rig_begin(&p, 1);
	for (int i = 0; i < 100000; i++) {
		rig_begin(&p, 2);
		rig_end(&p);
	}
	for (int i = 0; i < 500; i++)
		rig_end(&p);
	cr_assert_eq(p.depth, 0);
	cr_assert_eq(balance(&p, 0, p.head), 0);
}

Test(ring, drops_text_name_colour_and_value_with_their_zone)
{
	struct rig rig;
	struct tw_producer p;
	uint64_t value = 5;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	atomic_store(&rig.view.arena->gate, 0);
	rig_begin(&p, 1);
	atomic_store(&rig.view.arena->gate, 1);
	tw_producer_push(&p, TW_EVENT_ZONE_TEXT, 0, "text", 4);
	tw_producer_push(&p, TW_EVENT_ZONE_NAME, 0, "name", 4);
	tw_producer_push(&p, TW_EVENT_ZONE_COLOUR, 0xff, NULL, 0);
	tw_producer_push(&p, TW_EVENT_ZONE_VALUE, 0, &value, sizeof(value));
	cr_assert_eq(p.head, 0);
	/* A message belongs to no zone. */
	tw_producer_push(&p, TW_EVENT_MESSAGE, 0, "hello", 5);
	cr_assert_eq(rig_kind_at(&p, 0), TW_EVENT_MESSAGE);
	rig_end(&p);
	cr_assert_eq(p.head, 2, "the skipped zone's end is not recorded");
}

Test(ring, records_the_end_of_a_zone_that_began_before_stop)
{
	struct rig rig;
	struct tw_producer p;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	rig_begin(&p, 1);
	atomic_store(&rig.view.arena->gate, 0);
	rig_begin(&p, 2);
	rig_end(&p);
	rig_end(&p);
	cr_assert_eq(p.head, 2);
	cr_assert_eq(rig_kind_at(&p, 1), TW_EVENT_ZONE_END);
	cr_assert_eq(atomic_load(&p.ring->lost[TW_LOSS_RING_FULL]), 0,
		     "what was not asked for is not lost");
}

Test(ring, an_end_too_many_is_ignored)
{
	struct rig rig;
	struct tw_producer p;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	tw_producer_end_slow(&p);
	cr_assert_eq(p.head, 0);
	cr_assert_eq(p.depth, 0);
}

Test(ring, unwinding_ends_inner_zones)
{
	struct rig rig;
	struct tw_producer p;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	for (int i = 0; i < 10; i++)
		rig_begin(&p, 1);
	tw_producer_unwind(&p, 4);
	cr_assert_eq(p.depth, 4);
	cr_assert_eq(p.head, 16);
}

Test(ring, payload_wraps_around_the_end_whole)
{
	struct rig rig;
	struct tw_producer p;
	char text[100];
	uint64_t size, slot;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	rig_begin(&p, 1);
	size = p.mask + 1;
	/* Pretend that the pump has read everything up to just before the end. */
	p.head = size - 3;
	atomic_store(&p.ring->tail, size - 3);
	p.begin_limit = p.end_limit = 0;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 26);
	slot = p.head;
	tw_producer_push(&p, TW_EVENT_MESSAGE, 0, text, sizeof(text));
	cr_assert_eq(rig_kind_at(&p, slot), TW_EVENT_MESSAGE);
	cr_assert_arr_eq(&p.slots[size - 2], text, 32);
	cr_assert_arr_eq(&p.slots[0], text + 32, 68);
}

Test(ring, cuts_text_that_is_too_long_and_counts_it)
{
	struct rig rig;
	struct tw_producer p;
	static char text[TW_PAYLOAD_MAX + 1];

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	tw_producer_push(&p, TW_EVENT_MESSAGE, 0, text, sizeof(text));
	cr_assert_eq(p.slots[0].bytes, TW_PAYLOAD_MAX);
	cr_assert_eq(atomic_load(&p.ring->lost[TW_LOSS_TEXT_CUT]), 1);
}

Test(ring, deep_recursion_stays_balanced_when_dropping)
{
	struct rig rig;
	struct tw_producer p;

	rig_open(&rig, SMALL, true);
	rig_thread(&rig, &p);
	for (int i = 0; i < 50000; i++)
		rig_begin(&p, 1);
	cr_assert_eq(p.depth, 50000);
	for (int i = 0; i < 50000; i++)
		rig_end(&p);
	cr_assert_eq(p.depth, 0);
	cr_assert_eq(p.n_skipped, 0);
	rig_begin(&p, 1);
	rig_end(&p);
	cr_assert_eq(p.depth, 0);
}

Test(ring, does_not_wait_for_a_pump_that_is_gone, .timeout = 20)
{
	struct rig rig;
	struct tw_producer p;

	rig_open(&rig, SMALL, false);
	rig_thread(&rig, &p);
	/* A process that certainly does not exist any more. */
	int dead = fork();
	if (dead == 0)
		_exit(0);
	waitpid(dead, NULL, 0);
	atomic_store(&rig.view.arena->pump_pid, dead);
	for (int i = 0; i < 200000; i++) {
		rig_begin(&p, 1);
		rig_end(&p);
	}
	cr_assert_eq(atomic_load(&rig.view.arena->is_pump_gone), 1);
	cr_assert_gt(atomic_load(&p.ring->lost[TW_LOSS_PUMP_GONE]), 0);
	cr_assert_eq(atomic_load(&p.ring->n_stalls), 1, "it waits once, not for each");
	cr_assert_eq(balance(&p, 0, p.head), 0);
}

struct reader {
	struct tw_producer *p;
	_Atomic int is_done;
};

static void *free_slots(void *argument)
{
	struct reader *r = argument;

	while (!atomic_load(&r->is_done)) {
		usleep(1000);
		atomic_fetch_add(&r->p->view.arena->beat, 1);
		/* As the pump: wipe, then move the tail. */
		for (uint64_t t = atomic_load(&r->p->ring->tail);
		     r->p->slots && rig_kind_at(r->p, t); t++) {
			memset(&r->p->slots[t & r->p->mask], 0,
			       sizeof(struct tw_record));
			atomic_store(&r->p->ring->tail, t + 1);
		}
	}
	return NULL;
}

Test(ring, a_full_ring_waits_and_loses_nothing, .timeout = 20)
{
	struct rig rig;
	struct tw_producer p;
	struct reader reader = {.p = &p};
	pthread_t thread;

	rig_open(&rig, SMALL, false);
	rig_thread(&rig, &p);
	pthread_create(&thread, NULL, free_slots, &reader);
	for (int i = 0; i < 100000; i++) {
		rig_begin(&p, 1);
		rig_end(&p);
	}
	atomic_store(&reader.is_done, 1);
	pthread_join(thread, NULL);
	cr_assert_eq(p.head, 200000);
	cr_assert_gt(atomic_load(&p.ring->n_stalls), 0, "a stall is counted");
	cr_assert_gt(atomic_load(&p.ring->stall_ns), 0);
	for (uint32_t reason = 0; reason < TW_LOSS_COUNT; reason++)
		cr_assert_eq(atomic_load(&p.ring->lost[reason]), 0);
}

static struct tw_producer *storm_producer;

static void storm_handler(int signal)
{
	(void)signal;
	rig_begin(storm_producer, 2);
	tw_producer_push(storm_producer, TW_EVENT_ZONE_TEXT, 0, "in a handler", 12);
	rig_end(storm_producer);
}

Test(ring, signal_handlers_may_push_in_the_middle_of_a_push, .timeout = 20)
{
	struct rig rig;
	static struct tw_producer p;
	struct itimerval fast = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};

	rig_open(&rig, 64u << 20, true);
	rig_thread(&rig, &p);
	storm_producer = &p;
	signal(SIGALRM, storm_handler);
	setitimer(ITIMER_REAL, &fast, NULL);
	for (int round = 0; round < 2000; round++) {
		uint64_t from = p.head;

		for (int i = 0; i < 500; i++) {
			rig_begin(&p, 1);
			tw_producer_push(&p, TW_EVENT_MESSAGE, 0,
					 "twenty-four bytes of text", 24);
			rig_end(&p);
		}
		/* Everything claimed is committed once no handler runs. */
		setitimer(ITIMER_REAL, &off, NULL);
		cr_assert_eq(balance(&p, from, p.head), 0);
		for (uint64_t i = from; i < p.head; i++)
			memset(&p.slots[i & p.mask], 0, sizeof(struct tw_record));
		atomic_store(&p.ring->tail, p.head);
		setitimer(ITIMER_REAL, &fast, NULL);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	cr_assert_eq(p.depth, 0);
	cr_assert_eq(atomic_load(&p.ring->lost[TW_LOSS_RING_FULL]), 0);
}

Test(ring, a_wiped_producer_takes_the_slow_path)
{
	struct tw_producer *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status, pid;
	struct rig rig;

	rig_open(&rig, SMALL, true);
	cr_assert_eq(madvise(p, 4096, MADV_WIPEONFORK), 0);
	rig_thread(&rig, p);
	rig_begin(p, 1);
	cr_assert(tw_producer_begin(p, rig.view.arena->clock_kind, 1));
	pid = fork();
	if (pid == 0)
		_exit(tw_producer_begin(p, rig.view.arena->clock_kind, 1) ||
		      tw_producer_end(p, rig.view.arena->clock_kind) || p->ring);
	waitpid(pid, &status, 0);
	cr_assert_eq(status, 0, "the child must notice that the ring is not its own");
	cr_assert_eq(p->head, 2, "and must not have written to it");
}
