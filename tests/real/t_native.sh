#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Real programs with every slot of theirs hooked, libc's too: outputs, ends and files are
# the same, and the trace is whole. Where ltrace can follow, it counts the same calls.
. "$TW_SRC/tests/e2e/native.sh"
mkdir -p "$TW_TMP/given"
seq 5000 | awk '{ print $1, ($1 * 7919) % 10007, "line" }' >"$TW_TMP/given/data"
cat >"$TW_TMP/given/t.cc" <<'C'
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
int main(int argc, char **)
{
	std::vector<std::string> v;
	for (int i = 0; i < 100; i++)
		v.push_back(std::to_string(i * argc));
	try {
		v.at(1000);
	} catch (const std::out_of_range &e) {
		std::cout << v.size() << " caught\n";
	}
}
C

# whole NAME PATTERNS ZONES SCRIPT: both ways in equal folders; at least so many zones.
whole()
{
	local name=$1 patterns=$2 zones=$3 script=$4 mode
	for mode in plain traced; do
		rm -rf "$TW_TMP/at" "${TW_TMP:?}/$mode"
		cp -r "$TW_TMP/given" "$TW_TMP/at"
		set --
		[ $mode = plain ] || set -- "$TRACEWRAP" --quiet --force --port 0 -t "$patterns" -o "$TW_TMP/trace.tw" --
		(
			cd "$TW_TMP/at" || exit
			"$OUTCOME" -o ../outcome -t 200 -e HOME="$TW_TMP/at" "$@" \
				bash -c "$script" </dev/null >../stdout 2>../stderr
		)
		mv "$TW_TMP/at" "$TW_TMP/$mode"
		mv "$TW_TMP/outcome" "$TW_TMP/stdout" "$TW_TMP/stderr" "$TW_TMP/$mode/"
	done
	if ! grep -q '^exit 0' "$TW_TMP/plain/outcome"; then
		not_ok "$name: works untraced" "$TW_TMP/plain/outcome" "$TW_TMP/plain/stderr"
		return
	fi
	check "$name: the same" diff -r "$TW_TMP/plain" "$TW_TMP/traced"
	check "$name: the trace holds the calls" expect "$TW_TMP/trace.tw" "zones>=$zones" balanced
}

# try NAME COMMAND PACKAGE ZONES SCRIPT
try()
{
	if has "$2"; then
		whole "$1" '*:*,libc.so.6:*' "$4" "$5"
	else
		skip "$1" "needs $2 (apt-get install $3)"
	fi
}

