#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""softbag-replay as a tool: what it reads, refuses and reports, and that it repeats."""

import concurrent.futures
import filecmp
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import pcapio, replay, running, tap  # noqa: E402

# As they were published: keys of the report may join and none goes.
STAGES = {"rx", "parse", "ingress", "route", "select", "enqueue", "egress", "drop"}


def folder():
    made = tempfile.TemporaryDirectory(prefix="softbag-replay-")
    tap.defer(made.cleanup)
    return made.name


def same_out(a, b):
    """The files of two runs, byte for byte."""
    names = sorted(os.listdir(os.path.join(a.folder, "out")))
    assert names == sorted(os.listdir(os.path.join(b.folder, "out"))), names
    for name in names:
        one, two = (os.path.join(x.folder, "out", name) for x in (a, b))
        assert filecmp.cmp(one, two, shallow=False), f"{name} differs"
    return names


@tap.test
def the_report_has_its_keys():
    result = replay.run(replay.Node((3, 1)), replay.data("roce_basic.pcap"), folder())
    report = result.json
    for key in ("in", "out", "punted", "dropped"):
        assert isinstance(report[key], int), key
    assert all(isinstance(n, int) for n in report["drops"].values())
    assert {"runt", "no_route", "ip4_checksum", "mac_control", "tx_full"} <= set(report["drops"])
    assert set(report["ports"]) == {"in0", "out0", "out1"}
    for port in report["ports"].values():
        for way in ("in", "out"):
            assert isinstance(port[way]["packets"], int) and isinstance(port[way]["bytes"], int)
    group = report["groups"]["g"]
    assert isinstance(group["packets"], int) and group["imbalance"] >= 1
    for member in group["members"]:
        assert {"port", "packets", "bytes"} <= set(member)
    assert {"ce_in", "ce_marked", "would_mark_not_ect"} <= set(report["ecn"])
    assert report["cycles_per_packet"] > 0
    assert STAGES <= set(report["stages"])
    assert isinstance(report["generation"], int) and report["generation"] >= 1
    frames = pcapio.read_frames(replay.data("roce_basic.pcap"))
    assert report["ports"]["in0"]["in"] == {"packets": 504, "bytes": sum(map(len, frames))}


@tap.test
def two_runs_give_the_same_bytes():
    runs = []
    for _ in range(2):
        where = folder()
        inputs = {"in0": replay.data("quickstart_nsf0.pcap")}
        runs.append(replay.run(replay.Node((3, 1)), inputs, where))
    assert len(same_out(*runs)) >= 2
    assert replay.untimed(runs[0].json) == replay.untimed(runs[1].json)


@tap.test(timeout=240)
def small_segments_change_nothing():
    for name in (
        "roce_basic",
        "fragments",
        "extensions",
        "mac_control",
        "malformed",
        "rxe_cm_mix_v4_m1024",
        "rxe_rc_write_v6_m4096",
        "quickstart_nsf0",
        "edge",
    ):
        whole = replay.run(replay.Node(), replay.data(name + ".pcap"), folder())
        cut = replay.run(
            replay.Node(), replay.data(name + ".pcap"), folder(), "--segment-len", "64"
        )
        same_out(whole, cut)
        assert replay.untimed(whole.json) == replay.untimed(cut.json), name


@tap.test(timeout=600)
def small_segments_change_nothing_in_foreign_captures():
    def compare(path):
        one = replay.run(replay.Node(), path, folder())
        cut = replay.run(replay.Node(), path, folder(), "--segment-len", "64")
        same_out(one, cut)
        assert replay.untimed(one.json) == replay.untimed(cut.json), path

    paths = [p for p, capture in replay.foreign_captures(folder()) if replay.whole(capture)]
    # two at a time: each run is one thread, and this takes a minute one by one
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(compare, paths))
    assert len(paths) > 30, len(paths)


