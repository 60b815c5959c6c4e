# SPDX-License-Identifier: BSD-3-Clause
"""The section `cells`: what a packet costs through the fabric, against the plain route.

Four nodes, each with two links or ports to spread over: packets routed to packets, packets cut
into cells (push), cells joined to packets that are routed, and cells passed on. All take the same
packets; the rounds interleave them. In softbag-replay ports are rings in memory and cost nothing;
in softbag they are net_pcap and net_null, as in the other sections, and a link hears a captured
REACH a thousand times a second. The cells are made by the tests' own implementation of
docs/cells.md.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import traffic
from cases import CPUS
from measure import CARRIED
from programs import Failed, Softbag

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests"))

# Of softbag-replay. With 64, the 17 cells of a packet would not fit into the buffers of two links
# in one turn, and the turns that send the rest find no packet and are not measured.
BURST = 32
BURST_MAX = 64
FLOWS = 1024
ROUTES = 1000
SIZES = (64, 1086, 2048, 4158)  # with FCS; RoCEv2 of path MTU 1024 and 4096, and one cell of 2048
CELL_SIZES = (256, 2048)
REAL = ((64, 2048), (2048, 2048), (4158, 2048))  # size and cell_size that softbag itself takes, too
PATHS = ("cut", "join", "transit")
DEAREST = 16384  # where softbag-replay's median ends (METER_CYCLES_MAX)
NEAR, FAR, BEYOND = 1, 7, 9  # the node that is measured, and devices behind its links

PORTS = {
    "nsf": ("nsf0 nsf", "out0 longhaul", "out1 longhaul"),
    "cut": ("nsf0 nsf", "fab0 dsf", "fab1 dsf"),
    "join": ("fab0 dsf", "fab1 dsf", "out0 longhaul", "out1 longhaul"),
    "transit": ("fab0 dsf", "fab1 dsf", "fab2 dsf"),
}


@dataclass(frozen=True)
class Shape:
    """What measure.py and programs.py want to know of a case."""
    title: str
    tx_ports: int
    drops: bool = True  # what goes out is not as many as what comes in
    marks: bool = False
    may_drop: tuple = ("no_member", "unreachable")  # until the far device is heard of


def port_line(i, port, files, reach):
    name, role = port.split()
    capture = files.get(name, reach if role == "dsf" else None)
    device = (f"net_pcap{i},rx_pcap={capture},infinite_rx=1" if capture else
              f"net_null{i},no-rx=1")
    more = ", rate: 400Gbit" if role == "dsf" else f', mtu: 4200, mac: "02:00:00:00:00:{i + 1:02x}"'
    if role == "dsf" and name not in files:
        more += ", pace: 1kpps"
    return f'  - {{name: {name}, device: "{device}", role: {role}{more}}}'


def fabric(path, cell_size):
    if path == "nsf":
        return []
    transit = "true" if path == "transit" else "false"
    return [f"dsf: {{device_id: {NEAR}, cell_size: {cell_size}, scheduling: push, "
            f"transit: {transit}, devices: [{{name: far, id: {FAR}}}]}}"]


def tables(path):
    if path == "transit":
        return []
    out = '{port: out0, mac: "02:00:00:00:01:00"}, {port: out1, mac: "02:00:00:00:01:01"}'
    members = "{device: far}" if path == "cut" else out
    lines = ["groups:", "  - name: g", "    hash: [5tuple, dest_qp]", f"    members: [{members}]",
             "routes:", "  static:"]
    return lines + [f'    - {{prefix: "{traffic.prefix(4, i)}", group: g}}' for i in range(ROUTES)]


def node_text(path, cell_size, files, reach, memory_mb):
    """softbag's YAML for one of the four."""
    polled = [p.split()[0] for p in PORTS[path] if p.split()[0] in files or p.endswith(" dsf")]
    lines = ["version: 1", "node: {name: bench, id: 1}",
             f"runtime: {{main_lcore: {CPUS[0]}, workers: [{{lcore: {CPUS[1]}, "
             f"rx: [{', '.join(polled)}]}}], memory: {memory_mb}MB, idle: poll}}", "ports:"]
    lines += [port_line(i, port, files, reach) for i, port in enumerate(PORTS[path])]
    return "\n".join(lines + fabric(path, cell_size) + tables(path)) + "\n"


def write_text(name, text):
    with open(name, "w", encoding="ascii") as f:
        f.write(text)
    return name


def cells_of(packets, cell_size, to):
    """
    The cells of the packets, in two halves that each begin a stream with SYNC at ids of its own:
    played again and again, each half is a source that starts anew. They hold whole bursts for both
    links, so that no cell of a half comes in before the last one of the half before it.
    """
    from support import cells_scapy

    stream = cells_scapy.Stream(source=BEYOND, destination=to, cls=3)
    half = len(packets) // 2
    frames = []
    for i, packet in enumerate(packets):
        begin = 0 if i < half else 1 << 30
        frames += cells_scapy.cut(packet, cell_size, stream, begin + i % half, sync=i % half == 0)
    if len(frames) % (4 * BURST_MAX):
        raise ValueError(f"{len(frames)} cells are not whole bursts")
    return frames


