/* SPDX-License-Identifier: BSD-3-Clause */
/* What the zone walker's files share: walk.c (zones of threads), walk_other.c (all that
 * is no zone), walk_device.c (zones of devices). */
#ifndef TW_WALK_PRIVATE_H
#define TW_WALK_PRIVATE_H

#include "trace/device.h"
#include "trace/walk.h"
#include "trace/zone_extra.h"

struct frame {
	uint64_t begin_ns;
	uint64_t inside_ns; /* of the zones directly inside */
	uint64_t n_above;   /* zones without a begin between this one and the next */
	struct tw_zone_extra *extra;
	uint32_t location;
};

struct stack {
	struct frame *frames;
	uint32_t n, room;
	uint64_t n_below;
	uint64_t depth;		       /* n + n_below + all n_above */
	bool is_begun;		       /* a block of the thread was seen */
	struct tw_zone_extra *pending; /* a call stack whose zone begins next */
	uint64_t pending_ns;
};

struct walk {
	struct tw_timeline *timeline;
	const struct tw_walk_ops *ops;
	struct tw_walk_counts *counts;
	struct stack *stacks; /* by thread number, from `first` on */
	uint32_t first, n;
	bool is_one_thread; /* zones of devices are nobody's then */
	struct tw_extra_pool extras;
	struct tw_devices devices;
};

/* Any event but those of zones and their call stacks. */
int tw_walk_other(struct walk *w, const struct tw_event *event);

/* Hands out the zones of devices, at the end of a walk. */
int tw_walk_devices(struct walk *w);

#endif
