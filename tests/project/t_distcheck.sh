#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `make distcheck`: the tarball builds from a read-only source, tests, installs, cleans.
# The end-to-end suites have run already; here unit tests and audits are enough.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_BUILD" || exit
if env TW_SUITES='unit audit' make -j"$(nproc)" distcheck >"$TW_TMP/log" 2>&1; then
	ok 'make distcheck'
else
	grep -nE 'ERROR|[Ee]rror|FAILED|not ok|left' "$TW_TMP/log" | tail -n 20 >"$TW_TMP/errors"
	tail -n 20 "$TW_TMP/log" >"$TW_TMP/tail"
	not_ok 'make distcheck' "$TW_TMP/errors" "$TW_TMP/tail"
fi
tarball=$(find . -maxdepth 1 -name 'tracewrap-*.tar.xz')
tar -tf "$tarball" 2>/dev/null | sed 's|^[^/]*/||' | sort >"$TW_TMP/shipped"
for file in run check README.md COPYING NEWS include/tracewrap.h tests/run-tests.sh tests/targets/hostile.txt; do
	check "the tarball holds $file" grep -qx "$file" "$TW_TMP/shipped"
done
rm -f "$tarball"
finish
