# SPDX-License-Identifier: BSD-3-Clause
"""The programs as processes: started on one capture, asked for their counters, stopped.

Each has the same shape: net_pcap (infinite_rx) -> program -> net_null, one lcore that forwards.
"""

import glob
import json
import os
import re
import select
import shutil
import socket
import subprocess
import time

START_S = 180  # a million packets into the ring and a million routes, on a busy machine
CONSOLE_S = 10
PREFIX = f"bench{os.getpid()}"


class Failed(Exception):
    """A program that did not do its part; the sentence says which and how."""


def huge_free_mb():
    total = 0
    for path in glob.glob("/sys/kernel/mm/hugepages/hugepages-*kB/free_hugepages"):
        kib = int(re.search(r"hugepages-(\d+)kB", path).group(1))
        with open(path, encoding="ascii") as f:
            total += int(f.read()) * kib
    return total // 1024


def thread_ns(pid):
    """On-CPU nanoseconds of each thread: time when another process had the CPU is not in it."""
    ns = {}
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        try:
            with open(path, encoding="ascii") as f:
                ns[path] = int(f.read().split()[0])
        except OSError:
            pass  # the thread has ended
    return ns


class Program:
    name = ""
    memory_kind = "hugepages"

    def __init__(self, log_dir, label):
        self.log = os.path.join(log_dir, label.replace(" ", "-"))
        self.process = None

    def spawn(self, command, **streams):
        with open(self.log + ".err", "wb") as err:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=err, **streams)

    def alive(self):
        if self.process.poll() is not None:
            raise Failed(f"{self.name} ended by itself with status {self.process.returncode}; "
                         f"{self.log}.err and .out have its words")

    def wait_started(self):
        deadline = time.monotonic() + START_S
        while not self.is_started():
            self.alive()
            if time.monotonic() > deadline:
                raise Failed(f"{self.name} forwards nothing after {START_S} s; see {self.log}.err")
            time.sleep(0.1)

    def kill(self):
        """Ends what still runs: as it would end itself, or by force."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Telemetry(Program):
    """A DPDK program whose counters are read over the EAL's telemetry socket."""

    binary = ""

    def eal(self, lcores, memory_mb):
        huge = huge_free_mb() >= memory_mb
        self.memory_kind = "hugepages" if huge else "plain memory"
        return ([self.binary, "-l", lcores, "--no-pci", "-m", str(memory_mb),
                 "--file-prefix", PREFIX] +
                (["--in-memory"] if huge else ["--no-huge", "--no-shconf"]))

    def start(self, command):
        with open(self.log + ".out", "wb") as out:
            self.spawn(command, stdout=out)
        self.wait_started()

    def stats(self, port):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.settimeout(CONSOLE_S)
            s.connect(f"/var/run/dpdk/{PREFIX}/dpdk_telemetry.v2")
            s.recv(1024)
            s.send(f"/ethdev/stats,{port}".encode())
            return json.loads(s.recv(65536))["/ethdev/stats"]

    def counters(self):
        return self.stats(0)["ipackets"], self.stats(1)["opackets"]

    def is_started(self):
        try:
            return self.counters()[1] > 0
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def stop(self):
        self.alive()
        self.kill()

    def kill(self):
        super().kill()
        shutil.rmtree(f"/var/run/dpdk/{PREFIX}", ignore_errors=True)


def vdevs(capture):
    return ["--vdev", f"net_pcap0,rx_pcap={capture},infinite_rx=1", "--vdev", "net_null0,no-rx=1"]


class Testpmd(Telemetry):
    name = "testpmd io"
    binary = "/usr/bin/dpdk-testpmd"

    def run(self, c, files):
        # 2,368 bytes a packet buffer of testpmd's and the pool's own
        memory_mb = 256 + c.mbufs * 2400 // 1000000
        self.start(self.eal(f"{c.control},{c.worker}", memory_mb) +
                   ["--main-lcore", str(c.control)] + vdevs(files["capture"]) +
                   ["--", "--forward-mode=io", "--auto-start", "--nb-cores=1", "--no-flush-rx",
                    f"--burst={c.burst}", f"--total-num-mbufs={c.mbufs}"])


