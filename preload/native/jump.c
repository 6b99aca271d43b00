/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * longjmp and its kin: frames of wrapped calls that are jumped over are given back, and
 * their zones end. Any thread, signal handlers: the real functions were found at the
 * start.
 */
#include <setjmp.h>

#include "preload/native/frames.h"
#include "preload/native/native.h"
#include "preload/native/thunk.h"
#include "preload/real.h"
#include "preload/self.h"

#define EXPORT	 __attribute__((visibility("default")))
#define NORETURN __attribute__((noreturn))

/* The fortified form has no declaration of its own. */
EXPORT NORETURN void __longjmp_chk(jmp_buf environment, int value);

TW_REAL_DECLARE(longjmp);
TW_REAL_DECLARE(_longjmp);
TW_REAL_DECLARE(siglongjmp);
TW_REAL_DECLARE(__longjmp_chk);

void tw_jump_start(void)
{
	(void)TW_REAL(longjmp);
	(void)TW_REAL(_longjmp);
	(void)TW_REAL(siglongjmp);
	(void)TW_REAL(__longjmp_chk);
}

/* Where the jump goes: glibc keeps the stack pointer scrambled. */
static uintptr_t target_of(const struct __jmp_buf_tag *environment)
{
	uintptr_t sp = 0;

#if defined(__x86_64__)
	uintptr_t guard;

	sp = (uintptr_t)environment->__jmpbuf[6];
	__asm__("movq %%fs:0x30, %0" : "=r"(guard));
	sp = (sp >> 17 | sp << 47) ^ guard;
#else
	(void)environment;
#endif
	return sp;
}

static void leave(const struct __jmp_buf_tag *environment)
{
	if (tw_native_is_on())
		tw_thunk_jump(target_of(environment));
}

EXPORT void longjmp(jmp_buf environment, int value)
{
	leave(environment);
	TW_REAL(longjmp)(environment, value);
	__builtin_unreachable();
}

EXPORT void _longjmp(jmp_buf environment, int value)
{
	leave(environment);
	TW_REAL(_longjmp)(environment, value);
	__builtin_unreachable();
}

EXPORT void siglongjmp(sigjmp_buf environment, int value)
{
	leave(environment);
	TW_REAL(siglongjmp)(environment, value);
	__builtin_unreachable();
}

EXPORT void __longjmp_chk(jmp_buf environment, int value)
{
	leave(environment);
	TW_REAL(__longjmp_chk)(environment, value);
	__builtin_unreachable();
}
