#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
docs/cells.md is what the second implementation does, byte by byte, and the first has the same bytes.

With --write the blocks of the page are made anew; its prose and its tables of fields are a person's.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from scapy.fields import PacketListField  # noqa: E402

from support import cells_example, replay, tap  # noqa: E402
from support import cells_scapy as c  # noqa: E402

PAGE = os.path.join(replay.ROOT, "docs", "cells.md")
BLOCK = re.compile(r"<!-- cells (\w+) -->\n(.*?)<!-- end -->\n", re.DOTALL)
GOLDEN = re.compile(r'(\w+)_hex\[\] =\s+((?:"[0-9a-f ]+"\s*)+);')
NAMES = ("overhead", *cells_example.frames())


def read(*path):
    with open(os.path.join(replay.ROOT, *path), encoding="utf-8") as f:
        return f.read()


def made(name):
    """What stands between the marks."""
    if name == "overhead":
        return cells_example.overhead_table()
    return f"```text\n{cells_example.text(name)}```\n"


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", read("docs", "cells.md"), re.M | re.S).group(1)


def table(text, head):
    """The rows of the first table whose first column is `head`: lists of cells."""
    lines = text[text.index(f"| {head} |") :].split("\n")
    rows = []
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def block_test(name):
    def one():
        told = dict(BLOCK.findall(read("docs", "cells.md")))
        assert told[name] == made(name), f"tests/system/test_docs_cells.py --write; it is:\n{made(name)}"

    one.__name__ = f"the block {name} is what the second implementation makes"
    tap.test(one)


for block in NAMES:
    block_test(block)


@tap.test
def the_blocks_are_those_and_each_once():
    names = [name for name, _ in BLOCK.findall(read("docs", "cells.md"))]
    assert sorted(names) == sorted(NAMES), names


@tap.test
def the_unit_test_of_c_has_the_same_bytes():
    text = read("tests", "unit", "wire", "test_cell.c")
    found = {name: bytes.fromhex("".join(re.findall(r'"([^"]*)"', value))) for name, value in GOLDEN.findall(text)}
    assert sorted(found) == sorted(cells_example.frames()), found
    for name, frame in cells_example.frames().items():
        n = 38 if c.read(frame).type == c.DATA else 38 + len(c.read(frame).payload)
        assert found[name] == frame[14:n], name


@tap.test
def the_hex_of_the_blocks_is_the_frame():
    """Read back from the page, as somebody would who builds the other end."""
    blocks = dict(BLOCK.findall(read("docs", "cells.md")))
    for name, frame in cells_example.frames().items():
        lines = re.findall(r"^[ \d]{4}  (.{23})  ", blocks[name], re.M)
        n = 38 if c.read(frame).type == c.DATA else 38 + len(c.read(frame).payload)
        data = bytes.fromhex("".join(lines).replace(" ..", ""))
        assert len(data) >= n and frame.startswith(data[:n]), (name, data.hex())


@tap.test
def the_table_of_the_header_is_the_layer():
    rows = table(section("The header"), "offset")
    names = {"class_": "class"}
    bits, want = 0, []
    for field in c.Cell.fields_desc:
        size = int(getattr(field, "size", 0) or 8 * field.sz)
        name = names.get(field.name, field.name).replace("payload_len", "payload length")
        want.append([str(bits // 8), str(size), name.replace("packet_len", "packet length").replace("_", " ")])
        bits += size
    assert [row[:3] for row in rows] == want and bits == 8 * c.HEADER_LEN, (rows, want)


@tap.test
def the_flags_are_those_of_the_code():
    rows = {row[1]: int(row[0], 16) for row in table(section("The header"), "flag")}
    want = {"first": c.FIRST, "last": c.LAST, "congestion": c.CONGESTION, "sync": c.SYNC}
    assert rows == want | {"reserved": 0xF0}, rows
    for name, bit in want.items():
        value = re.search(rf"CELL_{name.upper()} =\s+(0x\d+)", read("lib", "wire", "cell.h")).group(1)
        assert int(value, 16) == bit, (name, value)


@tap.test
def the_tables_of_the_extensions_are_the_layers():
    parts = re.split(r"^\*\*(REQUEST|GRANT|REACH)\*\*", section("Extensions"), flags=re.M)
    layers = {"REQUEST": c.CellRequest, "GRANT": c.CellGrant, "REACH": c.CellReachEntry}
    assert isinstance(c.CellReach.fields_desc[0], PacketListField)
    for name, text in zip(parts[1::2], parts[2::2]):
        at, want = c.HEADER_LEN, []
        for field in layers[name].fields_desc:
            offset = f"{at} + 8 n" if name == "REACH" else str(at)
            want.append([offset, str(field.sz), field.name])
            at += field.sz
        have = [row[:3] for row in table(text, "offset")]
        assert have == want, (name, have, want)


@tap.test
def the_reasons_are_the_nodes():
    text = read("lib", "pkt", "drop.h")
    known = set(re.findall(r"X\((\w+), ", text[: text.index("enum drop_reason")]))
    told = set(re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section("What a receiver checks"), re.M))
    told = {name for cell in told for name in re.findall(r"`(\w+)`", cell)}
    assert told <= known, told - known
    missing = {name for name in known if name.startswith(("cell_", "reassembly_"))} - told
    assert missing == {"cell_buffer"}, missing  # the sender's


@tap.test
def numbers_of_the_page_are_those_of_the_code():
    text = read("lib", "wire", "cell.h")
    page = read("docs", "cells.md")
    for name, value, said in (
        ("CELL_ETHERTYPE", c.ETHERTYPE, "0x88b5"),
        ("CELL_FRAGMENTS_MAX", c.FRAGMENTS_MAX, "64 fragments at most"),
        ("CELL_FRAME_MIN", c.FRAME_MIN, "60 bytes"),
        ("CELL_HEADER_LEN", c.HEADER_LEN, "| 24 | header of the cell |"),
        ("CELL_DEVICE_MAX", 65534, "1-65534"),
        ("CELL_HOPS_MAX", c.HOPS_MAX, "up to 3"),
    ):
        found = re.search(rf"{name} =\s+(\w+)", text).group(1)
        assert int(found, 0) == value and said in page, (name, found, said)
    mac = re.search(r"CELL_DST_MAC.*?\{(.*?)\}", text.replace("\\\n", ""), re.S).group(1)
    assert ":".join(x.strip()[2:] for x in mac.split(",")) == c.GROUP_MAC and c.GROUP_MAC in page, mac


def write():
    def block(found):
        return f"<!-- cells {found.group(1)} -->\n{made(found.group(1))}<!-- end -->\n"

    text = BLOCK.sub(block, read("docs", "cells.md"))
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        tap.run()
