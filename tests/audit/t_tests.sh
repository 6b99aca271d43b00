#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every test asserts something, and every test that exists is run.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_SRC" || exit

missing=
for file in tests/unit/*.c; do
	[ -e "$file" ] || continue
	tests=$(grep -cE '^(Parameterized)?Test\(|^Theory\(' "$file")
	asserts=$(grep -cE 'cr_(assert|expect|fatal)|cr_.*eq\(' "$file")
	if [ "$tests" -gt 0 ] && [ "$asserts" -lt "$tests" ]; then
		missing="$missing $file($asserts assertions, $tests tests)"
	fi
	grep -q "${file##*/}" tests/unit/files.am || missing="$missing $file(not in files.am)"
done
equal 'unit tests: at least one assertion for each test' '' "$missing"

missing=
for file in tests/{e2e,audit,real,project}/t_*.sh; do
	grep -qE '^[ 	]*(if )?.*\b(check|equal|matches|same|same_file|same_output|one_line|survives|dialect)\b' "$file" ||
		missing="$missing $file"
	tail -n 1 "$file" | grep -qx finish || missing="$missing $file(no finish)"
done
equal 'scripts: each has a check and ends in finish' '' "$missing"

missing=
for file in tests/targets/*.c; do
	name=$(basename "$file" .c)
	case $name in
	plugin | beside) continue ;;
	esac
	grep -qE "targets/$name( |$)" tests/Makemodule.am || missing="$missing $name(not built)"
	grep -rqwE "(\\\$T|\\\$\{T\}|build_extra [a-z_]*|\\\$TW_TMP)[/ ]\"?$name(\.c)?" tests/targets/*.txt tests/e2e ||
		missing="$missing $name(not run)"
done
equal 'targets: each is built and run' '' "$missing"
n=$(cat tests/targets/*.txt | grep -c '^run ')
check "targets: $n rows of the transparency check, at least 35" test "$n" -ge 35
finish
