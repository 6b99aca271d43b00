/* SPDX-License-Identifier: BSD-3-Clause */
/* Following a spool that grows and is replaced: every block once, in order. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "tracy/tail.h"

static struct tw_tail tail;

/* What came so far: EVENTS blocks, their zones' begins, the last base. */
struct seen {
	unsigned n_events_blocks, n_meta_blocks;
	uint64_t last_base;
};

static void follow(struct seen *seen)
{
	struct tw_tail_block block;

	while (tw_tail_next(&tail, &block)) {
		uint64_t base;

		if (block.kind == TW_BLOCK_META) {
			seen->n_meta_blocks++;
			continue;
		}
		cr_assert_eq(block.kind, TW_BLOCK_EVENTS);
		memcpy(&base, block.raw, sizeof(base));
		cr_assert_geq(base, seen->last_base, "no block comes twice");
		seen->last_base = base;
		seen->n_events_blocks++;
	}
}

static void make_zones(struct tw_producer *p, uint32_t location, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		rig_begin(p, location);
		rig_end(p);
	}
}

Test(tracy_tail, follows_a_growing_file)
{
	struct rig rig;
	struct tw_producer p;
	struct seen seen = {0};
	uint32_t location;

	rig_open(&rig, 1 << 20, false);
	rig_thread(&rig, &p);
	rig_pump(&rig, 0);
	location = rig_location(&rig, "zone");
	cr_assert_eq(tw_tail_open(&tail, rig.path, -1), 0);
	follow(&seen);
	cr_assert_eq(seen.n_events_blocks, 0);
	for (unsigned i = 1; i <= 5; i++) {
		make_zones(&p, location, 10);
		tw_pump_turn(rig.pump, true);
		follow(&seen);
		cr_assert_eq(seen.n_events_blocks, i);
	}
	cr_assert_gt(seen.n_meta_blocks, 0);
	tail.is_meta_only = true;
	tw_tail_rewind(&tail);
	seen = (struct seen){0};
	follow(&seen);
	cr_assert_eq(seen.n_events_blocks, 0);
	cr_assert_gt(seen.n_meta_blocks, 0);
	tw_tail_close(&tail);
	rig_close(&rig);
	unlink(rig.path);
}

/* `is_lazy`: reads only now and then, so that a rotation takes unread blocks away. */
static void rotate(bool is_lazy)
{
	struct rig rig;
	struct tw_producer p;
	struct seen seen = {0};
	unsigned n_written = 0;
	uint32_t location;

	rig_open(&rig, 4 << 20, false);
	rig_thread(&rig, &p);
	rig_pump(&rig, 64 << 10);
	location = rig_location(&rig, "zone");
	cr_assert_eq(tw_tail_open(&tail, rig.path, -1), 0);
	for (unsigned i = 0; i < 3000; i++) {
		make_zones(&p, location, 200 + i % 7);
		tw_pump_turn(rig.pump, true);
		n_written++;
		if (!is_lazy || i % 1000 == 999)
			follow(&seen);
	}
	follow(&seen);
	cr_assert_gt(rig.pump->spool.n_rotated_blocks, 0, "the file was replaced");
	cr_assert_gt(tail.n_replaced, 0);
	if (is_lazy)
		cr_assert(seen.n_events_blocks < n_written && seen.n_events_blocks > 0);
	else
		cr_assert_eq(seen.n_events_blocks, n_written);
	tw_tail_close(&tail);
	rig_close(&rig);
	unlink(rig.path);
}

Test(tracy_tail, sees_every_block_once_when_the_file_is_replaced)
{
	rotate(false);
}

Test(tracy_tail, a_slow_reader_misses_blocks_but_sees_none_twice)
{
	rotate(true);
}

Test(tracy_tail, waits_for_a_block_that_is_not_whole)
{
	struct rig rig;
	struct tw_producer p;
	struct seen seen = {0};
	struct stat st;
	char bytes[64 << 10], path[80];
	ssize_t n;
	int fd;

	rig_open(&rig, 1 << 20, false);
	rig_thread(&rig, &p);
	rig_pump(&rig, 0);
	make_zones(&p, rig_location(&rig, "zone"), 10);
	tw_pump_turn(rig.pump, true);
	cr_assert_eq(stat(rig.path, &st), 0);
	fd = open(rig.path, O_RDONLY);
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	cr_assert_eq(n, st.st_size);
	snprintf(path, sizeof(path), "%s.cut", rig.path);
	for (ssize_t cut = 0; cut < n; cut++) {
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
		cr_assert_eq(write(fd, bytes, (size_t)cut), cut);
		seen = (struct seen){0};
		cr_assert_eq(tw_tail_open(&tail, path, fd), 0);
		follow(&seen);
		cr_assert_eq(seen.n_events_blocks, 0, "cut at %zd", cut);
		cr_assert_eq(pwrite(fd, bytes + cut, (size_t)(n - cut), cut), n - cut);
		follow(&seen);
		cr_assert_eq(seen.n_events_blocks, 1, "cut at %zd", cut);
		tw_tail_close(&tail);
	}
	unlink(path);
	rig_close(&rig);
	unlink(rig.path);
}

Test(tracy_tail, a_damaged_block_ends_the_reading_and_nothing_else)
{
	struct rig rig;
	struct tw_producer p;
	char bytes[64 << 10];
	ssize_t n;
	int fd;

	rig_open(&rig, 1 << 20, false);
	rig_thread(&rig, &p);
	rig_pump(&rig, 0);
	make_zones(&p, rig_location(&rig, "zone"), 100);
	rig_close(&rig);
	fd = open(rig.path, O_RDWR);
	n = read(fd, bytes, sizeof(bytes));
	cr_assert_gt(n, 100);
	for (ssize_t i = 64; i < n; i++) {
		char flipped = (char)~bytes[i];
		struct seen seen = {0};

		cr_assert_eq(pwrite(fd, &flipped, 1, i), 1);
		cr_assert_eq(tw_tail_open(&tail, rig.path, -1), 0);
		follow(&seen);
		cr_assert_leq(seen.n_events_blocks, 1);
		tw_tail_close(&tail);
		cr_assert_eq(pwrite(fd, bytes + i, 1, i), 1);
	}
	close(fd);
	unlink(rig.path);
}
