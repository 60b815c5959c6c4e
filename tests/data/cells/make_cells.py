#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the cells of this folder with the second implementation of the format: the same bytes on
each run.

    tests/data/cells/make_cells.py [DIR]

DIR is this folder by default. tests/data/README.md says what is in each file. Needs scapy.
"""

import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))

from support import cells_example, pcapio  # noqa: E402
from support import cells_scapy as c  # noqa: E402

EPOCH = 1_700_000_000_000_000_000
SEED = 4


def rewritten(frame, *edits):
    """`edits`: (offset in the header, bytes); the check is right again."""
    out = bytearray(frame)
    for at, data in edits:
        out[14 + at : 14 + at + len(data)] = data
    out[34:38] = struct.pack("!I", c.crc32c(bytes(out[14:34])))
    return bytes(out)


def be16(value):
    return struct.pack("!H", value)


def good():
    """Each of them is a cell; packets in pieces are next to each other, in order."""
    rng = random.Random(SEED)
    frames = list(cells_example.frames().values())
    sizes = [(14, 256), (22, 256), (23, 256), (300, 300), (301, 300), (64 * 14, 14), (65 * 13 - 13, 13)]
    sizes += [(rng.randint(14, 1600), rng.choice((64, 100, 256, 512, 2048))) for _ in range(60)]
    for i, (size, cell_size) in enumerate(sizes):
        stream = c.Stream(
            rng.choice((1, 2, 0x1234, 65534)),
            rng.choice((1, 7, 65534)),
            rng.choice((0, 1, 65535)),
            rng.randrange(8),
            rng.choice((0, 1, 255)),
        )
        ident = rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, rng.getrandbits(32)))
        flags = {"sync": rng.random() < 0.3, "congestion": rng.random() < 0.3}
        frames += c.cut(rng.randbytes(size), cell_size, stream, ident, **flags)
        frames.append(c.request(stream, rng.getrandbits(32), rng.getrandbits(64), rng.getrandbits(64)))
        frames.append(c.grant(stream, rng.getrandbits(32), rng.getrandbits(64)))
        entries = [(rng.getrandbits(16), rng.randrange(4), rng.getrandbits(32)) for _ in range(i % 7)]
        frames.append(c.reach(stream.source, entries))
    # What this version sends as 0 is not looked at.
    first = cells_example.frames()["first"]
    frames.append(rewritten(first, (1, b"\xf9")))
    frames.append(rewritten(first, (2, b"\x3f")))
    return frames


def broken():
    """(reason, what, frame): one fault each."""
    e = cells_example.frames()
    first, last = e["first"], e["last"]
    yield "not_cell", "EtherType 0x88b6", first[:12] + b"\x88\xb6" + first[14:]
    yield "cell_short", "ends behind its EtherType", first[:14]
    yield "cell_short", "ends in its header", first[:37]
    yield "cell_short", "one byte of payload less", first[:-1]
    yield "cell_short", "no payload", first[:38]
    yield "cell_short", "a REQUEST without its last byte", e["request"][:61]
    yield "cell_short", "a REACH without its last byte", e["reach"][:61]
    yield "cell_check", "a bit of the packet id", first[:29] + bytes([first[29] ^ 1]) + first[30:]
    yield "cell_check", "a bit of the check", first[:37] + bytes([first[37] ^ 0x80]) + first[38:]
    yield "cell_check", "all zero", first[:14] + bytes(46)
    yield "cell_version", "version 0", rewritten(first, (0, b"\x00"))
    yield "cell_version", "version 2", rewritten(first, (0, b"\x20"))
    for kind in (4, 15):
        yield "cell_version", f"type {kind}", rewritten(first, (0, bytes([0x10 | kind])))
    yield "cell_version", "class 8", rewritten(first, (2, b"\x80"))
    yield "cell_device", "from device 0", rewritten(first, (4, be16(0)))
    yield "cell_device", "from device 65535", rewritten(first, (4, be16(65535)))
    yield "cell_device", "DATA to device 0", rewritten(first, (6, be16(0)))
    yield "cell_device", "to device 65535", rewritten(first, (6, be16(65535)))
    yield "cell_device", "REQUEST to device 0", rewritten(e["request"], (6, be16(0)))
    yield "cell_device", "REACH to a device", rewritten(e["reach"], (6, be16(7)))
    yield "cell_fragment", "fragment 0 without first", rewritten(first, (1, b"\x00"))
    yield "cell_fragment", "fragment 1 with first", rewritten(last, (1, b"\x03"))
    yield "cell_fragment", "fragment 64", rewritten(last, (10, be16(1)), (16, be16(64)))
    yield "cell_len", "DATA of no bytes", rewritten(first, (10, be16(0)))
    yield "cell_len", "a packet of 13 bytes", rewritten(first, (1, b"\x03"), (10, be16(13)), (18, be16(13)))
    yield "cell_len", "longer than its packet", rewritten(first, (18, be16(255)))
    yield "cell_len", "all of its packet, and not the last", rewritten(first, (18, be16(256)))
    yield "cell_len", "alone, and less than its packet", rewritten(first, (1, b"\x03"))
    yield "cell_len", "the last, longer than the one before", rewritten(last, (18, be16(83)))
    yield "cell_len", "64 of its length are less than the packet", rewritten(first, (18, be16(16385)))
    yield "cell_len", "a REQUEST of 16 bytes", rewritten(e["request"], (10, be16(16)))
    yield "cell_len", "a GRANT of 15 bytes", rewritten(e["grant"], (10, be16(15)))
    yield "cell_len", "a REACH of 23 bytes", rewritten(e["reach"], (10, be16(23)))


def make(folder):
    def stamped(frames):
        return [(EPOCH + i * 1000, frame) for i, frame in enumerate(frames)]

    cases = list(broken())
    pcapio.write_pcap(os.path.join(folder, "good.pcap"), stamped(good()))
    pcapio.write_pcap(os.path.join(folder, "broken.pcap"), stamped(f for _, _, f in cases))
    with open(os.path.join(folder, "broken.expect.txt"), "w", encoding="ascii") as out:
        for i, (reason, what, _) in enumerate(cases):
            out.write(f"{i + 1} {reason} {what}\n")


if __name__ == "__main__":
    make(sys.argv[1] if len(sys.argv) > 1 else HERE)
