#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Machines without what one leans on: no /proc, no or full /dev/shm, full or read-only
# disks, unwritable folders. The program never notices; we say what was lost.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

# within SCRIPT: runs it in mounts of its own.
within()
{
	unshare -m --propagation private sh -c "$1"
}

# survives NAME SETUP: annotations runs well after the setup, and its trace is whole or
# the summary says what is missing.
survives()
{
	rm -rf out err trace.tw
	within "$2
		\"$TRACEWRAP\" -o \"$TW_TMP/trace.tw\" \"$T/annotations\" >out 2>err
		echo \$? >code"
	equal "$1: exit code" 0 "$(cat code)"
	equal "$1: output" 'done' "$(cat out)"
	if expect trace.tw zones=113 >why 2>&1; then
		ok "$1: all was recorded"
	else
		matches "$1: the summary says what was not" "$3" err
	fi
	within "$2
		LD_PRELOAD=\"$LIBTRACEWRAP\" TRACEWRAP_OUTPUT=\"$TW_TMP/bare.tw\" \
			\"$T/annotations\" >out 2>err
		echo \$? >code"
	equal "$1, bare: exit code" 0 "$(cat code)"
	equal "$1, bare: output" 'done' "$(cat out)"
	equal "$1, bare: silent" '' "$(cat err)"
}

if ! is_root || ! within true 2>/dev/null; then
	for name in 'no /proc' 'no /dev/shm' 'full /dev/shm' 'read-only /dev/shm' 'full disk' 'read-only folder'; do
		skip "$name" 'needs root and unshare -m'
	done
else
	survives 'no /proc' 'umount -l /proc;' 'proc'
	survives 'hidden /dev/shm' 'mount -t tmpfs none /dev;' 'shm|memory'
	survives 'read-only /dev/shm' 'mount -t tmpfs -o ro none /dev/shm;' 'shm|memory'
	survives 'full /dev/shm' 'mount -t tmpfs -o size=4k none /dev/shm; head -c 4096 /dev/zero >/dev/shm/x;' 'shm|memory'
	survives 'read-only /tmp and /run' 'mkdir -p keep; mount -t tmpfs -o ro none /run; mount -t tmpfs -o ro none /var/tmp;' 'tmp'

	# ENOSPC in the midst of a run.
	mkdir -p small
	within "mount -t tmpfs -o size=64k none '$TW_TMP/small'
		'$TRACEWRAP' -o '$TW_TMP/small/x.tw' '$T/flood' 4 300000 >out 2>err
		echo \$? >code
		cp '$TW_TMP/small/x.tw' full.tw"
	equal 'full disk: exit code' 0 "$(cat code)"
	equal 'full disk: output' '4 threads, 600000 zones each' "$(cat out)"
	matches 'full disk: the summary says so' 'No space left|could not be written|disk' err
	check 'full disk: the file reads' "$TRACEWRAP" report full.tw
	within "mount -t tmpfs -o size=64k none '$TW_TMP/small'
		LD_PRELOAD='$LIBTRACEWRAP' TRACEWRAP_OUTPUT='$TW_TMP/small/x.tw' \
			'$T/flood' 4 300000 >out 2>err
		echo \$? >code"
	equal 'full disk, bare: exit code' 0 "$(cat code)"
	equal 'full disk, bare: output' '4 threads, 600000 zones each' "$(cat out)"
	equal 'full disk, bare: silent' '' "$(cat err)"
	within "mount -t tmpfs -o size=4k none '$TW_TMP/small'
		head -c 4096 /dev/zero >'$TW_TMP/small/full'
		'$TRACEWRAP' -o '$TW_TMP/small/x.tw' '$T/annotations' >out 2>err
		echo \$? >code"
	equal 'disk full from the start: nothing runs unrecorded' 125 "$(cat code)"
	equal 'disk full from the start: one line' 1 "$(grep -c '' err)"
	matches 'disk full from the start: says it' 'No space left' err

	# A current folder that nobody can write: the default output has nowhere to go.
	mkdir -p locked
	within "mount -t tmpfs -o ro none '$TW_TMP/locked'; cd '$TW_TMP/locked'
		'$TRACEWRAP' '$T/annotations' >../out 2>../err
		echo \$? >../code"
	case $(cat code) in
	0)
		equal 'read-only folder: output' 'done' "$(cat out)"
		matches 'read-only folder: says where the trace is' '\.tw' err
		;;
	*)
		equal 'read-only folder: exit code' 125 "$(cat code)"
		matches 'read-only folder: says what to do' ' -o' err
		;;
	esac
	within "mount -t tmpfs -o ro none '$TW_TMP/locked'; cd '$TW_TMP/locked'
		LD_PRELOAD='$LIBTRACEWRAP' '$T/annotations' >../out 2>../err
		echo \$? >../code"
	equal 'read-only folder, bare: exit code' 0 "$(cat code)"
	equal 'read-only folder, bare: output' 'done' "$(cat out)"
	equal 'read-only folder, bare: silent' '' "$(cat err)"
fi

# Limits that hold for tracewrap too: it works, or says in one line what to do.
for limit in nofile=8 nofile=16 as=268435456 as=67108864 fsize=1000 nproc=1 stack=262144; do
	rm -f trace.tw
	"$OUTCOME" -o outcome -l $limit "$TRACEWRAP" -o "$TW_TMP/trace.tw" "$T/annotations" \
		>out 2>err
	case $(cat outcome) in
	'exit 0')
		equal "limit $limit: output" 'done' "$(cat out)"
		;;
	*)
		equal "limit $limit: exit code" 'exit 125' "$(cat outcome)"
		equal "limit $limit: one line" 1 "$(grep -c '' err)"
		matches "limit $limit: says it" '^tracewrap: .*(;|limit|ulimit)' err
		;;
	esac
done

# A current folder that is gone.
mkdir -p gone
(
	cd gone || exit
	rmdir ../gone
	"$TRACEWRAP" --quiet -o "$TW_TMP/gone.tw" "$T/annotations" >"$TW_TMP/out" 2>"$TW_TMP/err"
	echo $? >"$TW_TMP/code"
)
equal 'vanished folder: exit code' 0 "$(cat code)"
check 'vanished folder: recorded' expect gone.tw zones=113
equal 'output is a folder' 125 "$(code "$TRACEWRAP" -o "$TW_TMP" "$T/true")"
equal 'output is a device' 125 "$(code "$TRACEWRAP" --force -o /dev/full "$T/annotations")"
matches 'output is a device: says what to do' '\.tw' err

# All memory locked within a small limit, as another user: works as without us.
mkdir -p memory
chmod 777 memory
cp "$T/limited" memory/limited
as_other() { "$OUTCOME" -o outcome -U 65534 -l memlock=8388608 "$@"; }
chmod 755 "$TW_TMP"
if is_root && as_other "$TW_TMP/memory/limited" mlockall >plain 2>&1 &&
	grep -q 'mlockall 0' plain && as_other "$TRACEWRAP" --version >/dev/null 2>&1 &&
	[ "$(cat outcome)" = 'exit 0' ]; then
	as_other "$TRACEWRAP" -o "$TW_TMP/memory/x.tw" "$TW_TMP/memory/limited" mlockall >out 2>err
	equal 'mlockall in a small limit: output' "$(cat plain)" "$(cat out)"
	matches 'mlockall in a small limit: the summary says what it cost' 'mlockall' err
	check 'mlockall in a small limit: recorded before it' expect memory/x.tw processes=1
else
	skip 'mlockall in a small limit' 'needs root, and a folder that other users may enter'
fi
finish
