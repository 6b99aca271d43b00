/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first pass over a trace that becomes a `.tracy` file: fills the plan of
 * file_plan.h, a thread at a time.
 */
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_plan.h"
#include "tracy/file_value.h"
#include "tracy/layer_colour.h"

/* The thread that is being read. */
struct gather {
	struct tw_tracy_plan *plan;
	struct tw_tracy_thread *to;
	uint32_t *children; /* of each zone, in order of begin */
	uint32_t *extras;   /* of each zone; NULL while it has none */
	uint32_t n, room;
	uint32_t extras_room;
	uint32_t *open; /* zones */
	uint32_t n_open, open_room;
};

static int grow(uint32_t **array, uint32_t *room)
{
	uint64_t bigger = *room ? (uint64_t)*room * 2 : 1024;
	uint32_t *moved =
		bigger <= UINT32_MAX ? realloc(*array, bigger * sizeof(*moved)) : NULL;

	if (!moved)
		return -ENOMEM;
	*array = moved;
	*room = (uint32_t)bigger;
	return 0;
}

static int on_begin(void *context, const struct tw_event *event)
{
	struct gather *g = context;

	(void)event;
	g->to->n_open = 0;
	if (g->n == g->room && grow(&g->children, &g->room) < 0)
		return -ENOMEM;
	if (g->n_open == g->open_room && grow(&g->open, &g->open_room) < 0)
		return -ENOMEM;
	if (g->n_open == 0)
		g->to->n_roots++;
	else if (g->children[g->open[g->n_open - 1]]++ == 0)
		g->plan->n_parents++;
	g->children[g->n] = 0;
	g->open[g->n_open++] = g->n++;
	return 0;
}

/* A zone's texts, and its value as one more line of them. */
static uint32_t text_of(struct tw_tracy_plan *plan, const struct tw_zone *zone)
{
	char text[TW_TRACY_JOINED_MAX];
	uint32_t n =
		tw_tracy_value_join(text, zone->text, zone->has_value, zone->value);

	if (n == 0)
		return 0;
	return tw_tracy_strings_add(&plan->strings, (struct tw_slice){text, n}, true);
}

static int put_extra(struct gather *g, uint32_t index, const struct tw_zone *zone,
		     struct tw_slice name, uint32_t colour)
{
	struct tw_tracy_plan *plan = g->plan;
	uint32_t text = text_of(plan, zone), named = 0;
	uint32_t stack = 0;
	uint8_t bytes[12]; /* u24 callstack, text, name, colour */

	if (name.n_bytes)
		named = tw_tracy_strings_add(&plan->strings, name, true);
	if (zone->n_frames)
		stack = tw_tracy_stack_add(plan, zone->frames, zone->n_frames);
	while (g->extras_room <= index) {
		uint32_t before = g->extras_room;

		if (grow(&g->extras, &g->extras_room) < 0)
			return -ENOMEM;
		memset(g->extras + before, 0,
		       (g->extras_room - before) * sizeof(*g->extras));
	}
	for (unsigned i = 0; i < 3; i++) {
		bytes[i] = (uint8_t)(stack >> 8 * i);
		bytes[3 + i] = (uint8_t)(text >> 8 * i);
		bytes[6 + i] = (uint8_t)(named >> 8 * i);
		bytes[9 + i] = (uint8_t)(colour >> 8 * i);
	}
	tw_scratch_put(&plan->extras, bytes, sizeof(bytes));
	g->extras[index] = ++plan->n_extras;
	g->to->has_extras = true;
	if (plan->stacks.table.error)
		return plan->stacks.table.error;
	return plan->extras.error ? plan->extras.error : plan->strings.table.error;
}

static int on_zone(void *context, const struct tw_zone *zone)
{
	struct gather *g = context;
	const struct tw_place *place =
		tw_timeline_place(g->plan->timeline, zone->location);
	uint32_t index = g->open[--g->n_open];
	int16_t id = tw_tracy_place_use(g->plan, zone->location);
	struct tw_slice name = zone->name;
	uint32_t colour = zone->colour == place->colour ? 0 : zone->colour;

	if (id == 0)
		return -ENOMEM;
	tw_tracy_place_of(g->plan, id)->n_zones++;
	if (zone->is_open && zone->thread->has_end &&
	    zone->begin_ns + zone->duration_ns == zone->thread->end_ns)
		g->to->n_open++;
	else
		g->to->n_open = 0;
	/* A folded location has nothing but its file: its zones carry the rest. */
	if (id < 0) {
		colour = tw_layer_colour(zone->colour, place->layer);
		if (name.n_bytes == 0)
			name = place->name;
	}
	if (zone->begin_ns + zone->duration_ns > g->plan->last_ns)
		g->plan->last_ns = zone->begin_ns + zone->duration_ns;
	if (!name.n_bytes && !colour && !zone->text.n_bytes && !zone->has_value &&
	    !zone->n_frames)
		return 0;
	return put_extra(g, index, zone, name, tw_tracy_colour(colour));
}

