#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two Linux hosts talk through a running softbag: ping, UDP, TCP, RoCEv2; and it stops cleanly."""

import glob
import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import hosts, oracle, replay, tap  # noqa: E402
from support.hosts import A, B, HOST_MAC, IP4, IP6, PORT_MAC  # noqa: E402

TCP_BYTES = 4_000_000

SERVER = """
import hashlib, socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
with socket.create_server((sys.argv[1], 7007), family=family) as s:
    print("ready", flush=True)
    c, _ = s.accept()
    c.settimeout(30)
    h, n = hashlib.sha256(), 0
    while data := c.recv(65536):
        h.update(data); n += len(data)
    c.sendall(f"{n} {h.hexdigest()}".encode()); c.close()
"""

CLIENT = """
import random, socket, sys
data = random.Random(1).randbytes(int(sys.argv[2]))
with socket.create_connection((sys.argv[1], 7007), timeout=30) as c:
    c.sendall(data); c.shutdown(socket.SHUT_WR)
    print(c.recv(200).decode())
"""

ECHO = """
import socket, sys
s = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
s.bind((sys.argv[1], 7008))
print("ready", flush=True)
while True:
    data, who = s.recvfrom(65536)
    s.sendto(data[::-1], who)
"""

ASK = """
import random, socket, sys
s = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
s.connect((sys.argv[1], 7008)); s.settimeout(2)
good = 0
for i in range(200):
    data = random.Random(i).randbytes(7 * i)
    s.send(data)
    try:
        good += s.recv(65536) == data[::-1]
    except TimeoutError:
        pass
print(good)
"""


def lab(mtu=1500, device=""):
    tap.require("ip", "ping", "ethtool", "sysctl", root=True)
    folder = tempfile.TemporaryDirectory(prefix="softbag-hosts-")
    tap.defer(folder.cleanup)
    made = hosts.Lab(folder.name, mtu, device)
    tap.defer(made.down)
    made.up()
    return made


def serve(where, code, address):
    """A server on host b that is up; killed when the test ends."""
    server = where.spawn(
        where.host[B], sys.executable, "-c", code, address, stdout=subprocess.PIPE, text=True
    )
    tap.defer(server.wait)
    tap.defer(server.kill)
    assert server.stdout.readline() == "ready\n"


def roce(sender=A, tags=()):
    """RoCEv2 of every kind that two hosts would send each other, IPv4 and IPv6."""
    out = []
    for ips in (IP4, IP6):
        src, dst = ips[sender], ips[1 - sender]
        for i, op in enumerate(
            (f.SEND_ONLY, f.WRITE_FIRST, f.WRITE_MIDDLE, f.WRITE_LAST, f.READ_REQUEST, f.ACK)
        ):
            payload = f.noise(1024 if f.has_payload(op) else 0, i)
            out.append(f.roce_ip(src, dst, op, qpn=0x100 + i, psn=i, payload=payload))
        out.append(f.cnp_ip(src, dst, 0x100))
    return [f.ether(p, dst=PORT_MAC[sender], src=HOST_MAC[sender], tags=tags) for p in out]


def check_carried(where, sent, sender=A):
    """All of `sent` and nothing else reach the other host, changed as a router may and no more."""
    got = where.carry(sent, len(sent), sender=sender)
    known = {oracle.identity(x): x for x in sent}
    got = [x for x in got if oracle.identity(x) in known]
    assert len(got) == len(sent), f"{len(got)} of {len(sent)} arrived\n{where.said()}"
    for frame in got:
        was = known.pop(oracle.identity(frame))
        assert oracle.compare(was, frame) == [], oracle.compare(was, frame)
        assert oracle.icrc(frame) == (True, True)
        assert oracle.dst_mac(frame) == HOST_MAC[1 - sender]
        assert oracle.src_mac(frame) == PORT_MAC[1 - sender]


@tap.test
def hosts_ping_each_other():
    where = lab()
    where.start()
    for ping, to in (("-4", IP4), ("-6", IP6)):
        for sender in (A, B):
            said = where.within(
                where.host[sender], "ping", ping, "-c5", "-i0.2", "-W2", to[1 - sender]
            )
            assert " 0% packet loss" in said, said
            assert "ttl=63" in said, said
    assert where.stop() == 0


@tap.test
def udp_of_any_length_is_answered():
    where = lab()
    where.start()
    for address in (IP4[B], IP6[B]):
        serve(where, ECHO, address)
        good = where.within(where.host[A], sys.executable, "-c", ASK, address, timeout=50)
        assert good.strip() == "200", good


@tap.test
def tcp_carries_megabytes_whole():
    where = lab()
    where.start()
    import random

    want = hashlib.sha256(random.Random(1).randbytes(TCP_BYTES)).hexdigest()
    for address in (IP4[B], IP6[B]):
        serve(where, SERVER, address)
        said = where.within(
            where.host[A], sys.executable, "-c", CLIENT, address, str(TCP_BYTES), timeout=50
        )
        assert said.split() == [str(TCP_BYTES), want], said


def number(text):
    return int(text.replace(",", ""))


