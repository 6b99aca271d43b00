#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# git: init, commit, branch, merge, log, gc, clone in a folder of its own.
. "$TW_SRC/tests/real/real.sh"
need git git
same_output git '
export GIT_AUTHOR_DATE=2020-01-01T00:00:00Z GIT_COMMITTER_DATE=2020-01-01T00:00:00Z
export GIT_CONFIG_NOSYSTEM=1
git init -q -b main repo && cd repo
git config user.name t; git config user.email t@example.org; git config gc.auto 0
seq 1000 >a; git add a; git commit -q -m first
git checkout -q -b side; seq 1200 >a; git commit -q -am second
git checkout -q main; echo b >b; git add b; git commit -q -m third
git merge -q -m merged side
git log --stat --oneline --graph; git diff HEAD~1 | head -n 5; git status --short
git grep -n 11 | wc -l; git blame a | wc -l
cd ..; git clone -q repo copy; git -C copy log --oneline | wc -l
git -C copy rev-parse HEAD; rm -rf repo/.git/index copy/.git/index copy/.git/logs repo/.git/logs
'
finish
