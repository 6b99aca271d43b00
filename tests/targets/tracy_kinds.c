/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that are more than zones: fibers that change threads with zones open, locks
 * with waiters, memory, call stacks, devices, frames with an end. Prints what a trace
 *of it must hold, one a line, as tracy_scene does: tracy_kinds [ROUNDS [THREADS
 *[CHILDREN [MS_PER_ROUND]]]]
 */
#include <execinfo.h>
#include <pthread.h>

#include "target.h"

#define N_FIBERS 3

static int n_rounds = 20, n_threads = 3, n_children = 1, round_ms;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static uint32_t mutex_id, rwlock_id;

/* One step of a fiber: the zone "task" spans two steps, "slice" is inside one. */
struct fiber {
	uint32_t id;
	struct tracewrap_zone task;
	int n_steps;
};

static struct fiber fibers[N_FIBERS];
static pthread_mutex_t fibers_mutex = PTHREAD_MUTEX_INITIALIZER;

static void step(struct fiber *f)
{
	TRACEWRAP_FIBER_ENTER(f->id);
	if (f->n_steps++ % 2 == 0)
		f->task = TRACEWRAP_BEGIN("task");
	{
		TRACEWRAP_ZONE("slice");
	}
	if (f->n_steps % 2 == 0)
		TRACEWRAP_END(f->task);
	TRACEWRAP_FIBER_LEAVE();
}

static void take_and_give(void)
{
	TRACEWRAP_LOCK_EVENT(mutex_id, TRACEWRAP_LOCK_WAIT);
	pthread_mutex_lock(&mutex);
	TRACEWRAP_LOCK_EVENT(mutex_id, TRACEWRAP_LOCK_OBTAIN);
	nap_ms(round_ms);
	TRACEWRAP_LOCK_EVENT(mutex_id, TRACEWRAP_LOCK_RELEASE);
	pthread_mutex_unlock(&mutex);
	TRACEWRAP_LOCK_EVENT(rwlock_id, TRACEWRAP_LOCK_WAIT_SHARED);
	pthread_rwlock_rdlock(&rwlock);
	TRACEWRAP_LOCK_EVENT(rwlock_id, TRACEWRAP_LOCK_OBTAIN_SHARED);
	TRACEWRAP_LOCK_EVENT(rwlock_id, TRACEWRAP_LOCK_RELEASE_SHARED);
	pthread_rwlock_unlock(&rwlock);
}

/* Addresses are invented: nobody else's, and some are used again. */
static void allocate(int thread, int i)
{
	char *at = (char *)0x10000000 + thread * 0x100000;

	TRACEWRAP_ALLOC(NULL, at, 100 + (size_t)i);
	TRACEWRAP_ALLOC("arena", at + 64 + 32 * i, 32);
	TRACEWRAP_FREE(NULL, at);
	if (i % 2)
		TRACEWRAP_FREE("arena", at + 64 + 32 * i);
}

static void *worker(void *argument)
{
	int k = *(int *)argument;

	for (int i = 0; i < n_rounds; i++) {
		TRACEWRAP_ZONE("work");
		take_and_give();
		allocate(k, i);
		pthread_mutex_lock(&fibers_mutex);
		step(&fibers[(i + k) % N_FIBERS]);
		pthread_mutex_unlock(&fibers_mutex);
	}
	return NULL;
}

/* A device whose clock runs at 2 GHz from an origin of its own. */
static int64_t device_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 2 * ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec) + 123456789;
}

static void run_device(uint32_t device, uint32_t track)
{
	for (int i = 0; i < n_rounds; i++) {
		int64_t start = device_now();

		nap_ms(round_ms);
		TRACEWRAP_DEVICE_ZONE(track, "kernel", start, start + 2000);
		TRACEWRAP_DEVICE_ZONE(track, "tile", start + 100, start + 700);
		TRACEWRAP_DEVICE_ZONE(track, "tile", start + 700, start + 1900);
		while (device_now() < start + 4000)
			;
	}
	TRACEWRAP_DEVICE_CLOCK(device, device_now(), 0.5);
}

static __attribute__((noinline)) void show_stack(void)
{
	void *addresses[16];
	int n = backtrace(addresses, 16);

	TRACEWRAP_END(TRACEWRAP_BEGIN_STACK("stacked", addresses, (size_t)n));
}

static void play(void)
{
	pthread_t threads[64];
	int numbers[64];
	uint32_t device, tracks[2];

	TRACEWRAP_ZONE("play");
	mutex_id = TRACEWRAP_LOCK_NEW("the mutex", 0);
	rwlock_id = TRACEWRAP_LOCK_NEW("the rwlock", 1);
	for (int i = 0; i < N_FIBERS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "fiber-%d", i);
		fibers[i].id = TRACEWRAP_FIBER_NEW(name);
	}
	for (int i = 0; i < n_threads; i++) {
		numbers[i] = i;
		MUST(!pthread_create(&threads[i], NULL, worker, &numbers[i]));
	}
	device = TRACEWRAP_DEVICE_NEW("the device", device_now(), 0.5);
	tracks[0] = TRACEWRAP_DEVICE_TRACK(device, "queue 0");
	tracks[1] = TRACEWRAP_DEVICE_TRACK(device, "queue 1");
	for (int i = 0; i < 2; i++)
		run_device(device, tracks[i]);
	for (int i = 0; i < n_rounds; i++) {
		TRACEWRAP_FRAME_BEGIN("batch");
		show_stack();
		TRACEWRAP_FRAME_END("batch");
	}
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < N_FIBERS; i++) {
		if (fibers[i].n_steps % 2) /* its last task is still open */
			step(&fibers[i]);
		TRACEWRAP_FIBER_FREE(fibers[i].id);
	}
	TRACEWRAP_LOCK_EVENT(mutex_id, TRACEWRAP_LOCK_GONE);
}

static void say_what_to_expect(void)
{
	int r = n_rounds, t = n_threads, p = n_children + 1, slices = 0, tasks = 0;

	for (int f = 0; f < N_FIBERS; f++) {
		int n = 0;

		for (int k = 0; k < t; k++)
			for (int i = 0; i < r; i++)
				n += (i + k) % N_FIBERS == f;
		n += n % 2;
		slices += n;
		tasks += n / 2;
	}
	printf("zone play %d\nzone work %d\nzone stacked %d\n", p, p * r * t, p * r);
	printf("zone task %d\nzone slice %d\n", p * tasks, p * slices);
	printf("device kernel %d\ndevice tile %d\n", p * 2 * r, p * 4 * r);
	printf("lock the mutex %d\nlock the rwlock %d\n", p * r * t, p * r * t);
	printf("memory - %d %d\nmemory arena %d %d\n", p * r * t, p * r * t, p * r * t,
	       p * (r / 2) * t);
	printf("frame batch %d\nstack stacked %d\nfiber %d\n", p * r, p * r,
	       p * N_FIBERS);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	n_rounds = argc > 1 ? atoi(argv[1]) : n_rounds;
	n_threads = argc > 2 ? atoi(argv[2]) : n_threads;
	n_children = argc > 3 ? atoi(argv[3]) : n_children;
	round_ms = argc > 4 ? atoi(argv[4]) : round_ms;
	MUST(n_threads >= 0 && n_threads <= 64 && n_children >= 0 && n_children <= 64);
	say_what_to_expect();
	for (int i = 0; i < n_children; i++) {
		pid_t pid = fork();

		MUST(pid >= 0);
		if (pid == 0) {
			play();
			_exit(0);
		}
		reap(pid, "child");
	}
	play();
	return 0;
}
