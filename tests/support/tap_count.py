#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts tests, not files, over the logs of several meson runs.

    tap_count.py [--no-skip] [--failed NAME]... LABEL=LOG.json...

Prints each failing test with what it said, a table of the suites, and as its last line
`N passed, N failed, N skipped`. Ends with 1 when a test failed or none ran. With --no-skip a
skipped test counts as failed.
"""

import argparse
import json
import re
import sys

from tap_read import Tap

DETAIL_LINES = 40       # of one failing test
STDERR_LINES = 60       # of one failing program


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0


def tail(text, lines):
    kept = text.rstrip("\n").split("\n")
    if len(kept) > lines:
        kept = [f"... {len(kept) - lines} lines above"] + kept[-lines:]
    return kept


def program_trouble(entry, tap):
    """What is wrong with a program beyond the tests it reported, or None."""
    if entry["result"] == "TIMEOUT":
        return f"timed out after {entry['duration']:.0f} s"
    if entry["result"] == "INTERRUPT":
        return "was interrupted"
    trouble = tap.trouble()
    code = entry["returncode"]
    ending = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
    if trouble:
        return f"{trouble} ({ending})" if code else trouble
    if code and all(test.passed for test in tap.tests):
        return f"{ending}, though no test failed"
    return None


def count_program(label, entry, count, no_skip):
    """Adds one program's tests to count; prints those that failed."""
    tap = Tap(entry.get("stdout") or "")
    shown = []
    if tap.plan == 0 and tap.plan_skip is not None:
        tap.tests = Tap(f"ok - {entry['name']} # SKIP {tap.plan_skip}").tests
        tap.plan = 1
    for test in tap.tests:
        if test.skipped is not None and not no_skip:
            count.skipped += 1
            print(f"skipped: {label}: {test.name}: {test.skipped}")
        elif test.skipped is not None:
            count.failed += 1
            shown.append((test.name, [f"skipped, which is not allowed here: {test.skipped}"]))
        elif test.passed:
            count.passed += 1
        else:
            count.failed += 1
            shown.append((test.name, test.detail))
    trouble = program_trouble(entry, tap)
    if trouble:
        count.failed += 1
        shown.append((entry["name"], [trouble]))
    for name, detail in shown:
        print(f"FAILED: {label}: {name}")
        for line in tail("\n".join(detail), DETAIL_LINES):
            print(f"    {line.removeprefix('# ')}")
    said = re.sub(r"\n\(test program exited with status code -?\d+\)$", "",
                  entry.get("stderr") or "")
    if shown and said.strip():
        print(f"  standard error of {entry['name']}:")
        for line in tail(said, STDERR_LINES):
            print(f"  | {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-skip", action="store_true")
    parser.add_argument("--failed", action="append", default=[], metavar="NAME")
    parser.add_argument("logs", nargs="*", metavar="LABEL=LOG.json")
    args = parser.parse_args()

    table = []
    for log in args.logs:
        label, _, path = log.partition("=")
        count = Count()
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                entries = [json.loads(line) for line in f if line.strip()]
        except (OSError, ValueError) as error:
            print(f"FAILED: {label}: its log cannot be read: {error}")
            count.failed += 1
            entries = []
        for entry in entries:
            count_program(label, entry, count, args.no_skip)
        table.append((label, count))
    for name in args.failed:
        print(f"FAILED: {name}")
        count = Count()
        count.failed = 1
        table.append((name, count))

    print()
    for label, count in table:
        print(f"  {label:<28} {count.passed:5} passed {count.failed:4} failed"
              f" {count.skipped:4} skipped")
    passed = sum(count.passed for _, count in table)
    failed = sum(count.failed for _, count in table)
    skipped = sum(count.skipped for _, count in table)
    if passed + failed == 0:
        print("no test ran")
    print()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
