#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Cells that nobody right would send, by capture into a fabric port: each is counted, most under the very
reason that the second implementation of docs/cells.md gives; memory keeps to its bound; nothing leaves by the
host's port; and what a right source sends behind them comes whole.
"""

import collections
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import cells_scapy as c  # noqa: E402
from support import frames as f  # noqa: E402
from support import pcapio, replay, running, tap  # noqa: E402

SEED = int(os.environ.get("SOFTBAG_SEED", "4"))
MS = 10**6
CELLS = 1024  # that a worker's reassembly holds
STREAM = c.Stream(source=3, destination=7, system_port=1)
OURS = c.Stream(source=7, destination=3)  # who gets a GRANT

YAML = """version: 1
node: {name: n, id: 7}
runtime: {memory: 512MB, eal: ["--no-huge"]%s}
ports:
  - {name: host, device: d0, role: nsf, mtu: 4200, mac: "02:00:00:00:00:01"}
  - {name: fab0, device: d1, role: dsf, mtu: 4200, rate: 10Gbit}
  - {name: fab1, device: d2, role: dsf, mtu: 4200, rate: 10Gbit}
dsf:
  device_id: 7
  reassembly_cells: %d
  voq_limit: 1MB
  system_ports: [{number: 1, port: host}]
  devices: [{name: far, id: 3}]
groups:
  - {name: out, members: [{port: host, mac: "02:aa:00:00:00:01"}]}
  - {name: far, members: [{device: far}]}
routes:
  static:
    - {prefix: 10.2.0.0/16, group: out}
    - {prefix: 10.3.0.0/16, group: far}
"""

WORKERS = ", workers: [{lcore: 0, rx: [host]}, {lcore: 1, rx: [fab0]}, {lcore: 2, rx: [fab1]}]"


def run(frames, workers="", gap_ns=500):
    """`frames`: of both links in turn, or (ns, frame)."""
    where = running.folder(tap)
    conf = os.path.join(where, "node.yaml")
    with open(conf, "w", encoding="ascii") as file:
        file.write(YAML % (workers, CELLS))
    links = ([], [])
    for i, item in enumerate(frames):
        links[i % 2].append(item if isinstance(item, tuple) else (i * gap_ns, item))
    inputs = {}
    for i, link in enumerate(links):
        inputs[f"fab{i}"] = os.path.join(where, f"{i}.pcap")
        pcapio.write_pcap(inputs[f"fab{i}"], link, ns=True)
    result = replay.run(conf, inputs, where, "--timing", "asis")
    report = result.json
    left = report["out"] + report["punted"] + report["dropped"] + report["ended"]
    assert report["in"] + report["made"] == left, report
    assert report["waiting"] == 0 and report["in"] == len(frames), (report["in"], len(frames))
    assert report["fabric"]["reassembly"]["most_cells"] <= CELLS
    return result


def drops(result):
    return {k: v for k, v in result.json["drops"].items() if v}


def reassembly(result):
    return sum(v for k, v in drops(result).items() if k.startswith("reassembly_"))


def good(n, first=0, sync=True):
    """Packets for system port 1, and all their cells in order."""
    packets = [
        f.ether(
            f.roce_ip("10.3.0.1", "10.2.0.1", f.RC + f.WRITE_MIDDLE, qpn=17, psn=i, payload=bytes(100 * (i % 20))),
            dst="02:aa:00:00:00:01",
        )
        for i in range(n)
    ]  # fmt: skip
    cut = [c.cut(p, 512, STREAM, first + i, sync=sync and i == 0) for i, p in enumerate(packets)]
    return packets, [cell for cells in cut for cell in cells]


def behind(frames, gap_ns, after_ms):
    """The hostile ones, and good cells so long behind them; the packets of those."""
    packets, cells = good(50)
    start = len(frames) * gap_ns + after_ms * MS
    timed = [(i * gap_ns, frame) for i, frame in enumerate(frames)]
    return timed + [(start + i * 2000, cell) for i, cell in enumerate(cells)], packets


def checked(frame, change):
    """The header's 20 bytes changed, and its check made right again."""
    head = bytearray(frame[14:34])
    change(head)
    return frame[:14] + bytes(head) + struct.pack("!I", c.crc32c(bytes(head))) + frame[38:]


def first_fragment(rng, **fields):
    """Of a packet of several cells, of which no other comes."""
    stream = STREAM._replace(**fields)
    return c.cut(rng.randbytes(900), 256, stream, rng.getrandbits(32))[0]


