# SPDX-License-Identifier: BSD-3-Clause
"""RoCEv2 packets and captures by struct alone: made for traffic.py, read again for measure.py.

A packet is Ethernet, IPv4, UDP to port 4791, BTH, what the opcode has after it, payload, ICRC. IPv4
checksum and ICRC (IBTA, annex A17) are right. What packets of a QP have in common is made once, with
its part of the CRC.
"""

import ipaddress
import struct
import zlib

ROCE_PORT = 4791
SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY = 0x00, 0x01, 0x02, 0x04
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY = 0x06, 0x07, 0x08, 0x0A
ACKNOWLEDGE = 0x11
VERBS = {  # first, middle, last, only
    "write": (WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY),
    "send": (SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY),
}
# In the BTH's byte 8: an ACK is asked for; the packet may be reordered (adaptive routing).
ACK_REQUEST, MAY_REORDER = 0x80, 0x40

TOS = 0x6A  # DSCP 26, ECT(0)
HEADERS = 14 + 20 + 8 + 12  # up to what the opcode has after the BTH
RETH_LEN, AETH_LEN, ICRC_LEN = 16, 4, 4
WIRE_MORE, SHORTEST = 24, 60  # FCS, preamble and gap; what is shorter, a MAC pads
PSN_MASK = 0xFFFFFF


def wire_bits(frame_len):
    """What a frame without FCS takes of a line."""
    return (max(frame_len, SHORTEST) + WIRE_MORE) * 8


def frame_len(opcode, payload_len):
    more = {WRITE_FIRST: RETH_LEN, WRITE_ONLY: RETH_LEN, ACKNOWLEDGE: AETH_LEN}.get(opcode, 0)
    return HEADERS + more + payload_len + ICRC_LEN


def ip_checksum(header):
    total = sum(struct.unpack("!10H", header))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


class Sender:
    """Makes the packets that go one way between two QPs. MACs are bytes, addresses texts."""

    def __init__(self, macs, src, dst, sport, dest_qp):
        self._ether = macs + b"\x08\x00"
        self._addresses = ipaddress.IPv4Address(src).packed + ipaddress.IPv4Address(dst).packed
        self._sport, self._dest_qp = sport, dest_qp
        self._heads = {}

    def _head(self, opcode, rest_len):
        """Bytes up to the destination QP, and the ICRC over them."""
        udp_len = 8 + 12 + rest_len + ICRC_LEN
        ip = struct.pack("!BBHIBBH", 0x45, TOS, 20 + udp_len, 0x4000, 64, 17, 0) + self._addresses
        ip = ip[:10] + struct.pack("!H", ip_checksum(ip)) + ip[12:]
        # What routers change counts as ones: TOS, TTL, checksums, the byte of FECN and BECN.
        masked = ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:]
        ports = struct.pack("!HHH", self._sport, ROCE_PORT, udp_len)
        first = struct.pack("!BBH", opcode, 0, 0xFFFF)
        qp = self._dest_qp.to_bytes(3, "big")
        crc = zlib.crc32(b"\xff" * 8 + masked + ports + b"\xff\xff" + first + b"\xff" + qp)
        return self._ether + ip + ports + b"\0\0" + first + b"\0" + qp, crc

    def frame(self, opcode, bits, psn, rest):
        """`bits`: of ACK_REQUEST and MAY_REORDER; `rest`: all between BTH and ICRC, whole words."""
        key = opcode, len(rest)
        head = self._heads.get(key)
        if head is None:
            head = self._heads[key] = self._head(*key)
        tail = bytes((bits,)) + psn.to_bytes(3, "big") + rest
        return head[0] + tail + zlib.crc32(tail, head[1]).to_bytes(4, "little")


def reth(length):
    """Virtual address, remote key, and the message's length in bytes."""
    return struct.pack("!QII", 0x7F0000000000, 0x1234, length)


def aeth(msn):
    """An ACK without end-to-end credits, and the number of the message."""
    return struct.pack("!I", 0x1F << 24 | msn & PSN_MASK)


class CaptureError(Exception):
    """One sentence: the file, and what is wrong with it."""


def write_pcap(path, frames):
    """`frames`: (ns, bytes) in the order of time. Classic pcap, nanoseconds."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for ns, frame in frames:
            size = len(frame)
            f.write(struct.pack("<IIII", ns // 10**9, ns % 10**9, size, size) + frame)


def read_pcap(path, flow_of):
    """
    [(ns, frame's length, flow, PSN)] of a capture as write_pcap() and softbag-replay write it.
    `flow_of`: {flow_key(): flow}; a frame of no such flow is refused.
    """
    with open(path, "rb") as f:
        data = f.read()
    if len(data) < 24 or struct.unpack_from("<I", data)[0] != 0xA1B23C4D:
        raise CaptureError(f"{path} is no pcap file in nanoseconds.")
    header = struct.Struct("<IIII").unpack_from
    out, at, end = [], 24, len(data)
    try:
        while at < end:
            seconds, ns, size, _ = header(data, at)
            at += 16
            flow = flow_of[data[at + 26 : at + 34] + data[at + 47 : at + 50]]
            out.append(
                (seconds * 10**9 + ns, size, flow, int.from_bytes(data[at + 51 : at + 54], "big"))
            )
            at += size
    except (KeyError, struct.error):
        raise CaptureError(f"{path}: frame {len(out) + 1} belongs to no flow of the workload.") from None
    if at != end:
        raise CaptureError(f"{path} ends inside frame {len(out)}.")
    return out


def flow_key(src, dst, dest_qp):
    """What read_pcap() knows a flow by."""
    addresses = ipaddress.IPv4Address(src).packed + ipaddress.IPv4Address(dst).packed
    return addresses + dest_qp.to_bytes(3, "big")
