#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The command's own manners: exit codes, messages, the summary, names of outputs.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

# one_line NAME CODE REGEX COMMAND...: fails with CODE and one line that says it.
one_line()
{
	local name=$1 wanted=$2 regex=$3
	shift 3
	equal "$name: exit code" "$wanted" "$(code "$@")"
	equal "$name: one line" 1 "$(grep -c '' err)"
	matches "$name: says it" "^tracewrap: .*$regex" err
	equal "$name: nothing on stdout" 0 "$(wc -c <out)"
}

# A folder of PATH that may not be looked into makes it 126, as with env(1).
one_line 'missing program' 127 'no-such-program' env PATH=/usr/bin:/bin "$TRACEWRAP" no-such-program
one_line 'missing path' 127 '/no/such/program' "$TRACEWRAP" /no/such/program
: >plain.txt
one_line 'not executable' 126 'plain.txt' "$TRACEWRAP" ./plain.txt
one_line 'folder' 126 "$TW_TMP" "$TRACEWRAP" "$TW_TMP"
printf '\177ELF garbage' >broken
chmod +x broken
one_line 'broken program' 126 'broken' "$TRACEWRAP" ./broken
printf '#!/no/such/interpreter\n' >orphan.sh
chmod +x orphan.sh
equal 'missing interpreter: exit code' 127 "$(code "$TRACEWRAP" ./orphan.sh)"
equal 'unknown option' 125 "$(code "$TRACEWRAP" --no-such-option true)"
matches 'unknown option: says it' 'no-such-option' err
equal 'bad value' 125 "$(code "$TRACEWRAP" --max-size=banana true)"
matches 'bad value: says it' 'banana' err
equal 'nothing to run' 125 "$(code "$TRACEWRAP")"
equal 'bad value in the environment' 125 \
	"$(code env TRACEWRAP_FOLLOW=sideways "$TRACEWRAP" true)"
matches 'bad value in the environment: says which' 'TRACEWRAP_FOLLOW' err
equal 'output in a missing folder' 125 "$(code "$TRACEWRAP" -o no/such/folder/x.tw true)"
matches 'output in a missing folder: says it' 'no/such/folder' err
equal 'nothing was left behind' '' "$(ls ./*.tw ./*.tracy 2>/dev/null)"

equal 'help' 0 "$(code "$TRACEWRAP" --help)"
matches 'help: usage' 'tracewrap' out
matches 'help: states the cap' 'max-size' out
equal 'version' 0 "$(code "$TRACEWRAP" --version)"
matches 'version: number' '[0-9]+\.[0-9]+' out

# Where there is no -o, the trace is PROGRAM.PID.tracy in the current folder.
equal 'default output: exit code' 0 "$(code "$TRACEWRAP" "$T/annotations")"
equal 'default output: program spoke' 'done' "$(cat out)"
equal 'default output: one file' 1 "$(find . -name 'annotations.*' | wc -l)"
trace=$(find . -name 'annotations.*.tracy')
matches 'default output: named by pid' '^./annotations\.[0-9]+\.tracy$' <(echo "$trace")
matches 'summary: names the file' "${trace#./}" err
matches 'summary: next command' "^tracewrap: next: tracewrap report ${trace#./}\$" err
matches 'summary: events' '[0-9]' err
check 'summary: at most 12 lines' test "$(grep -c '' err)" -le 12
check 'trace is whole' expect "$trace" zones=113 finished

"$TRACEWRAP" --quiet -o x.tw "$T/annotations" >out 2>err
equal 'quiet: silent' '' "$(cat err)"
cp x.tw before.tw
one_line 'existing output' 125 'x\.tw.*--force' "$TRACEWRAP" --quiet -o x.tw "$T/true"
check 'existing output: untouched' cmp x.tw before.tw
equal '--force replaces it' 0 "$(code "$TRACEWRAP" --quiet --force -o x.tw "$T/true")"
check '--force: new content' expect x.tw zones=0 processes=1

# Options of the program are its own.
equal 'options after the program' 'x' \
	"$("$TRACEWRAP" --quiet -o y.tw "$T/arguments" --quiet -o x --help | sed -n 's/^3=//p')"
printf 'exit 5\n' >script
chmod +x script
equal 'script without a first line runs as sh does it' 5 \
	"$(code "$TRACEWRAP" --quiet -o z.tw ./script)"
mkdir sub
equal 'a relative output is relative to where we are' 0 \
	"$(code "$TRACEWRAP" --quiet -o sub/a.tw sh -c 'cd / && exit 0')"
check 'a relative output is there' expect sub/a.tw processes=1
finish