@tap.test(timeout=120)
def bursts_of_any_size_give_the_same():
    runs = [
        replay.run(replay.Node(), replay.data("quickstart_nsf0.pcap"), folder(), "--burst", str(n))
        for n in (1, 7, 32, 64)
    ]
    for other in runs[1:]:
        assert other.out == runs[0].out
        assert replay.untimed(runs[0].json)["ports"] == replay.untimed(other.json)["ports"]


@tap.test(timeout=120)
def every_shape_of_file_reads_alike():
    first = replay.run(replay.Node(), replay.data("sample.pcap"), folder())
    assert first.json["out"] == 16
    for name in (
        "sample_ns.pcap",
        "sample_be.pcap",
        "sample_be_ns.pcap",
        "sample.pcapng",
        "sample_be.pcapng",
    ):
        other = replay.run(replay.Node(), replay.data(name), folder())
        assert other.out == first.out, name
        assert other.json["in"] == 16, name


@tap.test
def two_ports_have_a_capture_each():
    node = replay.Node((1, 1))
    inputs = {"in0": replay.data("qps_256.pcap"), "out0": replay.data("sample.pcap")}
    result = replay.run(node, inputs, folder())
    assert result.json["in"] == 272
    assert result.json["ports"]["in0"]["in"]["packets"] == 256
    assert result.json["ports"]["out0"]["in"]["packets"] == 16
    # sample.pcap is addressed to in0's MAC, and out0 is not promiscuous
    assert result.json["drops"]["dst_mac_other"] == 16


@tap.test(timeout=180)
def more_than_a_million_packets_pass():
    once = replay.run(replay.Node((1,) * 4), replay.data("qps_256.pcap"), folder(), write=False)
    many = replay.run(
        replay.Node((1,) * 4),
        replay.data("qps_256.pcap"),
        folder(),
        "--loop",
        "4000",
        write=False,
        timeout=170,
    )
    assert many.json["in"] == many.json["out"] == 1_024_000, many.json
    assert replay.member_packets(many) == [4000 * n for n in replay.member_packets(once)]
    assert not replay.check_conservation(many.json)


def write_flows(path, times):
    """A capture of 256 small RoCEv2 frames of unlike flows, `times` over."""
    pcapio.write_pcap(
        path,
        [
            f.ether(f.roce_ip("10.1.64.1", "10.2.0.1", f.RC + f.ACK, qpn=i, psn=i))
            for i in range(256)
        ],
    )
    with open(path, "rb+") as file:
        head, frames = file.read(24), file.read()
        assert struct.unpack_from("<I", head)[0] == 0xA1B2C3D4
        for _ in range(times - 1):
            file.write(frames)
    return 256 * times


PROGRESS = re.compile(r"^replay: ([\d,]+) packets, (\d+) %, [\d.]+ Mpps$", re.M)


@tap.test(timeout=180)
def a_file_of_more_than_a_million_frames_passes_and_shows_its_progress():
    where = folder()
    path, report = os.path.join(where, "many.pcap"), os.path.join(where, "report.json")
    total = write_flows(path, 4200)
    assert total > 1_000_000
    conf = replay.Node((1,) * 4).write(where)
    words = [replay.PROGRAM, "-c", conf, "--in", f"in0={path}", "--json", report]
    running.run(words, status=0)
    with open(report, encoding="utf-8") as file:
        once = json.load(file)
    assert once["in"] == once["out"] == total, once
    assert not replay.check_conservation(once)
    members = [m["packets"] for m in once["groups"]["g"]["members"]]
    assert all(n > 0 and n % 4200 == 0 for n in members), members
    # Progress comes each second, so this one lasts as long, on any machine.
    term = running.Terminal(tap, [*words, "--seconds", "2.5"], on=("stderr",))
    done = term.wait()
    assert done.status == 0, done
    with open(report, encoding="utf-8") as file:
        long = json.load(file)
    assert long["in"] == long["out"] > 0, long
    shown = [(int(n.replace(",", "")), int(part)) for n, part in PROGRESS.findall(term.screen())]
    assert 1 <= len(shown) <= 3, term.screen()
    assert shown == sorted(shown) and 0 < shown[0][0] <= long["in"] and shown[0][1] < 100, shown


