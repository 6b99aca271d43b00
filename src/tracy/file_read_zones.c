/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trees of a `.tracy` file (file_read.h): zones of threads and GPU zones. A stack
 * of our own, not recursion: the file decides how deep they nest.
 */
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_read_private.h"

static struct tw_tracy_open *push(struct tw_tracy_reader *r)
{
	if (!tw_tracy_room(r, (void **)&r->open, r->n_open, &r->open_room,
			   sizeof(*r->open)))
		return NULL;
	memset(&r->open[r->n_open], 0, sizeof(*r->open));
	return &r->open[r->n_open++];
}

static void hand_out_zone(struct tw_tracy_reader *r, uint64_t tid, uint64_t depth,
			  const struct tw_tracy_open *open, int64_t end_ns,
			  int (*op)(void *, const struct tw_tracy_zone *))
{
	const struct tw_tracy_location *location =
		tw_tracy_location_of(r, open->location);
	struct tw_tracy_zone zone = {.tid = tid,
				     .begin_ns = open->begin_ns,
				     .end_ns = end_ns,
				     .depth = depth,
				     .name = tw_tracy_location_name(r, location),
				     .location = open->location,
				     .function = {"", 0},
				     .file = {"", 0},
				     .text = {"", 0}};

	if (location) {
		zone.function = tw_tracy_text_of(r, location->function);
		zone.file = tw_tracy_text_of(r, location->file);
		zone.line = location->line;
		zone.colour = tw_tracy_rgb(location->colour);
	}
	zone.base_name = zone.name;
	zone.base_colour = zone.colour;
	if (open->extra && open->extra < r->n_extras) {
		const struct tw_tracy_extra *extra = &r->extras[open->extra];

		zone.text = tw_tracy_text_at(r, extra->text);
		zone.has_own_name = extra->name != 0;
		zone.stack = extra->stack;
		if (extra->name)
			zone.name = tw_tracy_text_at(r, extra->name);
		zone.own_colour = tw_tracy_rgb(extra->colour);
		if (extra->colour)
			zone.colour = zone.own_colour;
	}
	r->result = op(r->ops->context, &zone);
}

static void read_tree(struct tw_tracy_reader *r, uint64_t tid)
{
	struct tw_tracy_open *open = push(r);
	uint64_t ns = 0;

	if (!open)
		return;
	open->n_left = tw_tracy_get_u32(&r->in); /* the roots are its children */
	while (tw_tracy_goes_on(r)) {
		open = &r->open[r->n_open - 1];
		if (open->n_left > 0) {
			open->n_left--;
			open = push(r);
			if (!open)
				break;
			open->location = (int16_t)tw_tracy_get_u16(&r->in);
			ns += tw_tracy_get_u64(&r->in);
			open->begin_ns = (int64_t)ns;
			open->extra = tw_tracy_get_u32(&r->in);
			open->n_left = tw_tracy_get_u32(&r->in);
			if (tw_tracy_goes_on(r) && r->ops->begin)
				hand_out_zone(r, tid, r->n_open - 2, open, -1,
					      r->ops->begin);
			continue;
		}
		if (--r->n_open == 0)
			break;
		ns += tw_tracy_get_u64(&r->in);
		if (tw_tracy_goes_on(r) && r->ops->zone)
			hand_out_zone(r, tid, r->n_open - 1, open, (int64_t)ns,
				      r->ops->zone);
		if (tw_tracy_goes_on(r) && r->ops->end)
			r->result = r->ops->end(r->ops->context, (int64_t)ns);
	}
	r->n_open = 0;
}

static int compare_messages(const void *left, const void *right)
{
	const struct tw_tracy_kept_message *const *a = left, *const *b = right;

	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

/* A thread's list of messages tells whose they are. */
static void claim_messages(struct tw_tracy_reader *r, uint64_t tid,
			   struct tw_tracy_kept_message **by_id)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		struct tw_tracy_kept_message wanted = {.id = tw_tracy_get_u64(&r->in)};
		struct tw_tracy_kept_message *key = &wanted, **found = NULL;

		if (r->n_messages)
			found = bsearch(&key, by_id, r->n_messages, sizeof(*by_id),
					compare_messages);
		if (found)
			(*found)->tid = tid;
	}
}

