#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Python: Debian's own and every interpreter of pyenv that is here.
. "$TW_SRC/tests/real/real.sh"
mkdir -p "$TW_TMP/given"
cp "$TW_SRC/tests/targets/pythonic.py" "$TW_TMP/given/"
cat >"$TW_TMP/given/old.py" <<'P'
from __future__ import print_function
import os, subprocess, sys, threading, zlib, json
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    os._exit(3)
print(os.waitpid(pid, 0)[1] >> 8)
print(subprocess.check_output(["/bin/echo", "sub"]))
seen = []
threads = [threading.Thread(target=lambda i=i: seen.append(i)) for i in range(10)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(seen), zlib.crc32(b"x" * 100000) & 0xffffffff, json.dumps({"a": [1, 2]}))
print(sorted(k for k in os.environ if "PRELOAD" in k or "TRACEWRAP" in k))
sys.exit(0)
P
found=0
for python in /usr/bin/python3 "$(pyenv root 2>/dev/null)"/versions/*/bin/python; do
	[ -x "$python" ] || continue
	found=1
	case $("$python" -c 'import sys; print(sys.version_info[0])') in
	3) same_output "$python" "$python -I pythonic.py; $python -I -m json.tool <<<'[1]'" ;;
	*) same_output "$python" "$python old.py" ;;
	esac
done
[ $found = 1 ] || skip python 'needs python3 (apt-get install python3)'
[ -n "$(pyenv root 2>/dev/null)" ] || skip 'interpreters of pyenv' 'no pyenv here'
finish