def random_change(rng, frame):
    """One thing about a cell is another; sometimes with a check that is right."""
    kind = rng.randrange(5)
    if kind == 0:
        return frame[: rng.randrange(1, len(frame))]
    if kind == 1:
        at = rng.randrange(12 * 8, 38 * 8)
        out = bytearray(frame)
        out[at // 8] ^= 1 << at % 8
        return bytes(out)
    if kind == 2:

        def flip(head):
            at = rng.randrange(20 * 8)
            head[at // 8] ^= 1 << at % 8

        return checked(frame, flip)
    if kind == 3:

        def field(head):
            at = rng.choice((4, 6, 8, 10, 16, 18))
            struct.pack_into("!H", head, at, rng.choice((0, 1, 63, 64, 65, 255, 4096, 65534, 65535)))

        return checked(frame, field)
    return checked(frame, lambda head: head.__setitem__(slice(0, 20), rng.randbytes(20)))


def expected(frame, workers=1):
    """The drop reason, or what else becomes of it: control, reassembly, packet."""
    if len(frame) < 14:
        return "runt"
    try:
        cell = c.read(frame)
    except c.CellError as error:
        return error.reason
    if cell.type == c.REACH:
        return "control"
    if cell.destination != 7:
        return "unreachable"
    if cell.type == c.GRANT:
        if cell.pipe >= workers:
            return "cell_device"
        return "control" if (cell.source, cell.system_port) == (3, 0) else "system_port"
    if cell.system_port not in (0, 1):
        return "system_port"
    if cell.type == c.REQUEST:
        return "control"
    return "packet" if cell.flags & c.FIRST and cell.flags & c.LAST else "reassembly"


def a_bit_of_everything(rng, n):
    bases = (
        lambda: first_fragment(rng, source=rng.randrange(1, 300), cls=rng.randrange(8)),
        lambda: c.request(STREAM, rng.getrandbits(32), 1000, 0),
        lambda: c.grant(OURS, rng.getrandbits(32), 1000),
        lambda: c.reach(9, [(9, 0, c.CAPACITY_ANY), (8, 1, 10)]),
    )
    out = []
    while len(out) < n:
        frame = random_change(rng, rng.choice(bases)())
        if expected(frame) != "packet":
            out.append(frame)
    return out


@tap.test(timeout=200)
def whatever_is_wrong_is_counted_for_what_it_is():
    tap.diag(f"seed {SEED}")
    frames = a_bit_of_everything(random.Random(SEED), 8000)
    for n, workers in ((1, ""), (3, WORKERS)):
        want = collections.Counter(expected(frame, n) for frame in frames)
        tap.diag(dict(want))
        assert len([k for k in want if k.startswith("cell_") or k == "not_cell"]) == 7, want
        result = run(frames, workers)
        assert result.json["fabric"]["control_in"] == want.pop("control")
        assert reassembly(result) == want.pop("reassembly"), (want, drops(result))
        got = {k: v for k, v in drops(result).items() if not k.startswith("reassembly_")}
        assert got == dict(want), (want, got)
        assert result.json["ports"]["host"]["out"]["packets"] == 0
        assert result.json["fabric"]["packets_joined"] == 0


@tap.test
def every_truncation_of_every_kind_is_counted():
    rng = random.Random(SEED)
    whole = (
        first_fragment(rng),
        c.request(STREAM, 1, 1000, 0),
        c.grant(OURS, 1, 1000),
        c.reach(9, [(9, 0, c.CAPACITY_ANY)] * 4),
    )
    frames = [frame[:n] for frame in whole for n in range(1, len(frame))]
    want = collections.Counter(map(expected, frames))
    result = run(frames)
    assert want.pop("control") > 0  # padding is cut off first
    assert drops(result) == dict(want), (want, drops(result))


@tap.test(timeout=200)
def sources_without_number_are_counted_and_a_right_one_comes_through():
    rng = random.Random(SEED)
    frames = [first_fragment(rng, source=s) for s in range(1, 65535) if s != 3]
    timed, packets = behind(frames, 100, 250)
    result = run(timed)
    got = drops(result)
    assert sum(got.values()) == reassembly(result) == len(frames), got
    assert got["reassembly_full"] + got.get("reassembly_streams", 0) > 30000, got
    assert result.out["host"] == packets


@tap.test(timeout=200)
def a_flood_of_first_fragments_is_counted_and_bounded():
    """In the very stream that the right source takes up after it."""
    rng = random.Random(SEED)
    packet = rng.randbytes(900)
    for ids in ([*range(20000)], [rng.getrandbits(32) for _ in range(20000)]):
        frames = [c.cut(packet, 256, STREAM, i)[0] for i in ids]
        timed, packets = behind(frames, 100, 3)
        result = run(timed)
        got = drops(result)
        assert sum(got.values()) == reassembly(result) == len(frames), got
        assert result.out["host"] == packets, (len(result.out["host"]), got)


@tap.test(timeout=200)
def ids_far_ahead_and_behind_cost_a_stream_nothing():
    """Between the cells of a stream that goes on."""
    rng = random.Random(SEED)
    packets, cells = good(2000, first=2**32 - 1000)
    frames, n = [], 0
    for i, cell in enumerate(cells):
        frames.append(cell)
        if i > 100 and i % 3 == 0:
            far = rng.randrange(5000, 2**32 - 5000) + c.read(cell).packet_id
            frames.append(c.cut(rng.randbytes(900), 256, STREAM, far & 0xFFFFFFFF)[i % 4])
            n += 1
    result = run(frames)
    assert drops(result) == {"reassembly_window": n}, (n, drops(result))
    assert result.out["host"] == packets


@tap.test
def duplicates_and_lengths_that_change_are_counted_and_do_no_harm():
    packets, cells = good(1000)
    frames, want = [], collections.Counter()
    for i, cell in enumerate(cells):
        read = c.read(cell)
        frames.append(cell)
        alone = read.flags & c.FIRST and read.flags & c.LAST
        if read.flags & c.FIRST and not alone:
            # its like, twice, and one of another packet length
            frames.append(cell)
            want["reassembly_duplicate"] += 1
            other = c.cut(packets[read.packet_id] + bytes(7), 512, STREAM, read.packet_id, sync=i == 0)
            frames.append(other[1])
            want["reassembly_mismatch"] += 1
        elif i % 5 == 0 and read.flags & c.LAST:
            frames.append(cell)
            want["reassembly_late"] += 1
    result = run([(i * 1000, x) for i, x in enumerate(frames)])
    assert drops(result) == dict(want), (want, drops(result))
    assert result.out["host"] == packets


tap.run()