@tap.test
def ctrl_c_ends_a_run_early_and_it_still_reports():
    where = folder()
    report = os.path.join(where, "report.json")
    words = [replay.PROGRAM, "-c", replay.Node().write(where), "--json", report]
    words += ["--in", f"in0={replay.data('qps_256.pcap')}", "--seconds", "1000"]
    term = running.Terminal(tap, words)
    term.wait_for("replay: ")
    term.type(b"\x03")
    done = term.wait(timeout=30)
    assert done.status == 0 and "imbalance" in done.out, done
    with open(report, encoding="utf-8") as file:
        early = json.load(file)
    assert early["in"] == early["out"] > 0 and not replay.check_conservation(early), early


@tap.test
def seconds_end_a_run():
    result = replay.run(
        replay.Node(),
        replay.data("qps_256.pcap"),
        folder(),
        "--seconds",
        "1",
        write=False,
        timeout=50,
    )
    assert result.json["in"] > 256 and not replay.check_conservation(result.json)


@tap.test
def a_file_of_no_packets_is_a_run_of_none():
    where = folder()
    path = os.path.join(where, "empty.pcap")
    pcapio.write_pcap(path, [])
    result = replay.run(replay.Node(), path, where)
    assert result.json["in"] == result.json["out"] == result.json["dropped"] == 0


def refused(path, *words, status=2):
    result = replay.run(replay.Node(), path, folder(), status=status)
    text = result.stderr.lower()
    for word in words:
        assert word.lower() in text, f"{os.path.basename(path)}: no {word!r} in: {result.stderr}"
    assert "sanitizer" not in text and result.json is None


@tap.test
def frames_that_were_cut_are_refused_by_number():
    capture = pcapio.read_pcap(replay.data("sample_snap64.pcap"))
    first = next(i for i, n in enumerate(capture.orig_len) if n > 64)
    refused(replay.data("sample_snap64.pcap"), "sample_snap64.pcap", f"frame {first + 1}")


@tap.test
def other_link_types_are_refused():
    refused(replay.data("sample_raw_ip.pcap"), "sample_raw_ip.pcap", "Ethernet")


@tap.test(timeout=120)
def missing_and_broken_files_are_refused():
    where = folder()
    refused(os.path.join(where, "nowhere.pcap"), "nowhere.pcap")
    broken = {"empty": b"", "text": b"not a capture, but long enough to be one of some kind\n"}
    with open(replay.data("sample.pcap"), "rb") as whole:
        data = whole.read()
    broken["cut_in_header"] = data[: 24 + 7]
    broken["cut_in_frame"] = data[:-1]
    for name, content in broken.items():
        path = os.path.join(where, name + ".pcap")
        with open(path, "wb") as out:
            out.write(content)
        refused(path, name)


