/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library of functions that are hard to wrap. Each counts its calls, so that a trace
 * can be held against it.
 */
#include "wrapped.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>

#define FUNCTIONS(X)                                                                   \
	X(w_struct_big) X(w_struct_pair) X(w_struct_small) X(w_long_double)            \
	X(w_complex) X(w_many) X(w_varargs) X(w_errno) X(w_leaf) X(w_tail)             \
	X(w_ifunc) X(w_call) X(w_throw) X(w_jump) X(w_jump_plain) X(w_jump_signal)     \
	X(w_descend) X(w_wide) X(w_wider) X(w_is_taken) X(w_trace) X(w_thread_exit) X(w_pause)

enum number {
#define X(name) N_##name,
	FUNCTIONS(X)
#undef X
		N_ALL
};

static std::atomic<long> counts[N_ALL];

#define COUNT(name) counts[N_##name].fetch_add(1, std::memory_order_relaxed)

extern "C" {

w_big w_struct_big(int x)
{
	w_big b;

	COUNT(w_struct_big);
	for (int i = 0; i < 8; i++)
		b.a[i] = x + i;
	return b;
}

w_pair w_struct_pair(long a, double b)
{
	COUNT(w_struct_pair);
	return w_pair{a * 2, b * 2};
}

w_small w_struct_small(char c)
{
	COUNT(w_struct_small);
	return w_small{{c, (char)(c + 1), (char)(c + 2)}};
}

long double w_long_double(long double a, long double b)
{
	COUNT(w_long_double);
	return a * b;
}

_Complex long double w_complex(_Complex long double a)
{
	COUNT(w_complex);
	return a * 2;
}

double w_many(int a, int b, int c, int d, int e, int f, int g, int h, double p,
	      double q, double r, double s, double t, double u, double v, double w,
	      double x, w_big big, long z)
{
	COUNT(w_many);
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + p + 2 * q +
	       3 * r + 4 * s + 5 * t + 6 * u + 7 * v + 8 * w + 9 * x + big.a[7] + z;
}

__attribute__((target("avx2"))) __m256d w_wide(__m256d a, __m256d b, __m256d c,
					       __m256d d, __m256d e, __m256d f,
					       __m256d g, __m256d h)
{
	COUNT(w_wide);
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}

__attribute__((target("avx512f"))) __m512d w_wider(__m512d a, __m512d b)
{
	COUNT(w_wider);
	return a * b;
}

int w_varargs(const char *format, ...)
{
	char text[256];
	va_list list;
	int n;

	COUNT(w_varargs);
	va_start(list, format);
	n = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return n + text[0];
}

int w_errno(int value)
{
	int before = errno;

	COUNT(w_errno);
	errno = value;
	return before;
}

int w_leaf(int x)
{
	COUNT(w_leaf);
	return x + 1;
}

/* Ends in a jump to another wrapped function. */
int w_tail(int x)
{
	COUNT(w_tail);
	return w_leaf(x);
}

static int triple(int x)
{
	COUNT(w_ifunc);
	return x * 3;
}

typedef int (*int_function)(int);

int_function w_resolve(void)
{
	return triple;
}

int w_ifunc(int) __attribute__((ifunc("w_resolve")));

void w_call(void (*f)(void *), void *argument)
{
	COUNT(w_call);
	f(argument);
}

void w_throw(int x)
{
	COUNT(w_throw);
	if (x)
		throw std::runtime_error("thrown");
}

void w_jump(jmp_buf *where, int value)
{
	COUNT(w_jump);
	longjmp(*where, value);
}

void w_jump_plain(jmp_buf *where, int value)
{
	COUNT(w_jump_plain);
	_longjmp(*where, value);
}

void w_jump_signal(sigjmp_buf *where, int value)
{
	COUNT(w_jump_signal);
	siglongjmp(*where, value);
}

int w_descend(int (*f)(int), int depth)
{
	COUNT(w_descend);
	return f(depth - 1) + 1;
}

/* Its address is taken, so how often it is called is not counted. */
int w_taken(int x)
{
	return x + 2;
}

static int (*const volatile own_taken)(int) = w_taken;

int w_is_taken(int (*f)(int))
{
	COUNT(w_is_taken);
	return f == own_taken;
}

int w_trace(void **frames, int n)
{
	COUNT(w_trace);
	return backtrace(frames, n);
}

void w_thread_exit(void *value)
{
	COUNT(w_thread_exit);
	pthread_exit(value);
}

void w_pause(void)
{
	COUNT(w_pause);
	for (;;)
		pause();
}

void w_report(void)
{
	static const char *const names[] = {
#define X(name) #name,
		FUNCTIONS(X)
#undef X
	};

	for (int i = 0; i < N_ALL; i++)
		if (counts[i])
			printf("calls %s %ld\n", names[i], counts[i].load());
}
}
