#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""tests/data is what its script and its README say."""

import filecmp
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import oracle, pcapio, replay, tap  # noqa: E402

BAD_ICRC = {"edge.pcap": {22, 28, 29, 30}}  # and the 11 of rxe_fault_corrupt_write.pcap
N_BAD_ICRC = {"edge.pcap": 4, "rxe_fault_corrupt_write.pcap": 11}
SIZE_MAX = 1_500_000
# Not to be had from one frame: they come of devices and of stopping.
NOT_OF_A_FRAME = {"segments", "tx_full", "tx_segments", "stopped"}
# Of queues and lines, which hold many frames.
NOT_OF_A_FRAME |= {"red", "not_ect", "link_down", "queue_full", "lossless_drop", "buffer_full", "pfc_storm"}
NOT_OF_A_FRAME |= {"impair_loss", "delay_line_full"}
# Of a fabric: of several cells, of queues toward it, of nodes.
NOT_OF_A_FRAME |= {"system_port", "unreachable", "voq_full", "voq_watchdog", "cell_buffer", "handoff_full"}
# Of a hyper port, which other captures and nodes have.
NOT_OF_A_FRAME |= {"hyper_short", "hyper_late", "hyper_duplicate", "hyper_room"}
OF_CELLS = "reassembly_"


def expected():
    with open(replay.data("malformed.expect.txt"), encoding="ascii") as f:
        return [line.split()[:2] for line in f]


def drop_reasons():
    path = os.path.join(replay.ROOT, "lib", "pkt", "drop.h")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    block = text[text.index("DROP_REASONS(X)") : text.index("enum drop_reason")]
    return set(re.findall(r"X\((\w+), ", block))


@tap.test
def the_script_makes_the_captures_that_are_here():
    sys.path.insert(0, replay.DATA)
    import make_captures

    with tempfile.TemporaryDirectory() as folder:
        make_captures.make(folder)
        made = os.listdir(folder)
        assert len(made) >= 18, made
        for name in made:
            same = filecmp.cmp(os.path.join(folder, name), replay.data(name), shallow=False)
            assert same, f"{name} is not what make_captures.py makes"


@tap.test
def every_icrc_is_right_but_those_that_are_meant_to_be_wrong():
    for path in replay.own_captures():
        name = os.path.basename(path)
        bad = set()
        for i, frame in enumerate(pcapio.read_frames(path)):
            present, valid = oracle.icrc(frame)
            if present and not valid:
                bad.add(i + 1)
        assert len(bad) == N_BAD_ICRC.get(name, 0), f"{name}: wrong ICRC in frames {sorted(bad)}"
        assert name not in BAD_ICRC or bad == BAD_ICRC[name], f"{name}: {sorted(bad)}"


@tap.test
def roce_basic_has_every_opcode_in_every_shape():
    shapes = set()
    for frame in pcapio.read_frames(replay.data("roce_basic.pcap")):
        at = oracle.locate(frame)
        shapes.add((oracle.bth(frame).opcode, at.version, at.tags))
    opcodes = {s[0] for s in shapes}
    assert len(opcodes) == 84 and len(shapes) == 84 * 2 * 3, (len(opcodes), len(shapes))
    assert {0x00, 0x0A, 0x11, 0x14, 0x24, 0x64, 0x81, 0xA4} <= opcodes


@tap.test
def qps_differ_in_nothing_but_the_qp():
    for name in ("qps_256.pcap", "qps_256_v6.pcap"):
        keys = [oracle.flow_key(frame) for frame in pcapio.read_frames(replay.data(name))]
        assert len({key[:5] for key in keys}) == 1 and len({key[5] for key in keys}) == 256


@tap.test
def malformed_has_a_frame_for_each_reason_that_a_frame_can_give():
    lines = expected()
    frames = pcapio.read_frames(replay.data("malformed.pcap"))
    assert [int(n) for n, _ in lines] == list(range(1, len(frames) + 1))
    named, known = {reason for _, reason in lines}, drop_reasons()
    with open(replay.data("cells/broken.expect.txt"), encoding="ascii") as f:
        named |= {line.split()[1] for line in f}
    assert named <= known, f"no such drop reason: {named - known}"
    missing = {r for r in known - named - NOT_OF_A_FRAME if not r.startswith(OF_CELLS)}
    assert not missing, f"no frame for {missing}"


@tap.test
def checksum_zero_leaves_with_zero():
    zeros = 0
    for frame in pcapio.read_frames(replay.data("checksum_zero.pcap")):
        at = oracle.locate(frame)
        header = bytearray(frame[at.l3 : at.l3 + 20])
        header[8] -= 1
        zeros += oracle.ip4_checksum(header) == 0
    assert zeros == 254, zeros


@tap.test
def the_folder_is_small_and_its_readme_names_each_file():
    with open(replay.data("README.md"), encoding="utf-8") as f:
        readme = f.read()
    total = 0
    for name in os.listdir(replay.DATA):
        path = replay.data(name)
        if os.path.isfile(path):
            total += os.path.getsize(path)
            assert name == "README.md" or name in readme, f"README.md does not name {name}"
    assert total < SIZE_MAX, total


if __name__ == "__main__":
    tap.run()
