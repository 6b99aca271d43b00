/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of --log; contract in log.h. The file is opened for each line: a descriptor
 * that stays open would be seen, and closed, by the program.
 */
#include "log.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "core/sys.h"
#include "core/text.h"
#include "self.h"

#define LINES_MAX 16u

static enum tw_log_level level_wanted; /* 0 = silent */
static char path[PATH_MAX];	       /* "" = the program's stderr */
static _Atomic unsigned n_lines;

void tw_log_open(const char *word)
{
	struct tw_text t = tw_text_in(path, sizeof(path));

	if (!word || !*word || strcmp(word, "0") == 0)
		return;
	level_wanted = TW_LOG_STEP;
	if (strcmp(word, "1") == 0)
		level_wanted = TW_LOG_PROBLEM;
	if (strcmp(word, "1") == 0 || strcmp(word, "2") == 0)
		return;
	if (word[0] != '/' &&
	    tw_sys6(SYS_getcwd, (long)path, sizeof(path), 0, 0, 0, 0) > 0) {
		t.used = strlen(path);
		tw_text_add(&t, "/");
	}
	tw_text_add(&t, word);
}

void tw_log(enum tw_log_level level, const char *what, const char *about)
{
	char line[PATH_MAX + 256];
	struct tw_text t = tw_text_in(line, sizeof(line) - 1);
	int fd = STDERR_FILENO;

	if (level > level_wanted || atomic_load(&tw_self.is_caged) ||
	    atomic_fetch_add(&n_lines, 1) >= LINES_MAX)
		return;
	tw_text_add(&t, "tracewrap[");
	tw_text_add_u64(&t, (uint64_t)tw_sys_getpid());
	tw_text_add(&t, "]: ");
	tw_text_add(&t, what);
	if (about) {
		tw_text_add(&t, ": ");
		tw_text_add(&t, about);
	}
	line[t.used++] = '\n';
	if (path[0])
		fd = tw_sys_open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
	if (fd < 0)
		return;
	tw_sys_write(fd, line, t.used);
	if (path[0])
		tw_sys_close(fd);
}
