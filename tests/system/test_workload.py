#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What scripts/workload writes is what it says: whole RoCEv2 packets, each workload's own traffic matrix
and messages, the times of its rate, and the same bytes each time.
"""

import collections
import csv
import functools
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import balance, oracle, pcapio, replay, running, tap  # noqa: E402
from support.balance import WORKLOAD  # noqa: E402

ALL = ("qps256", "ring8x4", "ring64x1", "ring64x8", "alltoall16", "incast32", "mix")
PACKETS = 2048
MTU = 256
FIRST, MIDDLE, LAST, ONLY = {6, 0}, {7, 1}, {8, 2}, {10, 4}
WRITES = {6, 7, 8, 10}
ASK, AR = 0x80, 0x40


@functools.lru_cache(None)
def place():
    import atexit
    import tempfile

    made = tempfile.TemporaryDirectory(prefix="softbag-workload-")
    atexit.register(made.cleanup)
    return made.name


@functools.lru_cache(None)
def made(name, *options, env=()):
    """(capture, flow list as JSON, flow list as CSV rows), small."""
    base = os.path.join(place(), "-".join([name, *options]).replace("/", "_"))
    words = [WORKLOAD, name, "--out", base + ".pcap", "--flows", base + ".json", "--flows", base + ".csv"]
    if "--packets" not in options:
        words += ["--packets", str(PACKETS)]
    running.run([*words, "--mtu", str(MTU), *options], status=0, env=running.clean_environment() | dict(env))
    with open(base + ".json", encoding="ascii") as f:
        told = json.load(f)
    with open(base + ".csv", encoding="ascii", newline="") as f:
        rows = list(csv.DictReader(f))
    return base + ".pcap", told, rows


def hosts(address):
    """(site, number) of a host's address."""
    assert address[0] == 10, address
    return address[1], address[2] << 8 | address[3]


def pairs(got):
    """{(sender, receiver): {dest QP: packets}}"""
    out = collections.defaultdict(collections.Counter)
    for p in got:
        (near, src), (far, dst) = hosts(p.src), hosts(p.dst)
        assert (near, far) == (1, 2), (p.src, p.dst)
        out[src, dst][p.dest_qp] += 1
    return out


@tap.test
def every_packet_is_whole_with_right_checksum_and_icrc():
    for name in ALL:
        capture = pcapio.read_pcap(made(name)[0])
        assert capture.linktype == pcapio.LINKTYPE_ETHERNET
        for i, (_, frame) in enumerate(capture.frames):
            at = oracle.locate(frame)
            header = frame[at.l3 : at.l4]
            assert oracle.ip4_checksum(header) == int.from_bytes(header[10:12], "big"), (name, i)
            assert oracle.icrc(frame) == (True, True), (name, i)
            assert at.l3_end == len(frame) and not at.fragment and header[6] & 0x40, (name, i)


@tap.test
def a_wrong_icrc_would_be_seen():
    frame = bytearray(pcapio.read_frames(made("qps256")[0])[0])
    for at in (46, 52, 60, len(frame) - 1):  # BTH byte 4 may change, the rest may not
        changed = frame[:]
        changed[at] ^= 1
        assert oracle.icrc(bytes(changed)) == (True, at == 46), at


@tap.test
def tshark_reads_what_the_flow_list_says():
    tap.require("tshark")
    for name in ("ring8x4", "mix"):
        path, told, _ = made(name)
        fields = ("ip.src", "ip.dst", "udp.srcport", "infiniband.bth.destqp", "infiniband.bth.opcode",
                  "infiniband.bth.psn", "ip.checksum.status")  # fmt: skip
        words = ["tshark", "-r", path, "-o", "ip.check_checksum:TRUE", "-T", "fields"]
        out = running.run(words + [w for f in fields for w in ("-e", f)], status=0).out
        seen = collections.Counter()
        for line in out.splitlines():
            src, dst, sport, qp, opcode, psn, status = line.split("\t")
            assert status == "1", line
            seen[src, dst, int(sport), int(qp, 0), int(opcode) in WRITES] += 1
        want = {
            (f["src"], f["dst"], f["sport"], f["dest_qp"], f["verb"] == "write"): sum(
                step[1] for step in f["steps"]
            )
            for f in told["flows"]
        }
        assert seen == want, name


