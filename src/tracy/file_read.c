/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See file_read.h: the body's sections in their order but for zones, which are in
 * file_read_zones.c, and what is kept of them. A list's count is believed only as far
 * as its items come.
 */
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_read_private.h"

#define BUDGET_LEAST (256u << 20)
#define BUDGET_TIMES 64u /* what a file may take, by its own size */
#define TEXT_MAX     (64u << 20)

/* u64 length and bytes, kept with a NUL after them. */
static struct tw_slice read_text(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);
	struct tw_slice text = {"", 0};
	char *bytes;

	if (!tw_tracy_goes_on(r))
		return text;
	if (n > TEXT_MAX || !tw_tracy_afford(r, n + 64)) {
		r->result = -EFBIG;
		return text;
	}
	bytes = tw_names_take(r->names, n + 1);
	if (!bytes) {
		r->result = -ENOMEM;
		return text;
	}
	tw_tracy_in_get(&r->in, bytes, n);
	text.text = bytes;
	text.n_bytes = (uint32_t)n;
	return text;
}

static void read_info(struct tw_tracy_reader *r)
{
	struct tw_tracy_info info = {.version = r->version,
				     .is_new_container = r->in.is_new,
				     .is_zstd = r->in.is_zstd};

	if (r->version < TW_TRACY_LACKS_DELAY)
		tw_tracy_get_u64(&r->in);
	tw_tracy_in_skip(&r->in, 8 + 8); /* resolution, ns a tick */
	info.last_ns = (int64_t)tw_tracy_get_u64(&r->in);
	tw_tracy_get_u64(&r->in); /* frames before the first */
	info.pid = tw_tracy_get_u64(&r->in);
	tw_tracy_in_skip(&r->in, 8 + 1 + 4 + 12); /* sampling, processor */
	if (r->version >= TW_TRACY_HAS_ON_DEMAND)
		tw_tracy_get_u8(&r->in);
	info.capture = read_text(r);
	info.program = read_text(r);
	info.capture_s = tw_tracy_get_u64(&r->in);
	tw_tracy_get_u64(&r->in); /* the executable's time */
	info.host = read_text(r);
	if (tw_tracy_goes_on(r) && r->ops->info)
		r->result = r->ops->info(r->ops->context, &info);
}

static void pass_cores(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		tw_tracy_get_u32(&r->in);
		tw_tracy_pass(r, 4);
	}
}

static void read_machine(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		uint64_t n_dies = 1;

		tw_tracy_get_u32(&r->in);
		if (r->version >= TW_TRACY_HAS_DIE)
			n_dies = tw_tracy_get_u64(&r->in);
		for (uint64_t k = 0; k < n_dies && tw_tracy_goes_on(r); k++) {
			if (r->version >= TW_TRACY_HAS_DIE)
				tw_tracy_get_u32(&r->in);
			pass_cores(r);
		}
	}
	r->crash_tid = tw_tracy_get_u64(&r->in);
	r->crash_ns = (int64_t)tw_tracy_get_u64(&r->in);
	r->crash_text = tw_tracy_get_u64(&r->in);
	tw_tracy_get_u32(&r->in); /* callstack */
}

static void read_frames(struct tw_tracy_reader *r)
{
	uint64_t n_sets = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n_sets && tw_tracy_goes_on(r); i++) {
		struct tw_tracy_frame frame = {.set = tw_tracy_get_u64(&r->in)};
		bool is_continuous = tw_tracy_get_u8(&r->in) != 0;
		uint64_t n = tw_tracy_get_u64(&r->in), ns = 0;

		for (uint64_t k = 0; k < n && tw_tracy_goes_on(r); k++) {
			ns += tw_tracy_get_u64(&r->in);
			frame.begin_ns = (int64_t)ns;
			frame.end_ns = -1;
			if (!is_continuous) {
				ns += tw_tracy_get_u64(&r->in);
				frame.end_ns = (int64_t)ns;
			}
			tw_tracy_get_u32(&r->in); /* image */
			if (tw_tracy_goes_on(r) &&
			    TW_TRACY_ROOM(r, r->frames, r->n_frames, r->frames_room))
				r->frames[r->n_frames++] = frame;
		}
	}
	if (r->version < TW_TRACY_HAS_SECTIONS)
		return;
	n_sets = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n_sets && tw_tracy_goes_on(r); i++) {
		tw_tracy_get_u16(&r->in);
		tw_tracy_pass(r, 6 + 6 + 3);
	}
	tw_tracy_pass(r, 2 + 3);
}