def report(where):
    """What softbag said when it stopped: (in, out, punted, dropped) and drops by reason."""
    said = where.said()
    totals = re.search(
        r"^in ([\d,]+) = out ([\d,]+) \+ punted ([\d,]+) \+ dropped ([\d,]+)", said, re.MULTILINE
    )
    assert totals, said
    drops = {
        name: number(n)
        for name, n in re.findall(r"^drop +(\w+) +([\d,]+)", said, re.MULTILINE)
    }
    return [number(n) for n in totals.groups()], drops


@tap.test
def roce_arrives_bit_exact_both_ways():
    where = lab()
    where.start()
    sent = 0
    for sender in (A, B):
        frames = roce(sender)
        check_carried(where, frames, sender)
        sent += len(frames)
    assert where.stop() == 0, where.said()
    (came, out, punted, dropped), drops = report(where)
    assert came == out + punted + dropped and out >= sent, where.said()
    assert sum(drops.values()) == dropped, where.said()


@tap.test
def tagged_roce_arrives_bit_exact():
    where = lab()
    where.start()
    check_carried(where, roce(tags=(0x6000 | 100,)))


@tap.test
def roce_of_path_mtu_4096_arrives_bit_exact():
    where = lab(mtu=4200)
    where.start()
    frames = []
    for src, dst in ((IP4[A], IP4[B]), (IP6[A], IP6[B])):
        for i in range(40):
            ip = f.roce_ip(src, dst, f.WRITE_MIDDLE, qpn=i, psn=i, payload=f.noise(4096, i))
            frames.append(f.ether(ip, dst=PORT_MAC[A], src=HOST_MAC[A]))
    check_carried(where, frames)


@tap.test
def every_queue_that_the_kernel_fills_is_polled():
    """With qpairs the kernel spreads flows over sockets, whether somebody reads them or not."""
    where = lab(device=",qpairs=4")
    where.start()
    for src, dst in ((IP4[A], IP4[B]), (IP6[A], IP6[B])):
        frames = []
        for i in range(128):
            ip = f.roce_ip(src, dst, f.SEND_ONLY, qpn=i, psn=i, sport=0xC000 + 37 * i, payload=b"x" * 8)
            frames.append(f.ether(ip, dst=PORT_MAC[A], src=HOST_MAC[A]))
        check_carried(where, frames)


@tap.test
def what_is_not_for_the_node_is_dropped_and_counted():
    where = lab()
    where.start()
    ip = f.roce_ip(IP4[A], IP4[B])
    for_others = f.ether(ip, dst="02:00:00:00:00:99", src=HOST_MAC[A])
    pause = f.ether(
        b"\1\1\0\x08" + b"\xff" * 16, dst="01:80:c2:00:00:01", src=HOST_MAC[A], kind=0x8808
    )
    broadcast = f.ether(ip, dst="ff:ff:ff:ff:ff:ff", src=HOST_MAC[A])
    got = where.carry([for_others, pause, broadcast] * 3, 9, seconds=2)
    bad = [x for x in got if oracle.bth(x) or x[12:14] == b"\x88\x08"]
    assert not bad, bad
    assert where.stop() == 0, where.said()
    _, drops = report(where)
    for reason in ("dst_mac_other", "pfc", "l2_multicast"):
        assert drops.get(reason) == 3, where.said()


def leftovers():
    """What a DPDK program may leave behind: files of hugepages, and its runtime folder."""
    files = set(glob.glob("/dev/hugepages/*map_*")) | set(glob.glob("/mnt/huge*/*map_*"))
    return files, set(glob.glob("/var/run/dpdk/*"))


def stops_cleanly(number, runtime):
    where = lab()
    before = leftovers()
    where.start(runtime)
    pid = where.process.pid
    assert where.stop(number) == 0, where.said()
    assert not os.path.exists(f"/proc/{pid}")
    files, folders = leftovers()
    assert files <= before[0], files - before[0]
    assert not [x for x in folders - before[1] if x.endswith(f"-{pid}")], folders - before[1]
    where.down()
    assert where.node not in hosts.sh("ip", "netns", "list")


@tap.test
def sigint_stops_it_cleanly_and_nothing_is_left():
    stops_cleanly(signal.SIGINT, hosts.PLAIN_MEMORY)


@tap.test
def sigterm_stops_it_cleanly_and_nothing_is_left():
    stops_cleanly(signal.SIGTERM, hosts.PLAIN_MEMORY)


@tap.test
def seconds_end_it():
    where = lab()
    where.start(options=("--seconds", "3"))
    assert where.process.wait(timeout=20) == 0, where.said()


@tap.test
def check_alone_starts_nothing():
    with tempfile.TemporaryDirectory(prefix="softbag-hosts-") as folder:
        conf = os.path.join(folder, "node.yaml")
        with open(conf, "w", encoding="ascii") as out:
            out.write(hosts.node_yaml())
        done = subprocess.run(
            [hosts.PROGRAM, "-c", conf, "--check"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=20,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        assert replay.ROOT not in done.stdout


if __name__ == "__main__":
    tap.run()
