#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tree is finished where it stands, and runs on any machine: no marks of unfinished work, no
path, host or mirror of the machine it was written on."""

import os
import re

from common import Report, arguments, files

# Each word is written in two pieces, so that this file passes its own rule.
UNFINISHED = re.compile(
    r"\b(?:" + "TO" r"DO|FIX" r"ME|XX" r"X)\b"
    r"|(?i:\bnot (?:yet )?imple" r"mented\b|\bfor n" r"ow\b)")
PLACES = re.compile(r"(?<![\w.])/(?:wo" r"rk|ho" r"me)/[\w.]")
HOSTS = re.compile(r"https?://[\w.-]*(?:debian|ubuntu|mirror|pypi|pythonhosted|npm)[\w.-]*",
                   re.IGNORECASE)
SHARED = re.compile(r"\.\./sha" r"red\b|/sha" r"red/(?:captures|design|testbed)")
MAY_NAME_SHARED = {".ci/run"}
DATA = re.compile(r"^tests/(?:data|fuzz/corpus)/.*(?<!\.py)(?<!\.sh)$|^LICENSE$")


def text_of(root, path):
    """The text of a file, or None when it is binary."""
    full = os.path.join(root, path)
    if os.path.islink(full):
        return None
    with open(full, "rb") as f:
        data = f.read()
    return None if b"\0" in data else data.decode(errors="replace")


def search(path, text, pattern):
    for match in pattern.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield f"{path}:{line}: {match.group(0)}"


def main():
    args = arguments(__doc__)
    report = Report("words")
    unfinished, places, shared = [], [], []
    for path in files(args.root):
        if DATA.match(path):
            continue
        text = text_of(args.root, path)
        if text is None:
            continue
        unfinished += search(path, text, UNFINISHED)
        places += search(path, text, PLACES)
        places += search(path, text, HOSTS)
        if path not in MAY_NAME_SHARED:
            shared += search(path, text, SHARED)
    report.rule("nothing is marked as unfinished", unfinished)
    report.rule("no path or mirror of one machine", places)
    report.rule("nothing outside the tree is needed", shared)
    report.finish()


if __name__ == "__main__":
    main()
