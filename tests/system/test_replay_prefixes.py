#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Captures of frames that end early, through the program. Every length of every frame is the work of
tests/pipe/test_prefixes.c; here are the lengths in which headers end, from 0 on. Worth most when
SB_BUILD is a build with sanitizers.
"""

import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import oracle, pcapio, replay, tap  # noqa: E402

CHUNK = 30_000_000  # bytes of frames in a run: a file that any machine holds
HEADERS = 200
SMALL = (1, 1, 1)


def chunks(frames):
    """Lists of prefixes; a frame that came before is not cut again."""
    seen, chunk, size = set(), [], 0
    for frame in frames:
        if frame in seen:
            continue
        seen.add(frame)
        for n in (*range(min(len(frame), HEADERS)), len(frame)):
            chunk.append(frame[:n])
            size += n
            if size > CHUNK:
                yield chunk
                chunk, size = [], 0
    if chunk:
        yield chunk


def fitted(frame):
    """
    The packet cut at each length with its own lengths and checksum made to agree, so that it is the
    next header that is cut.
    """
    try:
        at = oracle.locate(frame)
    except oracle.NotIp:
        return
    head = 40 if at.version == 6 else (frame[at.l3] & 0xF) * 4
    for n in range(at.l3 + head, min(at.l3_end, at.l3 + 200)):
        cut = bytearray(frame[:n])
        if at.version == 6:
            struct.pack_into("!H", cut, at.l3 + 4, n - at.l3 - 40)
        else:
            struct.pack_into("!H", cut, at.l3 + 2, n - at.l3)
            right = oracle.ip4_checksum(cut[at.l3 : at.l3 + head])
            struct.pack_into("!H", cut, at.l3 + 10, right)
        yield bytes(cut)


def run_prefixes(paths, *options):
    """Packets in all. One node file for all runs."""
    total = 0
    with tempfile.TemporaryDirectory(prefix="softbag-replay-") as where:
        conf = replay.Node(SMALL).write(where)
        path = os.path.join(where, "prefixes.pcap")
        for source in paths:
            for chunk in chunks(pcapio.read_frames(source)):
                pcapio.write_pcap(path, chunk)
                result = replay.run(conf, path, where, *options, write=False)
                wrong = replay.check_conservation(result.json)
                assert not wrong, f"{source}: {wrong}"
                assert result.json["in"] == len(
                    chunk
                ), f"{source}: in {result.json['in']}, want {len(chunk)}"
                assert (
                    "Sanitizer" not in result.stderr and "runtime error" not in result.stderr
                ), result.stderr
                total += len(chunk)
    return total


@tap.test(timeout=600)
def prefixes_of_own_frames_run_clean():
    assert run_prefixes(replay.own_captures()) > 100_000


@tap.test(timeout=600)
def prefixes_of_own_frames_in_small_segments_run_clean():
    names = ("roce_basic", "extensions", "fragments", "mac_control", "malformed", "edge")
    assert run_prefixes([replay.data(n + ".pcap") for n in names], "--segment-len", "64") > 50_000


@tap.test(timeout=300)
def packets_that_end_early_are_judged_alike_in_one_piece_and_in_many():
    """Cut packets whose lengths agree: what goes on is bit-exact, the rest has a reason."""
    reasons = set()
    for name in ("roce_basic", "extensions", "fragments"):
        frames = pcapio.read_frames(replay.data(name + ".pcap"))[:120]
        cut = [short for frame in frames for short in fitted(frame)]
        reports = []
        for options in ((), ("--segment-len", "64")):
            with tempfile.TemporaryDirectory(prefix="softbag-replay-") as where:
                path = os.path.join(where, "cut.pcap")
                pcapio.write_pcap(path, cut)
                result = replay.run(replay.Node(SMALL), path, where, *options)
                wrong = replay.check_conservation(result.json)
                wrong += replay.check_forwarding(cut, result)
                assert not wrong, f"{name}: " + "\n".join(wrong[:20])
                reports.append(replay.untimed(result.json))
        assert reports[0] == reports[1], name
        reasons |= {reason for reason, n in reports[0]["drops"].items() if n}
    assert {"l4_truncated", "udp_len", "ip6_ext_truncated"} <= reasons, reasons


if __name__ == "__main__":
    tap.run()
