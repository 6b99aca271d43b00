/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the library that wraps.cc calls through wrapped slots. */
#ifndef TW_WRAPPED_H
#define TW_WRAPPED_H

#include <immintrin.h>
#include <setjmp.h>

#ifdef __cplusplus
extern "C" {
#endif

struct w_big {
	long a[8];
};
struct w_pair {
	long a;
	double b;
};
struct w_small {
	char c[3];
};

struct w_big w_struct_big(int x);
struct w_pair w_struct_pair(long a, double b);
struct w_small w_struct_small(char c);
long double w_long_double(long double a, long double b);
_Complex long double w_complex(_Complex long double a);
double w_many(int a, int b, int c, int d, int e, int f, int g, int h, double p,
	      double q, double r, double s, double t, double u, double v, double w,
	      double x, struct w_big big, long z);
__m256d w_wide(__m256d a, __m256d b, __m256d c, __m256d d, __m256d e, __m256d f,
	       __m256d g, __m256d h) __attribute__((target("avx2")));
__m512d w_wider(__m512d a, __m512d b) __attribute__((target("avx512f")));
int w_varargs(const char *format, ...);
int w_errno(int value);
int w_leaf(int x);
int w_tail(int x);
int w_ifunc(int x);
void w_call(void (*f)(void *), void *argument);
void w_throw(int x);
void w_jump(jmp_buf *where, int value);
void w_jump_plain(jmp_buf *where, int value);
void w_jump_signal(sigjmp_buf *where, int value);
int w_descend(int (*f)(int), int depth);
int w_taken(int x);
int w_is_taken(int (*f)(int));
int w_trace(void **frames, int n);
void w_thread_exit(void *value);
void w_pause(void);
/* Prints "calls NAME N" for each function that was called. */
void w_report(void);

#ifdef __cplusplus
}
#endif
#endif
