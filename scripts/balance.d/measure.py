# SPDX-License-Identifier: BSD-3-Clause
"""What a run did with a workload, out of the captures that softbag-replay wrote and the flow list.

balance: bytes of each member, by its weight. order: the members' packets as they arrive at the far
end, flow by flow. time: when the last packet of each step is there. Times are picoseconds here.
"""

import bisect
import heapq
import math

import roce


class Flows:
    """The flow list (traffic.py) by what a packet tells."""

    def __init__(self, told):
        self.told = told
        self.by_key = {}
        self.first_psn, self._step_ends = [], []
        for flow in told["flows"]:
            key = roce.flow_key(flow["src"], flow["dst"], flow["dest_qp"])
            self.by_key[key] = flow["flow"]
            self.first_psn.append(flow["first_psn"])
            ends, n = [], 0
            for step in flow["steps"]:
                n += step[1]
                ends.append((n, step[0]))
            self._step_ends.append(ends)

    def step(self, flow, number):
        """The step that packet `number` of the flow, from 0, is of."""
        ends = self._step_ends[flow]
        return ends[0][1] if len(ends) == 1 else ends[bisect.bisect(ends, (number, math.inf))][1]

    def read(self, path):
        """[(ps, length, flow, number)] of a capture, in its order; `number` counts a flow's packets."""
        first, mask = self.first_psn, roce.PSN_MASK
        return [
            (ns * 1000, size, flow, psn - first[flow] & mask)
            for ns, size, flow, psn in roce.read_pcap(path, self.by_key)
        ]


def on_the_line(packets, bps):
    """
    The same packets with the time at which a line of that rate has carried each to its end, length
    not counted. They leave softbag by a shaper, which lets 100 us go at once after a silence; a line
    does not.
    """
    out, free, takes = [], 0, {}
    for ps, size, flow, number in packets:
        if size not in takes:
            takes[size] = roce.wire_bits(size) * 10**12 // bps
        free = max(free, ps) + takes[size]
        out.append((free, size, flow, number))
    return out


def max_over_mean(amounts, weights):
    """The largest ratio of a member's amount to its fair share; 1 is perfect, None: nothing came."""
    total, weight = sum(amounts), sum(weights)
    return max(x * weight / (w * total) for x, w in zip(amounts, weights)) if total else None


def jain(amounts, weights):
    """Jain's fairness index of the amounts by weight: 1 is even, 1/n all on one member."""
    shares = [x / w for x, w in zip(amounts, weights)]
    squares = sum(x * x for x in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else None


class Order:
    """
    Of one flow: packets that are reordered and their extent, RFC 4737, 3.3 and 4.2: one is if a
    later one was there before it, and its extent is how many packets came from the first of those on.
    """

    def __init__(self):
        self.n = self.reordered = self.extent = 0
        self._records, self._places = [], []  # numbers larger than all before, and where they came

    def take(self, number):
        if self._records and number < self._records[-1]:
            self.reordered += 1
            first = self._places[bisect.bisect_right(self._records, number)]
            self.extent = max(self.extent, self.n - first)
        else:
            self._records.append(number)
            self._places.append(self.n)
        self.n += 1


def order(lines, delays_ps):
    """(packets reordered, largest extent) where each member's line is so long; equal times: by member."""
    arrivals = heapq.merge(
        *(
            [(ps + delay, i, flow, number) for ps, _, flow, number in line]
            for i, (line, delay) in enumerate(zip(lines, delays_ps))
        )
    )
    flows = {}
    for _, _, flow, number in arrivals:
        if flow not in flows:
            flows[flow] = Order()
        flows[flow].take(number)
    return (
        sum(o.reordered for o in flows.values()),
        max((o.extent for o in flows.values()), default=0),
    )


def step_times(came, gone, flows):
    """{step: ps} from the step's first packet that came in to its last one at the end of a line."""
    begin, end = {}, {}
    for ps, _, flow, number in came:
        step = flows.step(flow, number)
        begin[step] = min(begin.get(step, ps), ps)
    for ps, _, flow, number in gone:
        step = flows.step(flow, number)
        end[step] = max(end.get(step, 0), ps)
    return {step: end.get(step, ps) - ps for step, ps in begin.items()}


def completion(times, steps_in_all):
    """Of the collective: its steps one after the other, those that were not made like the others."""
    return sum(times.values()) * steps_in_all // len(times)


def flow_times(came, gone, flows):
    """Sorted: for each flow and step, from its first packet in to its last one at the end of a line."""
    begin, end = {}, {}
    for ps, _, flow, number in came:
        begin.setdefault((flow, flows.step(flow, number)), ps)
    for ps, _, flow, number in gone:
        key = flow, flows.step(flow, number)
        end[key] = max(end.get(key, 0), ps)
    return sorted(end[key] - begin[key] for key in end)


def percentile(values, part):
    """The smallest value that `part` of the sorted values do not exceed."""
    return values[max(0, math.ceil(part * len(values)) - 1)] if values else None


def measure(flows, capture, outs, weights, rates, paths):
    """
    All figures of a run. `outs`: the members' captures; `paths`: {name: delays of members in ns}.
    """
    came = flows.read(capture)
    members = [flows.read(path) for path in outs]
    lines = [on_the_line(packets, bps) for packets, bps in zip(members, rates)]
    gone = [packet for line in lines for packet in line]
    octets = [sum(packet[1] for packet in line) for line in lines]
    steps_in_all = flows.told["steps_in_all"]
    ideal = completion(step_times(came, on_the_line(came, sum(rates)), flows), steps_in_all)
    whole = len(gone) == len(came)
    taken = completion(step_times(came, gone, flows), steps_in_all) if whole else None
    got = {
        "came": len(came),
        "lost": len(came) - len(gone),
        "packets": [len(line) for line in lines],
        "bytes": octets,
        "max_over_mean": max_over_mean(octets, weights),
        "jain": jain(octets, weights),
        "ideal_ps": ideal,
        "completion_ps": taken,
        "flow_p99_ps": percentile(flow_times(came, gone, flows), 0.99),
        "paths": {},
    }
    for name, delays in paths.items():
        reordered, extent = order(lines, [ns * 1000 for ns in delays])
        got["paths"][name] = {"reordered": reordered, "extent": extent}
    return got
