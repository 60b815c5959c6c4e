#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the seeds of fuzz_parse: one frame each of the captures in tests/data, small ones, few.

    tests/fuzz/make_parse_corpus.py [DIR]

DIR is tests/fuzz/corpus/fuzz_parse by default. Writes the same bytes on each run; files that the fuzzer
found have names of their own and stay.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "support"))

from pcapio import read_frames

LONGEST = 600  # a longer payload teaches nothing
SEGMENTS = (0, 1, 7, 14, 33, 63)  # bytes; 0: in one piece
# Capture, every how many frames, promiscuous.
SOURCES = (
    ("malformed.pcap", 1, False),
    ("edge.pcap", 5, True),
    ("extensions.pcap", 8, False),
    ("fragments.pcap", 41, False),
    ("mac_control.pcap", 8, False),
    ("roce_basic.pcap", 168, False),
    ("rxe_ud_send_v4_m1024.pcap", 18, True),
)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "corpus", "fuzz_parse")
    os.makedirs(folder, exist_ok=True)
    made = 0
    for capture, step, promiscuous in SOURCES:
        frames = read_frames(os.path.join(TESTS, "data", capture))
        for i in range(0, len(frames), step):
            if len(frames[i]) > LONGEST:
                continue
            how = SEGMENTS[made % len(SEGMENTS)] << 2 | promiscuous
            name = f"{capture.removesuffix('.pcap')}-{i + 1:03d}"
            with open(os.path.join(folder, name), "wb") as f:
                f.write(bytes([how]) + frames[i])
            made += 1


if __name__ == "__main__":
    main()
