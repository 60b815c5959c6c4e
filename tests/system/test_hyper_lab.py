#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The lab of docs/hyperport.md, config/lab/hyper.yaml: two BAG nodes and a hyper port of two wires of
unequal delay between them. All packets come out in the order in which they went in, not only those
of a flow, each once and bit by bit as a router may leave it; and what a wire loses is counted.
"""

import collections
import functools
import glob
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import oracle, pcapio, replay, running, tap  # noqa: E402

LAB = "config/lab/hyper.yaml"
LOOPS = 100
SIDES = {"east": ("dsf_h0.pcap", "west"), "west": ("dsf_west.pcap", "east")}
ETHERTYPE = 0x88B6


def run(topology, loops=LOOPS):
    """(report, {NODE.PORT: frames})."""
    folder = tempfile.TemporaryDirectory(prefix="softbag-lab-")
    tap.defer(folder.cleanup)
    report = os.path.join(folder.name, "lab.json")
    words = [replay.PROGRAM, "--topology", topology, "--loop", str(loops)]
    running.run([*words, "--out", folder.name, "--json", report], status=0, timeout=300)
    out = {
        os.path.basename(path)[: -len(".pcap")]: pcapio.read_frames(path)
        for path in glob.glob(os.path.join(folder.name, "*.pcap"))
    }
    with open(report, encoding="utf-8") as f:
        return json.load(f), out


@functools.lru_cache(None)
def lab():
    return run(os.path.join(replay.ROOT, LAB))


@functools.lru_cache(None)
def changed_lab(*changes):
    """The lab with lines of its topology or nodes changed."""
    folder = tempfile.TemporaryDirectory(prefix="softbag-lab-")
    tap.defer(folder.cleanup)
    for name in ("hyper.yaml", "hyper-east.yaml", "hyper-west.yaml"):
        with open(os.path.join(replay.ROOT, "config", "lab", name), encoding="utf-8") as f:
            text = f.read().replace("../../tests", os.path.join(replay.ROOT, "tests"))
        for where, old, new in changes:
            if where == name:
                assert text.count(old) == 1, (name, old)
                text = text.replace(old, new)
        with open(os.path.join(folder.name, name), "w", encoding="utf-8") as f:
            f.write(text)
    return run(os.path.join(folder.name, "hyper.yaml"))


def sent(side, loops=LOOPS):
    """The frames of a side's capture, all of them for the other side, in order."""
    return pcapio.read_frames(replay.data(SIDES[side][0])) * loops


def identities(frames):
    return [oracle.identity(frame) for frame in frames]


@tap.test
def all_packets_come_out_in_order_once_and_whole():
    out = lab()[1]
    for side, (_, other) in SIDES.items():
        want = sent(side)
        assert len(want) > 1000, len(want)
        assert identities(out[f"{other}.nsf0"]) == identities(want), side
        assert all(oracle.icrc(frame) == (True, True) for frame in out[f"{other}.nsf0"])


@tap.test
def the_members_shared_the_bytes_and_the_packets_overtook_each_other():
    report = lab()[0]
    for side in SIDES:
        hyper = report["nodes"][side]["hyperports"]["hp0"]
        used = [member["bytes"] for member in hyper["members"].values()]
        assert hyper["alive"] and max(used) - min(used) <= 8400, used
        r = hyper["resequenced"]
        assert r["packets_in"] == r["in_order"] == len(sent(SIDES[side][1])), r
        assert r["waited"] > r["in_order"] // 4, r
        assert r["lost"] == r["overrun"] == r["late"] == r["duplicate"] == r["restarts"] == 0, r
        assert 0 < r["most_held"] <= 512 and r["longest_wait_ns"] <= 1_010_000, r


@tap.test
def sums_add_up_at_each_node():
    for node in lab()[0]["nodes"].values():
        replay.check_conservation(node)


@tap.test
def what_a_wire_loses_is_counted_and_the_rest_stays_in_order():
    loss = ("hyper.yaml", "delay: 400us}", "delay: 400us, loss: 1%}")
    report, out = changed_lab(loss)
    for side, (_, other) in SIDES.items():
        want, have = identities(sent(side)), identities(out[f"{other}.nsf0"])
        it = iter(want)
        assert all(one in it for one in have), "not in the order of what was sent"
        lost = sum(w["lost"] for w in report["wires"] if w["from"] == f"{side}.lh0")
        assert 0 < lost == len(want) - len(have), (lost, len(want), len(have))
        r = report["nodes"][other]["hyperports"]["hp0"]["resequenced"]
        # the window is full before the timeout: numbers are given up for either reason
        assert lost - 8 <= r["lost"] + r["overrun"] <= lost and r["late"] == 0, (r, lost)


@tap.test
def a_member_that_dies_takes_the_hyper_port_with_it_or_not_as_the_file_says():
    cut = ("hyper.yaml", "inputs:", "events:\n  - {at: 500us, down: east.lh1}\n\ninputs:")
    some = [(f"hyper-{side}.yaml", "require_all: true", "require_all: false") for side in SIDES]
    for changes, alive in (((cut,), False), ((cut, *some), True)):
        report, out = changed_lab(*changes)
        for side, (_, other) in SIDES.items():
            node, have = report["nodes"][side], len(out[f"{other}.nsf0"])
            hyper = node["hyperports"]["hp0"]
            assert hyper["alive"] == alive and not hyper["members"]["lh1"]["alive"], hyper
            dropped = sum(node["drops"][k] for k in ("no_member", "link_down"))
            assert (dropped == 0) == alive, (side, node["drops"])
            on_wire = sum(
                w["lost_down"] for w in report["wires"] if w["from"] == f"{side}.lh1"
            )
            assert have == len(sent(side)) - dropped - on_wire, (side, have, dropped, on_wire)


