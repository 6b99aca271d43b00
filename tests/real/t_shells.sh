#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Shells: scripts with pipes, traps, here documents, jobs, subshells.
. "$TW_SRC/tests/real/real.sh"
mkdir -p "$TW_TMP/given"
cat >"$TW_TMP/given/script.sh" <<'S'
trap 'echo trapped' USR1 EXIT
f() { local x=$1; echo "f $x"; return 3; }
f one; echo $?
for i in 1 2 3; do (exit $i); echo -n "$? "; done; echo
seq 100 | while read -r n; do [ $((n % 25)) -eq 0 ] && echo "$n"; done
cat <<END | tr a-z A-Z | rev
here is a document
END
sleep 0.05 & sleep 0.1 & wait; jobs
diff <(seq 5) <(seq 6) | head -n 2
kill -USR1 $$
echo "${BASH_VERSION:+bash} $(echo nested "$(echo deeper)")"
exec 5>five; echo to five >&5; exec 5>&-
mkfifo pipe; (echo through >pipe &) ; cat pipe; rm pipe
ulimit -n; umask
false | true; echo "${PIPESTATUS[@]}"
exit 0
S
same_output bash 'bash script.sh'
same_output 'bash -x with errors' 'bash -c "set -x; ls /nonexistent; echo \$?; cd /nonexistent || true"'
same_output dash 'for i in $(seq 50); do dash -c "echo $i; exit 0"; done | sort -n | tail -n 3'
same_output 'find and xargs' 'seq 200 | xargs -n 10 -P 4 echo | wc -l; find /etc -maxdepth 1 -name "host*" | sort'
finish
