#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""C is formatted as .clang-format says, and text as .editorconfig says."""

import os
import re
import shutil
import subprocess

from common import Report, arguments, files, read

FORMATTER = "clang-format-14"
TEXT = (".c", ".h", ".py", ".sh", ".yaml", ".md", "meson.build", "meson_options.txt")
# What tests feed to the program on purpose.
DATA = re.compile(r"^tests/(?:data|fuzz/corpus)/|^tests/.*/data/")
WIDTH = 120     # of Python; the C formatter keeps its own


def c_findings(root, sources):
    if not sources:
        return []
    done = subprocess.run([FORMATTER, "--dry-run", "-Werror", "--style=file", *sources], cwd=root,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        return []
    places = re.findall(r"^([^\s:]+):(\d+):\d+: error", done.stderr, re.MULTILINE)
    count = {}
    for path, line in places:
        count.setdefault(path, []).append(line)
    return [f"{path}: {len(lines)} places, the first in line {lines[0]}; {FORMATTER} -i mends it"
            for path, lines in count.items()] or done.stderr.splitlines()[:10]


def text_findings(root, path):
    text = read(root, path)
    found = []
    if text and not text.endswith("\n"):
        found.append(f"{path}: no newline at its end")
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            found.append(f"{path}:{number}: white space at the end of the line")
        if "\r" in line:
            found.append(f"{path}:{number}: a carriage return")
        if path.endswith(".py") and len(line) > WIDTH:
            found.append(f"{path}:{number}: {len(line)} columns, over {WIDTH}")
    return found


def main():
    args = arguments(__doc__)
    report = Report("format")
    sources = [f for f in files(args.root, ["lib", "app", "drivers", "tests"], [".c", ".h"])
               if not f.endswith(".bpf.c")]
    if shutil.which(FORMATTER):
        report.rule(f"C is as {FORMATTER} leaves it", c_findings(args.root, sources),
                    [f"{len(sources)} files"])
    else:
        report.skip(f"C is as {FORMATTER} leaves it", f"{FORMATTER} is not installed")
    texts = [f for f in files(args.root, None, TEXT)
             if not DATA.match(f) and not os.path.islink(os.path.join(args.root, f))]
    report.rule("text has no stray white space",
                [line for path in texts for line in text_findings(args.root, path)])
    report.finish()


if __name__ == "__main__":
    main()
