#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gcc and make: a small project of several files, built by two jobs, and run.
. "$TW_SRC/tests/real/real.sh"
need gcc gcc
need make make
mkdir -p "$TW_TMP/given"
for i in 1 2 3 4 5 6; do
	printf 'int f%d(int x) { for (int i = 0; i < x; i++) x ^= i * %d; return x; }\n' $i $i \
		>"$TW_TMP/given/f$i.c"
done
{
	printf '#include <stdio.h>\n'
	printf 'int f%d(int);\n' 1 2 3 4 5 6
	printf 'int main(void) { printf("%%d\\n", f1(1) + f2(2) + f3(3) + f4(4) + f5(5) + f6(6)); return 0; }\n'
} >"$TW_TMP/given/main.c"
cat >"$TW_TMP/given/Makefile" <<'M'
objects = f1.o f2.o f3.o f4.o f5.o f6.o
all: program libf.a
program: main.o $(objects)
	gcc -o $@ $^
libf.a: $(objects)
	ar rcD $@ $^
%.o: %.c
	gcc -O2 -c -o $@ $<
M
same_output 'gcc and make -j2' 'make -s -j2 && ./program && nm libf.a | sort'
same_output 'a compiler error' 'echo "int main(void) { return x; }" >bad.c; gcc -c bad.c; echo $?'
finish
