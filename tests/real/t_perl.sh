#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perl: fork, pipes, signals, sockets, sorting.
. "$TW_SRC/tests/real/real.sh"
need perl perl
mkdir -p "$TW_TMP/given"
cat >"$TW_TMP/given/t.pl" <<'P'
use strict; use warnings; use IO::Socket::INET; use POSIX ":sys_wait_h";
$| = 1;
for my $i (1 .. 5) { my $p = fork; if (!$p) { POSIX::_exit($i) } waitpid $p, 0; print $? >> 8, " " }
print "\n", `echo backtick; exit 3`, $? >> 8, "\n";
open my $f, "-|", "seq 5" or die; print map { "<$_>" } map { s/\n//r } <$f>; close $f; print "\n";
local $SIG{USR1} = sub { print "signal\n" }; kill USR1 => $$;
eval { local $SIG{ALRM} = sub { die "alarm\n" }; alarm 1; select undef, undef, undef, 5 }; print $@;
my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
if (!fork) { my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $s->sockport); print $c "hi\n"; POSIX::_exit(0) }
my $c = $s->accept; print scalar <$c>; wait;
my %h; $h{$_ % 7} += $_ for 1 .. 10000; print join(",", map { "$_=$h{$_}" } sort keys %h), "\n";
exec "echo", "the end";
P
same_output perl 'perl t.pl'
finish
