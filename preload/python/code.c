/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of code objects; contract in code.h. Behind it, each code object carries a
 * pointer to an entry of ours in its "extra" memory (co_extra): it says that the code
 * is known, and CPython hands it to us when the code dies. Entries come from mmap and
 * are used again. Slow path throughout; the lock here is never held across a call.
 */
#include "code.h"

#include <string.h>
#include <sys/mman.h>

#include "core/intern.h"
#include "core/sys.h"
#include "filter.h"
#include "name.h"
#include "preload/self.h"
#include "special.h"

#define BLOCK_ENTRIES 2048u
#define SPINS_MAX     (1u << 24)

_Atomic uint64_t tw_py_codes[TW_PY_SLOT_N];

struct entry {
	uint64_t word;
	union {
		const tw_o *code;
		struct entry *next; /* while free */
	};
};

static ssize_t extra_index = -1;
static bool is_silent;
static struct entry *free_entries;
static _Atomic uint32_t free_lock; /* free-threaded builds have no other */

/*
 * False after a long wait: a thread held it when another, without the interpreter's
 * lock, forked this process. Then there are no new entries, and the program goes on.
 */
static bool lock(void)
{
	for (uint32_t i = 0; i < SPINS_MAX; i++)
		if (!atomic_exchange_explicit(&free_lock, 1, memory_order_acquire))
			return true;
	return false;
}

static void unlock(void)
{
	atomic_store_explicit(&free_lock, 0, memory_order_release);
}

