#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
A delay costs no throughput, in real time: four ways out of one node, each shaped to the same rate
and flooded with half as much again, with delay lines of 0, 1, 10 and 50 ms behind the shapers. What
leaves them in a window is the same within 1 %.

Side by side and not one after the other: a worker that a busy machine does not run for a while
loses the rate of that while, at all four alike. What the rate then is in bits a second is the
machine's, and is reported only; in virtual time it is exact (pipe/longhaul_delay).

    host: flood -- in  node  out0 .. out50 -- nobody
"""

import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import hosts, longhaul, tap  # noqa: E402

MBIT = 1_000_000
RATE = 40 * MBIT
DELAYS = (0, 1, 10, 50)  # ms
LIMIT = 1_500_000  # bytes: 0.3 s of the rate, in which a sender may do something else
WINDOW = 5  # seconds; 16,000 packets a port, so that one more or less is nothing
TRIES = 3
LEN = 1400
FRAME = LEN + 42 + 24  # on the wire

# Each way out in its turn; what the machine had no time for is not made up for.
FLOOD = """
import socket, sys, time
bits, length = int(sys.argv[1]), int(sys.argv[2])
socks = []
for address in sys.argv[3:]:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect((address, 7009))
    socks.append(s)
gap, data = (length + 66) * 8 / bits, b"x" * length
start, n = time.monotonic(), 0
while True:
    due = int((time.monotonic() - start) / gap)
    n = max(n, due - 256)
    while n < due:
        try:
            socks[n % len(socks)].send(data)
        except OSError:
            pass
        n += 1
    time.sleep(0.001)
"""


def out(delay):
    return f"out{delay}"


def node_yaml():
    cpus = sorted(os.sched_getaffinity(0)) * 2
    lines = [
        "version: 1",
        "node: {name: side-by-side, id: 1}",
        f"runtime: {{idle: adaptive, memory: 512MB, main_lcore: {cpus[0]},",
        f"  workers: [{{lcore: {cpus[1]}, rx: [in]}}]{hosts.PLAIN_MEMORY}}}",
        f"classes: [{{class: 0, name: default, limit: {LIMIT}B}}]",
        "ports:",
        '  - {name: in, device: "net_af_packet0,iface=in,framecnt=4096", role: nsf, '
        'mac: "02:00:00:00:0a:00"}',
    ]
    for n, delay in enumerate(DELAYS, 1):
        line = f"{delay}ms" if delay else '"off"'
        lines.append(
            f'  - {{name: {out(delay)}, device: "net_af_packet{n},iface={out(delay)}", '
            f"role: longhaul, rate: {RATE // MBIT}Mbit, delay: {line}}}"
        )
    lines.append("groups:")
    for delay in DELAYS:
        lines.append(
            f"  - {{name: to-{out(delay)}, members: [{{port: {out(delay)}, "
            f'mac: "02:aa:00:00:00:01"}}]}}'
        )
    lines += ["routes:", "  static:"]
    for n, delay in enumerate(DELAYS):
        lines.append(f"    - {{prefix: 10.9.{n}.0/24, group: to-{out(delay)}}}")
    return "\n".join(lines) + "\n"


class Node(hosts.Namespaces):
    """softbag in a namespace of its own, and the flood in another, where the ways out end too."""

    def __init__(self, folder):
        super().__init__()
        tag = f"st{os.getpid()}"
        self.node, self.host = f"{tag}n", f"{tag}h"
        self.log = os.path.join(folder, "node.log")
        self.conf = os.path.join(folder, "node.yaml")

    def up(self):
        self.add(self.node, self.host)
        for name in ("in", *map(out, DELAYS)):
            self.join((self.node, name, None), (self.host, name, None))
        self.behind(self.host, "in", "10.7.1.2/24", "10.7.1.1", "02:00:00:00:0a:00", "10.9.0.0/16")
        with open(self.conf, "w", encoding="ascii") as f:
            f.write(node_yaml())
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = self.spawn(
                self.node, hosts.PROGRAM, "-c", self.conf, "-i",
                stdin=subprocess.PIPE, stdout=log, stderr=log, text=True,
            )
        self.read = 0

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()

    def ask(self, *commands):
        """What the console answers, and when that was."""
        self.process.stdin.write("".join(c + "\n" for c in commands))
        self.process.stdin.flush()
        end = time.monotonic() + 20
        while time.monotonic() < end:
            assert self.process.poll() is None, f"the node ended\n{self.said()}"
            answer = self.said()[self.read :]
            if commands[-1] in answer and answer.rpartition(commands[-1])[2].count("softbag> "):
                self.read += len(answer)
                return answer, time.monotonic()
            time.sleep(0.01)
        raise AssertionError(f"no answer in 20 s\n{self.said()}")

    def bytes_out(self):
        """Of each way out, by its delay; all are counters of one moment. And when that was."""
        answer, when = self.ask("show port")
        rows = dict(re.findall(r"^(\w+) +longhaul .* +([\d,]+) +[\d,]+ +[\d,]+ *$", answer, re.M))
        return {d: longhaul.number(rows[out(d)]) for d in DELAYS}, when

    def least_waiting(self):
        """Bytes in the class queue that has the fewest."""
        answer, _ = self.ask("show queue")
        row = r"^out\d+ +0 +default +\S+ +\S+ +no +[\d,]+ +[\d,]+ +([\d,]+)"
        rows = re.findall(row, answer, re.M)
        assert len(rows) == len(DELAYS), answer
        return min(map(longhaul.number, rows))

    def stop(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        assert self.process.wait(timeout=20) == 0, self.said()
        return self.said()


def window(where):
    """Bytes of each way out, how long it was, and the fewest bytes that waited at one of them."""
    least = where.least_waiting()
    before, start = where.bytes_out()
    while time.monotonic() < start + WINDOW:
        time.sleep(0.05)
        least = min(least, where.least_waiting())
    after, end = where.bytes_out()
    return {d: after[d] - before[d] for d in DELAYS}, end - start, least


@tap.test(timeout=120)
def a_delay_costs_no_throughput_in_real_time():
    tap.require("ip", "ethtool", "sysctl", root=True)
    folder = tempfile.TemporaryDirectory(prefix="softbag-throughput-")
    tap.defer(folder.cleanup)
    where = Node(folder.name)
    tap.defer(where.down)
    where.up()
    where.ask("show version")
    to = [f"10.9.{n}.1" for n in range(len(DELAYS))]
    flood = where.spawn(
        where.host, sys.executable, "-c", FLOOD, str(RATE * len(DELAYS) * 3 // 2), str(LEN), *to
    )
    for _ in range(TRIES):
        time.sleep(2)  # the queues and the longest line fill
        left, seconds, least = window(where)
        if least > 0:
            break
    assert flood.poll() is None, "the flood ended by itself"
    assert least > 0, f"{TRIES} windows, and in each the sender was slower than the shapers"
    rates = {d: n / (LEN + 42) * FRAME * 8 / seconds / MBIT for d, n in left.items()}
    said = ", ".join(f"{d} ms: {r:.2f}" for d, r in rates.items())
    tap.diag(f"of {RATE // MBIT} Mbit/s, {least} bytes waiting at least: {said}")
    for delay in DELAYS:
        share = left[delay] / left[0]
        assert abs(share - 1) <= 0.01, f"{delay} ms: {share:.4f} of what 0 ms let through; {said}"
    assert rates[0] < RATE * 1.01 / MBIT, f"more than the rate: {said}"
    flood.terminate()
    flood.wait(10)
    where.stop()


if __name__ == "__main__":
    tap.run()
