#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tracewrap pytest: each test is a zone with its outcome and parameters, in workers of
# xdist as well; pytest itself prints what it prints untraced. pytest comes from PyPI.
. "$TW_SRC/tests/python/interpreters.sh"
cd "$TW_TMP" || exit
export PYTHONDONTWRITEBYTECODE=1
cp "$P/test_probe.py" .

# pytest_for PYTHON: sets PYTHONPATH to where it is kept; else 1, and WHY says why not.
pytest_for()
{
	local cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tracewrap/pytest folder
	unset PYTHONPATH
	folder=$cache/$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	if [ ! -d "$folder" ]; then
		mkdir -p "$cache" && rm -rf pytest.new
		if ! timeout 120 "$1" -m pip install -q --disable-pip-version-check --no-compile \
			--target pytest.new pytest pytest-xdist >pip.log 2>&1; then
			WHY="pip cannot fetch pytest: $(tail -n 1 pip.log)"
			return 1
		fi
		mv -T pytest.new "$folder" || [ -d "$folder" ] || return
	fi
	export PYTHONPATH=$folder
}

# What differs between any two runs: times; of workers, who got which test and when.
plainly()
{
	sed -E 's/ in [0-9.]+s//; s/=+//g; s/\[gw[0-9]\]//; s/\[ *[0-9]+%\]//; s/[0-9.]+s (call|setup|teardown)/\1/' |
		sort
}

# The tests' zones: name and text.
"$PYTHON" - >zones.txt <<'X'
for name, text in (("passes", "passed"), ("fails", "failed"), ("takes[1-x]", "passed/a = 1/b = 'x'"),
                   ("takes[2-y]", "passed/a = 2/b = 'y'"), ("skipped", "skipped"),
                   ("xfails", "xfailed"), ("errs", "error in setup"), ("ends", "error in teardown")):
    print("test_probe.py::test_%s '%s'" % (name, text))
print("test_probe.py::TestClass::test_method 'passed'")
X
sort -o zones.txt zones.txt

# tests PYTHON ARGUMENT...: as PYTHON ARGUMENT... is untraced; the zones.
tests()
{
	local python=$1 code
	shift
	"$python" "$@" >plain.out 2>&1
	code=$?
	record "$python" --port 0 "${options[@]}" -- "$@" >traced.out 2>&1
	[ $? -eq $code ] && [ $code -eq 1 ] || return
	diff <(plainly <plain.out) <(plainly <traced.out) || return
	"$TRACEWRAP" export --quiet --force t.tw -o t.csv
	"$PYTHON" "$P/tree.py" t.csv test_probe.py | grep '::' | sed 's/^ *//' | sort | diff zones.txt - || return
	expect t.tw balanced finished
}

# As the seeds have it. With -p no function is recorded; the tests' zones are ours.
by_tracy()
{
	record "$1" --port 0 -- -m tracy -p -r -v "${usual[@]}" >traced.out 2>&1
	grep -q '5 passed' traced.out && "$TRACEWRAP" export --quiet --force t.tw -o t.csv || return
	"$PYTHON" "$P/tree.py" t.csv test_probe.py | grep '::' | sed 's/^ *//' | sort | diff zones.txt - || return
	! grep -q '^helper,' t.csv
}

usual=(-m pytest -p no:cacheprovider -v test_probe.py)
# Half a million calls of pytest itself are recorded once, below.
options=(--mine)
for python in "${pythons[@]}"; do
	name=$(short "$python")
	if ! pytest_for "$python"; then
		skip "$name: pytest" "$WHY"
		continue
	fi
	check "$name: each test is a zone" tests "$python" "${usual[@]}"
	# What the test calls lies in its zone.
	check "$name: calls lie in it" sh -c '"$1" "$2" t.csv "$3/test_probe.py" | grep -q helper' - \
		"$PYTHON" "$P/tree.py" "$TW_TMP"
	last=$python
done
if [ -n "${last:-}" ] && pytest_for "$last"; then
	name=$(short "$last")
	options=()
	check "$name: in workers of xdist" tests "$last" "${usual[@]}" -n 2
	check "$name: each worker is a process of the trace" expect t.tw 'processes>=3'
	check "$name: python -m tracy -p -m pytest" by_tracy "$last"
fi
finish
