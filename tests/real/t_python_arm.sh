#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# However Python is started, its calls are recorded; programs that are not Python are not
# touched, and --no-python leaves Python alone.
. "$TW_SRC/tests/python/interpreters.sh"

# library_of PYTHON: its shared libpython, or nothing.
library_of()
{
	"$1" -c 'import os, sysconfig
v = sysconfig.get_config_var
if v("Py_ENABLE_SHARED"):
    print(os.path.join(v("LIBDIR"), v("INSTSONAME")))'
}

for python in "${pythons[@]}"; do
	name=$(short "$python")
	rm -rf "$TW_TMP/ways"
	mkdir "$TW_TMP/ways"
	"$TRACEWRAP" -fqo "$TW_TMP/ways.tw" sh "$P/ways.sh" "$python" "$TW_TMP/ways"
	check "$name: every way to start" expect "$TW_TMP/ways.tw" 'zone:marker=10' finished
	if "$python" -m venv --without-pip "$TW_TMP/ways/venv" 2>/dev/null; then
		"$TRACEWRAP" -fqo "$TW_TMP/venv.tw" "$TW_TMP/ways/venv/bin/python" "$TW_TMP/ways/script.py"
		check "$name: in a virtual environment" expect "$TW_TMP/venv.tw" 'zone:marker=1'
	else
		skip "$name: in a virtual environment" 'its module venv does not work'
	fi
	record "$python" --no-python -- "$TW_TMP/ways/script.py"
	check "$name: not with --no-python" expect "$TW_TMP/t.tw" zones=0
	TRACEWRAP_OUTPUT=$TW_TMP/bare.tw LD_PRELOAD=$LIBTRACEWRAP TRACEWRAP_FORCE=1 \
		"$python" "$TW_TMP/ways/script.py"
	check "$name: under a bare preload" expect "$TW_TMP/bare.tw" 'zone:marker=1'
	case $name in
	3.[67].*) ;; # their standard library has no way to make one
	*)
		record "$python" -- "$P/sub.py"
		check "$name: sub-interpreters are left alone" expect "$TW_TMP/t.tw" 'zone:marker=1'
		record "$python" --python-sub -- "$P/sub.py"
		check "$name: sub-interpreters with --python-sub" expect "$TW_TMP/t.tw" 'zone:marker=7' balanced
		;;
	esac
	library=$(library_of "$python")
	if [ ! -r "$library" ]; then
		skip "$name: embedded" 'a static interpreter has no libpython'
		continue
	fi
	if $CC "$P/embeds.c" -o "$TW_TMP/embeds" "$library" -Wl,-rpath,"${library%/*}" 2>"$TW_TMP/cc"; then
		PYTHONHOME=$("$python" -c 'import sys; print(sys.base_prefix)') \
			"$TRACEWRAP" -fqo "$TW_TMP/embeds.tw" "$TW_TMP/embeds" >"$TW_TMP/out"
		equal "$name: embedded: it ends" end "$(cat "$TW_TMP/out")"
		check "$name: embedded: three interpreters, one after another" \
			expect "$TW_TMP/embeds.tw" 'zone:marker=15'
	else
		not_ok "$name: an embedding program links" "$TW_TMP/cc"
	fi
done
finish
