#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
A cell fabric in real time: an interface node, a fabric node and a BAG node, three processes in
network namespaces of their own, joined by veth. Two hosts talk through it by their kernels.

    host a --- h0 edge fab0,1 === down0,1 spine up0,1 === fab0,1 bag h0 --- host b
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import hosts, tap  # noqa: E402

HOST = ("10.7.1.2", "10.7.2.2")
GATEWAY = ("10.7.1.1", "10.7.2.1")
HOST_MAC = ("02:00:00:00:0b:01", "02:00:00:00:0b:02")
NODE_MAC = ("02:00:00:00:0a:01", "02:00:00:00:0a:02")
MTU = 1500

HEAD = """version: 1
node: {{name: {name}, id: {id}}}
runtime: {{idle: adaptive, memory: 400MB, eal: ["--no-huge"]}}
"""
# Three processes on a machine that others use: neither 30 ms without a turn are a dead link here, nor is a cell
# lost that the other link's process has for a few ms.
DSF = "  reach_interval: 100ms\n  reassembly_timeout: 100ms\n  reassembly_cells: 4096\n  voq_limit: 1MB\n"


def device(n, name):
    return f'"net_af_packet{n},iface={name},framecnt=2048"'


def end_yaml(name, number, other, host, far_host):
    """An interface node: its host is system port 1, the other one is reached by `way`."""
    lines = [HEAD.format(name=name, id=number) + "ports:"]
    lines.append(
        f'  - {{name: h0, device: {device(0, "h0")}, role: nsf, mtu: {MTU}, rate: 1Gbit,'
        f' mac: "{NODE_MAC[host]}"}}'
    )
    for i in range(2):
        lines.append(f"  - {{name: fab{i}, device: {device(i + 1, f'fab{i}')}, role: dsf, rate: 1Gbit}}")
    lines.append(f"dsf:\n  device_id: {number}\n{DSF}  system_ports: [{{number: 1, port: h0}}]")
    lines.append(f"  devices: [{{name: far, id: {other}}}]")
    lines.append("groups:")
    lines.append(f'  - {{name: near, members: [{{port: h0, mac: "{HOST_MAC[host]}"}}]}}')
    # one side leaves it to the router there, the other names the host's own port
    member = "{device: far}" if host == 0 else f'{{device: far, system_port: 1, mac: "{HOST_MAC[far_host]}"}}'
    lines.append(f"  - {{name: far, members: [{member}]}}")
    lines.append("routes:\n  static:")
    lines.append(f"    - {{prefix: {HOST[host]}/32, group: near}}")
    lines.append(f"    - {{prefix: {HOST[far_host]}/32, group: far}}")
    return "\n".join(lines) + "\n"


def spine_yaml():
    lines = [HEAD.format(name="spine", id=32) + "ports:"]
    for n, name in enumerate(("down0", "down1", "up0", "up1")):
        lines.append(f"  - {{name: {name}, device: {device(n, name)}, role: dsf, rate: 1Gbit}}")
    lines.append(f"dsf:\n  device_id: 32\n  transit: true\n{DSF}")
    return "\n".join(lines) + "\n"


