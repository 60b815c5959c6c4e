#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the seeds of fuzz_cells: short stories of cells, one a file.

    tests/fuzz/make_cells_corpus.py [DIR]

DIR is tests/fuzz/corpus/fuzz_cells by default. Writes the same bytes on each run; files that the fuzzer
found have names of their own and stay. The records are described at the head of fuzz_cells.c.
"""

import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WILD, SYNC, TURN, TAKE = 1, 2, 4, 8
BOTH = TURN | TAKE
CUT, PAD, PAD_MIN = 0x40, 0x80, 0xC0
LEN_300_BY_100 = 22 << 2 | 2  # 14 + 22 * 13 = 300 bytes in cells of 100
LEN_40_BY_16 = 2 << 2 | 1  # 40 bytes in cells of 16
LEN_40_BY_1 = 2 << 2  # 40 cells
LEN_833_BY_256 = 63 << 2 | 3
TIMEOUT = 50  # steps of 4 us


def cell(packet_id, fragment, lengths=LEN_300_BY_100, control=BOTH, step=0, stream=0):
    return bytes([control, step, stream, packet_id & 0xFF, fragment, lengths])


def wild(packet_id, fragment, payload_len, packet_len, flags, control=BOTH, step=0, source=1,
         first_byte=0x10, klass=0):
    return bytes([control | WILD, step]) + struct.pack(
        ">BBBBHHHHIHH", first_byte, flags, klass << 4, 0, source, 1, 0, payload_len,
        packet_id & 0xFFFFFFFF, fragment, packet_len)


def packet(packet_id, order=(0, 1, 2), **more):
    return b"".join(cell(packet_id, i, **more) for i in order)


STORIES = {
    "in_order": packet(0, control=SYNC | BOTH) + packet(1) + packet(2),
    "shuffled": cell(0, 2, control=SYNC | BOTH) + packet(1, (2, 0)) + cell(0, 0) + cell(0, 1)
                + cell(1, 1),
    "reversed_ids": packet(3) + packet(2) + packet(1) + packet(0, control=SYNC | BOTH),
    "lost_cell": packet(0, control=SYNC | BOTH) + packet(1, (0, 2)) + packet(2)
                 + cell(3, 0, step=TIMEOUT) + cell(1, 1),
    "lost_packet": packet(0, control=SYNC | BOTH) + packet(2) + cell(4, 0, step=TIMEOUT),
    "learning": packet(5) + packet(4) + packet(6, (1, 2)) + cell(7, 0, step=TIMEOUT),
    "learning_then_sync": packet(5) + packet(3) + packet(4, control=SYNC | BOTH),
    "restart_far": packet(0, control=SYNC | BOTH) + packet(1, (0,))
                   + packet(0, control=SYNC | BOTH, stream=0x80) + packet(1, stream=0x80),
    "restart_near": packet(0, control=SYNC | BOTH) + packet(1) + packet(9, control=SYNC | BOTH),
    "restart_same": packet(0, control=SYNC | BOTH) + packet(1)
                    + packet(0, control=SYNC | BOTH, step=TIMEOUT),
    "sync_again": packet(7) + cell(7, 0, control=SYNC | BOTH) + packet(8),
    "jump_idle": packet(0, control=SYNC | BOTH) + packet(0, stream=0x40, step=TIMEOUT)
                 + cell(1, 0, stream=0x40, step=TIMEOUT),
    "jump_busy": packet(0, control=SYNC | BOTH) + packet(0, stream=0x40),
    "slide": packet(0, control=SYNC | BOTH) + packet(1, (0,)) + packet(2) + packet(66)
             + packet(120),
    "late": packet(0, control=SYNC | BOTH) + packet(0) + packet(-5) + packet(-70),
    "wrap": packet(-1, control=SYNC | BOTH) + packet(1) + packet(0),
    "duplicates": packet(0, (0, 0, 1, 1, 2), control=SYNC | BOTH),
    "streams": b"".join(packet(0, control=SYNC | BOTH, stream=s) for s in range(6)),
    "packets_full": b"".join(cell(i, 0, control=SYNC if i == 0 else 0) for i in range(16))
                    + cell(0, 1) + cell(0, 2, step=TIMEOUT) + packet(20),
    "cells_full": b"".join(cell(1, i, LEN_40_BY_1, control=SYNC) for i in range(30))
                  + cell(1, 30, LEN_40_BY_1, step=TIMEOUT),
    "many_cells": b"".join(cell(0, i, LEN_40_BY_16, control=SYNC | BOTH) for i in (2, 0, 1))
                  + b"".join(cell(1, i, LEN_833_BY_256) for i in (3, 1, 2, 0)),
    "segments": b"".join(packet(i, control=BOTH | (SYNC if i == 0 else 0) | (i % 4) << 4 | how)
                         for i, how in enumerate((PAD, PAD_MIN, 0, PAD, PAD_MIN, PAD, 0, PAD))),
    "cut": packet(0, control=SYNC | CUT | BOTH) + packet(0, control=SYNC | BOTH),
    "wild_whole": wild(9, 0, 60, 60, 0x0B) + wild(10, 0, 60, 60, 0x03) + wild(11, 0, 60, 60, 0x07),
    "wild_mismatch": wild(9, 0, 100, 300, 0x09) + wild(9, 1, 100, 301, 0x08)
                     + wild(9, 1, 99, 300, 0x08) + wild(9, 2, 99, 300, 0x0A)
                     + wild(9, 2, 100, 300, 0x08) + wild(9, 3, 1, 300, 0x0A)
                     + wild(9, 1, 100, 300, 0x08) + wild(9, 2, 100, 300, 0x0A),
    "wild_last_first": wild(9, 63, 10, 640, 0x0A) + wild(9, 0, 10, 640, 0x09)
                       + wild(9, 1, 11, 640, 0x08),
    "wild_never_fits": wild(9, 1, 1, 65535, 0x08) + wild(9, 5, 65535, 65535, 0x0A)
                       + wild(9, 63, 65530, 65535, 0x0A),
    "wild_others": wild(0, 0, 24, 0, 0, first_byte=0x11) + wild(0, 0, 16, 0, 0, first_byte=0x12)
                   + wild(0, 0, 8, 0, 0, first_byte=0x13) + wild(0, 0, 60, 60, 3, first_byte=0x20)
                   + wild(0, 0, 60, 60, 3, source=0) + wild(0, 0, 60, 60, 3, klass=9),
}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "corpus", "fuzz_cells")
    os.makedirs(folder, exist_ok=True)
    for name, story in STORIES.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(story)


if __name__ == "__main__":
    main()
