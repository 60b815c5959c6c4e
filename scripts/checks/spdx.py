#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each source names its licence in its first two lines."""

import os
import re

from common import Report, arguments, files, read

ENDINGS = (".c", ".h", ".py", ".sh", ".yaml", ".yml", ".bpf.c", "meson.build", "meson_options.txt")
# Inputs of tests are data: some must be malformed from the first byte on.
DATA = re.compile(r"^tests/(?:data|fuzz/corpus)/.*(?<!\.py)(?<!\.sh)$|^tests/.*/data/.*(?<!\.py)$")
LICENCE = re.compile(r"SPDX-License-Identifier: (.+?)\s*(?:\*/|-->)?$", re.MULTILINE)


def is_source(root, path):
    if DATA.match(path):
        return False
    if path.endswith(ENDINGS):
        return True
    if "." in os.path.basename(path):
        return False
    with open(os.path.join(root, path), "rb") as f:
        return f.read(2) == b"#!"


def judge(path, text):
    match = LICENCE.search("\n".join(text.split("\n")[:2]))
    if not match:
        return f"{path}: no SPDX-License-Identifier in the first two lines"
    licence = match.group(1)
    if licence == "BSD-3-Clause":
        return None
    # The kernel takes a BPF program's helpers only under the GPL; the header that it shares with
    # user space goes both ways.
    if path.startswith("drivers/") and "GPL-2.0" in licence and "BSD-" in licence:
        return None
    return f"{path}: licence {licence}, where the tree is BSD-3-Clause"


def main():
    args = arguments(__doc__)
    report = Report("spdx")
    sources = [f for f in files(args.root) if is_source(args.root, f)]
    verdicts = [judge(path, read(args.root, path)) for path in sources]
    report.rule("each source names its licence", [v for v in verdicts if v],
                [f"{len(sources)} files"])
    report.finish()


if __name__ == "__main__":
    main()
