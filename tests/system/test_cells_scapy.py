#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The second implementation of cells, which judges the first, is right itself; and its data is its own."""

import filecmp
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from scapy.layers.l2 import Ether  # noqa: E402

from support import cells_example, pcapio, replay, running, tap  # noqa: E402
from support import cells_scapy as c  # noqa: E402

STREAM = c.Stream(source=3, destination=7, system_port=2, cls=5, pipe=1)
FOLDER = replay.data("cells")


def refusal(function, *args):
    """The reason of the CellError that it raises, or None."""
    try:
        function(*args)
    except c.CellError as error:
        return error.reason
    return None


def cells(*sizes, cell_size=256, first=0, sync=True):
    """Packets of these sizes, and the lists of their cells."""
    rng = random.Random(5)
    packets = [rng.randbytes(size) for size in sizes]
    frames = [
        c.cut(packet, cell_size, STREAM, first + i, sync=sync and i == 0)
        for i, packet in enumerate(packets)
    ]
    return packets, frames


@tap.test
def the_crc_is_that_of_rfc_3720():
    """B.4; the RFC prints the bytes of the sum with the low one first."""
    pdu = bytes.fromhex(
        "01c00000" "00000000" "00000000" "00000000" "14000000" "00000400" "00000014" "00000018"
        "28000000" "00000000" "02000000" "00000000"
    )
    for data, printed in (
        (bytes(32), "aa36918a"),
        (b"\xff" * 32, "43aba862"),
        (bytes(range(32)), "4e79dd46"),
        (bytes(range(31, -1, -1)), "5cdb3f11"),
        (pdu, "563a96d9"),
    ):
        assert c.crc32c(data).to_bytes(4, "little").hex() == printed, (data, printed)
    assert c.crc32c(b"123456789") == 0xE3069283


@tap.test
def the_script_makes_the_cells_that_are_here():
    sys.path.insert(0, FOLDER)
    import make_cells

    folder = running.folder(tap)
    make_cells.make(folder)
    made = os.listdir(folder)
    assert sorted(made) == ["broken.expect.txt", "broken.pcap", "good.pcap"], made
    for name in made:
        same = filecmp.cmp(os.path.join(folder, name), os.path.join(FOLDER, name), shallow=False)
        assert same, f"{name} is not what make_cells.py makes"


@tap.test
def good_ones_are_read_and_broken_ones_refused_for_what_was_broken():
    for i, frame in enumerate(pcapio.read_frames(os.path.join(FOLDER, "good.pcap"))):
        assert refusal(c.read, frame) is None, i + 1
    frames = pcapio.read_frames(os.path.join(FOLDER, "broken.pcap"))
    with open(os.path.join(FOLDER, "broken.expect.txt"), encoding="ascii") as f:
        want = [line.split(" ", 2) for line in f]
    assert len(frames) == len(want)
    for (number, reason, what), frame in zip(want, frames):
        assert refusal(c.read, frame) == reason, (number, what, refusal(c.read, frame))


@tap.test
def what_is_cut_by_hand_is_what_the_layers_build():
    rng = random.Random(6)
    for _ in range(200):
        stream = c.Stream(rng.randint(1, 65534), rng.randint(1, 65534), rng.getrandbits(16),
                          rng.randrange(8), rng.getrandbits(8))
        packet, size = rng.randbytes(rng.randint(14, 3000)), rng.choice((256, 300, 2048))
        ident, sync = rng.getrandbits(32), rng.random() < 0.5
        for frame in c.cut(packet, size, stream, ident, sync=sync):
            layers = Ether(frame)
            assert layers.dst == c.GROUP_MAC and layers.type == c.ETHERTYPE
            cell = layers[c.Cell]
            fields = (cell.source, cell.destination, cell.system_port, cell.class_, cell.pipe)
            assert fields == tuple(stream) and cell.packet_id == ident and bool(cell.flags.sync) == sync
            cell.payload_len = cell.check = None
            cell.remove_payload()
            payload = c.read(frame).payload
            assert c.framed(cell / payload) == frame.ljust(60, b"\0"), frame.hex()