/* Called with the lock; false when there is no memory. */
static bool add_block(void)
{
	struct entry *block =
		tw_sys_mmap(BLOCK_ENTRIES * sizeof(*block), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (tw_sys_failed(block))
		return false;
	for (uint32_t i = 0; i < BLOCK_ENTRIES; i++) {
		block[i].next = free_entries;
		free_entries = &block[i];
	}
	return true;
}

static struct entry *take_entry(void)
{
	struct entry *e = NULL;

	if (!lock())
		return NULL;
	if (free_entries || add_block()) {
		e = free_entries;
		free_entries = e->next;
	}
	unlock();
	return e;
}

static void give_entry(struct entry *e)
{
	if (!lock())
		return;
	e->next = free_entries;
	free_entries = e;
	unlock();
}

/* CPython: the code object that carries this entry dies. */
static void on_code_death(void *extra)
{
	struct entry *e = extra;
	_Atomic uint64_t *slot;
	uint64_t seen;

	if (!e)
		return;
	slot = &tw_py_codes[TW_PY_SLOT(e->code)];
	seen = e->word;
	atomic_compare_exchange_strong(slot, &seen, 0);
	give_entry(e);
}

static uint32_t intern_text(const char *text)
{
	return tw_intern_string(tw_self.view.arena, text, strlen(text));
}

static uint32_t intern_place(const struct tw_py_name *name)
{
	struct tw_location location = {.line = name->line, .layer = TW_LAYER_PYTHON};

	location.function = intern_text(name->function);
	location.file = intern_text(name->file);
	return tw_intern_location(tw_self.view.arena, &location);
}

static bool is_getitem(const struct tw_py_name *name)
{
	const char *dot = strrchr(name->function, '.');

	return strcmp(dot ? dot + 1 : name->function, "__getitem__") == 0 &&
	       name->n_arguments == 2;
}

/* What the frame evaluation hook of 3.11 has to look at. */
static uint32_t find_cares(const struct tw_py_name *name)
{
	if (!tw_py.abi || tw_py.abi->frame_owner < 0)
		return 0;
	if (name->flags & TW_PY_CO_GENERATOR)
		return TW_PY_GENERATOR;
	return is_getitem(name) ? TW_PY_GETITEM : 0;
}

static uint64_t describe(tw_o *code, const struct tw_py_frame *frame)
{
	struct tw_py_name name;
	uint64_t word, flags;

	tw_py_name_begin(&name, code, frame ? frame->locals : NULL);
	flags = find_cares(&name);
	flags |= (uint64_t)tw_py_special_find(&name) << TW_PY_SPECIAL_SHIFT;
	if (tw_py_filter_is_on() &&
	    tw_py_filter_skips(&name,
			       frame ? frame->globals : tw_py_call.globals_now()))
		flags |= TW_PY_SKIPPED;
	word = TW_PY_TAG(code) << TW_PY_TAG_SHIFT | flags << 28 | intern_place(&name);
	tw_py_name_end(&name);
	return word;
}

/* What a code object's extra memory looks like: from 3.7 the values follow. */
struct extra {
	ssize_t n;
	void **values; /* in 3.6; later the first value */
};

static void **values_of(struct extra *extra)
{
	return tw_py.minor == 6 ? extra->values : (void **)&extra->values;
}

static bool is_unset_above(struct extra *extra)
{
	for (ssize_t i = extra_index + 1; i < extra->n; i++)
		if (values_of(extra)[i])
			return false;
	return true;
}

/* Is this the extra memory of a code object, with our value in its place? */
static bool is_extra(void *pointer, const struct entry *e)
{
	struct extra extra;
	void **values, *value;

	if (!pointer || (uintptr_t)pointer & 7 ||
	    !tw_py_read(pointer, &extra, sizeof(extra)))
		return false;
	values = tw_py.minor == 6 ? extra.values : (void **)pointer + 1;
	return extra.n > extra_index && extra.n < 256 &&
	       tw_py_read(values + extra_index, &value, sizeof(value)) && value == e;
}

/* Where a code object points to its extra memory; 0 = not known. */
static int find_extra_offset(const tw_o *code, const struct entry *e)
{
	long bytes = tw_py_number_of(tw_py_call.at_code_type, "__basicsize__", 0);
	int found = 0, n = 0;

	for (int i = tw_py.header_bytes; i + 8 <= bytes; i += 8) {
		if (!is_extra(*(void *const *)((const char *)code + i), e))
			continue;
		found = i;
		n++;
	}
	return n == 1 ? found : 0;
}

/*
 * Extra memory has room for all who asked for some, and when the code dies CPython
 * calls all of them, also for values that were never set. Others must not hear of codes
 * that they did not touch because of us: it ends with our value. It grows by itself
 * when they set theirs.
 */
static void trim_extra(tw_o *code, const struct entry *e)
{
	static int offset = -1;
	struct extra *extra;

	if (offset < 0)
		offset = find_extra_offset(code, e);
	if (!offset)
		return;
	extra = *(struct extra **)((char *)code + offset);
	if (extra->n > extra_index + 1 && values_of(extra)[extra_index] == e &&
	    is_unset_above(extra))
		extra->n = extra_index + 1;
}

static uint64_t enter(tw_o *code, const struct tw_py_frame *frame)
{
	struct entry *e = take_entry();

	if (!e)
		return 0;
	e->word = describe(code, frame);
	e->code = code;
	if (tw_py_call.extra_set(code, extra_index, e)) {
		tw_py_call.error_clear();
		give_entry(e);
		return 0;
	}
	trim_extra(code, e);
	return e->word;
}

/* Is this an address that a table word can hold? */
static bool is_plain_address(const tw_o *code)
{
	return !((uintptr_t)code & 15) && !((uint64_t)(uintptr_t)code >> 48);
}

uint64_t tw_py_code_find(tw_o *code, const struct tw_py_frame *frame)
{
	struct tw_py_aside aside;
	void *extra = NULL;
	uint64_t word = 0;

	/* Names go into the arena: none before this process has joined. */
	if (!tw_self_producer())
		return 0;
	/* 3.6 asks for extra memory under a lock that it holds while it ends. */
	if (tw_py.minor == 6 && !tw_py_call.is_initialised())
		return 0;
	aside = tw_py_aside_put();
	if (tw_py_call.extra_get(code, extra_index, &extra))
		tw_py_call.error_clear();
	else
		word = extra ? ((struct entry *)extra)->word : enter(code, frame);
	if (is_silent && word && !(TW_PY_FLAGS(word) & TW_PY_SPECIAL))
		word |= (uint64_t)TW_PY_OWN << TW_PY_SPECIAL_SHIFT << 28;
	if (word && !is_silent && is_plain_address(code))
		atomic_store_explicit(&tw_py_codes[TW_PY_SLOT(code)], word,
				      memory_order_relaxed);
	tw_py_aside_take(&aside);
	return word;
}

bool tw_py_code_start(void)
{
	extra_index = tw_py_call.extra_index(on_code_death);
	return extra_index >= 0;
}

bool tw_py_code_start_sub(void)
{
	return tw_py_call.extra_index(on_code_death) == extra_index;
}

void tw_py_code_forget(void)
{
	for (uint32_t i = 0; i < TW_PY_SLOT_N; i++)
		atomic_store_explicit(&tw_py_codes[i], 0, memory_order_relaxed);
}

void tw_py_code_silence(bool is_wanted)
{
	is_silent = is_wanted;
	if (is_wanted)
		tw_py_code_forget();
}

bool tw_py_code_is_silent(void)
{
	return is_silent;
}
