#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Parts of CPython's own test suite end under tracewrap as they do without it. The newest
# interpreter of each back end, or with TW_PYTHON_SUITE=all every one that is here.
. "$TW_SRC/tests/python/interpreters.sh"

modules='test_generators test_coroutines test_asyncgen test_exceptions test_sys_settrace
	test_sys_setprofile test_monitoring test_pdb test_bdb test_trace test_cprofile test_profile
	test_gc test_import test_dataclasses test_contextlib test_inspect test_traceback
	test_yield_from test_thread test_threading test_weakref test_funcattrs test_code test_frame'

# Differences that are known, and why.
explain()
{
	case $1 in
	3.1[2-9]*test_monitoring) echo 'it expects to be the only tool: any other makes it fail' ;;
	3.13*test_pdb) echo 'with any tool of sys.monitoring, set_trace() of 3.13 stops a line late' ;;
	esac
}

# outcome OPTION...: exit code and failures of one module.
outcome()
{
	"$@" >"$TW_TMP/log" 2>&1 </dev/null
	echo "exit $?"
	grep -E '^(FAIL|ERROR):' "$TW_TMP/log" | sort -u
}

chosen=("${pythons[@]}")
if [ "${TW_PYTHON_SUITE:-}" != all ]; then
	chosen=()
	for version in '3\.([6-9]|1[01])\.' '3\.1[2-9]\.'; do
		for python in "${pythons[@]}"; do
			short "$python" | grep -Eq "^$version" && "$python" -c 'import test.test_gc' 2>/dev/null &&
				echo "$python"
		done | tail -n 1
	done >"$TW_TMP/chosen"
	mapfile -t chosen <"$TW_TMP/chosen"
fi
[ ${#chosen[@]} -gt 0 ] || skip_all 'no interpreter here has its test suite'
for python in "${chosen[@]}"; do
	name=$(short "$python")
	for module in $modules; do
		"$python" -c "import importlib.util, sys; sys.exit(not importlib.util.find_spec('test.$module'))" ||
			continue
		outcome timeout 200 "$python" -m test -q "$module" >"$TW_TMP/plain"
		outcome timeout 200 "$TRACEWRAP" -qf --port=0 -o "$TW_TMP/suite.tw" "$python" -m test -q "$module" \
			>"$TW_TMP/traced"
		if [ -n "$(explain "$name $module")" ] && ! cmp -s "$TW_TMP/plain" "$TW_TMP/traced"; then
			skip "$name: $module" "$(explain "$name $module")"
		else
			check "$name: $module" diff "$TW_TMP/plain" "$TW_TMP/traced"
		fi
	done
done
finish