@tap.test
def one_wrong_bit_of_a_header_is_a_wrong_check():
    for frame in cells_example.frames().values():
        for bit in range(8 * c.HEADER_LEN):
            broken = bytearray(frame)
            broken[14 + bit // 8] ^= 1 << bit % 8
            assert refusal(c.read, bytes(broken)) == "cell_check", bit


@tap.test
def packets_come_out_whole_and_in_order_whatever_the_cells_order():
    for seed in range(40):
        rng = random.Random(seed)
        sizes = [rng.randint(14, 4000) for _ in range(20)]
        first = rng.choice((0, 7, 0xFFFFFFF6))
        packets, frames = cells(*sizes, cell_size=rng.choice((64, 256, 2048)), first=first,
                                sync=rng.random() < 0.5)
        loose = [frame for packet in frames for frame in packet]
        rng.shuffle(loose)
        out = c.packets(loose)
        assert [w.packet for w in out] == packets, f"seed {seed}"
        assert [w.packet_id for w in out] == [(first + i) & 0xFFFFFFFF for i in range(20)], seed


@tap.test
def streams_do_not_wait_for_each_other():
    _, (first, second) = cells(300, 300)
    other = c.cut(bytes(100), 256, STREAM._replace(cls=6), 0, sync=True)
    whole = c.Reassembler()
    assert whole.put(second[0]) == whole.put(second[1]) == whole.put(first[0]) == []
    assert [w.packet_id for w in whole.put(other[0])] == [0]
    assert [w.packet_id for w in whole.put(first[1])] == [0, 1]
    assert whole.finish() == [] and whole.cells == 5


@tap.test
def congestion_of_one_cell_is_the_packets():
    _, (frames,) = cells(600)
    marked = c.cut(cells(600)[0][0], 256, STREAM, 0, sync=True, congestion=True)
    assert [w.congestion for w in c.packets(frames)] == [False]
    assert [w.congestion for w in c.packets([frames[0], marked[1], frames[2]])] == [True]


@tap.test
def what_is_odd_is_refused():
    _, (a, b) = cells(600, 600)
    longer = c.cut(bytes(601), 256, STREAM, 0, sync=True)
    wider = c.cut(bytes(600), 300, STREAM, 0, sync=True)
    other_last = c.cut(bytes(600), 290, STREAM, 0, sync=True)
    no_sync = c.cut(bytes(600), 256, STREAM, 0)
    for frames, want in (
        ([a[0], a[0]], "reassembly_duplicate"),
        ([a[0], longer[1]], "reassembly_mismatch"),
        ([a[0], wider[1]], "reassembly_mismatch"),
        ([a[2], other_last[1]], "reassembly_mismatch"),
        ([a[0], a[1], other_last[2]], "reassembly_mismatch"),
        ([a[0], no_sync[1]], "reassembly_mismatch"),
        ([*a, a[0]], "reassembly_late"),
        ([*a, b[0], *c.cut(bytes(60), 256, STREAM, 900, sync=True)], "reassembly_restart"),
        ([cells_example.frames()["grant"]], "not_cell"),
    ):
        assert refusal(c.packets, frames) == want, (want, refusal(c.packets, frames))
    assert refusal(c.Reassembler(device=8).put, a[0]) == "cell_device"


@tap.test
def what_is_missing_is_told_at_the_end():
    _, frames = cells(600, 600, 600)
    loose = [frame for packet in frames for frame in packet]
    for i in range(len(loose)):
        left = loose[:i] + loose[i + 1 :]
        assert refusal(c.packets, left) == "reassembly_timeout", i
    unsaid = [f for packet in cells(600, 600, 600, sync=False)[1] for f in packet]
    assert refusal(c.packets, unsaid[:3] + unsaid[6:]) == "reassembly_timeout"  # one of them, whole
    assert refusal(lambda: c.packets(unsaid[3:], first=0)) == "reassembly_timeout"
    assert len(c.packets(unsaid[3:])) == 2  # nobody said that there was one before


@tap.test
def a_source_that_starts_anew_goes_on():
    _, (a,) = cells(600)
    again = c.cut(bytes(100), 256, STREAM, 0x80000000, sync=True)
    assert [w.packet_id for w in c.packets(a + again)] == [0, 0x80000000]


@tap.test
def no_packet_is_cut_into_more_than_64_cells():
    assert len(c.cut(bytes(64 * 256), 256, STREAM, 0)) == 64
    for packet in (bytes(64 * 256 + 1), bytes(13)):
        try:
            c.cut(packet, 256, STREAM, 0)
        except ValueError:
            continue
        raise AssertionError(f"{len(packet)} bytes were cut")


@tap.test
def captures_of_several_links_are_one_row_of_cells():
    packets, frames = cells(*range(100, 4000, 100))
    loose = [frame for packet in frames for frame in packet]
    where = running.folder(tap)
    paths = [os.path.join(where, f"fab{i}.pcap") for i in range(3)]
    c.write_cells(paths, loose + [cells_example.frames()["reach"]])
    assert c.read_cells(*paths)[:-1] == loose
    back = c.read_cells(*paths, kind=c.DATA)
    assert [w.packet for w in c.packets(back)] == packets
    assert c.read_cells(*paths, kind=c.REACH) == [cells_example.frames()["reach"]]


if __name__ == "__main__":
    tap.run()