static int add_message(struct tw_tracy_plan *plan, struct tw_tracy_thread *to,
		       uint64_t ns, uint32_t colour, struct tw_slice text)
{
	uint32_t string = tw_tracy_strings_add(&plan->strings, text, true);
	struct tw_sort_item item = {.ns = tw_tracy_time(ns),
				    .id = plan->n_messages + 1};

	if (string == 0)
		return plan->strings.table.error;
	item.value = (uint64_t)(colour & 0xffffff) << 32 | string;
	if (to->n_messages++ == 0)
		to->first_message = item.id;
	plan->n_messages++;
	return tw_sorter_add(&plan->messages, item);
}

static int on_message(void *context, const struct tw_event *event, struct tw_slice text)
{
	struct gather *g = context;

	return add_message(g->plan, g->to, event->ns, event->id, text);
}

static int on_plot(void *context, const struct tw_event *event, struct tw_slice name,
		   double value)
{
	struct gather *g = context;

	(void)name;
	return tw_tracy_series_add(g->plan, &g->plan->plots, event, value);
}

static int on_frame(void *context, const struct tw_event *event, struct tw_slice name)
{
	struct gather *g = context;

	(void)name;
	if (event->kind != TW_EVENT_FRAME)
		return tw_tracy_frame_add(g->plan, event);
	return tw_tracy_series_add(g->plan, &g->plan->frames, event, 0);
}

static int on_fiber(void *context, const struct tw_event *event)
{
	return tw_tracy_run_add(((struct gather *)context)->plan, event);
}

static int on_lock(void *context, const struct tw_event *event,
		   const struct tw_lock_birth *birth)
{
	return tw_tracy_lock_add(((struct gather *)context)->plan, event, birth);
}

static int on_memory(void *context, const struct tw_event *event, struct tw_slice pool,
		     const struct tw_memory_block *block)
{
	(void)pool;
	return tw_tracy_memory_add(((struct gather *)context)->plan, event, block);
}

static int on_device(void *context, const struct tw_event *event)
{
	return tw_tracy_device_add(((struct gather *)context)->plan, event);
}

static void keep_shape(struct gather *g)
{
	struct tw_scratch *shapes = &g->plan->shapes;

	g->to->shape = shapes->n_bytes;
	g->to->n_zones = g->n;
	g->plan->n_zones += g->n;
	tw_scratch_put(shapes, g->children, g->n * sizeof(*g->children));
	if (!g->to->has_extras)
		return;
	while (g->extras_room < g->n) {
		uint32_t before = g->extras_room;

		if (grow(&g->extras, &g->extras_room) < 0) {
			shapes->error = -ENOMEM;
			return;
		}
		memset(g->extras + before, 0,
		       (g->extras_room - before) * sizeof(*g->extras));
	}
	tw_scratch_put(shapes, g->extras, g->n * sizeof(*g->extras));
	memset(g->extras, 0, g->extras_room * sizeof(*g->extras));
}

static int read_threads(struct gather *g)
{
	struct tw_tracy_plan *plan = g->plan;
	const struct tw_table *threads = &plan->timeline->threads;
	struct tw_walk_ops ops = {
		.context = g,
		.wants_text = true,
		.begin = on_begin,
		.zone = on_zone,
		.message = on_message,
		.plot = on_plot,
		.frame = on_frame,
		.fiber = on_fiber,
		.lock = on_lock,
		.memory = on_memory,
		.device = on_device,
	};
	int error = 0;

	for (uint32_t i = 0; i < threads->n && !error; i++) {
		if (!threads->items[i])
			continue;
		g->to = &plan->threads[i];
		g->n = g->n_open = 0;
		error = tw_walk_thread(plan->timeline, threads->items[i], &ops,
				       &plan->result->counts, plan->fault);
		if (!error) {
			keep_shape(g);
			tw_tracy_run_finish(plan, threads->items[i]);
			error = plan->shapes.error;
		}
	}
	if (plan->result->counts.last_ns > plan->last_ns)
		plan->last_ns = plan->result->counts.last_ns;
	return error;
}

static int on_mark(void *context, uint64_t ns, struct tw_slice text)
{
	struct tw_tracy_plan *plan = context;

	if (ns > plan->last_ns)
		plan->last_ns = ns;
	return add_message(plan, &plan->threads[0], ns, 0, text);
}

static int on_gate(void *context, uint64_t ns, bool is_on)
{
	return on_mark(context, ns,
		       tw_slice_of(is_on ? "recording started" : "recording stopped"));
}

/* Thread ids must be unique, and tids come again in a long run. Fibers have more than
 * 32 bits, as viewers number them. */
