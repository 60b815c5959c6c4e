#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the captures of this folder that are made, not caught: the same bytes on each run.

    tests/data/make_captures.py [DIR]

DIR is this folder by default. README.md says what is in each file. Needs scapy.
"""

import functools
import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from scapy.all import (
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    PadN,
    raw,
)  # noqa: E402
from scapy.layers.inet import (
    IPOption_NOP,
    IPOption_Router_Alert,
    IPOption_RR,
    IPOption_Timestamp,
)  # noqa: E402
from scapy.layers.inet6 import IPv6ExtHdrFragment, RouterAlert  # noqa: E402
from scapy.layers.ipsec import AH  # noqa: E402

from support import frames as f  # noqa: E402
from support import pcapio  # noqa: E402

HOST4, FAR4 = "10.1.64.10", "10.2.0.20"
HOST6, FAR6 = "2001:db8:1::10", "2001:db8:2::20"
EPOCH = 1_700_000_000_000_000_000  # of the first frame of each file, in ns

LLDP = bytes.fromhex(
    "0207040200000001" "01" "0404056e736630" "06020078" "0a0a686f73742d31302d3131" "0000"
)
LACP = (
    bytes([1, 1])
    + bytes([1, 20])
    + bytes(18)
    + bytes([2, 20])
    + bytes(18)
    + bytes([3, 16])
    + bytes(66)
)
STP = bytes.fromhex("424203") + bytes(35)


def stamped(frames, gap_ns=2000):
    return [(EPOCH + i * gap_ns, frame) for i, frame in enumerate(frames)]


def arp(sender="10.1.64.10", target="10.1.0.1"):
    address = [bytes(int(b) for b in a.split(".")) for a in (sender, target)]
    body = struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + f.mac_bytes(f.HOST_MAC) + address[0]
    return f.ether(body + bytes(6) + address[1], dst="ff:ff:ff:ff:ff:ff", kind=0x0806)


def lldp():
    return f.ether(LLDP, dst="01:80:c2:00:00:0e", kind=0x88CC)


def mac_control(opcode, times=(), *, dst="01:80:c2:00:00:01", tags=(), enable=0):
    """IEEE 802.3 clause 31: PAUSE (0x0001); 802.1Qbb PFC (0x0101) with 8 times."""
    body = struct.pack("!H", opcode)
    if opcode == 0x0101:
        body += struct.pack("!H", enable)
    body += b"".join(struct.pack("!H", t) for t in times)
    return f.ether(body, dst=dst, tags=tags, kind=0x8808)


def pfc(classes=(3,), quanta=0xFFFF):
    times = [quanta if c in classes else 0 for c in range(8)]
    return mac_control(0x0101, times, enable=sum(1 << c for c in classes))


# Quickstart: two ports' worth of a training job


def message(rng, src, dst, qpn, psn, sport, n_packets, **ip):
    """An RDMA WRITE of n_packets times 1024 bytes."""
    out = []
    for i in range(n_packets):
        op = f.WRITE_FIRST if i == 0 else f.WRITE_LAST if i == n_packets - 1 else f.WRITE_MIDDLE
        ext = f.reth(length=1024 * n_packets) if i == 0 else b""
        ce = 3 if rng.random() < 0.03 else 2
        ip["ident"] = rng.randrange(1, 0x10000)
        out.append(
            f.roce_ip(
                src, dst, op, qpn=qpn, psn=psn + i, sport=sport, ext=ext,
                payload=f.noise(1024, qpn << 24 | psn + i),
                ackreq=int(i == n_packets - 1), tos=26 << 2 | ce, **ip,
            )
        )  # fmt: skip
    return out


def quickstart(port):
    """
    64 queue pairs of 8 hosts: a WRITE of three or four packets each, small SENDs, ACKs and CNPs
    of the other way, some to hosts of the same fabric, some IPv6, some tagged; and what else a port
    sees.
    """
    rng = random.Random(f"quickstart {port}")
    mac, host_mac = (
        (f.NODE_MAC, "02:00:00:00:01:%02x") if port == 0 else (f.NODE_MAC2, "02:00:00:00:02:%02x")
    )
    flows = []
    for q in range(64):
        host = 8 * port + q % 8
        v6, near = q % 8 == 7, q % 8 in (1, 5)
        if v6:
            src, dst = f"2001:db8:1::{host + 16:x}", f"2001:db8:2::{q // 4 + 16:x}"
        else:
            src = f"10.1.{64 + host}.{10 + q // 8}"
            dst = f"10.1.{96 + q % 32}.{10 + host}" if near else f"10.2.{q % 16}.{10 + host}"
        sport = 0xC000 | rng.randrange(0x4000)
        qpn, psn = rng.randrange(0x100, 0x10000), rng.randrange(0x800000)
        tags = (0x6000 | 100,) if q % 16 == 3 else ()
        ip = {"flow_label": rng.randrange(1 << 20)} if v6 else {}
        packets = message(rng, src, dst, qpn, psn, sport, 3 + q % 2, **ip)
        if q % 3 == 0:
            payload = f.noise(64 + 4 * (q % 7), q)
            packets.append(
                f.roce_ip(
                    src, dst, f.SEND_ONLY, qpn=qpn, psn=psn + 9, sport=sport, payload=payload, **ip
                )
            )
        packets.append(f.roce_ip(src, dst, f.ACK, qpn=qpn + 1, psn=psn + 3, sport=sport, **ip))
        if q % 6 == 1:
            packets.append(f.cnp_ip(src, dst, qpn + 1, sport=sport, **ip))
        flows.append([f.ether(p, dst=mac, src=host_mac % host, tags=tags) for p in packets])
    out = []
    while any(flows):  # interleaved, as a port sees its queue pairs
        for flow in rng.sample(flows, len(flows)):
            if flow:
                out.append(flow.pop(0))
    host = host_mac % (8 * port)
    out[40:40] = [
        f.ether(
            f.udp_ip("10.1.64.9", "10.2.0.53", 40000 + i, 5005, f.noise(40, i)), dst=mac, src=host
        )
        for i in range(6)
    ]
    out[80:80] = [
        f.ether(
            f.tcp_ip("10.1.64.9", "10.2.1.80", 50000, 443, f.noise(700, i), seq=1 + 700 * i),
            dst=mac,
            src=host,
        )
        for i in range(6)
    ]
    out[100:100] = [
        f.ether(
            f.tcp_ip("2001:db8:1::9", "2001:db8:2::80", 50001, 443, f.noise(300, i)),
            dst=mac,
            src=host,
        )
        for i in range(3)
    ]
    bad = bytearray(
        f.ether(f.udp_ip("10.1.64.9", "10.2.0.1", 1, 2, b"wrong checksum"), dst=mac, src=host)
    )
    bad[24] ^= 0x55
    out[120:120] = [arp(), lldp(), bytes(bad), pfc()]
    return stamped(out)


# The lab with a fabric: what its two open ends see


def dsf_lab(west):
    """
    config/lab/dsf.yaml: eight queue pairs of WRITEs, SENDs and CNPs. From host h0 of the edge to the
    west, or from there to h0 (which the BAG knows as a system port) and to h1 (which it does not).
    """
    rng = random.Random(f"dsf {west}")
    node = 33 if west else 31
    mac, src_mac = f"02:00:00:00:{node}:01", f"02:00:00:00:{node}:a0"
    flows = []
    for q in range(8):
        near, far = f"10.31.0.{2 * (q % 2) if west else 0}", f"10.40.{q}.10"
        src, dst = (far, near) if west else (near, far)
        sport = 0xC000 | rng.randrange(0x4000)
        qpn, psn = rng.randrange(0x100, 0x10000), rng.randrange(0x800000)
        packets = message(rng, src, dst, qpn, psn, sport, 4)
        packets.append(
            f.roce_ip(src, dst, f.SEND_ONLY, qpn=qpn, psn=psn + 4, sport=sport, payload=f.noise(64, q))
        )
        packets.append(f.cnp_ip(src, dst, qpn + 1, sport=sport))
        flows.append([f.ether(p, dst=mac, src=src_mac) for p in packets])
    return stamped([packet for turn in zip(*flows) for packet in turn])


# Shapes of RoCEv2


def tag_sets():
    return ((), (0x6000 | 100,), f.QINQ)


def roce_basic():
    """Each opcode, IPv4 and IPv6, 0, 1 and 2 tags; every seventh with a UDP checksum."""
    out = []
    for i, op in enumerate(f.OPCODES):
        for v, (src, dst) in enumerate(((HOST4, FAR4), (HOST6, FAR6))):
            for tags in tag_sets():
                n = len(out)
                payload = f.noise(n % 37, n) if f.has_payload(op) else b""
                ecn = n % 4
                make = f.roce_ip(
                    src, dst, op, qpn=0x000200 + i, psn=0x10 + n, payload=payload,
                    sport=0xC000 + i, becn=int(op == f.CNP), ackreq=n & 1, udp_checksum=n % 7 == 3,
                    tos=(48 if op == f.CNP else 26) << 2 | ecn, ttl=2 + n % 254,
                    **({"flow_label": 0x12345 + n} if v else {"ident": 0x4000 + n}),
                )  # fmt: skip
                out.append(f.ether(make, tags=tags))
    return stamped(out)


def qps_256(v6):
    """256 QPs, one address pair, one UDP source port: all that tells them apart is the QP."""
    src, dst = (HOST6, FAR6) if v6 else (HOST4, FAR4)
    return stamped(
        [
            f.ether(f.roce_ip(src, dst, f.SEND_ONLY, qpn=0x11 + q, psn=q, payload=b"softbag!"))
            for q in range(256)
        ]
    )


# Fragments, options and extension headers


def fragments():
    """24 datagrams in pieces, in order, backwards and interleaved; each pair of addresses once."""
    rng = random.Random("fragments")
    trains = []
    for n in range(24):
        v6 = n % 3 == 2
        src = f"2001:db8:1::{n + 16:x}" if v6 else f"10.1.64.{n + 10}"
        dst = f"2001:db8:2::{n + 16:x}" if v6 else f"10.2.3.{n + 10}"
        if n % 2:
            packet = f.udp_ip(
                src, dst, 1000 + n, 2000 + n, f.noise(300 + 40 * n, n), ident=0x100 + n
            )
        else:
            packet = f.roce_ip(
                src,
                dst,
                f.WRITE_ONLY,
                qpn=0x300 + n,
                psn=n,
                payload=f.noise(200 + 40 * n, n),
                ident=0x100 + n,
            )
        size = (64, 128, 256)[n % 3 if n % 4 else 1]
        pieces = f.ip6_fragments(packet, size, 0xF000 + n) if v6 else f.ip4_fragments(packet, size)
        if n % 4 == 1:
            pieces.reverse()
        if n % 4 == 2:
            rng.shuffle(pieces)
        trains.append([f.ether(p, tags=tag_sets()[n % 3]) for p in pieces])
    out = [piece for train in trains[:8] for piece in train]
    rest = trains[8:]
    while any(rest):
        train = rng.choice([t for t in rest if t])
        out.append(train.pop(0))
    return stamped(out)


def extensions():
    """RoCEv2 behind IPv4 options and behind each IPv6 extension header that is walked."""
    pad = lambda: PadN(optdata=b"\0" * 2)  # noqa: E731
    hbh = lambda: IPv6ExtHdrHopByHop(options=[pad()])  # noqa: E731
    dst_opt = lambda: IPv6ExtHdrDestOpt(options=[pad()])  # noqa: E731
    route = lambda: IPv6ExtHdrRouting(type=4, segleft=0, addresses=[FAR6])  # noqa: E731
    ah = lambda n=12: AH(
        nh=17, spi=5, seq=6, icv=bytes(range(n)), payloadlen=1 + n // 4
    )  # noqa: E731
    atomic = lambda: IPv6ExtHdrFragment(offset=0, m=0, id=77)  # noqa: E731
    chains = [
        hbh(), dst_opt(), route(), ah(), ah(20), atomic(),
        hbh() / dst_opt() / route(), hbh() / route() / ah(12),
        hbh() / dst_opt() / route() / atomic() / ah(),
        IPv6ExtHdrHopByHop(options=[RouterAlert(value=0)]),
        functools.reduce(lambda chain, _: chain / dst_opt(), range(7), dst_opt()),
    ]  # fmt: skip
    options = [
        [IPOption_NOP()],
        [IPOption_NOP()] * 40,
        [IPOption_RR(routers=["0.0.0.0"] * 3)],
        [IPOption_Router_Alert()],
        [IPOption_Timestamp(timestamp=0)],
    ]
    out = []
    for i, chain in enumerate(chains):
        for op in (f.WRITE_ONLY, f.ACK):
            p = f.roce_ip(
                HOST6,
                FAR6,
                op,
                qpn=0x400 + i,
                psn=i,
                payload=b"ext" * (op == f.WRITE_ONLY),
                chain=chain,
            )
            out.append(f.ether(p, tags=tag_sets()[i % 3]))
    for i, opts in enumerate(options):
        for op in (f.WRITE_ONLY, f.ACK):
            p = f.roce_ip(
                HOST4,
                FAR4,
                op,
                qpn=0x500 + i,
                psn=i,
                payload=b"opt" * (op == f.WRITE_ONLY),
                options=opts,
            )
            out.append(f.ether(p, tags=tag_sets()[i % 3]))
    return stamped(out)


# Control frames and checksums


def mac_control_frames():
    lacp = f.ether(LACP, dst="01:80:c2:00:00:02", kind=0x8809)
    stp = f.ether(STP, dst="01:80:c2:00:00:00", kind=len(STP))
    full = pfc()
    return stamped(
        [
            mac_control(0x0001, [0xFFFF]),
            mac_control(0x0001, [0]),
            mac_control(0x0001, [1], dst=f.NODE_MAC),
            full,
            pfc(quanta=0),
            pfc(classes=range(8)),
            pfc(classes=()),
            mac_control(0x0101, [9] * 8, dst=f.NODE_MAC, enable=0xFF),
            mac_control(0x0101, [9] * 8, enable=0xFF08),
            mac_control(0x0101, [0xFFFF] * 8, tags=(0x6000 | 100,), enable=8),
            mac_control(0x0101, [0xFFFF] * 8, tags=f.QINQ, dst=f.NODE_MAC, enable=8),
            mac_control(0x0002),  # GATE
            mac_control(0x0006),  # REPORT
            mac_control(0xFFFE),  # EXTENSION
            full[:14],
            full[:15],
            full[:16],
            full[:19],
            full[:33],
            lldp(),
            lacp,
            stp,
            arp(),
            f.ether(f.udp_ip(HOST4, FAR4, 1, 2, b"in a link-local frame"), dst="01:80:c2:00:00:03"),
        ]
    )


def checksum_zero():
    """
    For each TTL an IPv4 packet whose checksum is 0x0000 after the decrement (RFC 1624, 3), and
    neighbours: what updates wrongly sends some of these as 0xffff or one off.
    """
    out = []

    def add(ttl, after, src=HOST4, tags=()):
        ip = bytearray(f.udp_ip(src, FAR4, 7, 7, b"zero", ttl=ttl - 1, ident=0))
        ident = (
            f.ip4_sum(bytes(ip[:20])) - after
        ) % 0xFFFF  # moves the one's complement sum to ~after
        struct.pack_into("!H", ip, 4, ident)
        ip[8] = ttl
        out.append(f.ether(f.ip4_fix(bytes(ip)), tags=tags))

    for ttl in range(2, 256):
        add(ttl, 0x0000, tags=tag_sets()[ttl % 3])
    for after in (0x0001, 0x0100, 0x00FF, 0x0101, 0xFEFF, 0xFF00, 0xFFFE, 0xFEFE):
        for ttl in (2, 64, 255):
            add(ttl, after)
    alias = bytearray(f.ether(f.udp_ip(HOST4, FAR4, 7, 7, b"alias", ttl=64, ident=0)))
    struct.pack_into("!H", alias, 18, f.ip4_sum(bytes(alias[14:34])))
    struct.pack_into("!H", alias, 24, 0xFFFF)  # the other zero: its sum is right, too
    out.append(bytes(alias))
    return stamped(out)


# One frame for each reason to drop


def good4(payload=b"malformed", **ip):
    return f.udp_ip(HOST4, ip.pop("dst", FAR4), 1000, 2000, payload, **ip)


def patched(packet, *edits, fix=True):
    """`edits`: (offset, bytes); the IPv4 header checksum is put right after them."""
    out = bytearray(packet)
    for at, what in edits:
        out[at : at + len(what)] = what
    return (
        f.ip4_fix(bytes(out)) if fix and packet[0] >> 4 == 4 and (out[0] & 0xF) >= 5 else bytes(out)
    )


def with_src(packet, address):
    return patched(packet, (12, bytes(int(b) for b in address.split("."))))


def with_dst(packet, address):
    return patched(packet, (16, bytes(int(b) for b in address.split("."))))


def ext_chain(n):
    """IPv6 with n destination options headers before UDP."""
    udp = f.udp_ip(HOST6, FAR6, 1, 2, b"deep")[40:]
    body = b"".join(bytes([60 if i < n - 1 else 17, 0, 1, 4, 0, 0, 0, 0]) for i in range(n)) + udp
    return raw(f.ip_header(HOST6, FAR6, tos=0))[:4] + struct.pack("!HBB", len(body), 60, 64) + \
        raw(f.ip_header(HOST6, FAR6))[8:40] + body  # fmt: skip


def malformed():
    """(reason, what, frame). Routes: see README.md."""
    v4, v6 = good4(), f.udp_ip(HOST6, FAR6, 1000, 2000, b"malformed")
    tcp = f.tcp_ip(HOST4, FAR4, 5, 6, b"")
    plain = f.ether(v4)
    v6_len = struct.pack("!H", len(v6) - 40 + 40)
    cut_chain = ext_chain(2)[:4] + b"\0\x0c" + ext_chain(2)[6:52]
    to_group = f.udp_ip(HOST6, "ff0e::1:2", 1, 2, b"x")
    e = f.ether
    return [
        ("runt", "13 bytes", plain[:13]),
        ("runt", "1 byte", plain[:1]),
        ("src_mac_multicast", "group bit in the source", e(v4, src="03:00:00:00:01:01")),
        ("dst_mac_other", "to another station", e(v4, dst="02:00:00:00:00:99")),
        ("l2_multicast", "unicast IP in a broadcast frame", e(v4, dst="ff:ff:ff:ff:ff:ff")),
        ("l2_multicast", "unicast IPv6 in a multicast frame", e(v6, dst="33:33:00:00:00:01")),
        ("pfc", "PFC", pfc()),
        ("mac_control", "PAUSE to our own MAC", mac_control(1, [9], dst=f.NODE_MAC)),
        ("link_local_mac", "bridge protocol", e(STP, dst="01:80:c2:00:00:00", kind=len(STP))),
        ("link_local_mac", "IP in a link-local frame", e(v4, dst="01:80:c2:00:00:05")),
        ("vlan_truncated", "inside the first tag", e(v4, tags=(100,))[:16]),
        ("vlan_truncated", "inside the second tag", e(v4, tags=f.QINQ)[:20]),
        ("vlan_depth", "three tags", e(v4, tags=(1, 2, 3))),
        ("ethertype", "MPLS", e(b"\x00\x01\x01\x40" + v4, kind=0x8847)),
        ("ethertype", "local experimental", e(bytes(46), kind=0x88B5)),
        ("ip4_truncated", "19 bytes of header", plain[: 14 + 19]),
        ("ip4_truncated", "no header", plain[:14]),
        ("ip4_version", "version 5", e(patched(v4, (0, b"\x55")), kind=0x0800)),
        ("ip4_version", "version 6", e(patched(v4, (0, b"\x65")), kind=0x0800)),
        ("ip4_header_len", "IHL 4", e(patched(v4, (0, b"\x44")), kind=0x0800)),
        ("ip4_header_len", "IHL 15 in 37 bytes", e(patched(v4, (0, b"\x4f"), fix=False))),
        ("ip4_total_len", "19, below the header", e(patched(v4, (2, b"\x00\x13")))),
        ("ip4_total_len", "beyond the frame", e(patched(v4, (2, b"\x00\x7f")))),
        ("ip4_checksum", "one off", e(patched(v4, (10, bytes([v4[10], v4[11] ^ 1])), fix=False))),
        ("ip4_checksum", "zero", e(patched(v4, (10, b"\0\0"), fix=False))),
        ("ip6_truncated", "39 bytes of header", e(v6)[: 14 + 39]),
        ("ip6_version", "version 4", e(patched(v6, (0, b"\x40"), fix=False), kind=0x86DD)),
        ("ip6_payload_len", "beyond the frame", e(patched(v6, (4, v6_len)))),
        ("ip6_ext_truncated", "ends before the next header says", e(cut_chain)),
        ("ip6_ext_truncated", "length beyond the packet", e(patched(ext_chain(1), (41, b"\x08")))),
        ("ip6_ext_chain", "nine extension headers", e(ext_chain(9))),
        ("l4_truncated", "7 bytes of UDP", e(patched(v4[:27], (2, b"\x00\x1b")))),
        ("l4_truncated", "12 bytes of TCP", e(patched(tcp[:32], (2, b"\x00\x20")))),
        ("udp_len", "7", e(patched(v4, (24, b"\x00\x07")))),
        ("udp_len", "beyond the packet", e(patched(v4, (24, b"\x00\x40")))),
        ("src_multicast", "224.1.1.1", e(with_src(v4, "224.1.1.1"))),
        ("src_multicast", "ff0e::1", e(f.udp_ip("ff0e::1", FAR6, 1, 2, b"x"))),
        ("martian", "from loopback", e(with_src(v4, "127.0.0.1"))),
        ("martian", "to loopback", e(with_dst(v4, "127.1.2.3"))),
        ("martian", "from 0.0.0.0", e(with_src(v4, "0.0.0.0"))),
        ("martian", "from ::1", e(f.udp_ip("::1", FAR6, 1, 2, b"x"))),
        ("martian", "to ::1", e(f.udp_ip(HOST6, "::1", 1, 2, b"x"))),
        ("multicast", "239.1.2.3", e(with_dst(v4, "239.1.2.3"), dst="01:00:5e:01:02:03")),
        ("multicast", "ff0e::1:2", e(to_group, dst="33:33:00:01:00:02")),
        ("ttl_zero", "TTL 0", e(good4(ttl=0))),
        ("ttl_zero", "hop limit 0", e(f.udp_ip(HOST6, FAR6, 1, 2, b"x", ttl=0))),
        ("no_route", "192.0.2.1", e(good4(dst="192.0.2.1"))),
        ("no_route", "2001:db8:ffff::1", e(f.udp_ip(HOST6, "2001:db8:ffff::1", 1, 2, b"x"))),
        ("too_big", "1501 bytes to a port of 1500", e(good4(payload=f.noise(1501 - 28, 1)))),
        ("too_big", "1501 bytes of IPv6", e(f.udp_ip(HOST6, FAR6, 1, 2, f.noise(1501 - 48, 1)))),
        ("no_member", "a group of weight 0", e(good4(dst="10.3.0.1"))),
        ("unresolved", "a neighbour without a MAC", e(good4(dst="10.4.0.1"))),
    ]  # fmt: skip


# Shapes of files


def sample():
    """A few frames of unlike length with times that need their nanoseconds."""
    out = [
        f.ether(
            f.roce_ip(HOST4, FAR4, f.WRITE_ONLY, qpn=0x600 + i, psn=i, payload=f.noise(16 * i, i)),
            tags=tag_sets()[i % 3],
        )
        for i in range(16)
    ]
    return [(EPOCH + 1_234_567 * i + 7, frame) for i, frame in enumerate(out)]


def write_malformed(folder):
    cases = malformed()
    pcapio.write_pcap(os.path.join(folder, "malformed.pcap"), stamped([c[2] for c in cases]))
    with open(os.path.join(folder, "malformed.expect.txt"), "w", encoding="ascii") as out:
        for i, (reason, what, _) in enumerate(cases):
            out.write(f"{i + 1} {reason} # {what}\n")


def make(folder):
    def path(name):
        return os.path.join(folder, name)

    pcapio.write_pcap(path("quickstart_nsf0.pcap"), quickstart(0))
    pcapio.write_pcap(path("quickstart_nsf1.pcap"), quickstart(1))
    pcapio.write_pcap(path("dsf_h0.pcap"), dsf_lab(False))
    pcapio.write_pcap(path("dsf_west.pcap"), dsf_lab(True))
    pcapio.write_pcap(path("roce_basic.pcap"), roce_basic())
    pcapio.write_pcap(path("qps_256.pcap"), qps_256(False))
    pcapio.write_pcap(path("qps_256_v6.pcap"), qps_256(True))
    pcapio.write_pcap(path("fragments.pcap"), fragments())
    pcapio.write_pcap(path("extensions.pcap"), extensions())
    pcapio.write_pcap(path("mac_control.pcap"), mac_control_frames())
    pcapio.write_pcap(path("checksum_zero.pcap"), checksum_zero())
    write_malformed(folder)
    pcapio.write_pcap(path("sample.pcap"), sample())
    pcapio.write_pcap(path("sample_ns.pcap"), sample(), ns=True)
    pcapio.write_pcap(path("sample_be.pcap"), sample(), order=">")
    pcapio.write_pcap(path("sample_be_ns.pcap"), sample(), order=">", ns=True)
    pcapio.write_pcapng(path("sample.pcapng"), sample())
    pcapio.write_pcapng(path("sample_be.pcapng"), sample(), order=">")
    pcapio.write_pcap(path("sample_snap64.pcap"), sample(), snaplen=64)
    raw_ip = [(t, frame[14:]) for t, frame in sample() if frame[12:14] == b"\x08\x00"]
    pcapio.write_pcap(path("sample_raw_ip.pcap"), raw_ip, linktype=pcapio.LINKTYPE_RAW)


if __name__ == "__main__":
    make(sys.argv[1] if len(sys.argv) > 1 else HERE)
