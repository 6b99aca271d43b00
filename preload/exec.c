/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec family: the new program gets us into its environment again. Called on any thread
 * and in vfork children, which share the parent's memory: nothing here changes any.
 * A failed exec returns as if we were absent.
 */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "core/sys.h"
#include "environment.h"
#include "real.h"
#include "self.h"

TW_REAL_DECLARE(execve);
TW_REAL_DECLARE(execvpe);
TW_REAL_DECLARE(fexecve);
TW_REAL_DECLARE(execveat);

/*
 * libc's headers promise the compiler that these pointers are not NULL; a program that
 * passes NULL gets EFAULT from the kernel without us and must with us.
 */
static const char *maybe_null(const char *p)
{
	__asm__("" : "+r"(p));
	return p;
}

/*
 * In a vfork child: a process that will join is coming, and its parent goes on the
 * moment exec has succeeded. Returns what to take back when it has not.
 */
static int announce(const struct tw_plan *plan)
{
	if (!plan->will_join || !tw_self.life || tw_self.life->pid == tw_sys_getpid())
		return 0;
	tw_self_expect(1);
	return -1;
}

/* The changed environment, in memory of the calling frame. */
#define FILLED(plan, environment)                                                      \
	tw_plan_fill(&(plan), (environment), alloca((plan).array_bytes + 1),           \
		     alloca((plan).text_bytes + 1))

#define EXPORT __attribute__((visibility("default")))

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	int saved = errno, announced;
	struct tw_plan plan;

	tw_plan_make(&plan, path, -1, envp);
	announced = announce(&plan);
	errno = saved;
	TW_REAL(execve)(path, argv, FILLED(plan, envp));
	tw_self_expect(announced);
	return -1;
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	int saved = errno, announced;
	struct tw_plan plan;

	tw_plan_make_by_name(&plan, file, envp);
	announced = announce(&plan);
	errno = saved;
	TW_REAL(execvpe)(file, argv, FILLED(plan, envp));
	tw_self_expect(announced);
	return -1;
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	int saved = errno, announced;
	struct tw_plan plan;

	tw_plan_make(&plan, NULL, fd, envp);
	announced = announce(&plan);
	errno = saved;
	TW_REAL(fexecve)(fd, argv, FILLED(plan, envp));
	tw_self_expect(announced);
	return -1;
}

EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[],
		    int flags)
{
	int saved = errno, announced;
	struct tw_plan plan = {.is_plain = true};
	const char *name = maybe_null(path);

	/* Relative to a folder's descriptor is the one form that cannot be probed by
	 * name. */
	if (name && (name[0] == '/' || (name[0] && fd == AT_FDCWD)))
		tw_plan_make(&plan, name, -1, envp);
	else if (name && !name[0])
		tw_plan_make(&plan, NULL, fd, envp);
	announced = announce(&plan);
	errno = saved;
	TW_REAL(execveat)(fd, path, argv, FILLED(plan, envp), flags);
	tw_self_expect(announced);
	return -1;
}

/* The arguments of execl and its kin as an array in the caller's frame. */
static size_t count_arguments(va_list list)
{
	size_t n = 1; /* the first, which is named */

	while (va_arg(list, char *))
		n++;
	return n;
}

#define COLLECT(argv, first)                                                           \
	do {                                                                           \
		va_list list_;                                                         \
		size_t n_;                                                             \
		va_start(list_, first);                                                \
		n_ = maybe_null(first) ? count_arguments(list_) : 0;                   \
		va_end(list_);                                                         \
		(argv) = alloca((n_ + 1) * sizeof(char *));                            \
		(argv)[0] = (char *)(first);                                           \
		va_start(list_, first);                                                \
		for (size_t i_ = 1; i_ <= n_; i_++)                                    \
			(argv)[i_] = va_arg(list_, char *);                            \
		va_end(list_);                                                         \
	} while (0)

EXPORT int execl(const char *path, const char *arg, ...)
{
	char **argv;

	COLLECT(argv, arg);
	return execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
	char **argv;

	COLLECT(argv, arg);
	return execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	char **argv, **envp;
	va_list list;

	COLLECT(argv, arg);
	va_start(list, arg);
	while (maybe_null(arg) && va_arg(list, char *))
		;
	envp = va_arg(list, char **);
	va_end(list);
	return execve(path, argv, envp);
}
