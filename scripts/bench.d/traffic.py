# SPDX-License-Identifier: BSD-3-Clause
"""What a case is made of, as files: captures of RoCEv2 packets, softbag's YAML, l3fwd's rules.

The packets are RC SEND Only without payload or with as much as fills the frame, or RC WRITE Only of
nothing with the AR bit; ICRC and checksums are right. Each flow has its own source address, UDP
source port and QP, and a destination that is drawn at random, with a fixed seed, from all the
routes. A capture has a packet of each flow, or as many times that as fill a ring.
"""

import ipaddress
import os
import random
import struct
import zlib

V4_BASE = int(ipaddress.IPv4Address("16.0.0.0"))
V6_BASE = int(ipaddress.IPv6Address("2a00::"))
PORT_MAC = "02:00:00:00:00:01"
ETHER = bytes.fromhex("020000000001020000000099")
SEND_ONLY, WRITE_ONLY = 0x04, 0x0a
MAY_BE_REORDERED = 0x40  # of the BTH's byte 8
RETH = bytes(16)         # of a WRITE of nothing
ROCE_PORT = 4791
HEADERS = {4: 14 + 20 + 8 + 12, 6: 14 + 40 + 8 + 12}
ICRC_LEN = 4
SHORTEST = 60  # without the FCS


def prefix(family, i):
    """The i-th route: a /24 or a /48, one after the other."""
    if family == 4:
        return f"{ipaddress.IPv4Address(V4_BASE + (i << 8))}/24"
    return f"{ipaddress.IPv6Address(V6_BASE + (i << 80))}/48"


def destination(family, i, rng):
    if family == 4:
        return (V4_BASE + (i << 8) + rng.randrange(1, 255)).to_bytes(4, "big")
    return (V6_BASE + (i << 80) + rng.getrandbits(64)).to_bytes(16, "big")


def header_checksum(header):
    total = sum(struct.unpack("!10H", header))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff


def ip4(src, dst, payload_len):
    header = struct.pack("!BBHIBBH4s4s", 0x45, 0x6a, 20 + payload_len, 0x4000, 64, 17, 0,
                         (0x0a000000 | src).to_bytes(4, "big"), dst)
    header = header[:10] + struct.pack("!H", header_checksum(header)) + header[12:]
    # What routers change counts as ones in the ICRC (IBTA, annex A17).
    masked = header[:1] + b"\xff" + header[2:8] + b"\xff" + header[9:10] + b"\xff\xff" + header[12:]
    return b"\x08\x00" + header, masked


def ip6(src, dst, payload_len):
    rest = struct.pack("!HB", payload_len, 17)
    addresses = (0xfd000000 << 96 | src).to_bytes(16, "big") + dst
    header = b"\x66\xa0\x00\x00" + rest + b"\x40" + addresses
    masked = b"\x6f\xff\xff\xff" + rest + b"\xff" + addresses
    return b"\x86\xdd" + header, masked


def frame(family, i, dst, payload, opcode=SEND_ONLY, flags=0):
    udp_len = 8 + 12 + len(payload) + ICRC_LEN
    ip, masked_ip = (ip4 if family == 4 else ip6)(i, dst, udp_len)
    ports = struct.pack("!HHH", 0xc000 + i % 0x3fff, ROCE_PORT, udp_len)
    begin = struct.pack("!BBH", opcode, 0, 0xffff)
    numbers = (i + 17).to_bytes(3, "big") + bytes([flags]) + (i & 0xffffff).to_bytes(3, "big")
    icrc = zlib.crc32(b"\xff" * 8 + masked_ip + ports + b"\xff\xff" + begin + b"\xff" + numbers +
                      payload)
    return (ETHER + ip + ports + b"\0\0" + begin + b"\0" + numbers + payload +
            struct.pack("<I", icrc)).ljust(SHORTEST, b"\0")


def capture(folder, family, flows, routes, size, packets, writes=False):
    """Path of a capture of `packets` packets of `size` bytes (with the FCS, which is not in it)."""
    kind = "writes" if writes else "packets"
    path = os.path.join(folder, f"v{family}-{packets}{kind}-{flows}flows-{routes}routes-{size}.pcap")
    if os.path.exists(path):
        return path
    rng = random.Random(1)
    payload = bytes(max(0, size - 4 - HEADERS[family] - ICRC_LEN) & ~3)
    more = ()
    if writes:
        payload, more = RETH, (WRITE_ONLY, MAY_BE_REORDERED)
    with open(path + ".part", "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        flow = [frame(family, i, destination(family, rng.randrange(routes), rng), payload, *more)
                for i in range(flows)]
        for i in range(packets):
            packet = flow[i % flows]
            f.write(struct.pack("<IIII", 0, i, len(packet), len(packet)) + packet)
    os.rename(path + ".part", path)
    return path


def capture_size(family, size):
    """Bytes on the wire of what capture() makes, for the table."""
    headers = HEADERS[family] + ICRC_LEN
    return max(SHORTEST, headers + (max(0, size - 4 - headers) & ~3)) + 4


def node(path, c, capture_path, memory_mb, eal=()):
    """Writes softbag's YAML for a case (see cases.py)."""
    more = f", {c.port}" if c.port else ""
    eal_line = ", eal: [" + ", ".join(f'"{e}"' for e in eal) + "]" if eal else ""
    with open(path, "w", encoding="ascii") as f:
        f.write(f"""version: 1
node: {{name: bench, id: 1}}
runtime: {{main_lcore: {c.control}, workers: [{{lcore: {c.worker}, rx: [p0]}}], \
memory: {memory_mb}MB, mbufs: {c.mbufs}, idle: poll, burst: {c.burst}{eal_line}}}
ports:
  - {{name: p0, device: "net_pcap0,rx_pcap={capture_path},infinite_rx=1", role: nsf, \
mac: "{PORT_MAC}"}}
""")
        for i in range(c.tx_ports):
            f.write(f'  - {{name: n{i}, device: "net_null{i},no-rx=1", role: longhaul{more}}}\n')
        if c.classes:
            f.write(f"classes: [{c.classes}]\n")
        if c.sections:
            f.write(f"{c.sections}\n")
        f.write("groups:\n")
        for g in range(c.groups):
            f.write(f"  - name: g{g}\n    hash: [5tuple, dest_qp]\n")
            f.writelines(f"    {key}\n" for key in c.group.split(", ") if key)
            f.write("    members:\n")
            for m in range(c.members):
                f.write(f'      - {{port: n{m % c.tx_ports}, mac: "02:00:00:00:01:{m:02x}"}}\n')
        f.write("routes:\n  static:\n")
        for i in range(c.routes):
            f.write(f'    - {{prefix: "{prefix(c.family, i)}", group: g{i % c.groups}}}\n')
    return path


def l3fwd_rules(folder, routes):
    """l3fwd's rule files: all routes by port 1. It insists on an IPv6 rule."""
    v4, v6 = (os.path.join(folder, name) for name in ("l3fwd-lpm4.cfg", "l3fwd-lpm6.cfg"))
    with open(v4, "w", encoding="ascii") as f:
        f.writelines(f"R{prefix(4, i)} 1\n" for i in range(routes))
    with open(v6, "w", encoding="ascii") as f:
        f.write(f"R{prefix(6, 0)} 1\n")
    return v4, v6
