#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Incast over wires that have a rate: edges, two spines and a far edge whose one port is offered four times
what it sends. tests/pipe/test_fabric_incast.c has it with more sources and looks into the nodes.
"""

import collections
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import oracle, pcapio, replay, running, tap  # noqa: E402

SEED = int(os.environ.get("SOFTBAG_SEED", "5"))
RATE = 10 * 10**9
BURST_NS = 2_000_000
MS = 10**6
SINK = 40


def edge_yaml(number, rate=""):
    far = 1 if number == SINK else SINK
    return f"""version: 1
node: {{name: n{number}, id: {number}}}
runtime: {{memory: 1GB, mbufs: 32768, eal: ["--no-huge"]}}
ports:
  - {{name: host, device: d0, role: nsf, mtu: 4200, mac: "02:00:00:00:00:01"{rate}}}
  - {{name: fab0, device: d1, role: dsf, mtu: 4200, rate: 10Gbit}}
  - {{name: fab1, device: d2, role: dsf, mtu: 4200, rate: 10Gbit}}
dsf:
  device_id: {number}
  reassembly_cells: 4096
  voq_limit: 16MB
  system_ports: [{{number: 1, port: host}}]
  devices: [{{name: far, id: {far}}}]
groups:
  - {{name: out, members: [{{port: host, mac: "02:aa:00:00:00:01"}}]}}
  - {{name: far, members: [{{device: far, system_port: 1, mac: "02:bb:00:00:00:01"}}]}}
routes:
  static:
    - {{prefix: 10.{number}.0.0/16, group: out}}
    - {{prefix: 0.0.0.0/0, group: far}}
"""


def spine_yaml(number, n_ports):
    ports = "".join(
        f"  - {{name: p{i}, device: d{i}, role: dsf, mtu: 4200, rate: 10Gbit}}\n" for i in range(n_ports)
    )
    return f"""version: 1
node: {{name: s{number}, id: {100 + number}}}
runtime: {{memory: 1GB, mbufs: 32768, eal: ["--no-huge"]}}
ports:
{ports}dsf: {{device_id: {100 + number}, transit: true, reassembly_cells: 4096, voq_limit: 1MB}}
"""


def bits(frame):
    return (max(len(frame), 60) + 24) * 8


def packets(source, n_sources):
    """Of many sizes: this source's part of four times the rate, for BURST_NS."""
    rng = random.Random(SEED * 100 + source)
    out, left = [], 4 * RATE // n_sources * BURST_NS // 10**9
    while left > 0:
        ip = f.roce_ip(
            f"10.{source}.0.1", f"10.{SINK}.0.1", f.RC + f.WRITE_MIDDLE, qpn=source, psn=len(out),
            payload=bytes(rng.randrange(0, 4096, 4)),
        )  # fmt: skip
        out.append(f.ether(ip, dst="02:00:00:00:00:01"))
        left -= bits(out[-1])
    return out


def run(n_sources):
    where = running.folder(tap)
    nodes = {f"e{i}": edge_yaml(i) for i in range(1, n_sources + 1)}
    nodes["sink"] = edge_yaml(SINK, ", rate: 10Gbit")
    wires, inputs, sent = [], [], {}
    for s in range(2):
        nodes[f"s{s}"] = spine_yaml(s, n_sources + 1)
        for p, edge in enumerate([*(f"e{i}" for i in range(1, n_sources + 1)), "sink"]):
            wires.append(f"{{from: {edge}.fab{s}, to: s{s}.p{p}, rate: 10Gbit, delay: {2 + s}us, jitter: 1us}}")
    for i in range(1, n_sources + 1):
        sent[i] = packets(i, n_sources)
        pcapio.write_pcap(os.path.join(where, f"{i}.pcap"), sent[i], ns=True)
        inputs.append(f"{{port: e{i}.host, capture: {i}.pcap, rate: {4 * RATE // n_sources // 10**6}Mbit}}")
    lines = ["version: 1", f"seed: {SEED}", "nodes:"]
    for name, text in nodes.items():
        with open(os.path.join(where, f"{name}.yaml"), "w", encoding="ascii") as file:
            file.write(text)
        lines.append(f"  - {{name: {name}, config: {name}.yaml}}")
    for key, items in (("wires", wires), ("inputs", inputs)):
        lines += [f"{key}:"] + [f"  - {item}" for item in items]
    topo = os.path.join(where, "topo.yaml")
    with open(topo, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    out, report = os.path.join(where, "out"), os.path.join(where, "report.json")
    running.run([replay.PROGRAM, "--topology", topo, "--out", out, "--json", report], status=0, timeout=150)
    with open(report, encoding="utf-8") as file:
        parsed = json.load(file)
    return sent, pcapio.read_pcap(os.path.join(out, "sink.host.pcap")).frames, parsed


def check(n_sources):
    tap.diag(f"seed {SEED}")
    sent, out, report = run(n_sources)
    dropped = {name: node["drops"] for name, node in report["nodes"].items() if node["dropped"]}
    assert not dropped and report["totals"]["wire_lost"] == 0, (dropped, report["totals"])
    came = collections.defaultdict(list)
    for _, frame in out:
        came[frame[27]].append(oracle.identity(frame))
    for i, frames in sent.items():
        assert came[i] == [oracle.identity(x) for x in frames], (i, len(came[i]), len(frames))
    # all are asking from the first millisecond on, and until three quarters of it have left
    begin = out[0][0] + MS
    end = out[0][0] + 3 * BURST_NS
    share = collections.Counter()
    for at, frame in out:
        if begin <= at < end:
            share[frame[27]] += bits(frame)
    # a shaper lets what it saved in silence, 100 us of its rate, go above its rate
    busy = (sum(share.values()) * 10**9 / RATE - 100_000) / (end - begin)
    jain = sum(share.values()) ** 2 / n_sources / sum(x * x for x in share.values())
    sink = report["nodes"]["sink"]
    (credit,) = [x for x in sink["fabric"]["credit"] if x["system_port"] == 1]
    high = max(q["high_water"] for q in sink["ports"]["host"]["queues"].values())
    voq = [v["high_water"] for i in sent for v in report["nodes"][f"e{i}"]["fabric"]["voqs"]]
    tap.diag(
        f"{n_sources} sources: busy {busy:.4f}, Jain {jain:.5f}, {high} bytes at the port (credit stops at"
        f" {credit['bound']}), {max(voq)} in a VOQ"
    )
    assert len(share) == n_sources and jain >= 0.99, share
    assert busy >= 0.98, busy
    # what was granted before it stopped, and a packet of each
    in_flight = RATE // 8 * 1.02 * 40e-6 + 16384 + n_sources * 4200
    assert high <= credit["bound"] + in_flight, (high, credit)
    assert max(voq) > 3 * high, "the queue is not at the sources"


@tap.test(timeout=200)
def of_two_sources_over_wires_with_a_rate():
    check(2)


@tap.test(timeout=200)
def of_eight_sources_over_wires_with_a_rate():
    check(8)


tap.run()
