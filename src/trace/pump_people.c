/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes and threads coming and going, as the pump sees them: numbers in the file,
 * META records, exit codes, slots given back. A process is gone when the kernel says so
 * (pidfd), never because it said goodbye; a pid that appears in a second slot has
 * exec'ed.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core/intern.h"
#include "core/ring.h"
#include "core/sys.h"
#include "core/text.h"
#include "trace/pump_internal.h"

/* From linux/pidfd.h (6.15): exit status of a task that was reaped. */
struct pidfd_info {
	uint64_t mask, cgroupid;
	uint32_t pid, tgid, ppid, ids[8];
	int32_t exit_code;
	uint32_t more[8];
};
#define PIDFD_INFO_EXIT_BIT (1ull << 3)
#define PIDFD_GET_INFO_CALL _IOC(_IOC_READ | _IOC_WRITE, 0xff, 11, 64)

static struct tw_span slice_of(struct tw_pump *pump, uint32_t id)
{
	uint32_t bytes = 0;
	const char *text = tw_string_get(pump->view.arena, id, &bytes);

	return (struct tw_span){.text = text, .bytes = text ? bytes : 0};
}

static uint32_t number_of_pid(struct tw_pump *pump, int32_t pid, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (pump->procs[i].number && pump->procs[i].pid == pid)
			return pump->procs[i].number;
	return 0;
}

static void replace_image(struct tw_pump_proc *old, uint64_t ticks)
{
	old->is_ended = 1;
	old->end = TW_END_EXEC;
	old->end_ticks = ticks;
}

static void meet_process(struct tw_pump *pump, uint32_t i, uint32_t n)
{
	struct tw_proc *slot = tw_arena_proc(pump->view.arena, i);
	struct tw_pump_proc *p = &pump->procs[i];
	struct tw_span texts[2] = {slice_of(pump, slot->program),
				   slice_of(pump, slot->command)};
	uint32_t parent = number_of_pid(pump, slot->ppid, n);

	memset(p, 0, sizeof(*p));
	p->pid = slot->pid;
	p->start_ticks = slot->start_ticks;
	p->number = ++pump->next_process;
	p->is_foreign = slot->is_foreign != 0;
	p->pidfd = p->is_foreign
			   ? -1
			   : (int)tw_sys6(SYS_pidfd_open, slot->pid, 0, 0, 0, 0, 0);
	pump->totals.n_processes++;
	/* The same pid in another slot: one image was replaced by the other. */
	for (uint32_t k = 0; k < n; k++) {
		struct tw_pump_proc *other = &pump->procs[k];

		if (k == i || !other->number || other->pid != p->pid || other->is_ended)
			continue;
		if (other->start_ticks <= p->start_ticks) {
			replace_image(other, p->start_ticks);
			parent = other->number;
		} else {
			replace_image(p, other->start_ticks);
		}
	}
	tw_spool_meta(&pump->spool, TW_META_PROCESS,
		      (uint64_t[]){p->number, (uint32_t)slot->pid, (uint32_t)slot->ppid,
				   slot->start_ticks, parent},
		      5, texts, 2);
}

void tw_pump_meet_processes(struct tw_pump *pump)
{
	uint32_t n = atomic_load(&pump->view.arena->next_proc);

	if (n > TW_PROCS_MAX)
		n = TW_PROCS_MAX;
	for (uint32_t i = 0; i < n; i++) {
		struct tw_proc *slot = tw_arena_proc(pump->view.arena, i);

		if (!pump->procs[i].number &&
		    atomic_load_explicit(&slot->state, memory_order_acquire) ==
			    TW_SLOT_LIVE)
			meet_process(pump, i, n);
	}
}

static bool is_thread(const struct tw_pump_thread *t)
{
	return t->kind == TW_THREAD_PLAIN || t->kind == TW_THREAD_MAIN;
}

