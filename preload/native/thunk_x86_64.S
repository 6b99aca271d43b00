/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thunk: every wrapped call goes through here, on the calling thread and on its
 * stack. The caller's return address is taken off the stack, the real function is
 * called from the same place (so arguments on the stack stay where they are), and the
 * return address is put back before the return. Calls and returns stay paired, as
 * processors and shadow stacks want them.
 *
 * Between the two, r15 points to a frame off the stack (frames.h) with what the caller
 * must get back. r15 because compilers use it last: conservative garbage collectors do
 * not look into frames for the value that it had. Only general registers are touched
 * on the hot path; vector and x87 registers, which may hold arguments and results, are
 * saved around the slow paths, which are C (thunk.c).
 *
 * The unwind table makes the thunk an ordinary frame for exceptions, cancellation,
 * backtraces and debuggers. Its canonical frame address is not true but unique: the
 * unwinder tells frames apart by it, and thunk and caller share a stack pointer. When
 * an exception passes, the personality (unwind.c) sends it to the landing pad below.
 */
#if defined(__x86_64__)

/* struct tw_producer; thunk.c holds the compiler to these. */
	.set	P_HEAD, 0
	.set	P_BEGIN_LIMIT, 8
	.set	P_END_LIMIT, 16
	.set	P_SLOTS, 24
	.set	P_MASK, 32
	.set	P_DEPTH, 48
/* struct tw_frame */
	.set	F_RETURN, 0
	.set	F_SAVED, 8
	.set	F_SP, 16
	.set	F_HOOK, 24
	.set	F_TOKEN, 32
	.set	F_RESUME, 40
	.set	F_BYTES, 64
/* struct tw_hook */
	.set	H_REAL, 0
	.set	H_WORD, 8
	.set	H_BYTES, 16
	.set	N_HOOKS, 16384
/* XSAVE: x87, SSE, AVX and AVX-512 state in the standard form, and its header */
	.set	STATE_BYTES, 2752
	.set	STATE_MASK, 0xe7

	.text
	.hidden	tw_thunk_gate, tw_thunk_has_xsave, tw_hooks, tw_frames, tw_thread_producer
	.globl	tw_thunk_stubs
	.hidden	tw_thunk_stubs
	.type	tw_thunk_stubs, @function
	.p2align 4
tw_thunk_stubs:
	.cfi_startproc
	.set	i, 0
	.rept	N_HOOKS
	.p2align 4
	endbr64
	leaq	tw_hooks + H_BYTES * i(%rip), %r11
	jmp	tw_thunk
	.set	i, i + 1
	.endr
	.p2align 4
	.cfi_endproc
	.size	tw_thunk_stubs, . - tw_thunk_stubs

/* r15's old value is in the frame. */
.macro	CFI_R15_IN_FRAME
	.cfi_escape 0x10, 0x0f, 0x02, 0x7f, F_SAVED
.endm

/*
 * As at the call: `extra` bytes below the caller's stack pointer. The frame address is
 * rsp + extra + 15 - frame number modulo 8; rsp and the return address are in the frame
 * (as saved registers: not every unwinder knows computed ones).
 */
.macro	CFI_AT_CALL extra
	.cfi_escape 0x0f, 0x09, 0x77, \extra + 15, 0x7f, 0x00, 0x36, 0x25, 0x37, 0x1a, 0x1c
	.cfi_escape 0x10, 0x07, 0x02, 0x7f, F_SP
	.cfi_escape 0x10, 0x10, 0x02, 0x7f, F_RETURN
	CFI_R15_IN_FRAME
.endm

	.globl	tw_thunk
	.hidden	tw_thunk
	.type	tw_thunk, @function
	.p2align 6
tw_thunk:
	.cfi_startproc
	.cfi_personality 0x9b, DW.ref.tw_unwind_personality
	.cfi_lsda 0x1b, tw_thunk_no_table
	/* r11 = the hook. rax may count vector arguments, r10 is a chain pointer. */
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	movq	tw_thunk_gate(%rip), %rax
	cmpl	$0, (%rax)
	je	.Lpass
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	/* Claim first, fill then: a signal handler may come in between. */
	movq	tw_frames@gottpoff(%rip), %rcx
	movq	%fs:(%rcx), %rdx
	leaq	F_BYTES(%rdx), %rax
	cmpq	%fs:8(%rcx), %rax
	ja	.Lno_frame
	movq	%rax, %fs:(%rcx)
