/* SPDX-License-Identifier: BSD-3-Clause */
/* `tracewrap report TRACE...`: prints statistics; the work is done in src/report. */
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/trace.h"
#include "report/report.h"

int tw_cmd_report(const struct tw_config *config, int n_operands, char **operands)
{
	struct tw_report_options options = {
		.form = config->is_json	 ? TW_REPORT_JSON
			: config->is_csv ? TW_REPORT_CSV
					 : TW_REPORT_TEXT,
		.by = config->by,
		.sort = config->sort,
		.limit = config->limit,
	};
	struct tw_fault fault;
	int code = TW_EXIT_OK;

	if (n_operands < 1) {
		tw_complain("no trace named: type 'tracewrap report FILE.tracy'");
		return TW_EXIT_FAULT;
	}
	if (config->is_json && config->is_csv) {
		tw_complain("--json and --csv exclude each other: choose one");
		return TW_EXIT_FAULT;
	}
	if (n_operands > 1 && options.form != TW_REPORT_TEXT) {
		tw_complain("--json and --csv take one trace at a time, not %d",
			    n_operands);
		return TW_EXIT_FAULT;
	}
	for (int i = 0; i < n_operands; i++) {
		struct tw_timeline *timeline;
		int error = tw_trace_open(&timeline, operands[i], &fault);

		if (!error)
			error = tw_report_write(timeline, &options, STDOUT_FILENO,
						&fault);
		tw_timeline_close(timeline);
		if (!error)
			continue;
		tw_complain("%s", fault.text);
		code = TW_EXIT_FAULT;
	}
	return code;
}
