# SPDX-License-Identifier: BSD-3-Clause
"""Workloads: which host sends what to which, when, and as which packets. scripts/workload and
scripts/balance-report make them; measure.py reads the flow list.

Hosts of the near site are 10.1.0.0 and their number, those of the far site 10.2.0.0 and theirs. All
that is drawn by lot comes from the seed. Times are picoseconds until they are written.
"""

import csv
import itertools
import json
import random
import re

import roce

MTUS = (256, 512, 1024, 2048, 4096)
SPORT = 49152  # of all QPs: with most NICs it says nothing about the QP
MESSAGE = 64  # packets of a message at most
ELEPHANTS = 20
QUIET_PS = 10**9  # after a step: 1 ms; buckets are full again after 100 us, flowlets are over
MOST_HOSTS, MOST_PACKETS = 65534, 10**7
KINDS = """\
qpsN          N QPs between one pair of hosts: only the destination QP tells them apart
ringRxQ       ring all-reduce of R ranks, Q QPs from each to the next; 2(R-1) steps, the first 4 are made
alltoallR     R ranks, each to each other at once, a QP a pair
incastN       N senders to one receiver at 4 times the rate, 4 rounds
mix           20 QPs with long WRITEs, unlike and nine tenths in all, and SENDs of 1 to 3 packets"""


class Wrong(Exception):
    """What was asked for cannot be made; one sentence."""


class Flow:
    """What one QP sends. `steps`: [[step, packets, bytes, first ns, last ns]]."""

    def __init__(self, number, src, dst, src_qp, dest_qp, first_psn, verb, kind):
        self.number, self.src, self.dst, self.src_qp, self.dest_qp = number, src, dst, src_qp, dest_qp
        self.first_psn = self.next_psn = first_psn
        self.verb, self.kind = verb, kind
        self.steps, self.messages = [], 0


class Train:
    """Packets that a flow has to send in a step, in messages."""

    def __init__(self, flow, packets):
        self.flow, self.left = flow, packets
        self.message_left = self.message_len = 0


class Burst:
    """A host's NIC: from `start_ps` on, its trains a packet each in turn at `bps`."""

    def __init__(self, start_ps, bps, trains):
        self.start_ps, self.bps, self.trains = start_ps, bps, trains


class Packet:
    __slots__ = ("ps", "flow", "opcode", "psn", "message_len", "last")

    def __init__(self, ps, flow, opcode, psn, message_len, last):
        self.ps, self.flow, self.opcode, self.psn = ps, flow, opcode, psn
        self.message_len, self.last = message_len, last


def host(site, number):
    return f"10.{site}.{number >> 8}.{number & 0xFF}"


