#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Links of a fabric that are cut, drained, and come back, under traffic both ways: what is lost, and
what each node then knows.

    edge fab0, fab1 - spine s0 - bag fab0, fab1
    edge fab2, fab3 - spine s1 - bag fab2, fab3
"""

import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import dsf_lab as lab  # noqa: E402
from support import oracle, tap  # noqa: E402

EDGE, BAG = 10, 20
GAP_NS = 5000
DELAY_NS = 20_000
MS = 1_000_000
DSF = {"reach_interval": "1ms", "cell_size": 512}


def end(name, number, other, n_links, **dsf):
    node = lab.Node(name, number, **{**DSF, **dsf}).ip("host", mtu=2000).device("far", other)
    node.link(*(f"fab{i}" for i in range(n_links)))
    node.way("host", f'port: host, mac: "{lab.HOST_MAC.format(number)}"').way("far", "device: far")
    return node.route("host", f"10.{number}.0.0/16").route("far", f"10.{other}.0.0/16")


def two_spines(width=2, **dsf):
    """`width`: links of each spine to the edge, and to the BAG."""
    nodes = [end("edge", EDGE, BAG, 2 * width, **dsf), end("bag", BAG, EDGE, 2 * width, **dsf)]
    wires = []
    for s in range(2):
        spine = lab.Node(f"s{s}", 30 + s, transit="true", **DSF)
        nodes.append(spine.link(*(f"{way}{i}" for way in "du" for i in range(width))))
        for i in range(width):
            for node, way in (("edge", "d"), ("bag", "u")):
                ends, delay = (f"{node}.fab{width * s + i}", f"s{s}.{way}{i}"), DELAY_NS + 300 * i
                wires.append(lab.wire(*ends, "25Gbit", delay=f"{delay}ns"))
    return nodes, wires


def back_to_back(n_links, **dsf):
    nodes = [end("edge", EDGE, BAG, n_links, **dsf), end("bag", BAG, EDGE, n_links, **dsf)]
    wires = [lab.wire(f"edge.fab{i}", f"bag.fab{i}", "25Gbit", delay="3us") for i in range(n_links)]
    return nodes, wires


def traffic(seed, n):
    """A packet each GAP_NS, of 1000 bytes on average: {"edge": [(ns, frame)], "bag": ...}."""
    rng = random.Random(seed)
    tap.diag(f"seed {seed}")
    pairs = {"edge": (EDGE, BAG), "bag": (BAG, EDGE)}
    return {
        name: [
            (i * GAP_NS, frame)
            for i, frame in enumerate(
                lab.numbered(rng, range(n), f"10.{a}.0.1", f"10.{b}.0.1", size=(60, 1940))
            )
        ]
        for name, (a, b) in pairs.items()
    }


def sent_ns(frame):
    """When a frame came in: its number says so."""
    return struct.unpack_from("!Q", frame, 42)[0] * GAP_NS


class Story:
    """A run with events, and per direction what was lost on the way."""

    def __init__(self, fabric, events, n, *, seed, missing=0):
        nodes, wires = fabric
        sent = traffic(seed, n)
        inputs = [lab.put(f"{name}.host", f"{name}.pcap") for name in sent]
        captures = {f"{name}.pcap": frames for name, frames in sent.items()}
        self.result = lab.run(nodes, wires, inputs, captures, events, seed=seed)
        self.lost = {
            name: lab.check_whole(
                [x for _, x in sent[name]], self.result.frames(f"{to}.host"), 2, missing=missing
            )
            for name, to in (("edge", "bag"), ("bag", "edge"))
        }

    def got(self, port, begin_ns, end_ns):
        """Packets out of `port` that came in within that time."""
        return sum(begin_ns <= sent_ns(x) < end_ns for x in self.result.frames(port))

    def links(self, node):
        return {name: link["state"] for name, link in self.result.fabric(node)["links"].items()}


def check_views(result, links, shares):
    """`links`: {(node, device): how many}; `shares`: {(node, device): [of each of its links]}."""
    for (node, device), n in links.items():
        seen = result.toward(node, device)
        assert seen["reachable"] and seen["links"] == n, (node, seen)
    for (node, device), want in shares.items():
        seen = result.toward(node, device)["shares"]
        have = [seen.get(f"fab{i}", 0) or 0 for i in range(len(want))]
        assert all(abs(h - w) < 0.01 for h, w in zip(have, want)), (node, seen)


WAYS = (("edge", "bag"), ("bag", "edge"))


def check_lost(story, cut, at_ns):
    """
    `cut`: {sender: the wires that its cells were lost on}. No more packets than cells are lost, and
    none but those that were on their way at the cut; all of them are counted where they are missed.
    """
    assert set(story.result.drops()) <= {"edge", "bag"}, story.result.drops()
    for sender, receiver in WAYS:
        lost = story.lost[sender]
        cells = sum(story.result.wire(*ends)["lost_down"] for ends in cut[sender])
        assert len(lost) <= cells, (sender, len(lost), cells)
        age = max(t - sent_ns(x) for t, x in story.result.out[f"{receiver}.host"] if t < at_ns)
        ages = [at_ns - sent_ns(x) for x in lost]
        assert all(0 < x < age for x in ages), (sender, ages, age)
        assert story.result.fabric(receiver)["reassembly"]["packets_lost"] == len(lost)
        reasons = set(story.result.drops().get(receiver, {}))
        assert reasons <= {"reassembly_timeout"} and bool(reasons) <= bool(lost), reasons
    return len(story.lost["edge"]) + len(story.lost["bag"])


@tap.test(timeout=200)
def a_cut_link_loses_no_packet_but_those_with_cells_on_it():
    lost = 0
    for seed in range(3):
        story = Story(two_spines(), ["{at: 5ms, down: edge.fab1}"], 2000, seed=seed, missing=100)
        below = ("edge.fab1", "s0.d1")
        lost += check_lost(story, {"edge": [below], "bag": [below[::-1]]}, 5 * MS)
        assert story.links("edge")["fab1"] == story.links("s0")["d1"] == "no carrier"
        # half of the spine is gone toward the edge: the BAG gives it half
        check_views(
            story.result,
            {("edge", BAG): 3, ("s0", EDGE): 1, ("s1", EDGE): 2, ("s0", BAG): 2, ("bag", EDGE): 4},
            {("edge", BAG): [1 / 3, 0, 1 / 3, 1 / 3], ("bag", EDGE): [1 / 6, 1 / 6, 1 / 3, 1 / 3]},
        )
    assert lost


@tap.test(timeout=200)
def so_does_one_that_is_cut_behind_the_spine():
    lost = 0
    for seed in range(10, 18):
        story = Story(two_spines(), ["{at: 5ms, down: s1.u0}"], 2000, seed=seed, missing=100)
        above = ("bag.fab2", "s1.u0")
        lost += check_lost(story, {"bag": [above], "edge": [above[::-1]]}, 5 * MS)
        check_views(
            story.result,
            {("bag", EDGE): 3, ("s1", BAG): 1, ("s0", BAG): 2, ("s1", EDGE): 2, ("edge", BAG): 4},
            {("bag", EDGE): [1 / 3, 1 / 3, 0, 1 / 3], ("edge", BAG): [1 / 3, 1 / 3, 1 / 6, 1 / 6]},
        )
    assert lost


@tap.test(timeout=200)
def a_drained_link_loses_nothing_and_may_be_cut_then():
    taken = []
    for port in ("edge.fab1", "s0.d1"):  # of either end
        for events in ([], [f"{{at: 4ms, drain: {port}}}"],
                       [f"{{at: 4ms, drain: {port}}}", f"{{at: 9ms, down: {port}}}"],
                       [f"{{at: 4ms, drain: {port}}}", f"{{at: 7ms, undrain: {port}}}"]):  # fmt: skip
            story = Story(two_spines(), events, 2400, seed=20)
            story.result.check_nothing_lost()
            assert not story.lost["edge"] and not story.lost["bag"]
            away = len(events) == 1 or "down" in events[-1:][0] if events else False
            links = 3 if away else 4
            check_views(story.result, {("edge", BAG): links, ("s0", EDGE): links - 2}, {})
            state = "no carrier" if len(events) == 2 and away else "drained" if away else "up"
            node, name = port.split(".")
            assert story.links(node)[name] == state, story.links(node)
            below = ("edge.fab1", "s0.d1")
            taken.append([story.result.wire(*ends)["taken"] for ends in (below, below[::-1])])
    # 12 ms of traffic: a third of it before the drain, and five twelfths after 7 ms
    for whole, drained, cut, back in (taken[:4], taken[4:]):
        for way in range(2):
            assert 0.28 < drained[way] / whole[way] < 0.42, taken
            assert abs(cut[way] - drained[way]) < 20, taken
            assert 0.65 < back[way] / whole[way] < 0.82, taken


@tap.test(timeout=200)
def so_does_the_last_link_that_a_spine_has_to_a_device():
    for ports in (["edge.fab0"], ["s0.d0"], ["bag.fab1"], ["s0.u0", "s0.d0"]):
        events = [f"{{at: 4ms, drain: {port}}}" for port in ports]
        story = Story(two_spines(width=1), events, 2000, seed=25)
        story.result.check_nothing_lost()
        check_views(story.result, {("edge", BAG): 1, ("bag", EDGE): 1}, {})
    # all links of a spine, as somebody does who has to replace it
    events = [f"{{at: 4ms, drain: s0.{way}}}" for way in ("d0", "d1", "u0", "u1")]
    story = Story(two_spines(), events, 2000, seed=26)
    story.result.check_nothing_lost()
    check_views(story.result, {("edge", BAG): 2, ("bag", EDGE): 2}, {})


@tap.test(timeout=200)
def links_of_one_spine_drained_at_any_time_lose_nothing():
    for seed in range(900, 905):
        rng = random.Random(seed)
        width, spine = rng.choice((1, 2)), rng.randrange(2)
        ports = [f"s{spine}.{way}{i}" for way in "du" for i in range(width)]
        ports += [f"{node}.fab{width * spine + i}" for node in ("edge", "bag") for i in range(width)]
        events = []
        for port in rng.sample(ports, rng.randint(2, len(ports))):
            at = rng.randint(300, 5000)
            events += [(at, f"drain: {port}"), (at + rng.randint(50, 3000), f"undrain: {port}")]
        tap.diag(str(sorted(events)))
        keys = {"scheduling": rng.choice(("push", "credit")), "cell_size": rng.choice((256, 2048))}
        told = [f"{{at: {at}us, {what}}}" for at, what in sorted(events)]
        Story(two_spines(width, **keys), told, 2000, seed=seed).result.check_nothing_lost()


@tap.test(timeout=200)
def a_link_that_is_back_is_used_again():
    events = ["{at: 3ms, down: edge.fab1}", "{at: 5ms, up: s0.d1}"]
    for seed in (30, 31):
        story = Story(two_spines(), events, 4000, seed=seed, missing=100)
        below = ("edge.fab1", "s0.d1")
        check_lost(story, {"edge": [below], "bag": [below[::-1]]}, 3 * MS)
        check_views(
            story.result,
            {("edge", BAG): 4, ("s0", EDGE): 2, ("bag", EDGE): 4},
            {("edge", BAG): [1 / 4] * 4, ("bag", EDGE): [1 / 4] * 4},
        )
        # 3 ms, and 11 to 14 of the last 15, of the 20 that its neighbour had
        for ends in (below, below[::-1]):
            other = [end.replace("fab1", "fab3").replace("s0", "s1") for end in ends]
            part = story.result.wire(*ends)["taken"] / story.result.wire(*other)["taken"]
            assert 0.65 < part < 0.85, (ends, part)


@tap.test(timeout=200)
def a_device_joins_with_as_many_links_as_it_takes():
    events = ["{at: 2ms, down: edge.fab0}", "{at: 4ms, down: edge.fab1}",
              "{at: 6ms, up: edge.fab1}", "{at: 12ms, up: edge.fab0}"]  # fmt: skip
    for join in (1, 2):
        fabric = back_to_back(2, min_links_join=join, min_links_remain=1)
        story = Story(fabric, events, 4000, seed=40, missing=4000)
        for port in ("bag.host", "edge.host"):
            # not what is on its way at a cut, or comes at once behind the second, and waits
            times = [(0, 1900), (2000, 3900), (4100, 6000), (11_000, 12_000), (17_000, 20_000)]
            got = [story.got(port, a * 1000, b * 1000) for a, b in times]
            assert got == [380, 380, 0, 200 if join == 1 else 0, 600], (port, join, got)


if __name__ == "__main__":
    tap.run()
