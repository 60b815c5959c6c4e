# SPDX-License-Identifier: BSD-3-Clause
"""
Two Linux hosts in network namespaces, joined by a softbag that runs in a third, over veth and
net_af_packet. Everything that a Lab makes it takes away again.

    host a --- pa softbag pb --- host b
    10.7.1.2   02:..:0a:01/02    10.7.2.2      and 2001:db8:71::2, 2001:db8:72::2

Run as a program it is one end of a wire: see main().
"""

import os
import signal
import socket
import struct
import subprocess
import sys
import time

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import pcapio, replay  # noqa: E402

PROGRAM = replay.SOFTBAG
PLAIN_MEMORY = ', eal: ["--no-huge"]'

A, B = 0, 1
IP4 = ("10.7.1.2", "10.7.2.2")
IP6 = ("2001:db8:71::2", "2001:db8:72::2")
GATEWAY4 = ("10.7.1.1", "10.7.2.1")
GATEWAY6 = ("2001:db8:71::1", "2001:db8:72::1")
HOST_MAC = ("02:00:00:00:0b:01", "02:00:00:00:0b:02")
PORT_MAC = ("02:00:00:00:0a:01", "02:00:00:00:0a:02")
PORT = ("pa", "pb")


def sh(*words, check=True, timeout=30):
    done = subprocess.run(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}")
    return done.stdout


class Namespaces:
    """Network namespaces, what joins them and what runs in them. down() takes all of it away again."""

    def __init__(self):
        self.made, self.spawned = [], []

    def add(self, *names, ipv6=False):
        for ns in names:
            sh("ip", "netns", "add", ns)
            self.made.append(ns)
            # tshark's helpers look for a phone on 127.0.0.1, and wait for it if nobody refuses
            sh("ip", "-n", ns, "link", "set", "lo", "up")
            for which in () if ipv6 else ("all", "default"):
                off = f"net.ipv6.conf.{which}.disable_ipv6=1"
                sh("ip", "netns", "exec", ns, "sysctl", "-qw", off)

    @staticmethod
    def join(one, other, mtu=1500):
        """A veth; each end is (namespace, interface, MAC or None)."""
        ends = [
            [name, "netns", ns, *(("address", mac) if mac else ())] for ns, name, mac in (one, other)
        ]
        sh("ip", "link", "add", *ends[0], "type", "veth", "peer", "name", *ends[1])
        for ns, name, _ in (one, other):
            sh("ip", "-n", ns, "link", "set", name, "mtu", str(mtu), "up")

    @staticmethod
    def behind(ns, device, address, gateway, mac, network="default"):
        """The kernel of `ns` is a host whose way to `network` is a node that it need not ask for its MAC."""
        ip, nodad = ("-6", ["nodad"]) if ":" in address else ("-4", [])
        # A veth leaves checksums to the receiving kernel, and there is none behind the node.
        sh("ip", "netns", "exec", ns, "ethtool", "-K", device, "tx", "off", "rx", "off")
        sh("ip", "-n", ns, ip, "addr", "add", address, "dev", device, *nodad)
        known = ("lladdr", mac, "nud", "permanent", "dev", device)
        sh("ip", "-n", ns, "neigh", "replace", gateway, *known)
        sh("ip", "-n", ns, ip, "route", "add", network, "via", gateway)

    def within(self, ns, *words, **options):
        return sh("ip", "netns", "exec", ns, *words, **options)

    def spawn(self, ns, *words, **options):
        self.spawned.append(subprocess.Popen(["ip", "netns", "exec", ns, *words], **options))
        return self.spawned[-1]

    def down(self):
        for process in reversed(self.spawned):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        for ns in self.made:
            sh("ip", "netns", "del", ns, check=False)
        self.made, self.spawned = [], []


def node_yaml(runtime="", mtu=1500, options=""):
    """Static routes and static MACs only: nothing for the node to resolve. `options`: of both devices."""
    lines = [
        "version: 1",
        "node: {name: joined, id: 7}",
        f"runtime: {{idle: adaptive, memory: 256MB{runtime}}}",
    ]
    lines.append("ports:")
    for end in (A, B):
        device = f"net_af_packet{end},iface={PORT[end]}{options}"
        lines.append(f'  - {{name: {PORT[end]}, device: "{device}", role: nsf, mtu: {mtu}}}')
    lines.append("groups:")
    for end, name in ((A, "to-a"), (B, "to-b")):
        lines.append(f"  - name: {name}")
        lines.append(f'    members: [{{port: {PORT[end]}, mac: "{HOST_MAC[end]}"}}]')
    lines += ["routes:", "  static:"]
    for end, name in ((A, "to-a"), (B, "to-b")):
        net = end + 1
        lines.append(f"    - {{prefix: 10.7.{net}.0/24, group: {name}}}")
        lines.append(f'    - {{prefix: "2001:db8:7{net}::/64", group: {name}}}')
    return "\n".join(lines) + "\n"


