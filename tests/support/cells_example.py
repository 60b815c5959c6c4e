# SPDX-License-Identifier: BSD-3-Clause
"""The example of docs/cells.md, as frames and as the text of the page: tests/unit/wire/test_cell.c
has the same bytes, and tests/system/test_docs_cells.py holds all three together."""

from . import cells_scapy as c
from . import frames as f

# Device 3 sends a packet to the router of device 7; fabric node 21 is between them.
STREAM = c.Stream(source=3, destination=7, system_port=0, cls=3, pipe=1)
CELL_SIZE = 256
PACKET_ID = 0x00012C9A
SESSION = 0x5EED0001

MACS = {"src_mac": "02:00:00:00:03:f0"}
FABRIC_MACS = {"src_mac": "02:00:00:00:21:f1"}

FLAGS = ((c.FIRST, "first"), (c.LAST, "last"), (c.CONGESTION, "congestion"), (c.SYNC, "sync"))
TYPES = {c.DATA: "DATA", c.REQUEST: "REQUEST", c.GRANT: "GRANT", c.REACH: "REACH"}
SIZES = (256, 512, 1024, 2048, 4096, 9192)
PACKETS = (64, 1082, 4154)  # RoCEv2 with 0, 1024 and 4096 bytes of payload, roughly


def packet():
    """An RDMA SEND of 240 bytes: 298 bytes of Ethernet frame."""
    payload = bytes(range(240))
    ip = f.roce_ip("10.1.64.10", "10.2.0.20", f.RC + f.SEND_ONLY, qpn=0x11, psn=7, payload=payload)
    return f.ether(ip)


def frames():
    """{name: frame}"""
    first, last = c.cut(packet(), CELL_SIZE, STREAM, PACKET_ID, sync=True, **MACS)
    return {
        "first": first,
        "last": last,
        "request": c.request(STREAM, SESSION, wanted=298, granted=0, **MACS),
        "grant": c.grant(STREAM, SESSION, granted=298, **FABRIC_MACS),
        "reach": c.reach(
            21, [(21, 0, c.CAPACITY_ANY), (3, 1, 400_000), (7, 1, 200_000)], **FABRIC_MACS
        ),
    }


def dashed(data):
    return " ".join(f"{byte:02x}" for byte in data)


def header_rows(frame):
    """(offset in the header, bytes, what they say)"""
    h, cell = frame[14:38], c.read(frame)
    flags = ", ".join(name for bit, name in FLAGS if cell.flags & bit) or "none"
    said = (
        (1, f"version 1, type {cell.type}: {TYPES[cell.type]}"),
        (1, f"flags: {flags}"),
        (1, f"class {cell.cls}"),
        (1, f"pipe {cell.pipe}"),
        (2, f"source device {cell.source}"),
        (2, f"destination device {cell.destination}"),
        (2, f"system port {cell.system_port}"),
        (2, f"payload length {len(cell.payload)}"),
        (4, f"packet id {cell.packet_id}"),
        (2, f"fragment {cell.fragment}"),
        (2, f"packet length {cell.packet_len}"),
        (4, "header check"),
    )
    return _rows(0, h, said)


def _rows(at, data, said):
    rows, start = [], at
    for size, text in said:
        rows.append((at, data[at - start : at - start + size], text))
        at += size
    return rows


def extension_rows(frame):
    cell = c.read(frame)
    words = c.words(frame)
    if cell.type == c.REQUEST:
        session, wanted, granted = words[0]
        said = [(4, f"session {session:#x}"), (4, "zero"), (8, f"wanted {wanted}"), (8, f"granted {granted}")]
    elif cell.type == c.GRANT:
        session, granted = words[0]
        said = [(4, f"session {session:#x}"), (4, "zero"), (8, f"granted {granted}")]
    else:
        said = []
        for device, hops, capacity in words:
            much = "any" if capacity == c.CAPACITY_ANY else f"{capacity} Mbit/s"
            said += [(2, f"device {device}"), (1, f"hops {hops}"), (1, "zero"), (4, f"capacity {much}")]
    return _rows(24, cell.payload, said)


def text(name):
    """The block of the page."""
    frame = frames()[name]
    cell = c.read(frame)
    out = [f"frame of {len(frame)} bytes"]
    ether = ((0, 6, "to the cells' group address"), (6, 12, "from the port of the link"), (12, 14, "EtherType"))
    rows = [("", frame[at:end], said) for at, end, said in ether] + header_rows(frame)
    if cell.type != c.DATA:
        rows += extension_rows(frame)
    out += [f"{at:4}  {dashed(data):23}  {said}" for at, data, said in rows]
    if cell.type == c.DATA:
        left = f"{dashed(cell.payload[:6])} .."
        out.append(f"  24  {left:23}  {len(cell.payload)} bytes of the packet")
    n_padding = len(frame) - 38 - len(cell.payload)
    if n_padding:
        out.append(f"{24 + len(cell.payload):4}  {'00 ..':23}  {n_padding} bytes of padding")
    return "\n".join(out) + "\n"


def line_bytes(frame_len):
    """On the line: preamble, frame of 60 bytes or more, FCS, gap."""
    return 8 + max(frame_len, c.FRAME_MIN) + 4 + 12


def overhead_table():
    """What cells cost: of full cells, and of packets against what they take as Ethernet frames."""
    head = ["`cell_size`", "on the line", "overhead", "longest packet"]
    head += [f"packet of {n:,}" for n in PACKETS]
    rows = [head, ["---"] * len(head)]
    for size in SIZES:
        full = line_bytes(38 + size)
        row = [f"{size:,}", f"{full:,}", f"{100 * (full - size) / full:.1f} %"]
        row.append(f"{min(size * c.FRAGMENTS_MAX, 0xFFFF):,}")
        for n in PACKETS:
            pieces = [min(size, n - at) for at in range(0, n, size)]
            cells = sum(line_bytes(38 + piece) for piece in pieces)
            more = 100 * (cells / line_bytes(n) - 1)
            row.append(f"{len(pieces)} cell{'s' * (len(pieces) > 1)}, +{more:.1f} %")
        rows.append(row)
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


if __name__ == "__main__":
    for example in frames():
        print(example)
        print(text(example))
    print(overhead_table())
