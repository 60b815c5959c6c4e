# SPDX-License-Identifier: BSD-3-Clause
"""Builds the frames of the tests with scapy: RoCEv2 with a right ICRC, fragments, control frames.

Every field that scapy would fill in from the machine (addresses, IP ID, routes) is given, so that
the same call makes the same bytes everywhere.
"""

import random
import struct
import zlib

from scapy.all import IP, TCP, UDP, IPv6, Raw, raw
from scapy.contrib.roce import AETH, BTH

NODE_MAC = "02:00:00:00:00:01"
NODE_MAC2 = "02:00:00:00:00:02"
HOST_MAC = "02:00:00:00:01:01"

ROCE_PORT = 4791
TOS_ROCE = 0x6A  # DSCP 26, ECT(0)
TOS_CNP = 0xC0  # DSCP 48, Not-ECT

# IBTA volume 1, 9.2: the low five bits of the opcode.
SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_ONLY, SEND_ONLY_IMM = range(6)
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM, WRITE_ONLY, WRITE_ONLY_IMM = range(6, 12)
READ_REQUEST, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY = range(12, 17)
ACK, ATOMIC_ACK, COMPARE_SWAP, FETCH_ADD = range(17, 21)
SEND_LAST_INV, SEND_ONLY_INV = 0x16, 0x17
FLUSH, ATOMIC_WRITE = 0x1C, 0x1D
CNP = 0x81
RC, UC, RD, UD, XRC = 0x00, 0x20, 0x40, 0x60, 0xA0

OPCODES = (
    [RC + op for op in [*range(0x15), 0x16, 0x17, 0x1C, 0x1D]]
    + [UC + op for op in range(0x0C)]
    + [RD + op for op in range(0x15)]
    + [UD + SEND_ONLY, UD + SEND_ONLY_IMM, CNP]
    + [XRC + op for op in [*range(0x15), 0x16, 0x17]]
)

_IMM = {SEND_LAST_IMM, SEND_ONLY_IMM, WRITE_LAST_IMM, WRITE_ONLY_IMM}
_RETH = {WRITE_FIRST, WRITE_ONLY, WRITE_ONLY_IMM, READ_REQUEST, ATOMIC_WRITE, FLUSH}
_AETH = {READ_FIRST, READ_LAST, READ_ONLY, ACK, ATOMIC_ACK}
_RESPONSE = _AETH | {READ_MIDDLE}
_NO_PAYLOAD = {READ_REQUEST, ACK, ATOMIC_ACK, COMPARE_SWAP, FETCH_ADD, FLUSH}


def reth(va=0x7F0000001000, rkey=0x1234, length=4096):
    return struct.pack("!QII", va, rkey, length)


def ext_headers(opcode, src_qp=0x000100, length=4096):
    """The extension headers that IBTA has after the BTH of this opcode."""
    if opcode == CNP:
        return bytes(16)
    transport, op = opcode & 0xE0, opcode & 0x1F
    out = b""
    if transport == RD:
        out += struct.pack("!I", 0x000077)  # RDETH
    if transport in (RD, UD) and op not in _RESPONSE:
        out += struct.pack("!II", 0x80010000, src_qp)  # DETH
    if transport == XRC and op not in _RESPONSE:
        out += struct.pack("!I", 0x000055)  # XRCETH
    if op == FLUSH:
        out += struct.pack("!I", 0x00000011)  # FETH
    if op in _RETH:
        out += reth(length=length)
    if op in _IMM:
        out += struct.pack("!I", 0xCAFEF00D)
    if op in (SEND_LAST_INV, SEND_ONLY_INV):
        out += struct.pack("!I", 0x4321)  # IETH
    if op in (COMPARE_SWAP, FETCH_ADD):
        out += struct.pack("!QIQQ", 0x7F0000002000, 0x1234, 5, 6)
    if op in _AETH:
        out += raw(AETH(syndrome=0x1F, msn=7))
    if op == ATOMIC_ACK:
        out += struct.pack("!Q", 5)
    return out


def has_payload(opcode):
    return opcode != CNP and opcode & 0x1F not in _NO_PAYLOAD


