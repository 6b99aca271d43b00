/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks in the form `.json`: each wait and each hold is a pair of asynchronous events
 * of the thread. A lock's name may stand behind its events in a trace, so they are kept
 * (sorted outside of memory) and written at the end, thread by thread.
 */
#include <stdio.h>

#include "export/chrome_private.h"

#define BIRTH UINT64_MAX /* the value of a lock's birth */

int tw_chrome_on_lock(void *context, const struct tw_event *event,
		      const struct tw_lock_birth *birth)
{
	struct tw_chrome *c = context;
	struct tw_sort_item item = {.key = event->id};

	if (event->kind == TW_EVENT_LOCK_GONE)
		return 0;
	if (event->kind == TW_EVENT_LOCK_NEW) {
		item.value = BIRTH; /* thread 0: in front of all others */
		item.id = birth->location;
	} else {
		item.ns = event->thread->number;
		item.then = event->ns;
		item.value = event->kind;
	}
	return tw_sorter_add(&c->locks, item);
}

/* One lock and one thread of it. */
struct holder {
	struct tw_chrome *c;
	uint32_t lock;
	struct tw_slice name;
	const struct tw_thread *thread;
	bool is_waiting;
	uint32_t n_held;
	uint64_t wait_ns, hold_ns;
};

static void put_half(const struct holder *h, const char *phase, const char *what,
		     uint64_t ns)
{
	struct tw_writer *w = h->c->w;
	char words[512];

	snprintf(words, sizeof(words), "%s %.*s", what,
		 (int)(h->name.n_bytes < 480 ? h->name.n_bytes : 480), h->name.text);
	tw_chrome_next(h->c);
	tw_writer_format(w, "{\"ph\":\"%s\",\"cat\":\"lock\",\"id\":\"%s-%u-%u\"",
			 phase, what, h->lock, h->thread->number);
	tw_chrome_text(w, ",\"name\":", tw_slice_of(words));
	tw_writer_text(w, ",\"ts\":");
	tw_writer_us(w, ns);
	tw_chrome_owner(h->c, h->thread);
	tw_writer_text(w, "}");
}

static void put_pair(const struct holder *h, const char *what, uint64_t begin_ns,
		     uint64_t end_ns)
{
	put_half(h, "b", what, begin_ns);
	put_half(h, "e", what, end_ns);
}

static void follow(struct holder *h, uint32_t kind, uint64_t ns)
{
	switch (kind) {
	case TW_EVENT_LOCK_WAIT:
	case TW_EVENT_LOCK_WAIT_SHARED:
		h->c->n_unpaired += h->is_waiting;
		h->is_waiting = true;
		h->wait_ns = ns;
		break;
	case TW_EVENT_LOCK_OBTAIN:
	case TW_EVENT_LOCK_OBTAIN_SHARED:
		if (h->is_waiting)
			put_pair(h, "wait", h->wait_ns, ns);
		h->c->n_unpaired += !h->is_waiting;
		h->is_waiting = false;
		if (h->n_held++ == 0)
			h->hold_ns = ns;
		break;
	default:
		h->c->n_unpaired += h->n_held == 0;
		if (h->n_held && --h->n_held == 0)
			put_pair(h, "hold", h->hold_ns, ns);
	}
}

/* What goes on when the trace ends. */
static void leave(struct holder *h, uint64_t last_ns)
{
	if (h->thread && h->is_waiting)
		put_pair(h, "wait", h->wait_ns, last_ns);
	if (h->thread && h->n_held)
		put_pair(h, "hold", h->hold_ns, last_ns);
	h->is_waiting = false;
	h->n_held = 0;
}

int tw_chrome_put_locks(struct tw_chrome *c, uint64_t last_ns)
{
	struct holder h = {.c = c, .name = tw_slice_of("lock")};
	struct tw_sort_item item;
	int more, error = tw_sorter_sort(&c->locks);

	if (error)
		return error;
	while ((more = tw_sorter_next(&c->locks, &item)) > 0) {
		const struct tw_thread *thread =
			tw_table_get(&c->timeline->threads, item.ns);

		if (h.lock != item.key || h.thread != thread)
			leave(&h, last_ns);
		if (h.lock != item.key)
			h.name = tw_slice_of("lock");
		h.lock = item.key;
		h.thread = thread;
		if (item.value == BIRTH)
			h.name =
				tw_timeline_place(c->timeline, (uint32_t)item.id)->name;
		else if (thread)
			follow(&h, (uint32_t)item.value, item.then);
	}
	leave(&h, last_ns);
	return more < 0 ? more : c->w->error;
}
