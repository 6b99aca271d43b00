#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# import tracewrap, tracy and tracy_client without anything installed: what they record,
# python -m tracy, real packages first, and every Python example of the seeds.
. "$TW_SRC/tests/python/interpreters.sh"
cd "$TW_TMP" || exit
SEEDS=${TW_SEEDS:-$TW_SRC/../shared/seeds}
export PYTHONDONTWRITEBYTECODE=1

# The examples sleep, so all interpreters run them at once, while the rest goes on.
start_seeds()
{
	local i
	for i in "${!pythons[@]}"; do
		PYTHONPATH=$P/stand_ins timeout 60 "$TRACEWRAP" --quiet --port 0 -o "seeds$i.tw" -- \
			"${pythons[$i]}" "$P/seeds.py" "$SEEDS" >"seeds$i.out" 2>&1 &
	done
}

# recorded PYTHON ARGUMENT...: prints what the program prints; its zones as a tree: tree.txt.
recorded()
{
	local python=$1
	shift
	record "$python" --port 0 "${options[@]}" -- "$@" || return
	"$PYTHON" "$P/tree.py" t.csv "${probe:-$1}" >tree.txt
}
options=()

everything()
{
	[ "$(recorded "$1" "$P/modules.py")" = "done" ] || return
	diff "$P/modules_zones.txt" tree.txt || return
	expect t.tw balanced finished messages=6 thread:annotated processes=2
}

cat >partly.py <<'X'
import sys
from tracy import Profiler, signpost
def child(): pass
def inside(): child()
def outside(): pass
class Pickled: pass
profiler = Profiler()
outside()
signpost("before")
profiler.enable()
inside()
profiler.disable()
outside()
print(__name__, sys.argv[1:], __file__, sys.modules["__main__"].Pickled is Pickled)
X
cat >module_run.py <<'X'
import sys
def inside(): pass
inside()
print(__name__, sys.argv[1:])
X

# flat FILE: names of the zones of a file, in the order of their ends.
flat()
{
	awk -F, -v file="$1" '$2 == file { printf "%s ", $1 }' t.csv
}

says='__main__ ['"'a', '-b'"'] partly.py True'
as_a_command()
{
	local probe=partly.py
	[ "$(recorded "$1" -m tracy partly.py a -b)" = "$says" ] || return
	[ "$(flat partly.py)" = 'outside child inside outside Pickled <module> ' ] ||
		[ "$(flat partly.py)" = 'Pickled outside child inside outside <module> ' ] || return
	[ "$(recorded "$1" -m tracy -p -r -vl -n x --no-device -o "$TW_TMP" --new-option=1 partly.py a -b)" = "$says" ] ||
		return
	[ "$(flat partly.py)" = 'child inside ' ] || return
	expect t.tw balanced messages=1 \
		'note:python -m tracy: without a meaning here: -r -v -l -n --no-device -o --new-option' || return
	[ "$(PYTHONPATH=. recorded "$1" -m tracy -m module_run x)" = "__main__ ['x']" ] || return
	grep -q '^inside,' t.csv
}

# Wrong usage: a message and a code, as from any program.
wrong_usage()
{
	[ "$(code "$TRACEWRAP" -q -p 0 -f -o t.tw -- "$1" -m tracy)" = 1 ] && grep -q '^usage: ' err &&
		[ "$(code "$TRACEWRAP" -q -p 0 -f -o t.tw -- "$1" -m tracy missing.py)" = 2 ] &&
		grep -q "can't open file 'missing.py'" err
}

who='import tracy, tracy_client; print(getattr(tracy, "WHO", "ours"), tracy_client.is_enabled()); tracy.signpost("a", "b")'
real_first()
{
	local options=()
	export PYTHONPATH=$P/stand_in_tracy:$P/stand_ins
	[ "$(recorded "$1" -c "$who")" = 'stand-in True' ] || return
	# What the real one tells its own library is in the trace as well, once.
	expect t.tw messages=1 || return
	options=(--override-tracy)
	[ "$(recorded "$1" -c "$who")" = 'ours True' ] || return
	expect t.tw messages=1
}

# The package of python/: nothing without us, the real thing with us.
stand_in='import tracewrap
def f():
    with tracewrap.zone("mine", text="t") as z: z.value(1); g()
def g(): tracewrap.message("m")
@tracewrap.zone()
def h(): return 5
f(); tracewrap.plot("p", 1); print(h(), tracewrap.is_enabled())'
installed()
{
	export PYTHONPATH=$TW_SRC/python
	[ "$("$1" -c "$stand_in")" = '5 False' ] || return
	[ "$(recorded "$1" -c "$stand_in")" = '5 True' ] || return
	expect t.tw balanced messages=1 zone:mine=1
}

without_functions()
{
	local options=(--no-python)
	[ "$(recorded "$1" -c "import asyncio
$stand_in")" = '5 True' ] || return
	expect t.tw balanced messages=1 zones=2 zone:mine=1 zone:h=1
}

# Without an import of ours: none of it is there, and errors are the interpreter's own.
absent='import sys
print([m for m in sys.modules if "trac" in m and m not in ("traceback", "tracemalloc")])
for name in ("no_such_module", "tracy_client.no_such", "tracy.tracy_state", "a.b", "."):
    try:
        __import__(name)
    except Exception as e:
        print(type(e).__name__, e)'
errors()
{
	"$1" -c "$absent" >plain.txt 2>&1
	recorded "$1" -c "$absent" >traced.txt 2>&1
	# These two packages exist only under us.
	sed -i "s/No module named 'tracy'/No module named 'tracy.tracy_state'/
		s/No module named 'tracy_client'/No module named 'tracy_client.no_such'/" plain.txt
	diff plain.txt traced.txt
}

if [ -d "$SEEDS" ]; then
	start_seeds
fi
for python in "${pythons[@]}"; do
	name=$(short "$python")
	check "$name: everything they offer" everything "$python"
	check "$name: python -m tracy" as_a_command "$python"
	check "$name: python -m tracy, wrong usage" wrong_usage "$python"
	check "$name: a real tracy comes first (a stand-in)" real_first "$python"
	unset PYTHONPATH
	check "$name: the package for programs that run without us" installed "$python"
	unset PYTHONPATH
	check "$name: with --no-python they record, and no function is" without_functions "$python"
	check "$name: what is not imported is not there" errors "$python"
done
if [ -d "$SEEDS" ]; then
	wait
	for i in "${!pythons[@]}"; do
		name=$(short "${pythons[$i]}")
		equal "$name: all examples of the seeds" '13 examples' "$(tail -n 1 "seeds$i.out")"
		check "$name: what they say is there" expect "seeds$i.tw" balanced finished messages=17 \
			zone:My_Zone=1 zone:Nested_Zone=1 zone:IREE_Inference=1 zone:Create_Device=1 \
			zone:Load_Module=1 zone:Execute_Function=1 zone:MY_CUSTOM_ZONE=1
	done
else
	skip 'the examples of the seeds' 'needs their folder (TW_SEEDS=FOLDER)'
fi
finish