class L3fwd(Telemetry):
    name = "l3fwd LPM"

    def __init__(self, log_dir, label, binary):
        super().__init__(log_dir, label)
        self.binary = binary

    def run(self, c, files):
        # one lcore in all: it wants a TX queue for each
        self.start(self.eal(str(c.worker), 512) + vdevs(files["capture"]) +
                   ["--", "-p", "0x3", f"--config=(0,0,{c.worker})", "--parse-ptype",
                    "--lookup=lpm", "-P", f"--rule_ipv4={files['rules'][0]}",
                    f"--rule_ipv6={files['rules'][1]}"])


class Softbag(Program):
    name = "softbag"
    ROW = re.compile(r"^(\S+) +(?:nsf|longhaul|dsf) +\S+ +\S+ +\d+ +[0-9a-f:]{17} +([\d,]+) +[\d,]+ +"
                     r"([\d,]+) ", re.MULTILINE)
    SUM = re.compile(r"^in ([\d,]+)(?: \+ made here [\d,]+)? = out ([\d,]+) "
                     r"\+ punted ([\d,]+) \+ dropped ([\d,]+)",
                     re.MULTILINE)

    def __init__(self, log_dir, label, binary):
        super().__init__(log_dir, label)
        self.binary = binary
        self.ports = 0
        self.marks = False
        self.may_drop = ()
        self.fd = -1

    def run(self, c, files):
        self.ports = 1 + c.tx_ports
        self.marks, self.may_drop = c.marks, c.may_drop
        self.spawn([self.binary, "-i", "-c", files["node"]], stdout=subprocess.PIPE)
        self.fd = self.process.stdout.fileno()
        os.set_blocking(self.fd, False)
        self.wait_started()
        with open(self.log + ".err", encoding="utf-8", errors="replace") as f:
            self.memory_kind = "plain memory" if "plain memory" in f.read() else "hugepages"

    def is_started(self):
        with open(self.log + ".err", encoding="utf-8", errors="replace") as f:
            return " runs: " in f.read()

    def ask(self, command, enough):
        """Console output of a command, once `enough` of it has come."""
        text, deadline = "", time.monotonic() + CONSOLE_S
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        while not enough(text):
            if not select.select([self.fd], [], [], deadline - time.monotonic())[0]:
                raise Failed(f"softbag's console does not answer `{command}`")
            got = os.read(self.fd, 65536)
            if not got:
                self.process.wait(10)
                self.alive()
            text += got.decode(errors="replace").replace("\r", "")
        return text

    def counters(self):
        # a row has come whole when its line ends
        def enough(text):
            return len(self.ROW.findall(text[:text.rfind("\n") + 1])) >= self.ports

        rows = self.ROW.findall(self.ask("show port", enough))
        number = lambda t: int(t.replace(",", ""))
        return sum(number(r[1]) for r in rows), sum(number(r[2]) for r in rows)

    def fib_mib(self):
        text = self.ask("show fib", lambda t: re.search(r"memory [\d.]+ MiB", t))
        return float(re.search(r"memory ([\d.]+) MiB", text).group(1))

    def stop(self):
        """Ends it, and wants its own sum to add up with nothing punted, or dropped unasked."""
        self.alive()
        os.set_blocking(self.fd, True)
        last = b"show ecn\nquit\n" if self.marks else b"quit\n"
        out = self.process.communicate(last, timeout=60)[0].decode(errors="replace")
        with open(self.log + ".out", "w", encoding="utf-8") as f:
            f.write(out)
        found = self.SUM.search(out.replace("\r", ""))
        if self.process.returncode != 0 or not found:
            raise Failed(f"softbag ended with status {self.process.returncode}; see {self.log}.err")
        marked = re.search(r"CE, ([\d,]+) were marked", out)
        if self.marks and (not marked or marked.group(1) == "0"):
            raise Failed(f"softbag marked nothing; see {self.log}.out")
        # what waits when it stops (a delay line's) is dropped, too, and counted apart
        reasons = set(re.findall(r"^drop +(\w+) ", out, re.MULTILINE)) - {"stopped"}
        if found.group(3) != "0" or reasons - set(self.may_drop):
            raise Failed(f"softbag punted {found.group(3)} and dropped {found.group(4)} of "
                         f"{found.group(1)} packets; see {self.log}.out")
