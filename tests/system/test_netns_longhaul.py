#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Two nodes and a long line in real time: delay, shaper, marks, pauses, and a stop with full queues.
Real time on a shared machine is coarse: what is exact here are counts and order; of times only what
cannot be too short. Rates and round trips are reported.
"""

import os
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import longhaul, tap  # noqa: E402
from support.longhaul import A, B, FRAME_LEN  # noqa: E402

ECT0, NOT_ECT, CE = 2, 0, 3
MBIT = 1_000_000
RATE = 20 * MBIT
LOW_MARKS = "ecn: {kmin: 10KB, kmax: 40KB, pmax: 50%}"
CLASSES = "{class: 0, name: default, limit: 300KB}"
LOSSLESS = "{class: 3, name: rdma, dscp: [24-31], lossless: true, limit: 12MB}"
RDMA = 26 << 2


def line():
    tap.require("ip", "ping", "ethtool", "sysctl", "tshark", root=True)
    folder = tempfile.TemporaryDirectory(prefix="softbag-line-")
    tap.defer(folder.cleanup)
    made = longhaul.Line(folder.name)
    tap.defer(made.down)
    made.up()
    return made


def round_trips(where):
    """Of ten pings in ms, sorted; copies that an impairment made have a word more."""
    said = where.ping("-c10", "-i0.02", "-W2")
    times = sorted(float(t) for t in re.findall(r"time=([\d.]+) ms$", said, re.MULTILINE))
    assert len(times) == 10, said
    return times


def check_round_trips(where, at_least):
    times = round_trips(where)
    tap.diag(f"round trip over {at_least} ms of fibre: {times[0]:.2f} .. {times[-1]:.2f} ms")
    assert times[0] >= at_least, times
    # twice as long is another number of passages by the line; a busy machine adds a few ms
    assert times[len(times) // 2] < at_least + 15, times


def check_order(got):
    numbers = [n for _, _, n in got]
    assert numbers == sorted(set(numbers)), "out of order, or twice"


def rate_of(got):
    """Bits a second on the wire, of what arrived."""
    return (len(got) - 1) * (FRAME_LEN + 24) * 8 / (got[-1][0] - got[0][0])


def overload(where, tos=(ECT0,)):
    """One and a half times the rate for two seconds: what was sent, and what came of it."""
    where.sink()
    capture = where.capture()
    sent = where.send(RATE * 3 // 2, 2000, tos)
    capture.quiet()
    got = capture.read()
    assert sent > 1000 and got, (sent, len(got))
    check_order(got)
    return sent, got


def check_line_lost_nothing(one, sent, got):
    """What is missing was dropped where the file says that it may be: at the class's limit."""
    assert set(one.drops) <= {"queue_full"}, one.said
    assert len(got) == sent - one.drops.get("queue_full", 0), (sent, len(got), one.said)


@tap.test
def marks_at_the_far_end_are_those_that_the_node_counted():
    where = line()
    where.start(far=(f"rate: 20Mbit, delay: 20ms, {LOW_MARKS}", ""), classes=CLASSES)
    check_round_trips(where, 20)
    sent, got = overload(where, (ECT0, NOT_ECT))
    one, two = where.stop()
    check_line_lost_nothing(one, sent, got)
    ecn = [tos & 3 for _, tos, _ in got]
    assert ecn.count(CE) == one.ce_marked == two.ce_in > 100, (ecn.count(CE), one.said, two.said)
    assert ecn.count(CE) + ecn.count(ECT0) == len([n for _, _, n in got if n % 2 == 0])
    assert all(e == NOT_ECT for e, (_, _, n) in zip(ecn, got) if n % 2), "Not-ECT was marked"
    assert one.not_ect > 100 and two.ce_marked == two.not_ect == 0, (one.said, two.said)
    tap.diag(f"20 ms: {rate_of(got) / MBIT:.2f} of 20 Mbit/s, {one.ce_marked} of {len(got)} marked")


@tap.test
def a_delay_costs_no_throughput():
    rates = {}
    for delay in ("off", "20ms"):
        where = line()
        where.start(far=(f'rate: 20Mbit, delay: "{delay}"', ""), classes=CLASSES)
        sent, got = overload(where)
        one, _ = where.stop()
        where.down()
        check_line_lost_nothing(one, sent, got)
        rates[delay] = rate_of(got)
    tap.diag("; ".join(f"delay {d}: {r / MBIT:.2f} of 20 Mbit/s" for d, r in rates.items()))
    # A worker that does not get its CPU for a while loses the rate of that while, delay or not:
    # test_netns_throughput.py has it exactly, in one node side by side.
    for rate in rates.values():
        assert RATE / 3 < rate < RATE * 1.02, rates
    assert 1 / 2 < rates["20ms"] / rates["off"] < 2, rates


@tap.test
def a_stop_with_full_queues_and_lines_counts_every_packet():
    where = line()
    far = "rate: 20Mbit, distance: 4000km, delay: emulate, ecn: auto, impair: {duplicate: 2%}"
    where.start(far=(far, far), classes=CLASSES)
    check_round_trips(where, 40)
    where.sink()
    sender = where.sender(RATE * 2, 4000, (ECT0,))
    time.sleep(1.5)
    one, two = where.stop(ask=False)
    assert sender.poll() is None, "the queues were to be full at the stop"
    assert one.drops.get("stopped", 0) > 50 and one.drops.get("queue_full", 0) > 0, one.said
    assert one.duplicated > 10, (one.said, two.said)
    assert "buffers did not come back" not in one.said + two.said


@tap.test
def a_slow_way_out_pauses_the_node_at_the_other_end():
    where = line()
    # A machine that does something else for a third of a second is not what is tested here.
    far = "rate: 50Mbit, distance: 100km, pfc: {classes: [3], headroom: 2MB}"
    where.start(near=("", "rate: 20Mbit"), far=(far, far), classes=LOSSLESS)
    where.sink()
    capture = where.capture()
    sent = where.send(40 * MBIT, 1500, (RDMA | ECT0,))
    capture.quiet()
    got = capture.read()
    one, two = where.stop()
    check_order(got)
    assert len(got) == sent, (sent, len(got), one.said, two.said)
    assert "lossless_drop" not in {*one.drops, *two.drops}, (one.said, two.said)
    assert two.pause_out["far"] == one.pause_in["far"] > 10, (one.said, two.said)
    assert one.drops == {"pfc": one.pause_in["far"]}, one.said
    assert two.dropped == 0 and one.pause_out["far"] == two.pause_in["far"] == 0, two.said
    tap.diag(f"{two.pause_out['far']} pause frames for {sent} packets")


if __name__ == "__main__":
    tap.run()
