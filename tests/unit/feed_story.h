/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a feed sends, as words: blocks go in, and everything that would be on the wire
 * comes out as one line of text. Protocol 66, whose items have one form each.
 */
#ifndef TW_FEED_STORY_H
#define TW_FEED_STORY_H

#include "spool_builder.h"
#include "tracy/feed.h"

/*
 * A feed with processes 1 ("prog", pid 100) and 2 ("more", pid 200); threads 1 and 2 of
 * process 1 (tids 101, main, and 102), 3 of process 2 (tid 103, main); fibers 11 and
 * 12, device 21 with tracks 22 and 23, all of process 1; locations 2 "two", 3 "three".
 */
struct tw_feed *story_begin(void);

/* A block of a thread; numbers follow each other unless `skip` blocks are missing. */
void story_block(struct payload *p, uint32_t thread);
void story_skip(uint32_t thread);
void story_horizon(uint64_t ticks);

/* Compares what was sent since the last call. */
void story_expect(const char *words);

/* The items since the last call; story_words tells what they are. */
const char *story_words(void);

#endif
