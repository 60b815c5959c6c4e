# SPDX-License-Identifier: BSD-3-Clause
"""Runs cases, in interleaved rounds of fresh processes, and keeps what each start gave.

Cycles per packet = on-CPU nanoseconds of the thread that forwards x TSC frequency / packets sent
(packets taken in, where a rate below what comes makes it drop the rest), between two moments of a
warm process. A program's own cycle counters would also count the time in
which something else had the CPU.
"""

import json
import os
import re
import subprocess
import time

import traffic
from programs import Failed, L3fwd, Softbag, Testpmd, huge_free_mb, thread_ns

WARM_UP_S = 0.7  # a million packets pass once in 0.2 s; page faults and first misses are over
CARRIED = 0.98   # of what came in must go out, or something other than forwarding was measured


class Bench:
    def __init__(self, root, build, rounds, window_s, hz, against=None):
        self.work = os.path.join(root, "build/bench")
        self.traffic = os.path.join(self.work, "traffic")
        self.log = os.path.join(self.work, "log")
        self.binary = os.path.join(build, "app/softbag/softbag")
        self.against = against and os.path.join(against, "app/softbag/softbag")
        self.replay = os.path.join(build, "app/softbag-replay/softbag-replay")
        self.rounds, self.window_s, self.hz = rounds, window_s, hz
        self.failures = []
        self.begin = time.monotonic()
        self.ready = {}
        for path in (self.traffic, self.log):
            os.makedirs(path, exist_ok=True)

    def say(self, text):
        print(f"{time.monotonic() - self.begin:5.0f} s  {text}", flush=True)

    def files(self, c):
        """The files of a case, made once."""
        if c in self.ready:
            return self.ready[c]
        self.say(f"preparing {c.title}")
        files = {"capture": traffic.capture(self.traffic, c.family, c.flows, c.routes, c.size, c.ring,
                                            c.writes)}
        files["node"] = self.node(c, files["capture"])
        if c.routes <= 1000 and c.family == 4:
            files["rules"] = traffic.l3fwd_rules(self.traffic, c.routes)
        self.ready[c] = files
        return files

    def node(self, c, capture, eal=(), suffix=""):
        """softbag's YAML, with as much memory as softbag itself says it needs, and a little."""
        path = os.path.join(self.traffic, c.name + suffix + ".yaml")
        need = self.check(traffic.node(path, c, capture, 65536, eal))
        return traffic.node(path, c, capture, (need + 95) // 64 * 64, eal)

    def check(self, path):
        """Megabytes that --check says the node needs."""
        done = subprocess.run([self.binary, "-c", path, "--check"], capture_output=True, text=True,
                              check=False)
        found = re.search(r"needs (\d+) of \d+ MB", done.stdout)
        if done.returncode != 0 or not found:
            raise Failed(f"softbag --check refuses {path}: {done.stderr[-1000:].strip()}")
        return int(found.group(1))

    def sample(self, program):
        """(threads' ns, in, out) at one moment; what took too long to ask is asked again."""
        for _ in range(20):
            before = thread_ns(program.process.pid)
            came, sent = program.counters()
            after = thread_ns(program.process.pid)
            spent = max(ns - before.get(t, 0) for t, ns in after.items())
            if spent < self.window_s * 1e9 / 400:
                break
        # the counters are from between the two
        return {t: (ns + before.get(t, ns)) / 2 for t, ns in after.items()}, came, sent

    def window(self, program, c):
        time.sleep(WARM_UP_S)
        ns0, in0, out0 = self.sample(program)
        wall, spent = time.monotonic(), 0
        # A thread that hardly ran gives no figure: it gets up to four windows.
        for _ in range(4):
            time.sleep(self.window_s)
            ns1, in1, out1 = self.sample(program)
            spent = max(ns - ns0.get(t, 0) for t, ns in ns1.items())
            if spent > self.window_s * 1e9 / 2:
                break
        wall = time.monotonic() - wall
        came, sent = in1 - in0, out1 - out0
        if came <= 0 or sent <= 0 or (not c.drops and sent < CARRIED * came):
            raise Failed(f"{program.name} sent {sent:,} of {came:,} packets")
        return {"cycles": spent * self.hz / 1e9 / (came if c.drops else sent), "in": came,
                "out": sent, "pps": came / wall, "cpu_share": spent / 1e9 / wall}

    def start_once(self, program, c):
        """One process, one figure; None when it did not run, which is told and remembered."""
        try:
            files = self.files(c)
            program.run(c, files)
            result = self.window(program, c)
            program.stop()
            result["memory"] = program.memory_kind
            return result
        except (Failed, OSError, ValueError, KeyError) as error:
            self.failures.append(f"{program.name}, {c.title}: {error}")
            self.say(f"FAILED: {self.failures[-1]}")
            return None
        finally:
            program.kill()

    def program(self, kind, c, round_no):
        label = f"{kind}-{c.name}-{round_no}"
        if kind == "io":
            return Testpmd(self.log, label)
        if kind == "l3fwd":
            return L3fwd(self.log, label, os.path.join(self.work, "l3fwd/l3fwd"))
        return Softbag(self.log, label, self.against if kind == "against" else self.binary)

    def prepared(self, c):
        """Makes a case's files; a case that softbag refuses is told and left out."""
        try:
            self.files(c)
            return True
        except (Failed, OSError) as error:
            self.failures.append(f"{c.title}: {error}")
            self.say(f"FAILED: {self.failures[-1]}")
            return False

    def interleaved(self, wanted):
        """wanted: [(kind, case)]. Returns {(kind, case name): [figure or None for each round]}."""
        runs = {(kind, c.name): [] for kind, c in wanted}
        wanted = [(kind, c) for kind, c in wanted if self.prepared(c)]
        for r in range(1, self.rounds + 1):
            for kind, c in wanted:
                got = self.start_once(self.program(kind, c, r), c)
                runs[kind, c.name].append(got)
                if got:
                    self.say(f"round {r} of {self.rounds}: {kind:7} {c.title:34} "
                             f"{got['cycles']:7.1f} cycles a packet")
        return runs

    def stages(self, c):
        """softbag-replay's cycles, in all and by stage, one run for each round."""
        if not self.prepared(c):
            return []
        files, runs = self.files(c), []
        for r in range(1, self.rounds + 1):
            report = os.path.join(self.work, "replay.json")
            command = [self.replay, "-c", files["node"], "--in", f"p0={files['capture']}",
                       "--seconds", str(self.window_s), "--json", report]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.failures.append(f"softbag-replay, {c.title}: status {done.returncode}: "
                                     f"{done.stderr[-500:].strip()}")
                self.say(f"FAILED: {self.failures[-1]}")
                continue
            with open(report, encoding="utf-8") as f:
                got = json.load(f)
            if got["out"] < CARRIED * got["in"]:
                self.failures.append(f"softbag-replay, {c.title}: out {got['out']:,} of "
                                     f"{got['in']:,}")
            runs.append({"all": got["cycles_per_packet"], **got["stages"]})
            self.say(f"round {r} of {self.rounds}: replay  {c.title:34} {runs[-1]['all']:7.1f} "
                     "cycles a packet")
        return runs

    def weigh(self, c):
        """Memory of a running node, in MiB. Hugepages are taken as they are needed."""
        capture = traffic.capture(self.traffic, c.family, c.flows, 1000, c.size, c.ring)
        path = self.node(c, capture, eal=("-m", "64"), suffix="-memory")
        told = self.check(path) / 1.048576
        program = Softbag(self.log, f"memory-{c.name}", self.binary)
        try:
            program.run(c, {"node": path})
            with open(f"/proc/{program.process.pid}/status", encoding="ascii") as f:
                status = dict(line.split(":", 1) for line in f)
            mib = {key: int(status[key].split()[0]) / 1024
                   for key in ("VmRSS", "VmHWM", "HugetlbPages")}
            fib = program.fib_mib()
            program.stop()
            return {"told": told, "fib": fib, "rss": mib["VmRSS"] + mib["HugetlbPages"],
                    "peak": mib["VmHWM"] + mib["HugetlbPages"], "memory": program.memory_kind}
        finally:
            program.kill()

    def memory(self, pairs):
        rows = []
        for title, count, less, more in pairs:
            self.say(f"weighing {title}")
            try:
                rows.append({"title": title, "count": count, "less": self.weigh(less),
                             "more": self.weigh(more)})
            except (Failed, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
                self.failures.append(f"memory of {title}: {error}")
                self.say(f"FAILED: {self.failures[-1]}")
        return rows


def huge_note(need_mb):
    free = huge_free_mb()
    return None if free >= need_mb else (
        f"{free} MB of hugepages are free and {need_mb} MB are wanted: "
        "what does not fit runs on plain memory, and the result says so")
