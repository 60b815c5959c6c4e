#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the node does to packets, capture in and captures out: tests/support/oracle.py judges."""

import collections
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import oracle, pcapio, replay, tap  # noqa: E402

# The routes that tests/data/malformed.pcap wants; see tests/data/README.md.
STRICT = {
    "promiscuous": False,
    "mtu": 1500,
    "prefixes": ("10.2.0.0/16", "2001:db8:2::/48"),
    "more_groups": "\n".join(
        (
            "  - name: empty",
            "    members:",
            '      - {port: out0, mac: "02:00:00:00:0b:00", weight: 0}',
        )
    ),
    "addresses": {1: "10.4.255.254/16"},
    "more_routes": "    - {prefix: 10.3.0.0/16, group: empty}",
}


def folder():
    made = tempfile.TemporaryDirectory(prefix="softbag-replay-")
    tap.defer(made.cleanup)
    return made.name


def judge(path, where, node=None, *options):
    """Replays a capture; everything that must hold of any capture."""
    before = pcapio.read_frames(path)
    result = replay.run(node or replay.Node(), path, where, *options)
    wrong = replay.check_conservation(result.json) + replay.check_forwarding(before, result)
    if result.json["in"] != len(before):
        wrong.append(f"in {result.json['in']}, want {len(before)}")
    assert not wrong, f"{os.path.basename(path)}: " + "\n".join(wrong[:20])
    return before, result


@tap.test(timeout=300)
def own_captures_leave_bit_exact():
    forwarded = roce = 0
    for path in replay.own_captures():
        _, result = judge(path, folder())
        forwarded += result.json["out"]
        roce += sum(oracle.icrc(x)[0] for frames in result.out.values() for x in frames)
    assert forwarded > 2500 and roce > 2000, (forwarded, roce)


@tap.test(timeout=900)
def foreign_captures_leave_bit_exact():
    forwarded = 0
    for path, capture in replay.foreign_captures(folder()):
        if replay.whole(capture):
            forwarded += judge(path, folder())[1].json["out"]
            continue
        result = replay.run(replay.Node(), path, folder(), status=2)
        assert "frame" in result.stderr or "link type" in result.stderr, result.stderr
    assert forwarded > 1000, forwarded


@tap.test
def every_shape_of_roce_is_forwarded_whole():
    before, result = judge(replay.data("roce_basic.pcap"), folder())
    ttl1 = sum(1 for x in before if oracle.compare(x, x) and "TTL 1" in oracle.compare(x, x)[0])
    assert result.json["out"] == len(before) - ttl1 and ttl1 == 0
    out = [x for frames in result.out.values() for x in frames]
    assert all(oracle.icrc(x) == (True, True) for x in out)


@tap.test
def wrong_icrcs_pass_as_they_came():
    before, result = judge(replay.data("rxe_fault_corrupt_write.pcap"), folder())
    out = [x for frames in result.out.values() for x in frames]
    assert sum(oracle.icrc(x) == (True, False) for x in out) == 11
    assert sum(oracle.icrc(x) == (True, True) for x in out) == 90


@tap.test
def checksums_of_zero_stay_zero():
    before, result = judge(replay.data("checksum_zero.pcap"), folder())
    assert result.json["out"] == len(before)
    zeros = 0
    for frame in (x for frames in result.out.values() for x in frames):
        at = oracle.locate(frame).l3 + 10
        assert frame[at : at + 2] != b"\xff\xff"
        zeros += frame[at : at + 2] == b"\0\0"
    assert zeros == 254, zeros


@tap.test(timeout=180)
def every_id_has_a_right_checksum():
    """All 65,536 IDs of one header: its checksum has every value that it can have."""
    packet = bytearray(f.udp_ip("10.1.64.1", "10.2.0.1", 1, 2, b"", ident=0))
    frames = []
    for ident in range(65536):
        packet[4:6] = ident.to_bytes(2, "big")
        frames.append(f.ether(f.ip4_fix(bytes(packet))))
    where = folder()
    path = os.path.join(where, "ids.pcap")
    pcapio.write_pcap(path, frames)
    _, result = judge(path, where)
    assert result.json["out"] == 65536


@tap.test
def padding_and_checksums_of_udp_stay():
    frames = []
    for tail in (b"", bytes(18), b"\xa5" * 18):
        frames.append(f.ether(f.udp_ip("10.1.64.1", "10.2.0.1", 1, 2, b"x"), pad=False) + tail)
        frames.append(
            f.ether(f.roce_ip("10.1.64.1", "10.2.0.1", udp_checksum=True), pad=False) + tail
        )
        frames.append(f.ether(f.roce_ip("2001:db8:1::1", "2001:db8:2::1"), pad=False) + tail)
    where = folder()
    path = os.path.join(where, "padded.pcap")
    pcapio.write_pcap(path, frames)
    _, result = judge(path, where)
    assert result.json["out"] == len(frames)


@tap.test
def each_malformed_frame_is_counted_under_its_reason():
    with open(replay.data("malformed.expect.txt"), encoding="ascii") as lines:
        want = collections.Counter(line.split()[1] for line in lines)
    before, result = judge(replay.data("malformed.pcap"), folder(), replay.Node(**STRICT))
    got = {reason: n for reason, n in result.json["drops"].items() if n}
    assert got == dict(want), f"got {got}\nwant {dict(want)}"
    assert result.json["out"] == result.json["punted"] == 0 and result.json["dropped"] == len(
        before
    )


