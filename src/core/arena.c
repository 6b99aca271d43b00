/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making, joining and sharing out the arena; contract in arena.h. Creation runs in the
 * command or in the preload constructor; claims run in producers on their slow path;
 * frees run in the pump.
 */
#include "core/arena.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/intern.h"
#include "core/sys.h"
#include "core/text.h"

#define STRINGS_BYTES	 (32u << 20)
#define STRING_INDEX_N	 (1u << 19)
#define LOCATIONS_N	 (1u << 18)
#define LOCATION_INDEX_N (1u << 19)
#define PRIVATE_SMALL	 (16u << 20) /* rings of a process that is short of memory */
#define UNITS_LEAST	 4u

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + 4095) & ~4095ull;
}

/* Fills in the offsets; returns the total. The one place that knows the order. */
static uint64_t lay_out(struct tw_arena *a, uint64_t buffer_bytes)
{
	uint64_t units = buffer_bytes / TW_UNIT_BYTES;

	if (units > TW_UNITS_MAX)
		units = TW_UNITS_MAX;
	if (units < UNITS_LEAST)
		units = UNITS_LEAST;
	a->n_units = (uint32_t)units;
	a->strings_bytes = STRINGS_BYTES;
	a->string_index_n = STRING_INDEX_N;
	a->locations_n = LOCATIONS_N;
	a->location_index_n = LOCATION_INDEX_N;

	/* Names first: a fork's child keeps them and gets the rest wiped. */
	a->strings_offset = page_up(sizeof(struct tw_arena));
	a->string_index_offset = a->strings_offset + STRINGS_BYTES;
	a->locations_offset = a->string_index_offset + 4ull * STRING_INDEX_N;
	a->location_index_offset = a->locations_offset + 32ull * LOCATIONS_N;
	a->procs_offset = a->location_index_offset + 4ull * LOCATION_INDEX_N;
	a->threads_offset = a->procs_offset + sizeof(struct tw_proc) * TW_PROCS_MAX;
	a->rings_offset =
		page_up(a->threads_offset + sizeof(struct tw_ring) * TW_THREADS_MAX);
	a->total_bytes = a->rings_offset + units * TW_UNIT_BYTES;
	return a->total_bytes;
}

size_t tw_arena_bytes(uint64_t buffer_bytes)
{
	struct tw_arena plan;

	return lay_out(&plan, buffer_bytes);
}

uint64_t tw_pid_namespace(void)
{
	struct stat st;

	if (tw_sys6(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid", (long)&st, 0,
		    0, 0) < 0)
		return 0;
	return st.st_ino;
}

void tw_python_choice_fill(struct tw_python_choice *choice,
			   const struct tw_config *config)
{
	struct tw_text include = tw_text_in(choice->include, sizeof(choice->include));
	struct tw_text exclude = tw_text_in(choice->exclude, sizeof(choice->exclude));

	choice->is_off = config->is_python_off;
	choice->hook = config->python_hook;
	choice->is_mine = config->is_mine;
	choice->has_sub = config->has_python_sub;
	choice->has_native = config->has_python_c;
	choice->fast = config->python_fast;
	choice->is_overriding = config->is_overriding;
	if (config->python_include)
		tw_text_add(&include, config->python_include);
	if (config->python_exclude)
		tw_text_add(&exclude, config->python_exclude);
}

void tw_arena_init(struct tw_arena *arena, uint64_t buffer_bytes,
		   const struct tw_config *config, uint64_t session)
{
	enum tw_clock_reason reason;

	lay_out(arena, buffer_bytes);
	arena->layout = TW_ARENA_LAYOUT;
	arena->session = session;
	arena->pid_namespace = tw_pid_namespace();
	arena->clock_kind = tw_clock_choose(config->clock, &reason);
	arena->born = tw_clock_anchor_take(arena->clock_kind);
	arena->control.magic = TW_ARENA_MAGIC;
	arena->control.clock_kind = arena->clock_kind;
	arena->is_dropping = config->is_dropping;
	arena->follow = config->follow;
	arena->toggle_signal = config->toggle_signal;
	tw_python_choice_fill(&arena->python, config);
	tw_choice_fill(&arena->choice, config);
	if (config->log) {
		struct tw_text t = tw_text_in(arena->log, sizeof(arena->log));
		bool is_level = config->log[0] >= '0' && config->log[0] <= '9' &&
				!config->log[1];

		/* Processes of the run may live in other folders. */
		if (!is_level && config->log[0] != '/' &&
		    tw_sys6(SYS_getcwd, (long)arena->log, sizeof(arena->log), 0, 0, 0,
			    0) > 0) {
			t.used = strlen(arena->log);
			tw_text_add(&t, "/");
		}
		tw_text_add(&t, config->log);
	}
	atomic_store(&arena->gate, !config->is_disabled && !config->delay_ns);
	tw_intern_init(arena);
	atomic_thread_fence(memory_order_release);
	arena->magic = TW_ARENA_MAGIC;
}