static int number_threads(struct tw_tracy_plan *plan)
{
	const struct tw_table *threads = &plan->timeline->threads;
	uint8_t *taken = calloc(TW_TRACY_NO_TID / 8, 1);

	if (!taken)
		return -ENOMEM;
	plan->threads[0].id = TW_TRACY_NO_TID;
	for (uint32_t i = 1; i < threads->n; i++) {
		const struct tw_thread *thread = threads->items[i];
		uint32_t tid = thread ? thread->tid : 0;

		plan->threads[i].id = TW_TRACY_NO_TID + i;
		if (thread && thread->kind == TW_THREAD_FIBER)
			plan->threads[i].id = (UINT64_C(1) << 32) + i;
		if (tid == 0 || tid >= TW_TRACY_NO_TID ||
		    taken[tid / 8] & 1u << tid % 8)
			continue;
		taken[tid / 8] |= (uint8_t)(1u << tid % 8);
		plan->threads[i].id = tid;
	}
	free(taken);
	return 0;
}

static int prepare(struct tw_tracy_plan *plan)
{
	tw_tracy_strings_init(&plan->strings);
	tw_scratch_init(&plan->extras);
	tw_scratch_init(&plan->shapes);
	tw_scratch_init(&plan->span_bytes);
	tw_scratch_init(&plan->runs);
	tw_scratch_init(&plan->locks.bytes);
	tw_scratch_init(&plan->stacks.table);
	tw_scratch_init(&plan->devices.zones);
	tw_sorter_init(&plan->messages);
	tw_sorter_init(&plan->plots.points);
	tw_sorter_init(&plan->frames.points);
	tw_sorter_init(&plan->pools.points);
	tw_sorter_init(&plan->spans.points);
	tw_sorter_init(&plan->locks.events);
	tw_blocks_init(&plan->memory.pairs);
	tw_sorter_init(&plan->memory.blocks);
	tw_sorter_init(&plan->devices.spans);
	memset(&plan->result->counts, 0, sizeof(plan->result->counts));
	plan->threads = calloc(plan->timeline->threads.n + 1, sizeof(*plan->threads));
	if (!plan->threads || tw_tracy_series_prepare(plan) < 0)
		return -ENOMEM;
	return number_threads(plan);
}

/* Everything came: what was collected is put in order. */
static int finish(struct tw_tracy_plan *plan)
{
	int error = tw_tracy_devices_finish(plan); /* may move last_ns */

	if (!error)
		error = tw_sorter_sort(&plan->messages);
	if (!error)
		error = tw_sorter_sort(&plan->plots.points);
	if (!error)
		error = tw_sorter_sort(&plan->frames.points);
	if (!error)
		error = tw_tracy_frames_finish(plan);
	if (!error)
		error = tw_tracy_locks_finish(plan);
	if (!error)
		error = tw_tracy_memory_finish(plan);
	return error ? error : tw_tracy_stacks_finish(plan);
}

int tw_tracy_gather(struct tw_tracy_plan *plan)
{
	struct gather g = {.plan = plan};
	struct tw_visitor marks = {.context = plan, .mark = on_mark, .gate = on_gate};
	int error = prepare(plan);

	plan->fault->text[0] = '\0';
	if (!error)
		error = tw_timeline_each(plan->timeline, &marks, plan->fault);
	if (!error)
		error = read_threads(&g);
	if (!error)
		error = finish(plan);
	free(g.children);
	free(g.extras);
	free(g.open);
	if (error && !plan->fault->text[0])
		tw_tracy_scratch_failed(plan->fault, error);
	return error;
}

int tw_tracy_scratch_failed(struct tw_fault *fault, int error)
{
	if (error == -ENOMEM)
		return tw_fault_no_memory(fault);
	return tw_fault_set(fault, error,
			    "cannot keep intermediate data: %s; name a folder with "
			    "room in TMPDIR",
			    strerror(-error));
}

void tw_tracy_plan_free(struct tw_tracy_plan *plan)
{
	tw_tracy_strings_free(&plan->strings);
	tw_tracy_places_free(&plan->places);
	tw_scratch_free(&plan->extras);
	tw_scratch_free(&plan->shapes);
	tw_sorter_free(&plan->messages);
	tw_sorter_free(&plan->plots.points);
	tw_sorter_free(&plan->frames.points);
	tw_sorter_free(&plan->pools.points);
	tw_sorter_free(&plan->spans.points);
	tw_scratch_free(&plan->span_bytes);
	tw_scratch_free(&plan->runs);
	tw_tracy_locks_free(&plan->locks);
	tw_tracy_memory_free(&plan->memory);
	tw_tracy_stacks_free(&plan->stacks);
	tw_tracy_devices_free(&plan->devices);
	free(plan->plots.series);
	free(plan->frames.series);
	free(plan->pools.series);
	free(plan->spans.series);
	free(plan->threads);
}