def seal(packet):
    """The bytes of an IP packet up to its BTH and payload, with the ICRC of Annex A17 put after."""
    image = packet.copy()
    ip = image[IP] if IP in image else image[IPv6]
    if IP in image:
        ip.chksum, ip.ttl, ip.tos = 0xFFFF, 0xFF, 0xFF
    else:
        ip.hlim, ip.tc, ip.fl = 0xFF, 0xFF, 0xFFFFF
    image[UDP].chksum = 0xFFFF
    image[BTH].fecn, image[BTH].becn, image[BTH].resv6 = 1, 1, 0x3F
    # The BTH's own last four bytes are where the ICRC goes: they follow the payload on the wire.
    crc = zlib.crc32(b"\xff" * 8 + raw(image)[:-4])
    return raw(packet)[:-4] + struct.pack("<I", crc)


def ip_header(src, dst, *, tos=TOS_ROCE, ttl=64, ident=1, flow_label=0, options=None, chain=None):
    """IPv4 or IPv6 by the look of the address. `chain`: IPv6 extension headers, as scapy layers."""
    if ":" not in src:
        return IP(
            src=src, dst=dst, tos=tos, ttl=ttl, id=ident & 0xFFFF, flags="DF", options=options or []
        )
    ip = IPv6(src=src, dst=dst, tc=tos, hlim=ttl, fl=flow_label)
    return ip / chain if chain is not None else ip


def roce_ip(
    src,
    dst,
    opcode=RC + SEND_ONLY,
    *,
    qpn=0x000123,
    psn=1,
    payload=b"",
    sport=49152,
    ext=None,
    becn=0,
    ackreq=0,
    udp_checksum=False,
    **ip_fields,
):
    """An IP packet that carries one RoCEv2 packet; bytes."""
    pad = -len(payload) % 4
    body = (ext_headers(opcode) if ext is None else ext) + payload + bytes(pad)
    bth = BTH(
        opcode=opcode,
        padcount=pad,
        pkey=0xFFFF,
        becn=becn,
        dqpn=qpn,
        ackreq=ackreq,
        psn=psn & 0xFFFFFF,
        icrc=0,  # given, or scapy computes it, for IPv4 only
    )
    packet = ip_header(src, dst, **ip_fields) / UDP(sport=sport, dport=ROCE_PORT, chksum=0) / bth
    sealed = seal(packet / Raw(body) if body else packet)
    return udp_sum(sealed) if udp_checksum else sealed


def cnp_ip(src, dst, qpn, **ip_fields):
    """A congestion notification: to the QP that sent, BECN set as the NICs do."""
    ip_fields.setdefault("tos", TOS_CNP)
    return roce_ip(src, dst, CNP, qpn=qpn, psn=0, becn=1, **ip_fields)


def udp_ip(src, dst, sport, dport, payload, **ip_fields):
    ip_fields.setdefault("tos", 0)
    return raw(ip_header(src, dst, **ip_fields) / UDP(sport=sport, dport=dport) / Raw(payload))


def tcp_ip(src, dst, sport, dport, payload, *, seq=1, **ip_fields):
    ip_fields.setdefault("tos", 0)
    tcp = TCP(sport=sport, dport=dport, flags="PA", seq=seq, ack=1, window=512)
    return raw(ip_header(src, dst, **ip_fields) / tcp / Raw(payload))


def udp_sum(ip_bytes):
    """The packet with its UDP checksum filled in (IPv4 without options, IPv6 without chain)."""
    packet = IPv6(ip_bytes) if ip_bytes[0] >> 4 == 6 else IP(ip_bytes)
    at = 40 if ip_bytes[0] >> 4 == 6 else 20
    udp = UDP(sport=packet[UDP].sport, dport=packet[UDP].dport) / Raw(ip_bytes[at + 8 :])
    base = packet.copy()
    base.remove_payload()
    filled = raw(base / udp)[at + 6 : at + 8]
    return ip_bytes[: at + 6] + filled + ip_bytes[at + 8 :]


def mac_bytes(mac):
    return bytes.fromhex(mac.replace(":", ""))