void tw_tracy_read_threads(struct tw_tracy_reader *r)
{
	struct tw_tracy_kept_message **by_id =
		malloc((r->n_messages + 1) * sizeof(*by_id));
	uint64_t n;

	if (!by_id) {
		r->result = -ENOMEM;
		return;
	}
	for (uint64_t i = 0; i < r->n_messages; i++)
		by_id[i] = &r->messages[i];
	qsort(by_id, r->n_messages, sizeof(*by_id), compare_messages);
	tw_tracy_in_skip(&r->in, 2 * 8); /* zones, zones with children */
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		uint64_t tid = tw_tracy_get_u64(&r->in);
		bool is_fiber;
		uint32_t group = 0;

		tw_tracy_in_skip(&r->in, 8 + 8); /* zones, samples */
		is_fiber = tw_tracy_get_u8(&r->in) != 0;
		if (r->version >= TW_TRACY_HAS_GROUP_HINT)
			group = tw_tracy_get_u32(&r->in);
		if (tw_tracy_goes_on(r) && r->ops->thread)
			r->result = r->ops->thread(r->ops->context, tid, is_fiber,
						   (int32_t)group);
		read_tree(r, tid);
		claim_messages(r, tid, by_id);
		tw_tracy_pass(r, 8 + 3); /* samples */
		tw_tracy_pass(r, 8 + 3);
	}
	free(by_id);
}

static void hand_out_gpu(struct tw_tracy_reader *r, struct tw_tracy_gpu_zone *zone,
			 const struct tw_tracy_open *open, uint64_t cpu, uint64_t gpu)
{
	zone->depth = r->n_open - 1;
	zone->cpu_begin_ns = open->begin_ns;
	zone->cpu_end_ns = (int64_t)cpu;
	zone->gpu_begin_ns = open->gpu_begin_ns;
	zone->gpu_end_ns = (int64_t)gpu;
	zone->name = tw_tracy_location_name(r, tw_tracy_location_of(r, open->location));
	zone->stack = open->extra;
	if (r->ops->gpu_zone)
		r->result = r->ops->gpu_zone(r->ops->context, zone);
}

static void read_gpu_tree(struct tw_tracy_reader *r, struct tw_tracy_gpu_zone *zone)
{
	struct tw_tracy_open *open = push(r);
	uint64_t cpu = 0, gpu = 0;

	if (!open)
		return;
	open->n_left = tw_tracy_get_u64(&r->in);
	while (tw_tracy_goes_on(r)) {
		open = &r->open[r->n_open - 1];
		if (open->n_left > 0) {
			open->n_left--;
			open = push(r);
			if (!open)
				break;
			cpu += tw_tracy_get_u64(&r->in);
			gpu += tw_tracy_get_u64(&r->in);
			open->begin_ns = (int64_t)cpu;
			open->gpu_begin_ns = (int64_t)gpu;
			open->location = (int16_t)tw_tracy_get_u16(&r->in);
			open->extra = tw_tracy_get_u24(&r->in);
			tw_tracy_get_u16(&r->in); /* thread */
			open->n_left = tw_tracy_get_u64(&r->in);
			continue;
		}
		if (--r->n_open == 0)
			break;
		cpu += tw_tracy_get_u64(&r->in);
		gpu += tw_tracy_get_u64(&r->in);
		if (r->version >= TW_TRACY_HAS_GPU_NOTES)
			tw_tracy_get_u16(&r->in); /* query */
		if (tw_tracy_goes_on(r))
			hand_out_gpu(r, zone, open, cpu, gpu);
	}
	r->n_open = 0;
}

static void read_context(struct tw_tracy_reader *r, uint64_t number)
{
	struct tw_tracy_gpu_zone zone = {.context = number};
	struct tw_tracy_gpu_context gpu = {.number = number};
	uint32_t bits;
	uint64_t n;

	gpu.tid = tw_tracy_get_u64(&r->in);
	gpu.is_calibrated = tw_tracy_get_u8(&r->in) != 0;
	gpu.n_zones = tw_tracy_get_u64(&r->in);
	bits = tw_tracy_get_u32(&r->in);
	memcpy(&gpu.period, &bits, sizeof(bits));
	gpu.type = tw_tracy_get_u8(&r->in);
	gpu.name = tw_tracy_text_at(r, tw_tracy_get_u24(&r->in));
	tw_tracy_get_u64(&r->in); /* overflow */
	if (tw_tracy_goes_on(r) && r->ops->gpu_context)
		r->result = r->ops->gpu_context(r->ops->context, &gpu);
	if (r->version >= TW_TRACY_HAS_GPU_NOTES)
		tw_tracy_pass(r, 8 + 3);
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		zone.tid = tw_tracy_get_u64(&r->in);
		read_gpu_tree(r, &zone);
	}
	if (r->version < TW_TRACY_HAS_GPU_NOTES)
		return;
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		tw_tracy_get_u16(&r->in);
		tw_tracy_pass(r, 8 + 8);
	}
}

void tw_tracy_read_gpu(struct tw_tracy_reader *r)
{
	uint64_t n;

	tw_tracy_in_skip(&r->in, 2 * 8);
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		read_context(r, i);
}