static uint64_t session_number(void)
{
	struct tw_clock_anchor now = tw_clock_anchor_take(TW_CLOCK_KIND_COUNTER);

	return now.ticks * 0x9e3779b97f4a7c15ull ^ now.wall_ns ^
	       (uint64_t)tw_sys_getpid() << 40;
}

static void see_units(struct tw_view *view)
{
	uint64_t rings = view->mapped_bytes - view->arena->rings_offset;

	view->n_units = (uint32_t)(rings / TW_UNIT_BYTES);
	if (view->n_units > view->arena->n_units)
		view->n_units = view->arena->n_units;
}

/* Places for the arena where memfd_create is not allowed, in order of preference. */
static const char *const file_places[] = {"/dev/shm", "/run/shm", "/tmp", "/var/tmp"};

/*
 * A file is filled up now: a full file system must be an error here, not a SIGBUS in
 * the traced program. That is why it gets a smaller buffer than the sparse memfd.
 */
static int create_file(uint64_t bytes, char *path, size_t path_bytes)
{
	for (size_t i = 0; i < sizeof(file_places) / sizeof(*file_places); i++) {
		struct tw_text t = tw_text_in(path, path_bytes);
		int fd;

		tw_text_add(&t, file_places[i]);
		tw_text_add(&t, "/tracewrap-");
		tw_text_add_u64(&t, (uint64_t)tw_sys_getpid());
		tw_text_add(&t, "-");
		tw_text_add_u64(&t, session_number() & 0xffffffff);
		fd = tw_sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (fd < 0)
			continue;
		if (tw_sys6(SYS_fallocate, fd, 0, 0, (long)bytes, 0, 0) == 0)
			return fd;
		tw_sys_unlink(path);
		tw_sys_close(fd);
	}
	return -ENOSPC;
}

int tw_arena_create(struct tw_view *view, const struct tw_config *config, int *fd,
		    char *path, size_t path_bytes)
{
	uint64_t buffer = config->buffer_bytes;
	size_t bytes = tw_arena_bytes(buffer);
	bool has_proc = tw_sys_access("/proc/self/fd", 0) == 0;
	void *memory;
	int error;

	*fd = -1;
	path[0] = '\0';
	if (has_proc)
		*fd = (int)tw_sys6(SYS_memfd_create, (long)"tracewrap", MFD_CLOEXEC, 0,
				   0, 0, 0);
	if (*fd >= 0) {
		struct tw_text t = tw_text_in(path, path_bytes);

		tw_text_add(&t, "/proc/");
		tw_text_add_u64(&t, (uint64_t)tw_sys_getpid());
		tw_text_add(&t, "/fd/");
		tw_text_add_u64(&t, (uint64_t)*fd);
	} else {
		if (buffer > PRIVATE_SMALL)
			buffer = PRIVATE_SMALL;
		bytes = tw_arena_bytes(buffer);
		*fd = create_file(bytes, path, path_bytes);
		if (*fd < 0)
			return *fd;
	}
	/* With little address space, smaller rings rather than none. */
	while (tw_sys_failed(memory = tw_sys_mmap(bytes, PROT_READ | PROT_WRITE,
						  MAP_SHARED, *fd, 0))) {
		if (buffer <= TW_UNIT_BYTES * UNITS_LEAST)
			return (int)(long)memory;
		buffer /= 4;
		bytes = tw_arena_bytes(buffer);
	}
	error = tw_sys_ftruncate(*fd, bytes);
	if (error)
		return error;
	view->arena = memory;
	view->mapped_bytes = bytes;
	tw_arena_init(view->arena, buffer, config, session_number());
	see_units(view);
	return 0;
}