.Lhave_frame:
	movq	24(%rsp), %rax
	movq	%rax, F_RETURN(%rdx)
	movq	%r15, F_SAVED(%rdx)
	leaq	32(%rsp), %rax
	movq	%rax, F_SP(%rdx)
	movq	%r11, F_HOOK(%rdx)
	movq	%rdx, %r15
	.cfi_remember_state
	CFI_R15_IN_FRAME
	/* tw_producer_begin of core/ring.h */
	movq	tw_thread_producer@gottpoff(%rip), %rcx
	movq	%fs:(%rcx), %rcx
	movq	P_HEAD(%rcx), %rax
	cmpq	P_BEGIN_LIMIT(%rcx), %rax
	jae	.Lslow_begin
	movq	H_WORD(%r11), %rax
	testq	%rax, %rax
	jz	.Lslow_begin
	movl	$1, %edx
	xaddq	%rdx, P_HEAD(%rcx)
	andq	P_MASK(%rcx), %rdx
	shlq	$4, %rdx
	addq	P_SLOTS(%rcx), %rdx
	movq	%rax, 8(%rdx)
	movl	P_DEPTH(%rcx), %eax
	incl	%eax
	movl	%eax, P_DEPTH(%rcx)
	movl	%eax, F_TOKEN(%r15)
	movq	%rdx, %rcx
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, (%rcx)
.Lbegun:
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	leaq	8(%rsp), %rsp
	CFI_AT_CALL 0
	call	*H_REAL(%r11)
	.globl	tw_thunk_returned
	.hidden	tw_thunk_returned
tw_thunk_returned:
	movq	%rax, %r8
	movq	%rdx, %r9
	movq	tw_thread_producer@gottpoff(%rip), %rcx
	movq	tw_frames@gottpoff(%rip), %r10
	movq	%fs:(%rcx), %rcx
	leaq	F_BYTES(%r15), %rdi
	movl	F_TOKEN(%r15), %esi
	cmpq	%fs:(%r10), %rdi
	jne	.Lslow_end
	/* tw_producer_end of core/ring.h */
	cmpl	P_DEPTH(%rcx), %esi
	jne	.Lslow_end
	movq	P_HEAD(%rcx), %rdi
	cmpq	P_END_LIMIT(%rcx), %rdi
	jae	.Lslow_end
	/* Not before the checks: a thread that left recording may have lost its clock. */
	rdtsc
	movl	$1, %edi
	xaddq	%rdi, P_HEAD(%rcx)
	andq	P_MASK(%rcx), %rdi
	shlq	$4, %rdi
	addq	P_SLOTS(%rcx), %rdi
	decl	%esi
	movl	%esi, P_DEPTH(%rcx)
	movabsq	$2 << 48, %rsi
	movq	%rsi, 8(%rdi)
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, (%rdi)
	movq	%r15, %rax
	/* rax = the new top of the frames; the frame is read before it is given back. */
.Lrelease:
	movq	F_RETURN(%r15), %rcx
	movq	F_SAVED(%r15), %r15
	.cfi_remember_state
	.cfi_def_cfa rsp, 0
	.cfi_restore rsp
	.cfi_restore r15
	.cfi_register rip, rcx
	movq	%rax, %fs:(%r10)
.Lreturn:
	movq	%r8, %rax
	movq	%r9, %rdx
	pushq	%rcx
	.cfi_def_cfa_offset 8
	.cfi_offset rip, -8
	ret
	.cfi_restore_state
	/* rdi.. are free here; rax of the C function: the new top, or 0 = keep it. */
.Lslow_end:
	leaq	tw_thunk_end_slow(%rip), %r11
	call	tw_thunk_slow
	movq	tw_frames@gottpoff(%rip), %r10
	testq	%rax, %rax
	jnz	.Lrelease
	movq	F_RETURN(%r15), %rcx
	movq	F_SAVED(%r15), %r15
	.cfi_def_cfa rsp, 0
	.cfi_restore rsp
	.cfi_restore r15
	.cfi_register rip, rcx
	jmp	.Lreturn
	.cfi_restore_state
	.cfi_remember_state
.Lno_frame:
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	leaq	tw_frames_claim(%rip), %r11
	call	tw_thunk_slow
	popq	%r11
	.cfi_adjust_cfa_offset -8
	movq	%rax, %rdx
	testq	%rax, %rax
	jnz	.Lhave_frame
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
.Lpass:
	popq	%rax
	.cfi_adjust_cfa_offset -8
	jmp	*H_REAL(%r11)
	.cfi_restore_state
	CFI_R15_IN_FRAME
