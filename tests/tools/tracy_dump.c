/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what a `.tracy` file holds, one line a thing, fields separated by tabs, so
 * that scripts can compare files of ours and of Tracy's own with what was recorded.
 * Bytes below 0x20 and backslashes in texts are written as \xNN.
 *
 *   tracy_dump [-s] FILE        -s: only the first line, and how many of each
 *
 *   file      VERSION CONTAINER PACKING PID LAST_NS SECONDS PROGRAM CAPTURE HOST
 *   thread    TID NAME
 *   row       TID thread|fiber GROUP    in front of its zones
 *   crash     TID NS TEXT
 *   frame     SET BEGIN END             END is -1 in a continuous set
 *   lock      ID NAME FUNCTION FILE LINE SHARED ANNOUNCED GONE THREADS
 *   lockevent ID TID NS WHAT            WHAT is 0 wait, 1 obtain, 2 release, 3 to 5
 * shared zone      TID DEPTH BEGIN END NAME FUNCTION FILE LINE COLOUR TEXT [STACK]
 *   message   TID NS COLOUR TEXT
 *   context   CONTEXT NAME TYPE PERIOD CALIBRATED ZONES
 *   gpu       CONTEXT TID DEPTH GPU_BEGIN GPU_END CPU_BEGIN CPU_END NAME
 *   plot      NAME NS VALUE
 *   block     POOL ADDRESS BYTES NS FREE_NS TID FREE_TID
 *   stack     STACK FRAME...            innermost first
 *   stackframe FRAME INDEX FUNCTION FILE LINE IMAGE
 *   run       TID BEGIN END REASON ON   reason 99: a fiber, on which thread
 *   appinfo   TEXT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracy/file_format.h"
#include "tracy/file_read.h"

static bool is_short;

enum kind {
	THREADS,
	FRAMES,
	LOCKS,
	LOCK_EVENTS,
	ZONES,
	MESSAGES,
	GPU_CONTEXTS,
	GPU_ZONES,
	POINTS,
	BLOCKS,
	STACKS,
	STACK_FRAMES,
	RUNS,
	LINES,
	KIND_COUNT
};
static const char *const words[KIND_COUNT] = {
	"threads",  "frames",	    "locks",	 "lock events", "zones",
	"messages", "gpu contexts", "gpu zones", "points",	"blocks",
	"stacks",   "stack frames", "runs",	 "lines"};
static uint64_t counts[KIND_COUNT];

/* A tab and the text. */
static void put(struct tw_slice text)
{
	putchar('\t');
	for (uint32_t i = 0; i < text.n_bytes; i++) {
		unsigned char c = (unsigned char)text.text[i];

		if (c < 0x20 || c == '\\')
			printf("\\x%02x", c);
		else
			putchar(c);
	}
}

static int on_info(void *context, const struct tw_tracy_info *info)
{
	(void)context;
	printf("file\t%u.%u.%u\t%s\t%s\t%" PRIu64 "\t%" PRId64 "\t%" PRIu64,
	       info->version >> 16, info->version >> 8 & 0xff, info->version & 0xff,
	       info->is_new_container ? "new" : "old", info->is_zstd ? "zstd" : "lz4",
	       info->pid, info->last_ns, info->capture_s);
	put(info->program);
	put(info->capture);
	put(info->host);
	putchar('\n');
	return 0;
}

static int on_thread_name(void *context, uint64_t tid, struct tw_slice name)
{
	(void)context;
	counts[THREADS]++;
	if (is_short)
		return 0;
	printf("thread\t%" PRIu64, tid);
	put(name);
	putchar('\n');
	return 0;
}

static int on_crash(void *context, uint64_t tid, int64_t ns, struct tw_slice text)
{
	(void)context;
	printf("crash\t%" PRIu64 "\t%" PRId64, tid, ns);
	put(text);
	putchar('\n');
	return 0;
}

static int on_frame(void *context, struct tw_slice set, int64_t begin_ns,
		    int64_t end_ns)
{
	(void)context;
	counts[FRAMES]++;
	if (is_short)
		return 0;
	printf("frame");
	put(set);
	printf("\t%" PRId64 "\t%" PRId64 "\n", begin_ns, end_ns);
	return 0;
}

static int on_zone(void *context, const struct tw_tracy_zone *zone)
{
	(void)context;
	counts[ZONES]++;
	if (is_short)
		return 0;
	printf("zone\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64, zone->tid,
	       zone->depth, zone->begin_ns, zone->end_ns);
	put(zone->name);
	put(zone->function);
	put(zone->file);
	printf("\t%u\t%06x", zone->line, zone->colour);
	put(zone->text);
	if (zone->stack)
		printf("\t%u", zone->stack);
	putchar('\n');
	return 0;
}

static int on_thread(void *context, uint64_t tid, bool is_fiber, int32_t group)
{
	(void)context;
	if (!is_short)
		printf("row\t%" PRIu64 "\t%s\t%d\n", tid, is_fiber ? "fiber" : "thread",
		       group);
	return 0;
}