/* Slots and rings start empty in a fork's child; see tw_arena_reset_after_fork. */
static void wipe_on_fork(struct tw_view *view)
{
	uint64_t from = view->arena->procs_offset;

	tw_sys_madvise((char *)view->arena + from, view->mapped_bytes - from,
		       MADV_WIPEONFORK);
}

int tw_arena_create_private(struct tw_view *view, const struct tw_config *config)
{
	uint64_t sizes[] = {config->buffer_bytes, PRIVATE_SMALL,
			    UNITS_LEAST * TW_UNIT_BYTES};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t bytes = tw_arena_bytes(sizes[i]);
		void *memory =
			tw_sys_mmap(bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (tw_sys_failed(memory))
			continue;
		view->arena = memory;
		view->mapped_bytes = bytes;
		tw_arena_init(view->arena, sizes[i], config, session_number());
		see_units(view);
		wipe_on_fork(view);
		return 0;
	}
	return -ENOMEM;
}

void tw_arena_reset_after_fork(struct tw_view *view)
{
	struct tw_arena *a = view->arena;

	a->session = session_number();
	atomic_store(&a->free_procs, 0);
	atomic_store(&a->free_threads, 0);
	atomic_store(&a->next_proc, 0);
	atomic_store(&a->next_thread, 0);
	atomic_store(&a->units_used, 0);
	atomic_store(&a->control.mark.state, 0);
	atomic_store(&a->control.gate_request, 0);
	atomic_store(&a->pump_pid, 0);
	atomic_store(&a->n_births, 0);
	atomic_store(&a->is_pump_gone, 0);
	atomic_store(&a->is_pump_asleep, 0);
	for (size_t i = 0; i < TW_UNITS_MAX / 64; i++)
		atomic_store_explicit(&a->unit_map[i], 0, memory_order_relaxed);
	for (size_t i = 0; i < TW_NOTES_MAX; i++)
		atomic_store_explicit(&a->notes[i].text, 0, memory_order_relaxed);
}

int tw_arena_join(struct tw_view *view, const char *path)
{
	int fd = tw_sys_open(path, O_RDWR, 0);
	struct tw_arena *head;
	struct tw_arena plan;
	size_t bytes;
	int error = 0;

	if (fd < 0)
		return fd;
	head = tw_sys_mmap(sizeof(*head), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (tw_sys_failed(head)) {
		tw_sys_close(fd);
		return (int)(long)head;
	}
	if (tw_sys_pread(fd, &plan, sizeof(plan), 0) != (long)sizeof(plan) ||
	    plan.magic != TW_ARENA_MAGIC || plan.layout != TW_ARENA_LAYOUT)
		error = -EPROTO;
	bytes = error ? 0 : plan.total_bytes;
	/* With little address space left, see fewer rings rather than nothing. */
	while (!error) {
		view->arena =
			tw_sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (!tw_sys_failed(view->arena))
			break;
		bytes = plan.rings_offset + (bytes - plan.rings_offset) / 4;
		if (bytes < plan.rings_offset + TW_UNIT_BYTES)
			error = -ENOMEM;
	}
	tw_sys_close(fd);
	if (error == -ENOMEM)
		atomic_fetch_add(&head->n_refused, 1);
	tw_sys_munmap(head, sizeof(*head));
	if (error)
		return error;
	view->mapped_bytes = bytes;
	see_units(view);
	return 0;
}

void tw_view_unmap(struct tw_view *view)
{
	if (view->arena)
		tw_sys_munmap(view->arena, view->mapped_bytes);
	view->arena = NULL;
}

void tw_arena_kick(struct tw_arena *arena)
{
	atomic_fetch_add_explicit(&arena->kick, 1, memory_order_seq_cst);
	if (atomic_load_explicit(&arena->is_pump_asleep, memory_order_seq_cst))
		tw_sys_futex_wake(&arena->kick, 1);
}

void tw_arena_note(struct tw_arena *arena, const char *text, size_t bytes)
{
	uint32_t id = tw_intern_string(arena, text, bytes);

	for (size_t i = 0; id && i < TW_NOTES_MAX; i++) {
		struct tw_note *n = &arena->notes[i];
		uint32_t seen = 0;

		if (atomic_compare_exchange_strong(&n->text, &seen, id) || seen == id) {
			atomic_fetch_add(&n->count, 1);
			return;
		}
	}
}
