# SPDX-License-Identifier: BSD-3-Clause
"""Reading and writing capture files, without a library: what the tests judge the programs by.

Reads and writes pcap (micro- and nanoseconds) and pcapng, in both byte orders.
Formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
"""

import struct

LINKTYPE_ETHERNET = 1
LINKTYPE_RAW = 101

_MAGIC_US = 0xA1B2C3D4
_MAGIC_NS = 0xA1B23C4D


class CaptureError(Exception):
    pass


class Capture:
    """`frames`: a list of (ts_ns, bytes); `orig_len`: their lengths on the wire."""

    def __init__(self, linktype, snaplen, frames, orig_len):
        self.linktype = linktype
        self.snaplen = snaplen
        self.frames = frames
        self.orig_len = orig_len


def read_pcap(path):
    """A Capture from a pcap or pcapng file, whatever its name ends in."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:4] == b"\n\r\r\n":
        return _read_pcapng(path, data)
    for order in "<>":
        if len(data) < 24:
            raise CaptureError(f"{path}: {len(data)} bytes are no pcap file")
        magic, _, _, _, _, snaplen, linktype = struct.unpack_from(order + "IHHiIII", data)
        if magic in (_MAGIC_US, _MAGIC_NS):
            break
    else:
        raise CaptureError(f"{path}: not a pcap file")
    unit = 1 if magic == _MAGIC_NS else 1000
    frames, orig_len = [], []
    at = 24
    while at < len(data):
        if at + 16 > len(data):
            raise CaptureError(f"{path}: ends inside the header of frame {len(frames) + 1}")
        sec, sub, cap_len, wire_len = struct.unpack_from(order + "IIII", data, at)
        at += 16
        if at + cap_len > len(data):
            raise CaptureError(f"{path}: ends inside frame {len(frames) + 1}")
        frames.append((sec * 1_000_000_000 + sub * unit, data[at : at + cap_len]))
        orig_len.append(wire_len)
        at += cap_len
    return Capture(linktype & 0x0FFFFFFF, snaplen, frames, orig_len)


def _read_pcapng(path, data):
    """Enhanced, simple and the old packet blocks of one section; all else is stepped over."""
    order = "<" if data[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    interfaces, frames, orig_len = [], [], []
    at = 0
    while at + 12 <= len(data):
        kind, total = struct.unpack_from(order + "II", data, at)
        if total < 12 or at + total > len(data):
            raise CaptureError(f"{path}: a broken block at byte {at}")
        body = data[at + 8 : at + total - 4]
        if kind == 1:
            linktype, _, snaplen = struct.unpack_from(order + "HHI", body)
            interfaces.append((linktype, snaplen, _tick_ns(order, body[8:])))
        elif kind in (2, 6):
            which, high, low, cap_len, wire_len = struct.unpack_from(order + "IIIII", body)
            if kind == 2:
                which = struct.unpack_from(order + "H", body)[0]
            ts = int((high << 32 | low) * interfaces[which][2])
            frames.append((ts, body[20 : 20 + cap_len]))
            orig_len.append(wire_len)
        elif kind == 3:
            wire_len = struct.unpack_from(order + "I", body)[0]
            frames.append((0, body[4 : 4 + min(wire_len, interfaces[0][1] or wire_len)]))
            orig_len.append(wire_len)
        at += total
    if not interfaces:
        raise CaptureError(f"{path}: names no interface")
    return Capture(interfaces[0][0], interfaces[0][1], frames, orig_len)


def _tick_ns(order, options):
    """Nanoseconds of a tick, from if_tsresol; whole where it can be, for exact times."""
    at = 0
    while at + 4 <= len(options):
        code, size = struct.unpack_from(order + "HH", options, at)
        if code == 0:
            break
        if code == 9:
            power = options[at + 4] & 0x7F
            if options[at + 4] & 0x80:
                return 1e9 / 2**power
            return 10 ** (9 - power) if power <= 9 else 1e9 / 10**power
        at += 4 + size + -size % 4
    return 1000


def read_frames(path):
    """The bytes of each frame, and no more."""
    return [frame for _, frame in read_pcap(path).frames]


def write_pcap(path, frames, *, ns=False, order="<", linktype=LINKTYPE_ETHERNET, snaplen=262144):
    """`frames`: (ts_ns, bytes) or bytes; those that are longer than `snaplen` are cut."""
    unit = 1 if ns else 1000
    out = [
        struct.pack(
            order + "IHHiIII", _MAGIC_NS if ns else _MAGIC_US, 2, 4, 0, 0, snaplen, linktype
        )
    ]
    for i, item in enumerate(frames):
        ts, frame = item if isinstance(item, tuple) else (i * 1000, item)
        kept = frame[:snaplen]
        out.append(
            struct.pack(
                order + "IIII",
                ts // 1_000_000_000,
                ts % 1_000_000_000 // unit,
                len(kept),
                len(frame),
            )
        )
        out.append(kept)
    with open(path, "wb") as f:
        f.write(b"".join(out))


def _block(order, kind, body):
    body += b"\0" * (-len(body) % 4)
    total = len(body) + 12
    return struct.pack(order + "II", kind, total) + body + struct.pack(order + "I", total)


def _option(order, code, value):
    return struct.pack(order + "HH", code, len(value)) + value + b"\0" * (-len(value) % 4)


def write_pcapng(path, frames, *, order="<", linktype=LINKTYPE_ETHERNET):
    """
    A file with all that a reader has to step over: options, two interfaces of unlike resolution
    (microseconds, and nanoseconds by if_tsresol), a block of an unknown kind, statistics. Frames go
    to the two interfaces in turn; every fifth has options of its own.
    """
    end = struct.pack(order + "HH", 0, 0)
    out = [
        _block(
            order,
            0x0A0D0D0A,
            struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)
            + _option(order, 4, b"softbag tests")
            + end,
        ),
        _block(
            order,
            1,
            struct.pack(order + "HHI", linktype, 0, 262144) + _option(order, 2, b"us") + end,
        ),
        _block(
            order,
            1,
            struct.pack(order + "HHI", linktype, 0, 262144) + _option(order, 9, b"\x09") + end,
        ),
    ]
    for i, (ts, frame) in enumerate(frames):
        if i == 3:
            out.append(_block(order, 0x0BAD, b"an unknown block"))
        stamp = ts if i % 2 else ts // 1000
        body = struct.pack(
            order + "IIIII", i % 2, stamp >> 32, stamp & 0xFFFFFFFF, len(frame), len(frame)
        )
        body += frame + b"\0" * (-len(frame) % 4)
        if i % 5 == 4:
            body += _option(order, 1, b"every fifth") + end
        out.append(_block(order, 6, body))
    out.append(_block(order, 5, struct.pack(order + "III", 0, 0, 0)))
    with open(path, "wb") as f:
        f.write(b"".join(out))
