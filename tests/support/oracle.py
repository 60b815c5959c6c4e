# SPDX-License-Identifier: BSD-3-Clause
"""What a router may change in a packet, and what it may not: the judge of the system tests.

Parses with struct alone and shares nothing with the programs it judges, nor with the builder of the
test frames. All functions take whole Ethernet frames. What it holds a router to:

- MAC addresses may change; TTL or hop limit goes down by one; the IPv4 header checksum is right for
  the new header by full recomputation (RFC 1071). Every other bit is as it came, padding included.
- ICRC: IBTA Annex A17. Options and extension headers count as they stand.
"""

import ipaddress
import struct
import zlib
from collections import namedtuple

VLAN_TPIDS = (0x8100, 0x88A8, 0x9100)
ROCE_PORT = 4791
BTH_LEN, ICRC_LEN = 12, 4

Layout = namedtuple("Layout", "tags l3 version proto l4 l3_end fragment")
Bth = namedtuple("Bth", "opcode dest_qp psn ack_req becn")


class NotIp(Exception):
    """Not an IP packet that a router could forward; the text says why."""


def locate(frame):
    """Where the headers are. Raises NotIp."""
    if len(frame) < 14:
        raise NotIp("no Ethernet header")
    at, tags = 12, 0
    kind = struct.unpack_from("!H", frame, at)[0]
    while kind in VLAN_TPIDS:
        tags += 1
        at += 4
        if at + 2 > len(frame):
            raise NotIp("ends inside a VLAN tag")
        kind = struct.unpack_from("!H", frame, at)[0]
    l3 = at + 2
    if kind == 0x0800:
        return _locate4(frame, tags, l3)
    if kind == 0x86DD:
        return _locate6(frame, tags, l3)
    raise NotIp(f"EtherType {kind:#06x}")


def _locate4(frame, tags, l3):
    if l3 + 20 > len(frame):
        raise NotIp("ends inside the IPv4 header")
    hlen = (frame[l3] & 0xF) * 4
    total = struct.unpack_from("!H", frame, l3 + 2)[0]
    if frame[l3] >> 4 != 4 or hlen < 20 or total < hlen or l3 + total > len(frame):
        raise NotIp("a bad IPv4 header")
    fragment = bool(struct.unpack_from("!H", frame, l3 + 6)[0] & 0x3FFF)
    return Layout(tags, l3, 4, frame[l3 + 9], l3 + hlen, l3 + total, fragment)


def _locate6(frame, tags, l3):
    if l3 + 40 > len(frame):
        raise NotIp("ends inside the IPv6 header")
    end = l3 + 40 + struct.unpack_from("!H", frame, l3 + 4)[0]
    if frame[l3] >> 4 != 6 or end > len(frame):
        raise NotIp("a bad IPv6 header")
    proto, at, fragment = frame[l3 + 6], l3 + 40, False
    while proto in (0, 43, 44, 51, 60, 135, 139, 140):
        size = _extension_len(frame, at, end, proto)
        if size == 0:
            if fragment:  # a router does not look behind a fragment header
                break
            raise NotIp("ends inside an extension header")
        this, proto = proto, frame[at]
        at += size
        if this == 44:
            fragment = True
            if struct.unpack_from("!H", frame, at - 6)[0] & 0xFFF9:
                break
            # else an atomic fragment: all of the datagram follows (RFC 6946)
    return Layout(tags, l3, 6, proto, at, end, fragment)


def _extension_len(frame, at, end, proto):
    """Of the IPv6 extension header at `at`; 0 when the packet ends inside."""
    if at + 8 > end:
        return 0
    size = {44: 8, 51: (frame[at + 1] + 2) * 4}.get(proto, (frame[at + 1] + 1) * 8)
    return size if at + size <= end else 0


def ip4_checksum(header):
    """What the checksum field of this IPv4 header ought to hold."""
    total = 0
    for i in range(0, len(header), 2):
        if i != 10:
            total += header[i] << 8 | header[i + 1]
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def compare(before, after):
    """Differences that a router must not make, as texts; none: it did right."""
    try:
        at = locate(before)
    except NotIp as e:
        return [f"was forwarded and is no IP packet: {e}"]
    if len(before) != len(after):
        return [f"length {len(before)} became {len(after)}"]
    want = bytearray(before)
    wrong = []
    ttl = at.l3 + (8 if at.version == 4 else 7)
    if want[ttl] < 2:
        wrong.append(f"was forwarded with TTL {want[ttl]}")
    want[ttl] = (want[ttl] - 1) & 0xFF
    if at.version == 4:
        hlen = (want[at.l3] & 0xF) * 4
        stale = before[at.l3 : at.l3 + hlen]
        if struct.unpack_from("!H", stale, 10)[0] not in (
            ip4_checksum(stale),
            ip4_checksum(stale) or 0xFFFF,
        ):
            wrong.append("was forwarded with a wrong header checksum")
        right = ip4_checksum(want[at.l3 : at.l3 + hlen])
        struct.pack_into("!H", want, at.l3 + 10, right)
    for i in range(12, len(want)):
        if want[i] != after[i]:
            wrong.append(
                f"byte {i} ({_name(at, i)}): {before[i]:02x} became {after[i]:02x},"
                f" want {want[i]:02x}"
            )
    return wrong


