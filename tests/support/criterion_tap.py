#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a Criterion program and prints its report in TAP.

Criterion itself lets the tests' own prints into the report, calls a test that leaks a pass, and
reports nothing when the program dies before its end. Here prints go to standard error, what a
sanitizer says fails the test it was said of, and a death is a failure.

Criterion forks while it has a second thread, and GCC 12's address sanitizer does not hold its
allocator's locks over a fork: now and then the child waits for ever for a lock that
nobody holds, before it has come to the test. Such a child is known by not having become
"boxfort-worker"; the program is then started again.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

from tap_read import Tap

# Seconds for one test: the longest take about ten under the sanitizers on a slow machine.
TEST_TIMEOUT = 120
# Seconds that a child may take from its fork to its exec; it takes a millisecond.
FORK_TIMEOUT = int(os.environ.get("SOFTBAG_FORK_TIMEOUT", "10"))
STARTS = 5

AFTER_THE_TEST = re.compile(r"Warning! The test `(.+?)[`'] crashed during its setup or teardown")
SANITIZER = re.compile(r"ERROR: (?:Address|Leak|Undefined\w*|Memory|Thread)Sanitizer"
                       r"|: runtime error: ")


def proc(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


def hung_forks(parent):
    """Sleeping children of parent that are still its copies."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        fields = proc(pid, "stat").rpartition(b")")[2].split()
        if (len(fields) > 1 and fields[0] == b"S" and int(fields[1]) == parent
                and proc(pid, "cmdline") == proc(parent, "cmdline")):
            yield int(pid)


class Watch(threading.Thread):
    """Ends the program when a fork of it hangs."""

    def __init__(self, child):
        super().__init__(daemon=True)
        self.child = child
        self.over = threading.Event()
        self.hung = False

    def run(self):
        seen = {}
        while not self.over.wait(1):
            seen = {pid: seen.get(pid, 0) + 1 for pid in hung_forks(self.child.pid)}
            for pid, times in seen.items():
                if times >= FORK_TIMEOUT:
                    self.hung = True
                    self.child.kill()
                    os.kill(pid, signal.SIGKILL)
                    return


def run_once(command, report):
    """(status, standard error, whether a fork hung); what the program says is passed on."""
    child = subprocess.Popen([*command, f"--tap={report}", "-j1", f"--timeout={TEST_TIMEOUT}"],
                             stdout=2, stderr=subprocess.PIPE)
    watch = Watch(child)
    watch.start()
    said = []
    for line in child.stderr:
        sys.stderr.buffer.write(line)
        sys.stderr.buffer.flush()
        said.append(line.decode(errors="replace"))
    status = child.wait()
    watch.over.set()
    watch.join()
    return status, "".join(said), watch.hung


def run(command):
    """(status, standard error, TAP or "") of the program."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.tap")
        for _ in range(STARTS):
            status, said, hung = run_once(command, report)
            if not hung:
                break
            print("a fork hung in the sanitizer's allocator: starting again", file=sys.stderr)
        try:
            with open(report, encoding="utf-8", errors="replace") as f:
                return status, said, f.read()
        except OSError:
            return status, said, ""


def ending(status):
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: criterion_tap.py PROGRAM [ARGUMENT...]")
    program = os.path.basename(sys.argv[1])
    status, said, text = run(sys.argv[1:])
    tap = Tap(text)
    tests = []
    late = set(AFTER_THE_TEST.findall(said))
    for test in tap.tests:
        name = re.sub(r"\s+\(\d+\.\d+s\)$", "", test.name)
        if name in late and test.passed:
            test.passed = False
            test.detail.append("# crashed or leaked after its end, see standard error")
        tests.append((test.passed, name, test.skipped, test.detail))

    trouble = tap.trouble()
    if not text:
        trouble = f"{ending(status)} before it reported"
    elif trouble is None and all(passed for passed, *_ in tests):
        if SANITIZER.search(said):
            trouble = "a sanitizer complained, see standard error"
        elif status != 0:
            trouble = f"{ending(status)}, though each test passed"
    if trouble:
        tests.append((False, program, None, [f"# {trouble}"]))

    print("TAP version 13")
    print(f"1..{len(tests)}")
    for number, (passed, name, skipped, detail) in enumerate(tests, 1):
        directive = f" # SKIP {skipped}" if skipped is not None else ""
        print(f"{'ok' if passed else 'not ok'} {number} - {name.replace('#', ' ')}{directive}")
        if not passed:
            for line in detail:
                print("# " + line.removeprefix("# "))
    sys.exit(0 if all(passed for passed, *_ in tests) else 1)


if __name__ == "__main__":
    main()
