#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What each link of a fabric carries: within 5 % of its weight over any 10,000 cells that follow each
other, in the order in which they left; with packets of any size and with sizes in lockstep with the
number of links, at one worker and at several, and where cells pass through.
"""

import os
import random
import sys
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import cells_scapy as cells  # noqa: E402
from support import dsf_lab as lab  # noqa: E402
from support import pcapio, replay, tap  # noqa: E402

WINDOW = 10_000
CELLS = 14_000
CELL = 256


def node(links, *, workers=None, **dsf):
    """`links`: {name: Gbit/s}. All that comes in by host goes to device 77."""
    n = lab.Node("n", 7, workers=workers, cell_size=CELL, scheduling="push", **dsf)
    if "transit" not in dsf:
        n.ip("host", mtu=4200).way("far", "device: far").route("far", "0.0.0.0/0")
    for name, rate in links.items():
        n.link(name, rate=f"{rate}Gbit")
    return n.device("far", 77)


def left(n, port, frames, rate):
    """What left, of all links together: [(link, length)] in the order of time."""
    where = lab.folder()
    pcapio.write_pcap(os.path.join(where, "in.pcap"), frames)
    with open(os.path.join(where, "n.yaml"), "w", encoding="ascii") as file:
        file.write(n.yaml())
    result = replay.run(
        os.path.join(where, "n.yaml"), {port: os.path.join(where, "in.pcap")}, where, "--rate", f"{port}={rate}"
    )
    assert result.json["dropped"] == 0, result.json["drops"]
    out = []
    for name in result.out:
        capture = pcapio.read_pcap(os.path.join(where, "out", f"{name}.pcap"))
        out += [(ns, name, len(frame)) for ns, frame in capture.frames if cells.is_cell(frame)]
    out.sort(key=lambda item: item[0])
    return [item[1:] for item in out]


def worst(order, weights):
    """Of each window and link, the largest distance from its share, as a part of it."""
    total, most = sum(weights.values()), Fraction(0)
    for link, weight in weights.items():
        want = Fraction(WINDOW * weight, total)
        hits = [item[0] == link for item in order]
        inside = sum(hits[:WINDOW])
        low = high = inside
        for i in range(WINDOW, len(hits)):
            inside += hits[i] - hits[i - WINDOW]
            low, high = min(low, inside), max(high, inside)
        most = max(most, abs(low - want) / want, abs(high - want) / want)
    return most


def check_shares(order, weights, what):
    assert len(order) > WINDOW + 2000, len(order)
    most = worst(order, weights)
    tap.diag(f"{what}: {float(most):.2%} off at most")
    assert most <= Fraction(5, 100), (what, float(most))


def packets(sizes, flows=7):
    """UDP frames of the given lengths in turn."""
    rng = random.Random(1)
    made = {s: lab.numbered(rng, range(flows), "10.1.0.1", "10.9.0.1", size=(s, s)) for s in set(sizes)}
    return [made[s][i % flows] for i, s in enumerate(sizes)]


def until(size_of):
    """Lengths by size_of(i) until they are CELLS cells."""
    sizes, n = [], 0
    while n < CELLS:
        sizes.append(size_of(len(sizes)))
        n += -(-sizes[-1] // CELL)
    return sizes


def some(seed):
    rng = random.Random(seed)
    return until(lambda i: rng.randint(60, 4000))


@tap.test(timeout=200)
def each_link_has_its_share_of_any_packets():
    for n, seed in ((2, 1), (3, 2), (7, 3), (16, 4)):
        links = {f"fab{i}": 100 for i in range(n)}
        order = left(node(links), "host", packets(some(seed)), "40Gbit")
        check_shares(order, links, f"{n} links, seed {seed}")


@tap.test(timeout=200)
def so_it_has_when_sizes_are_in_lockstep_with_the_links():
    for n in (2, 4, 8, 16):
        links = {f"fab{i}": 100 for i in range(n)}
        for k in sorted({n - 1, n, n + 1, 2 * n}):
            # k cells, of which the last is short
            order = left(node(links), "host", packets(until(lambda i: (k - 1) * CELL + 60)), "40Gbit")
            check_shares(order, links, f"{n} links, packets of {k} cells")
            sizes = {link: sum(size for name, size in order if name == link) for link in links}
            mean = sum(sizes.values()) / n
            off = max(abs(size - mean) / mean for size in sizes.values())
            assert off < 0.05, (n, k, sizes)


@tap.test(timeout=200)
def a_link_of_twice_the_rate_has_twice_the_share():
    for rates in ((100, 200), (10, 25, 40, 100), (400, 100, 100, 100, 25)):
        links = {f"fab{i}": rate for i, rate in enumerate(rates)}
        for what, sizes in (("any", some(9)), ("as many cells as links", until(lambda i: len(rates) * CELL))):
            order = left(node(links), "host", packets(sizes), "20Gbit")
            check_shares(order, links, f"{rates} Gbit/s, packets of {what}")


@tap.test(timeout=200)
def workers_that_spray_by_themselves_keep_the_shares_together():
    links = {f"fab{i}": 100 for i in range(8)}
    staff = [f"{{lcore: {w}, rx: [{', '.join(['host', *links])}]}}" for w in range(3)]
    order = left(node(links, workers=staff), "host", packets(some(20), flows=101), "40Gbit")
    check_shares(order, links, "3 workers")


@tap.test(timeout=200)
def cells_that_pass_through_are_spread_alike_and_never_sent_back():
    links = {"in": 100, **{f"up{i}": 100 for i in range(5)}, "slow": 50}
    stream = cells.Stream(source=5, destination=77)
    frames = [cell for i in range(3000) for cell in cells.cut(bytes(1200), CELL, stream, packet_id=i)]
    order = left(node(links, transit="true"), "in", frames, "40Gbit")
    assert len(order) == len(frames)
    check_shares(order, {k: v for k, v in links.items() if k != "in"}, "transit")
    assert not any(name == "in" for name, _ in order)


@tap.test(timeout=200)
def wires_that_told_their_rates_count_as_many_cells():
    rates = (10, 25, 40, 10, 100)
    near = lab.Node("near", 7, cell_size=CELL).ip("host", mtu=4200)
    near.way("far", "device: far").route("far", "0.0.0.0/0").device("far", 77)
    far = lab.Node("far", 77, cell_size=CELL).ip("host", mtu=4200)
    far.way("host", f'port: host, mac: "{lab.HOST_MAC.format(77)}"').route("host", "0.0.0.0/0")
    far.device("near", 7)
    wires = []
    for i, rate in enumerate(rates):
        near.link(f"fab{i}")
        far.link(f"fab{i}")
        wires.append(lab.wire(f"near.fab{i}", f"far.fab{i}", f"{rate}Gbit", delay="2us"))
    frames = packets(some(30))
    result = lab.run([near, far], wires, [lab.put("near.host", "in.pcap", "40Gbit")], {"in.pcap": frames})
    result.check_nothing_lost()
    assert not lab.check_whole(frames, result.frames("far.host"), 2)
    cells_made = result.fabric("near")["cells_made"]
    assert cells_made >= CELLS
    for i, rate in enumerate(rates):
        # a few REQUESTs and REACH cells are among them
        taken, want = result.wire(f"near.fab{i}", f"far.fab{i}")["taken"], cells_made * rate / sum(rates)
        assert abs(taken - want) < want * 0.05 + 10, (rate, taken, want)


if __name__ == "__main__":
    tap.run()
