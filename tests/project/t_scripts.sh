#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ./run and what it sources: packages, places, repeated runs.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

# Without root and sudo the exact command is printed and the code is 125.
mkdir -p fake
printf '#!/bin/sh\nexit 1\n' >fake/dpkg-query
printf '#!/bin/sh\n[ "$1" = -u ] && echo 1000\n' >fake/id
printf '#!/bin/sh\nexit 1\n' >fake/sudo
chmod +x fake/*
cp -r "$TW_SRC/scripts" "$TW_SRC/run" "$TW_SRC/check" .
for script in run check; do
	equal "./$script without packages and rights: exit code" 125 \
		"$(code env PATH="$TW_TMP/fake:$PATH" "./$script")"
	matches "./$script without packages and rights: says the command" \
		'apt-get install .*liblz4-dev' err
done
rm -r scripts run check build

# When all is built, ./run is quick and hands over output and exit code.
start=$SECONDS
equal './run COMMAND: exit code' 7 "$(code "$TW_SRC/run" -o run.tw -- "$T/exits" 7)"
check './run COMMAND: recorded' expect run.tw end=exit:7
check './run is quick when nothing changed' test $((SECONDS - start)) -le 15
equal './run: exit code' 0 "$(code "$TW_SRC/run")"
matches './run: profiles the example' 'hello' out
check './run: the summary has at most 12 lines' test "$(grep -c '' err)" -le 12
for file in bin/tracewrap lib/libtracewrap.so share/man/man1/tracewrap.1; do
	check "build/stage/$file is there" test -e "$TW_SRC/build/stage/$file"
done
finish
