/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * posix_spawn, system, popen: the other ways to a child. libc runs the last two on the
 * global environment, which does not name us, so it is exchanged for the call.
 */
#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "environment.h"
#include "real.h"
#include "self.h"

#define EXPORT __attribute__((visibility("default")))
#define SHELL  "/bin/sh"

TW_REAL_DECLARE(posix_spawn);
TW_REAL_DECLARE(posix_spawnp);
TW_REAL_DECLARE(system);
TW_REAL_DECLARE(popen);

/* The child runs but has not joined yet. */
static int spawned(const struct tw_plan *plan, int error)
{
	if (!error && plan->will_join)
		tw_self_expect(1);
	return error;
}

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
		       const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *restrict attributes,
		       char *const argv[restrict], char *const envp[restrict])
{
	int saved = errno;
	struct tw_plan plan;
	char **env;

	tw_plan_make(&plan, path, -1, envp);
	errno = saved;
	env = tw_plan_fill(&plan, envp, alloca(plan.array_bytes + 1),
			   alloca(plan.text_bytes + 1));
	return spawned(&plan,
		       TW_REAL(posix_spawn)(pid, path, actions, attributes, argv, env));
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
			const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *restrict attributes,
			char *const argv[restrict], char *const envp[restrict])
{
	int saved = errno;
	struct tw_plan plan;
	char **env;

	tw_plan_make_by_name(&plan, file, envp);
	errno = saved;
	env = tw_plan_fill(&plan, envp, alloca(plan.array_bytes + 1),
			   alloca(plan.text_bytes + 1));
	return spawned(&plan, TW_REAL(posix_spawnp)(pid, file, actions, attributes,
						    argv, env));
}

/*
 * Other threads may read the longer environment meanwhile: they see what they would see
 * anyway, plus two variables. When one of them changes it, libc has made a copy of its
 * own by then, and that one stays.
 */
EXPORT int system(const char *command)
{
	int saved = errno, result;
	char **before = environ, **during;
	struct tw_plan plan;

	tw_plan_make(&plan, SHELL, -1, before);
	during = tw_plan_fill(&plan, before, alloca(plan.array_bytes + 1),
			      alloca(plan.text_bytes + 1));
	environ = during;
	errno = saved;
	result = TW_REAL(system)(command);
	if (environ == during)
		environ = before;
	return result;
}

EXPORT FILE *popen(const char *command, const char *type)
{
	int saved = errno;
	char **before = environ, **during;
	struct tw_plan plan;
	FILE *result;

	tw_plan_make(&plan, SHELL, -1, before);
	during = tw_plan_fill(&plan, before, alloca(plan.array_bytes + 1),
			      alloca(plan.text_bytes + 1));
	environ = during;
	errno = saved;
	result = TW_REAL(popen)(command, type);
	(void)spawned(&plan, !result);
	if (environ == during)
		environ = before;
	return result;
}
