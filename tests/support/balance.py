# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/workload and scripts/balance-report say, worked out a second time: dull, and from captures alone.

Shares nothing with scripts/balance.d but the flow list, which test_workload.py holds to the captures.
"""

import collections
import os
import struct

from . import oracle, pcapio, replay

WORKLOAD = os.path.join(replay.ROOT, "scripts", "workload")
REPORT = os.path.join(replay.ROOT, "scripts", "balance-report")

Packet = collections.namedtuple("Packet", "ns size src dst opcode bits dest_qp psn payload reth")

RETH = {6: 16, 10: 16}  # WRITE first and only


def packets(path):
    """Every packet of a capture of RoCEv2 over IPv4 without options."""
    out = []
    for ns, frame in pcapio.read_pcap(path).frames:
        ip, bth = 14, 14 + 20 + 8
        opcode, word = frame[bth], struct.unpack_from("!II", frame, bth + 4)
        total = struct.unpack_from("!H", frame, ip + 2)[0]
        more = RETH.get(opcode, 0)
        out.append(
            Packet(
                ns,
                len(frame),
                frame[ip + 12 : ip + 16],
                frame[ip + 16 : ip + 20],
                opcode,
                frame[bth + 8],
                word[0] & 0xFFFFFF,
                word[1] & 0xFFFFFF,
                total - 20 - 8 - 12 - more - oracle.ICRC_LEN,
                struct.unpack_from("!QII", frame, bth + 12) if more else None,
            )
        )
    return out


def flow(packet):
    return packet.src, packet.dst, packet.dest_qp


def by_flow(got):
    flows = collections.defaultdict(list)
    for packet in got:
        flows[flow(packet)].append(packet)
    return flows


def wire_bits(size):
    return (max(size, 60) + 24) * 8


class Steps:
    """Numbers packets of a capture of a workload: by flow, and by the step that the flow list says."""

    def __init__(self, told):
        self.in_all = told["steps_in_all"]
        self._first, self._step = {}, {}
        for f in told["flows"]:
            key = (
                bytes(map(int, f["src"].split("."))),
                bytes(map(int, f["dst"].split("."))),
                f["dest_qp"],
            )
            self._first[key] = f["first_psn"]
            self._step[key] = [step for step, n, *_ in f["steps"] for _ in range(n)]

    def number(self, packet):
        return (packet.psn - self._first[flow(packet)]) % 2**24

    def step(self, packet):
        return self._step[flow(packet)][self.number(packet)]


def on_line(got, bps):
    """[(ps at the far end of a line of that rate, packet)], the line's length left out."""
    out, free = [], 0
    for packet in got:
        free = max(free, packet.ns * 1000) + wire_bits(packet.size) * 10**12 // bps
        out.append((free, packet))
    return out


def reordering(sequence):
    """(reordered packets, largest extent) of RFC 4737, word by word: each packet against all before it."""
    count = most = 0
    for i, s in enumerate(sequence):
        earlier = [j for j in range(i) if sequence[j] > s]
        if earlier:
            count += 1
            most = max(most, i - earlier[0])
    return count, most


def order(steps, lines, delays_ns):
    """The same of all flows, as packets arrive over lines that are so long."""
    arrivals = sorted(
        (ps + delay * 1000, i, n, packet)
        for i, (line, delay) in enumerate(zip(lines, delays_ns))
        for n, (ps, packet) in enumerate(line)
    )
    sequences = collections.defaultdict(list)
    for _, _, _, packet in arrivals:
        sequences[flow(packet)].append(steps.number(packet))
    each = [reordering(s) for s in sequences.values()]
    return sum(n for n, _ in each), max((extent for _, extent in each), default=0)


def spans(came, gone, key):
    """{key: ps from its first packet in to its last one at the end of a line}"""
    begin, end = {}, {}
    for packet in came:
        begin[key(packet)] = min(begin.get(key(packet), packet.ns * 1000), packet.ns * 1000)
    for ps, packet in gone:
        end[key(packet)] = max(end.get(key(packet), 0), ps)
    return {k: end[k] - begin[k] for k in end}