@tap.test(timeout=240)
def each_malformed_frame_alone_is_counted_under_its_reason():
    """As above with one frame a run, so that two errors cannot make up for each other."""
    with open(replay.data("malformed.expect.txt"), encoding="ascii") as lines:
        want = [line.split()[1] for line in lines]
    where = folder()
    node = replay.Node(**STRICT).write(where)
    wrong = []
    for i, frame in enumerate(pcapio.read_frames(replay.data("malformed.pcap"))):
        path = os.path.join(where, "one.pcap")
        pcapio.write_pcap(path, [frame])
        result = replay.run(node, path, where, write=False)
        got = [reason for reason, n in result.json["drops"].items() if n]
        if got != [want[i]]:
            wrong.append(f"frame {i + 1}: {got}, want {want[i]}")
    assert not wrong, "\n".join(wrong)


@tap.test(timeout=120)
def mac_control_and_link_local_frames_never_leave():
    for name in ("mac_control.pcap", "pfc_pause.pcap"):
        for promiscuous in (True, False):
            _, result = judge(replay.data(name), folder(), replay.Node(promiscuous=promiscuous))
            assert result.json["out"] == 0, (name, promiscuous, result.json["out"])
    assert result.json["drops"]["pfc"] == 6
    assert result.json["drops"]["mac_control"] == 6


@tap.test
def ttl_1_and_what_is_ours_is_punted():
    frames = [
        f.ether(f.udp_ip("10.1.64.1", "10.2.0.1", 1, 2, b"x", ttl=1)),
        f.ether(f.udp_ip("2001:db8:1::1", "2001:db8:2::1", 1, 2, b"x", ttl=1)),
        f.ether(bytes(46), dst="ff:ff:ff:ff:ff:ff", kind=0x0806),
        f.ether(f.udp_ip("10.1.64.1", "224.0.0.5", 1, 2, b"x"), dst="01:00:5e:00:00:05"),
        f.ether(f.udp_ip("fe80::1", "ff02::1", 1, 2, b"x"), dst="33:33:00:00:00:01"),
    ]
    where = folder()
    path = os.path.join(where, "punts.pcap")
    pcapio.write_pcap(path, frames)
    _, result = judge(path, where, replay.Node(**STRICT))
    assert result.json["punted"] == len(frames), result.json


@tap.test
def all_pieces_of_a_datagram_leave_by_one_port():
    before, result = judge(replay.data("fragments.pcap"), folder(), replay.Node((1,) * 8))
    assert result.json["out"] == len(before), result.json["drops"]
    ports = collections.defaultdict(set)
    for port, frames in result.out.items():
        for frame in frames:
            ports[oracle.addresses(frame)].add(port)
    assert len(ports) == 24 and all(len(p) == 1 for p in ports.values()), ports
    assert len(set.union(*ports.values())) > 3, "all datagrams by few ports: no test of anything"


@tap.test
def roce_behind_extension_headers_is_hashed_by_its_qp():
    """256 QPs behind a hop-by-hop header use every member; behind an atomic fragment header one."""
    from scapy.layers.inet6 import IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, PadN

    where = folder()
    for chain, members in (
        (IPv6ExtHdrHopByHop(options=[PadN(optdata=b"\0\0")]), 4),
        (IPv6ExtHdrFragment(offset=0, m=0, id=5), 1),
    ):
        path = os.path.join(where, "chain.pcap")
        pcapio.write_pcap(
            path,
            [
                f.ether(f.roce_ip("2001:db8:1::1", "2001:db8:2::1", qpn=q, chain=chain))
                for q in range(256)
            ],
        )
        _, result = judge(path, where)
        assert result.json["out"] == 256
        used = sum(n > 0 for n in replay.member_packets(result))
        assert used == members, (chain, replay.member_packets(result))


@tap.test(timeout=180)
def flows_keep_their_order_with_any_number_of_workers():
    """In the replay workers take their turns one after the other, and a flow stays with one."""
    counts = []
    for workers in ((0,), (0, 1), (0, 1, 2, 3, 4)):
        node = replay.Node((3, 1), workers=workers)
        for name in ("quickstart_nsf0.pcap", "fragments.pcap", "rxe_cm_mix_v4_m1024.pcap"):
            _, result = judge(replay.data(name), folder(), node, "--loop", "1")
            counts.append((name, workers, replay.member_packets(result)))
    for name, workers, packets in counts:
        assert packets == next(c[2] for c in counts if c[0] == name), (name, workers, counts)


@tap.test(timeout=120)
def captured_times_give_the_same_as_full_speed():
    for name in ("quickstart_nsf0.pcap", "sample_ns.pcap"):
        _, result = judge(replay.data(name), folder(), None, "--timing", "asis")
        fast = replay.run(replay.Node(), replay.data(name), folder())
        assert result.out == fast.out, name


@tap.test
def ce_is_counted_as_it_comes_in_and_never_set():
    before, result = judge(replay.data("roce_basic.pcap"), folder())
    want = 0
    for frame in before:
        at = oracle.locate(frame)
        tos = (
            frame[at.l3 + 1]
            if at.version == 4
            else int.from_bytes(frame[at.l3 : at.l3 + 2], "big") >> 4
        )
        want += tos & 3 == 3
    ecn = result.json["ecn"]
    assert want == 126 and ecn["ce_in"] == want, (want, ecn)
    assert ecn["ce_marked"] == 0 and ecn["would_mark_not_ect"] == 0, ecn


if __name__ == "__main__":
    tap.run()