try python3 python3 python3 50000 '/usr/bin/python3 -c "
import ctypes, decimal, hashlib, json, re, sqlite3, ssl, subprocess, threading, zlib
print(json.dumps({str(i): [i] for i in range(50)}), zlib.crc32(b\"x\" * 1000))
print(hashlib.sha256(b\"x\").hexdigest(), decimal.Decimal(2).sqrt(), ssl.OPENSSL_VERSION_INFO)
print(sqlite3.connect(\":memory:\").execute(\"select sum(value) from json_each(\\\"[1,2]\\\")\").fetchall())
print(ctypes.CDLL(\"libm.so.6\").abs(-3), subprocess.check_output([\"echo\", \"hi\"]))
t = [threading.Thread(target=lambda: zlib.compress(b\"x\" * 100000)) for _ in range(4)]
[x.start() for x in t]; [x.join() for x in t]
try:
    json.loads(\"[\")
except ValueError as e:
    print(e)
"'
try 'gcc and g++' g++ g++ 50000 'g++ -O1 -o t t.cc && ./t 1 2 && g++ -O2 -S -o - t.cc | md5sum && rm t'
try clang++ clang++ clang 20000 'clang++ -O1 -o t t.cc && ./t 1 2 && rm t'
try git git git 5000 'export GIT_AUTHOR_DATE=2020-01-01T00:00:00Z GIT_COMMITTER_DATE=2020-01-01T00:00:00Z
	git init -q -b main r && cd r && git config user.name t && git config user.email t@example.org
	seq 1000 >a; git add a; git commit -q -m first; seq 1200 >a; git commit -q -am second
	git log --stat --oneline; git diff HEAD~1 | md5sum; git fsck; git rev-parse HEAD; rm -rf .git'
try perl perl perl 5000 'perl -MPOSIX -MData::Dumper -e "
	print Dumper([sort { \$a <=> \$b } map { \$_ * 7 % 11 } 1 .. 10]); eval { die qq(no\n) }; print \$@;
	print qx(echo sub; exit 3), \$? >> 8; if (!fork) { exit 4 } wait; print \$? >> 8, POSIX::floor(2.5), qq(\n)"'
try openssl openssl openssl 20000 'openssl dgst -sha256 data; openssl enc -aes-256-cbc -pbkdf2 -nosalt -k x -in data | openssl enc -d -aes-256-cbc -pbkdf2 -nosalt -k x | cmp - data
	openssl genrsa 1024 2>/dev/null | openssl rsa -check -noout'
try sqlite3 sqlite3 sqlite3 50000 'sqlite3 db "create table t(a int, b int, c text)"; sqlite3 -separator " " db ".import data t"
	sqlite3 db "select count(*), sum(b), max(a) from t; select b % 5, count(*) from t group by 1; pragma integrity_check"; rm db'
try 'bash and filters' bash bash 5000 'sort -k2,2n data | head -n 3; gzip -n <data | gunzip | md5sum; xz -T2 <data | xz -dc | md5sum
	for i in 1 2 3; do echo $i; done | while read -r x; do echo $((x * x)); done; trap "echo bye" EXIT; (exit 3); echo $?'
try gdb gdb gdb 50000 'gdb -nx -batch -ex "print 6 * 7" -ex "info line main" /bin/true 2>&1 | head -n 3'
try curl curl curl 2000 'curl -sS "file://$PWD/data" | md5sum; curl -sS http://127.0.0.1:1/; echo $?'

# Chosen libraries only, as people do.
if has curl; then
	whole 'curl, three libraries' 'libssl*:*,libz*:*,libcurl*:*' 10 'curl -sS "file://$PWD/data" | md5sum'
fi

# counts PATTERN COMMAND...: zones by function beside ltrace's count of the same slots.
counts()
{
	local label=$1 glob=$2
	shift 2
	rm -f "$TW_TMP/c.tw"
	"$TRACEWRAP" -q --port 0 -o "$TW_TMP/c.tw" -t "libc.so.6:$glob" "$@" >/dev/null 2>&1
	"$TRACEWRAP" report --csv "$TW_TMP/c.tw" >"$TW_TMP/c.csv"
	"$TRACEWRAP" report --json "$TW_TMP/c.tw" | "$PYTHON" -c '
import json, sys
for z in json.load(sys.stdin)["zones"]:
    print(z["name"], z["count"])' | sort >"$TW_TMP/ours"
	# Calls of the program itself, as ltrace sees them.
	ltrace -o "$TW_TMP/ltrace" -e "$glob" "$@" >/dev/null 2>&1
	sed -n 's/^\([a-z][a-z0-9_]*\)(.*/\1/p; s/^[^ ]*->\([a-z][a-z0-9_]*\)(.*/\1/p' "$TW_TMP/ltrace" |
		sort | uniq -c | awk '{ print $2, $1 }' | sort >"$TW_TMP/theirs"
	if [ -s "$TW_TMP/theirs" ]; then
		check "$label: the same calls as ltrace" diff "$TW_TMP/theirs" "$TW_TMP/ours"
	else
		skip "$label: the same calls as ltrace" 'ltrace sees nothing here'
	fi
}
if has ltrace; then
	printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{\n\tfor (int i = 0; i < 300; i++)\n\t\tfree(calloc(1, 10 + i)), puts(getenv("PATH") ? "y" : "n");\n\treturn 0;\n}\n' >"$TW_TMP/l.c"
	$CC -O1 -fno-builtin -Wl,-z,lazy "$TW_TMP/l.c" -o "$TW_TMP/l" 2>"$TW_TMP/.build" || skip_all 'the compiler does not work'
	counts 'puts' 'puts' "$TW_TMP/l"
	counts 'getenv' 'getenv' "$TW_TMP/l"
else
	skip 'the same calls as ltrace' 'needs ltrace (apt-get install ltrace)'
fi
finish
