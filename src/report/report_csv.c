/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as CSV (RFC 4180): one row a zone name, the columns of the JSON. */
#include "report/report_private.h"

static void put_number(struct tw_writer *w, uint64_t value)
{
	tw_writer_bytes(w, ",", 1);
	tw_writer_u64(w, value);
}

static void put_row(struct tw_writer *w, const struct tw_row *row)
{
	tw_writer_csv(w, row->place->name);
	tw_writer_bytes(w, ",", 1);
	tw_writer_csv(w, row->place->file);
	put_number(w, row->place->line);
	tw_writer_bytes(w, ",", 1);
	tw_writer_text(w, tw_layer_word(row->place->layer));
	put_number(w, row->count);
	put_number(w, row->total_ns);
	put_number(w, row->self_ns);
	put_number(w, row->min_ns);
	put_number(w, tw_row_mean_ns(row));
	put_number(w, row->max_ns);
	put_number(w, tw_row_p99_ns(row));
	if (row->process)
		put_number(w, row->process->pid);
	if (row->thread) {
		put_number(w, row->thread->tid);
		tw_writer_bytes(w, ",", 1);
		tw_writer_csv(w, row->thread->name);
	}
	tw_writer_text(w, "\r\n");
}

int tw_report_csv(struct tw_report *r, struct tw_writer *w, struct tw_fault *fault)
{
	(void)fault;
	tw_writer_text(w, "name,file,line,layer,count,total_ns,self_ns,min_ns,mean_ns,"
			  "max_ns,p99_ns");
	if (r->options->by != TW_BY_NONE)
		tw_writer_text(w, ",process");
	if (r->options->by == TW_BY_THREAD)
		tw_writer_text(w, ",thread,thread_name");
	tw_writer_text(w, "\r\n");
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->options->limit == 0 || i < r->options->limit)
			put_row(w, &r->rows[i]);
	return 0;
}