@tap.test
def softbag_takes_them_for_roce_and_forwards_all():
    where = running.folder(tap)
    path, _, _ = made("qps256")
    frames = pcapio.read_frames(path)
    result = replay.run(replay.Node((1,) * 4, promiscuous=False), path, where, "--timing", "asis")
    wrong = replay.check_conservation(result.json) + replay.check_forwarding(frames, result)
    assert not wrong and result.json["out"] == len(frames), (wrong[:5], result.json["drops"])
    assert all(replay.member_packets(result)), "QPs are not seen: all went one way"
    node = replay.Node((1,) * 4, hash_fields=("5tuple",))
    counts = replay.member_packets(replay.run(node, path, where))
    assert sorted(counts) == [0, 0, 0, len(frames)], counts


@tap.test
def the_same_seed_makes_the_same_bytes_and_another_does_not():
    def bytes_of(found):
        base = found[0][:-5]
        return [open(base + end, "rb").read() for end in (".pcap", ".json", ".csv")]

    for name in ("ring8x4", "mix"):
        first = bytes_of(made(name))
        made.cache_clear()
        again = bytes_of(made(name, env=(("PYTHONHASHSEED", "7"),)))
        assert first == again, name
        assert bytes_of(made(name, "--seed", "1")) == first, name
        other = bytes_of(made(name, "--seed", "2"))
        assert all(a != b for a, b in zip(first, other)), name


