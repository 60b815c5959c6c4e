# SPDX-License-Identifier: BSD-3-Clause
"""
Fabrics of cells in one process: node files and topologies of softbag-replay are made here, run, and
what comes out is handed back with its sums checked. Before them the judge of the system tests, see
oracle.py; after them tests/system/test_dsf_*.py.
"""

import json
import os
import struct
import tempfile
from collections import defaultdict

from . import oracle, pcapio, replay, running, tap

HOST_MAC = "02:00:00:00:fe:{:02x}"


class Node:
    """
    A node by what it has; name and number are its own, the device number is the node's. All ports
    that carry IP take what others' captures have: any MAC, and packets as long as there are.
    """

    def __init__(self, name, number, *, mbufs=8192, workers=None, classes=None, **dsf):
        self.name, self.number, self.mbufs = name, number, mbufs
        self.workers, self.classes, self.dsf = workers, classes, dsf
        self.ports, self.systems, self.devices = [], [], []
        self.groups, self.routes = [], []

    def mac(self, port):
        names = [p.split(",")[0].removeprefix("{name: ") for p in self.ports]
        return f"02:00:00:00:{self.number:02x}:{names.index(port):02x}"

    def _port(self, name, role, keys):
        more = "".join(f", {k}: {v}" for k, v in keys.items())
        mac = f"02:00:00:00:{self.number:02x}:{len(self.ports):02x}"
        self.ports.append(
            f'{{name: {name}, device: d{len(self.ports)}, role: {role}, mac: "{mac}"{more}}}'
        )
        return self

    def ip(self, name, role="nsf", **keys):
        """A port for packets."""
        return self._port(name, role, {"mtu": 9600, "promiscuous": "true", **keys})

    def link(self, *names, **keys):
        """Links of the fabric."""
        for name in names:
            self._port(name, "dsf", keys)
        return self

    def system(self, number, port):
        self.systems.append(f"{{number: {number}, port: {port}}}")
        return self

    def device(self, name, number):
        self.devices.append(f"{{name: {name}, id: {number}}}")
        return self

    def way(self, group, *members):
        """A group; each member is what stands between its braces."""
        inner = ", ".join(f"{{{m}}}" for m in members)
        self.groups.append(f"{{name: {group}, members: [{inner}]}}")
        return self

    def route(self, group, *prefixes):
        self.routes += [f'{{prefix: "{prefix}", group: {group}}}' for prefix in prefixes]
        return self

    def yaml(self):
        lines = ["version: 1", f"node: {{name: {self.name}, id: {self.number}}}"]
        # as many buffers as a test needs, and not as many as full queues would; headers of cells
        # and reassembly go by links and workers
        n_workers = len(self.workers or [0])
        n_links = sum("role: dsf" in port for port in self.ports)
        memory = 32 + self.mbufs * 12 // 1000 + 16 * n_workers + 2 * n_links * n_workers
        lines += ["runtime:", f"  memory: {memory}MB", f"  mbufs: {self.mbufs}"]
        lines += ['  eal: ["--no-huge"]']
        lines += _list("  workers:", self.workers, "    ")
        lines += _list("ports:", self.ports) + _list("classes:", self.classes)
        if any("role: dsf" in port for port in self.ports):
            keys = {"device_id": self.number, "reassembly_cells": 4096, "voq_limit": "8MB", **self.dsf}
            lines += ["dsf:"] + [f"  {k}: {v}" for k, v in keys.items()]
            lines += _list("  system_ports:", self.systems, "    ")
            lines += _list("  devices:", self.devices, "    ")
        lines += _list("groups:", self.groups)
        lines += _list("routes:\n  static:", self.routes, "    ")
        return "\n".join(lines) + "\n"


def _list(head, items, indent="  "):
    return [head] + [f"{indent}- {item}" for item in items] if items else []


def wire(a, b, rate="100Gbit", **keys):
    more = "".join(f", {k}: {v}" for k, v in keys.items())
    return f"{{from: {a}, to: {b}, rate: {rate}{more}}}"


def put(port, capture, rate=None):
    return f"{{port: {port}, capture: {capture}" + (f", rate: {rate}}}" if rate else "}")


class Run:
    """The report, and {node.port: [(ns, frame)]} of what came out."""

    def __init__(self, where, done):
        self.where, self.status, self.stdout, self.stderr = where, done.status, done.out, done.err
        with open(os.path.join(where, "report.json"), encoding="utf-8") as file:
            self.json = json.load(file)
        self.nodes = self.json.get("nodes")
        out = os.path.join(where, "out")
        self.out = {
            name[:-5]: pcapio.read_pcap(os.path.join(out, name)).frames
            for name in sorted(os.listdir(out))
        }

    def frames(self, port):
        return [frame for _, frame in self.out[port]]

    def wire(self, a, b):
        (one,) = [w for w in self.json["wires"] if (w["from"], w["to"]) == (a, b)]
        return one

    def fabric(self, node):
        return self.nodes[node]["fabric"]

    def toward(self, node, device):
        """What the node knows of a device."""
        (one,) = [d for d in self.fabric(node)["devices"] if d["device"] == device]
        return one

    def drops(self):
        """{node: {reason: n}} of all that was dropped anywhere."""
        lost = {n: {k: v for k, v in x["drops"].items() if v} for n, x in self.nodes.items()}
        return {n: d for n, d in lost.items() if d}

    def check_nothing_lost(self):
        """REACH cells are always on their way: those in flight at the end are no loss."""
        assert not self.drops() and not self.json["totals"]["wire_lost"], (self.drops(), self.json["totals"])


