#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# On a terminal: Ctrl-C typed by a user, the summary after the program, no progress line
# into the program's output, window and line settings untouched.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit
[ -n "$PYTHON" ] || skip_all 'needs python3 (apt-get install python3)'

cat >typed.py <<'P'
"""typed.py KEYS WAIT_FOR COMMAND...: runs it on a terminal, types, prints what came."""
import os, pty, select, sys, time
keys, wait_for, command = sys.argv[1], sys.argv[2].encode(), sys.argv[3:]
keys = keys.encode().decode("unicode_escape").encode()
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
seen, end, is_typed = b"", time.time() + 20, False
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    if not is_typed and wait_for in seen:
        os.write(fd, keys)
        is_typed = True
status = os.waitpid(pid, 0)[1]
sys.stdout.write(seen.decode("utf-8", "replace").replace("\r", ""))
print("\nended", os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status))
P

"$PYTHON" typed.py '\x03' ready "$T/handles_int" 1 >plain
"$PYTHON" typed.py '\x03' ready "$TRACEWRAP" --quiet -o a.tw "$T/handles_int" 1 >traced
check 'Ctrl-C: the same on a terminal' diff plain traced
check 'Ctrl-C: recorded' expect a.tw zone:work=1 finished
"$PYTHON" typed.py '\x03' ready "$T/group" >plain
"$PYTHON" typed.py '\x03' ready "$TRACEWRAP" --quiet -o b.tw "$T/group" >traced
equal 'Ctrl-C ends the program' 'ended 130' "$(tail -n 1 traced)"
check 'Ctrl-C ends the program: recorded' await 10 expect b.tw zone:work=3 finished
"$PYTHON" typed.py 'typed line\n\x04' '' "$T/reads" >plain
"$PYTHON" typed.py 'typed line\n\x04' '' "$TRACEWRAP" --quiet -o c.tw "$T/reads" >traced
check 'typed input reaches the program' diff plain traced
"$PYTHON" typed.py '' '' stty -a >plain
"$PYTHON" typed.py '' '' "$TRACEWRAP" --quiet -o d.tw stty -a >traced
check 'the terminal stays as it was' diff plain traced
"$PYTHON" typed.py '' '' "$TRACEWRAP" -o e.tw "$T/annotations" >traced
matches 'the summary comes after the program' 'report' traced
equal 'the program speaks first' 'done' "$(grep -v '^$' traced | head -n 1)"
finish