@tap.test
def qps_are_one_pair_and_each_qp_sends_as_much():
    ((pair, each),) = pairs(balance.packets(made("qps256")[0])).items()
    assert pair == (1, 1) and len(each) == 256 and set(each.values()) == {PACKETS // 256}, each


@tap.test
def a_ring_goes_from_each_rank_to_the_next():
    for name, ranks, n_qps in (("ring8x4", 8, 4), ("ring64x1", 64, 1)):
        path, told, _ = made(name)
        found = pairs(balance.packets(path))
        assert set(found) == {(1 + i, 1 + (i + 1) % ranks) for i in range(ranks)}, sorted(found)
        each = PACKETS // (ranks * n_qps)
        assert all(len(q) == n_qps and set(q.values()) == {each} for q in found.values()), found
        assert told["steps_in_all"] == 2 * (ranks - 1), told["steps_in_all"]
        assert len(told["step_ns"]) == 4
        for f in told["flows"]:
            assert [s[:2] for s in f["steps"]] == [[k, each // 4] for k in range(4)], f


@tap.test
def all_to_all_goes_from_each_rank_to_each_other():
    found = pairs(balance.packets(made("alltoall16")[0]))
    assert set(found) == {(1 + i, 1 + j) for i in range(16) for j in range(16) if i != j}
    assert all(list(q.values()) == [PACKETS // 240] for q in found.values()), found


@tap.test
def an_incast_comes_from_all_to_one_at_four_times_the_rate():
    path, told, _ = made("incast32", "--rate", "10Gbit")
    got = balance.packets(path)
    found = pairs(got)
    assert set(found) == {(1 + i, 1) for i in range(32)}, sorted(found)
    assert len({qp for q in found.values() for qp in q}) == 32, "a QP of its own for each sender"
    steps = balance.Steps(told)
    for step in range(4):
        one = [p for p in got if steps.step(p) == step]
        bits = sum(balance.wire_bits(p.size) for p in one)
        rate = bits * 10**9 / (one[-1].ns - one[0].ns)
        assert 4e10 < rate < 4e10 * 1.2, rate  # the last ones are still to be sent


@tap.test
def a_mix_has_few_long_flows_and_many_short_ones():
    path, told, _ = made("mix")
    flows = balance.by_flow(balance.packets(path))
    kinds = collections.defaultdict(list)
    for f in told["flows"]:
        key = bytes(map(int, f["src"].split("."))), bytes(map(int, f["dst"].split("."))), f["dest_qp"]
        kinds[f["kind"]].append(flows.pop(key))
    assert not flows and set(kinds) == {"elephant", "mouse"}
    assert len(kinds["elephant"]) == 20 and len(kinds["mouse"]) > 60
    assert {len(m) for m in kinds["mouse"]} == {1, 2, 3}
    assert all(p.opcode not in WRITES for m in kinds["mouse"] for p in m)
    assert all(p.opcode in WRITES for e in kinds["elephant"] for p in e)
    share = sum(len(e) for e in kinds["elephant"]) / PACKETS
    assert 0.86 <= share <= 0.9, share  # parts are whole packets
    sizes = [len(e) for e in kinds["elephant"]]
    assert {n / min(sizes) for n in sizes} == {1, 2, 3, 4}, sizes
    ends = [e[-1].ns for e in kinds["elephant"]]
    end = max(ends)
    assert min(ends) > 0.9 * end, "elephants end together"
    places = [m[0].ns / end for m in kinds["mouse"]]
    assert min(places) < 0.1 and max(places) > 0.9, "mice come all the time"


@tap.test
def flows_are_whole_messages_with_psns_that_go_up_by_one():
    for name in ("ring8x4", "mix", "qps16"):
        for got in balance.by_flow(balance.packets(made(name)[0])).values():
            assert all((b.psn - a.psn) % 2**24 == 1 for a, b in zip(got, got[1:])), name
            inside, length, size = False, None, 0
            for p in got:
                begins, ends = p.opcode in FIRST | ONLY, p.opcode in LAST | ONLY
                assert begins != inside, (name, p)
                length, size = (p.reth and p.reth[2], 0) if begins else (length, size)
                size += p.payload
                inside = not ends
                assert bool(p.bits & ASK) == ends, (name, p)
                assert p.payload == MTU and (p.reth is None) == (p.opcode not in {6, 10}), (name, p)
                assert not ends or p.opcode not in WRITES or size == length, (name, p, size)
            assert not inside, "the last message ends"


@tap.test
def messages_are_of_64_packets_at_most():
    (got,) = balance.by_flow(balance.packets(made("qps1", "--packets", "200")[0])).values()
    assert [p.reth[2] // MTU for p in got if p.reth] == [64, 64, 64, 8]


@tap.test
def psns_wrap_around():
    sys.path.insert(0, os.path.join(replay.ROOT, "scripts", "balance.d"))
    sys.dont_write_bytecode = True
    import measure
    import roce
    import traffic

    class NearTheEnd(traffic.Workload):
        def flow(self, *args, **kwargs):
            made_flow = super().flow(*args, **kwargs)
            made_flow.first_psn = made_flow.next_psn = 2**24 - 10
            return made_flow

    w = NearTheEnd("qps2", 1, 60, MTU, 10**9)
    path = os.path.join(place(), "wrap.pcap")
    roce.write_pcap(path, traffic.frames(w, bytes(12)))
    for got in balance.by_flow(balance.packets(path)).values():
        assert [p.psn for p in got] == [(2**24 - 10 + i) % 2**24 for i in range(30)]
    assert all(oracle.icrc(f) == (True, True) for f in pcapio.read_frames(path))
    numbers = collections.defaultdict(list)
    for _, _, flow, number in measure.Flows(traffic.flow_list(w)).read(path):
        numbers[flow].append(number)
    assert numbers == {0: list(range(30)), 1: list(range(30))}, numbers


@tap.test
def the_ar_bit_is_set_where_it_was_asked_for():
    for ar, want in (("write", {True}), ("send", {False}), ("all", {True, False}), ("none", set())):
        path = made("mix", "--ar", ar)[0]
        for p in balance.packets(path):
            assert bool(p.bits & AR) == ((p.opcode in WRITES) in want), (ar, p)
        assert all(oracle.icrc(f) == (True, True) for f in pcapio.read_frames(path))
    assert open(made("mix")[0], "rb").read() == open(made("mix", "--ar", "write")[0], "rb").read()


@tap.test
def times_are_those_of_the_rate():
    path, told, _ = made("qps256", "--rate", "2.5Gbit")
    bits = 0
    for p in balance.packets(path):
        assert p.ns == bits * 10**9 // 2_500_000_000, (p, bits)
        bits += balance.wire_bits(p.size)
    assert told["rate_bps"] == 2_500_000_000
    for name in ALL:
        times = [p.ns for p in balance.packets(made(name)[0])]
        assert times[0] == 0 and times == sorted(times), name


@tap.test
def steps_are_so_far_apart_that_a_slow_line_is_empty_again():
    path, told, _ = made("ring8x4", "--rate", "8Gbit", "--drain", "1Gbit")
    steps, got = balance.Steps(told), balance.packets(path)
    begin = [min(p.ns for p in got if steps.step(p) == k) for k in range(4)]
    assert begin == told["step_ns"], (begin, told["step_ns"])
    for k in range(3):
        one = [p for p in got if steps.step(p) == k]
        end = balance.on_line(one, 10**9)[-1][0] // 1000
        assert begin[k + 1] >= end + 1_000_000 - 1000, (k, begin, end)


@tap.test
def both_flow_lists_say_what_is_in_the_capture():
    for name in ALL:
        path, told, rows = made(name)
        steps = balance.Steps(told)
        parts = collections.defaultdict(list)
        for p in balance.packets(path):
            parts[balance.flow(p), steps.step(p)].append(p)
        assert told["packets"] == sum(map(len, parts.values())) <= PACKETS
        assert len(rows) == len(parts) == sum(len(f["steps"]) for f in told["flows"])
        rows = iter(rows)
        for f in told["flows"]:
            for step, n, size, first_ns, last_ns in f["steps"]:
                row = next(rows)
                key = bytes(map(int, f["src"].split("."))), bytes(map(int, f["dst"].split("."))), f["dest_qp"]
                got = parts[key, step]
                want = (n, size, first_ns, last_ns)
                assert (len(got), sum(p.size for p in got), got[0].ns, got[-1].ns) == want, (name, f)
                for column in "flow kind verb src dst sport src_qp dest_qp".split():
                    assert row[column] == str(f[column]), (name, row)
                assert (int(row["packets"]), int(row["bytes"])) == want[:2], (name, row)
                assert (int(row["first_ns"]), int(row["last_ns"])) == want[2:], (name, row)
                assert int(row["step"]) == step and int(row["first_psn"]) == got[0].psn, (name, row)


@tap.test
def acks_come_back_one_a_message():
    acks = os.path.join(place(), "acks.pcap")
    path, told, _ = made("ring8x4", "--acks", acks, "--ack-after", "3us")
    assert open(path, "rb").read() == open(made("ring8x4")[0], "rb").read()
    asked = [p for p in balance.packets(path) if p.bits & ASK]
    src_qp = {(f["src"], f["dst"], f["dest_qp"]): f["src_qp"] for f in told["flows"]}
    got = pcapio.read_pcap(acks).frames
    assert len(got) == len(asked)
    msn = collections.Counter()
    for p, (ns, frame) in zip(asked, got):
        msn[balance.flow(p)] += 1
        src, dst = oracle.addresses(frame)
        head = oracle.bth(frame)
        assert (src.packed, dst.packed, ns) == (p.dst, p.src, p.ns + 3000), (p, src, dst, ns)
        assert (head.opcode, head.psn) == (0x11, p.psn), head
        assert head.dest_qp == src_qp[str(dst), str(src), p.dest_qp], head
        assert oracle.icrc(frame) == (True, True)
        aeth = int.from_bytes(frame[54:58], "big")
        assert aeth >> 29 == 0 and aeth & 0xFFFFFF == msn[balance.flow(p)], hex(aeth)


@tap.test
def what_is_wrong_gets_told_and_nothing_is_written():
    out = os.path.join(place(), "refused.pcap")
    for words, said in (
        (["ring", "--out", out], "there is no workload 'ring'"),
        (["ring1x1", "--out", out], "ring1x1: a ring has two ranks at least"),
        (["alltoall1", "--out", out], "two ranks"),
        (["qps0", "--out", out], "numbers go from 1 to 65534"),
        (["ring999999999999x1", "--out", out], "numbers go from 1 to 65534"),
        (["ring512x16", "--packets", "8191", "--out", out], "takes 8192 packets at least; 8191 are allowed"),
        (["mix", "--packets", "100", "--out", out], "takes 400 packets at least"),
        (["qps4"], "--out"),
        (["qps4", "--out", out, "--rate", "40"], "want a rate such as 100Gbit"),
        (["qps4", "--out", out, "--rate", "1kbit"], "from 1Mbit"),
        (["qps4", "--out", out, "--mtu", "1500"], "1500"),
        (["qps4", "--out", out, "--ar", "maybe"], "maybe"),
        (["qps4", "--out", out, "--packets", "0"], "want a number from 1 to"),
        (["qps4", "--out", out, "--to", "02:00"], "want a MAC"),
        (["qps4", "--out", out, "--nonsense"], "--nonsense"),
    ):
        done = running.run([WORKLOAD, *words], status=2)
        assert said in done.err, (words, done.err)
        assert not os.path.exists(out), words
    done = running.run([WORKLOAD, "qps4", "--out", os.path.join(place(), "no", "x.pcap")], status=1)
    assert "No such file" in done.err and "Traceback" not in done.err, done.err


@tap.test
def it_leaves_no_cache_in_the_tree():
    made("qps16")
    found = subprocess.run(["find", os.path.join(replay.ROOT, "scripts"), "-name", "__pycache__"],
                           stdout=subprocess.PIPE, text=True, check=True).stdout  # fmt: skip
    assert "balance.d" not in found, found


if __name__ == "__main__":
    tap.run()
