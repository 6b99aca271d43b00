/* SPDX-License-Identifier: BSD-3-Clause */
/* `tracewrap export TRACE -o FILE...`: converts; the work is done in src/export. */
#include <stdio.h>

#include "cmd/command.h"
#include "cmd/trace.h"
#include "export/export.h"
#include "report/units.h"

/* What a user should know of a trace that is not whole; the export itself is fine. */
static void warn(const char *trace, const struct tw_export_result *result)
{
	const struct tw_spool_damage *damage = &result->damage;
	uint64_t n_places = damage->n_places + damage->is_header + result->n_bad_blocks;

	if (n_places)
		tw_complain("'%s' is damaged in %llu places (%llu bytes could not be "
			    "read); "
			    "the rest was exported",
			    trace, (unsigned long long)n_places,
			    (unsigned long long)damage->bytes);
	if (result->n_left_out)
		tw_complain("%llu texts, points of a plot or other events have no "
			    "place in such a file and were left out",
			    (unsigned long long)result->n_left_out);
	if (damage->tail_bytes)
		tw_complain("the last %llu bytes of '%s' are not a whole block (still "
			    "recording, or cut); everything before them was exported",
			    (unsigned long long)damage->tail_bytes, trace);
}

static void tell(const char *output, const struct tw_export_result *result)
{
	char size[TW_UNITS_BYTES], other[64] = "";

	if (result->n_other)
		snprintf(other, sizeof(other), ", without %llu other events",
			 (unsigned long long)result->n_other);
	if (result->form->write == tw_export_copy)
		fprintf(stderr, "tracewrap: wrote '%s' (%s); %s\n", output,
			tw_units_size(size, result->n_bytes), result->form->next);
	else
		fprintf(stderr, "tracewrap: wrote '%s' (%llu zones%s, %s); %s\n",
			output, (unsigned long long)result->counts.n_zones, other,
			tw_units_size(size, result->n_bytes), result->form->next);
}

int tw_cmd_export(const struct tw_config *config, int n_operands, char **operands)
{
	struct tw_export_result result;
	struct tw_timeline *timeline;
	struct tw_fault fault;
	int code = TW_EXIT_OK;

	if (n_operands != 1) {
		tw_complain("export takes one trace, not %d: type 'tracewrap export "
			    "FILE.tracy -o FILE.json'",
			    n_operands);
		return TW_EXIT_FAULT;
	}
	if (config->n_outputs == 0) {
		tw_complain(
			"no output named: add '-o FILE.json', or .csv, .tracy or .tw");
		return TW_EXIT_FAULT;
	}
	if (tw_trace_open(&timeline, operands[0], &fault)) {
		tw_complain("%s", fault.text);
		return TW_EXIT_FAULT;
	}
	for (unsigned i = 0; i < config->n_outputs; i++) {
		if (tw_export_timeline(timeline, config->outputs[i], config, &result,
				       &fault) < 0) {
			tw_complain("%s", fault.text);
			code = TW_EXIT_FAULT;
			continue;
		}
		if (i == 0)
			warn(operands[0], &result);
		if (!config->is_quiet)
			tell(config->outputs[i], &result);
	}
	tw_timeline_close(timeline);
	return code;
}
