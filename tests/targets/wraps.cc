/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls the library of wrapped.cc in ways that a wrapper could break: `wraps CASE`. What
 * goes wrong is printed with its line; the last line says how many checks failed, after
 * the library's own count of calls.
 */
#include "wrapped.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <immintrin.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

static int n_failed;

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (!(condition)) {                                                    \
			printf("line %d: %s\n", __LINE__, #condition);                 \
			__atomic_add_fetch(&n_failed, 1, __ATOMIC_RELAXED);            \
		}                                                                      \
	} while (0)

/* Counts its destructions. */
struct guard {
	int *n;
	explicit guard(int *p) : n(p)
	{
	}
	~guard()
	{
		++*n;
	}
};

static void arguments()
{
	w_big b = w_struct_big(5);
	w_pair p = w_struct_pair(3, 1.5);
	w_small s = w_struct_small('a');
	_Complex long double c = w_complex(1.5L);
	int n = (int)strlen("42 abc 3.142 2.500000 1e+10") + '4';

	CHECK(b.a[0] == 5 && b.a[7] == 12);
	CHECK(p.a == 6 && p.b == 3);
	CHECK(s.c[0] == 'a' && s.c[2] == 'c');
	CHECK(w_long_double(1.5L, 2.0L) == 3.0L);
	CHECK(__real__ c == 3.0L && __imag__ c == 0);
	CHECK(w_many(1, 2, 3, 4, 5, 6, 7, 8, .5, 1, 2, 3, 4, 5, 6, 7, 8, b, 9) ==
	      1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + .5 + 2 + 6 + 12 + 20 + 30 + 42 + 56 +
		      72 + 12 + 9);
	for (int i = 0; i < 100; i++)
		CHECK(w_varargs("%d %s %.3f %Lf %g", 42, "abc", 3.14159, 2.5L, 1e10) ==
		      n);
	errno = 11;
	CHECK(w_errno(77) == 11 && errno == 77);
	CHECK(w_tail(4) == 5);
	CHECK(w_ifunc(5) == 15);
	/* Programs compare addresses of functions, and call through them. */
	CHECK(w_is_taken(w_taken));
	CHECK(w_taken(1) == 3);
}

