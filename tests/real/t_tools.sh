#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# openssl, sqlite3, curl on loopback, and the usual filters in long pipelines.
. "$TW_SRC/tests/real/real.sh"
mkdir -p "$TW_TMP/given"
seq 20000 | awk '{ print $1, ($1 * 7919) % 10007, "line" }' >"$TW_TMP/given/data"

if has openssl; then
	same_output openssl '
		openssl dgst -sha256 data
		openssl enc -aes-256-cbc -pbkdf2 -nosalt -k x -in data | openssl enc -d -aes-256-cbc -pbkdf2 -nosalt -k x | cmp - data
		openssl genpkey -quiet -algorithm ed25519 -out /dev/null 2>/dev/null; echo $?
		openssl rand -hex 16 | wc -c
		openssl x509 -in /dev/null; echo $?' 
else
	skip openssl 'needs openssl (apt-get install openssl)'
fi
if has sqlite3; then
	same_output sqlite3 '
		sqlite3 db "create table t(a int, b int, c text); create index i on t(b)"
		sqlite3 -separator " " db ".import data t"
		sqlite3 db "select count(*), sum(b), max(a) from t; select b, count(*) from t group by b % 5 order by 1; pragma integrity_check"
		sqlite3 db "begin; delete from t where a > 100; rollback; select count(*) from t; selec"; echo $?'
else
	skip sqlite3 'needs sqlite3 (apt-get install sqlite3)'
fi
same_output 'filters' '
	sort -k2,2n -S 1M --parallel=2 data | head -n 3
	grep -c 7 data; grep -E "^1[0-9]{3} " data | wc -l
	tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - data | xz -T2 | xz -dc | tar -tvf -
	gzip -n <data | gunzip | md5sum; split -n l/4 data part.; wc -l part.* | tail -n 1
	awk "{ s += \$2 } END { print s }" data; sed -n "/99/p" data | tail -n 1
	dd if=data bs=1000 count=3 status=none | wc -c; yes | head -n 1000 | sort -u; comm -12 <(sort data) <(sort data) | wc -l'

# The server runs untraced; a port that it chose itself.
if has curl && [ -n "$PYTHON" ]; then
	"$PYTHON" -u -c '
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
handler.log_message = None
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()' "$TW_TMP/given" >"$TW_TMP/port" 2>/dev/null &
	server=$!
	await 10 test -s "$TW_TMP/port"
	url=http://127.0.0.1:$(cat "$TW_TMP/port")
	export no_proxy='*'
	same_output 'curl on loopback' "
		curl -sS $url/data | md5sum
		curl -sS -o a $url/data -o b $url/data && cmp a b
		curl -sS --no-progress-meter -Z $url/data -o c $url/data -o d; cmp c d
		curl -sS -f $url/missing; echo \$?
		curl -sS http://127.0.0.1:1/; echo \$?"
	kill $server
	wait $server 2>/dev/null
else
	skip 'curl on loopback' 'needs curl and python3 (apt-get install curl python3)'
fi
finish