def _name(at, i):
    if i < at.l3:
        return "Ethernet"
    if i >= at.l3_end:
        return "padding"
    if i >= at.l4:
        return "payload"
    off = i - at.l3
    if at.version == 4:
        return {8: "TTL", 10: "checksum", 11: "checksum"}.get(off, "IPv4 header")
    return "hop limit" if off == 7 else "IPv6 header"


def _roce(frame):
    """(layout, end of the UDP datagram) of a whole RoCEv2 packet, else None."""
    try:
        at = locate(frame)
    except NotIp:
        return None
    whole = at.version == 6 and at.fragment and _is_atomic(frame, at)
    if at.proto != 17 or (at.fragment and not whole) or at.l4 + 8 > at.l3_end:
        return None
    _, dport, udp_len = struct.unpack_from("!HHH", frame, at.l4)
    end = at.l4 + udp_len
    if dport != ROCE_PORT or udp_len < 8 + BTH_LEN + ICRC_LEN or end > at.l3_end:
        return None
    return at, end


def _is_atomic(frame, at):
    proto, off = frame[at.l3 + 6], at.l3 + 40
    while off < at.l4:
        if proto == 44:
            return struct.unpack_from("!H", frame, off + 2)[0] & 0xFFF9 == 0
        step = (frame[off + 1] + 2) * 4 if proto == 51 else (frame[off + 1] + 1) * 8
        proto, off = frame[off], off + step
    return False


def icrc(frame):
    """(present, valid). Annex A17: what a router may change counts as ones."""
    found = _roce(frame)
    if found is None:
        return False, False
    at, end = found
    image = bytearray(frame[at.l3 : end - ICRC_LEN])
    if at.version == 4:
        image[1] = image[8] = image[10] = image[11] = 0xFF
    else:
        image[0] |= 0x0F
        image[1] = image[2] = image[3] = image[7] = 0xFF
    udp = at.l4 - at.l3
    image[udp + 6] = image[udp + 7] = 0xFF
    image[udp + 8 + 4] = 0xFF
    right = zlib.crc32(b"\xff" * 8 + bytes(image))
    return True, struct.unpack_from("<I", frame, end - ICRC_LEN)[0] == right


def bth(frame):
    """The base transport header, or None."""
    found = _roce(frame)
    if found is None:
        return None
    at = found[0].l4 + 8
    word = [int.from_bytes(frame[at + i : at + i + 4], "big") for i in (0, 4, 8)]
    return Bth(
        word[0] >> 24, word[1] & 0xFFFFFF, word[2] & 0xFFFFFF, word[2] >> 31, word[1] >> 30 & 1
    )


def addresses(frame):
    """(source, destination) as ipaddress objects. Raises NotIp."""
    at = locate(frame)
    off, n = (12, 4) if at.version == 4 else (8, 16)
    off += at.l3
    return ipaddress.ip_address(frame[off : off + n]), ipaddress.ip_address(
        frame[off + n : off + 2 * n]
    )


def flow_key(frame):
    """
    What a flow's packets have in common: (src, dst, proto, sport, dport, dest_qp). Ports are None
    in a fragment, the first one included; dest_qp is None in what is not RoCEv2. Raises NotIp.
    """
    at = locate(frame)
    src, dst = addresses(frame)
    if at.fragment:
        return src, dst, at.proto, None, None, None
    sport = dport = None
    if at.proto in (6, 17, 132) and at.l4 + 4 <= at.l3_end:
        sport, dport = struct.unpack_from("!HH", frame, at.l4)
    head = bth(frame)
    return src, dst, at.proto, sport, dport, head.dest_qp if head else None


def identity(frame):
    """
    What a packet is known by on both sides of a router: all but MACs, TTL and header checksum.
    Frames that are not IP are known by all their bytes after the MACs.
    """
    body = bytearray(frame[12:])
    try:
        at = locate(frame)
    except NotIp:
        return bytes(body)
    off = at.l3 - 12
    if at.version == 4:
        body[off + 8] = body[off + 10] = body[off + 11] = 0
    else:
        body[off + 7] = 0
    return bytes(body)


def dst_mac(frame):
    return ":".join(f"{b:02x}" for b in frame[:6])


def src_mac(frame):
    return ":".join(f"{b:02x}" for b in frame[6:12])
