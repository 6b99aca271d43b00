/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The four functions on memory that a compiler may call unasked, for this library alone
 * (hidden). libc's can be another's in the traced program: ThreadSanitizer and memory
 * debuggers replace them and would take what our pump does with the rings, without
 * telling them of any lock, for mistakes of the program. Any thread.
 *
 * The empty asm keeps the compiler from making a loop a call of the function itself.
 */
#include <stddef.h>
#include <stdint.h>

#define HIDDEN	  __attribute__((visibility("hidden"), used))
#define BARRIER() __asm__ volatile("" : : : "memory")
#define BY_WORDS  256u /* up to so many bytes a loop is faster than one instruction */

HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t n);
HIDDEN void *memmove(void *to, const void *from, size_t n);
HIDDEN void *memset(void *to, int byte, size_t n);
HIDDEN int memcmp(const void *left, const void *right, size_t n);

typedef uint64_t word __attribute__((may_alias, aligned(1)));

static inline void copy_forward(uint8_t *to, const uint8_t *from, size_t n)
{
	for (; n >= sizeof(word); n -= sizeof(word)) {
		*(word *)to = *(const word *)from;
		to += sizeof(word);
		from += sizeof(word);
		BARRIER();
	}
	for (; n; n--) {
		*to++ = *from++;
		BARRIER();
	}
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
#if defined(__x86_64__)
	if (n > BY_WORDS) {
		void *d = to;

		__asm__ volatile("rep movsb"
				 : "+D"(d), "+S"(from), "+c"(n)
				 :
				 : "memory");
		return to;
	}
#endif
	copy_forward(to, from, n);
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	uint8_t *d = to;
	const uint8_t *s = from;

	if ((uintptr_t)d - (uintptr_t)s >= n) {
		copy_forward(d, s,
			     n); /* also when they overlap the harmless way round */
		return to;
	}
	while (n >= sizeof(word)) {
		n -= sizeof(word);
		*(word *)(d + n) = *(const word *)(s + n);
		BARRIER();
	}
	while (n) {
		n--;
		d[n] = s[n];
		BARRIER();
	}
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	uint8_t *d = to;

#if defined(__x86_64__)
	if (n > BY_WORDS) {
		__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
		return to;
	}
#endif
	for (; n >= sizeof(word); n -= sizeof(word)) {
		*(word *)d = (uint8_t)byte * UINT64_C(0x0101010101010101);
		d += sizeof(word);
		BARRIER();
	}
	for (; n; n--) {
		*d++ = (uint8_t)byte;
		BARRIER();
	}
	return to;
}

int memcmp(const void *left, const void *right, size_t n)
{
	const uint8_t *a = left, *b = right;

	for (; n; n--, a++, b++) {
		if (*a != *b)
			return *a < *b ? -1 : 1;
		BARRIER();
	}
	return 0;
}
