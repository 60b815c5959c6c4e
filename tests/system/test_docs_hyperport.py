#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
docs/hyperport.md: its frames are what config/lab/hyper-east.yaml makes, its table of fields and its
reasons are those of the code.

With --write the frames are made anew; prose is a person's.
"""

import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import pcapio, replay, running, tap  # noqa: E402

PAGE = os.path.join(replay.ROOT, "docs", "hyperport.md")
BLOCK = re.compile(r"<!-- hyper (\w+) -->\n```text\n(.*?)```\n<!-- end -->\n", re.DOTALL)
NODE = os.path.join("config", "lab", "hyper-east.yaml")


def read(*path):
    with open(os.path.join(replay.ROOT, *path), encoding="utf-8") as f:
        return f.read()


def packet():
    """The shortest of the lab's captures."""
    return min(pcapio.read_frames(replay.data("dsf_h0.pcap")), key=len)


def frames():
    """{name: frame}: one packet in, and the frame that leaves."""
    with tempfile.TemporaryDirectory(prefix="softbag-docs-") as folder:
        capture = os.path.join(folder, "in.pcap")
        pcapio.write_pcap(capture, [(0, packet())])
        out = os.path.join(folder, "out")
        words = [replay.PROGRAM, "-c", os.path.join(replay.ROOT, NODE), "--in", f"nsf0={capture}"]
        running.run([*words, "--out", out], status=0)
        left = [f for p in ("lh0", "lh1") for f in pcapio.read_frames(os.path.join(out, f"{p}.pcap"))]
        assert len(left) == 1 == len(pcapio.read_frames(os.path.join(out, "lh0.pcap"))), left
        return {"in": packet(), "out": left[0]}


def text(name, frame):
    """Its Ethernet header with what each part is, and the beginning of the packet."""
    parts = [(0, 6, "destination"), (6, 6, "source")]
    if name == "out":
        parts += [(12, 2, "EtherType"), (14, 2, f"number {int.from_bytes(frame[14:16], 'big')}")]
        parts += [(16, 2, "inner EtherType: IPv4"), (18, 20, "IPv4 header"), (38, 8, "UDP header, and so on")]
    else:
        parts += [(12, 2, "EtherType: IPv4"), (14, 20, "IPv4 header"), (34, 8, "UDP header, and so on")]
    return "".join(f"{at:4}  {frame[at : at + n].hex(' '):59}  {what}\n" for at, n, what in parts)


def block_test(name):
    def one():
        told, made = dict(BLOCK.findall(read("docs", "hyperport.md")))[name], text(name, frames()[name])
        assert told == made, f"tests/system/test_docs_hyperport.py --write; it is:\n{made}"

    one.__name__ = f"the block {name} is what the node makes"
    tap.test(one)


for block in ("in", "out"):
    block_test(block)


@tap.test
def the_frame_is_the_packet_with_the_header_of_the_table():
    rows = re.findall(r"^\| (\d+) \|\s*(\d*)\s*\| ([\w ]+) \|", read("docs", "hyperport.md"), re.M)
    at = {name: (int(offset), int(size or 0)) for offset, size, name in rows}
    before, after = frames()["in"], frames()["out"]
    assert len(after) == len(before) + 4, (len(before), len(after))
    ends = [offset + size for offset, size in at.values()]
    assert [offset for offset, _ in at.values()] == [0, *ends[:-1]], rows
    kind, inner, start = at["EtherType"][0], at["inner EtherType"][0], at["packet"][0]
    default = int(re.search(r"HYPER_ETHERTYPE = (0x\w+)", read("lib", "wire", "hyper.h")).group(1), 16)
    assert int.from_bytes(after[kind : kind + 2], "big") == default == 0x88B6
    assert after[inner : inner + 2] == before[12:14]
    assert after[start + 12 :] == before[14 + 12 :], "but for TTL and checksum"


@tap.test
def the_reasons_are_the_nodes():
    known = set(re.findall(r"X\((hyper_\w+), ", read("lib", "pkt", "drop.h")))
    pages = read("docs", "hyperport.md") + read("docs", "packet-walk.md")
    told = set(re.findall(r"\b(hyper_(?:short|late|duplicate|room)\b)", pages))
    assert told == known, (told, known)


def write_page():
    made = frames()
    page = BLOCK.sub(
        lambda m: f"<!-- hyper {m.group(1)} -->\n```text\n{text(m.group(1), made[m.group(1)])}```\n<!-- end -->\n",
        read("docs", "hyperport.md"),
    )
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write_page()
    else:
        tap.run()