@tap.test(timeout=120)
def wrong_command_lines_are_refused():
    where = folder()
    conf, capture = replay.Node().write(where), replay.data("sample.pcap")
    for words, said in (
        (["-c", conf, "--in", f"nowhere={capture}"], "nowhere"),
        (["-c", conf, "--in", capture], "PORT=FILE"),
        (["-c", os.path.join(where, "none.yaml"), "--in", f"in0={capture}"], "none.yaml"),
        (["--in", f"in0={capture}"], "-c"),
        (["-c", conf, "--in", f"in0={capture}", "--loop", "x"], "loop"),
        (["-c", conf, "--in", f"in0={capture}", "--burst", "65"], "burst"),
        (["-c", conf, "--nonsense"], "nonsense"),
        (["-c", conf, "--in", f"in0={capture}", "--out", ""], "--out"),
        (["-c", conf, "--in", f"in0={capture}", "--json", ""], "--json"),
        (
            ["-c", conf, "--in", f"in0={capture}", "--out", where]
            + ["--json", os.path.join(where, "out0.pcap")],
            "out0",
        ),
    ):
        done = subprocess.run(
            [replay.PROGRAM, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 2, f"{words}: exit status {done.returncode}\n{done.stderr}"
        assert said in done.stderr, f"{words}: no {said!r} in: {done.stderr}"


@tap.test
def a_report_that_cannot_be_written_fails_the_run():
    conf, capture = replay.Node().write(folder()), replay.data("sample.pcap")
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run(
            [replay.PROGRAM, "-c", conf, "--in", f"in0={capture}"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1 and "standard output" in done.stderr, done


def replay_to(preparation, out, status=1):
    """A run that writes below `out`, in a mount namespace that `preparation` made ready."""
    tap.require("unshare", root=True)
    where = folder()
    report = os.path.join(where, "report.json")
    words = [replay.PROGRAM, "-c", replay.Node().write(where), "--json", report, "--out", out]
    words += ["--in", f"in0={replay.data('quickstart_nsf0.pcap')}"]
    return running.run(running.within(preparation, words), status=status), report


@tap.test
def a_full_disk_fails_the_run_and_nothing_is_claimed():
    full = folder()
    # Room for the file headers, and for a part of the frames: the last write fails, or an early one.
    for size in ("4k", "64k", "256k"):
        done, report = replay_to(f"mount -t tmpfs -o size={size} none {shlex.quote(full)}", full)
        lines = done.err.splitlines()
        assert len(lines) == 2 and f"{full}: No space left on device" in lines[0], done.err
        assert "not whole" in lines[1] and lines[1].endswith("."), done.err
        assert not done.out, done.out
        assert not os.path.exists(report)
    done, report = replay_to(f"mount -t tmpfs -o size=16m none {shlex.quote(full)}", full, status=0)
    assert done.out and os.path.exists(report), done


@tap.test
def a_folder_that_cannot_be_written_fails_the_run_before_it_begins():
    shut = folder()
    for out in (shut, os.path.join(shut, "new")):
        done, report = replay_to(f"mount -t tmpfs -o ro none {shlex.quote(shut)}", out)
        lines = done.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("softbag-replay: " + out), done.err
        assert "Read-only file system" in lines[0] and lines[0].endswith("."), done.err
        assert not done.out and not os.path.exists(report)
    in_the_way = os.path.join(folder(), "file")
    with open(in_the_way, "w", encoding="ascii"):
        pass
    done, _ = replay_to("true", in_the_way)
    assert in_the_way in done.err and len(done.err.splitlines()) == 1 and not done.out, done.err


@tap.test
def every_error_of_a_node_file_is_told_and_nothing_is_written():
    where = folder()
    conf = os.path.join(where, "node.yaml")
    with open(conf, "w", encoding="ascii") as out:
        out.write(
            replay.Node().yaml.replace("id: 11", "id: eleven").replace("weight: 1}", "weigth: 1}")
        )
    result = replay.run(conf, replay.data("sample.pcap"), where, status=2)
    assert "node.yaml:2:" in result.stderr and result.stderr.count("weigth") >= 4, result.stderr
    assert not os.path.exists(os.path.join(where, "out", "out0.pcap"))


@tap.test
def frames_from_the_shortest_to_jumbo_pass():
    frames = [
        f.ether(f.udp_ip("10.1.64.1", "10.2.0.1", 1, 2, bytes(n)))
        for n in (0, 1, 1472, 4068, 8972, 9572)
    ]
    where = folder()
    path = os.path.join(where, "lengths.pcap")
    pcapio.write_pcap(path, frames)
    result = replay.run(replay.Node(), path, where)
    assert result.json["out"] == len(frames), result.json["drops"]
    assert not replay.check_forwarding(frames, result)


if __name__ == "__main__":
    tap.run()
