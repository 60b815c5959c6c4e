#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
softbag-replay in virtual time: arrivals at a rate, shaped and delayed ports to the nanosecond, the
series of queues over time and its picture.
"""

import collections
import csv
import filecmp
import fractions
import json
import math
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import pcapio, replay, running, tap  # noqa: E402

PLOT = os.path.join(replay.ROOT, "scripts", "plot")
COLUMNS = (
    "time_ms port class backlog_bytes held_bytes ce_marked dropped pfc_in pfc_out paused"
    " out_packets out_bytes kmin_bytes kmax_bytes"
).split()


def folder():
    made = tempfile.TemporaryDirectory(prefix="softbag-replay-")
    tap.defer(made.cleanup)
    return made.name


def node(keys="", in_keys="", memory="1GB", classes=""):
    """in0 and out0, everything from the one to the other."""
    return "\n".join(
        [
            "version: 1",
            "node: {name: timed, id: 11}",
            f'runtime: {{memory: {memory}, eal: ["--no-huge"]}}',
            "ports:",
            '  - {name: in0, device: a, role: nsf, mac: "02:00:00:00:00:01", mtu: 1500'
            + (", " + in_keys if in_keys else "")
            + "}",
            '  - {name: out0, device: b, role: longhaul, mac: "02:00:00:00:0a:00", mtu: 1500'
            + (", " + keys if keys else "")
            + "}",
            classes or "classes:\n  - {class: 3, name: rdma, dscp: [26]}",
            "groups:",
            '  - {name: g, members: [{port: out0, mac: "02:00:00:00:0b:00"}]}',
            "routes:",
            '  static: [{prefix: "0.0.0.0/0", group: g}]',
            "",
        ]
    )


def data(n, size=1024):
    """RoCE data frames that differ in PSN and length."""
    frame = {
        k: f.ether(
            f.roce_ip("10.1.64.1", "10.2.0.1", f.RC + f.WRITE_MIDDLE, qpn=2, payload=bytes(size + k))
        )
        for k in (0, 64, 256)
    }
    return [frame[(0, 64, 256)[i * i % 3]] for i in range(n)]


def run(yaml, frames, *options, where=None, **more):
    """A run in a folder of its own; frames: those of in0, or {port: frames}."""
    where = where or folder()
    conf = os.path.join(where, "node.yaml")
    with open(conf, "w", encoding="ascii") as out:
        out.write(yaml)
    if not isinstance(frames, dict):
        frames = {"in0": frames}
    paths = {}
    for port, content in frames.items():
        paths[port] = os.path.join(where, f"{port}.pcap")
        pcapio.write_pcap(paths[port], content, ns=True)
    return replay.run(conf, paths, where, *options, **more)


def times(result, port="out0"):
    return [t for t, _ in pcapio.read_pcap(os.path.join(result.folder, "out", port + ".pcap")).frames]


def wire_bits(frame):
    return (max(len(frame), 60) + 24) * 8


def arrivals(frames, per_second, packets=False):
    """Nanoseconds at which frames come by at a rate: the sum before each, exactly."""
    sum_before, out = 0, []
    for frame in frames:
        out.append(int(fractions.Fraction(sum_before * 10**9, per_second)))
        sum_before += 1 if packets else wire_bits(frame)
    return out


def series(result):
    with open(os.path.join(result.folder, "series.csv"), encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS, reader.fieldnames
        return list(reader)


def run_series(yaml, frames, *options, **more):
    where = folder()
    path = os.path.join(where, "series.csv")
    return run(yaml, frames, "--series", path, *options, where=where, **more)


def queue_rows(rows, port="out0", number="3"):
    return [row for row in rows if (row["port"], row["class"]) == (port, number)]


def total(rows, column):
    return sum(int(row[column]) for row in rows)


@tap.test(timeout=120)
def frames_arrive_at_their_rate_to_the_nanosecond_and_do_not_drift():
    frames = data(3000) + [f.ether(f.roce_ip("10.1.64.1", "10.2.0.1", f.RC + f.ACK))] * 3000
    for text, per_second, packets in (
        ("20Gbit", 20 * 10**9, False),
        ("7Mbit", 7 * 10**6, False),
        ("1.6Tbit", 1600 * 10**9, False),
        ("3Mpps", 3 * 10**6, True),
        ("7pps", 7, True),
        ("10Gpps", 10**10, True),
    ):
        for options in ((), ("--timing", "asis"), ("--burst", "1")):
            result = run(node(), frames, "--rate", f"in0={text}", *options)
            want = arrivals(frames, per_second, packets)
            got = times(result)
            assert result.json["out"] == len(frames)
            wrong = [(i, a, b) for i, (a, b) in enumerate(zip(got, want)) if a != b]
            assert not wrong, (text, options, wrong[:5])


@tap.test
def loops_and_captures_of_a_port_go_on_at_the_rate():
    where = folder()
    frames = data(100)
    parts = []
    for i, part in enumerate((frames[:30], frames[30:])):
        parts.append(os.path.join(where, f"part{i}.pcap"))
        pcapio.write_pcap(parts[-1], part)
    conf = os.path.join(where, "node.yaml")
    with open(conf, "w", encoding="ascii") as out:
        out.write(node())
    out = os.path.join(where, "out")
    words = [replay.PROGRAM, "-c", conf, "--rate", "in0=1Gbit", "--loop", "50", "--out", out]
    words += [w for path in parts for w in ("--in", f"in0={path}")]
    running.run(words, status=0)
    got = [t for t, _ in pcapio.read_pcap(os.path.join(out, "out0.pcap")).frames]
    assert got == arrivals(frames * 50, 10**9)


@tap.test
def a_rate_is_of_its_port_only():
    frames = [(1_000_000 * i + 5_000_000_000, frame) for i, frame in enumerate(data(10))]
    back = [(7_000_000_000 + 3_000 * i, frame) for i, (_, frame) in enumerate(frames)]
    two = node(in_keys="promiscuous: true").replace("mtu: 1500}", "mtu: 1500, promiscuous: true}")
    result = run(
        two, {"in0": frames, "out0": back}, "--rate", "in0=1Mpps", "--timing", "asis"
    )
    # all leaves by out0: 10 of in0 each us, and the others as captured, from the first of them on
    want = sorted([1000 * i for i in range(10)] + [3000 * i for i in range(10)])
    assert times(result) == want, times(result)


@tap.test(timeout=120)
def a_pace_holds_frames_that_come_faster_and_loses_none():
    frames = data(500)
    result = run(node(in_keys="pace: 100kpps"), frames, "--rate", "in0=1Mpps")
    got = times(result)
    assert result.json["out"] == 500
    assert got[-1] - got[64] >= (500 - 65) * 9_990, (got[64], got[-1])


def shaped(came, cost):
    """
    When frames leave that came at these times (ns) and take so long at the rate (ns): the virtual
    scheduling algorithm (ITU-T I.371) with a tolerance of 100 us, at whole nanoseconds.
    """
    tat, last, out = fractions.Fraction(0), 0, []
    for at, ns in zip(came, cost):
        last = max(at, last, math.ceil(tat - 100_000))
        out.append(last)
        tat = max(tat, last) + ns
    return out


@tap.test(timeout=240)
def a_shaped_port_sends_each_frame_when_its_rate_says():
    frames = data(5000)
    for text, per_second in (("10Mbit", 10**7), ("1Gbit", 10**9), ("100Gbit", 10**11)):
        cost = [fractions.Fraction(wire_bits(x) * 10**9, per_second) for x in frames]
        bursts = [1000 * (i // 64) for i in range(len(frames))]
        for options, came in (
            (("--rate", f"in0={2 * per_second}bit"), arrivals(frames, 2 * per_second)),
            ((), bursts),
        ):
            result = run(node(f"rate: {text}"), frames, *options)
            got, want = times(result), shaped(came, cost)
            assert result.json["out"] == len(frames), result.json["drops"]
            # the shaper's own times a byte are rounded to 2^-20 ps
            wrong = [(i, a, b) for i, (a, b) in enumerate(zip(got, want)) if abs(a - b) > 1]
            assert not wrong, (text, options, wrong[:5])
            tail = zip(got[-200:], got[-199:], cost[-200:])
            assert all(abs(b - a - ns) <= 1 for a, b, ns in tail), (text, options)


@tap.test(timeout=120)
def a_rate_of_two_layers_and_a_rewrite_change_nothing_else():
    frames = data(300)
    result = run(node("rate: 10Mbit, rate_layer: l2"), frames)
    got = times(result)
    gap = (len(frames[-2]) + 4) * 8 * 100
    assert abs(got[-1] - got[-2] - gap) <= 1, (got[-2:], gap)


@tap.test(timeout=240)
def a_delay_is_added_to_the_nanosecond_and_costs_no_rate():
    frames = data(2000)
    without = times(run(node("rate: 1Gbit"), frames, "--rate", "in0=1.5Gbit"))
    for keys, delay in (
        ("delay: 1ms", 1_000_000),
        ("delay: 50ms", 50_000_000),
        ("distance: 1000km, delay: emulate", 5_000_000),
    ):
        result = run(node("rate: 1Gbit, " + keys), frames, "--rate", "in0=1.5Gbit")
        assert times(result) == [t + delay for t in without], keys
        assert result.json["waiting"] == 0 and result.json["drops"]["stopped"] == 0
        assert result.json["virtual_ns"] == without[-1] + delay


@tap.test
def a_thousand_kilometres_are_over_at_once():
    keys = "rate: 100Gbit, distance: 1000km, delay: emulate, ecn: auto"
    result = run(node(keys, memory="4GB"), data(5000), "--rate", "in0=200Gbit", timeout=60)
    report = result.json
    assert report["out"] == 5000 and not replay.check_conservation(report), report["drops"]
    assert 5_000_000 <= report["virtual_ns"] < 6_000_000, report["virtual_ns"]
    got = times(result)
    assert got[0] == 5_000_000, got[0]


def pause(quanta, classes=(3,), mac="02:00:00:00:09:01"):
    vector = sum(1 << c for c in classes)
    each = [quanta if c in classes else 0 for c in range(8)]
    body = struct.pack("!HH8H", 0x0101, vector, *each)
    return f.ether(body, dst="01:80:c2:00:00:01", src=mac, kind=0x8808)


LOSSLESS = "classes:\n  - {class: 3, name: rdma, dscp: [26], lossless: true}"


@tap.test
def what_is_paused_at_the_end_leaves_when_the_pause_is_over():
    keys = 'rate: 1Gbit, distance: 1km, pfc: {classes: [3], watchdog: "off"}'
    result = run_series(
        node(keys, classes=LOSSLESS, memory="2GB"),
        {"in0": [(5_000, x) for x in data(10)], "out0": [(0, pause(20_000))]},
        "--timing", "asis",
    )  # fmt: skip
    got = times(result)
    # 20,000 quanta of 512 ns
    assert result.json["out"] == 10 and min(got) == 10_240_000, got
    rows = queue_rows(series(result))
    assert total(rows, "pfc_in") == 1
    assert [int(row["paused"]) for row in rows][:10] == [1] * 10 and rows[-1]["paused"] == "0"


@tap.test
def pause_frames_of_our_own_are_in_the_capture_and_no_packets():
    keys = "rate: 100Mbit"
    pfc = 'rate: 10Gbit, distance: 1km, pfc: {classes: [3], xoff: 20KB, xon: 10KB, watchdog: "off"}'
    frames = data(150)  # the capture does not heed the pause: less than the headroom
    result = run_series(
        node(keys, in_keys=pfc, classes=LOSSLESS, memory="2GB"), frames, "--rate", "in0=1Gbit"
    )
    report = result.json
    assert report["out"] == 150 and not replay.check_conservation(report), report["drops"]
    sent = result.out["in0"]
    assert len(sent) >= 2 and all(x[12:14] == b"\x88\x08" for x in sent), len(sent)
    first, last = (struct.unpack_from("!HH8H", x, 14) for x in (sent[0], sent[-1]))
    assert first[:2] == (0x0101, 8) and first[2 + 3] == 65535
    assert last[2 + 3] == 0, "the last one lets the sender go on"
    # repeated before half of the pause is over: 65,535 quanta of 51.2 ns
    at = times(result, "in0")
    assert all(b - a <= 65535 * 51.2 / 2 for a, b in zip(at[:-2], at[1:-1])), at
    rows = series(result)
    assert total(queue_rows(rows, "in0"), "pfc_out") == len(sent)
    assert max(int(row["held_bytes"]) for row in queue_rows(rows, "in0")) > 20_000
    assert queue_rows(rows, "in0")[-1]["held_bytes"] == "0"


@tap.test(timeout=120)
def several_workers_share_a_shaper_and_repeat():
    flows = [
        f.ether(f.roce_ip("10.1.64.1", "10.2.0.1", f.RC + f.WRITE_MIDDLE, qpn=9, sport=49152 + i,
                          payload=bytes(1000)))
        for i in range(64)
    ]  # fmt: skip
    frames = [flows[i * 7 % 64] for i in range(3000)]
    workers = "\n  ".join(
        ["workers:"] + [f"  - {{lcore: {i}, rx: [in0, out0]}}" for i in range(1, 4)]
    )
    yaml = node("rate: 1Gbit, delay: 2ms").replace(
        'runtime: {memory: 1GB, eal: ["--no-huge"]}',
        f'runtime:\n  memory: 1GB\n  eal: ["--no-huge"]\n  {workers}',
    )
    runs = [run(yaml, frames, "--rate", "in0=2Gbit") for _ in range(2)]
    assert times(runs[0]) == times(runs[1]) and runs[0].out == runs[1].out
    got = times(runs[0])
    assert len(got) == 3000 and not replay.check_conservation(runs[0].json)
    ns = wire_bits(frames[0])  # a bit is 1 ns at 1 Gbit/s
    tail = [b - a for a, b in zip(got[-1000:], got[-999:])]
    assert all(abs(gap - ns) <= 1 for gap in tail), collections.Counter(tail).most_common(5)


@tap.test
def too_few_buffers_make_frames_late_and_that_is_told():
    yaml = node("rate: 10Mbit").replace("memory: 1GB", "memory: 1GB, mbufs: 2048")
    frames = data(5000)
    result = run(yaml, frames, "--rate", "in0=10Gbit", timeout=50)
    assert result.json["in"] == result.json["out"] == 5000, result.json["drops"]
    assert "runtime.mbufs" in result.stderr, result.stderr
    few = run(yaml, frames[:500], "--rate", "in0=10Gbit")
    assert few.json["out"] == 500 and "mbufs" not in few.stderr, few.stderr


@tap.test(timeout=120)
def a_pause_that_outlasts_the_buffers_is_no_fault():
    """Every buffer waits for the end of a pause of 3.4 s; our own XOFF, which is due, has none."""
    small = "xoff: 20KB, xon: 10KB, headroom: 100KB"
    yaml = node(
        f'rate: 10Mbit, pfc: {{classes: [3, 5], {small}, watchdog: "off"}}',
        in_keys=f'rate: 10Gbit, pfc: {{classes: [3], {small}, watchdog: "off"}}',
        classes=LOSSLESS + "\n  - {class: 5, name: other, dscp: [40], lossless: true}",
    ).replace("memory: 1GB", "memory: 1GB, mbufs: 2048")
    write = f.RC + f.WRITE_MIDDLE
    other = f.ether(f.roce_ip("10.1.64.1", "10.2.0.1", write, tos=40 << 2, payload=bytes(64)))
    came = [(1_000, x) for x in data(30)] + [(2_000, other)] * 5000
    result = run(
        yaml,
        {"in0": came, "out0": [(0, pause(65535, (3, 5)))]},
        "--timing", "asis", timeout=100,
    )  # fmt: skip
    assert "fault" not in result.stderr, result.stderr
    assert "runtime.mbufs" in result.stderr, result.stderr
    assert result.json["in"] == 5031 and result.json["out"] == 5030, result.json["drops"]


@tap.test
def ctrl_c_while_packets_wait_drops_them_and_reports():
    where = folder()
    path, conf, report = (os.path.join(where, x) for x in ("in.pcap", "node.yaml", "report.json"))
    pcapio.write_pcap(path, data(10))
    with open(conf, "w", encoding="ascii") as out:
        out.write(node("rate: 10Mbit, delay: 1s"))
    words = [replay.PROGRAM, "-c", conf, "--in", f"in0={path}", "--json", report]
    # more than it can play in the time: queues are full when the key comes
    term = running.Terminal(tap, [*words, "--seconds", "1000", "--rate", "in0=20Mbit"])
    term.wait_for("replay: ")
    term.type(b"\x03")
    done = term.wait(timeout=30)
    with open(report, encoding="utf-8") as file:
        early = json.load(file)
    assert done.status == 0 and early["drops"]["stopped"] > 0, early["drops"]
    assert not replay.check_conservation(early) and early["waiting"] == 0


@tap.test
def copies_are_counted_and_the_sums_hold():
    result = run(
        node("rate: 1Gbit, impair: {duplicate: 20%, loss: 5%, jitter: 50us, seed: 4}"), data(2000)
    )
    report = result.json
    assert report["duplicated"] > 200 and report["drops"]["impair_loss"] > 40, report
    assert (
        report["in"] + report["duplicated"]
        == report["out"] + report["punted"] + report["dropped"]
    )
    assert sum(map(len, result.out.values())) == report["out"]


MARKED = "rate: 1Gbit, ecn: {kmin: 50KB, kmax: 200KB, pmax: 10%}, delay: 2ms"


@tap.test
def a_series_has_a_row_each_step_and_its_sums_are_those_of_the_report():
    frames = data(4000)
    for step, options in ((1_000_000, ()), (250_000, ("--series-step", "250us"))):
        result = run_series(node(MARKED), frames, "--rate", "in0=1.2Gbit", *options)
        report, rows = result.json, queue_rows(series(result))
        assert len(rows) == len(series(result)), "another queue has rows"
        assert [row["time_ms"] for row in rows[:-1]] == [
            f"{(i + 1) * step / 1e6:g}" for i in range(len(rows) - 1)
        ]
        end = float(rows[-1]["time_ms"]) * 1e6
        assert round(end) == report["virtual_ns"] and end - step * (len(rows) - 1) <= step
        assert total(rows, "ce_marked") == report["ecn"]["ce_marked"] > 0
        assert total(rows, "out_packets") == report["ports"]["out0"]["out"]["packets"]
        assert total(rows, "out_bytes") == report["ports"]["out0"]["out"]["bytes"]
        assert total(rows, "dropped") == report["dropped"] == 0
        assert {(row["kmin_bytes"], row["kmax_bytes"]) for row in rows} == {("50000", "200000")}
        check_backlog(frames, rows, step)


def check_backlog(frames, rows, step):
    """The backlog is what came in less what the shaper let go."""
    came = arrivals(frames, 1_200_000_000)
    left = shaped(came, [wire_bits(x) for x in frames])  # a bit is 1 ns at 1 Gbit/s
    for i, row in enumerate(rows[:-1]):
        t = (i + 1) * step
        want = sum(len(x) for x, a, b in zip(frames, came, left) if a <= t < b)
        assert int(row["backlog_bytes"]) == want, (t, row["backlog_bytes"], want)


@tap.test
def drops_of_a_full_queue_are_in_the_series():
    classes = "classes:\n  - {class: 3, name: rdma, dscp: [26], limit: 100KB}"
    result = run_series(node("rate: 10Mbit", classes=classes), data(1000), "--rate", "in0=1Gbit")
    rows = queue_rows(series(result))
    assert total(rows, "dropped") == result.json["drops"]["queue_full"] > 500
    assert max(int(row["backlog_bytes"]) for row in rows) <= 100_000


@tap.test
def a_long_silence_does_not_fill_the_disk():
    frames = data(20)
    late = [(0, x) for x in frames] + [(86_400_000_000_000, x) for x in frames]
    result = run_series(node("rate: 10Mbit"), late, "--timing", "asis")
    rows = queue_rows(series(result))
    assert len(rows) < 100 and total(rows, "out_packets") == 40, len(rows)
    assert float(rows[-1]["time_ms"]) > 86_400_000


@tap.test(timeout=120)
def two_runs_give_the_same_bytes_of_everything():
    keys = "rate: 1Gbit, delay: 3ms, impair: {loss: 1%, duplicate: 1%, jitter: 20us, seed: 9}"
    keys += ", ecn: {kmin: 20KB, kmax: 90KB, pmax: 30%}"
    runs = [run_series(node(keys), data(2000), "--rate", "in0=2Gbit") for _ in range(2)]
    for name in ("in0", "out0"):
        paths = [os.path.join(x.folder, "out", name + ".pcap") for x in runs]
        assert filecmp.cmp(*paths, shallow=False), name
    assert replay.untimed(runs[0].json) == replay.untimed(runs[1].json)
    assert series(runs[0]) == series(runs[1]) and len(series(runs[0])) > 5


@tap.test
def the_end_by_seconds_leaves_nothing_behind_and_counts_it():
    result = run(
        node("rate: 10Mbit, delay: 50ms"), data(100), "--seconds", "0.5", "--rate", "in0=1Gbit",
        write=False,
    )  # fmt: skip
    report = result.json
    assert report["drops"]["stopped"] > 0 and report["waiting"] == 0, report["drops"]
    assert not replay.check_conservation(report)


@tap.test
def marks_are_told_in_the_text():
    where = folder()
    path, conf = os.path.join(where, "in.pcap"), os.path.join(where, "node.yaml")
    pcapio.write_pcap(path, data(3000))
    with open(conf, "w", encoding="ascii") as out:
        out.write(node(MARKED))
    done = running.run(
        [replay.PROGRAM, "-c", conf, "--in", f"in0={path}", "--rate", "in0=2Gbit"], status=0
    )
    line = next(x for x in done.out.splitlines() if x.startswith("ECN:"))
    numbers = [int(x.replace(",", "")) for x in line.replace(", ", " ").split() if x[0].isdigit()]
    assert numbers[0] == 0 and numbers[1] > 100 and numbers[2] == 0, line


@tap.test(timeout=120)
def nonsense_is_refused_and_nothing_is_written():
    where = folder()
    shaped, plain = (os.path.join(where, name) for name in ("shaped.yaml", "plain.yaml"))
    capture, out = os.path.join(where, "in.pcap"), os.path.join(where, "series.csv")
    for path, keys in ((shaped, "rate: 1Gbit"), (plain, "")):
        with open(path, "w", encoding="ascii") as file:
            file.write(node(keys))
    pcapio.write_pcap(capture, data(3))
    for conf, words, said in (
        (shaped, ["--rate", "in0"], "PORT=RATE"),
        (shaped, ["--rate", "in0="], "PORT=RATE"),
        (shaped, ["--rate", "=1Gbit"], "PORT=RATE"),
        (shaped, ["--rate", "in0=20"], "20Gbit"),
        (shaped, ["--rate", "in0=-1Gbit"], "bit rate"),
        (shaped, ["--rate", "in0=0Gbit"], "bit rate"),
        (shaped, ["--rate", "in0=2Tbit"], "1600Gbit"),
        (shaped, ["--rate", "in0=1gbit"], "1Gbit"),
        (shaped, ["--rate", "in0=0pps"], "1pps"),
        (shaped, ["--rate", "in0=3mpps"], "3Mpps"),
        (shaped, ["--rate", "in0=1.5Mpps"], "smaller unit"),
        (shaped, ["--rate", "out0=1Gbit"], "no capture comes in by out0"),
        (shaped, ["--rate", "nowhere=1Gbit"], "nowhere"),
        (shaped, ["--rate", "in0=1Gbit", "--rate", "in0=2Gbit"], "one rate"),
        (shaped, ["--rate", "in0=1pps", "--loop", "1000000000000"], "century"),
        (shaped, ["--series", ""], "--series"),
        (shaped, ["--series", "-"], "--series"),
        (shaped, ["--series-step", "1ms"], "--series"),
        (shaped, ["--series", out, "--series-step", "1"], "1ms"),
        (shaped, ["--series", out, "--series-step", "0ms"], "1us"),
        (shaped, ["--series", capture], "overwrite"),
        (shaped, ["--series", out, "--json", out], "two"),
        (shaped, ["--series", os.path.join(where, "out0.pcap"), "--out", where], "out0"),
        (plain, ["--series", out], "no port"),
    ):
        done = running.run([replay.PROGRAM, "-c", conf, "--in", f"in0={capture}", *words])
        assert done.status == 2, f"{words}: exit status {done.status}\n{done.err}"
        assert said in done.err and done.err.count("\n") == 1, f"{words}: {done.err}"
        assert not os.path.exists(out) and not done.out, words


@tap.test
def a_series_that_cannot_be_written_fails_the_run():
    result = run(node("rate: 1Gbit"), data(3), "--series", "/nowhere/series.csv", status=1)
    assert "/nowhere/series.csv" in result.stderr and result.json is None, result.stderr
    result = run(node("rate: 1Gbit"), data(3), "--series", "/dev/full", status=1)
    assert "/dev/full" in result.stderr, result.stderr


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n", head
    return struct.unpack(">II", head[16:24])


@tap.test
def plot_draws_a_picture():
    tap.require("gnuplot")
    result = run_series(node(MARKED), data(4000), "--rate", "in0=1.2Gbit")
    path = os.path.join(result.folder, "series.csv")
    done = running.run([PLOT, path], status=0)
    picture = os.path.join(result.folder, "series.png")
    assert done.out.strip() == picture, done.out
    assert png_size(picture) == (1200, 900) and os.path.getsize(picture) > 10_000
    other = os.path.join(result.folder, 'a "name" of_its own.png')
    running.run([PLOT, path, "--out", other, "--size", "800x600", "--class", "3"], status=0)
    assert png_size(other) == (800, 600)


@tap.test
def plot_refuses_what_is_no_series():
    where = folder()
    head = ",".join(COLUMNS)
    files = {
        "empty.csv": b"",
        "header.csv": head.encode() + b"\n",
        "other.csv": b"a,b,c\n1,2,3\n",
        "cut.csv": head.encode() + b"\n1,out0,3,4\n",
        "text.csv": head.encode() + b"\n" + b",".join([b"x"] * len(COLUMNS)) + b"\n",
        "binary.csv": bytes(range(256)),
    }
    for name, content in files.items():
        with open(os.path.join(where, name), "wb") as file:
            file.write(content)
    for name in [*files, "nowhere.csv"]:
        path = os.path.join(where, name)
        done = running.run([PLOT, path])
        assert done.status == 2 and path in done.err and done.err.count("\n") == 1, (name, done)
        assert not [x for x in os.listdir(where) if x.endswith(".png")], name
    result = run_series(node(MARKED), data(100))
    path = os.path.join(result.folder, "series.csv")
    for words, said in (
        (["--port", "nowhere"], "out0"),
        (["--class", "5"], "3"),
        (["--size", "big"], "1200x900"),
        (["--out", path], "overwrite"),
        (["--nonsense"], "--nonsense"),
    ):
        done = running.run([PLOT, path, *words])
        assert done.status == 2 and said in done.err, (words, done)


if __name__ == "__main__":
    tap.run()
