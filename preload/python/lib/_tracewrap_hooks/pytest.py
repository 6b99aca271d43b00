# SPDX-License-Identifier: BSD-3-Clause
"""_pytest.config was imported (`module`): each test becomes a zone.

The plugin is registered by hand on every configuration that is made, in xdist's workers
as well; it prints nothing and pytest lists it nowhere.
"""
original = module.get_config


def describe(item):
    """The parameters of a test, a line each."""
    params = getattr(getattr(item, "callspec", None), "params", None) or {}
    lines = []
    for name, value in params.items():
        try:
            lines.append("\n%s = %.200s" % (name, repr(value)))
        except Exception:
            lines.append("\n%s = ?" % (name,))
    return "".join(lines)


def outcome_of(report):
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.outcome == "skipped" else "xpassed"
    if report.when != "call" and report.outcome == "failed":
        return "error in %s" % report.when
    return report.outcome


def wrapper():
    """The plain kind of wrapper; older releases have another, which newer ones put into
    a generator of their own: our zone would end with its first half."""
    try:
        return module.hookimpl(wrapper=True, tryfirst=True)
    except TypeError:
        return module.hookimpl(hookwrapper=True, tryfirst=True)


class Plugin:
    """A zone around the whole of a test: set-up, call and tear-down."""

    outcome = None

    @wrapper()
    def pytest_runtest_protocol(self, item, nextitem):
        from tracewrap import _Open, _location
        file, line, name = item.location
        self.outcome = None
        opened = _Open(_location(item.nodeid, 0, name, str(file), (line or 0) + 1))
        try:
            return (yield)
        finally:
            opened.add("t", (self.outcome or "not run") + describe(item))
            opened.end()

    def pytest_runtest_logreport(self, report):
        """Of set-up, call and tear-down: the call's outcome, or what went wrong."""
        outcome = outcome_of(report)
        if report.when == "call" or outcome != "passed":
            self.outcome = outcome if self.outcome in (None, "passed") else self.outcome


def get_config(*args, **kwargs):
    config = original(*args, **kwargs)
    try:
        config.pluginmanager.register(Plugin(), "tracewrap")
    except Exception as e:
        _tracewrap.note("pytest: tests have no zones: %s" % (e,))
    return config


module.get_config = get_config
