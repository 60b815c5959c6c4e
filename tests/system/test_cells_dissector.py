#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/softbag_cells.lua in tshark says of cells what the second implementation put into them."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import cells_example, pcapio, replay, running, tap  # noqa: E402
from support import cells_scapy as c  # noqa: E402

SCRIPT = os.path.join(running.ROOT, "scripts", "softbag_cells.lua")
FAULTS = ("cell_short", "cell_check", "cell_version", "cell_len", "cell_fragment", "cell_device")
NOTES = ("reserved_set", "hops", "mismatch", "duplicate", "cut")
LUA_FAILED = ("Lua Error", "Lua: ", "traceback", "softbag_cells.lua:")


def tshark(*words):
    """What it prints; it must not have stumbled in the script."""
    tap.require("tshark")
    done = running.run(["tshark", "-n", "-X", f"lua_script:{SCRIPT}", *words], status=0)
    for word in LUA_FAILED:
        assert word not in done.out + done.err, (words, done.err[-2000:], done.out[-2000:])
    return done.out


def rows(path, *fields, options=()):
    """One list for each frame: the values of the fields, those of one field joined by commas."""
    words = [word for field in fields for word in ("-e", field)]
    out = tshark("-r", path, *options, "-T", "fields", "-E", "separator=;", "-E", "occurrence=a", *words)
    return [line.split(";") for line in out.split("\n")[:-1]]


def capture(frames, name="cells.pcap", **options):
    path = os.path.join(running.folder(tap), name)
    pcapio.write_pcap(path, frames, **options)
    return path


def told(path, names=FAULTS + NOTES, **options):
    """For each frame the names of what is said against it."""
    found = rows(path, *(f"dsfcell.{name}" for name in names), **options)
    return [{name for name, value in zip(names, row) if value} for row in found]


def data(name):
    return replay.data(os.path.join("cells", name))


def expected():
    with open(data("broken.expect.txt"), encoding="ascii") as f:
        return [line.split()[1] for line in f]


def fault(frame):
    """What the second implementation has against it, as told() says it."""
    try:
        c.read(frame)
    except c.CellError as error:
        return {error.reason}
    return set()


@tap.test
def every_field_of_every_header_is_told():
    fields = "version type flags class pipe source destination system_port payload_len packet_id"
    fields = [f"dsfcell.{name}" for name in [*fields.split(), "fragment", "packet_len", "check"]]
    frames = pcapio.read_frames(data("good.pcap"))
    found = rows(data("good.pcap"), *fields)
    assert len(found) == len(frames) > 500
    for i, (row, frame) in enumerate(zip(found, frames)):
        cell = c.read(frame)
        have = [int(value, 0) for value in row]
        want = [1, cell.type, cell.flags, cell.cls, cell.pipe, cell.source, cell.destination]
        want += [cell.system_port, len(cell.payload), cell.packet_id, cell.fragment, cell.packet_len]
        want.append(int.from_bytes(frame[34:38], "big"))
        assert have == want, f"frame {i + 1}: {have}, want {want}"


@tap.test
def flags_are_told_one_by_one():
    names = ("first", "last", "congestion", "sync")
    found = rows(data("good.pcap"), *(f"dsfcell.flags.{name}" for name in names), "dsfcell.check.right")
    for row, frame in zip(found, pcapio.read_frames(data("good.pcap"))):
        flags = c.read(frame).flags
        assert row == [str(flags >> bit & 1) for bit in range(4)] + ["1"], (row, flags)


