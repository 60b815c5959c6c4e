# SPDX-License-Identifier: BSD-3-Clause
"""Reads TAP: what a test program said about its tests."""

import re

_TEST = re.compile(r"(not )?ok\b\s*(\d+)?\s*(?:-\s*)?([^#]*)(?:#\s*(.*))?$")
_PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*(.*))?$")
_SKIP = re.compile(r"skip\S*\s*(.*)$", re.IGNORECASE)


class Test:
    def __init__(self, passed, name, skipped):
        self.passed = passed
        self.name = name
        self.skipped = skipped      # the reason, or None
        self.detail = []


class Tap:
    """The plan (None when there was none), the tests, and why the program gave up, if it did."""

    def __init__(self, text):
        self.plan = None
        self.plan_skip = None
        self.tests = []
        self.bail = None
        for line in text.splitlines():
            self._line(line)

    def _line(self, line):
        match = _TEST.match(line)
        if match:
            skip = _SKIP.match(match.group(4) or "")
            name = match.group(3).strip() or f"test {len(self.tests) + 1}"
            self.tests.append(Test(not match.group(1), name,
                                   skip.group(1) if skip and not match.group(1) else None))
            return
        match = _PLAN.match(line)
        if match and self.plan is None:
            self.plan = int(match.group(1))
            skip = _SKIP.match(match.group(2) or "")
            self.plan_skip = skip.group(1) if skip else None
        elif line.startswith("Bail out!"):
            self.bail = line[len("Bail out!"):].strip() or "no reason given"
        elif self.tests:
            self.tests[-1].detail.append(line)

    def trouble(self):
        """What is wrong with the run as a whole, or None."""
        if self.bail is not None:
            return f"gave up: {self.bail}"
        if self.plan is None:
            return f"ended without a plan, after {len(self.tests)} tests"
        if self.plan == 0 and self.plan_skip is None:
            return "holds no test"
        if len(self.tests) != self.plan:
            return f"planned {self.plan} tests and reported {len(self.tests)}"
        return None
