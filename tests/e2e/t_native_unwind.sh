#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Other people's unwinders and wrappers meet wrapped calls: a static libgcc, LLVM's C++
# library, Rust panics, debuggers, libunwind, sanitizers.
. "$TW_SRC/tests/e2e/native.sh"
build_wrapped || {
	not_ok 'the library builds' "$TW_TMP/.build"
	finish
}
one='libwrapped.so:*'

# exceptions LABEL EXPECT: stanzas for $TW_TMP/wraps.
exceptions()
{
	local case
	for case in exceptions exceptions-in-threads thread-ends; do
		stanza "$1, $case" "$one" "$TW_TMP/wraps $case" "$(counted "$TW_TMP/wraps" $case) $2"
	done >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
}

# An unwinder that hides its functions is let through; zones end with the call around.
if build_wraps wraps -static-libgcc; then
	exceptions 'static libgcc' balanced
else
	skip 'static libgcc' 'the compiler cannot link it'
fi
# Here even the handler's side of C++ is another copy than the library's.
if has clang++ && EXTRA_CC=clang++ build_wraps wraps -stdlib=libc++ && "$TW_TMP/wraps" arguments >/dev/null 2>&1; then
	stanza "LLVM's C++ library, ends of threads" "$one" "$TW_TMP/wraps thread-ends" \
		"$(counted "$TW_TMP/wraps" thread-ends) balanced" >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
else
	skip "LLVM's C++ library" 'needs clang++ with libc++ (apt-get install libc++-dev libc++abi-dev)'
fi

# Unoptimised: rustc otherwise loads a function's address once, and calls through that.
cat >"$TW_TMP/panics.rs" <<'R'
extern "C" { fn w_leaf(x: i32) -> i32; fn w_report(); }
extern "C-unwind" { fn w_call(f: extern "C-unwind" fn(*mut u8), p: *mut u8); }
extern "C-unwind" fn fall(_p: *mut u8) { panic!("down"); }
fn main() {
    let (mut sum, mut caught) = (0, 0);
    std::panic::set_hook(Box::new(|_| {}));
    for i in 0..100 {
        sum += unsafe { w_leaf(i) };
        if std::panic::catch_unwind(|| unsafe { w_call(fall, std::ptr::null_mut()) }).is_err() { caught += 1; }
    }
    println!("{} {}", sum, caught);
    unsafe { w_report() }
}
R
if has rustc && (cd "$TW_TMP" && rustc panics.rs -o panics -L "$TW_TMP" -l dylib=wrapped -C link-arg=-Wl,-rpath,"$TW_TMP") >"$TW_TMP/.build" 2>&1; then
	stanza 'Rust panics' "$one" "$TW_TMP/panics" 'zone:w_leaf=100 zone:w_call=100 balanced' >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
else
	skip 'Rust panics' 'needs a rustc that works (apt-get install rustc)'
fi

build_wraps wraps -O0 -g
cd "$TW_TMP" || exit
if has gdb; then
	# shellcheck disable=SC2209
	debug()
	{
		"$@" gdb -nx -batch -ex 'set breakpoint pending on' -ex 'break w_trace' -ex run -ex backtrace \
			-ex finish --args "$TW_TMP/wraps" backtraces 2>&1 </dev/null | grep -E '^#'
	}
	stack_of()
	{
		sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([a-z_]*\).*/\2/p' "$1" | grep -vx tw_thunk | tr '\n' ' '
	}
	debug env >plain.txt
	debug "$TRACEWRAP" -q --port 0 -o g.tw -t "$one" >frames.txt
	matches 'gdb walks through the thunk' 'tw_thunk' frames.txt
	matches 'and finds the caller' 'look_back' frames.txt
	matches 'and the callers of that' ' main ' frames.txt
	equal 'and it is the same stack' "$(stack_of plain.txt)" "$(stack_of frames.txt)"
else
	skip 'gdb' 'needs gdb (apt-get install gdb)'
fi

# libunwind takes a frame's address for its caller's stack pointer, and ours is not: it
# finds the caller, and goes on from there only where code keeps frame pointers.
cat >"$TW_TMP/walk.c" <<'C'
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <stdio.h>
#include <string.h>
void w_call(void (*)(void *), void *);
static void walk(void *unused)
{
	unw_context_t context;
	unw_cursor_t cursor;
	char name[128];
	unw_word_t offset;
	int n = 0;
	(void)unused;
	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	do {
		if (unw_get_proc_name(&cursor, name, sizeof(name), &offset) == 0 && strncmp(name, "tw_", 3) != 0)
			printf("%s\n", name);
	} while (strcmp(name, "main") != 0 && unw_step(&cursor) > 0 && ++n < 50);
}
int main(void) { w_call(walk, 0); w_call(walk, 0); return 0; }
C
if $CC -O1 -g "$TW_TMP/walk.c" -o "$TW_TMP/walk" "$TW_TMP/libwrapped.so" -Wl,-rpath,"$TW_TMP" -lunwind 2>"$TW_TMP/.build"; then
	stanza 'libunwind' "$one" "$TW_TMP/walk" 'zone:w_call=2 balanced' >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
else
	skip 'libunwind' 'needs libunwind-dev (apt-get install libunwind-dev)'
fi

# Sanitizers wrap much of libc themselves, and look symbols up before anybody else.
for sanitizer in address,undefined thread; do
	if build_wraps wraps -fsanitize=$sanitizer -g && "$TW_TMP/wraps" arguments >/dev/null 2>&1; then
		for case in arguments exceptions jumps thread-ends; do
			printf '[%s, %s]\nrun %s\nsetting -e TRACEWRAP_TRACE=%s -e ASAN_OPTIONS=detect_leaks=0\nexpect %s\nbare no its runtime must come first\n' \
				"$sanitizer" $case "$TW_TMP/wraps $case" "'$one'" "$(counted "$TW_TMP/wraps" $case) balanced"
		done >"$TW_TMP/table.txt"
		same_file "$TW_TMP/table.txt"
	else
		skip "sanitizer $sanitizer" 'the compiler cannot build or run it here'
	fi
done
finish
