/* SPDX-License-Identifier: BSD-3-Clause */
/* See rig.h. */
#include "rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/sys.h"

void rig_open(struct rig *rig, uint64_t buffer_bytes, bool is_dropping)
{
	struct tw_proc *slot;

	memset(rig, 0, sizeof(*rig));
	tw_config_init(&rig->config);
	rig->config.buffer_bytes = buffer_bytes;
	rig->config.is_dropping = is_dropping;
	cr_assert_eq(tw_arena_create_private(&rig->view, &rig->config), 0);
	rig->process = (uint32_t)tw_arena_claim_proc(rig->view.arena);
	slot = tw_arena_proc(rig->view.arena, rig->process);
	slot->pid = getpid();
	slot->start_ticks = tw_clock_ticks(rig->view.arena->clock_kind);
	atomic_store(&slot->state, TW_SLOT_LIVE);
}

void rig_thread(struct rig *rig, struct tw_producer *p)
{
	int index = tw_arena_claim_thread(rig->view.arena);
	struct tw_ring *ring;

	cr_assert_geq(index, 0);
	ring = tw_arena_thread(rig->view.arena, (uint32_t)index);
	ring->process = rig->process;
	ring->tid = 1000 + index;
	ring->start_ticks = tw_clock_ticks(rig->view.arena->clock_kind);
	atomic_store(&ring->state, TW_SLOT_LIVE);
	tw_producer_init(p, &rig->view, (uint32_t)index);
}

void rig_pump(struct rig *rig, uint64_t max_bytes)
{
	struct tw_pump_session session = {.command = "test", .command_bytes = 4};

	rig->config.max_bytes = max_bytes;
	snprintf(rig->path, sizeof(rig->path), "/tmp/tw-unit-%d.tw", (int)getpid());
	rig->pump = tw_pump_new();
	cr_assert_not_null(rig->pump);
	cr_assert_eq(tw_pump_start(rig->pump, &rig->view, rig->path, true, &rig->config,
				   &session),
		     0);
}

void rig_close(struct rig *rig)
{
	if (rig->pump) {
		tw_pump_finish(rig->pump);
		tw_sys_munmap(rig->pump, sizeof(*rig->pump));
	}
	tw_view_unmap(&rig->view);
}

void rig_begin(struct tw_producer *p, uint32_t location)
{
	if (!tw_producer_begin(p, p->view.arena->clock_kind, location))
		tw_producer_begin_slow(p, location);
}

void rig_end(struct tw_producer *p)
{
	if (!tw_producer_end(p, p->view.arena->clock_kind))
		tw_producer_end_slow(p);
}

uint32_t rig_location(struct rig *rig, const char *name)
{
	struct tw_location location = {0};

	location.name = tw_intern_string(rig->view.arena, name, strlen(name));
	return tw_intern_location(rig->view.arena, &location);
}

unsigned rig_kind_at(const struct tw_producer *p, uint64_t slot)
{
	const struct tw_record *r = &p->slots[slot & p->mask];

	return atomic_load(&r->ticks) ? r->kind : 0;
}
