/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second pass of an import (file_import.h): zones as they come, and between them,
 * in order of time, what the first pass has sorted.
 */
#include <endian.h>
#include <errno.h>

#include "tracy/file_format.h"
#include "tracy/file_import_private.h"
#include "tracy/file_value.h"
#include "tracy/layer_colour.h"

static int load_items(struct tw_import *im)
{
	struct tw_import_thread *t = im->current;
	uint64_t n = t->n_items - t->at_item;

	im->at_next = 0;
	im->n_next = (uint32_t)(n < TW_IMPORT_ITEMS ? n : TW_IMPORT_ITEMS);
	if (!im->n_next)
		return 0;
	return tw_scratch_get(&im->items,
			      (t->first_item + t->at_item) * sizeof(im->next[0]),
			      im->next, im->n_next * sizeof(im->next[0]));
}

static int put_item(struct tw_import *im, const struct tw_import_item *item)
{
	uint64_t ticks = tw_import_ticks((int64_t)item->ns), le = htole64(item->value);
	char text[TW_STREAM_PAYLOAD_MAX];
	uint32_t n = (uint32_t)item->value;
	int error;

	switch (item->id >> 60) {
	case TW_IMPORT_PLOT:
		tw_stream_event(im->stream, ticks, TW_EVENT_PLOT, (uint32_t)item->id,
				&le, sizeof(le));
		return 0;
	case TW_IMPORT_FRAME:
		tw_stream_event(im->stream, ticks, TW_EVENT_FRAME, (uint32_t)item->id,
				NULL, 0);
		return 0;
	default:
		error = tw_scratch_get(&im->texts, item->id, text, n);
		if (!error)
			tw_stream_event(im->stream, ticks, TW_EVENT_MESSAGE,
					(uint32_t)(item->value >> 32), text, n);
		return error;
	}
}

/* What happened up to `ns`. */
static int catch_up(struct tw_import *im, int64_t ns)
{
	struct tw_import_thread *t = im->current;
	int error = 0;

	while (!error && t->at_item < t->n_items) {
		if (im->at_next == im->n_next)
			error = load_items(im);
		if (error || (int64_t)im->next[im->at_next].ns > ns)
			break;
		t->at_item++;
		error = put_item(im, &im->next[im->at_next++]);
	}
	return error ? error : im->spool->error;
}

/* Zones without an end have others after them: they end where those begin. */
static void end_open(struct tw_import *im)
{
	for (; im->n_open; im->n_open--)
		tw_stream_end(im->stream, im->stream->last_ticks);
}

static int finish_thread(struct tw_import *im)
{
	int error;

	if (!im->current)
		return 0;
	error = catch_up(im, INT64_MAX);
	tw_stream_close(im->stream);
	im->current = NULL;
	return error;
}

static int start_thread(struct tw_import *im, struct tw_import_thread *thread)
{
	int error = finish_thread(im);

	/* Only when the file changes between the passes. */
	if (!error && thread->number == 0 && thread->id != TW_TRACY_NO_TID)
		error = -ESTALE;
	im->current = thread;
	im->n_open = 0;
	im->n_next = im->at_next = 0;
	tw_stream_open(im->stream, im->spool, thread->number);
	return error;
}

static int on_thread(void *context, uint64_t tid, bool is_fiber, int32_t group)
{
	struct tw_import *im = context;
	uint32_t n = im->n_threads;
	struct tw_import_thread *thread = tw_import_thread(im, tid);

	(void)is_fiber;
	(void)group;
	if (!thread)
		return -ENOMEM;
	return im->n_threads != n ? -ESTALE : start_thread(im, thread);
}

static struct tw_slice cut(struct tw_import *im, struct tw_slice text)
{
	if (text.n_bytes > TW_STREAM_PAYLOAD_MAX) {
		text.n_bytes = TW_STREAM_PAYLOAD_MAX;
		im->n_cut++;
	}
	return text;
}

static void put_details(struct tw_import *im, const struct tw_tracy_zone *zone,
			uint64_t ticks)
{
	bool is_folded = im->is_ours && zone->location < 0 && zone->has_own_name;
	struct tw_slice text = cut(im, zone->text), name = cut(im, zone->name);
	uint64_t value;
	bool has_value = im->is_ours && tw_tracy_value_split(&text, &value);

	if (text.n_bytes)
		tw_stream_event(im->stream, ticks, TW_EVENT_ZONE_TEXT, 0, text.text,
				text.n_bytes);
	if (has_value) {
		value = htole64(value);
		tw_stream_event(im->stream, ticks, TW_EVENT_ZONE_VALUE, 0, &value,
				sizeof(value));
	}
	if (zone->has_own_name && !is_folded)
		tw_stream_event(im->stream, ticks, TW_EVENT_ZONE_NAME, 0, name.text,
				name.n_bytes);
	if (zone->own_colour && !(is_folded && tw_layer_is_default(zone->own_colour)))
		tw_stream_event(im->stream, ticks, TW_EVENT_ZONE_COLOUR,
				zone->own_colour, NULL, 0);
}

static int on_begin(void *context, const struct tw_tracy_zone *zone)
{
	struct tw_import *im = context;
	uint64_t ticks = tw_import_ticks(zone->begin_ns);
	uint32_t place = tw_import_place(im, zone);
	int error;

	if (!place)
		return -ENOMEM;
	end_open(im);
	error = catch_up(im, zone->begin_ns);
	tw_stream_begin(im->stream, ticks, place);
	if (zone->text.n_bytes || zone->has_own_name || zone->own_colour)
		put_details(im, zone, ticks);
	return error;
}

static int on_end(void *context, int64_t end_ns)
{
	struct tw_import *im = context;
	int error;

	if (end_ns < 0) {
		im->n_open++;
		return 0;
	}
	end_open(im);
	error = catch_up(im, end_ns);
	/* Readers close it when its thread ends, unless something comes later yet. */
	if (im->current->n_ended++ >= im->current->first_open &&
	    im->current->at_item == im->current->n_items)
		return error;
	tw_stream_end(im->stream, tw_import_ticks(end_ns));
	return error;
}

int tw_import_zones(struct tw_import *im, const char *path, struct tw_fault *fault)
{
	const struct tw_tracy_ops ops = {
		.context = im, .thread = on_thread, .begin = on_begin, .end = on_end};
	int error = tw_tracy_read(path, &ops, fault);

	if (!error)
		error = finish_thread(im);
	/* Threads that had no zones, but points or frames. */
	for (uint32_t i = 0; i < im->n_threads && !error; i++)
		if (im->threads[i].at_item < im->threads[i].n_items &&
		    im->threads[i].number)
			error = start_thread(im, &im->threads[i]);
	return error ? error : finish_thread(im);
}
