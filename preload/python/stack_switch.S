/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * void *tw_py_stack_switch(void *function, void *a, void *b, long c, void *top):
 * calls function(a, b, c) with the stack pointer at `top` and returns what it returns.
 * The frame pointer leads back, so exceptions and debuggers find their way. Called from
 * stack.c, on the thread whose stack is low.
 */
	.text
	.globl tw_py_stack_switch
	.hidden tw_py_stack_switch
	.type tw_py_stack_switch, %function
tw_py_stack_switch:
	.cfi_startproc
#if defined(__x86_64__)
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq %r8, %rsp
	movq %rdi, %rax
	movq %rsi, %rdi
	movq %rdx, %rsi
	movq %rcx, %rdx
	call *%rax
	leave
	.cfi_def_cfa %rsp, 8
	ret
#elif defined(__aarch64__)
	stp x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov x29, sp
	.cfi_def_cfa_register x29
	mov sp, x4
	mov x9, x0
	mov x0, x1
	mov x1, x2
	mov x2, x3
	blr x9
	mov sp, x29
	.cfi_def_cfa_register sp
	ldp x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
#else
#error "a new CPU needs tw_py_stack_switch here"
#endif
	.cfi_endproc
	.size tw_py_stack_switch, . - tw_py_stack_switch
	.section .note.GNU-stack, "", %progbits