static int on_lock(void *context, const struct tw_tracy_lock_info *lock)
{
	(void)context;
	counts[LOCKS]++;
	if (is_short)
		return 0;
	printf("lock\t%u", lock->id);
	put(lock->name);
	put(lock->function);
	put(lock->file);
	printf("\t%u\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\n", lock->line,
	       lock->is_shared, lock->announced_ns, lock->gone_ns, lock->n_threads);
	return 0;
}

static int on_lock_event(void *context, const struct tw_tracy_lock_event *event)
{
	(void)context;
	counts[LOCK_EVENTS]++;
	if (!is_short)
		printf("lockevent\t%u\t%" PRIu64 "\t%" PRId64 "\t%d\n", event->lock,
		       event->tid, event->ns, event->what);
	return 0;
}

static int on_gpu_context(void *context, const struct tw_tracy_gpu_context *gpu)
{
	(void)context;
	counts[GPU_CONTEXTS]++;
	if (is_short)
		return 0;
	printf("context\t%" PRIu64, gpu->number);
	put(gpu->name);
	printf("\t%u\t%g\t%d\t%" PRIu64 "\n", gpu->type, (double)gpu->period,
	       gpu->is_calibrated, gpu->n_zones);
	return 0;
}

static int on_block(void *context, const struct tw_tracy_block *block)
{
	(void)context;
	counts[BLOCKS]++;
	if (is_short)
		return 0;
	printf("block");
	put(block->pool);
	printf("\t%" PRIx64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%" PRIu64
	       "\t%" PRIu64 "\n",
	       block->address, block->bytes, block->ns, block->free_ns, block->tid,
	       block->free_tid);
	return 0;
}

static int on_stack(void *context, uint32_t number, const uint64_t *frames, unsigned n)
{
	(void)context;
	counts[STACKS]++;
	if (is_short)
		return 0;
	printf("stack\t%u", number);
	for (unsigned i = 0; i < n; i++)
		printf("\t%" PRIx64, frames[i]);
	putchar('\n');
	return 0;
}

static int on_stack_frame(void *context, const struct tw_tracy_stack_frame *frame)
{
	(void)context;
	counts[STACK_FRAMES]++;
	if (is_short)
		return 0;
	printf("stackframe\t%" PRIx64 "\t%u", frame->id, frame->index);
	put(frame->function);
	put(frame->file);
	printf("\t%u", frame->line);
	put(frame->image);
	putchar('\n');
	return 0;
}

static int on_run(void *context, const struct tw_tracy_run *run)
{
	(void)context;
	counts[RUNS]++;
	if (!is_short)
		printf("run\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%d\t%" PRIu64 "\n",
		       run->tid, run->begin_ns, run->end_ns, run->reason, run->on);
	return 0;
}

static int on_gpu_zone(void *context, const struct tw_tracy_gpu_zone *zone)
{
	(void)context;
	counts[GPU_ZONES]++;
	if (is_short)
		return 0;
	printf("gpu\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64
	       "\t%" PRId64 "\t%" PRId64,
	       zone->context, zone->tid, zone->depth, zone->gpu_begin_ns,
	       zone->gpu_end_ns, zone->cpu_begin_ns, zone->cpu_end_ns);
	put(zone->name);
	putchar('\n');
	return 0;
}

static int on_message(void *context, const struct tw_tracy_message *message)
{
	(void)context;
	counts[MESSAGES]++;
	if (is_short)
		return 0;
	printf("message\t%" PRIu64 "\t%" PRId64 "\t%06x", message->tid, message->ns,
	       message->colour);
	put(message->text);
	putchar('\n');
	return 0;
}

static int on_plot(void *context, struct tw_slice name, int64_t ns, double value)
{
	(void)context;
	counts[POINTS]++;
	if (is_short)
		return 0;
	printf("plot");
	put(name);
	printf("\t%" PRId64 "\t%.17g\n", ns, value);
	return 0;
}

static int on_app_info(void *context, struct tw_slice text)
{
	(void)context;
	counts[LINES]++;
	if (is_short)
		return 0;
	printf("appinfo");
	put(text);
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	const struct tw_tracy_ops ops = {
		.info = on_info,
		.thread_name = on_thread_name,
		.crash = on_crash,
		.frame = on_frame,
		.thread = on_thread,
		.lock = on_lock,
		.lock_event = on_lock_event,
		.zone = on_zone,
		.gpu_context = on_gpu_context,
		.gpu_zone = on_gpu_zone,
		.message = on_message,
		.plot = on_plot,
		.block = on_block,
		.stack = on_stack,
		.stack_frame = on_stack_frame,
		.run = on_run,
		.app_info = on_app_info,
	};
	struct tw_fault fault;

	is_short = argc == 3 && strcmp(argv[1], "-s") == 0;
	if (argc != 2 && !is_short) {
		fprintf(stderr, "usage: tracy_dump [-s] FILE\n");
		return 125;
	}
	if (tw_tracy_read(argv[argc - 1], &ops, &fault)) {
		fflush(stdout);
		fprintf(stderr, "tracy_dump: %s\n", fault.text);
		return 1;
	}
	for (unsigned i = 0; is_short && i < KIND_COUNT; i++)
		printf("%s\t%" PRIu64 "\n", words[i], counts[i]);
	return fflush(stdout) != 0;
}
