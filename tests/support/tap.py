# SPDX-License-Identifier: BSD-3-Clause
"""Tests in Python that report in TAP.

    from tap import Skip, defer, require, run, test

    @test
    def a_ping_crosses_the_node():
        require("ping", root=True)
        ...
        defer(node.stop)        # runs when this test ends, however it ends
        assert answers == 3, f"{answers} of 3 answers"

    run()

A test passes when it returns, fails when it raises or takes too long, and is skipped when it
raises Skip. What the test and its children print goes to standard error, so that nothing but TAP
is on standard output. A script that is one long story calls ok(), fail() and skip(), and ends with
finish().
"""

import os
import shutil
import signal
import sys
import traceback

TIMEOUT = 60            # seconds for a test that names no time of its own

_tests = []
_deferred = []
_count = 0
_failed = 0

_out = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)
print("TAP version 13", file=_out)


class Skip(Exception):
    """Raised by a test that cannot run here; says why."""


class TimedOut(BaseException):
    """Not an Exception, so that a test's own handlers let it through."""


def _line(passed, name, reason=None):
    global _count, _failed
    _count += 1
    _failed += not passed
    directive = f" # SKIP {reason}" if reason is not None else ""
    print(f"{'ok' if passed else 'not ok'} {_count} - {name.replace('#', ' ')}{directive}",
          file=_out)


def diag(text):
    for line in str(text).rstrip("\n").split("\n"):
        print(f"# {line}", file=_out)


def ok(name):
    _line(True, name)


def fail(name, why=""):
    _line(False, name)
    if why:
        diag(why)


def skip(name, reason):
    _line(True, name, " ".join(str(reason).split()))


def finish():
    print(f"1..{_count}", file=_out)
    sys.exit(1 if _failed else 0)


def require(*commands, root=False):
    """Skips the test unless it runs as root (when asked) and has these commands."""
    if root and os.geteuid() != 0:
        raise Skip("needs root")
    for command in commands:
        if not shutil.which(command):
            raise Skip(f"needs {command}")


def defer(function, *args, **kwargs):
    """Calls function when the running test ends; the last deferred goes first."""
    _deferred.append((function, args, kwargs))


def test(function=None, *, timeout=TIMEOUT):
    """Makes a function a test; its name is the test's name."""
    if function is None:
        return lambda f: test(f, timeout=timeout)
    _tests.append((function, timeout))
    return function


def _alarm(_signal, _frame):
    raise TimedOut()


def _clean_up():
    """Runs what was deferred; returns what went wrong with it."""
    wrong = []
    while _deferred:
        function, args, kwargs = _deferred.pop()
        try:
            signal.alarm(20)
            function(*args, **kwargs)
        except (Exception, TimedOut):
            wrong.append(traceback.format_exc())
        finally:
            signal.alarm(0)
    return wrong


def _run_one(function, timeout):
    wrong, skipped = [], None
    try:
        signal.alarm(timeout)
        function()
    except Skip as reason:
        skipped = str(reason)
    except TimedOut:
        wrong.append(f"took more than {timeout} s\n{traceback.format_exc()}")
    except (Exception, SystemExit):
        wrong.append(traceback.format_exc())
    finally:
        signal.alarm(0)
    wrong += _clean_up()
    if wrong:
        fail(function.__name__, "\n".join(wrong))
    elif skipped is not None:
        skip(function.__name__, skipped)
    else:
        ok(function.__name__)


def run():
    """Runs every test of the program, or those whose names hold a word of the command line."""
    signal.signal(signal.SIGALRM, _alarm)
    words = sys.argv[1:]
    for function, timeout in _tests:
        if not words or any(word in function.__name__ for word in words):
            _run_one(function, timeout)
    finish()
