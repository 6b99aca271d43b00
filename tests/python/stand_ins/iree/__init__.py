# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for IREE's package; not the real one."""
