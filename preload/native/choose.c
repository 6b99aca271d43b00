/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of calls; contract in choose.h.
 */
#include "preload/native/choose.h"

#include <string.h>
#include <sys/mman.h>

#include "core/glob.h"
#include "core/pattern.h"
#include "core/sys.h"
#include "core/text.h"
#include "preload/log.h"
#include "preload/self.h"

#define SET_SLOTS  (1u << 18) /* half of it may be used */
#define FILE_MAX   (64u << 20)
#define LIST_BYTES 8192u

/*
 * Never wrapped. They return twice, never, or on another stack; they look at their
 * caller; they have a calling convention of their own; or they are the unwinder, which
 * must not stumble over itself.
 */
static const char *const never[] = {
	"setjmp",
	"_setjmp",
	"sigsetjmp",
	"__sigsetjmp",
	"longjmp",
	"_longjmp",
	"siglongjmp",
	"__longjmp_chk",
	"vfork",
	"__vfork",
	"clone",
	"__clone",
	"getcontext",
	"setcontext",
	"swapcontext",
	"makecontext",
	"exit",
	"_exit",
	"_Exit",
	"quick_exit",
	"abort",
	"pthread_exit",
	"thrd_exit",
	"__libc_start_main",
	"__libc_main",
	"__stack_chk_fail",
	"_Unwind_*",
	"__cxa_*",
	"__gxx_*",
	"__gcc_personality*",
	"rust_eh_personality",
	"__pthread_unwind*",
	"__tls_get_addr",
	"_dl_*",
	"__fentry__",
	"mcount",
	"_mcount",
	"__morestack*",
	"_start",
	"_init",
	"_fini",
	"__asan_*",
	"__tsan_*",
	"__ubsan_*",
	"__lsan_*",
	"__sanitizer_*",
	"__interceptor_*",
	"___interceptor_*",
	"dlopen",
	"dlmopen",
	"dlsym",
	"dlvsym",
	"dlclose",
	"dl_iterate_phdr",
	"_dl_find_object",
	"swift_*",
	"tracewrap_*",
};

static struct tw_choice choice;
/* Of --hooks-from: hashes of whole lines and of their functions; NULL = not asked for.
 */
static uint64_t *listed;
static char list_memory[LIST_BYTES];
static struct tw_text list;

static uint64_t hash(uint64_t h, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return h;
}

#define LINE_SEED     0xcbf29ce484222325ull
#define FUNCTION_SEED 0x84222325cbf29ce4ull

/* Where a hash is or belongs. */
static uint64_t *find_slot(uint64_t h)
{
	size_t at = h % SET_SLOTS;

	while (listed[at] && listed[at] != h)
		at = (at + 1) % SET_SLOTS;
	return &listed[at];
}

static void add_lines(const char *text, size_t bytes)
{
	size_t n_left = SET_SLOTS / 4;

	for (size_t n; bytes && n_left; text += n, bytes -= n) {
		const char *end = memchr(text, '\n', bytes);
		size_t line = end ? (size_t)(end - text) : bytes;
		const char *colon = memchr(text, ':', line);
		uint64_t h = hash(LINE_SEED, text, line);

		n = line + (end != NULL);
		if (!colon || text[0] == '#')
			continue;
		*find_slot(h) = h;
		h = hash(FUNCTION_SEED, colon + 1, (size_t)(text + line - colon - 1));
		*find_slot(h) = h;
		n_left--;
	}
}

/* A list that cannot be read lists nothing: no hook is made, and it is said. */
static void read_list(const char *path)
{
	static const char words[] =
		"no native call is traced: the file of --hooks-from "
		"cannot be read from inside the program";
	int fd = tw_sys_open(path, O_RDONLY, 0);
	long bytes = fd < 0 ? fd : tw_sys6(SYS_lseek, fd, 0, 2, 0, 0, 0);
	void *text = (void *)-1L, *set;

	set = tw_sys_mmap(SET_SLOTS * sizeof(*listed), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	listed = tw_sys_failed(set) ? NULL : set;
	if (bytes > 0 && bytes <= FILE_MAX)
		text = tw_sys_mmap((size_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		tw_sys_close(fd);
	if (!listed || tw_sys_failed(text)) {
		tw_log(TW_LOG_PROBLEM, words, path);
		if (tw_self.view.arena)
			tw_arena_note(tw_self.view.arena, words, sizeof(words) - 1);
		return;
	}
	add_lines(text, (size_t)bytes);
	tw_sys_munmap(text, (size_t)bytes);
}

bool tw_choose_start(const struct tw_choice *wanted)
{
	if (!tw_choice_is_any(wanted))
		return false;
	choice = *wanted;
	list = tw_text_in(list_memory, sizeof(list_memory));
	if (choice.hooks_from[0])
		read_list(choice.hooks_from);
	return true;
}

static bool can_be_wrapped(const char *function)
{
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (tw_glob_matches(never[i], strlen(never[i]), function))
			return false;
	return true;
}

bool tw_choose_knows(const char *function)
{
	if (!choice.hooks_from[0])
		return tw_pattern_knows(choice.traced, function) &&
		       can_be_wrapped(function);
	return listed && *find_slot(hash(FUNCTION_SEED, function, strlen(function))) &&
	       can_be_wrapped(function);
}

bool tw_choose_has(const char *library, const char *function)
{
	uint64_t h;

	if (!choice.hooks_from[0])
		return tw_choice_has(&choice, library, function);
	h = hash(LINE_SEED, library, strlen(library));
	h = hash(hash(h, ":", 1), function, strlen(function));
	return listed && *find_slot(h) &&
	       !tw_pattern_matches(choice.untraced, library, function);
}

void tw_choose_made(const char *library, const char *function)
{
	size_t bytes = strlen(library) + strlen(function) + 2;
	struct tw_arena *arena = tw_self.view.arena;

	if (arena)
		atomic_fetch_or_explicit(
			&arena->choice_hits,
			tw_pattern_hits(choice.traced, library, function),
			memory_order_relaxed);
	if (!choice.list_hooks[0] || bytes >= LIST_BYTES)
		return;
	if (list.used + bytes >= LIST_BYTES)
		tw_choose_list_end();
	tw_text_add(&list, library);
	tw_text_add(&list, ":");
	tw_text_add(&list, function);
	tw_text_add(&list, "\n");
}

/* The file is open for this moment only: the program sees no descriptor of ours. */
void tw_choose_list_end(void)
{
	int fd;

	if (!list.used)
		return;
	fd = tw_sys_open(choice.list_hooks, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (fd < 0 || tw_sys_write(fd, list.buffer, list.used) != (long)list.used)
		tw_log(TW_LOG_PROBLEM, "the list of hooks cannot be written",
		       choice.list_hooks);
	if (fd >= 0)
		tw_sys_close(fd);
	list = tw_text_in(list_memory, sizeof(list_memory));
}
