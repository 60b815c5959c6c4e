#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
From host to host in one topology: edge, spines, BAG, long haul and the same back, with captures of
Soft-RoCE in both directions; and with a planar network in place of one of the fabrics.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import dsf_lab as lab  # noqa: E402
from support import oracle, pcapio, replay, tap  # noqa: E402

CAPTURES = (
    "rxe_cm_mix_v4_m1024.pcap",
    "rxe_ecn_ce_write_v6.pcap",
    "rxe_fault_corrupt_write.pcap",
    "rxe_rc_write_v6_m4096.pcap",
    "rxe_ud_send_v4_m1024.pcap",
)
WRONG_ICRCS = 11  # in them: they stay wrong
WEST = ("10.99.0.1/32", "fd99::1/128")
EAST = ("10.99.0.2/32", "fd99::2/128")
LOOPS = 6
DELAY_NS = 2_000_000
CLASSES = ("{class: 3, name: rdma, dscp: [26]}",)


def caught(ends, others):
    """What goes from one host to the other in all captures, some times over: ([IPv4], [IPv6])."""
    pairs = [tuple(x.split("/")[0] for x in pair) for pair in zip(ends, others)]
    out = [[], []]
    for name in CAPTURES:
        for frame in pcapio.read_frames(replay.data(name)):
            pair = tuple(map(str, oracle.addresses(frame)))
            if pair in pairs:
                out[pairs.index(pair)].append(frame)
    return out[0] * LOOPS, out[1] * LOOPS


def fabric(side, number, here, there, **dsf):
    """
    (nodes, wires, BAG): an edge with a host, two spines, each with two links down and two up, and a
    BAG with two ports to the far side. To the host IPv4 goes as it is, and IPv6 by the edge's router.
    """
    edge = lab.Node(side + "e", number, classes=CLASSES, **dsf).ip("host")
    edge.link("fab0", "fab1", "fab2", "fab3").system(5, "host").device("bag", number + 3)
    edge.way("host", f'port: host, mac: "{lab.HOST_MAC.format(number)}"').way("out", "device: bag")
    edge.route("host", *here).route("out", *there)
    bag = lab.Node(side + "b", number + 3, classes=CLASSES, **dsf).link("fab0", "fab1", "fab2", "fab3")
    bag.ip("lh0", "longhaul").ip("lh1", "longhaul").device("edge", number)
    bag.way("port", f'device: edge, system_port: 5, mac: "{lab.HOST_MAC.format(number)}"')
    bag.way("router", "device: edge").route("port", here[0]).route("router", here[1])
    nodes, wires = [edge, bag], []
    for i in range(2):
        spine = lab.Node(f"{side}s{i}", number + 1 + i, transit="true").link("d0", "d1", "u0", "u1")
        nodes.append(spine)
        for k in range(2):
            port = f"fab{2 * i + k}"
            wires.append(lab.wire(f"{side}e.{port}", f"{side}s{i}.d{k}", delay=f"{2 + k}us", jitter="3us"))
            up = f"{side}s{i}.u{k}"
            wires.append(lab.wire(f"{side}b.{port}", up, delay=f"{1 + 2 * i}us", jitter="2us"))
    return nodes, wires, bag


def planar(side, number, here, there):
    """The same with a leaf in place of edge and spines."""
    leaf = lab.Node(side + "e", number, classes=CLASSES).ip("host").ip("up0").ip("up1")
    bag = lab.Node(side + "b", number + 3, classes=CLASSES).ip("nsf0").ip("nsf1")
    bag.ip("lh0", "longhaul").ip("lh1", "longhaul")
    leaf.way("host", f'port: host, mac: "{lab.HOST_MAC.format(number)}"')
    leaf.way("out", *(f'port: up{i}, mac: "{bag.mac(f"nsf{i}")}"' for i in range(2)))
    leaf.route("host", *here).route("out", *there)
    bag.way("leaf", *(f'port: nsf{i}, mac: "{leaf.mac(f"up{i}")}"' for i in range(2)))
    bag.route("leaf", *here)
    return [leaf, bag], [lab.wire(f"{side}e.up{i}", f"{side}b.nsf{i}", delay="2us") for i in range(2)], bag