@tap.test
def what_control_cells_say_is_told():
    words = {
        c.REQUEST: ["dsfcell.request." + name for name in ("session", "wanted", "granted")],
        c.GRANT: ["dsfcell.grant." + name for name in ("session", "granted")],
        c.REACH: ["dsfcell.reach." + name for name in ("device", "hops", "capacity")],
    }
    frames = pcapio.read_frames(data("good.pcap"))
    for kind, fields in words.items():
        found = rows(data("good.pcap"), *fields)
        n = 0
        for row, frame in zip(found, frames):
            if c.read(frame).type != kind:
                assert not any(row), row
                continue
            have = [[int(v, 0) for v in value.split(",") if v] for value in row]
            want = [list(column) for column in zip(*c.words(frame))] or [[] for _ in fields]
            assert have == want, (kind, have, want)
            n += 1
        assert n > 50, (kind, n)


@tap.test
def padding_is_told_from_payload():
    found = rows(data("good.pcap"), "dsfcell.padding")
    n = 0
    for (have,), frame in zip(found, pcapio.read_frames(data("good.pcap"))):
        want = c.padding(frame)
        assert bytes.fromhex(have.replace(":", "")) == want, (have, want)
        n += bool(want)
    assert n > 100


@tap.test
def right_cells_are_held_against_nobody():
    bad = [(i + 1, names) for i, names in enumerate(told(data("good.pcap"), FAULTS + ("hops", "cut"))) if names]
    assert not bad, bad
    reserved = [i for i, names in enumerate(told(data("good.pcap"), ("reserved_set",))) if names]
    n = len(pcapio.read_frames(data("good.pcap")))
    assert reserved == [n - 2, n - 1], reserved  # the two whose reserved bits are set on purpose


@tap.test
def packets_of_noise_are_no_failure_of_the_script():
    for name in ("good.pcap", "broken.pcap"):
        tshark("-r", data(name), "-V")


@tap.test
def each_fault_is_told_by_the_name_of_its_drop_reason():
    have = told(data("broken.pcap"), FAULTS)
    want = expected()
    assert len(have) == len(want) and set(want) == {"not_cell", *FAULTS}
    for i, (names, reason) in enumerate(zip(have, want)):
        assert names == ({reason} - {"not_cell"}), f"frame {i + 1}: {names}, want {reason}"


@tap.test
def a_wrong_check_says_the_right_one():
    frame = bytearray(cells_example.frames()["first"])
    right = frame[34:38].hex()
    frame[34] ^= 0xFF
    out = tshark("-r", capture([bytes(frame)]), "-V")
    assert f"should be 0x{right}" in out, out


@tap.test
def a_whole_packet_goes_to_the_dissectors_of_ethernet():
    frames = c.cut(cells_example.packet(), 2048, cells_example.STREAM, 5)
    path = capture(frames)
    row = rows(path, "ip.dst", "infiniband.bth.destqp", "_ws.col.Info", "_ws.col.Protocol")[0]
    assert row[0] == "10.2.0.20" and int(row[1], 0) == 0x11, row
    assert row[2].startswith("DATA 3.1 > 7, port 0, class 3, packet 5 ") and "Send Only" in row[2], row
    assert row[3].startswith("DSF/"), row


@tap.test
def a_packet_in_pieces_is_shown_where_it_is_whole():
    packet = cells_example.packet()
    frames = c.cut(packet, 64, cells_example.STREAM, 5)
    for order in (frames, frames[::-1], frames[1::2] + frames[::2]):
        for passes in ((), ("-2",)):
            path = capture(order)
            found = rows(path, "infiniband.bth.destqp", "dsfcell.packet.cells", "dsfcell.packet.frame",
                         "dsfcell.packet.in", options=passes)
            assert [bool(row[0]) for row in found] == [False] * 4 + [True], found
            cells = [order.index(frame) + 1 for frame in frames]
            assert found[-1][1:3] == ["5", ",".join(map(str, cells))], found
            if passes:  # the first pass knew
                assert [row[3] for row in found[:-1]] == ["5"] * 4, found
    out = json.loads(tshark("-r", path, "-T", "json", "-x", "-Y", "frame.number == 5"))[0]["_source"]["layers"]
    assert out["infiniband_raw"], out.keys()