__attribute__((target("avx2"), noinline)) static void wide()
{
	__m256d v[8], r;

	for (int i = 0; i < 8; i++)
		v[i] = _mm256_set_pd(i, i + 1, i + 2, i + 3);
	for (int i = 0; i < 100; i++) {
		r = w_wide(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
		CHECK(r[3] == 168 && r[0] == 168 + 3 * 36);
	}
}

__attribute__((target("avx512f"), noinline)) static void wider()
{
	__m512d a = _mm512_set1_pd(3), b = _mm512_set_pd(0, 1, 2, 3, 4, 5, 6, 7), r;

	for (int i = 0; i < 100; i++) {
		r = w_wider(a, b);
		CHECK(r[0] == 21 && r[7] == 0 && r[3] == 12);
	}
}

static void vectors()
{
	if (__builtin_cpu_supports("avx2"))
		wide();
	if (__builtin_cpu_supports("avx512f"))
		wider();
}

static void fall(void *n)
{
	guard g((int *)n);

	w_throw(1);
}

static void fall_far(void *n)
{
	guard g((int *)n);

	w_call(fall, n);
}

static void fall_again(void *n)
{
	try {
		w_call(fall, n);
	} catch (const std::exception &) {
		++*(int *)n;
		throw;
	}
}

static int throw_often(int times)
{
	int n = 0, n_caught = 0;

	for (int i = 0; i < times; i++) {
		try {
			fall_far(&n);
		} catch (const std::runtime_error &e) {
			n_caught += e.what() == std::string("thrown");
		}
	}
	return n == 2 * times ? n_caught : -1;
}

static void exceptions()
{
	int n = 0;

	CHECK(throw_often(1000) == 1000);
	try {
		w_call(fall_again, &n);
		CHECK(!"reached");
	} catch (const std::exception &) {
	}
	CHECK(n == 2);
	/* The handler is in the very frame that made the wrapped call. */
	for (int i = 0; i < 100; i++) {
		try {
			w_throw(1);
		} catch (...) {
			n++;
		}
		w_throw(0);
	}
	CHECK(n == 102);
	CHECK(w_leaf(1) == 2);
}

static void exceptions_in_threads()
{
	std::vector<std::thread> threads;
	int n_caught[8] = {};

	for (int i = 0; i < 8; i++)
		threads.emplace_back([&n_caught, i] { n_caught[i] = throw_often(500); });
	for (auto &t : threads)
		t.join();
	for (int n : n_caught)
		CHECK(n == 500);
}

static jmp_buf back;
static sigjmp_buf back_from_signal;

static void jump(void *)
{
	w_jump(&back, 7);
}

static void jump_plain(void *)
{
	w_jump_plain(&back, 8);
}

static void jump_signal(void *)
{
	w_jump_signal(&back_from_signal, 9);
}

static void jump_far(void *)
{
	w_call(jump, nullptr);
}

static void jumps()
{
	volatile int n[4] = {};

	for (volatile int i = 0; i < 500; i++) {
		if (setjmp(back) == 0)
			w_call(jump_far, nullptr);
		else
			n[0] = n[0] + 1;
		w_leaf(1);
		if (_setjmp(back) == 0)
			w_call(jump_plain, nullptr);
		else
			n[1] = n[1] + 1;
		if (sigsetjmp(back_from_signal, 1) == 0)
			w_call(jump_signal, nullptr);
		else
			n[2] = n[2] + 1;
	}
	CHECK(n[0] == 500 && n[1] == 500 && n[2] == 500);
}

static void jumps_in_threads()
{
	/* One buffer: one thread after the other. */
	for (int i = 0; i < 4; i++)
		std::thread(jumps).join();
}

static int descend(int depth)
{
	return depth > 0 ? w_descend(descend, depth) : 0;
}

static void recursion()
{
	CHECK(descend(20000) == 20000);
}

/* Deeper than frames are kept for; needs a big stack. */
static void abyss()
{
	CHECK(descend(100000) == 100000);
	CHECK(w_leaf(1) == 2);
}

static ucontext_t scheduler, fibers[3];
static int n_steps;

static void step(void *number)
{
	for (int i = 0; i < 5; i++) {
		n_steps += w_leaf(0);
		swapcontext(&fibers[(long)number], &scheduler);
	}
}

static void fiber(long number)
{
	for (;;)
		w_call(step, (void *)number);
}

static void fibers_case()
{
	static char stacks[3][65536];

	for (long i = 0; i < 3; i++) {
		getcontext(&fibers[i]);
		fibers[i].uc_stack.ss_sp = stacks[i];
		fibers[i].uc_stack.ss_size = sizeof(stacks[i]);
		fibers[i].uc_link = &scheduler;
		makecontext(&fibers[i], (void (*)())fiber, 1, i);
	}
	for (int i = 0; i < 3000; i++)
		swapcontext(&scheduler, &fibers[(i * 7 + i / 3) % 3]);
	CHECK(n_steps == 3000);
}

static int n_main;

static void look_back(void *)
{
	void *frames[64];
	int n = w_trace(frames, 64);
	char **names = backtrace_symbols(frames, n);

	for (int i = 0; i < n; i++)
		n_main += strstr(names[i], "main") != nullptr;
	CHECK(n >= 5 && n < 64);
	free(names);
}

static void backtraces()
{
	w_call(look_back, nullptr);
	/* The program's own main, or libc's call of it. */
	CHECK(n_main >= 1);
}

static volatile sig_atomic_t n_signals;

static void on_timer(int)
{
	n_signals += w_leaf(0);
}

static void set_timer(long us)
{
	struct itimerval every = {{0, us}, {0, us}};

	setitimer(ITIMER_PROF, &every, nullptr);
}

static void signals()
{
	struct sigaction action = {};
	long sum = 0;

	action.sa_handler = on_timer;
	action.sa_flags = SA_RESTART;
	sigaction(SIGPROF, &action, nullptr);
	set_timer(200);
	while (n_signals < 20)
		for (int i = 0; i < 1000; i++)
			sum += w_leaf(-1);
	CHECK(sum == 0);
	n_signals = 0;
	while (n_signals < 20)
		CHECK(throw_often(100) == 100);
	set_timer(0);
}

static void leave_now(void *n)
{
	w_thread_exit(n);
}

static void *leave(void *n)
{
	guard g((int *)n);

	w_call(leave_now, n);
	return nullptr;
}

static void *wait_for_end(void *n)
{
	guard g((int *)n);

	w_pause();
	return nullptr;
}

static void thread_ends()
{
	int n = 0;

	for (int i = 0; i < 100; i++) {
		pthread_t t;
		void *result = nullptr;

		pthread_create(&t, nullptr, leave, &n);
		pthread_join(t, &result);
		CHECK(result == &n);
	}
	for (int i = 0; i < 20; i++) {
		pthread_t t;
		void *result = nullptr;

		pthread_create(&t, nullptr, wait_for_end, &n);
		usleep(1000);
		pthread_cancel(t);
		pthread_join(t, &result);
		CHECK(result == PTHREAD_CANCELED);
	}
	CHECK(n == 120);
}

static int child_status;

/* Both parent and child return through the frames of the calls around the fork. */
static void fork_inside(void *)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		return;
	waitpid(pid, &status, 0);
	child_status = WEXITSTATUS(status);
}

