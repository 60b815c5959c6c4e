#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Packets of any size over links of unlike delay that jitters, in cells of any size, of one worker and
of several: each once, bit for bit, and each flow in its order. Both ways at once.
"""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import dsf_lab as lab  # noqa: E402
from support import tap  # noqa: E402

PACKETS = 700  # each way
LINK_MTU_CELL = 9216  # with its header within a link's MTU of 9240
TOS = (0x00, 0x68, 0xC0)
CLASSES = ("{class: 3, name: rdma, dscp: [26]}", "{class: 6, name: cnp, dscp: [48]}")


def split_workers(n_links):
    """The host's port and links 0, 3, ... at the first worker, the others at the next two."""
    links = [[f"fab{i}" for i in range(n_links) if i % 3 == w] for w in range(3)]
    links[0].insert(0, "host")
    return [f"{{lcore: {w}, rx: [{', '.join(rx)}]}}" for w, rx in enumerate(links) if rx]


def shared_workers(n_links):
    """Two workers that poll all ports; flows come in by both."""
    rx = ", ".join(["host", *(f"fab{i}" for i in range(n_links))])
    return [f"{{lcore: {w}, rx: [{rx}]}}" for w in range(2)]


def end(name, number, other, n_links, workers, **dsf):
    """
    10.<number>.0.0/16 is at the host's port. Of 10.<other>.0.0/16 half goes to the other's router,
    and half straight to its host.
    """
    node = lab.Node(name, number, mbufs=16384, classes=CLASSES, workers=workers, **dsf)
    node.ip("host", mtu=9300).link(*(f"fab{i}" for i in range(n_links))).system(9, "host")
    node.device("far", other).way("host", f'port: host, mac: "{lab.HOST_MAC.format(number)}"')
    node.way("router", "device: far").route("host", f"10.{number}.0.0/16")
    node.way("port", f'device: far, system_port: 9, mac: "{lab.HOST_MAC.format(other)}"')
    return node.route("router", f"10.{other}.0.0/17").route("port", f"10.{other}.128.0/17")


def crossing(rng, source, target):
    """Frames to both halves, mixed: ([to the router], [to the port], [both])."""
    halves = []
    for half in (0, 128):
        src, dst = f"10.{source}.0.{rng.randrange(256)}", f"10.{target}.{half}.1"
        halves.append(lab.numbered(rng, range(PACKETS // 2), src, dst, tos=TOS))
    rng.shuffle(order := [0] * len(halves[0]) + [1] * len(halves[1]))
    queues = [iter(half) for half in halves]
    both = [next(queues[i]) for i in order]
    return halves[0], halves[1], both


def cross(n_links, cell_size, *, workers=None, scheduling="credit", rates=(10,), seed):
    rng = random.Random(seed)
    staff = workers(n_links) if workers else None
    tap.diag(f"{n_links} links, cells of {cell_size}, {scheduling}, workers {staff}, seed {seed}")
    keys = {"cell_size": cell_size, "scheduling": scheduling}
    nodes = [end("a", 1, 2, n_links, staff, **keys), end("b", 2, 1, n_links, staff, **keys)]
    wires, total = [], 0
    for i in range(n_links):
        rate = rates[i % len(rates)]
        total += rate
        delay, jitter = rng.randrange(200, 25_000), rng.randrange(10_000)
        wires.append(
            lab.wire(f"a.fab{i}", f"b.fab{i}", f"{rate}Gbit", delay=f"{delay}ns", jitter=f"{jitter}ns")
        )
    sent = {"a": crossing(rng, 1, 2), "b": crossing(rng, 2, 1)}
    inputs = [lab.put(f"{n}.host", f"{n}.pcap", f"{total * 6 // 10}Gbit") for n in sent]
    captures = {f"{n}.pcap": frames[2] for n, frames in sent.items()}
    result = lab.run(nodes, wires, inputs, captures, seed=seed)
    result.check_nothing_lost()
    for name, to in ("ab", "ba"):
        out = result.frames(f"{to}.host")
        # a system port sends what comes as it is; a router is one more hop
        halves = [x for x in out if x[14 + 18] < 128], [x for x in out if x[14 + 18] >= 128]
        assert not lab.check_whole(sent[name][0], halves[0], 2)
        assert not lab.check_whole(sent[name][1], halves[1], 1)
        f = result.fabric(to)
        assert f["packets_joined"] == PACKETS and f["reassembly"]["packets_lost"] == 0, f
        assert f["reassembly"]["most_packets"] > 3, f["reassembly"]  # they did overtake each other
        assert f["cells_joined"] == sum(-(-len(x) // cell_size) for x in sent[name][2]), f
        for i in range(n_links):
            assert result.wire(f"{name}.fab{i}", f"{to}.fab{i}")["taken"] > 10
    return result


@tap.test(timeout=200)
def packets_of_any_size_arrive_in_cells_of_any_size():
    for i, cell_size in enumerate((256, 512, 2048, 4096, LINK_MTU_CELL)):
        cross(4, cell_size, seed=100 + i)


@tap.test(timeout=200)
def over_two_to_sixteen_links():
    for i, (n_links, cell_size) in enumerate(((2, 512), (3, 2048), (5, 256), (8, 4096), (16, 512))):
        cross(n_links, cell_size, seed=200 + i)


@tap.test(timeout=200)
def over_links_of_unlike_rates():
    cross(6, 512, rates=(10, 25, 40), seed=300)


@tap.test(timeout=200)
def with_several_workers():
    for i, workers in enumerate((split_workers, shared_workers)):
        cross(5, 512, workers=workers, seed=400 + i)
        cross(16, 2048, workers=workers, seed=410 + i)


@tap.test(timeout=200)
def when_nobody_asks_for_credit():
    cross(4, 256, scheduling="push", seed=500)
    cross(7, 2048, scheduling="push", workers=split_workers, seed=501)


if __name__ == "__main__":
    tap.run()
