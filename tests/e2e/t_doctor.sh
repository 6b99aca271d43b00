#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tracewrap doctor: its verdicts on programs and on the machine, and its exit codes.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

# doctor NAME CODE REGEX WORD...: exit code, and a line of the table that says why.
doctor()
{
	local name=$1 wanted=$2 regex=$3
	shift 3
	equal "$name: exit code" "$wanted" "$(code "$TRACEWRAP" doctor "$@")"
	matches "$name: says it" "$regex" out
	equal "$name: nothing on stderr" '' "$(cat err)"
}

doctor 'machine' 0 '^libtracewrap\.so +ok +/.* loads$'
doctor 'dynamic program' 0 '^linkage +ok .*dynamically linked' -- "$T/true"
doctor 'found in PATH' 0 '^program +ok +/.*/sh$' -- sh -c 'exit 3'
doctor 'missing program' 127 '^program +BAD .*no-such-program' -- no-such-program
: >plain.txt
doctor 'not executable' 126 '^program +BAD .*plain.txt' -- ./plain.txt
doctor 'folder' 126 '^program +BAD .*directory' -- "$TW_TMP"
printf '\177ELF garbage' >broken
chmod +x broken
doctor 'broken program' 126 '^linkage +BAD .*ELF headers' -- ./broken
printf '#!/bin/sh -e\n' >script
chmod +x script
doctor 'script' 0 "^script +ok .*'/bin/sh -e'" -- ./script
printf '#!/usr/bin/env -S A=b no-such-interpreter -u\n' >lost
chmod +x lost
doctor 'script behind env' 1 "^script +BAD .*no-such-interpreter" -- ./lost
if build_extra static true.c -static; then
	doctor 'static program' 1 '^linkage +BAD .*statically linked' -- ./static
else
	skip 'static program' 'no static C library here'
fi
if build_extra asan true.c -fsanitize=address; then
	doctor 'sanitizer' 0 '^sanitizer +ok +lib.*asan' -- ./asan
else
	skip 'sanitizer' 'no sanitizer runtime here'
fi
if is_root && has setpriv; then
	cp "$T/true" setuid
	chmod 4755 setuid
	chmod 755 "$TW_TMP"
	equal 'setuid program' 1 "$(code setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$TRACEWRAP" doctor -- ./setuid)"
	matches 'setuid program: says it' '^linkage +BAD .*other rights' out
	matches 'folder without the right to write: says it' '^output folder +BAD ' out
else
	skip 'setuid program' 'needs root and setpriv'
fi

equal 'wrong variable: exit code' 1 "$(code env TRACEWRAP_FOLLOW=sideways "$TRACEWRAP" doctor)"
matches 'wrong variable: says it' '^settings +BAD .*--follow' out
equal 'missing library: exit code' 1 "$(code env TRACEWRAP_LIBRARY=/no/such.so "$TRACEWRAP" doctor)"
matches 'missing library: says it' '^libtracewrap\.so +BAD .*/no/such\.so' out
equal 'no library: exit code' 1 "$(code env TRACEWRAP_LIBRARY=/etc/passwd "$TRACEWRAP" doctor)"
matches 'no library: the loader says why' '^libtracewrap\.so +BAD .*(invalid ELF|file too short)' out
mkdir 'with blank'
cp "$LIBTRACEWRAP" 'with blank/'
equal 'library in a folder with a blank' 1 \
	"$(code env TRACEWRAP_LIBRARY='with blank/libtracewrap.so' "$TRACEWRAP" doctor)"
equal 'other preloads' 0 "$(code env LD_PRELOAD=/no/such.so "$TRACEWRAP" doctor 2>/dev/null)"
matches 'other preloads: the missing one is named' '^LD_PRELOAD +note .*/no/such\.so' out
equal 'limits' 0 "$(ulimit -f 100; code "$TRACEWRAP" doctor)"
matches 'limits: says it' '^limits +note .*100 KiB' out
equal 'output folder' 1 "$(code env TRACEWRAP_OUTPUT=/no/such/x.tw "$TRACEWRAP" doctor)"
matches 'output folder: says it' "^output folder +BAD .*/no/such" out

# JSON holds the same, whatever the names hold.
odd=$(printf 'odd\t"\\\303\251\377')
cp "$T/true" "$odd"
equal 'json: exit code' 0 "$(code "$TRACEWRAP" doctor --json -- "./$odd")"
check 'json: parses' "$PYTHON" - out <<'EOF'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    found = json.load(file)
assert found["exit"] == 0, found
assert found["program"].startswith("./odd\t\"\\\u00e9"), found["program"]
assert {row["verdict"] for row in found["rows"]} <= {"ok", "note", "BAD"}, found
assert any(row["what"] == "linkage" and row["verdict"] == "ok" for row in found["rows"])
EOF
equal 'full output: exit code' 125 "$("$TRACEWRAP" doctor >/dev/full 2>err; echo $?)"
matches 'full output: says it' '^tracewrap: cannot write' err
equal 'no trace was left' '' "$(ls ./*.tw ./*.tracy 2>/dev/null)"
finish
