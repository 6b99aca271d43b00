#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What zones and threads of Python programs are called, and which are left out on request.
. "$TW_SRC/tests/python/interpreters.sh"
mkdir "$TW_TMP/lib"
printf 'def in_module():\n    pass\nin_module()\n' >"$TW_TMP/lib/small_module.py"

# zones: the names of python zones of the probe and its module, each once, with its count.
zones()
{
	"$PYTHON" - "$TW_TMP/t.csv" <<'E2'
import collections, csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["layer"] == "python"]
mine = [r["name"] for r in rows if r["file"].endswith(("names.py", "small_module.py"))]
print(" ".join("%s=%d" % x for x in sorted(collections.Counter(mine).items())))
E2
}

# native: what main() of native.py called, in order; classes that are called are only
# seen from 3.12.
native()
{
	"$PYTHON" - "$TW_TMP/t.csv" <<'E2'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["layer"] == "python"]
end = [i for i, r in enumerate(rows) if r["name"] == "main"][0]
depth = int(rows[end]["depth"])
out, inside = [], []
for r in rows[:end]:
    name = r["name"].split("__main__.")[-1]
    if name in ("int", "Callable") or "collect" in name:
        continue
    if name == "key":
        name = "key(%s)" % out.pop()
    out.append(name.replace("Callable.", "").replace("SRE_", "").replace("re.", ""))
print(" ".join(out[out.index("key(math.sqrt)"):]))
E2
}

for python in "${pythons[@]}"; do
	name=$(short "$python")
	record "$python" -- "$P/names.py" "$TW_TMP/lib" >"$TW_TMP/out"
	equal "$name: addresses of code objects were used again" 'addresses used again True' \
		"$(cat "$TW_TMP/out")"
	check "$name: classes, imports, collections, threads" expect "$TW_TMP/t.tw" \
		'zone:Base.__init__=3' 'zone:Child.__init__=3' 'zone:Base.method=1' \
		'zone:Base.maker=1' 'zone:Base.value=1' 'zone:import_json=1' \
		'zone:import_not_there=1' 'zone:import_small_module=1' 'zone:in_module=1' \
		'zone:collect_garbage_(full)>=1' 'thread:renamed_é' \
		'thread:a_worker_with_a_rather_long_name' balanced
	equal "$name: a dead function's name is never another's" 200 \
		"$(cut -d, -f1 "$TW_TMP/t.csv" | grep -c '^alive_' )"
	equal "$name: ... each of them once" 200 \
		"$(cut -d, -f1 "$TW_TMP/t.csv" | grep '^alive_' | sort -u | wc -l)"
	record "$python" --python-c --python-include='__main__' -- "$P/native.py"
	equal "$name: --python-c" \
		'key(math.sqrt) key(math.sqrt) key(math.sqrt) sorted len list.append len __call__ str.upper Pattern.match divmod' \
		"$(native)"
	check "$name: --python-c: balanced" expect "$TW_TMP/t.tw" balanced
	record "$python" --mine -- "$P/names.py" "$TW_TMP/lib" >"$TW_TMP/out"
	check "$name: --mine leaves the library out" expect "$TW_TMP/t.tw" \
		'zone:Base.method=1' 'zone:in_module=1' 'zone:import_json=1' 'zone:dumps=0' balanced
	record "$python" --python-include='Base.*,small_module' --python-exclude='*.value' -- \
		"$P/names.py" "$TW_TMP/lib" >"$TW_TMP/out"
	equal "$name: --python-include and --python-exclude" \
		'<module>=1 Base.__init__=3 Base.maker=1 Base.method=1 in_module=1' "$(zones)"
	check "$name: ... balanced" expect "$TW_TMP/t.tw" balanced
done
record "${pythons[0]}" --python-include='nothing.like.it*' -- "$P/names.py" "$TW_TMP/lib" >"$TW_TMP/out"
check 'a filter that matches nothing says so' expect "$TW_TMP/t.tw" \
	'note:no function matched --python-include nothing.like.it'
finish
