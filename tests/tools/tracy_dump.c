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
 *   crash     TID NS TEXT
 *   frame     SET BEGIN END             END is -1 in a continuous set
 *   zone      TID DEPTH BEGIN END NAME FUNCTION FILE LINE COLOUR TEXT
 *   message   TID NS COLOUR TEXT
 *   gpu       CONTEXT TID DEPTH GPU_BEGIN GPU_END CPU_BEGIN CPU_END NAME
 *   plot      NAME NS VALUE
 *   appinfo   TEXT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracy/file_format.h"
#include "tracy/file_read.h"

static bool is_short;

enum kind { THREADS, FRAMES, ZONES, MESSAGES, GPU_ZONES, POINTS, LINES, KIND_COUNT };
static const char *const words[KIND_COUNT] = {
	"threads", "frames", "zones", "messages", "gpu zones", "points", "lines"};
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
	putchar('\n');
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
		.zone = on_zone,
		.gpu_zone = on_gpu_zone,
		.message = on_message,
		.plot = on_plot,
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
