#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Every figure of docs/longhaul.md's worked examples is one that softbag --explain computes.

With --write the blocks of the page are replaced by what the program says now; prose is a person's.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import running, tap  # noqa: E402
from support.running import ROOT, SOFTBAG  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "longhaul.md")
LENGTHS = ("10km", "100km", "1000km")
BLOCK = re.compile(r"<!-- explain (\S+) -->\n```text\n(.*?)```\n", re.DOTALL)
FIGURE = re.compile(r"\d[\d,.]*\d? ?(?:%|[KMGT]?B\b|ns\b|us\b|ms\b|s\b|k?m\b|[KMG]bit/s)|\d[\d,]*\d\b")


def read():
    with open(PAGE, encoding="utf-8") as f:
        return f.read()


def explained(path):
    """What is shown of it: the long-haul port, and what packet buffers are for."""
    out = running.run([SOFTBAG, "-c", path, "--explain"], status=0).out
    port = re.search(r"^port lh0: .*?(?=^\n)", out, re.MULTILINE | re.DOTALL)
    memory = re.search(r"^memory: .*?(?=^  records)", out, re.MULTILINE | re.DOTALL)
    assert port and memory, out
    return port.group(0) + memory.group(0)


def plain(figure):
    """`1.5 MB` and `1.5MB` are one, and 1,000 is 1000."""
    return figure.replace(" ", "").replace(",", "")


def sections():
    """{length: text of its section}"""
    parts = re.split(r"^### .*?(\d+) km$", read(), flags=re.MULTILINE)
    return {f"{km}km": re.split(r"^#", text, flags=re.M)[0] for km, text in zip(parts[1::2], parts[2::2])}


@tap.test
def there_is_an_example_of_each_length():
    assert tuple(sections()) == LENGTHS, list(sections())
    assert [path for path, _ in BLOCK.findall(read())] == [f"docs/longhaul/{n}.yaml" for n in LENGTHS]


def block_test(length):
    def one():
        path = f"docs/longhaul/{length}.yaml"
        told = dict(BLOCK.findall(read()))[path]
        assert told == explained(path), f"{path} --explain says:\n{explained(path)}"

    one.__name__ = f"the block of {length} is what the program explains"
    tap.test(one)


def prose_test(length):
    def one():
        text = sections()[length]
        block = BLOCK.search(text)
        known = {plain(x) for x in FIGURE.findall(block.group(2))}
        prose = text[: block.start()] + text[block.end() :]
        unknown = [x for x in FIGURE.findall(prose) if plain(x) not in known]
        assert not unknown, f"not of the program: {unknown}; it says {sorted(known)}"

    one.__name__ = f"the prose of {length} has no figure that the program does not say"
    tap.test(one)


for name in LENGTHS:
    block_test(name)
    prose_test(name)


@tap.test
def the_examples_are_right_and_give_no_warning():
    for length in LENGTHS:
        path = f"docs/longhaul/{length}.yaml"
        done = running.run([SOFTBAG, "-c", path, "--check"], status=0)
        assert done.err == "" and f"{path}: ok: " in done.out, done


def write():
    def block(found):
        path = found.group(1)
        return f"<!-- explain {path} -->\n```text\n{explained(path)}```\n"

    text = BLOCK.sub(block, read())
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        tap.run()
