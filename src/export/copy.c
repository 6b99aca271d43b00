/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The form `.tw`: a copy, byte for byte, damage included: a later tracewrap may read
 * more of it than this one does.
 */
#include <errno.h>
#include <unistd.h>

#include "export/export.h"

int tw_export_copy(struct tw_timeline *t, struct tw_writer *w,
		   const struct tw_config *config, struct tw_export_result *result,
		   struct tw_fault *fault)
{
	static char buffer[TW_WRITER_BYTES];
	int fd = tw_spool_fd(t->spool);
	off_t offset = 0;

	(void)config;
	memset(&result->counts, 0, sizeof(result->counts));
	while (w->error == 0) {
		ssize_t n = pread(fd, buffer, sizeof(buffer), offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tw_fault_set(fault, -errno, "cannot read '%s': %s",
					    tw_spool_path(t->spool), strerror(errno));
		if (n == 0)
			break;
		tw_writer_bytes(w, buffer, (size_t)n);
		offset += n;
	}
	return 0;
}
