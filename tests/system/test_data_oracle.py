#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The judge judged: tests/support/oracle.py on known answers, and on each thing it must notice."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import oracle, pcapio, replay, tap  # noqa: E402


def routed(frame):
    """What a right router makes of a frame, done by scapy."""
    from scapy.all import IP, Ether, IPv6, raw

    packet = Ether(frame)
    packet.src, packet.dst = "02:00:00:00:0a:00", "02:00:00:00:0b:00"
    if IP in packet:
        packet[IP].ttl -= 1
        del packet[IP].chksum
        at = frame.index(raw(Ether(frame)[IP])[:20])
        header = raw(IP(raw(packet[IP]))[IP])[:20]
        return raw(packet)[:12] + frame[12:at] + header + frame[at + 20 :]
    packet[IPv6].hlim -= 1
    return raw(packet)[:12] + raw(packet)[12 : len(frame)].ljust(len(frame) - 12, b"\0")


def known():
    """RoCEv2 that adapters and Soft-RoCE sent: their ICRCs are nobody's here."""
    out = []
    for name in ("roce_kat.pcap", "rxe_cm_mix_v4_m1024.pcap", "rxe_ecn_ce_write_v6.pcap"):
        out += [x for x in pcapio.read_frames(replay.data(name)) if oracle.icrc(x)[0]]
    return out


def flip(frame, i, bits=0xFF):
    out = bytearray(frame)
    out[i] ^= bits
    return bytes(out)


@tap.test
def icrc_of_adapters_and_of_soft_roce_is_right():
    frames = known()
    assert len(frames) == 3 + 71 + 30, len(frames)
    for i, frame in enumerate(frames):
        assert oracle.icrc(frame) == (True, True), i


@tap.test
def icrc_notices_every_covered_byte_and_no_other():
    # TOS, TTL, checksum; traffic class, flow label, hop limit; UDP checksum; BTH byte 4
    free = {4: {1, 8, 10, 11, 20 + 6, 20 + 7, 20 + 12}, 6: {1, 2, 3, 7, 40 + 6, 40 + 7, 40 + 12}}
    for frame in (
        known()[0],
        known()[1],
        f.ether(f.roce_ip("10.0.0.1", "10.0.0.2"), tags=f.QINQ, pad=False),
    ):
        at = oracle.locate(frame)
        # Lengths, addresses' versions and ports decide whether there is an ICRC at all.
        decides = {4: {0, 2, 3, 6, 7, 9, 22, 23, 24, 25}, 6: {0, 4, 5, 6, 42, 43, 44, 45}}[
            at.version
        ]
        for i in range(at.l3, at.l3_end):
            off = i - at.l3
            if off in decides:
                continue
            want = off in free[at.version]
            assert oracle.icrc(flip(frame, i)) == (True, want), (at.version, off)
        for i in range(at.l3):
            if i not in (12, 13, 16, 17, 20, 21):
                assert oracle.icrc(flip(frame, i)) == (True, True), i


@tap.test
def icrc_covers_the_bits_that_decide():
    frame = f.ether(f.roce_ip("10.0.0.1", "10.0.0.2", payload=b"x" * 40))
    at = oracle.locate(frame).l3
    assert oracle.icrc(flip(frame, at + 6, 0x40)) == (True, False)  # DF
    v6 = f.ether(f.roce_ip("2001:db8::1", "2001:db8::2", payload=b"x" * 40))
    assert oracle.icrc(flip(v6, 14, 0x0F)) == (True, True)  # the high half of the traffic class


@tap.test
def icrc_ends_with_the_datagram_and_not_with_the_frame():
    ip = f.roce_ip("10.0.0.1", "10.0.0.2")
    for padding in (b"", bytes(6), b"\xa5" * 30):
        assert oracle.icrc(f.ether(ip, pad=False) + padding) == (True, True)


@tap.test
def icrc_is_absent_where_there_is_none():
    for frame in pcapio.read_frames(replay.data("fragments.pcap")):
        assert oracle.icrc(frame) == (False, False)
    assert oracle.icrc(f.ether(f.udp_ip("10.0.0.1", "10.0.0.2", 4791, 1, bytes(40)))) == (
        False,
        False,
    )
    assert oracle.icrc(f.ether(f.udp_ip("10.0.0.1", "10.0.0.2", 1, 4791, bytes(15)))) == (
        False,
        False,
    )
    assert oracle.icrc(f.ether(f.tcp_ip("10.0.0.1", "10.0.0.2", 1, 4791, bytes(40)))) == (
        False,
        False,
    )
    assert oracle.icrc(b"") == oracle.icrc(bytes(13)) == oracle.icrc(bytes(200)) == (False, False)


