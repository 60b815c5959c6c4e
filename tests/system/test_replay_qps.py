#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What softbag-replay says of queue pairs: on captures, against a count of its own in words of Python;
with loss, reordering, repetition and the wrap of numbers made on purpose.
"""

import ipaddress
import os
import random
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import pcapio, replay, tap  # noqa: E402

WATCH = "flows: {qp_view: true}"
HOST, FAR = 0x0A014001, 0x0A020001
# Their numbers do not follow each other, and that is how they were made or caught.
NOT_CLEAN = {
    "quickstart_nsf0.pcap",  # a SEND's number is 9 above its WRITE's first
    "quickstart_nsf1.pcap",
    "edge.pcap",  # one number for all frames
    "fault_corrupt_write.pcap",
    "fault_drop_write.pcap",
    "cm_mix_v4_m1024.pcap",  # a SEND is sent again after an RNR NAK
    "cm_mix_v4_m4096.pcap",
    "cm_mix_v6_m4096.pcap",
    "rocev2_kat_rocecli_plain.pcap",  # known answers, no sequence
    "rocev2_synth_edge.pcap",
    "rocev2_synth_lowentropy_256qp.pcap",
}


def folder():
    made = tempfile.TemporaryDirectory(prefix="softbag-replay-")
    tap.defer(made.cleanup)
    return made.name


def view(path, where=None, **more):
    result = replay.run(replay.Node((1, 1), more=WATCH, **more), path, where or folder(), write=False)
    return result.json


def order(totals):
    return {key: totals[key] for key in ("lost", "reordered", "repeated")}


def is_clean(name):
    return name.removeprefix("rxe_") not in NOT_CLEAN


@tap.test
def nothing_is_counted_on_clean_captures_of_the_repository():
    seen = 0
    for path in replay.own_captures():
        totals = view(path)["qps"]["totals"]
        seen += totals["packets"]
        if is_clean(os.path.basename(path)):
            assert not any(order(totals).values()), (path, totals)
            assert totals["requests"]["restarts"] == 0, (path, totals)
    assert seen > 1000, seen


@tap.test
def nothing_is_counted_on_clean_captures_of_the_folder():
    where = folder()
    seen = 0
    for path, capture in replay.foreign_captures(where):
        if not replay.whole(capture) or not is_clean(os.path.basename(path)):
            continue
        totals = view(path, where)["qps"]["totals"]
        seen += totals["packets"]
        assert not any(order(totals).values()), (path, totals)
    assert seen > 500, seen


@tap.test
def soft_roce_that_lost_every_ninth_frame_shows_each_of_them():
    # Of 29 numbers three did not come at first, and came with what was sent again; its own NAKs.
    paths = [p for p, _ in replay.foreign_captures(folder()) if p.endswith("fault_drop_write.pcap")]
    if not paths:
        raise tap.Skip("no fault_drop_write.pcap in SOFTBAG_CAPTURES")
    totals = view(paths[0])["qps"]["totals"]
    assert order(totals) == {"lost": 3, "reordered": 0, "repeated": 53}, totals
    assert totals["naks"] == {"sequence": 7, "rnr": 0, "other": 0}, totals


@tap.test
def soft_roce_with_wrong_icrcs_shows_naks_and_what_was_sent_again():
    totals = view(replay.data("rxe_fault_corrupt_write.pcap"))["qps"]["totals"]
    assert order(totals) == {"lost": 0, "reordered": 0, "repeated": 62}, totals
    assert totals["naks"] == {"sequence": 7, "rnr": 0, "other": 0}, totals
    assert totals["messages"] == {"count": 16, "bytes": 80000, "min": 5000, "max": 5000}, totals


def rows(report):
    return {(q["from"], q["to"], q["dest_qp"]): q for q in report["qps"]["top"]}


@tap.test
def every_operation_of_soft_roce_is_in_its_row():
    report = view(replay.data("rxe_cm_mix_v4_m1024.pcap"))
    pairs = [q for q in report["qps"]["top"] if q["dest_qp"] != 1]
    assert len(pairs) == 2, pairs
    requests = max(pairs, key=lambda q: q["messages"]["count"])
    responses = min(pairs, key=lambda q: q["messages"]["count"])
    assert requests["messages"]["count"] == 9 and requests["repeated"] == 1, requests
    assert responses["naks"] == {"sequence": 0, "rnr": 1, "other": 0}, responses
    assert responses["acks"] > 14 and responses["responses"]["lost"] == 0, responses


@tap.test
def counts_of_a_capture_are_those_of_a_reader_in_python():
    path = replay.data("qps_256.pcap")
    want = {}
    for frame in pcapio.read_frames(path):
        key = (
            str(ipaddress.ip_address(frame[26:30])),
            str(ipaddress.ip_address(frame[30:34])),
            int.from_bytes(frame[47:50], "big"),
        )
        packets, size = want.get(key, (0, 0))
        want[key] = (packets + 1, size + len(frame))
    report = view(path)
    assert report["qps"]["queue_pairs"] == len(want) == 256
    assert report["flows"]["entries"] == 256 and report["flows"]["full"] == 0
    assert report["qps"]["totals"]["bytes"] == sum(size for _, size in want.values())
    assert len(report["qps"]["top"]) == 64
    for key, row in rows(report).items():
        assert (row["packets"], row["bytes"]) == want[key], (key, row)


def planned(rng, first):
    """Numbers as they come, and what of them is lost, reordered and repeated."""
    came, lost, late, again = [], 0, 0, 0
    number = 0
    while number < 2000:
        what = rng.choice(("lose", "swap", "twice", "back", "none", "none"))
        run = list(range(number, number + 40))
        if what == "lose":
            run.pop(20)
            lost += 1
        elif what == "swap":
            run[20], run[23] = run[23], run[20]  # one early, and so three late
            late += 3
        elif what == "twice":
            run.insert(30, run[20])
            again += 1
        elif what == "back":
            gone = run.pop(20)
            run[30:30] = range(gone, run[29] + 1)
            lost += 1
            again += 11
        came += run
        number += 40
    return [(first + n) & 0xFFFFFF for n in came], {"lost": lost, "reordered": late, "repeated": again}


def capture_of(where, numbers):
    path = os.path.join(where, "planned.pcap")
    flows = []
    for qp, psns in numbers.items():
        base = bytearray(f.roce_flows([(HOST, FAR, 0xC000, qp)], version=4)[0])
        for psn in psns:
            base[51:54] = struct.pack(">I", psn)[1:]
            flows.append(bytes(base))
    pcapio.write_pcap(path, flows)
    return path


@tap.test
def what_was_done_on_purpose_is_counted_exactly_and_over_the_wrap():
    rng = random.Random(4)
    numbers, want = {}, {}
    for qp in range(2, 22):
        numbers[qp], want[qp] = planned(rng, rng.choice((0xFFFC00, 0xFFFFFF, 0, 77777)))
    report = view(capture_of(folder(), numbers))
    for (_, _, qp), row in rows(report).items():
        assert order(row) == want[qp], (qp, order(row), want[qp])
    assert len(rows(report)) == 20
    assert sum(w["lost"] for w in want.values()) > 50


@tap.test
def run_repeats_byte_for_byte_and_the_view_changes_no_packet():
    paths = [replay.data(n) for n in ("quickstart_nsf0.pcap", "roce_basic.pcap")]
    for path in paths:
        first = replay.run(replay.Node(more=WATCH), path, folder())
        again = replay.run(replay.Node(more=WATCH), path, folder())
        plain = replay.run(replay.Node(), path, folder())
        assert replay.untimed(first.json) == replay.untimed(again.json)
        assert first.out == again.out == plain.out
        assert plain.json["qps"] is None and plain.json["flows"] is None


@tap.test
def segments_of_any_length_tell_the_same():
    path = replay.data("roce_basic.pcap")
    whole = view(path)["qps"]
    for length in ("80", "128", "600"):
        result = replay.run(
            replay.Node((1, 1), more=WATCH), path, folder(), "--segment-len", length, write=False
        )
        assert result.json["qps"] == whole, length


@tap.test
def full_table_loses_no_packet():
    result = replay.run(
        replay.Node((1, 1), more="flows: {max: 64, qp_view: true}"),
        replay.data("qps_256.pcap"),
        folder(),
    )
    assert result.json["out"] == 256 and result.json["dropped"] == 0
    assert result.json["flows"]["entries"] == 64 and result.json["flows"]["full"] == 192
    replay.check_conservation(result.json)


if __name__ == "__main__":
    tap.run()
