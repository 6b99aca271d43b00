#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs that cannot be entered: static, of another libc or word size, setuid, behind a
# chroot. They run as ever, and the trace or the summary names them.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/e2e/same.sh"
cd "$TW_TMP" || exit

# foreign NAME PROGRAM WHY [BARE]: the same outputs, alone and below a shell; the summary names why.
foreign()
{
	{
		printf '[%s]\nrun %s one two\nbare %s\n' "$1" "$2" "${4:-yes}"
		printf '[%s, below a shell]\nrun sh -c "%s one; exec %s two"\n' "$1" "$2" "$2"
		printf 'expect processes>=1\n'
	} >table.txt
	same_file table.txt
	"$TRACEWRAP" -o named.tw --force "$2" >out 2>err
	matches "$1: the summary says that nothing of it was recorded" "$3" err
}

if build_extra static arguments.c -static; then
	foreign static "$TW_TMP/static" 'static'
else
	skip static 'no static libc'
fi
if build_extra static_pie arguments.c -static-pie; then
	foreign 'static pie' "$TW_TMP/static_pie" 'static'
else
	skip 'static pie' 'no static libc'
fi
if has musl-gcc && EXTRA_CC=musl-gcc build_extra musl exits.c; then
	foreign musl "$TW_TMP/musl" 'musl' 'no its loader is handed a library of another libc by the user'
else
	skip musl 'needs musl-gcc (apt-get install musl-tools)'
fi
if build_extra wide arguments.c -m32; then
	foreign '32 bits' "$TW_TMP/wide" 'word size' \
		'no its loader is handed a library of another word size by the user'
else
	skip '32 bits' 'the compiler has no -m32 (apt-get install gcc-multilib)'
fi
# A set-user-id program run by another user: the loader refuses libraries from strangers.
if is_root; then
	mkdir -p shared/bin shared/lib
	cp "$TRACEWRAP" shared/bin/
	cp "$LIBTRACEWRAP" shared/lib/
	cp "$T/ids" shared/ids
	chmod 4755 shared/ids
	if [ "$("$OUTCOME" -o outcome -U 65534 "$TW_TMP/shared/ids" | cut -d' ' -f1-6)" = \
		'real 65534 effective 0 secure 1' ]; then
		kept_command=$TRACEWRAP kept_library=$LIBTRACEWRAP
		TRACEWRAP=$TW_TMP/shared/bin/tracewrap
		LIBTRACEWRAP=$TW_TMP/shared/lib/libtracewrap.so
		cat >table.txt <<-TABLE
			[setuid]
			run $TW_TMP/shared/ids
			setting -U 65534
			bare-filter s/preload .*//

			[setuid below a shell]
			run sh -c "$TW_TMP/shared/ids; echo \$?"
			setting -U 65534
			bare-filter s/preload .*//
		TABLE
		same_file table.txt
		mkdir -p by_other
		chmod 777 by_other
		"$OUTCOME" -o outcome -U 65534 "$TRACEWRAP" -o by_other/x.tw "$TW_TMP/shared/ids" \
			>out 2>err
		matches 'setuid: the summary names it' '[Ss]et-?user|setuid' err
		TRACEWRAP=$kept_command LIBTRACEWRAP=$kept_library
	else
		skip setuid "set-user-id has no effect in $TW_TMP (nosuid)"
	fi
	# A root without our library inside: the loader would print an error there.
	mkdir -p cage/bin
	if build_extra caged arguments.c; then
		mv caged cage/bin/caged
		ldd cage/bin/caged | grep -o '/[^ ]*' | sort -u | while read -r library; do
			mkdir -p "cage$(dirname "$library")"
			cp -L "$library" "cage$library"
		done
		printf '[chroot and exec]\nrun $T/cage %s /bin/caged word\nexpect zone:work=2\nbare no the user put the library into the environment himself\n' \
			"$TW_TMP/cage" >table.txt
		same_file table.txt
	fi
else
	skip setuid 'needs root'
	skip 'chroot and exec' 'needs root'
fi
finish
