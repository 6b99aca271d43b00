/* SPDX-License-Identifier: BSD-3-Clause */
/* See export.h: the table of forms, and the frame around each export. */
#include "export/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/output.h"

/* clang-format off */
const struct tw_export_form tw_export_forms[] = {
	{ ".tracy", "a Tracy capture", "open it in the Tracy viewer", tw_export_tracy },
	{ ".json", "Chrome trace events",
	  "open it at https://ui.perfetto.dev or chrome://tracing", tw_export_chrome },
	{ ".csv", "one row a zone", "open it in a spreadsheet", tw_export_csv },
	{ ".tw", "tracewrap's own", "read it with 'tracewrap report'", tw_export_copy },
};
/* clang-format on */

const size_t tw_n_export_forms = sizeof(tw_export_forms) / sizeof(tw_export_forms[0]);

static bool ends_in(const char *path, const char *ending)
{
	size_t n_path = strlen(path), n_ending = strlen(ending);

	return n_path > n_ending && strcmp(path + n_path - n_ending, ending) == 0;
}

const struct tw_export_form *tw_export_form_of(const char *output,
					       struct tw_fault *fault)
{
	char known[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < tw_n_export_forms; i++) {
		const struct tw_export_form *form = &tw_export_forms[i];

		if (ends_in(output, form->ending))
			return form;
		if (n < sizeof(known))
			n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s (%s)",
					      i ? ", " : "", form->ending, form->what);
	}
	tw_fault_set(fault, -EINVAL,
		     "'%s' has no ending that names a form; known are %s", output,
		     known);
	return NULL;
}

int tw_export_check(const char *output, bool is_forced, struct tw_fault *fault)
{
	if (!tw_export_form_of(output, fault))
		return -EINVAL;
	return tw_output_check(output, is_forced, NULL, fault);
}

static int write_output(struct tw_timeline *t, const char *output,
			const struct tw_config *config, struct tw_writer *w,
			struct tw_export_result *result, struct tw_fault *fault)
{
	struct tw_output o;
	int error, write_error;

	error = tw_output_open(&o, output, config->is_forced, tw_spool_path(t->spool),
			       fault);
	if (error)
		return error;
	tw_writer_init(w, o.fd);
	error = result->form->write(t, w, config, result, fault);
	write_error = tw_writer_flush(w);
	if (write_error)
		error = tw_fault_set(fault, write_error,
				     "cannot write '%s': %s; nothing was kept", output,
				     strerror(-write_error));
	if (error) {
		tw_output_abandon(&o);
		return error;
	}
	result->n_bytes = w->total_bytes;
	result->damage = *tw_spool_damage(t->spool);
	result->n_bad_blocks = t->n_bad_blocks;
	result->is_complete = t->is_complete;
	return tw_output_finish(&o, fault);
}

int tw_export_timeline(struct tw_timeline *t, const char *output,
		       const struct tw_config *config, struct tw_export_result *result,
		       struct tw_fault *fault)
{
	struct tw_export_result unwanted;
	struct tw_writer *w;
	int error;

	if (!result)
		result = &unwanted;
	memset(result, 0, sizeof(*result));
	result->form = tw_export_form_of(output, fault);
	if (!result->form)
		return -EINVAL;
	w = malloc(sizeof(*w));
	if (w)
		error = write_output(t, output, config, w, result, fault);
	else
		error = tw_fault_no_memory(fault);
	free(w);
	return error;
}

int tw_export_file(const char *trace, const char *output,
		   const struct tw_config *config, struct tw_export_result *result,
		   struct tw_fault *fault)
{
	struct tw_timeline *t;
	int error;

	if (!tw_export_form_of(output, fault))
		return -EINVAL;
	error = tw_timeline_open(&t, trace, fault);
	if (error)
		return error;
	error = tw_export_timeline(t, output, config, result, fault);
	tw_timeline_close(t);
	return error;
}
