/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where redirected calls of the evaluation loop arrive, with the site in r11: contract
 * in fast.h. Until the decision no argument register may change, because the original
 * may take more arguments than its name suggests: a linker may have inlined it.
 */
#if defined(__x86_64__)
	.text
	.globl tw_py_fast_enter
	.hidden tw_py_fast_enter
	.type tw_py_fast_enter, @function
	.p2align 4
tw_py_fast_enter:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq %r11
	pushq %r11
	pushq %r9
	pushq %r8
	pushq %rcx
	pushq %rdx
	pushq %rsi
	pushq %rdi
	movq %r11, %rdi
	movq %rsp, %rsi
	call *tw_py_fast_decide(%rip)
	popq %rdi
	popq %rsi
	popq %rdx
	popq %rcx
	popq %r8
	popq %r9
	popq %r11
	popq %r11
	popq %rbp
	.cfi_def_cfa %rsp, 8
	testl %eax, %eax
	jz 1f
	xorl %eax, %eax
	ret
1:	jmp *8(%r11)
	.cfi_endproc
	.size tw_py_fast_enter, . - tw_py_fast_enter

	.globl tw_py_fast_around
	.hidden tw_py_fast_around
	.type tw_py_fast_around, @function
	.p2align 4
tw_py_fast_around:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq %rbx
	.cfi_offset %rbx, -24
	pushq %r12
	.cfi_offset %r12, -32
	movq %r11, %rbx
	pushq %r9
	pushq %r8
	pushq %rcx
	pushq %rdx
	pushq %rsi
	pushq %rdi
	movq %rbx, %rdi
	movq %rsp, %rsi
	call tw_py_fast_before
	popq %rdi
	popq %rsi
	popq %rdx
	popq %rcx
	popq %r8
	popq %r9
	call *8(%rbx)
	movl %eax, %r12d
	movq %rbx, %rdi
	movl %eax, %esi
	call tw_py_fast_after
	movl %r12d, %eax
	popq %r12
	popq %rbx
	popq %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size tw_py_fast_around, . - tw_py_fast_around
#endif
	.section .note.GNU-stack, "", %progbits
