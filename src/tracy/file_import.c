/* SPDX-License-Identifier: BSD-3-Clause */
/* See file_import.h: the frame of an import, and its first pass. */
#include "tracy/file_import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracy/file_format.h"
#include "tracy/file_import_private.h"

#define NAMES_TRIED 100
#define WHITE	    0xffffffu /* of messages without a colour */

bool tw_tracy_is(const unsigned char *start)
{
	return memcmp(start, TW_TRACY_MAGIC_LZ4, 4) == 0 ||
	       memcmp(start, TW_TRACY_MAGIC_ZSTD, 4) == 0 ||
	       memcmp(start, TW_TRACY_MAGIC_NEW, 4) == 0;
}

static int on_thread(void *context, uint64_t tid, bool is_fiber, int32_t group)
{
	(void)is_fiber;
	(void)group;
	return tw_import_thread(context, tid) ? 0 : -ENOMEM;
}

static int add_item(struct tw_import *im, uint32_t thread, int64_t ns,
		    enum tw_import_kind kind, uint64_t value, uint64_t id)
{
	struct tw_sort_item item = {.key = thread,
				    .ns = ns < 0 ? 0 : (uint64_t)ns,
				    .value = value,
				    .id = (uint64_t)kind << 60 | id};

	return tw_sorter_add(&im->sorter, item);
}

static int on_message(void *context, const struct tw_tracy_message *message)
{
	struct tw_import *im = context;
	struct tw_import_thread *thread =
		tw_import_thread(im, message->tid ? message->tid : im->pid);
	uint32_t colour = message->colour & WHITE, n = message->text.n_bytes;
	uint64_t at = im->texts.n_bytes;

	if (!thread)
		return -ENOMEM;
	if (im->has_ledger && message->tid == TW_TRACY_NO_TID)
		return 0; /* a mark: the ledger has it */
	if (n > TW_STREAM_PAYLOAD_MAX) {
		n = TW_STREAM_PAYLOAD_MAX;
		im->n_cut++;
	}
	if (colour == WHITE)
		colour = 0;
	tw_scratch_put(&im->texts, message->text.text, n);
	if (im->texts.error)
		return im->texts.error;
	return add_item(im, (uint32_t)(thread - im->threads), message->ns,
			TW_IMPORT_MESSAGE, (uint64_t)colour << 32 | n, at);
}

/* Points of one series come in a row: what its name means is found once. */
static int meet_series(struct tw_import *im, struct tw_slice name, int kind)
{
	int error = 0;

	if (im->named_kind != kind || im->named.text != name.text)
		error = tw_import_series(im, name, kind == TW_IMPORT_FRAME);
	im->named_kind = kind;
	im->named = name;
	return error;
}

static int on_plot(void *context, struct tw_slice name, int64_t ns, double value)
{
	struct tw_import *im = context;
	uint64_t bits;
	int error = meet_series(im, name, TW_IMPORT_PLOT);

	memcpy(&bits, &value, sizeof(bits));
	return error ? error
		     : add_item(im, im->named_thread, ns, TW_IMPORT_PLOT, bits,
				im->named_string);
}

static int on_frame(void *context, struct tw_slice set, int64_t begin_ns,
		    int64_t end_ns)
{
	struct tw_import *im = context;
	bool is_first = !im->has_base_frame;
	int error;

	(void)end_ns; /* a frame of ours ends where the next one begins */
	im->has_base_frame = true;
	/* Tracy's first frame begins with the trace, marked or not. */
	if (is_first && set.n_bytes == 5 && memcmp(set.text, "Frame", 5) == 0)
		return 0;
	error = meet_series(im, set, TW_IMPORT_FRAME);
	return error ? error
		     : add_item(im, im->named_thread, begin_ns, TW_IMPORT_FRAME, 0,
				im->named_string);
}

static int on_gpu_zone(void *context, const struct tw_tracy_gpu_zone *zone)
{
	(void)zone;
	((struct tw_import *)context)->n_gpu_zones++;
	return 0;
}

/* Puts the items where the second pass finds those of a thread. */
static int keep_items(struct tw_import *im)
{
	struct tw_sort_item item;
	int more = tw_sorter_sort(&im->sorter);
	uint64_t n = 0;

	if (more)
		return more;
	while ((more = tw_sorter_next(&im->sorter, &item)) > 0) {
		struct tw_import_item kept = {item.ns, item.value, item.id};

		if (im->threads[item.key].n_items++ == 0)
			im->threads[item.key].first_item = n;
		n++;
		tw_scratch_put(&im->items, &kept, sizeof(kept));
	}
	return more ? more : im->items.error;
}