@tap.test
def a_right_router_is_found_right():
    n = 0
    for name in (
        "roce_basic.pcap",
        "checksum_zero.pcap",
        "fragments.pcap",
        "rxe_cm_mix_v4_m1024.pcap",
    ):
        for frame in pcapio.read_frames(replay.data(name)):
            if "was forwarded with TTL 1" in oracle.compare(frame, frame):
                continue  # an MLD report
            out = routed(frame)
            assert oracle.compare(frame, out) == [], (name, n, oracle.compare(frame, out))
            assert oracle.identity(frame) == oracle.identity(out)
            assert oracle.icrc(frame) == oracle.icrc(out)
            n += 1
    assert n > 1000, n


@tap.test
def every_byte_that_a_router_changes_is_noticed():
    samples = [
        f.ether(f.roce_ip("10.0.0.1", "10.0.0.2"), tags=f.QINQ),
        f.ether(f.roce_ip("2001:db8::1", "2001:db8::2")),
        f.ether(f.udp_ip("10.0.0.1", "10.0.0.2", 1, 2, b"padded")),
    ]
    for frame in samples:
        right = routed(frame)
        assert oracle.compare(frame, right) == []
        for i in range(12, len(frame)):
            assert oracle.compare(frame, flip(right, i, 1)), i
        for i in range(12):
            assert oracle.compare(frame, flip(right, i)) == []
        assert oracle.compare(frame, right[:-1]) and oracle.compare(frame, right + b"\0")
        assert oracle.compare(frame, frame)


@tap.test
def a_checksum_of_zero_sent_as_ones_is_noticed():
    frame = pcapio.read_frames(replay.data("checksum_zero.pcap"))[60]
    right = routed(frame)
    at = oracle.locate(frame).l3 + 10
    assert right[at : at + 2] == b"\0\0" and oracle.compare(frame, right) == []
    assert oracle.compare(frame, right[:at] + b"\xff\xff" + right[at + 2 :])


@tap.test
def what_must_not_be_forwarded_is_noticed():
    for frame in (
        f.ether(f.udp_ip("10.0.0.1", "10.0.0.2", 1, 2, b"x", ttl=1)),
        f.ether(f.udp_ip("10.0.0.1", "10.0.0.2", 1, 2, b"x", ttl=0)),
        f.ether(b"\0\1" + bytes(44), kind=0x8808),
        flip(f.ether(f.udp_ip("10.0.0.1", "10.0.0.2", 1, 2, b"x")), 24),
    ):
        assert oracle.compare(frame, frame)


@tap.test
def the_base_transport_header_is_read_right():
    frame = f.ether(f.cnp_ip("10.0.0.1", "10.0.0.2", 0xABCDEF), tags=(5,))
    assert oracle.bth(frame) == (0x81, 0xABCDEF, 0, 0, 1)
    frame = f.ether(
        f.roce_ip("2001:db8::1", "2001:db8::2", f.WRITE_ONLY, qpn=7, psn=0x800001, ackreq=1)
    )
    assert oracle.bth(frame) == (0x0A, 7, 0x800001, 1, 0)


@tap.test
def flows_are_told_apart_and_fragments_by_addresses_alone():
    a = f.ether(f.roce_ip("10.0.0.1", "10.0.0.2", qpn=1))
    b = f.ether(f.roce_ip("10.0.0.1", "10.0.0.2", qpn=2))
    assert oracle.flow_key(a) != oracle.flow_key(b)
    pieces = [
        f.ether(p)
        for p in f.ip4_fragments(f.roce_ip("10.0.0.1", "10.0.0.2", payload=bytes(500)), 128)
    ]
    assert len(pieces) == 5 and len({oracle.flow_key(p) for p in pieces}) == 1
    assert {oracle.flow_key(p)[3:] for p in pieces} == {(None, None, None)}


@tap.test
def shapes_of_files_read_alike():
    want = pcapio.read_pcap(replay.data("sample_ns.pcap"))
    for name in ("sample.pcap", "sample_be.pcap", "sample_be_ns.pcap"):
        got = pcapio.read_pcap(replay.data(name))
        assert [x for _, x in got.frames] == [x for _, x in want.frames], name
        unit = 1 if "ns" in name else 1000
        assert [t for t, _ in got.frames] == [t // unit * unit for t, _ in want.frames], name
    for name in ("sample.pcapng", "sample_be.pcapng"):
        got = pcapio.read_pcap(replay.data(name)).frames
        assert [t for t, _ in got[1::2]] == [t for t, _ in want.frames[1::2]], name
        assert [x for _, x in got] == [x for _, x in want.frames], name
    cut = pcapio.read_pcap(replay.data("sample_snap64.pcap"))
    assert max(len(x) for _, x in cut.frames) == 64 and max(cut.orig_len) > 64


if __name__ == "__main__":
    tap.run()