def by_flow(frames):
    flows = collections.defaultdict(list)
    for frame in frames:
        flows[oracle.flow_key(frame)].append(oracle.identity(frame))
    return flows


def text_of(*path, **changes):
    with open(os.path.join(replay.ROOT, "config", *path), encoding="utf-8") as f:
        text = f.read()
    for old, new in changes.values():
        assert old in text, (path, old)
        text = text.replace(old, new)
    return text


@tap.test
def cells_of_a_fabric_become_packets_of_a_hyper_port_and_back():
    """Behind the edge and the spine of config/ a BAG whose long line is two; west of it the lab's."""
    lh0 = "  - {name: lh0,"
    bag = text_of(
        "dsf-bag.yaml",
        lines=(lh0, '  - {name: lh1, device: d3, role: longhaul, rate: 10Gbit, mac: "02:00:00:00:33:02"}\n' + lh0),
        hyper=("\ndsf:", "\nhyperports: [{name: hp0, members: [lh0, lh1], timeout: 1ms}]\n\ndsf:"),
        way=('port: lh0, via: 10.33.0.0, mac: "02:00:00:00:33:a0"', 'port: hp0, mac: "02:00:00:00:f1:02"'),
    )
    west = text_of(
        "lab", "hyper-west.yaml", way=("02:00:00:00:e1:02", "02:00:00:00:33:01"), mtu=("mtu: 4200", "mtu: 1500")
    )
    topology = f"""version: 1
seed: 1
nodes: [{{name: edge, config: {replay.ROOT}/config/dsf-edge.yaml}},
  {{name: spine, config: {replay.ROOT}/config/dsf-spine.yaml}},
  {{name: bag, config: bag.yaml}}, {{name: west, config: west.yaml}}]
wires:
  - {{from: edge.fab0, to: spine.down0, rate: 10Gbit, delay: 1us}}
  - {{from: edge.fab1, to: spine.down1, rate: 10Gbit, delay: 3us}}
  - {{from: spine.up0, to: bag.fab0, rate: 10Gbit, delay: 1us}}
  - {{from: spine.up1, to: bag.fab1, rate: 10Gbit, delay: 3us}}
  - {{from: bag.lh0, to: west.lh0, rate: 10Gbit, delay: 300us}}
  - {{from: bag.lh1, to: west.lh1, rate: 10Gbit, delay: 10us}}
inputs:
  - {{port: edge.h0, capture: {replay.data("dsf_h0.pcap")}, rate: 1Gbit}}
  - {{port: west.nsf0, capture: {replay.data("dsf_west.pcap")}, rate: 1Gbit}}
"""
    with tempfile.TemporaryDirectory(prefix="softbag-lab-") as folder:
        for name, text in (("bag.yaml", bag), ("west.yaml", west), ("lab.yaml", topology)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        report, out = run(os.path.join(folder, "lab.yaml"), 10)
    for node in report["nodes"].values():
        replay.check_conservation(node)
        assert not any(node["drops"].values()), node["drops"]
    # the fabric has an order of its own for each class
    assert by_flow(out["west.nsf0"]) == by_flow(sent("east", 10))
    assert by_flow(out["edge.h0"] + out["edge.h1"]) == by_flow(sent("west", 10))


@tap.test
def frames_on_a_member_are_the_packets_with_four_bytes_more():
    """One node alone: what it sends by its members is on record there."""
    with tempfile.TemporaryDirectory(prefix="softbag-hyper-") as folder:
        node = os.path.join(replay.ROOT, "config", "lab", "hyper-east.yaml")
        words = [replay.PROGRAM, "-c", node, "--in", f"nsf0={replay.data('dsf_h0.pcap')}"]
        running.run([*words, "--out", folder], status=0)
        frames = [
            frame for port in ("lh0", "lh1") for frame in pcapio.read_frames(os.path.join(folder, f"{port}.pcap"))
        ]
    want = sent("east", 1)
    assert len(frames) == len(want)
    assert {frame[12:14] for frame in frames} == {ETHERTYPE.to_bytes(2, "big")}
    assert {frame[:6].hex(":") for frame in frames} == {"02:00:00:00:f1:02"}
    first = {frame[14:16] for frame in frames}
    assert len(first) == len(frames), "each has a number of its own"
    numbers = sorted(int.from_bytes(frame[14:16], "big") for frame in frames)
    begin = next(n for n in numbers if (n - 1) % 65536 not in numbers)
    by_number = sorted(frames, key=lambda f: (int.from_bytes(f[14:16], "big") - begin) % 65536)
    inner = [frame[:12] + frame[16:] for frame in by_number]
    assert collections.Counter(identities(inner)) == collections.Counter(identities(want))


if __name__ == "__main__":
    tap.run()
