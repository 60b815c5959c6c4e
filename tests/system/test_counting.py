#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/test says at its end is what the programs' logs say: nothing that went wrong is lost in a sum."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import running, tap  # noqa: E402

COUNT = os.path.join(running.ROOT, "tests", "support", "tap_count.py")
GOOD = "TAP version 13\n1..3\nok 1 - a\nok 2 - b # SKIP no root\nok 3 - c\n"


def entry(stdout, returncode=0, result="OK", name="prog", **more):
    return {"name": name, "stdout": stdout, "returncode": returncode, "result": result, "duration": 1.0, **more}


def count(*entries, options=(), files=None):
    """(status, all that is said, its last line)."""
    where = running.folder(tap)
    path = os.path.join(where, "log.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(json.dumps(e) + "\n" for e in entries))
    words = [sys.executable, COUNT, *options, *(files or [f"unit={path}"])]
    done = running.run(words)
    return done.status, done.out, done.out.rstrip("\n").split("\n")[-1]


@tap.test
def tests_are_counted_and_not_programs():
    status, _, last = count(entry(GOOD), entry(GOOD, name="other"))
    assert (status, last) == (0, "4 passed, 0 failed, 2 skipped")


@tap.test
def where_nothing_may_be_skipped_a_skip_is_a_failure():
    status, said, last = count(entry(GOOD), options=["--no-skip"])
    assert (status, last) == (1, "2 passed, 1 failed, 0 skipped")
    assert "FAILED: unit: b" in said and "no root" in said, said


@tap.test
def a_failure_is_named_with_what_it_said():
    text = "TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\n# 3, want 4\n"
    status, said, last = count(entry(text, 1, "FAIL", stderr="seed 7\n"))
    assert (status, last) == (1, "1 passed, 1 failed, 0 skipped")
    assert "FAILED: unit: b" in said and "3, want 4" in said and "seed 7" in said, said


@tap.test
def a_program_that_ends_badly_is_a_failure_of_its_own():
    for stdout, code, result, word in (
        ("TAP version 13\n1..2\nok 1 - a\n", -11, "FAIL", "signal 11"),
        ("TAP version 13\n1..2\nok 1 - a\n", 0, "OK", "prog"),  # one is missing
        ("TAP version 13\n1..1\nok 1 - a\n", 3, "FAIL", "status 3"),
        ("TAP version 13\n1..1\nok 1 - a\n", -15, "TIMEOUT", "timed out"),
        ("", 0, "OK", "prog"),
    ):
        status, said, last = count(entry(stdout, code, result))
        assert status == 1 and ", 1 failed, " in last, (stdout, code, said)
        assert "FAILED: unit: prog" in said and word in said, said


@tap.test
def what_did_not_build_and_what_cannot_be_read_count():
    status, said, last = count(entry(GOOD), options=["--failed", "the build of build-asan/"])
    assert (status, last) == (1, "2 passed, 1 failed, 1 skipped") and "build-asan" in said, said
    status, said, last = count(files=["unit=/nowhere/log.json"])
    assert (status, last) == (1, "0 passed, 1 failed, 0 skipped") and "cannot be read" in said, said


@tap.test
def nothing_that_ran_is_no_success():
    status, said, last = count()
    assert (status, last) == (1, "0 passed, 0 failed, 0 skipped") and "no test ran" in said, said


if __name__ == "__main__":
    tap.run()
