# SPDX-License-Identifier: BSD-3-Clause
"""What the checks share: the list of files, C without its comments, and a report in TAP.

Each check is a program of its own: `CHECK.py [--root DIR] [--build DIR]`. It prints one line of TAP
for each rule, the findings as `#` lines below it, and exits with 1 when a rule is broken.
"""

import argparse
import os
import re
import subprocess
import sys

SKIPPED_DIRS = {".git", "__pycache__", "node_modules"}


def arguments(doc):
    parser = argparse.ArgumentParser(description=doc)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)),
                        help="the tree to check")
    parser.add_argument("--build", default=None,
                        help="a configured build directory (default: ROOT/build)")
    args = parser.parse_args()
    args.root = os.path.abspath(args.root)
    args.build = os.path.abspath(args.build or os.path.join(args.root, "build"))
    return args


def _git_files(root):
    """What git tracks or would track, so that build output is never checked."""
    if not os.path.exists(os.path.join(root, ".git")):
        return None
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        return None
    names = done.stdout.decode(errors="surrogateescape").split("\0")
    return [name for name in names if name and os.path.isfile(os.path.join(root, name))]


def _walked_files(root):
    found = []
    for where, dirs, names in os.walk(root):
        dirs[:] = [d for d in dirs
                   if d not in SKIPPED_DIRS and not (where == root and d.startswith("build"))]
        found += [os.path.relpath(os.path.join(where, name), root) for name in names]
    return found


def files(root, dirs=None, endings=None):
    """Paths below root, sorted; only those in one of `dirs` and with one of `endings`, if given."""
    try:
        found = _git_files(root)
    except FileNotFoundError:
        found = None
    if found is None:
        found = _walked_files(root)
    if dirs is not None:
        found = [f for f in found if f.startswith(tuple(d.rstrip("/") + "/" for d in dirs))]
    if endings is not None:
        found = [f for f in found if f.endswith(tuple(endings))]
    return sorted(set(found))


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


_C_TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def strip_c(text, keep_strings=False):
    """C without comments, and with strings and characters emptied; lines keep their numbers."""

    def blank(match):
        token = match.group(0)
        if token[0] == "/":
            return " " + "\n" * token.count("\n")
        return token if keep_strings else token[0] + token[0]

    return _C_TOKEN.sub(blank, text)


_TEST_MACROS = {"Test", "Theory", "ParameterizedTest", "ParameterizedTestParameters"}


def functions(text):
    """(name, first line, last line) of each function of stripped C in the house's style, where
    a function's braces stand alone in the first column."""
    lines = text.split("\n")
    found = []
    start = None
    name = ""
    for number, line in enumerate(lines, 1):
        if start is None and line.rstrip() == "{":
            head = []
            for above in reversed(lines[:number - 1]):
                if not above.strip() or above[0] in "}#" or above.rstrip().endswith((";", "*/")):
                    break
                head.insert(0, above)
            match = re.search(r"(\w+)\s*\(([^)]*)", " ".join(head))
            if not match:
                continue
            name = match.group(1)
            if name in _TEST_MACROS:
                name = f"{name}({' '.join(match.group(2).split())})"
            start = number
        elif start is not None and line.startswith("}"):
            found.append((name, start, number))
            start = None
    return found


class Report:
    """One TAP line for each rule, its findings below it."""

    def __init__(self, check):
        self.check = check
        self.count = 0
        self.failed = 0
        print("TAP version 13")

    def rule(self, what, findings, notes=()):
        self.count += 1
        if findings:
            self.failed += 1
        print(f"{'not ok' if findings else 'ok'} {self.count} - {self.check}: {what}")
        for line in findings:
            print(f"# {line}")
        for line in notes:
            print(f"# note: {line}")

    def skip(self, what, reason):
        self.count += 1
        print(f"ok {self.count} - {self.check}: {what} # SKIP {reason}")

    def finish(self):
        print(f"1..{self.count}")
        sys.stdout.flush()
        sys.exit(1 if self.failed else 0)