def ether(payload, *, dst=NODE_MAC, src=HOST_MAC, tags=(), kind=None, pad=True):
    """
    A frame. `tags`: 802.1Q TCI values, or (TPID, TCI); the EtherType of an IP payload is found by
    its version. Short frames are padded to 60 bytes, as a MAC does it.
    """
    if kind is None:
        kind = 0x86DD if payload[:1] and payload[0] >> 4 == 6 else 0x0800
    out = mac_bytes(dst) + mac_bytes(src)
    for tag in tags:
        tpid, tci = tag if isinstance(tag, tuple) else (0x8100, tag)
        out += struct.pack("!HH", tpid, tci)
    out += struct.pack("!H", kind) + payload
    return out.ljust(60, b"\0") if pad else out


QINQ = ((0x88A8, 0x6000 | 200), (0x8100, 0x6000 | 100))  # PCP 3 in both tags


def ip4_sum(header):
    """RFC 1071 over an IPv4 header whose checksum field counts as zero."""
    words = struct.unpack(f"!{len(header) // 2}H", header)
    total = sum(words) - words[5]
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ip4_fix(packet):
    """The IPv4 packet with its checksum put right; for headers that scapy would not build."""
    hlen = (packet[0] & 0xF) * 4
    return packet[:10] + struct.pack("!H", ip4_sum(packet[:hlen])) + packet[12:]


def ip4_fragments(packet, size):
    """The pieces of an IPv4 packet, DF cleared; `size` bytes of payload each, a multiple of 8."""
    hlen = (packet[0] & 0xF) * 4
    head, body = packet[:hlen], packet[hlen:]
    pieces = []
    for at in range(0, len(body), size):
        part = body[at : at + size]
        more = 0x2000 if at + size < len(body) else 0
        piece = head[:2] + struct.pack("!H", hlen + len(part)) + head[4:6]
        piece += struct.pack("!H", more | at // 8) + head[8:] + part
        pieces.append(ip4_fix(piece))
    return pieces


def ip6_fragments(packet, size, ident):
    """The pieces of an IPv6 packet without extension headers."""
    head, nxt, body = packet[:40], packet[6], packet[40:]
    pieces = []
    for at in range(0, len(body), size):
        part = body[at : at + size]
        more = 1 if at + size < len(body) else 0
        frag = struct.pack("!BBHI", nxt, 0, at | more, ident)
        pieces.append(head[:4] + struct.pack("!HB", 8 + len(part), 44) + head[7:] + frag + part)
    return pieces


def noise(n, seed):
    """Bytes that compress to nothing and are the same everywhere."""
    return random.Random(seed).randbytes(n)


def roce_flows(flows, *, version=4):
    """
    A small RoCEv2 frame for each (src, dst, sport, qpn) with addresses as integers; built with
    struct, for tests that need many thousands.
    """
    src, dst = ("10.1.64.1", "10.2.0.1") if version == 4 else ("2001:db8:1::1", "2001:db8:2::1")
    template = roce_ip(src, dst, RC + SEND_ONLY, qpn=0, psn=0, payload=b"softbag!")
    addr, udp, size = (12, 20, 4) if version == 4 else (8, 40, 16)
    out = []
    for src, dst, sport, qpn in flows:
        ip = bytearray(template)
        ip[addr : addr + 2 * size] = src.to_bytes(size, "big") + dst.to_bytes(size, "big")
        struct.pack_into("!H", ip, udp, sport)
        ip[udp + 13 : udp + 16] = qpn.to_bytes(3, "big")
        out.append(ether(_reseal(ip, udp), pad=False))
    return out


def _reseal(ip, udp):
    """Header checksum and ICRC anew, for an IP packet without options; see seal()."""
    image = bytearray(ip[:-4])
    if ip[0] >> 4 == 4:
        struct.pack_into("!H", ip, 10, ip4_sum(bytes(ip[:20])))
        image[:20] = ip[:20]
        image[1] = image[8] = image[10] = image[11] = 0xFF
    else:
        image[0] |= 0x0F
        image[1] = image[2] = image[3] = image[7] = 0xFF
    image[udp + 6] = image[udp + 7] = image[udp + 12] = 0xFF
    ip[-4:] = struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(image)))
    return bytes(ip)
