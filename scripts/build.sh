#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Configures and builds into build/ and installs into build/stage, doing only what is due.
# Sourced by ./run and ./check, which set $root and go there first. Noise goes to
# build/build.log; when a step fails its tail is shown.

build_log=$root/build/build.log

# build_step WORDS COMMAND...: runs quietly; shows the end of the log and leaves on failure.
build_step()
{
	words=$1
	shift
	echo "+ $*" >>"$build_log"
	if ! "$@" >>"$build_log" 2>&1 </dev/null; then
		tail -n 30 "$build_log" >&2
		echo "tracewrap: $words failed (whole log: build/build.log)" >&2
		exit 125
	fi
}

build_jobs()
{
	nproc 2>/dev/null || echo 2
}

# What a configured folder depends on beside the files that make watches: where the tree
# is, and which libraries configure could find.
build_fingerprint()
{
	echo "$root $*"
	echo "${CC-} ${CFLAGS-} ${CXX-} ${LDFLAGS-}"
	for library in liblz4 libxxhash criterion; do
		echo "$library $(pkg-config --modversion "$library" 2>/dev/null)"
	done
}

# build_configure FOLDER OPTION...: makes FOLDER ready for make.
build_configure()
{
	folder=$1
	shift
	mkdir -p "$folder"
	if [ ! -x configure ] || [ ! -f Makefile.in ] || [ ! -f build-aux/ltmain.sh ]; then
		build_step 'autoreconf' autoreconf -fi
	fi
	if [ ! -f "$folder/Makefile" ] ||
		[ "$(build_fingerprint "$@")" != "$(cat "$folder/.configured" 2>/dev/null)" ]; then
		echo "tracewrap: configuring and building in $folder" >&2
		rm -f "$folder/.configured"
		build_step 'configure' sh -c 'cd "$1" && shift && exec "$@"' - "$folder" \
			"$root/configure" --prefix="$root/$folder/stage" "$@"
		build_fingerprint "$@" >"$folder/.configured"
	fi
}

# Succeeds when something that would be installed is newer than what is.
build_is_stale()
{
	[ -x build/stage/bin/tracewrap ] && [ -f build/stage/.installed ] || return 0
	[ -n "$(find build include man -path build/stage -prune -o -path build/tests -prune \
		-o -path build/asan -prune -o -type f ! -name '*.log' -newer build/stage/.installed -print 2>/dev/null |
		head -n 1)" ]
}

# The whole way to a ready build/stage.
build_stage()
{
	mkdir -p build
	: >"$build_log"
	build_configure build
	build_step 'make' make -C build -j"$(build_jobs)"
	if build_is_stale; then
		build_step 'make install' make -C build install
		touch build/stage/.installed
	fi
}
