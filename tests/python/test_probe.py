# SPDX-License-Identifier: BSD-3-Clause
"""Tests of every outcome, for t_python_pytest.sh."""
import warnings

import pytest


def helper():
    pass


def test_passes():
    helper()


def test_fails():
    assert 1 == 2


@pytest.mark.parametrize("a,b", [(1, "x"), (2, "y")])
def test_takes(a, b):
    warnings.warn("expected")


@pytest.mark.skip(reason="not now")
def test_skipped():
    pass


@pytest.mark.xfail
def test_xfails():
    assert 0


@pytest.fixture
def broken():
    raise ValueError("expected")


def test_errs(broken):
    pass


@pytest.fixture
def torn():
    yield
    raise ValueError("expected")


def test_ends(torn):
    helper()


class TestClass:
    def test_method(self):
        helper()
