#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The transparency check over tests/targets/hostile.txt.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/e2e/same.sh"
same hostile.txt
finish
