# SPDX-License-Identifier: BSD-3-Clause
# Which CPython interpreters are here: Debian's, those of pyenv, and any python3.N on the
# PATH or in TW_PYTHONS. Sourced by the t_python_*.sh scripts.
# shellcheck shell=bash
. "$TW_SRC/tests/e2e/lib.sh"
P=$TW_SRC/tests/python

# interpreters: one path a line; each interpreter once, with the version it has.
interpreters()
{
	local python
	{
		printf '%s\n' ${TW_PYTHONS:-} /usr/bin/python3 "$(pyenv root 2>/dev/null)"/versions/3.*/bin/python3
		for python in 6 7 8 9 10 11 12 13 13t 14 14t 15 15t; do
			command -v "python3.$python"
		done
	} | while read -r python; do
		# A shim of pyenv is a script: it only finds what is listed already.
		[ -x "$python" ] && ! head -c 2 "$python" | grep -q '#!' && readlink -f "$python"
	done | sort -Vu | while read -r python; do
		"$python" -c 'import sys; sys.exit(sys.version_info < (3, 6))' 2>/dev/null && echo "$python"
	done
}

# short PYTHON: what a test is called after: 3.11.7, 3.13.1t.
short()
{
	"$1" -c 'import sys, sysconfig
print("%d.%d.%d" % sys.version_info[:3] + "t" * bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
      + " " + ("shared" if sysconfig.get_config_var("Py_ENABLE_SHARED") else "static"))'
}

mapfile -t pythons < <(interpreters)
[ ${#pythons[@]} -gt 0 ] || skip_all 'needs python3 (apt-get install python3)'
echo "# interpreters: $(for p in "${pythons[@]}"; do short "$p"; done | tr '\n' ',')"

# record PYTHON [OPTION]... -- ARGUMENT...: records into t.tw, t.csv of TW_TMP.
record()
{
	local python=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	rm -f "$TW_TMP/t.tw" "$TW_TMP/t.csv"
	"$TRACEWRAP" --quiet "${options[@]}" -o "$TW_TMP/t.tw" -- "$python" "$@" &&
		"$TRACEWRAP" export --quiet "$TW_TMP/t.tw" -o "$TW_TMP/t.csv"
}
