#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The annotation header: every dialect and way of linking, with and without us.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/e2e/same.sh"
cd "$TW_TMP" || exit

cat >all.c <<'C'
#include <tracewrap.h>
#include <stdio.h>

static int step(int i)
{
	TRACEWRAP_ZONE("step");
	TRACEWRAP_TEXT("text", 4);
	TRACEWRAP_VALUE(i);
	if (i % 2)
		return 1;
	TRACEWRAP_ZONE_COLOUR("even", 0x00ff00);
	TRACEWRAP_NAME("name", 4);
	TRACEWRAP_COLOUR(0xff);
	return 2;
}

int main(void)
{
	int sum = 0;
	struct tracewrap_zone z = TRACEWRAP_BEGIN("whole");

	for (int i = 0; i < 10; i++)
		sum += step(i);
	TRACEWRAP_MESSAGE("message", 7);
	TRACEWRAP_PLOT("plot", 1);
	TRACEWRAP_FRAME(NULL);
	TRACEWRAP_THREAD_NAME("first");
	TRACEWRAP_END(z);
	printf("%d\n", sum);
	return 0;
}
C
cp all.c all.cc

# dialect NAME COMPILER FLAGS: compiles without a warning, runs alone, and is recorded.
dialect()
{
	local label=$1 compiler=$2 source=$3 flags=$4 words=$5
	if ! has "$compiler"; then
		skip "$label" "needs $compiler (apt-get install $compiler)"
		return
	fi
	# shellcheck disable=SC2086
	check "$label: compiles without a warning" "$compiler" -Wall -Wextra -Werror \
		-I"$TW_SRC/include" "$source" -o program $flags
	equal "$label: runs alone" 15 "$(./program)"
	equal "$label: runs traced" 15 \
		"$("$TRACEWRAP" --quiet --force -o program.tw ./program 2>&1)"
	# shellcheck disable=SC2086
	check "$label: recorded" expect program.tw $words
	rm -f program
}

all='zone:step=10 zone:even=5 zone:whole=1'
dialect 'C99' gcc all.c '-std=c99 -pedantic' "$all"
dialect 'C11, no optimisation' gcc all.c '-std=c11 -O0' "$all"
dialect 'C17, size' gcc all.c '-std=gnu17 -Os' "$all"
dialect 'no position-independent code' gcc all.c '-O2 -no-pie -fno-pie' "$all"
dialect 'link-time optimisation' gcc all.c '-O2 -flto' "$all"
dialect 'immediate binding' gcc all.c '-O2 -Wl,-z,now -Wl,-z,relro -fno-plt' "$all"
dialect 'sections collected' gcc all.c '-O2 -ffunction-sections -Wl,--gc-sections' "$all"
dialect 'stripped' gcc all.c '-O2 -s -fvisibility=hidden' "$all"
dialect 'static' gcc all.c '-O2 -static' zones=0
dialect 'compiled away' gcc all.c '-O2 -DTRACEWRAP_DISABLE' zones=0
dialect 'C++11' g++ all.cc '-std=c++11' "$all"
dialect 'C++20' g++ all.cc '-std=c++20 -O2' "$all"
dialect 'clang C' clang all.c '-std=c11 -O2' "$all"
dialect 'clang C++' clang++ all.cc '-std=c++17 -O2' "$all"

if has g++ && build_extra throws throws.cc; then
	cat >table.txt <<-TABLE
		[C++ exceptions through zones]
		run $TW_TMP/throws
		expect zone:descend=1000 zone:attempt=200 zone:catch=200 zone:after=1
		bare-expect zone:descend=1000 zone:attempt=200
	TABLE
	same_file table.txt
else
	skip 'C++ exceptions through zones' 'needs g++ (apt-get install g++)'
fi

# In two files of one program: one place each, no clash.
cat >other.c <<'C'
#include <tracewrap.h>
void other(void);
void other(void)
{
	TRACEWRAP_ZONE("other file");
}
C
cat >first.c <<'C'
#include <tracewrap.h>
void other(void);
int main(void)
{
	TRACEWRAP_ZONE("first file");
	other();
	return 0;
}
C
check 'two files: link' "$CC" -I"$TW_SRC/include" first.c other.c -o two
"$TRACEWRAP" --quiet -o two.tw ./two
check 'two files: recorded' expect two.tw zone:first_file=1 zone:other_file=1
equal 'no library is needed' '' "$(ldd two | grep -i tracewrap)"
finish