class Fabric(hosts.Namespaces):
    """Namespaces go by their names here: a, b, edge, spine, bag."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.tag = f"sd{os.getpid()}"
        self.process = {}

    def ns(self, name):
        return f"{self.tag}{name}"

    def within(self, name, *words, **options):
        return super().within(self.ns(name), *words, **options)

    def spawn(self, name, *words, **options):
        return super().spawn(self.ns(name), *words, **options)

    def up(self):
        self.add(*map(self.ns, ("a", "b", "edge", "spine", "bag")))
        for host, (name, node) in enumerate((("a", "edge"), ("b", "bag"))):
            self.join((self.ns(name), "eth0", HOST_MAC[host]), (self.ns(node), "h0", None), MTU)
            self.behind(self.ns(name), "eth0", f"{HOST[host]}/24", GATEWAY[host], NODE_MAC[host])
        for end, way in (("edge", "down"), ("bag", "up")):
            for i in range(2):
                self.join((self.ns(end), f"fab{i}", None), (self.ns("spine"), f"{way}{i}", None), 4096)

    def start(self):
        files = {
            "spine": spine_yaml(),
            "edge": end_yaml("edge", 31, 33, 0, 1),
            "bag": end_yaml("bag", 33, 31, 1, 0),
        }
        for name, text in files.items():
            conf = os.path.join(self.folder, f"{name}.yaml")
            with open(conf, "w", encoding="ascii") as f:
                f.write(text)
            with open(self.log(name), "w", encoding="utf-8") as log:
                self.process[name] = self.spawn(
                    name, hosts.PROGRAM, "-c", conf, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
        end = time.monotonic() + 30
        while " 0% packet loss" not in self.within("a", "ping", "-c1", "-W1", HOST[1], check=False):
            assert time.monotonic() < end, "no answer through the fabric in 30 s\n" + self.said()

    def log(self, name):
        return os.path.join(self.folder, f"{name}.log")

    def said(self):
        text = ""
        for name in self.process:
            with open(self.log(name), encoding="utf-8", errors="replace") as f:
                text += f"--- {name} ({self.process[name].poll()})\n{f.read()}"
        return text

    def stop(self):
        for p in self.process.values():
            if p.poll() is None:
                p.send_signal(signal.SIGTERM)
        return {name: p.wait(timeout=20) for name, p in self.process.items()}


def fabric():
    tap.require("ip", "ping", "ethtool", "sysctl", root=True)
    folder = tempfile.TemporaryDirectory(prefix="softbag-fabric-")
    tap.defer(folder.cleanup)
    made = Fabric(folder.name)
    tap.defer(made.down)
    made.up()
    made.start()
    return made


def drops(said):
    """Reasons and counts that the reports of all nodes name."""
    return dict(re.findall(r"^ *(cell_\w+|reassembly_\w+|voq_\w+|unreachable|no_member) +([\d,]+)", said, re.M))


def ping(one, *options):
    """Every one is answered; else the nodes are stopped, so that they tell where packets went."""
    said = one.within("a", "ping", "-W2", *options, HOST[1], check=False)
    if " 0% packet loss" not in said:
        one.stop()
        raise AssertionError(said + one.said())


SERVER = """
import hashlib, socket
s = socket.create_server(("0.0.0.0", 7007))
print("ready", flush=True)
c, _ = s.accept()
h = hashlib.sha256()
while (b := c.recv(65536)):
    h.update(b)
c.close()
print(h.hexdigest(), flush=True)
"""
CLIENT = """
import hashlib, random, socket, sys
c = socket.create_connection((sys.argv[1], 7007), timeout=60)
r, h = random.Random(1), hashlib.sha256()
for _ in range(int(sys.argv[2])):
    b = r.randbytes(65536)
    h.update(b)
    c.sendall(b)
c.close()
print(h.hexdigest())
"""


def transfer(one, chunks):
    """A stream from a to b by the kernels' TCP; both ends' digests."""
    server = one.spawn("b", sys.executable, "-c", SERVER, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline() == "ready\n"
        sent = one.within("a", sys.executable, "-c", CLIENT, HOST[1], str(chunks), timeout=120).strip()
        return sent, server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()


@tap.test
def hosts_talk_through_a_fabric_of_three_processes():
    one = fabric()
    # 16 at least: without room for a timestamp ping does not wait for its last answers
    for size in (16, 64, 1000, MTU - 28):
        ping(one, "-c20", "-i0.01", "-s", str(size), "-M", "do")
    sent, came = transfer(one, 200)
    assert sent == came, (sent, came)
    assert one.stop() == {"spine": 0, "edge": 0, "bag": 0}, one.said()
    tap.diag(f"drops of the fabric's own: {drops(one.said()) or 'none'}")


@tap.test
def a_link_that_goes_down_is_left_and_taken_up_again():
    one = fabric()
    one.within("spine", "ip", "link", "set", "up1", "down")
    time.sleep(1.5)
    ping(one, "-c50", "-i0.01")
    one.within("spine", "ip", "link", "set", "up1", "up")
    time.sleep(1.5)
    one.within("spine", "ip", "link", "set", "up0", "down")
    time.sleep(1.5)
    ping(one, "-c50", "-i0.01")
    assert one.stop() == {"spine": 0, "edge": 0, "bag": 0}, one.said()


if __name__ == "__main__":
    tap.run()