static void write_thread(struct tw_pump *pump, const struct tw_pump_thread *t,
			 const struct tw_ring *ring)
{
	uint32_t device = 0;
	uint32_t tid = is_thread(t) ? (uint32_t)ring->tid : TW_TID_INVENTED + t->number;

	if (t->kind == TW_THREAD_DEVICE_TRACK && ring->parent < TW_THREADS_MAX) {
		tw_pump_meet_thread(pump, ring->parent);
		device = pump->threads[ring->parent].number;
	}
	tw_spool_meta(&pump->spool, TW_META_THREAD,
		      (uint64_t[]){t->number, pump->procs[t->process].number, tid,
				   ring->start_ticks, t->kind, device},
		      6, NULL, 0);
}

void tw_pump_meet_thread(struct tw_pump *pump, uint32_t index)
{
	struct tw_ring *ring = tw_arena_thread(pump->view.arena, index);
	struct tw_pump_thread *t = &pump->threads[index];
	uint32_t name = atomic_load_explicit(&ring->name, memory_order_acquire);

	if (!t->number) {
		uint32_t process = ring->process;

		if (process >= TW_PROCS_MAX || !pump->procs[process].number)
			return; /* its process is met in the next turn */
		memset(t, 0, sizeof(*t));
		t->number = ++pump->next_thread;
		t->process = process;
		t->kind = ring->kind;
		t->stream.last_ticks = ring->start_ticks;
		pump->totals.n_threads += is_thread(t);
		write_thread(pump, t, ring);
	}
	if (name != t->name) {
		struct tw_span text = slice_of(pump, name);

		t->name = name;
		tw_spool_meta(&pump->spool, TW_META_THREAD_NAME,
			      (uint64_t[]){t->number}, 1, &text, 1);
	}
}

void tw_pump_bury_thread(struct tw_pump *pump, uint32_t index)
{
	struct tw_arena *arena = pump->view.arena;
	struct tw_ring *ring = tw_arena_thread(arena, index);
	struct tw_pump_thread *t = &pump->threads[index];
	uint64_t end = ring->end_ticks;

	tw_pump_drain(pump, index, true, true);
	tw_pump_count(pump, index);
	if (t->stream.fiber) /* the thread ended in the middle of it */
		tw_pump_owner(t->stream.fiber)->carrier = NULL;
	if (tw_pump_is_running(t))
		t->carrier->fiber = NULL;
	if (!end)
		end = pump->procs[t->process].end_ticks;
	if (!end)
		end = tw_clock_ticks(arena->clock_kind);
	tw_spool_meta(&pump->spool, TW_META_THREAD_END,
		      (uint64_t[]){t->number, end > t->stream.last_ticks
						      ? end
						      : t->stream.last_ticks},
		      2, NULL, 0);
	if (t->n_units)
		tw_arena_free_units(arena, t->first_unit, t->n_units);
	memset(t, 0, sizeof(*t));
	/* The next owner finds everything as in fresh memory. */
	atomic_store(&ring->first_unit, 0);
	atomic_store(&ring->tail, 0);
	atomic_store(&ring->bound, 0);
	atomic_store(&ring->name, 0);
	atomic_store(&ring->handle, 0);
	atomic_store(&ring->stall_ns, 0);
	atomic_store(&ring->n_stalls, 0);
	for (uint32_t reason = 0; reason < TW_LOSS_COUNT; reason++)
		atomic_store(&ring->lost[reason], 0);
	atomic_store(&ring->n_runs, 0);
	ring->end_ticks = 0;
	ring->kind = TW_THREAD_PLAIN;
	ring->parent = 0;
	tw_arena_free_thread(arena, index);
}

bool tw_pump_thread_is_read(struct tw_pump *pump, uint32_t index)
{
	struct tw_ring *ring = tw_arena_thread(pump->view.arena, index);
	struct tw_pump_thread *t = &pump->threads[index];
	uint64_t now = tw_clock_raw_ns();

	if (t->kind != TW_THREAD_FIBER) {
		/* Not the final drain yet: that one waits for nobody. */
		tw_pump_drain(pump, index, true, false);
		return !t->waiting_ns;
	}
	if (!tw_pump_is_running(t) && t->n_runs == atomic_load(&ring->n_runs))
		return true;
	if (!t->waiting_ns)
		t->waiting_ns = now;
	return now - t->waiting_ns > TW_PUMP_STUCK_NS;
}

