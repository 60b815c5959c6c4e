#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/quickstart in this checkout: it runs, shows, writes, stops, and leaves the machine as it was."""

import collections
import glob
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import oracle, pcapio, replay, running, tap  # noqa: E402
from support.running import ROOT  # noqa: E402

SCRIPT = os.path.join(ROOT, "scripts", "quickstart")
OUT = os.path.join(ROOT, "build", "quickstart")
PORTS = ("nsf0", "nsf1", "lh0", "lh1")
LINE = re.compile(r"^softbag bag-quickstart  (\d+) s$", re.MULTILINE)


def need_build():
    """It builds in build/, which is ours to use only where the tests were built there too."""
    if replay.BUILD != os.path.join(ROOT, "build"):
        raise tap.Skip(f"the tests are of {replay.BUILD} and quickstart builds in build/")
    if not os.path.exists(os.path.join(replay.BUILD, "build.ninja")):
        raise tap.Skip("build/ is not configured")


def check_left(process, nodes, pages, runtime):
    """No process, no folder of DPDK's, and as many hugepages as there were."""
    assert nodes, "no node was seen"
    assert not running.session(process.pid), running.session(process.pid)
    left = [path for pid in nodes for path in running.runtime_left(pid, runtime)]
    assert not left, left
    if pages is not None:
        assert running.pages()[0] == pages, f"{pages} hugepages before, {running.pages()[0]} after"


def pages_now():
    return running.pages()[0] if os.path.exists(running.PAGES) else None