def folder():
    made = tempfile.TemporaryDirectory(prefix="softbag-dsf-")
    tap.defer(made.cleanup)
    return made.name


def run(nodes, wires, inputs, captures, events=(), *, seed=1, timeout=120):
    """`captures`: {name: frames, or (ns, frame)}."""
    where = folder()
    lines = ["version: 1", f"seed: {seed}"]
    lines += _list("nodes:", [f"{{name: {n.name}, config: {n.name}.yaml}}" for n in nodes])
    lines += _list("wires:", wires) + _list("inputs:", inputs) + _list("events:", events)
    files = {f"{n.name}.yaml": n.yaml() for n in nodes}
    files["topo.yaml"] = "\n".join(lines) + "\n"
    for name, text in files.items():
        with open(os.path.join(where, name), "w", encoding="ascii") as file:
            file.write(text)
    for name, frames in captures.items():
        pcapio.write_pcap(os.path.join(where, name), frames, ns=True)
    words = [replay.PROGRAM, "--topology", os.path.join(where, "topo.yaml")]
    words += ["--out", os.path.join(where, "out"), "--json", os.path.join(where, "report.json")]
    result = Run(where, running.run(words, status=0, timeout=timeout))
    wrong = check_sums(result)
    assert not wrong, "\n".join(wrong)
    return result


def check_sums(result):
    """Of each node, of each wire, of all; and that nothing waits anywhere."""
    wrong = []
    for name, node in result.nodes.items():
        came = node["in"] + node["duplicated"] + node["made"]
        if came != node["out"] + node["punted"] + node["dropped"] + node["ended"] or node["waiting"]:
            wrong.append(f"{name}: {node['in']} in, {node['made']} made, {node['out']} out")
        if sum(node["drops"].values()) != node["dropped"]:
            wrong.append(f"{name}: {node['drops']}")
    for one in result.json["wires"]:
        gone = one["lost"] + one["lost_down"] + one["no_buffer"] + one["in_flight"]
        if one["taken"] != one["delivered"] + gone:
            wrong.append(f"wire {one}")
    if sum(map(len, result.out.values())) != result.json["totals"]["out"]:
        wrong.append(f"captures: {result.json['totals']}")
    return wrong


# ---- packets


def numbered(rng, numbers, src, dst, *, size=(60, 9216), tos=(0,)):
    """
    UDP packets of random lengths and bytes, frames of `size` from-to bytes; each carries its number
    in the first eight bytes. Flows differ in port and class: the flow is the number modulo 7.
    """
    out = []
    for number in numbers:
        length = rng.randint(*size) - 42
        payload = struct.pack("!Q", number) + rng.randbytes(length - 8)
        head = (0x45, tos[number % 7 % len(tos)], 28 + length, 0, 0x4000, 64, 17, 0)
        ip = bytearray(struct.pack("!BBHHHBBH", *head))
        ip += bytes(map(int, (src + "." + dst).split(".")))
        struct.pack_into("!H", ip, 10, oracle.ip4_checksum(ip))
        udp = struct.pack("!HHHH", 5000 + number % 7, 6000, 8 + length, 0)
        out.append(bytes.fromhex("020000000000" "0200000000aa" "0800") + bytes(ip) + udp + payload)
    return out


def routed(frame, hops):
    """The frame but for its MACs, as it is behind so many routers."""
    at = oracle.locate(frame)
    want = bytearray(frame)
    want[at.l3 + (8 if at.version == 4 else 7)] -= hops
    if at.version == 4:
        head = bytes(want[at.l3 : at.l3 + (want[at.l3] & 0xF) * 4])
        struct.pack_into("!H", want, at.l3 + 10, oracle.ip4_checksum(head))
    return bytes(want[12:])


def check_whole(before, after, hops, *, missing=0):
    """
    Each frame once, flow by flow in order, every bit as `hops` routers leave it. `missing`: so many
    may lack, and are returned as frames that came in.
    """
    gone, flows = [], defaultdict(list)
    for frame in after:
        flows[oracle.flow_key(frame)].append(frame[12:])
    for frame in reversed(before):
        left, want = flows[oracle.flow_key(frame)], routed(frame, hops)
        if left and left[-1] == want:
            left.pop()
        else:
            gone.append(frame)
    extra = sum(map(len, flows.values()))
    assert not extra, f"{extra} of {len(after)} that never came in, came twice or in another order"
    assert len(gone) <= missing, f"{len(gone)} of {len(before)} are missing, {missing} may"
    return gone[::-1]