/* exit_code of /proc/PID/stat: there while the process is a zombie. */
static bool read_stat(int pid, int *status)
{
	char path[64], line[1024];
	struct tw_text t = tw_text_in(path, sizeof(path));
	const char *last;
	long n;
	int fd, value = 0;

	tw_text_add(&t, "/proc/");
	tw_text_add_u64(&t, (uint64_t)pid);
	tw_text_add(&t, "/stat");
	fd = tw_sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	n = tw_sys_read(fd, line, sizeof(line) - 1);
	tw_sys_close(fd);
	if (n <= 0)
		return false;
	line[n] = '\0';
	last = strrchr(line, ')');
	/* Only a dead one's code is final: a zombie's, or one just being collected. */
	if (!last || (strncmp(last, ") Z", 3) && strncmp(last, ") X", 3)))
		return false;
	last = strrchr(line, ' ');
	for (last++; *last >= '0' && *last <= '9'; last++)
		value = value * 10 + (*last - '0');
	*status = value;
	return true;
}

static bool read_pidfd(int pidfd, int *status)
{
	struct pidfd_info info = {.mask = PIDFD_INFO_EXIT_BIT};

	if (pidfd < 0 || tw_sys6(SYS_ioctl, pidfd, (long)PIDFD_GET_INFO_CALL,
				 (long)&info, 0, 0, 0) < 0)
		return false;
	if (!(info.mask & PIDFD_INFO_EXIT_BIT))
		return false;
	*status = info.exit_code;
	return true;
}

/*
 * A zombie's code is in /proc, a collected one's behind the pidfd (from Linux 6.15);
 * for a moment in between it is in neither place.
 */
static bool read_status(const struct tw_pump_proc *p, int *status)
{
	for (int i = 0; i < 3; i++) {
		if (read_pidfd(p->pidfd, status) || read_stat(p->pid, status))
			return true;
		tw_sys_sleep_ns(100000);
	}
	return read_pidfd(p->pidfd, status);
}

/* Best knowledge first: who waited for it, the kernel, the process's own last word. */
static void find_end(struct tw_pump *pump, uint32_t index)
{
	struct tw_pump_proc *p = &pump->procs[index];
	struct tw_proc *slot = tw_arena_proc(pump->view.arena, index);
	int status;

	if (p->end)
		return;
	if (!p->is_foreign && read_status(p, &status)) {
		p->end = status & 0x7f ? TW_END_SIGNALLED : TW_END_EXITED;
		p->code = status & 0x7f ? status & 0x7f : status >> 8 & 0xff;
		return;
	}
	p->end = (uint8_t)atomic_load(&slot->end);
	p->code = atomic_load(&slot->code);
}

/* Losses that belong to no thread slot. */
static void count_nobodys(struct tw_pump *pump, enum tw_loss reason,
			  _Atomic uint32_t *counter)
{
	uint32_t n = atomic_exchange(counter, 0);

	if (!n)
		return;
	tw_spool_meta(&pump->spool, TW_META_LOST, (uint64_t[]){0, reason, n}, 3, NULL,
		      0);
	pump->totals.lost[reason] += n;
}

/* In rounds, as long as one ring waits for what is in another. */
static void drain_rings(struct tw_pump *pump, uint32_t process, uint32_t n)
{
	bool has_moved = true;

	while (has_moved) {
		has_moved = false;
		for (uint32_t i = 0; i < n && i < TW_THREADS_MAX; i++) {
			struct tw_ring *ring = tw_arena_thread(pump->view.arena, i);
			struct tw_pump_thread *t = &pump->threads[i];
			uint32_t state = atomic_load(&ring->state);
			uint64_t tail;

			if ((state != TW_SLOT_LIVE && state != TW_SLOT_DEAD) ||
			    ring->process != process)
				continue;
			tw_pump_meet_thread(pump, i);
			tail = t->stream.tail;
			tw_pump_drain(pump, i, true, false);
			has_moved |= t->stream.tail != tail;
		}
	}
}