class Quickstart:
    """A run in the background; what it says goes to a file. `nodes`: process ids of its softbags."""

    def __init__(self, *options, words=None, cwd=ROOT, runtime=running.RUNTIME):
        self.path = os.path.join(running.folder(tap), "said.txt")
        self.nodes = set()
        self.runtime = runtime
        self.pages = pages_now()
        with open(self.path, "w", encoding="utf-8") as log:
            self.process = running.spawn(
                [*(words or [SCRIPT]), *options], cwd, stdout=log, stderr=subprocess.STDOUT
            )
        tap.defer(running.end_session, self.process)

    def said(self):
        with open(self.path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def look(self):
        for pid in running.session(self.process.pid):
            try:
                with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                    if f.read().strip() == "softbag":
                        self.nodes.add(pid)
            except OSError:
                pass

    def until_shown(self, tables):
        def ready():
            self.look()
            assert self.process.poll() is None, f"{self.process.returncode}\n{self.said()}"
            return len(LINE.findall(self.said())) >= tables

        running.wait_for(ready, 400, f"live table {tables}")

    def end(self):
        def ended():
            self.look()
            return self.process.poll() is not None

        running.wait_for(ended, 400, "its end")
        check_left(self.process, self.nodes, self.pages, self.runtime)
        return self.process.returncode


def check_shown(said):
    """The live table, with its ports, shares and drops; then the sum, which is returned."""
    assert LINE.search(said), said
    for port in PORTS:
        assert re.search(rf"^{port} +(up|down) +[\d,]+ ", said, re.MULTILINE), f"{port}:\n{said}"
    assert re.search(r"to-west +0  lh0 +3 +[\d,]+ +\S+ % +75\.0 %$", said, re.MULTILINE), said
    for reason in ("drop  pfc", "drop  ip4_checksum", "punt  arp", "punt  lldp"):
        assert re.search(rf"^{reason} +[\d,]+ ", said, re.MULTILINE), f"{reason}:\n{said}"
    return running.totals(said)


def flows(frames):
    """{flow: packets}"""
    return collections.Counter(oracle.flow_key(frame) for frame in frames)


def check_written(folder, out):
    """All that left was written, and flows are spread over members by weight, each to one."""
    seen = {}
    for port in PORTS:
        frames = pcapio.read_frames(os.path.join(folder, port + ".pcap"))
        assert frames, f"{port}.pcap is empty"
        seen[port] = flows(frames)
    total = sum(sum(counts.values()) for counts in seen.values())
    assert total == out, f"{total} in the captures, out {out}"
    for members, weights in ((("lh0", "lh1"), (3, 1)), (("nsf0", "nsf1"), (1, 1))):
        both = set(seen[members[0]]) & set(seen[members[1]])
        assert not both, f"{len(both)} flows left by {members}"
        wrong = replay.check_shares([len(seen[m]) for m in members], weights)
        assert not wrong, f"{members}: {wrong}"
    lh0, lh1 = (sum(seen[port].values()) for port in ("lh0", "lh1"))
    assert 2 < lh0 / lh1 < 4.5, f"3:1 gave {lh0} and {lh1} packets"


@tap.test(timeout=500)
def it_runs_the_node_and_leaves_captures():
    need_build()
    run = Quickstart("--seconds", "3")
    assert run.end() == 0, run.said()
    _, out, punted, dropped = check_shown(run.said())
    assert out and punted and dropped, run.said()
    check_written(OUT, out)
    last = run.said().rstrip().splitlines()[-8:]
    assert any("build/quickstart/*.pcap" in line for line in last), run.said()
    assert any("Try next" in line for line in last), run.said()
    for path in re.findall(r"\b(?:docs|config|build)/[\w./-]+\w", "\n".join(last)):
        assert os.path.exists(os.path.join(ROOT, path)), path


@tap.test(timeout=120)
def the_captures_are_those_of_the_last_run_alone():
    need_build()
    stale = os.path.join(OUT, "stale.pcap")
    os.makedirs(OUT, exist_ok=True)
    pcapio.write_pcap(stale, [])
    run = Quickstart("--seconds", "1")
    assert run.end() == 0, run.said()
    assert not os.path.exists(stale)


@tap.test(timeout=500)
def forever_ends_with_ctrl_c():
    need_build()
    run = Quickstart("--forever")
    run.until_shown(3)
    os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does
    assert run.end() == 0, run.said()
    check_shown(run.said())
    assert not glob.glob(os.path.join(OUT, "*.pcap")), "a run without end must not fill the disk"


@tap.test(timeout=500)
def ctrl_c_ends_a_timed_run_early():
    need_build()
    run = Quickstart("--seconds", "1000000")
    run.until_shown(1)
    os.killpg(run.process.pid, signal.SIGINT)
    assert run.end() == 0, run.said()
    _, out, _, _ = check_shown(run.said())
    written = [pcapio.read_frames(os.path.join(OUT, port + ".pcap")) for port in PORTS]
    assert sum(len(frames) for frames in written) == out


@tap.test(timeout=500)
def killing_the_script_ends_its_node():
    need_build()
    run = Quickstart("--forever")
    run.until_shown(1)
    os.kill(run.process.pid, signal.SIGTERM)
    run.end()
    running.totals(run.said())


@tap.test
def wrong_options_end_with_2_before_anything_is_done():
    for words in (
        ["--seconds"],
        ["--seconds", "0"],
        ["--seconds", "-1"],
        ["--seconds", "2s"],
        ["--seconds", "1.5"],
        ["--seconds", "99999999"],
        ["--nonsense"],
        ["5"],
    ):
        done = running.run([SCRIPT, *words], timeout=20, status=2)
        assert done.err.strip() and not done.out, (words, done)


@tap.test
def help_tells_its_options():
    done = running.run([SCRIPT, "--help"], timeout=20, status=0)
    assert "--seconds" in done.out and "--forever" in done.out, done.out


@tap.test(timeout=500)
def without_rights_and_without_hugepages_it_runs_on_plain_memory():
    tap.require("setpriv", "unshare", root=True)
    need_build()
    copy = running.copy_tree(tap, "softbag", build=True)
    runtime = running.folder(tap)  # as a login has it
    for path in (copy, runtime):
        subprocess.run(["chown", "-R", f"{running.NOBODY}:{running.NOBODY}", path], check=True)
    words = ["env", f"HOME={copy}", f"XDG_RUNTIME_DIR={runtime}"]
    words = running.within(
        running.NO_PAGES, [*words, "scripts/quickstart", "--seconds", "2"], running.NOBODY
    )
    run = Quickstart(words=words, cwd=copy, runtime=os.path.join(runtime, "dpdk"))
    assert run.end() == 0, run.said()
    assert "running on plain memory" in run.said(), run.said()
    _, out, _, _ = check_shown(run.said())
    check_written(os.path.join(copy, "build", "quickstart"), out)


@tap.test(timeout=500)
def hugepages_that_it_reserves_are_given_back():
    """On a machine that has 7 hugepages and none of them free, or so it seems to the script."""
    tap.require("unshare", root=True)
    need_build()
    number = os.path.join(running.PAGES, "nr_hugepages")
    if not os.path.exists(number):
        raise tap.Skip("the kernel has no hugepages of 2 MB")
    words = ["bash", "-c", f"echo 7 >{number}; scripts/quickstart --seconds 2; cat {number}"]
    run = Quickstart(words=running.within(running.NO_PAGES, words))
    run.until_shown(1)
    with open(f"/proc/{min(run.nodes)}/root{number}", encoding="ascii") as f:
        assert f.read().strip() == str(7 + 256), "none were reserved"
    assert run.end() == 0, run.said()
    assert run.said().rstrip().endswith("\n7"), run.said()
    assert "running on plain memory" in run.said(), run.said()


if __name__ == "__main__":
    tap.run()
