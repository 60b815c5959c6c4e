#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The lab of README.md with a cell fabric, config/lab/dsf.yaml: every packet comes out once, whole, in
the order of its queue pair, at the right end, though a link is drained on the way.
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

LAB = "config/lab/dsf.yaml"
LOOPS = 100  # 30 ms, and the link is drained from 5 to 20 ms
TTL = 22  # in an untagged frame
# Where packets come out by their destination: MAC of the next hop, and routers on the way.
ENDS = {
    "edge.h0": ("02:00:00:00:31:a0", 1),  # a system port: only the BAG routes
    "edge.h1": ("02:00:00:00:31:a1", 2),
    "bag.lh0": ("02:00:00:00:33:a0", 2),
}


@functools.lru_cache(None)
def lab():
    """(report, {NODE.PORT: frames})."""
    folder = tempfile.TemporaryDirectory(prefix="softbag-lab-")
    tap.defer(folder.cleanup)
    report = os.path.join(folder.name, "lab.json")
    words = [replay.PROGRAM, "--topology", os.path.join(replay.ROOT, LAB), "--loop", str(LOOPS)]
    running.run([*words, "--out", folder.name, "--json", report], status=0, timeout=300)
    out = {
        os.path.basename(path)[: -len(".pcap")]: pcapio.read_frames(path)
        for path in glob.glob(os.path.join(folder.name, "*.pcap"))
    }
    with open(report, encoding="utf-8") as f:
        return json.load(f), out


def sent():
    """{NODE.PORT: frames that are to come out there}, in the order in which they came in."""
    out = {name: [] for name in ENDS}
    for name in ("dsf_h0.pcap", "dsf_west.pcap"):
        for frame in pcapio.read_frames(replay.data(name)) * LOOPS:
            to = str(oracle.addresses(frame)[1])
            out[{"10.31.0.0": "edge.h0", "10.31.0.2": "edge.h1"}.get(to, "bag.lh0")].append(frame)
    return out


def by_flow(frames):
    flows = collections.defaultdict(list)
    for frame in frames:
        flows[oracle.flow_key(frame)].append(oracle.identity(frame))
    return flows


@tap.test
def each_packet_comes_out_once_in_order_and_whole():
    got, want = lab()[1], sent()
    assert set(got) == set(ENDS), set(got)
    for end in ENDS:
        assert len(want[end]) >= 12 * LOOPS, (end, len(want[end]))
        assert by_flow(got[end]) == by_flow(want[end]), end


@tap.test
def only_routers_take_from_the_ttl():
    before, after = sent(), lab()[1]
    for end, (mac, routers) in ENDS.items():
        ttls = {frame[TTL] for frame in before[end]}
        assert {frame[TTL] for frame in after[end]} == {ttl - routers for ttl in ttls}, end
        assert {oracle.dst_mac(frame) for frame in after[end]} == {mac}, end
        assert all(oracle.icrc(frame) == (True, True) for frame in after[end]), end


@tap.test
def nothing_is_dropped_at_any_node_or_wire():
    report = lab()[0]
    for name, node in report["nodes"].items():
        drops = {reason: n for reason, n in node["drops"].items() if n}
        assert not drops and node["punted"] == 0, (name, drops)
    assert report["totals"]["wire_lost"] == 0, report["totals"]
    # either side joined what the other one cut
    edge, bag = (report["nodes"][n]["fabric"] for n in ("edge", "bag"))
    assert edge["packets_cut"] == bag["packets_joined"] == 48 * LOOPS, (edge, bag)
    assert bag["packets_cut"] == edge["packets_joined"] == 48 * LOOPS, (edge, bag)


@tap.test
def a_drained_link_carries_its_share_of_the_rest_only():
    taken = {wire["from"]: wire["taken"] for wire in lab()[0]["wires"]}
    for drained, other in (("spine.up0", "spine.up1"), ("bag.fab0", "bag.fab1")):
        # half of the time it has none, half of the cells while it is used
        part = taken[drained] / (taken[drained] + taken[other])
        assert 0.2 < part < 0.35, (drained, part)


if __name__ == "__main__":
    tap.run()
