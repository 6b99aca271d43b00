/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * syscall(2) as a library function, only to see seccomp(2) coming: libseccomp calls it
 * this way. In assembly because everything else must pass untouched, a raw clone that
 * returns twice on another stack included: registers kept, tail jump to libc's.
 */
#if defined(__x86_64__)
	.text
	.globl	syscall
	.type	syscall, @function
syscall:
	.cfi_startproc
	endbr64
	cmpl	$317, %edi		/* SYS_seccomp */
	je	2f
1:	movq	tw_cage_syscall(%rip), %r11
	testq	%r11, %r11
	jz	2f
	jmp	*%r11
	/* seccomp, or the first call of all: into C with all arguments kept. */
2:	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	tw_cage_see
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	movq	tw_cage_syscall(%rip), %r11
	jmp	*%r11
	.cfi_endproc
	.size	syscall, .-syscall
#endif
	.section .note.GNU-stack, "", @progbits
