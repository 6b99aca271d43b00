/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlopen, dlmopen, dlsym and dlvsym. libc's look at their return address to know who
 * asks (RTLD_NEXT, RUNPATH, namespaces), so where that matters we must not be in
 * between: the C half (seam.c) returns either the answer, or a function to jump to with
 * the caller's own arguments and return address.
 */
#if defined(__x86_64__)
	.text

.macro	SEAM name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	movq	24(%rsp), %rcx
	call	tw_seam_\name
	movq	%rdx, %r11
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%r11, %r11
	jnz	1f
	ret
1:	jmp	*%r11
	.cfi_endproc
	.size	\name, . - \name
.endm

	SEAM	dlopen
	SEAM	dlmopen
	SEAM	dlsym
	SEAM	dlvsym
#endif
	.section .note.GNU-stack, "", @progbits
