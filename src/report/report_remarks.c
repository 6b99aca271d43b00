/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a text report: every loss and oddity of the trace, one line each, only
 * those that happened. The exact numbers are in the JSON, too.
 */
#include "report/report_private.h"
#include "report/units.h"

typedef unsigned long long ull; /* what %llu wants */

struct remarks {
	struct tw_writer *w;
	bool has_begun; /* the empty line before the first one is written */
};

static void remark(struct remarks *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void remark(struct remarks *m, const char *format, ...)
{
	va_list arguments;

	if (!m->has_begun)
		tw_writer_text(m->w, "\n");
	m->has_begun = true;
	va_start(arguments, format);
	tw_writer_vformat(m->w, format, arguments);
	va_end(arguments);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_losses(const struct tw_timeline *t, struct remarks *m)
{
	for (uint32_t i = 0; i <= TW_LOSS_COUNT; i++)
		if (t->lost[i])
			remark(m, "lost: %llu %s%s: %s\n", (ull)t->lost[i],
			       i == TW_LOSS_TEXT_CUT ? "text" : "event",
			       plural(t->lost[i]), tw_loss_words(i));
}

static void put_stalls(const struct tw_timeline *t, struct remarks *m)
{
	char time[TW_UNITS_BYTES];

	if (t->n_stalls)
		remark(m,
		       "stalled: threads waited %llu time%s, %s in all, for a "
		       "full ring (a larger --buffer-size helps, --drop loses "
		       "instead)\n",
		       (ull)t->n_stalls, plural(t->n_stalls),
		       tw_units_time(time, t->stall_ns));
}

static void put_notes(const struct tw_timeline *t, struct remarks *m)
{
	uint64_t n = t->n_notes < TW_NOTES_KEPT ? t->n_notes : TW_NOTES_KEPT;

	for (uint64_t i = 0; i < n; i++) {
		remark(m, "note: ");
		tw_writer_plain(m->w, t->notes[i]);
		tw_writer_text(m->w, "\n");
	}
	if (t->n_notes > n)
		remark(m, "note: ... and %llu more\n", (ull)(t->n_notes - n));
}

/* Zones that are not whole. */
static void put_zones(const struct tw_report *r, struct remarks *m)
{
	const struct tw_timeline *t = r->timeline;
	const struct tw_walk_counts *c = &r->counts;
	char size[TW_UNITS_BYTES];

	if (t->rotated_events || t->rotated_blocks)
		remark(m,
		       "rotated: --max-size took away the oldest %llu event%s "
		       "(%llu block%s, %s)\n",
		       (ull)t->rotated_events, plural(t->rotated_events),
		       (ull)t->rotated_blocks, plural(t->rotated_blocks),
		       tw_units_size(size, t->rotated_bytes));
	if (c->n_truncated)
		remark(m, "truncated: %llu zone%s without a begin in the file\n",
		       (ull)c->n_truncated, plural(c->n_truncated));
	if (c->n_open)
		remark(m,
		       "open: %llu zone%s without an end in the file, counted up to "
		       "the last known time\n",
		       (ull)c->n_open, plural(c->n_open));
	if (c->n_unmatched)
		remark(m, "unmatched: %llu end%s without a zone\n", (ull)c->n_unmatched,
		       plural(c->n_unmatched));
	if (c->n_too_deep)
		remark(m, "too deep: %llu zone%s below %u others, not shown\n",
		       (ull)c->n_too_deep, plural(c->n_too_deep), TW_WALK_DEPTH_MAX);
}

/* What could not be read. */
static void put_damage(const struct tw_report *r, struct remarks *m)
{
	const struct tw_timeline *t = r->timeline;
	uint64_t n_odd = t->n_bad_records + r->counts.n_unknown;

	if (r->n_damaged)
		remark(m,
		       "damaged: %llu place%s of the file (%llu bytes) could not "
		       "be read; copy it again if it came over a network\n",
		       (ull)r->n_damaged, plural(r->n_damaged), (ull)r->damage.bytes);
	if (r->counts.n_resynced)
		remark(m,
		       "gaps: the order of zones was lost and found %llu "
		       "time%s\n",
		       (ull)r->counts.n_resynced, plural(r->counts.n_resynced));
	if (n_odd)
		remark(m,
		       "unknown: %llu record%s that this tracewrap cannot read; a "
		       "newer one may\n",
		       (ull)n_odd, plural(n_odd));
	if (r->damage.tail_bytes)
		remark(m,
		       "cut: the last %llu bytes are not a whole block: still "
		       "recording, or the file was cut\n",
		       (ull)r->damage.tail_bytes);
	if (!t->is_complete)
		remark(m, "unfinished: the recorder has not closed this file "
			  "(still running, or killed)\n");
	if (t->clock.is_assumed)
		remark(m, "clock: fewer than two anchors, so times assume that 1 "
			  "tick is 1 ns\n");
}

void tw_report_remarks(const struct tw_report *r, struct tw_writer *w)
{
	struct remarks m = {w, false};

	put_losses(r->timeline, &m);
	put_stalls(r->timeline, &m);
	put_notes(r->timeline, &m);
	put_zones(r, &m);
	put_damage(r, &m);
}
