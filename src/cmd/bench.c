/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `tracewrap bench`: what recording costs on this machine, each figure beside the floor
 * that no recorder can beat. CPU time of the measuring thread, best and median of many
 * short blocks, because shared machines are noisy. `make bench` adds figures that need
 * whole programs (tests/bench).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cmd/command.h"
#include "core/arena.h"
#include "core/intern.h"
#include "core/ring.h"
#include "core/sys.h"
#include "trace/pump.h"

#define BLOCKS	     400u
#define PAIRS	     2000u /* zones a block: fits the ring's first lap comfortably */
#define PUMP_ROUNDS  40u
#define PUMP_THREADS 2u
#define RANDOM_NAMES 256u
#define RANDOM_DEPTH 8u

struct figure {
	double best;
	double median;
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct figure summarise(double *samples, size_t n)
{
	qsort(samples, n, sizeof(*samples), compare);
	return (struct figure){.best = samples[0], .median = samples[n / 2]};
}

/* Two readings of the clock, as a zone takes them. */
static struct figure measure_floor(enum tw_clock_kind kind)
{
	double samples[BLOCKS];

	for (unsigned b = 0; b < BLOCKS; b++) {
		uint64_t start = cpu_ns(), sum = 0;

		for (unsigned i = 0; i < PAIRS; i++) {
			sum += tw_clock_ticks(kind);
			sum ^= tw_clock_ticks(kind);
		}
		__asm__ volatile("" : : "r"(sum));
		samples[b] = (double)(cpu_ns() - start) / PAIRS;
	}
	return summarise(samples, BLOCKS);
}

/* A pump without a wait: drained by hand between blocks. */
struct rig {
	struct tw_view view;
	struct tw_pump *pump;
	struct tw_producer producers[PUMP_THREADS];
	char path[64];
};

static int rig_open(struct rig *rig, const struct tw_config *given)
{
	struct tw_config config = *given;
	struct tw_pump_session session = {0};
	struct tw_proc *slot;
	int process;

	snprintf(rig->path, sizeof(rig->path), "/tmp/tracewrap-bench-%d.tw",
		 (int)getpid());
	config.is_dropping = true;
	config.max_bytes = 0;
	rig->pump = tw_pump_new();
	if (!rig->pump || tw_arena_create_private(&rig->view, &config))
		return -ENOMEM;
	process = tw_arena_claim_proc(rig->view.arena);
	slot = tw_arena_proc(rig->view.arena, (uint32_t)process);
	slot->pid = getpid();
	atomic_store(&slot->state, TW_SLOT_LIVE);
	for (unsigned i = 0; i < PUMP_THREADS; i++) {
		int index = tw_arena_claim_thread(rig->view.arena);
		struct tw_ring *ring =
			tw_arena_thread(rig->view.arena, (uint32_t)index);

		ring->process = (uint32_t)process;
		ring->tid = (int)i + 1;
		atomic_store(&ring->state, TW_SLOT_LIVE);
		tw_producer_init(&rig->producers[i], &rig->view, (uint32_t)index);
	}
	return tw_pump_start(rig->pump, &rig->view, rig->path, true, &config, &session);
}

static void rig_close(struct rig *rig)
{
	tw_pump_finish(rig->pump);
	tw_view_unmap(&rig->view);
	tw_sys_munmap(rig->pump, sizeof(*rig->pump));
	unlink(rig->path);
}

static void push_begin(struct tw_producer *p, enum tw_clock_kind kind, uint32_t id)
{
	if (!tw_producer_begin(p, kind, id))
		tw_producer_begin_slow(p, id);
}

static void push_end(struct tw_producer *p, enum tw_clock_kind kind)
{
	if (!tw_producer_end(p, kind))
		tw_producer_end_slow(p);
}

static struct figure measure_zone(struct rig *rig)
{
	enum tw_clock_kind kind = rig->view.arena->clock_kind;
	struct tw_producer *p = &rig->producers[0];
	double samples[BLOCKS];