@tap.test
def packets_can_be_left_in_pieces():
    path = capture(c.cut(cells_example.packet(), 64, cells_example.STREAM, 5))
    found = rows(path, "infiniband.bth.destqp", options=("-o", "dsfcell.reassemble:FALSE"))
    assert len(found) == 5 and not any(row[0] for row in found), found


@tap.test
def what_does_not_fit_together_is_told():
    first, second, last = c.cut(bytes(range(200)), 80, cells_example.STREAM, 5)
    other = c.cut(bytes(range(201)), 80, cells_example.STREAM, 5)
    have = told(capture([first, first, other[1], second, last]))
    assert have == [set(), {"duplicate"}, {"mismatch"}, set(), set()], have
    short = c.cut(bytes(range(160)) + bytes(40), 100, cells_example.STREAM, 5)
    assert told(capture([short[0], second, last]))[-1] == {"mismatch"}


@tap.test
def more_hops_than_three_and_reserved_bytes_are_told():
    far = c.reach(21, [(3, 4, 100)])
    odd = bytearray(cells_example.frames()["grant"])
    odd[14 + 24 + 4] = 1
    assert told(capture([far, bytes(odd)])) == [{"hops"}, {"reserved_set"}]


@tap.test(timeout=300)
def no_truncation_makes_the_script_stumble():
    """Frames that end early are short; captures that do are not, and nothing is told of what is not there."""
    frames = [*cells_example.frames().values()]
    frames += c.cut(cells_example.packet(), 2048, cells_example.STREAM, 5)
    ended = [frame[:n] for frame in frames for n in range(14, len(frame) + 1)]
    want = [fault(frame) for frame in ended]
    path = capture(ended)
    have = told(path, FAULTS + ("cut",))
    assert have == want, [(len(f), h, w) for f, h, w in zip(ended, have, want) if h != w][:5]
    tshark("-r", path, "-V")
    path, want = capture([]), []
    with open(path, "ab") as out:
        for n in range(14, 400):
            with open(capture(frames, "cut.pcap", snaplen=n), "rb") as records:
                out.write(records.read()[24:])
            want += [{"cut"} if n < 38 + len(c.read(f).payload) else set() for f in frames]
    have = told(path, FAULTS + ("cut",))
    wrong = [(i, h, w) for i, (h, w) in enumerate(zip(have, want)) if h != w]
    assert len(have) == len(want) and not wrong, wrong[:5]
    tshark("-r", path, "-V")


@tap.test
def noise_does_not_make_it_stumble():
    seed = 11
    rng = random.Random(seed)
    frames = []
    for _ in range(3000):
        frame = bytearray(rng.choice(list(cells_example.frames().values())))
        for _ in range(rng.randint(1, 8)):
            frame[rng.randrange(14, min(len(frame), 60))] = rng.randrange(256)
        if rng.random() < 0.7:
            frame[34:38] = c.crc32c(bytes(frame[14:34])).to_bytes(4, "big")
        frames.append(bytes(frame))
    path = capture(frames)
    have = told(path, FAULTS)
    tshark("-r", path, "-V")
    for i, (frame, names) in enumerate(zip(frames, have)):
        want = fault(frame)
        assert names == want, f"seed {seed}, frame {i + 1}: {names}, want {want}: {frame.hex()}"


@tap.test
def another_ethertype_is_a_preference():
    frames = c.cut(cells_example.packet(), 2048, cells_example.STREAM, 5, ethertype=0x88B6)
    path = capture(frames + c.cut(cells_example.packet(), 2048, cells_example.STREAM, 5))
    assert [bool(row[0]) for row in rows(path, "dsfcell.type")] == [False, True]
    found = rows(path, "dsfcell.type", options=("-o", f"dsfcell.ethertype:{0x88B6}"))
    assert [bool(row[0]) for row in found] == [True, False]


if __name__ == "__main__":
    tap.run()
