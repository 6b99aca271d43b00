# SPDX-License-Identifier: BSD-3-Clause
"""The interface of Tracy's own Python package, served by tracewrap."""
from tracy_client.tracy import *
from tracy_client.tracy import __all__