.Lslow_begin:
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	leaq	tw_thunk_begin_slow(%rip), %r11
	call	tw_thunk_slow
	popq	%r11
	.cfi_adjust_cfa_offset -8
	jmp	.Lbegun
	.cfi_endproc
	.size	tw_thunk, . - tw_thunk

/*
 * Where an exception that passes a wrapped call comes by: rsp and r15 are as at the
 * call, rax is the exception. What the unwinder still needs of the frame goes to the
 * stack, which nobody uses below the caller; then the frame is given back, and the
 * unwinding goes on as if from a frame of ours.
 */
	.globl	tw_thunk_landing
	.hidden	tw_thunk_landing
	.type	tw_thunk_landing, @function
	.p2align 4
tw_thunk_landing:
	.cfi_startproc
	CFI_AT_CALL 0
	endbr64
	subq	$48, %rsp
	CFI_AT_CALL 48
	movq	%rax, (%rsp)
	movq	F_RESUME(%r15), %rax
	movq	%rax, 32(%rsp)
	movq	F_SAVED(%r15), %rax
	movq	%rax, 8(%rsp)
	movq	%r15, %rax
	shrq	$6, %rax
	andl	$7, %eax
	leaq	48 + 15(%rsp), %rcx
	subq	%rax, %rcx
	movq	%rcx, 16(%rsp)
	movq	F_SP(%r15), %rax
	movq	%rax, 40(%rsp)
	movq	F_RETURN(%r15), %rax
	movq	%rax, 24(%rsp)
	/* The same address as in the search phase, now from the stack. */
	.cfi_escape 0x0f, 0x03, 0x77, 0x10, 0x06
	.cfi_escape 0x10, 0x10, 0x02, 0x77, 0x18
	.cfi_escape 0x10, 0x0f, 0x02, 0x77, 0x08
	.cfi_escape 0x10, 0x07, 0x02, 0x77, 0x28
	movq	%r15, %rdi
	call	tw_thunk_unwound
	movq	(%rsp), %rdi
	movq	8(%rsp), %r15
	call	*32(%rsp)
	ud2
	.cfi_endproc
	.size	tw_thunk_landing, . - tw_thunk_landing

/*
 * Calls the C function in r11 with r15, the frame, and returns what it returns. All
 * other registers but rcx and rdx are kept, vector and x87 state included.
 */
	.hidden	tw_thunk_slow
	.type	tw_thunk_slow, @function
	.p2align 4
tw_thunk_slow:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq	%rdi
	pushq	%rsi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	subq	$STATE_BYTES, %rsp
	andq	$-64, %rsp
	movq	%r15, %rdi
	movl	$STATE_MASK, %eax
	xorl	%edx, %edx
	cmpb	$0, tw_thunk_has_xsave(%rip)
	je	1f
	.set	i, 512
	.rept	8
	movq	%rdx, i(%rsp)
	.set	i, i + 8
	.endr
	xsave64	(%rsp)
	call	*%r11
	movq	%rax, %rcx
	movl	$STATE_MASK, %eax
	xorl	%edx, %edx
	xrstor64 (%rsp)
	jmp	2f
1:	fxsave64 (%rsp)
	call	*%r11
	movq	%rax, %rcx
	fxrstor64 (%rsp)
2:	movq	%rcx, %rax
	leaq	-40(%rbp), %rsp
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rsi
	popq	%rdi
	popq	%rbp
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	ret
	.cfi_endproc
	.size	tw_thunk_slow, . - tw_thunk_slow

	.section .data.rel.local.DW.ref.tw_unwind_personality, "awG", @progbits, DW.ref.tw_unwind_personality, comdat
	.p2align 3
	.type	DW.ref.tw_unwind_personality, @object
	.size	DW.ref.tw_unwind_personality, 8
	.hidden	DW.ref.tw_unwind_personality
	.weak	DW.ref.tw_unwind_personality
DW.ref.tw_unwind_personality:
	.quad	tw_unwind_personality

	/* A table for language-specific data without an entry. */
	.section .gcc_except_table, "a", @progbits
tw_thunk_no_table:
	.byte	0xff, 0xff, 0x01, 0x00

	/* Good for indirect branch tracking and shadow stacks. */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0
#endif
	.section .note.GNU-stack, "", @progbits