/* Of a process that is gone: its threads, or else its fibers and devices. */
static void bury_threads(struct tw_pump *pump, uint32_t process, uint32_t n,
			 bool is_threads)
{
	struct tw_arena *arena = pump->view.arena;

	pump->is_burying = true;
	for (uint32_t i = 0; i < n && i < TW_THREADS_MAX; i++) {
		struct tw_ring *ring = tw_arena_thread(arena, i);
		uint32_t state =
			atomic_load_explicit(&ring->state, memory_order_acquire);

		if (ring->process != process || state == TW_SLOT_FREE)
			continue;
		if (state == TW_SLOT_CLAIMED && !pump->threads[i].number) {
			tw_arena_free_thread(arena, i); /* died while being born */
			continue;
		}
		tw_pump_meet_thread(pump, i);
		if (pump->threads[i].number &&
		    is_thread(&pump->threads[i]) == is_threads)
			tw_pump_bury_thread(pump, i);
	}
	pump->is_burying = false;
}

void tw_pump_bury_process(struct tw_pump *pump, uint32_t index)
{
	struct tw_arena *arena = pump->view.arena;
	struct tw_pump_proc *p = &pump->procs[index];
	struct tw_proc *slot = tw_arena_proc(arena, index);
	uint32_t n = atomic_load(&arena->next_thread);

	find_end(pump, index);
	/* Its own word on when, unless it did not end as it said (a vfork child's
	 * word). */
	if (!p->end_ticks && p->end == TW_END_EXITED)
		p->end_ticks = atomic_load(&slot->end_ticks);
	if (!p->end_ticks)
		p->end_ticks = tw_clock_ticks(arena->clock_kind);
	drain_rings(pump, index, n);
	/* Rings first: their last events name fibers and devices. */
	bury_threads(pump, index, n, true);
	bury_threads(pump, index, n, false);
	count_nobodys(pump, TW_LOSS_NO_RING, &slot->n_without_slot);
	count_nobodys(pump, TW_LOSS_THREAD_GONE, &slot->n_departed);
	tw_spool_meta(&pump->spool, TW_META_PROCESS_END,
		      (uint64_t[]){p->number, p->end_ticks, p->end, (uint32_t)p->code},
		      4, NULL, 0);
	if (p->pidfd >= 0)
		tw_sys_close(p->pidfd);
	memset(p, 0, sizeof(*p));
	tw_arena_free_proc(arena, index);
}

static bool is_gone(struct tw_pump *pump, uint32_t index)
{
	const struct tw_pump_proc *p = &pump->procs[index];
	struct pollfd poll = {.fd = p->pidfd, .events = POLLIN};
	struct timespec zero = {0};

	if (p->is_ended)
		return true;
	if (p->pid == pump->awaited_pid)
		return false;
	/* Its pid is another's here: only its own goodbye counts. */
	if (p->is_foreign)
		return atomic_load(&tw_arena_proc(pump->view.arena, index)->end) != 0;
	if (p->pidfd < 0)
		return tw_sys_kill(p->pid, 0) == -ESRCH;
	return tw_sys6(SYS_ppoll, (long)&poll, 1, (long)&zero, 0, 8, 0) > 0;
}

void tw_pump_look_for_dead(struct tw_pump *pump)
{
	uint32_t n = atomic_load(&pump->view.arena->next_proc);

	pump->totals.n_live = 0;
	for (uint32_t i = 0; i < n && i < TW_PROCS_MAX; i++) {
		if (!pump->procs[i].number)
			continue;
		if (is_gone(pump, i))
			tw_pump_bury_process(pump, i);
		else
			pump->totals.n_live++;
	}
}