class Lab(Namespaces):
    def __init__(self, folder, mtu=1500, device=""):
        super().__init__()
        self.folder = folder
        self.mtu = mtu
        self.device = device
        tag = f"sb{os.getpid()}"
        self.host = (f"{tag}a", f"{tag}b")
        self.node = f"{tag}n"
        self.process = None
        self.log = os.path.join(folder, "softbag.log")

    def up(self):
        self.add(*self.host, ipv6=True)
        # The node's kernel is to take no part: no addresses, no IPv6 of its own.
        self.add(self.node)
        for end, ns in enumerate(self.host):
            port = (self.node, PORT[end], PORT_MAC[end])
            self.join((ns, "eth0", HOST_MAC[end]), port, self.mtu)
            self.behind(ns, "eth0", f"{IP4[end]}/24", GATEWAY4[end], PORT_MAC[end])
            self.behind(ns, "eth0", f"{IP6[end]}/64", GATEWAY6[end], PORT_MAC[end])

    def start(self, runtime=PLAIN_MEMORY, options=()):
        """Plain memory, unless told otherwise: hugepages are for all who run beside us."""
        conf = os.path.join(self.folder, "node.yaml")
        with open(conf, "w", encoding="ascii") as f:
            f.write(node_yaml(runtime, self.mtu, self.device))
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = self.spawn(
                self.node,
                PROGRAM,
                "-c",
                conf,
                *options,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._wait_for_answer()

    def _wait_for_answer(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"softbag ended with {self.process.returncode}\n{self.said()}")
            answer = self.within(self.host[A], "ping", "-c1", "-W1", IP4[B], check=False)
            if " 0% packet loss" in answer:
                return
        raise AssertionError(f"no answer through the node in 20 s\n{self.said()}")

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()

    def stop(self, number=signal.SIGTERM):
        """Its exit status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"softbag did not stop within 10 s\n{self.said()}") from None

    def down(self):
        try:
            self.stop()
        finally:
            super().down()

    # A wire's ends: frames out of host `a`, and those that reach host `b`.

    def carry(self, frames, want, *, sender=A, seconds=5):
        """Sends frames from one host; returns what the node brings the other, up to `want`."""
        there, here = (os.path.join(self.folder, n) for n in ("received.pcap", "sent.pcap"))
        pcapio.write_pcap(here, frames)
        me = os.path.abspath(__file__)
        taker = self.spawn(
            self.host[1 - sender],
            sys.executable,
            "-B",
            me,
            "receive",
            "eth0",
            PORT_MAC[1 - sender],
            there,
            str(want),
            str(seconds),
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert taker.stdout.readline() == "ready\n"
            self.within(self.host[sender], sys.executable, "-B", me, "send", "eth0", here)
            taker.wait(timeout=seconds + 10)
        finally:
            taker.kill()
            taker.wait()
        return pcapio.read_frames(there)


def _send(interface, path):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
        s.bind((interface, 0))
        for i, frame in enumerate(pcapio.read_frames(path)):
            s.send(frame)
            if i % 16 == 15:
                time.sleep(0.001)  # a small machine's socket buffers, not the node, are the limit


def _with_tag(frame, control):
    """The frame with the tag that the kernel took out of it (packet(7), PACKET_AUXDATA)."""
    for level, kind, data in control:
        if level == 263 and kind == 8:  # SOL_PACKET, PACKET_AUXDATA
            status, _, _, _, _, tci, tpid = struct.unpack_from("IIIHHHH", data)
            if status & 0x10:  # TP_STATUS_VLAN_VALID
                tpid = tpid if status & 0x40 else 0x8100
                return frame[:12] + struct.pack("!HH", tpid, tci) + frame[12:]
    return frame


def _receive(interface, source_mac, path, want, seconds):
    """Frames from `source_mac` into a pcap, until there are `want` or the time is over."""
    mac = bytes.fromhex(source_mac.replace(":", ""))
    frames = []
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as s:
        s.setsockopt(263, 8, 1)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        s.bind((interface, 3))
        print("ready", flush=True)
        end = time.monotonic() + seconds
        while len(frames) < want and time.monotonic() < end:
            s.settimeout(max(0.01, end - time.monotonic()))
            try:
                frame, control, _, address = s.recvmsg(65536, 256)
            except TimeoutError:
                break
            if address[2] != socket.PACKET_OUTGOING and frame[6:12] == mac:
                frames.append(_with_tag(frame, control))
    pcapio.write_pcap(path, frames)


def main():
    """`send IF FILE`, or `receive IF SOURCE-MAC FILE COUNT SECONDS`."""
    if sys.argv[1] == "send":
        _send(*sys.argv[2:])
    else:
        interface, mac, path, want, seconds = sys.argv[2:]
        _receive(interface, mac, path, int(want), float(seconds))


if __name__ == "__main__":
    main()