static void read_strings(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		uint64_t id = tw_tracy_get_u64(&r->in);
		struct tw_slice text = read_text(r);

		if (!tw_tracy_goes_on(r) ||
		    !TW_TRACY_ROOM(r, r->strings, r->n_strings, r->strings_room))
			return;
		if (r->ops->string)
			r->result = r->ops->string(r->ops->context, text);
		r->strings[r->n_strings] = text;
		tw_tracy_pair_add(r, &r->ids, id, r->n_strings++);
	}
	tw_tracy_pairs_sort(&r->ids);
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		uint64_t pointer = tw_tracy_get_u64(&r->in);

		tw_tracy_pair_add(r, &r->pointers, pointer, tw_tracy_get_u64(&r->in));
	}
	tw_tracy_pairs_sort(&r->pointers);
}

/* Frames and the crash came before the strings that name them. */
static void hand_out_frames(struct tw_tracy_reader *r)
{
	for (uint64_t i = 0; i < r->n_frames && tw_tracy_goes_on(r) && r->ops->frame;
	     i++) {
		struct tw_slice set = {"Frame", 5}; /* the one without a name */

		if (r->frames[i].set)
			set = tw_tracy_text_by_pointer(r, r->frames[i].set);
		r->result = r->ops->frame(r->ops->context, set, r->frames[i].begin_ns,
					  r->frames[i].end_ns);
	}
	if (r->crash_text && tw_tracy_goes_on(r) && r->ops->crash)
		r->result = r->ops->crash(r->ops->context, r->crash_tid, r->crash_ns,
					  tw_tracy_text_by_pointer(r, r->crash_text));
}

static void read_thread_names(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		uint64_t tid = tw_tracy_get_u64(&r->in);
		const struct tw_tracy_pair *pair =
			tw_tracy_find(&r->ids, tw_tracy_get_u64(&r->in));
		struct tw_slice name = pair ? tw_tracy_text_at(r, pair->value + 1)
					    : (struct tw_slice){"???", 3};

		if (tw_tracy_goes_on(r) && r->ops->thread_name)
			r->result = r->ops->thread_name(r->ops->context, tid, name);
	}
	tw_tracy_pass(r, 3 * 8); /* names of strangers */
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		tw_tracy_pair_add(r, &r->local, tw_tracy_get_u64(&r->in), 0);
	tw_tracy_pass(r, 8); /* strangers */
}

static struct tw_tracy_reference read_reference(struct tw_tracy_reader *r)
{
	struct tw_tracy_reference reference;

	reference.value = tw_tracy_get_u64(&r->in);
	reference.flags = tw_tracy_get_u8(&r->in);
	return reference;
}

static void read_location(struct tw_tracy_reader *r, struct tw_tracy_locations *to)
{
	struct tw_tracy_location location;

	location.name = read_reference(r);
	location.function = read_reference(r);
	location.file = read_reference(r);
	location.line = tw_tracy_get_u32(&r->in);
	location.colour = tw_tracy_get_u32(&r->in);
	if (tw_tracy_goes_on(r) && TW_TRACY_ROOM(r, to->items, to->n, to->room))
		to->items[to->n++] = location;
}

static void read_locations(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		tw_tracy_pair_add(r, &r->fixed, tw_tracy_get_u64(&r->in),
				  r->locations.n);
		read_location(r, &r->locations);
	}
	tw_tracy_pairs_sort(&r->fixed);
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		tw_tracy_pair_add(r, &r->expansion, tw_tracy_get_u64(&r->in), 0);
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		read_location(r, &r->dynamic);
	tw_tracy_pass(r, 2 + 8); /* zones of each */
	tw_tracy_pass(r, 2 + 8); /* GPU zones of each */
}

static void read_messages(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in), ns = 0;

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		struct tw_tracy_kept_message m = {.id = tw_tracy_get_u64(&r->in)};

		ns += tw_tracy_get_u64(&r->in);
		m.ns = (int64_t)ns;
		m.text = read_reference(r);
		m.colour = tw_tracy_rgb(tw_tracy_get_u32(&r->in));
		tw_tracy_get_u24(&r->in); /* callstack */
		if (r->version >= TW_TRACY_HAS_SEVERITY)
			tw_tracy_get_u16(&r->in);
		if (tw_tracy_goes_on(r) &&
		    TW_TRACY_ROOM(r, r->messages, r->n_messages, r->messages_room))
			r->messages[r->n_messages++] = m;
	}
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		struct tw_tracy_extra extra;

		extra.stack = tw_tracy_get_u24(&r->in);
		extra.text = tw_tracy_get_u24(&r->in);
		extra.name = tw_tracy_get_u24(&r->in);
		extra.colour = tw_tracy_get_u24(&r->in);
		if (tw_tracy_goes_on(r) &&
		    TW_TRACY_ROOM(r, r->extras, r->n_extras, r->extras_room))
			r->extras[r->n_extras++] = extra;
	}
}

