# SPDX-License-Identifier: BSD-3-Clause
"""
Two Linux hosts with two softbag nodes and a long line between them, each in a network namespace of
its own, over veth and net_af_packet. Everything that a Line makes it takes away again.

    host a --- near[0] node 1 far[0] === the fibre === far[1] node 2 near[1] --- host b
    10.7.1.2                                                                   10.7.2.2
"""

import os
import re
import signal
import subprocess
import sys
import time

from . import hosts, tap

A, B = 0, 1
IP = ("10.7.1.2", "10.7.2.2")
GATEWAY = ("10.7.1.1", "10.7.2.1")
HOST_MAC = ("02:00:00:00:0b:01", "02:00:00:00:0b:02")
NEAR_MAC = ("02:00:00:00:0a:01", "02:00:00:00:0a:02")
FAR_MAC = ("02:00:00:00:0f:01", "02:00:00:00:0f:02")
UDP_PORT = 7009
PROBE_PORT = 7010
UDP_LEN = 1400
FRAME_LEN = UDP_LEN + 14 + 20 + 8

# 4,096 frames in a device's ring: a third of a second of full frames at 150 Mbit/s, in which the
# machine may do something else.
DEVICE = "net_af_packet{n},iface={name},framecnt=4096"

SEND = """
import socket, struct, sys, time
address, port, bits, seconds, length = sys.argv[1], *map(int, sys.argv[2:6])
socks = []
for tos in sys.argv[6:]:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, int(tos))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    s.connect((address, port))
    socks.append(s)
gap = (length + 66) * 8 / bits
start = time.monotonic()
n = skipped = 0
while (now := time.monotonic()) - start < seconds / 1000:
    due = int((now - start) / gap) - skipped
    skipped += max(0, due - n - 64)  # what the machine had no time for is not made up for
    for n in range(n, min(due, n + 64)):
        socks[n % len(socks)].send(struct.pack("!Q", n).ljust(length, b"x"))
        n += 1
    time.sleep(0.001)
print(n)
"""

SINK = """
import socket, sys, time
socks = []
for port in sys.argv[1:]:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("0.0.0.0", int(port)))
    socks.append(s)
print("ready", flush=True)
time.sleep(600)
"""


def number(text):
    return int(text.replace(",", ""))


def node_yaml(end, near, far, classes):
    """`near`, `far`: more keys of the ports; the node's control and its peer's worker share a CPU."""
    cpus = sorted(os.sched_getaffinity(0))
    control, worker = (cpus * 2)[end], (cpus * 2)[1 - end]
    ports = []
    for n, (name, mac, role, keys) in enumerate(
        (("near", NEAR_MAC[end], "nsf", near), ("far", FAR_MAC[end], "longhaul", far))
    ):
        device = DEVICE.format(n=n, name=name)
        more = f", {keys}" if keys else ""
        ports.append(f'  - {{name: {name}, device: "{device}", role: {role}, mac: "{mac}"{more}}}')
    return "\n".join(
        [
            "version: 1",
            f"node: {{name: node{end + 1}, id: {end + 1}}}",
            f"runtime: {{idle: adaptive, memory: 512MB, main_lcore: {control},",
            f"  workers: [{{lcore: {worker}, rx: [near, far]}}]{hosts.PLAIN_MEMORY}}}",
            "ports:",
            *ports,
            f"classes: [{classes}]" if classes else "classes: []",
            "groups:",
            f'  - {{name: host, members: [{{port: near, mac: "{HOST_MAC[end]}"}}]}}',
            f'  - {{name: line, members: [{{port: far, mac: "{FAR_MAC[1 - end]}"}}]}}',
            "routes:",
            "  static:",
            f"    - {{prefix: 10.7.{end + 1}.0/24, group: host}}",
            f"    - {{prefix: 10.7.{2 - end}.0/24, group: line}}",
            "",
        ]
    )