	for (unsigned b = 0; b < BLOCKS; b++) {
		uint64_t start = cpu_ns();

		for (unsigned i = 0; i < PAIRS; i++) {
			push_begin(p, kind, 1);
			push_end(p, kind);
		}
		samples[b] = (double)(cpu_ns() - start) / PAIRS;
		tw_pump_turn(rig->pump, true);
	}
	return summarise(samples, BLOCKS);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Random nesting over 256 names, as prototypes of ring buffers were measured with. */
static uint64_t fill_ring(struct rig *rig, unsigned thread, uint64_t *seed)
{
	enum tw_clock_kind kind = rig->view.arena->clock_kind;
	struct tw_producer *p = &rig->producers[thread];
	uint64_t target = (p->slots ? p->mask + 1 : 16 * TW_CHUNK_SLOTS) * 3 / 4;
	uint64_t n;

	for (n = 0; n < target; n++) {
		bool is_deeper = p->depth < RANDOM_DEPTH && (next_random(seed) & 1);

		if (!p->depth || is_deeper)
			push_begin(p, kind,
				   2 + (uint32_t)(next_random(seed) % RANDOM_NAMES));
		else
			push_end(p, kind);
	}
	return n;
}

struct pump_figures {
	double events_per_second;
	double bytes_per_event;
	uint64_t n_events;
};

static void make_names(struct rig *rig)
{
	for (uint32_t i = 0; i < RANDOM_NAMES + 2; i++) {
		struct tw_location location = {.line = i};
		char name[32];

		snprintf(name, sizeof(name), "function_%u", i);
		location.function =
			tw_intern_string(rig->view.arena, name, strlen(name));
		tw_intern_location(rig->view.arena, &location);
	}
}

static struct pump_figures measure_pump(struct rig *rig)
{
	struct pump_figures f = {0};
	uint64_t seed = 88172645463325252ull, spent = 0;
	uint64_t bytes = rig->pump->spool.size;

	make_names(rig);
	for (unsigned round = 0; round < PUMP_ROUNDS; round++) {
		uint64_t start;

		for (unsigned t = 0; t < PUMP_THREADS; t++)
			f.n_events += fill_ring(rig, t, &seed);
		start = cpu_ns();
		tw_pump_turn(rig->pump, true);
		spent += cpu_ns() - start;
	}
	f.events_per_second = (double)f.n_events * 1e9 / (double)spent;
	f.bytes_per_event =
		(double)(rig->pump->spool.size - bytes) / (double)f.n_events;
	return f;
}

int tw_cmd_bench(const struct tw_config *config, int n_operands, char **operands)
{
	static struct rig rig;
	struct figure floor, zone;
	struct pump_figures pump;
	int error;

	(void)operands;
	if (n_operands) {
		tw_complain("usage: tracewrap bench");
		return TW_EXIT_FAULT;
	}
	error = rig_open(&rig, config);
	if (error) {
		tw_complain("cannot make a test recording in /tmp: %s",
			    strerror(-error));
		return TW_EXIT_FAULT;
	}
	floor = measure_floor(rig.view.arena->clock_kind);
	zone = measure_zone(&rig);
	pump = measure_pump(&rig);
	rig_close(&rig);
	printf("%-44s %10s %10s %8s\n", "figure (CPU time)", "best", "median", "ratio");
	printf("%-44s %7.1f ns %7.1f ns\n", "two time stamps (floor)", floor.best,
	       floor.median);
	printf("%-44s %7.1f ns %7.1f ns %7.2fx\n", "zone begin + end into the ring",
	       zone.best, zone.median, zone.median / floor.median);
	printf("%-44s %7.1f M/s\n", "pump + encode + LZ4 + write, events",
	       pump.events_per_second / 1e6);
	printf("%-44s %7.2f\n", "bytes an event, random nesting, 256 names",
	       pump.bytes_per_event);
	return TW_EXIT_OK;
}