def join(west, east):
    """Two sides and the lines between their BAGs."""
    wires = west[1] + east[1]
    wires += [lab.wire(f"wb.lh{i}", f"eb.lh{i}", delay=f"{DELAY_NS + 700 * i}ns") for i in range(2)]
    for (bag, far), there in (((west[2], east[2]), EAST), ((east[2], west[2]), WEST)):
        bag.way("far", *(f'port: lh{i}, mac: "{far.mac(f"lh{i}")}"' for i in range(2)))
        bag.route("far", *there)
    return west[0] + east[0], wires


def check_direction(sent, result, port, hops):
    """`hops`: routers on the way, for IPv4 and for IPv6. Returns how many ICRCs are wrong."""
    out, wrong = [[], []], 0
    for frame in result.frames(port):
        out[oracle.locate(frame).version == 6].append(frame)
    for before, after, n in zip(sent, out, hops):
        assert not lab.check_whole(before, after, n)
        icrcs = [oracle.icrc(frame) for frame in after]
        assert icrcs.count((True, True)) > len(after) // 3, (len(after), icrcs.count((True, True)))
        wrong += icrcs.count((True, False))
    assert min(t for t, _ in result.out[port]) > DELAY_NS
    return wrong


def both_ways(west, east, hops_east, hops_west):
    nodes, wires = join(west, east)
    eastward, westward = caught(WEST, EAST), caught(EAST, WEST)
    captures = {"w.pcap": sum(eastward, []), "e.pcap": sum(westward, [])}
    inputs = [lab.put("we.host", "w.pcap", "20Gbit"), lab.put("ee.host", "e.pcap", "20Gbit")]
    result = lab.run(nodes, wires, inputs, captures)
    result.check_nothing_lost()
    wrong = check_direction(eastward, result, "ee.host", hops_east)
    wrong += check_direction(westward, result, "we.host", hops_west)
    assert wrong == WRONG_ICRCS * LOOPS, wrong
    return result, len(captures["w.pcap"]), len(captures["e.pcap"])


def check_fabric(result, side, n_out, n_in):
    """Every packet crossed in cells, over all links, and credit was asked for."""
    for node, cut, joined in ((side + "e", n_out, n_in), (side + "b", n_in, n_out)):
        f = result.fabric(node)
        assert (f["packets_cut"], f["packets_joined"]) == (cut, joined), f
        assert f["reassembly"]["packets_lost"] == 0 and f["requests_out"] and f["grants_in"], f
        for i in range(4):
            ports = [f"{node}.fab{i}", f"{side}s{i // 2}.{'d' if node.endswith('e') else 'u'}{i % 2}"]
            assert result.wire(*ports)["delivered"] > cut // 5, (ports, result.wire(*ports))
    transit = sum(result.fabric(f"{side}s{i}")["cells_transit"] for i in range(2))
    ends = [result.fabric(side + end) for end in "eb"]
    made = sum(f["cells_made"] + f["control_out"] for f in ends)
    assert transit == made, (transit, made)


@tap.test(timeout=200)
def roce_crosses_two_fabrics_and_a_long_haul_with_its_icrc():
    for scheduling in ("credit", "push"):
        west = fabric("w", 10, WEST, EAST, scheduling=scheduling, cell_size=512)
        east = fabric("e", 20, EAST, WEST, scheduling=scheduling)
        result, n_east, n_west = both_ways(west, east, (3, 4), (3, 4))
        if scheduling == "credit":
            check_fabric(result, "w", n_east, n_west)
            check_fabric(result, "e", n_west, n_east)


@tap.test(timeout=200)
def roce_crosses_a_fabric_and_a_planar_network_with_its_icrc():
    west = fabric("w", 10, WEST, EAST, cell_size=1024)
    result, n_east, n_west = both_ways(west, planar("e", 20, EAST, WEST), (4, 4), (3, 4))
    check_fabric(result, "w", n_east, n_west)
    assert result.fabric("eb") is None


if __name__ == "__main__":
    tap.run()
