/* SPDX-License-Identifier: BSD-3-Clause */
/* See live.h. */
#include "cmd/live.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sys.h"

#define LOOKS_SOON 100 /* a client without a viewer is gone within one */
#define SOON_MS	   1
#define LATER_MS   50

/* Sockets of the keeper and the arena's descriptor must not stay open through us. */
static void keep_only(int fd)
{
	unsigned last = fd > 0 ? (unsigned)fd - 1 : 0;

	if (fd > 0)
		tw_sys6(SYS_close_range, 0, last, 0, 0, 0, 0);
	if (tw_sys6(SYS_close_range, fd + 1, ~0u, 0, 0, 0, 0) == 0)
		return;
	for (int i = 0; i < 65536; i++)
		if (i != fd)
			close(i);
}

static const char *base_name(const char *command)
{
	const char *slash = command ? strrchr(command, '/') : NULL;

	return slash ? slash + 1 : command ? command : "tracewrap";
}

void tw_live_child_start(struct tw_live_child *child, struct tw_arena *arena,
			 const struct tw_config *config, const char *path,
			 const char *command)
{
	struct tw_live_job job = {
		.arena = arena,
		.path = path,
		.name = base_name(command),
		.port = config->port,
		.is_wide = config->is_listening_widely,
		.is_fork = config->is_for_fork,
		.announced = &config->announced,
		.is_staying = config->is_staying,
	};
	int ends[2];

	memset(child, 0, sizeof(*child));
	if (!config->port)
		return;
	child->status = mmap(NULL, sizeof(*child->status), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (child->status == MAP_FAILED || pipe2(ends, O_CLOEXEC))
		return;
	child->pid = fork();
	if (child->pid == 0) {
		prctl(PR_SET_NAME, "tracewrap-live");
		keep_only(ends[0]);
		job.wake = ends[0];
		job.status = child->status;
		tw_live_run(&job);
		_exit(0);
	}
	close(ends[0]);
	child->wake = ends[1];
	if (child->pid < 0) {
		close(child->wake);
		child->pid = 0;
	}
}

void tw_live_child_end(struct tw_live_child *child, int line)
{
	struct pollfd p = {.fd = line}; /* only its end counts */

	if (!child->pid)
		return;
	close(child->wake);
	for (unsigned n = 0; waitpid(child->pid, NULL, WNOHANG) == 0; n++)
		if (poll(&p, 1, n < LOOKS_SOON ? SOON_MS : LATER_MS) > 0) {
			kill(child->pid, SIGKILL);
			p.fd = -1;
		}
	child->pid = 0;
}