def inputs(folder, path, size, cell_size):
    """({port: capture}, what comes in for each packet)."""
    from support import pcapio

    whole = traffic.capture(folder, 4, FLOWS, ROUTES, size, FLOWS)
    if path in ("nsf", "cut"):
        return {"nsf0": whole}, 1
    packets = [frame for _, frame in pcapio.read_pcap(whole).frames]
    frames = cells_of(packets, cell_size, NEAR if path == "join" else FAR)
    links = ("fab0", "fab1") if path == "join" else ("fab0",)
    files = {}
    for i, link in enumerate(links):
        files[link] = os.path.join(folder, f"cells-{path}-{size}-{cell_size}-{link}.pcap")
        pcapio.write_pcap(files[link], [(0, frame) for frame in frames[i::len(links)]])
    return files, len(frames) // len(packets)


def reach_capture(folder):
    """What a link to the far device hears."""
    from support import cells_scapy, pcapio

    path = os.path.join(folder, "cells-reach.pcap")
    entries = [(FAR, 0, cells_scapy.CAPACITY_ANY)]
    pcapio.write_pcap(path, [(0, cells_scapy.reach(FAR, entries))])
    return path


class Run:
    """One of the four on packets of one size: prepared once, started in each round."""

    def __init__(self, bench, path, size, cell_size, reach):
        self.bench = bench
        self.path = path
        self.title = (f"{path} of {size:,} bytes" if path == "nsf" else
                      f"{path} of {size:,} bytes in cells of {cell_size:,}")
        self.shape = Shape(self.title, len(PORTS[path]) - 1)
        self.files, self.cells = inputs(bench.traffic, path, size, cell_size)
        self.label = f"cells-{path}-{size}-{cell_size}"
        self.node = os.path.join(bench.traffic, self.label + ".yaml")
        text = lambda mb: node_text(path, cell_size, self.files, reach, mb)
        need = bench.check(write_text(self.node, text(65536)))
        write_text(self.node, text((need + 95) // 64 * 64))
        self.figures, self.real = [], []

    def replay(self, seconds):
        report = os.path.join(self.bench.work, "cells.json")
        command = [self.bench.replay, "-c", self.node, "--seconds", str(seconds), "--burst",
                   str(BURST), "--json", report]
        for port, capture in self.files.items():
            command += ["--in", f"{port}={capture}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"status {done.returncode}: {done.stderr[-500:].strip()}")
        with open(report, encoding="utf-8") as f:
            got = json.load(f)
        wrong = {k: n for k, n in got["drops"].items() if n and k != "stopped"}
        median = got["cycles_per_packet_median"]
        if wrong or got["punted"] or not median or median >= DEAREST:
            raise Failed(f"dropped {wrong}, punted {got['punted']}, {median} cycles")
        # what came in was packets, or cells
        return {"cycles": median * self.cells, "mean": got["cycles_per_packet"] * self.cells}

    def softbag(self, round_no):
        program = Softbag(self.bench.log, f"{self.label}-{round_no}", self.bench.binary)
        try:
            program.run(self.shape, {"node": self.node})
            got = self.bench.window(program, self.shape)
            program.stop()
        finally:
            program.kill()
        # one packet makes n cells, or n cells make one, or as many go out as came in
        n = self.cells_out() / self.cells
        if got["out"] < CARRIED * n * got["in"]:
            raise Failed(f"sent {got['out']:,} for {got['in']:,} packets or cells")
        return {**got, "cycles": got["cycles"] * self.cells, "memory": program.memory_kind}

    def cells_out(self):
        return {"nsf": 1, "cut": self.n_cells, "join": 1, "transit": self.cells}[self.path]

    n_cells = 1  # of a packet; measure() says

    def start(self, round_no, what, figures, *args):
        try:
            figures.append(what(*args))
            self.bench.say(f"round {round_no} of {self.bench.rounds}: {what.__name__:8} "
                           f"{self.title:42} {figures[-1]['cycles']:8.1f} cycles a packet")
        except (Failed, OSError, ValueError, KeyError) as error:
            figures.append(None)
            self.bench.failures.append(f"{what.__name__}, {self.title}: {error}")
            self.bench.say(f"FAILED: {self.bench.failures[-1]}")


def measure(bench):
    """[{size, cell_size, cells a packet, and for each path its figures of all rounds}]."""
    bench.say("making packets and cells")
    reach = reach_capture(bench.traffic)
    plain = {size: Run(bench, "nsf", size, CELL_SIZES[-1], reach) for size in SIZES}
    rows = [(size, cell_size, {"nsf": plain[size]} |
             {path: Run(bench, path, size, cell_size, reach) for path in PATHS})
            for size in SIZES for cell_size in CELL_SIZES]
    for _, _, runs in rows:
        runs["cut"].n_cells = runs["join"].cells
    for r in range(1, bench.rounds + 1):
        for size, cell_size, runs in rows:
            for path, run in runs.items():
                if path != "nsf" or cell_size == CELL_SIZES[0]:
                    run.start(r, run.replay, run.figures, bench.window_s / 2)
        for run in (run for s, c, runs in rows if (s, c) in REAL for run in runs.values()):
            run.start(r, run.softbag, run.real, r)
    return [{"size": traffic.capture_size(4, size), "cell_size": cell_size,
             "cells": runs["join"].cells,
             "replay": {path: run.figures for path, run in runs.items()},
             "softbag": {path: run.real for path, run in runs.items()}
             if (size, cell_size) in REAL else None}
            for size, cell_size, runs in rows]