class Line(hosts.Namespaces):
    """Host and node of each end are indexes A and B."""

    def __init__(self, folder):
        super().__init__()
        tag = f"sl{os.getpid()}"
        self.folder = folder
        self.host = (f"{tag}a", f"{tag}b")
        self.node = (f"{tag}m", f"{tag}n")
        self.process = [None, None]
        self.log = [os.path.join(folder, f"node{end + 1}.log") for end in (A, B)]

    def up(self):
        self.add(*self.host, *self.node)
        self.join((self.node[A], "far", FAR_MAC[A]), (self.node[B], "far", FAR_MAC[B]))
        for end, ns in enumerate(self.host):
            self.join((ns, "eth0", HOST_MAC[end]), (self.node[end], "near", NEAR_MAC[end]))
            self.behind(ns, "eth0", f"{IP[end]}/24", GATEWAY[end], NEAR_MAC[end])

    def start(self, near=("", ""), far=("", ""), classes=""):
        for end in (A, B):
            conf = os.path.join(self.folder, f"node{end + 1}.yaml")
            with open(conf, "w", encoding="ascii") as f:
                f.write(node_yaml(end, near[end], far[end], classes))
            with open(self.log[end], "w", encoding="utf-8") as log:
                self.process[end] = self.spawn(
                    self.node[end], hosts.PROGRAM, "-c", conf, "-i",
                    stdin=subprocess.PIPE, stdout=log, stderr=log, text=True,
                )
        self._wait_for_answer()

    def _wait_for_answer(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for one in (A, B):
                if self.process[one].poll() is not None:
                    raise AssertionError(f"node {one + 1} ended\n{self.said(one)}")
            if " 0% packet loss" in self.ping("-c1", "-W1"):
                return
        raise AssertionError(f"no answer in 20 s\n{self.said(A)}\n{self.said(B)}")

    def ping(self, *options):
        return self.within(self.host[A], "ping", "-4", *options, IP[B], check=False)

    def said(self, end):
        with open(self.log[end], encoding="utf-8", errors="replace") as f:
            return f.read()

    def stop(self, ask=True):
        """
        Both nodes, which end with 0: packets add up and every buffer is back. Their Reports; with
        `ask` marks and pauses are in them, which the console is asked for before the end.
        """
        for process in self.process:
            assert process.poll() is None, f"ended by itself\n{self.said(A)}\n{self.said(B)}"
            if ask:
                process.stdin.write("show ecn\nshow pfc\nquit\n")
                process.stdin.close()
            else:
                process.send_signal(signal.SIGTERM)
        for end in (A, B):
            status = self.process[end].wait(timeout=10)
            assert status == 0, f"node {end + 1}: status {status}\n{self.said(end)}"
        return [Report(self.said(end)) for end in (A, B)]

    # Traffic from host a to host b.

    def sink(self):
        """Somebody listens at host b, so that no ICMP comes back."""
        sink = self.spawn(
            self.host[B], sys.executable, "-c", SINK, str(UDP_PORT), str(PROBE_PORT),
            stdout=subprocess.PIPE, text=True,
        )
        assert sink.stdout.readline() == "ready\n"

    def sender(self, bits, milliseconds, tos, length=UDP_LEN):
        """Started: UDP at so many bits a second on the wire, each packet with the next of `tos`."""
        return self.spawn(
            self.host[A], sys.executable, "-c", SEND, IP[B], str(UDP_PORT), str(bits),
            str(milliseconds), str(length), *map(str, tos), stdout=subprocess.PIPE, text=True,
        )

    def send(self, *args, **options):
        """How many it sent."""
        out, _ = self.sender(*args, **options).communicate(timeout=30)
        return int(out)

    def capture(self):
        """tshark at host b, seen to capture."""
        capture = Capture(self)
        tap.defer(capture.stop)
        return capture


class Capture:
    """What tshark sees at host b: UDP, and MAC control, which no node may pass on."""

    def __init__(self, line):
        self.line = line
        self.path = os.path.join(line.folder, "far.pcapng")
        self.process = line.spawn(
            line.host[B], "tshark", "-n", "-q", "-i", "eth0", "-s", "50", "-B", "16",
            "-f", "udp or ether proto 0x8808", "-w", self.path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self._wait()

    def _size(self):
        return os.path.getsize(self.path) if os.path.exists(self.path) else 0

    def _wait(self):
        """Small probes until one is in the file."""
        probe = "import socket; socket.socket(2, 2).sendto(b'probe', ('%s', %d))"
        end, empty = time.monotonic() + 20, None
        while time.monotonic() < end:
            size = self._size()
            empty = size if empty is None and size else empty
            if empty is not None and size > empty:
                return
            self.line.within(
                self.line.host[A], sys.executable, "-c", probe % (IP[B], PROBE_PORT)
            )
            time.sleep(0.1)
        raise AssertionError("tshark captures nothing")

    def quiet(self):
        """Waits until nothing has come for half a second."""
        size, since = self._size(), time.monotonic()
        end = since + 20
        while time.monotonic() < min(since + 0.5, end):
            time.sleep(0.05)
            if self._size() != size:
                size, since = self._size(), time.monotonic()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(10)

    def read(self):
        """Stops it: [(time, tos, sequence number)] of what the sender sent, in order of arrival."""
        self.stop()
        fields = ("frame.time_epoch", "ip.dsfield", "udp.payload", "udp.dstport", "eth.type")
        words = [w for field in fields for w in ("-e", field)]
        said = hosts.sh("tshark", "-n", "-r", self.path, "-T", "fields", "-E", "separator=;", *words)
        rows = [r.split(";") for r in said.splitlines() if r.count(";") == len(fields) - 1]
        assert not [r for r in rows if r[4] == "0x8808"], "a pause frame went through"
        return [
            (float(r[0]), int(r[1], 16), int(r[2].replace(":", "")[:16], 16))
            for r in rows
            if r[3] == str(UDP_PORT)
        ]


class Report:
    """What a node said of itself: when it was asked, and when it stopped."""

    SUM = re.compile(
        r"^in ([\d,]+)(?: \+ duplicated ([\d,]+))? = out ([\d,]+) \+ punted ([\d,]+) \+ dropped "
        r"([\d,]+)$",
        re.MULTILINE,
    )
    ECN = re.compile(r"([\d,]+) came in with CE, ([\d,]+) were marked here, ([\d,]+) would have")
    # show pfc: port, classes, done by, paused now, frames in, frames out
    PAUSE = re.compile(r"^(\w+) +3 +softbag +[-\d,]+ +([\d,]+) +([\d,]+) ", re.MULTILINE)

    def __init__(self, said):
        self.said = said
        found = self.SUM.search(said)
        assert found, said
        self.came, self.duplicated, self.out, self.punted, self.dropped = (
            number(n or "0") for n in found.groups()
        )
        assert self.came + self.duplicated == self.out + self.punted + self.dropped, said
        self.drops = {
            name: number(n) for name, n in re.findall(r"^drop +(\w+) +([\d,]+)", said, re.MULTILINE)
        }
        assert sum(self.drops.values()) == self.dropped, said
        ecn = self.ECN.search(said)
        self.ce_in, self.ce_marked, self.not_ect = map(number, ecn.groups() if ecn else "000")
        self.pause_in = {m[0]: number(m[1]) for m in self.PAUSE.findall(said)}
        self.pause_out = {m[0]: number(m[2]) for m in self.PAUSE.findall(said)}