static int collect(struct tw_import *im, const char *path, struct tw_fault *fault)
{
	const struct tw_tracy_ops ops = {
		.context = im,
		.info = tw_import_info,
		.string = tw_import_ledger,
		.thread_name = tw_import_thread_name,
		.crash = tw_import_crash,
		.frame = on_frame,
		.thread = on_thread,
		.gpu_zone = on_gpu_zone,
		.message = on_message,
		.plot = on_plot,
		.app_info = tw_import_app_info,
	};
	char text[128];
	int n, error = tw_tracy_read(path, &ops, fault);

	if (!error)
		error = keep_items(im);
	if (!error)
		tw_import_people(im);
	if (im->n_gpu_zones) {
		n = snprintf(text, sizeof(text),
			     "%" PRIu64 " GPU zones of the file are not shown",
			     im->n_gpu_zones);
		tw_spool_meta(im->spool, TW_META_NOTE, NULL, 0,
			      &(struct tw_span){text, (size_t)n}, 1);
	}
	return error;
}

/* A spool in that folder; a descriptor for reading it, or -1. */
static int create_in(struct tw_import *im, const char *folder, size_t n)
{
	char name[PATH_MAX];

	for (unsigned i = 0; i < NAMES_TRIED; i++) {
		int error, fd;

		if (snprintf(name, sizeof(name), "%.*s/.tracewrap-%d-%u.tw", (int)n,
			     folder, (int)getpid(), i) >= (int)sizeof(name) - 16)
			return -1;
		error = tw_spool_create(im->spool, name, false, 0, 0);
		if (error == -EEXIST)
			continue;
		if (error)
			return -1;
		fd = open(name, O_RDONLY | O_CLOEXEC);
		unlink(name);
		return fd;
	}
	return -1;
}

static int create_spool(struct tw_import *im, const char *path)
{
	const char *folder = getenv("TMPDIR"), *slash = strrchr(path, '/');
	int fd = -1;

	if (folder && *folder)
		fd = create_in(im, folder, strlen(folder));
	if (fd < 0 && slash != path)
		fd = slash ? create_in(im, path, (size_t)(slash - path))
			   : create_in(im, ".", 1);
	if (fd < 0)
		fd = create_in(im, "/var/tmp", 8);
	return fd >= 0 ? fd : create_in(im, "/tmp", 4);
}

static void free_import(struct tw_import *im)
{
	struct tw_import_table *tables[] = {&im->thread_ids, &im->pids,	   &im->mains,
					    &im->series_ids, &im->strings, &im->folded};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		free(tables[i]->slots);
	tw_sorter_free(&im->sorter);
	tw_scratch_free(&im->items);
	tw_scratch_free(&im->texts);
	tw_names_free(im->names);
	free(im->threads);
	free(im->processes);
	free(im->series);
	free(im->spool);
	free(im->stream);
	free(im);
}

static struct tw_import *new_import(void)
{
	struct tw_import *im = calloc(1, sizeof(*im));

	if (!im)
		return NULL;
	tw_sorter_init(&im->sorter);
	tw_scratch_init(&im->items);
	tw_scratch_init(&im->texts);
	im->named_kind = -1;
	im->names = tw_names_new();
	im->spool = calloc(1, sizeof(*im->spool));
	im->stream = calloc(1, sizeof(*im->stream));
	if (im->names && im->spool && im->stream)
		return im;
	free_import(im);
	return NULL;
}

/* Words what the file's reader has not worded itself. */
static int judge(int error, const char *path, struct tw_fault *fault)
{
	if (!error || fault->text[0])
		return error;
	if (error == -ENOMEM)
		return tw_fault_no_memory(fault);
	if (error == -ESTALE)
		return tw_fault_set(fault, error,
				    "'%s' changed while it was read: copy it first",
				    path);
	return tw_fault_set(fault, error,
			    "cannot unpack '%s': %s; name a folder with room in TMPDIR",
			    path, strerror(-error));
}

int tw_tracy_import(const char *path, struct tw_fault *fault)
{
	struct tw_import *im = new_import();
	int fd, error;

	fault->text[0] = '\0';
	if (!im)
		return tw_fault_no_memory(fault);
	fd = create_spool(im, path);
	if (fd < 0) {
		free_import(im);
		return tw_fault_set(fault, -EACCES,
				    "no place to unpack '%s' to: name a folder with "
				    "room in TMPDIR",
				    path);
	}
	error = collect(im, path, fault);
	if (!error)
		error = tw_import_zones(im, path, fault);
	if (im->n_cut)
		tw_spool_meta(im->spool, TW_META_LOST,
			      (uint64_t[]){0, TW_LOSS_TEXT_CUT, im->n_cut}, 3, NULL, 0);
	tw_spool_flush(im->spool);
	close(im->spool->fd);
	if (!error)
		error = im->spool->error;
	error = judge(error, path, fault);
	if (error)
		close(fd);
	free_import(im);
	return error ? error : fd;
}
