#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
How flows are shared out. Bounds are exact binomial ones (replay.binomial_bounds): what an ideal
hash misses once in a million draws. The hash has no luck of its own: it passes always or never.
"""

import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import oracle, pcapio, replay, tap  # noqa: E402

SIZES = (2, 3, 4, 7, 8, 16)
STRIDES = (1, 2, 4, 8, 16, 64, 256)
HOST4, FAR4 = 0x0A014001, 0x0A020001
HOST6, FAR6 = 0x20010DB8000100000000000000000001, 0x20010DB8000200000000000000000001


def folder():
    made = tempfile.TemporaryDirectory(prefix="softbag-replay-")
    tap.defer(made.cleanup)
    return made.name


def shares(node, frames, where, write=False):
    path = os.path.join(where, "in.pcap")
    pcapio.write_pcap(path, frames)
    result = replay.run(node, path, where, write=write)
    assert result.json["out"] == len(frames), result.json["drops"]
    assert sum(replay.member_packets(result)) == len(frames)
    return result


def check(counts, weights, what):
    wrong = replay.check_shares(counts, weights)
    assert all(counts[i] for i, w in enumerate(weights) if w), f"{what}: an empty member: {counts}"
    assert not wrong, f"{what}: " + "; ".join(wrong)


def many_flows(n, seed, version=4):
    rng = random.Random(seed)
    low, high = (
        (HOST4 & ~0x3FFF, FAR4 & ~0xFFFF) if version == 4 else (HOST6 & ~0xFFFF, FAR6 & ~0xFFFF)
    )
    return f.roce_flows(
        [
            (
                low + rng.randrange(1, 0x3FFF),
                high + rng.randrange(1, 0xFFFF),
                0xC000 + rng.randrange(0x4000),
                rng.randrange(2, 1 << 24),
            )
            for _ in range(n)
        ],
        version=version,
    )


@tap.test(timeout=240)
def qps_of_one_address_pair_use_every_member():
    for name in ("qps_256.pcap", "qps_256_v6.pcap"):
        frames = pcapio.read_frames(replay.data(name))
        for n in SIZES:
            result = shares(replay.Node((1,) * n), frames, folder())
            counts = replay.member_packets(result)
            check(counts, (1,) * n, f"{name} over {n}")
            want = max(counts) / (sum(counts) / n)
            assert abs(result.json["groups"]["g"]["imbalance"] - want) < 0.01, (
                counts,
                result.json["groups"],
            )


@tap.test(timeout=120)
def without_dest_qp_one_member_gets_them_all():
    for name in ("qps_256.pcap", "qps_256_v6.pcap"):
        frames = pcapio.read_frames(replay.data(name))
        for n in (2, 3, 16):
            result = shares(replay.Node((1,) * n, hash_fields=("5tuple",)), frames, folder())
            counts = replay.member_packets(result)
            assert sorted(counts) == [0] * (n - 1) + [256], (name, n, counts)


@tap.test(timeout=600)
def qp_strides_leave_no_member_empty():
    for version, src, dst in ((4, HOST4, FAR4), (6, HOST6, FAR6)):
        for stride in STRIDES:
            frames = f.roce_flows(
                [(src, dst, 49152, 0x11 + stride * q) for q in range(256)], version=version
            )
            for n in SIZES:
                counts = replay.member_packets(shares(replay.Node((1,) * n), frames, folder()))
                check(counts, (1,) * n, f"IPv{version}, stride {stride}, {n} members")


@tap.test(timeout=240)
def weights_are_kept():
    for version in (4, 6):
        frames = many_flows(20000, f"weights {version}", version)
        for weights in ((1, 1), (3, 1), (6, 4), (1, 255), (1, 2, 3, 4, 5), (3, 0, 1)):
            counts = replay.member_packets(shares(replay.Node(weights), frames, folder()))
            check(counts, weights, f"IPv{version}, weights {weights}")


@tap.test
def weight_0_gets_nothing_and_a_group_of_it_drops():
    frames = many_flows(1000, "zero")
    counts = replay.member_packets(shares(replay.Node((0, 1, 0)), frames, folder()))
    assert counts == [0, 1000, 0], counts


@tap.test(timeout=120)
def more_buckets_keep_weights_closer():
    frames = many_flows(20000, "buckets")
    for buckets in (64, 512, 32768):
        counts = replay.member_packets(
            shares(replay.Node((1,) * 4, buckets=buckets), frames, folder())
        )
        check(counts, (1,) * 4, f"{buckets} buckets")


def second_stage(first_id, second_id):
    """Packets by member of a second node that gets what left the first by its out0."""
    where, behind = folder(), folder()
    first = shares(
        replay.Node((1, 1), node_id=first_id), many_flows(20000, "polarisation"), where, write=True
    )
    frames = first.out["out0"]
    assert {oracle.dst_mac(x) for x in frames} == {replay.MEMBER_MAC.format(0)}
    node = replay.Node(
        (1,) * 4, node_id=second_id, promiscuous=False, in_mac=replay.MEMBER_MAC.format(0)
    )
    second = replay.run(node, os.path.join(where, "out", "out0.pcap"), behind)
    assert second.json["in"] == second.json["out"] == len(frames), second.json["drops"]
    wrong = replay.check_forwarding(frames, second)
    assert not wrong, wrong[:10]
    return replay.member_packets(second)


@tap.test(timeout=240)
def two_nodes_in_a_row_do_not_polarise():
    for second_id in (12, 13, 99, 65534):
        counts = second_stage(11, second_id)
        even = sum(counts) / 4
        assert 9000 < sum(counts) < 11000
        assert all(abs(n - even) < even / 10 for n in counts), (second_id, counts)


@tap.test(timeout=120)
def two_nodes_with_one_seed_do_polarise():
    """What the test above would miss if it could not see it."""
    counts = second_stage(11, 11)
    even = sum(counts) / 4
    assert any(abs(n - even) > even / 2 for n in counts), counts


@tap.test
def the_check_warns_of_two_nodes_with_one_seed():
    for second_id, warned in ((11, True), (12, False)):
        confs = []
        for node_id in (11, second_id):
            confs += ["-c", replay.Node((1, 1), node_id=node_id).write(folder())]
        done = subprocess.run(
            [replay.SOFTBAG, "--check", *confs],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        assert ("seed" in done.stdout and "warning" in done.stdout) == warned, done.stdout


@tap.test
def a_flow_keeps_its_member_whatever_comes_between():
    frames = many_flows(500, "steady")
    where = folder()
    result = shares(replay.Node((1,) * 8), frames * 4, where, write=True)
    wrong = replay.check_forwarding(frames * 4, result)
    assert not wrong, wrong[:10]
    counts = replay.member_packets(shares(replay.Node((1,) * 8), frames, folder()))
    assert replay.member_packets(result) == [4 * n for n in counts]


@tap.test
def members_and_ports_are_counted_alike():
    frames = many_flows(2000, "counted")
    result = shares(replay.Node((3, 1)), frames, folder(), write=True)
    for i, member in enumerate(result.json["groups"]["g"]["members"]):
        out = result.out[f"out{i}"]
        assert member["port"] == f"out{i}"
        assert member["packets"] == len(out) == result.json["ports"][f"out{i}"]["out"]["packets"]
        assert (
            member["bytes"] == sum(map(len, out)) == result.json["ports"][f"out{i}"]["out"]["bytes"]
        )
    assert result.json["groups"]["g"]["packets"] == 2000


if __name__ == "__main__":
    tap.run()
