/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that are no zones: one function a family, one table of them; see walk.h. */
#include <endian.h>
#include <errno.h>

#include "trace/walk_private.h"

static int on_message(struct walk *w, const struct tw_event *event)
{
	struct tw_slice text = {(const char *)event->payload, event->n_bytes};

	w->counts->n_messages++;
	if (!w->ops->message)
		return 0;
	return w->ops->message(w->ops->context, event, text);
}

static int on_plot(struct walk *w, const struct tw_event *event)
{
	uint64_t bits;
	double value;

	if (event->n_bytes != sizeof(value))
		return -EBADMSG;
	bits = tw_event_u64(event);
	memcpy(&value, &bits, sizeof(value));
	w->counts->n_plots++;
	if (!w->ops->plot)
		return 0;
	return w->ops->plot(w->ops->context, event,
			    tw_timeline_string(w->timeline, event->id), value);
}

static int on_frame(struct walk *w, const struct tw_event *event)
{
	w->counts->n_frames += event->kind != TW_EVENT_FRAME_END;
	if (!w->ops->frame)
		return 0;
	return w->ops->frame(w->ops->context, event,
			     tw_timeline_string(w->timeline, event->id));
}

static int on_fiber(struct walk *w, const struct tw_event *event)
{
	w->counts->n_fiber_runs += event->kind == TW_EVENT_FIBER_ENTER;
	return w->ops->fiber ? w->ops->fiber(w->ops->context, event) : 0;
}

static int on_lock(struct walk *w, const struct tw_event *event)
{
	struct tw_lock_birth birth = {0};

	if (event->kind == TW_EVENT_LOCK_NEW) {
		if (event->n_bytes != sizeof(birth))
			return -EBADMSG;
		memcpy(&birth, event->payload, sizeof(birth));
		birth.location = le32toh(birth.location);
		birth.type = le32toh(birth.type);
	}
	w->counts->n_locks++;
	return w->ops->lock ? w->ops->lock(w->ops->context, event, &birth) : 0;
}

static int on_memory(struct walk *w, const struct tw_event *event)
{
	struct tw_memory_block block = {0};
	size_t bytes = event->kind == TW_EVENT_MEMORY_ALLOC ? sizeof(block)
							    : sizeof(block.address);

	if (event->n_bytes != bytes)
		return -EBADMSG;
	memcpy(&block, event->payload, bytes);
	block.address = le64toh(block.address);
	block.bytes = le64toh(block.bytes);
	w->counts->n_memory++;
	if (!w->ops->memory)
		return 0;
	return w->ops->memory(w->ops->context, event,
			      tw_timeline_string(w->timeline, event->id), &block);
}

static int on_device_zone(struct walk *w, const struct tw_event *event)
{
	if (w->ops->device)
		return w->ops->device(w->ops->context, event);
	if (!w->ops->zone || w->is_one_thread)
		return 0;
	return tw_devices_add_zone(&w->devices, w->timeline, event);
}

static int on_device_clock(struct walk *w, const struct tw_event *event)
{
	if (w->ops->device)
		return w->ops->device(w->ops->context, event);
	if (!w->ops->zone || w->is_one_thread)
		return 0;
	return tw_devices_add_clock(&w->devices, w->timeline, event);
}

static int (*const handlers[TW_EVENT_COUNT])(struct walk *, const struct tw_event *) = {
	[TW_EVENT_MESSAGE] = on_message,
	[TW_EVENT_PLOT] = on_plot,
	[TW_EVENT_FRAME] = on_frame,
	[TW_EVENT_FRAME_BEGIN] = on_frame,
	[TW_EVENT_FRAME_END] = on_frame,
	[TW_EVENT_FIBER_ENTER] = on_fiber,
	[TW_EVENT_FIBER_LEAVE] = on_fiber,
	[TW_EVENT_LOCK_NEW] = on_lock,
	[TW_EVENT_LOCK_GONE] = on_lock,
	[TW_EVENT_LOCK_WAIT] = on_lock,
	[TW_EVENT_LOCK_OBTAIN] = on_lock,
	[TW_EVENT_LOCK_RELEASE] = on_lock,
	[TW_EVENT_LOCK_WAIT_SHARED] = on_lock,
	[TW_EVENT_LOCK_OBTAIN_SHARED] = on_lock,
	[TW_EVENT_LOCK_RELEASE_SHARED] = on_lock,
	[TW_EVENT_MEMORY_ALLOC] = on_memory,
	[TW_EVENT_MEMORY_FREE] = on_memory,
	[TW_EVENT_DEVICE_ZONE] = on_device_zone,
	[TW_EVENT_DEVICE_CLOCK] = on_device_clock,
};

int tw_walk_other(struct walk *w, const struct tw_event *event)
{
	int result = -EBADMSG;

	if (event->kind < TW_EVENT_COUNT && handlers[event->kind])
		result = handlers[event->kind](w, event);
	if (result != -EBADMSG)
		return result;
	w->counts->n_unknown++;
	return 0;
}