static void hand_out_messages(struct tw_tracy_reader *r)
{
	for (uint64_t i = 0;
	     i < r->n_messages && tw_tracy_goes_on(r) && r->ops->message; i++) {
		const struct tw_tracy_kept_message *m = &r->messages[i];
		struct tw_tracy_message message = {
			.tid = m->tid,
			.ns = m->ns,
			.colour = m->colour,
			.text = tw_tracy_text_of(r, m->text)};

		r->result = r->ops->message(r->ops->context, &message);
	}
}

static void read_plots(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		struct tw_slice name;
		uint64_t n_points, ns = 0;

		tw_tracy_in_skip(&r->in, 1 + 1 + 1 + 1 + 4);
		name = tw_tracy_text_by_pointer(r, tw_tracy_get_u64(&r->in));
		tw_tracy_in_skip(&r->in, 3 * 8); /* least, most, sum */
		n_points = tw_tracy_get_u64(&r->in);
		for (uint64_t k = 0; k < n_points && tw_tracy_goes_on(r); k++) {
			double value;

			ns += tw_tracy_get_u64(&r->in);
			value = tw_tracy_get_f64(&r->in);
			if (tw_tracy_goes_on(r) && r->ops->plot)
				r->result = r->ops->plot(r->ops->context, name,
							 (int64_t)ns, value);
		}
	}
}

static void read_app_info(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		struct tw_slice text = tw_tracy_text_of(r, read_reference(r));

		if (tw_tracy_goes_on(r) && r->ops->app_info)
			r->result = r->ops->app_info(r->ops->context, text);
	}
}

/* Each section, in order. */
static void (*const sections[])(struct tw_tracy_reader *r) = {
	read_info,
	read_machine,
	read_frames,
	read_strings,
	hand_out_frames,
	read_thread_names,
	read_locations,
	tw_tracy_read_locks,
	read_messages,
	tw_tracy_read_threads,
	hand_out_messages,
	tw_tracy_read_gpu,
	read_plots,
	tw_tracy_read_memory,
	tw_tracy_read_stacks,
	read_app_info,
	tw_tracy_pass_images,
	tw_tracy_read_runs,
	tw_tracy_pass_processors,
	tw_tracy_pass_symbols,
};

static int check_version(struct tw_tracy_reader *r, const char *path,
			 struct tw_fault *fault)
{
	char magic[5];
	uint8_t v[3];

	tw_tracy_in_get(&r->in, magic, sizeof(magic));
	tw_tracy_in_get(&r->in, v, sizeof(v));
	if (r->in.is_bad || memcmp(magic, "tracy", sizeof(magic)) != 0)
		return tw_fault_set(fault, -EBADMSG, "'%s' holds no Tracy capture",
				    path);
	r->version = TW_TRACY_NUMBER((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]);
	if (r->version < TW_TRACY_OLDEST || r->version > TW_TRACY_LATEST)
		return tw_fault_set(
			fault, -ENOTSUP,
			"'%s' is of Tracy %u.%u.%u, but 0.9.0 to 0.14.0 can be read: "
			"save it again with Tracy's 'update' tool",
			path, v[0], v[1], v[2]);
	return 0;
}

static int judge(struct tw_tracy_reader *r, const char *path, struct tw_fault *fault)
{
	if (r->result == -ENOMEM)
		return tw_fault_no_memory(fault);
	if (r->result == -EFBIG)
		return tw_fault_set(fault, r->result,
				    "'%s' claims to hold far more than its size allows",
				    path);
	if (r->result)
		return r->result;
	if (!tw_tracy_in_is_done(&r->in))
		return tw_fault_set(fault, -EBADMSG,
				    "'%s' is damaged near byte %llu of its content: %s",
				    path,
				    (unsigned long long)tw_tracy_in_offset(&r->in),
				    r->in.why ? r->in.why : "it goes on after its end");
	return 0;
}

static void free_reader(struct tw_tracy_reader *r)
{
	void *lists[] = {r->strings,	     r->ids.items,	 r->pointers.items,
			 r->fixed.items,     r->expansion.items, r->local.items,
			 r->locations.items, r->dynamic.items,	 r->extras,
			 r->messages,	     r->frames,		 r->open,
			 r->frame_ids};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]);
	tw_names_free(r->names);
	tw_tracy_in_close(&r->in);
}

int tw_tracy_read(const char *path, const struct tw_tracy_ops *ops,
		  struct tw_fault *fault)
{
	struct tw_tracy_reader r = {.ops = ops};
	int error = tw_tracy_in_open(&r.in, path, fault);

	if (error)
		return error;
	r.budget = BUDGET_LEAST + BUDGET_TIMES * r.in.file_bytes;
	r.names = tw_names_new();
	error = r.names ? check_version(&r, path, fault) : tw_fault_no_memory(fault);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && !error; i++)
		if (tw_tracy_goes_on(&r))
			sections[i](&r);
	if (!error)
		error = judge(&r, path, fault);
	free_reader(&r);
	return error;
}