class Workload:
    """
    `bursts`: of each step that is made, a list; `steps_in_all`: of the whole collective, which are
    alike. `drain_bps`: steps are so far apart that a line of this rate has sent one before the next.
    """

    def __init__(self, name, seed, packets, mtu, rate_bps, drain_bps=None):
        self.name, self.seed, self.mtu, self.rate_bps = name, seed, mtu, rate_bps
        self.budget, self.drain_bps = packets, drain_bps or rate_bps // 32
        self.rng = random.Random(f"{name} {seed}")
        self.flows, self.bursts, self.steps_in_all = [], [], 1
        self.step_ns = []
        self._src_qps, self._dest_qps = {}, {}
        make, numbers = _maker(name)
        self.title = make(self, *numbers)
        self.packets = self._schedule()

    def flow(self, src, dst, verb="write", kind="data"):
        """QP numbers of a host go up by one from some first one, as drivers give them out."""
        qp = []
        for qps, key in ((self._src_qps, src), (self._dest_qps, dst)):
            if key not in qps:
                qps[key] = itertools.count(self.rng.randrange(0x100, 0xF00000))
            qp.append(next(qps[key]))
        made = Flow(len(self.flows), host(1, src), host(2, dst), *qp,
                    self.rng.randrange(1 << 24), verb, kind)  # fmt: skip
        self.flows.append(made)
        return made

    def share(self, flows, steps=1):
        """Packets of each flow in each step, within the budget."""
        if self.budget < flows * steps:
            raise Wrong(f"{self.name} takes {flows * steps} packets at least; {self.budget} are allowed.")
        return self.budget // (flows * steps)

    def offset_ps(self, bps):
        """NICs do not begin in step: by up to a packet's time."""
        return self.rng.randrange(1 + self.packet_bits() * 10**12 // bps)

    def packet_bits(self):
        return roce.wire_bits(roce.frame_len(roce.WRITE_MIDDLE, self.mtu))

    def _next_packet(self, train, ps):
        if train.message_left == 0:
            train.message_len = train.message_left = min(MESSAGE, train.left)
        first, last = train.message_left == train.message_len, train.message_left == 1
        opcode = roce.VERBS[train.flow.verb][3 if first and last else 0 if first else 2 if last else 1]
        train.left -= 1
        train.message_left -= 1
        psn, train.flow.next_psn = train.flow.next_psn, (train.flow.next_psn + 1) & roce.PSN_MASK
        return Packet(ps, train.flow, opcode, psn, train.message_len, last)

    def _send(self, burst, begin_ps):
        """The packets of a NIC in a step."""
        sent, bits, trains = [], 0, list(burst.trains)
        while trains:
            for train in trains:
                ps = begin_ps + burst.start_ps + bits * 10**12 // burst.bps
                sent.append(self._next_packet(train, ps))
                bits += roce.wire_bits(roce.frame_len(sent[-1].opcode, self.mtu))
            trains = [train for train in trains if train.left]
        return sent

    def _schedule(self):
        """All packets in the order of time; the first at 0."""
        out, begin_ps = [], 0
        for step, bursts in enumerate(self.bursts):
            sent = [packet for burst in bursts for packet in self._send(burst, begin_ps)]
            sent.sort(key=lambda packet: packet.ps)
            bits = sum(roce.wire_bits(roce.frame_len(p.opcode, self.mtu)) for p in sent)
            begin_ps = max(sent[-1].ps, sent[0].ps + bits * 10**12 // self.drain_bps) + QUIET_PS
            self._account(step, sent, out[0].ps if out else sent[0].ps)
            out += sent
        origin = out[0].ps
        for packet in out:
            packet.ps -= origin
        return out

    def _account(self, step, sent, origin):
        self.step_ns.append((sent[0].ps - origin) // 1000)
        for packet in sent:
            ns, steps = (packet.ps - origin) // 1000, packet.flow.steps
            if not steps or steps[-1][0] != step:
                steps.append([step, 0, 0, ns, ns])
            steps[-1][1] += 1
            steps[-1][2] += roce.frame_len(packet.opcode, self.mtu)
            steps[-1][4] = ns


def qps(w, n):
    packets = w.share(n)
    w.bursts = [[Burst(0, w.rate_bps, [Train(w.flow(1, 1), packets) for _ in range(n)])]]
    return f"{n} QPs between one pair of hosts"


def ring(w, ranks, n_qps):
    if ranks < 2:
        raise Wrong(f"{w.name}: a ring has two ranks at least.")
    w.steps_in_all = 2 * (ranks - 1)
    steps = max(1, min(4, w.steps_in_all, w.budget // (ranks * n_qps)))
    packets, bps = w.share(ranks * n_qps, steps), w.rate_bps // ranks
    flows = [[w.flow(1 + i, 1 + (i + 1) % ranks) for _ in range(n_qps)] for i in range(ranks)]
    for _ in range(steps):
        w.bursts.append(
            [Burst(w.offset_ps(bps), bps, [Train(flow, packets) for flow in rank]) for rank in flows]
        )
    return f"ring all-reduce of {ranks} ranks, {n_qps} QP{'s' * (n_qps > 1)} from each to the next"


def alltoall(w, ranks):
    if ranks < 2:
        raise Wrong(f"{w.name}: there are two ranks at least.")
    packets, bps = w.share(ranks * (ranks - 1)), w.rate_bps // ranks
    w.bursts = [[]]
    for i in range(ranks):
        flows = [w.flow(1 + i, 1 + (i + k) % ranks) for k in range(1, ranks)]
        w.bursts[0].append(Burst(w.offset_ps(bps), bps, [Train(flow, packets) for flow in flows]))
    return f"all-to-all of {ranks} ranks, a QP a pair"


def incast(w, senders):
    rounds = max(1, min(4, w.budget // senders))
    w.steps_in_all = rounds
    packets, bps = w.share(senders, rounds), max(1, 4 * w.rate_bps // senders)
    flows = [w.flow(1 + i, 1) for i in range(senders)]
    for _ in range(rounds):
        w.bursts.append([Burst(w.offset_ps(bps), bps, [Train(flow, packets)]) for flow in flows])
    return f"incast of {senders} senders at 4 times the rate of all lines"


def mix(w):
    """Elephants of unlike rates, which end together; mice come all the time."""
    if w.budget < 400:
        raise Wrong(f"{w.name} takes 400 packets at least; {w.budget} are allowed.")
    parts = [w.rng.randrange(1, 5) for _ in range(ELEPHANTS)]
    part_bps, part = w.rate_bps * 9 // 10 // sum(parts), w.budget * 9 // 10 // sum(parts)
    bursts = []
    for i, n in enumerate(parts):
        flow = w.flow(1 + i, 1 + i, kind="elephant")
        bursts.append(Burst(w.offset_ps(n * part_bps), n * part_bps, [Train(flow, n * part)]))
    left = w.budget - part * sum(parts)
    end_ps = part * w.packet_bits() * 10**12 // part_bps
    for i in itertools.count():
        n = min(left, w.rng.randrange(1, 4))
        if n == 0:
            break
        flow = w.flow(1 + ELEPHANTS + i % 4096, 1 + w.rng.randrange(64), verb="send", kind="mouse")
        bursts.append(Burst(w.rng.randrange(end_ps), w.rate_bps // 16, [Train(flow, n)]))
        left -= n
    w.bursts = [bursts]
    return f"{ELEPHANTS} elephants and {len(bursts) - ELEPHANTS:,} mice"


_MAKERS = (
    (re.compile(r"qps(\d+)"), qps),
    (re.compile(r"ring(\d+)x(\d+)"), ring),
    (re.compile(r"alltoall(\d+)"), alltoall),
    (re.compile(r"incast(\d+)"), incast),
    (re.compile(r"mix"), mix),
)


def _maker(name):
    for pattern, make in _MAKERS:
        found = pattern.fullmatch(name)
        if found:
            numbers = [int(n) if len(n) < 9 else 10**9 for n in found.groups()]
            if any(not 1 <= n <= MOST_HOSTS for n in numbers):
                raise Wrong(f"{name}: numbers go from 1 to {MOST_HOSTS}.")
            return make, numbers
    raise Wrong(f"there is no workload '{name}'; there are qpsN, ringRxQ, alltoallR, incastN and mix.")


def check_name(name):
    """Raises Wrong."""
    _maker(name)


def frames(workload, macs, may_reorder="write"):
    """(ns, bytes) of each packet. `may_reorder`: the verb whose packets have the AR bit, all or none."""
    payload = bytes(i * 7 & 0xFF for i in range(workload.mtu))
    senders = [roce.Sender(macs, f.src, f.dst, SPORT, f.dest_qp) for f in workload.flows]
    verbs = {"all": set(roce.VERBS), "none": set()}.get(may_reorder, {may_reorder})
    for packet in workload.packets:
        flow, rest = packet.flow, payload
        if packet.opcode in (roce.WRITE_FIRST, roce.WRITE_ONLY):
            rest = roce.reth(packet.message_len * workload.mtu) + payload
        bits = roce.ACK_REQUEST if packet.last else 0
        if flow.verb in verbs:
            bits |= roce.MAY_REORDER
        yield packet.ps // 1000, senders[flow.number].frame(packet.opcode, bits, packet.psn, rest)


def acks(workload, macs, after_ns):
    """(ns, bytes) of the ACKs that come back, one a message, `after_ns` after its last packet."""
    senders = [roce.Sender(macs, f.dst, f.src, SPORT, f.src_qp) for f in workload.flows]
    for packet in workload.packets:
        if packet.last:
            packet.flow.messages += 1
            rest = roce.aeth(packet.flow.messages)
            frame = senders[packet.flow.number].frame(roce.ACKNOWLEDGE, 0, packet.psn, rest)
            yield packet.ps // 1000 + after_ns, frame


def flow_list(w):
    """What the captures hold, as JSON takes it."""
    return {
        "workload": w.name,
        "title": w.title,
        "seed": w.seed,
        "mtu": w.mtu,
        "rate_bps": w.rate_bps,
        "packets": len(w.packets),
        "steps_in_all": w.steps_in_all,
        "step_ns": w.step_ns,
        "flows": [
            {
                "flow": f.number,
                "kind": f.kind,
                "verb": f.verb,
                "src": f.src,
                "dst": f.dst,
                "sport": SPORT,
                "src_qp": f.src_qp,
                "dest_qp": f.dest_qp,
                "first_psn": f.first_psn,
                "steps": f.steps,
            }
            for f in w.flows
        ],
    }


COLUMNS = "flow kind verb src dst sport src_qp dest_qp first_psn step packets bytes first_ns last_ns".split()


def write_flows(w, path):
    """CSV, a row for each flow and step, where the name ends so; else JSON."""
    told = flow_list(w)
    with open(path, "w", encoding="ascii", newline="") as f:
        if not path.endswith(".csv"):
            json.dump(told, f, separators=(",", ":"))
            f.write("\n")
            return
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow(COLUMNS)
        for flow in told["flows"]:
            head = [flow[name] for name in COLUMNS[:8]]
            psn = flow["first_psn"]
            for step in flow["steps"]:
                rows.writerow([*head, psn, *step])
                psn = (psn + step[1]) & roce.PSN_MASK
