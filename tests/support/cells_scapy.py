# SPDX-License-Identifier: BSD-3-Clause
"""DSF cells once more, from docs/cells.md alone: layers for scapy, a strict reader, a cutter and a
reassembler. Shares nothing with lib/wire/cell.h or lib/cell; the tests hold the two together.

    frames = cut(packet, 2048, Stream(source=3, destination=7), packet_id=0, sync=True)
    Ether(frames[0])[Cell].show()
    read(frame)                     # a Read, or CellError(reason) with the name of a drop reason
    Reassembler().put(frame)        # a list of Whole; refuses what is odd
"""

import collections
import struct

from scapy.fields import (
    BitEnumField,
    BitField,
    ByteField,
    FlagsField,
    IntField,
    LongField,
    PacketListField,
    ShortField,
    XIntField,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Padding, Raw, bind_layers

from . import pcapio

ETHERTYPE = 0x88B5
GROUP_MAC = "03:00:00:00:88:b5"
LINK_MAC = "02:00:00:00:0f:01"
HEADER_LEN = 24
FRAME_MIN = 60
FRAGMENTS_MAX = 64
HOPS_MAX = 3
CAPACITY_ANY = 0xFFFFFFFF

DATA, REQUEST, GRANT, REACH = range(4)
FIRST, LAST, CONGESTION, SYNC = 1, 2, 4, 8

_ETHER = struct.Struct("!6s6sH")
_HEADER = struct.Struct("!BBBBHHHHIHHI")


def _table():
    """CRC-32C of each byte: the reflected polynomial of RFC 3720 12.1, 0x1edc6f41."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_CRC = _table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


# ---- layers


class _Body(Packet):
    """What follows the header: the rest of it is padding."""

    def extract_padding(self, s):
        return b"", s


class CellRequest(_Body):
    name = "DSF request"
    fields_desc = [
        IntField("session", 0),
        IntField("zero", 0),
        LongField("wanted", 0),
        LongField("granted", 0),
    ]


class CellGrant(_Body):
    name = "DSF grant"
    fields_desc = [IntField("session", 0), IntField("zero", 0), LongField("granted", 0)]


class CellReachEntry(_Body):
    name = "DSF reach entry"
    fields_desc = [
        ShortField("device", 1),
        ByteField("hops", 0),
        ByteField("zero", 0),
        IntField("capacity", CAPACITY_ANY),
    ]


class CellReach(_Body):
    name = "DSF reach"
    fields_desc = [PacketListField("entries", [], CellReachEntry)]


class Cell(Packet):
    """payload_len None: that of what follows; check None: the right one."""

    name = "DSF cell"
    fields_desc = [
        BitField("version", 1, 4),
        BitEnumField("type", DATA, 4, {DATA: "DATA", REQUEST: "REQUEST", GRANT: "GRANT", REACH: "REACH"}),
        FlagsField("flags", 0, 8, ["first", "last", "congestion", "sync", "b4", "b5", "b6", "b7"]),
        BitField("class_", 0, 4),
        BitField("reserved", 0, 4),
        ByteField("pipe", 0),
        ShortField("source", 1),
        ShortField("destination", 0),
        ShortField("system_port", 0),
        ShortField("payload_len", None),
        IntField("packet_id", 0),
        ShortField("fragment", 0),
        ShortField("packet_len", 0),
        XIntField("check", None),
    ]

    def post_build(self, pkt, pay):
        if self.payload_len is None:
            pkt = pkt[:10] + struct.pack("!H", len(pay)) + pkt[12:]
        if self.check is None:
            pkt = pkt[:20] + struct.pack("!I", crc32c(pkt[:20]))
        return pkt + pay

    def extract_padding(self, s):
        return s[: self.payload_len], s[self.payload_len :]

    def guess_payload_class(self, payload):
        bodies = {REQUEST: CellRequest, GRANT: CellGrant, REACH: CellReach}
        return bodies.get(self.type, Raw)


bind_layers(Ether, Cell, type=ETHERTYPE)


# ---- making cells

# Where packets go, and whose they are. `pipe`: the worker of the source.
Stream = collections.namedtuple(
    "Stream", "source destination system_port cls pipe", defaults=(0, 0, 0)
)


def mac_bytes(mac):
    return bytes.fromhex(mac.replace(":", ""))


def framed(cell, *, src_mac=LINK_MAC, ethertype=ETHERTYPE):
    """The frame of a cell, padded to 60 bytes."""
    frame = bytes(Ether(dst=GROUP_MAC, src=src_mac, type=ethertype) / cell)
    return frame.ljust(FRAME_MIN, b"\0")


def _stream_fields(stream):
    return {
        "source": stream.source,
        "destination": stream.destination,
        "system_port": stream.system_port,
        "class_": stream.cls,
        "pipe": stream.pipe,
    }


def cut(packet, cell_size, stream, packet_id, *, sync=False, congestion=False,
        src_mac=LINK_MAC, ethertype=ETHERTYPE):
    """
    The frames of a packet's cells, in order: equal payloads, the rest in the last. With struct, as
    tests cut many; a test holds it to the layers above.
    """
    pieces = [packet[at : at + cell_size] for at in range(0, len(packet), cell_size)]
    if not 14 <= len(packet) <= 0xFFFF or len(pieces) > FRAGMENTS_MAX:
        raise ValueError(f"{len(packet)} bytes do not go into cells of {cell_size}")
    ether = _ETHER.pack(mac_bytes(GROUP_MAC), mac_bytes(src_mac), ethertype)
    frames = []
    for i, piece in enumerate(pieces):
        flags = FIRST * (i == 0) | LAST * (i == len(pieces) - 1)
        flags |= SYNC * sync | CONGESTION * congestion
        header = _HEADER.pack(
            0x10 | DATA,
            flags,
            stream.cls << 4,
            stream.pipe,
            stream.source,
            stream.destination,
            stream.system_port,
            len(piece),
            packet_id & 0xFFFFFFFF,
            i,
            len(packet),
            0,
        )[:20]
        frame = ether + header + struct.pack("!I", crc32c(header)) + piece
        frames.append(frame.ljust(FRAME_MIN, b"\0"))
    return frames


def request(stream, session, wanted, granted, **frame):
    """From the source's queue to the device that has the system port."""
    body = CellRequest(session=session, wanted=wanted, granted=granted)
    return framed(Cell(type=REQUEST, **_stream_fields(stream)) / body, **frame)


def grant(stream, session, granted, **frame):
    """The answer: `stream` is that of the request, and is turned round here."""
    turned = stream._replace(source=stream.destination, destination=stream.source)
    body = CellGrant(session=session, granted=granted)
    return framed(Cell(type=GRANT, **_stream_fields(turned)) / body, **frame)


def reach(source, entries, **frame):
    """`entries`: (device, hops, capacity in Mbit/s)."""
    listed = [CellReachEntry(device=d, hops=h, capacity=c) for d, h, c in entries]
    return framed(Cell(type=REACH, source=source) / CellReach(entries=listed), **frame)


# ---- reading them


class CellError(Exception):
    """`reason`: the name of the drop reason."""

    def __init__(self, reason, said=""):
        super().__init__(f"{reason}: {said}" if said else reason)
        self.reason = reason


Read = collections.namedtuple(
    "Read",
    "type flags cls pipe source destination system_port packet_id fragment packet_len payload",
)


def is_cell(frame, ethertype=ETHERTYPE):
    return len(frame) >= 14 and struct.unpack_from("!H", frame, 12)[0] == ethertype


def read(frame, ethertype=ETHERTYPE):
    """A Read, or CellError with the first fault in the order of docs/cells.md."""
    if not is_cell(frame, ethertype):
        raise CellError("not_cell")
    behind = frame[_ETHER.size :]
    if len(behind) < HEADER_LEN:
        raise CellError("cell_short", f"{len(behind)} bytes of header")
    first, flags, third, pipe, source, destination, port, size, ident, fragment, whole, check = (
        _HEADER.unpack_from(behind)
    )
    version, kind, cls = first >> 4, first & 0xF, third >> 4
    if check != crc32c(behind[:20]):
        raise CellError("cell_check", f"{check:08x}")
    if version != 1 or kind not in (DATA, REQUEST, GRANT, REACH) or cls not in range(8):
        raise CellError("cell_version", f"version {version}, type {kind}, class {cls}")
    if size > len(behind) - HEADER_LEN:
        raise CellError("cell_short", f"{size} bytes are not there")
    if source in (0, 0xFFFF) or destination == 0xFFFF or (destination == 0) != (kind == REACH):
        raise CellError("cell_device", f"{source} to {destination}")
    payload = behind[HEADER_LEN : HEADER_LEN + size]
    if kind == DATA:
        _judge_data(flags, size, fragment, whole)
    elif (kind == REQUEST and size != 24) or (kind == GRANT and size != 16) or (kind == REACH and size % 8):
        raise CellError("cell_len", f"{size} bytes of type {kind}")
    return Read(
        kind, flags, cls, pipe, source, destination, port, ident, fragment, whole, payload
    )


def _judge_data(flags, size, fragment, whole):
    if fragment >= FRAGMENTS_MAX or bool(flags & FIRST) != (fragment == 0):
        raise CellError("cell_fragment", f"fragment {fragment}, flags {flags:02x}")
    if size == 0 or whole < 14:
        raise CellError("cell_len", f"{size} of {whole} bytes")
    if flags & LAST:
        # those before it are as long or longer; alone, it is the packet
        right = size == whole if fragment == 0 else size * (fragment + 1) <= whole
    else:
        # more comes, and all that can come is enough
        right = size * (fragment + 1) < whole <= size * FRAGMENTS_MAX
    if not right:
        raise CellError("cell_len", f"{size} of {whole} bytes in fragment {fragment}")


def words(frame):
    """((session, wanted, granted),) of a REQUEST, ((session, granted),) of a GRANT, and
    ((device, hops, capacity), ...) of a REACH."""
    cell = read(frame)
    kinds = {REQUEST: ("!I4xQQ"), GRANT: ("!I4xQ"), REACH: ("!HBxI")}
    return tuple(struct.iter_unpack(kinds[cell.type], cell.payload))


# ---- putting packets together

Whole = collections.namedtuple("Whole", "stream packet_id congestion sync packet")


class _Pieces:
    def __init__(self, cell):
        self.len = cell.packet_len
        self.got = {}
        self.congestion = False
        self.sync = bool(cell.flags & SYNC)
        self.last = None
        self.size = None  # of all but the last

    def put(self, cell):
        if cell.fragment in self.got:
            raise CellError("reassembly_duplicate", f"{cell.packet_id}.{cell.fragment}")
        last = bool(cell.flags & LAST)
        size = self.size if last else self.size or len(cell.payload)
        where = cell.fragment if last else self.last
        got = {**self.got, cell.fragment: cell.payload}
        odd = (
            cell.packet_len != self.len
            or bool(cell.flags & SYNC) != self.sync
            or (last and self.last is not None)
            or (where is not None and max(got) > where)
            or (not last and len(cell.payload) != size)
        )
        if not odd and where is not None and (size or where == 0):
            odd = len(got[where]) != self.len - (size or 0) * where
        if odd:
            raise CellError("reassembly_mismatch", f"{cell.packet_id}.{cell.fragment}")
        self.got, self.size, self.last = got, size, where
        self.congestion |= bool(cell.flags & CONGESTION)

    def whole(self):
        return self.last is not None and len(self.got) == self.last + 1

    def packet(self):
        return b"".join(self.got[i] for i in sorted(self.got))


class Reassembler:
    """
    For tests: cells in any order, out come whole packets in the order of their ids, each stream by
    itself. A stream begins where SYNC says, or at `first` (an id for all streams); without either
    its packets come at the end, from the lowest id on. Has no time: whoever leaves gaps is told so
    by finish(). CellError for whatever is not as docs/cells.md has it. `device`: whose cells these
    must be (None: anybody's).
    """

    def __init__(self, device=None, first=None, ethertype=ETHERTYPE):
        self.device = device
        self.first = first
        self.ethertype = ethertype
        self.cells = 0
        self._next = {}  # stream: id of the next packet out
        self._began = {}  # stream: the id that SYNC came with
        self._held = {}  # stream: {id: _Pieces}

    def put(self, frame):
        """The packets that are whole with this cell: a list of Whole."""
        cell = read(frame, self.ethertype)
        if cell.type != DATA:
            raise CellError("not_cell", f"type {cell.type} carries no packet")
        if self.device not in (None, cell.destination):
            raise CellError("cell_device", f"for {cell.destination}")
        stream = Stream(cell.source, cell.destination, cell.system_port, cell.cls, cell.pipe)
        held = self._held.setdefault(stream, {})
        if self.first is not None:
            self._next.setdefault(stream, self.first)
        start = self._next.get(stream)
        pieces = held.get(cell.packet_id)
        if pieces is None and cell.flags & SYNC and cell.packet_id not in (start, self._began.get(stream)):
            if start is not None and held:
                raise CellError("reassembly_restart", f"{len(held)} packets in pieces")
            start = self._began[stream] = cell.packet_id
        if start is not None and (cell.packet_id - start) & 0xFFFFFFFF >= 1 << 31:
            raise CellError("reassembly_late", f"{cell.packet_id}, next is {start}")
        if pieces is None:
            pieces = _Pieces(cell)
        pieces.put(cell)
        held[cell.packet_id] = pieces
        if start is not None:
            self._next[stream] = start
        self.cells += 1
        return self._ready(stream)

    def _ready(self, stream):
        held, out = self._held[stream], []
        while self._next.get(stream) in held and held[self._next[stream]].whole():
            ident = self._next[stream]
            pieces = held.pop(ident)
            out.append(Whole(stream, ident, pieces.congestion, pieces.sync, pieces.packet()))
            self._next[stream] = (ident + 1) & 0xFFFFFFFF
        return out

    def finish(self):
        """The packets of streams whose start nobody said; CellError when anything is missing."""
        out = []
        for stream, held in self._held.items():
            if held and stream not in self._next:
                # the lowest id on a circle: the one that has none right before it
                starts = [i for i in held if (i - 1) & 0xFFFFFFFF not in held]
                if len(starts) != 1:
                    raise CellError("reassembly_timeout", f"{stream}: gaps before {sorted(starts)}")
                self._next[stream] = starts[0]
                out += self._ready(stream)
            if held:
                missing = {i: len(p.got) for i, p in sorted(held.items())[:4]}
                raise CellError("reassembly_timeout", f"{stream}: in pieces {missing}")
        return out


def packets(frames, **options):
    """The packets in `frames`, which hold all cells of each: a list of Whole."""
    whole = Reassembler(**options)
    out = [packet for frame in frames for packet in whole.put(frame)]
    return out + whole.finish()


# ---- captures


def read_cells(*paths, kind=None, ethertype=ETHERTYPE):
    """The cells of captures, those of all links in the order of their times: a list of frames."""
    stamped = [item for path in paths for item in pcapio.read_pcap(path).frames]
    stamped.sort(key=lambda item: item[0])
    frames = [frame for _, frame in stamped if is_cell(frame, ethertype)]
    return [f for f in frames if kind is None or read(f, ethertype).type == kind]


def write_cells(paths, frames, *, start_ns=0, gap_ns=1000, chosen=None):
    """
    Sprays frames over one capture a link, in turn or by `chosen(i, frame)`, an index of `paths`.
    """
    links = [[] for _ in paths]
    for i, frame in enumerate(frames):
        which = chosen(i, frame) if chosen else i % len(paths)
        links[which].append((start_ns + i * gap_ns, frame))
    for path, link in zip(paths, links):
        pcapio.write_pcap(path, link, ns=True)


def padding(frame):
    """What is behind the payload, as scapy sees it."""
    cell = Ether(frame)[Cell]
    return bytes(cell[Padding].load) if Padding in cell else b""
