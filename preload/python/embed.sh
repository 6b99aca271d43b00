#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed.sh FOLDER FILE...: Python files below FOLDER as C data, for library.c.
set -eu
folder=$1
shift
echo '/* Made by embed.sh. */'
n=0
for file; do
	n=$((n + 1))
	echo "static const char text_$n[] = {"
	od -An -v -td1 "$folder/$file" | sed 's/[^ ][^ ]*/&,/g'
	echo '0};'
done
echo 'static const struct tw_py_source sources[] = {'
n=0
for file; do
	n=$((n + 1))
	is_package=false
	module=${file%.py}
	case $module in
	*/__init__)
		is_package=true
		module=${module%/__init__}
		;;
	esac
	module=$(echo "$module" | tr / .)
	echo "	{\"$module\", TW_PY_OWN_FILE \"/$file\", text_$n, $is_package},"
done
echo '};'
