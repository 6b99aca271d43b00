#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The rooms of DESIGN.md: who may include whom.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_SRC" || exit

# room FOLDER REGEX: what its files include of the project, beside the regex, is an error.
room()
{
	local found
	found=$(grep -rnE '^#[ 	]*include "' "$1" --include='*.[ch]' |
		grep -vE "include \"($2)" | grep -v 'include "config.h"')
	equal "$1 includes only ${2//|/, }" '' "$found"
}

check 'there is something to look at' test -d src/core -a -d src/trace -a -d preload
equal 'include/ knows nothing of the inside' '' "$(grep -nE '#[ 	]*include "' include/*.h)"
room src/core 'core/'
room src/inspect 'inspect/|core/'
room src/trace 'trace/|core/'
room src/tracy 'tracy/|trace/|core/|export/'
room src/report 'report/|export/|trace/|core/'
room src/export 'export/|report/|trace/|core/'
room src/cmd 'cmd/|report/|export/|inspect/|tracy/|trace/|core/'
room preload/native 'preload/native/|preload/(log|real|self)\.h"|core/'
room preload '[a-z_]+\.h"|preload/|inspect/|tracy/|trace/|core/'
# popen hands out a FILE, so its wrapper has to know the word.
equal 'preload/ has no stdio' '' \
	"$(grep -rnE '#[ 	]*include <(stdio|assert|locale|err)\.h>' preload | grep -v '^preload/spawn\.c')"
equal 'core has no stdio' '' "$(grep -rnE '#[ 	]*include <(stdio|assert|locale|err)\.h>' src/core)"
finish