static void fork_deeper(void *p)
{
	w_call(fork_inside, p);
}

static void forks()
{
	fflush(stdout);
	for (int i = 0; i < 10; i++) {
		child_status = -1;
		w_call(fork_deeper, nullptr);
		if (child_status < 0) {
			int sum = 0;

			for (int k = 0; k < 1000; k++)
				sum += w_leaf(0);
			_exit(sum == 1000 && throw_often(10) == 10 ? 3 : 4);
		}
		CHECK(child_status == 3);
	}
}

static void vforks()
{
	for (int i = 0; i < 10; i++) {
		int status = 0;
		pid_t pid = vfork();

		if (pid == 0) {
			w_leaf(1);
			execl("/bin/true", "true", (char *)nullptr);
			_exit(9);
		}
		waitpid(pid, &status, 0);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		w_leaf(1);
	}
	CHECK(system("exit 5") == 5 << 8);
}

/* From inside the wrapped call on, even reading the processor's clock is fatal. */
static void lock_up(void *)
{
	fflush(stdout);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

static void caged()
{
	int sum = 0;

	w_leaf(1);
	w_call(lock_up, nullptr);
	for (int i = 0; i < 1000; i++)
		sum += w_leaf(0);
	syscall(SYS_exit, sum == 1000 ? 7 : 8);
}

static const struct {
	const char *name;
	void (*run)();
} cases[] = {
	{"arguments", arguments},
	{"vectors", vectors},
	{"exceptions", exceptions},
	{"exceptions-in-threads", exceptions_in_threads},
	{"jumps", jumps},
	{"jumps-in-threads", jumps_in_threads},
	{"recursion", recursion},
	{"abyss", abyss},
	{"fibers", fibers_case},
	{"backtraces", backtraces},
	{"signals", signals},
	{"thread-ends", thread_ends},
	{"forks", forks},
	{"vforks", vforks},
	{"caged", caged},
};

int main(int argc, char **argv)
{
	for (const auto &c : cases)
		if (argc > 1 && strcmp(argv[1], c.name) == 0)
			c.run();
	if (argc < 3)
		w_report();
	printf("%d failed\n", n_failed);
	return n_failed != 0;
}
