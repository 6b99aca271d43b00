# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for the tracy module of the ttnn wheel: says what it has to say to ttnn."""
WHO = "stand-in"


def signpost(header, message=None):
    import ttnn
    words = "%s\n%s" % (header, message) if message else header
    ttnn.tracy_message("`TT_SIGNPOST: %s`" % words)
