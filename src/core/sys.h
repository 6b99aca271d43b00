/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls without libc: they return -errno and touch no thread-local memory. The
 * in-process pump shares its creator's thread pointer (preload/home.c), so it must
 * never write errno; wrappers inside the traced program keep errno untouched for free.
 * Any thread, signal handlers, vfork children.
 */
#ifndef TW_SYS_H
#define TW_SYS_H

#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
static inline long tw_sys6(long n, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long tw_sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "tracewrap knows x86-64 and aarch64; a new CPU needs tw_sys6 here"
#endif

static inline int tw_sys_open(const char *path, int flags, int mode)
{
	return (int)tw_sys6(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, mode,
			    0, 0);
}

static inline int tw_sys_close(int fd)
{
	return (int)tw_sys6(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long tw_sys_read(int fd, void *buffer, size_t bytes)
{
	return tw_sys6(SYS_read, fd, (long)buffer, (long)bytes, 0, 0, 0);
}

static inline long tw_sys_write(int fd, const void *buffer, size_t bytes)
{
	return tw_sys6(SYS_write, fd, (long)buffer, (long)bytes, 0, 0, 0);
}

static inline long tw_sys_pread(int fd, void *buffer, size_t bytes, uint64_t offset)
{
	return tw_sys6(SYS_pread64, fd, (long)buffer, (long)bytes, (long)offset, 0, 0);
}

static inline long tw_sys_pwrite(int fd, const void *buffer, size_t bytes,
				 uint64_t offset)
{
	return tw_sys6(SYS_pwrite64, fd, (long)buffer, (long)bytes, (long)offset, 0, 0);
}

static inline int tw_sys_ftruncate(int fd, uint64_t bytes)
{
	return (int)tw_sys6(SYS_ftruncate, fd, (long)bytes, 0, 0, 0, 0);
}

static inline int tw_sys_rename(const char *from, const char *to)
{
	return (int)tw_sys6(SYS_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0,
			    0);
}

static inline int tw_sys_unlink(const char *path)
{
	return (int)tw_sys6(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
}

static inline int tw_sys_access(const char *path, int mode)
{
	return (int)tw_sys6(SYS_faccessat, AT_FDCWD, (long)path, mode, 0, 0, 0);
}

/* Returns the address, or a value for which tw_sys_failed is true. */
static inline void *tw_sys_mmap(size_t bytes, int protection, int flags, int fd,
				uint64_t offset)
{
	return (void *)tw_sys6(SYS_mmap, 0, (long)bytes, protection, flags, fd,
			       (long)offset);
}

static inline int tw_sys_failed(const void *address)
{
	return (unsigned long)address > -4096UL;
}

static inline int tw_sys_munmap(void *address, size_t bytes)
{
	return (int)tw_sys6(SYS_munmap, (long)address, (long)bytes, 0, 0, 0, 0);
}

static inline int tw_sys_mprotect(void *address, size_t bytes, int protection)
{
	return (int)tw_sys6(SYS_mprotect, (long)address, (long)bytes, protection, 0, 0,
			    0);
}

static inline int tw_sys_madvise(void *address, size_t bytes, int advice)
{
	return (int)tw_sys6(SYS_madvise, (long)address, (long)bytes, advice, 0, 0, 0);
}

static inline int tw_sys_getpid(void)
{
	return (int)tw_sys6(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int tw_sys_getppid(void)
{
	return (int)tw_sys6(SYS_getppid, 0, 0, 0, 0, 0, 0);
}

static inline int tw_sys_gettid(void)
{
	return (int)tw_sys6(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline int tw_sys_kill(int pid, int signal)
{
	return (int)tw_sys6(SYS_kill, pid, signal, 0, 0, 0, 0);
}

static inline void tw_sys_sleep_ns(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
			     .tv_nsec = (long)(ns % 1000000000u)};

	tw_sys6(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&t, 0, 0, 0);
}

/* Waits while *word == value, at most `ns`. The word may be in shared memory. */
static inline void tw_sys_futex_wait(const void *word, uint32_t value, uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
			     .tv_nsec = (long)(ns % 1000000000u)};

	tw_sys6(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&t, 0, 0);
}

static inline void tw_sys_futex_wake(const void *word, int n)
{
	tw_sys6(SYS_futex, (long)word, FUTEX_WAKE, n, 0, 0, 0);
}

#endif
