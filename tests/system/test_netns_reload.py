#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A running softbag takes another file: by SIGHUP between two hosts that talk, and by its console."""

import os
import re
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import hosts, running, tap  # noqa: E402
from support.hosts import A, B, HOST_MAC, IP4  # noqa: E402
from support.running import SOFTBAG  # noqa: E402

RUNTIME = hosts.PLAIN_MEMORY + ", mbufs: 16384"
NULL = """version: 1
node: {name: n, id: 7}
runtime: {memory: 128MB, mbufs: 8192, eal: ["--no-huge", "--no-pci"]}
ports:
  - {name: p0, device: net_null0, role: nsf}
  - {name: p1, device: net_null1, role: longhaul%s}
groups:
  - {name: g, members: [{port: p1, mac: "02:aa:00:00:00:01"}]}
routes:
  static: [{prefix: 10.0.0.0/8, group: g}]
"""


def lab():
    tap.require("ip", "ping", "ethtool", "sysctl", root=True)
    folder = tempfile.TemporaryDirectory(prefix="softbag-reload-")
    tap.defer(folder.cleanup)
    made = hosts.Lab(folder.name)
    tap.defer(made.down)
    made.up()
    made.start(runtime=RUNTIME)
    return made


def write(where, text):
    path = os.path.join(where.folder, "node.yaml")
    with open(path + ".new", "w", encoding="ascii") as f:
        f.write(text)
    os.replace(path + ".new", path)


def hang_up(where, told):
    """SIGHUP, and the log until it holds `told` once more."""
    before = where.said().count(told)
    where.process.send_signal(signal.SIGHUP)
    running.wait_for(lambda: where.said().count(told) > before, what=f"{told} in {where.said()}")


def other_yaml():
    """A rate and marks at one port, another order of groups, one more of them and of the routes."""
    text = hosts.node_yaml(RUNTIME)
    text = text.replace("name: pb, ", "name: pb, rate: 1Gbit, ecn: phantom, ", 1)
    head, groups = text.split("groups:\n")
    groups, routes = groups.split("routes:\n")
    more = f'  - {{name: more, members: [{{port: pb, mac: "{HOST_MAC[B]}"}}]}}\n'
    routes += "    - {prefix: 10.8.0.0/16, group: more}\n"
    return f"{head}groups:\n{more}{groups}routes:\n{routes}"


@tap.test
def forty_reloads_lose_no_ping():
    where = lab()
    files = hosts.node_yaml(RUNTIME), other_yaml()
    ping = where.spawn(
        where.host[A], "ping", "-i0.005", "-w6", "-q", IP4[B], stdout=-1, text=True
    )
    time.sleep(0.2)
    for i in range(40):
        write(where, files[(i + 1) % 2])
        hang_up(where, "node.yaml runs.")
    ping.send_signal(signal.SIGINT)
    said = ping.communicate(timeout=30)[0]
    assert " 0% packet loss" in said, f"{said}\n{where.said()}"
    assert int(re.search(r"(\d+) packets transmitted", said)[1]) > 100, said
    assert "ports.pb.rate: none -> 1Gbit" in where.said(), where.said()
    assert where.stop() == 0, where.said()
    running.totals(where.said())


@tap.test
def what_the_node_cannot_take_changes_nothing():
    where = lab()
    good = hosts.node_yaml(RUNTIME)
    for text, told in (
        ("version: 1\nnode: {", "node.yaml:3:1: syntax: got"),
        (good.replace("role: nsf", "role: nfs", 1), "ports.pa.role: got nfs"),
        (good.replace("id: 7", "id: 8"), "node.yaml:2:7: node.id: 7 -> 8 needs a restart."),
        (good.replace("mtu: 1500", "mtu: 1400", 1), "mtu: 1500 -> 1400 needs a restart."),
        ("", "Nothing has changed."),
    ):
        write(where, text)
        hang_up(where, "Nothing has changed.")
        assert told in where.said(), (told, where.said())
        said = where.within(where.host[A], "ping", "-c2", "-i0.1", "-W2", IP4[B])
        assert " 0% packet loss" in said, said
    write(where, good)
    hang_up(where, "no difference to what runs")
    assert where.stop() == 0, where.said()


def console(extra=""):
    """A node on a terminal, and its file."""
    folder = running.folder(tap)
    path = os.path.join(folder, "n.yaml")
    with open(path, "w", encoding="ascii") as f:
        f.write(NULL % extra)
    term = running.Terminal(tap, [SOFTBAG, "-c", path, "-i"], on=("stdin", "stdout"))
    term.wait_for("softbag> ")
    return term, path


def rewrite(path, extra):
    with open(path, "w", encoding="ascii") as f:
        f.write(NULL % extra)


@tap.test
def the_console_reloads_and_shows_what_runs():
    term, path = console()
    rewrite(path, ", rate: 1Gbit")
    term.type(b"reload\n")
    term.wait_for("ports.p1.rate: none -> 1Gbit")
    term.wait_for("n.yaml runs.")
    term.type(b"show config\n")
    term.wait_for("rate: 1Gbit")
    term.type(b"quit\n")
    done = term.wait()
    assert done.status == 0, done
    shown = re.search(r"show config\n(version: 1\n.*?)softbag> ", done.out, re.DOTALL)[1]
    dumped = os.path.join(os.path.dirname(path), "dumped.yaml")
    with open(dumped, "w", encoding="ascii") as f:
        f.write(shown)
    check = running.run([SOFTBAG, "-c", dumped, "--check", "--against", path], status=0)
    assert "no difference to" in check.out, check.out


@tap.test
def what_nobody_commits_is_taken_back():
    term, path = console()
    rewrite(path, ", rate: 2Gbit")
    term.type(b"commit confirm 1\n")
    term.wait_for("commit within 1 s, or it is taken back")
    term.type(b"reload\n")
    term.wait_for("A configuration waits for its commit")
    time.sleep(1.5)
    term.type(b"show config\n")
    term.wait_for("prefix: 10.0.0.0/8")
    assert "rate: 2Gbit" not in term.screen().rpartition("show config")[2], term.screen()
    term.type(b"commit\n")
    term.wait_for("Nothing waits for a commit")
    term.type(b"commit confirm 60\n")
    term.wait_for("commit within 60 s")
    term.type(b"commit\n")
    term.wait_for("It stays.")
    term.type(b"quit\n")
    done = term.wait()
    assert done.status == 0 and "nobody has committed" in done.err, done


@tap.test
def a_hangup_of_a_terminal_that_is_there_reloads():
    term, path = console()
    rewrite(path, ", rate: 3Gbit")
    os.kill(term.process.pid, signal.SIGHUP)
    time.sleep(0.5)
    term.type(b"show config\n")
    term.wait_for("rate: 3Gbit")
    term.type(b"quit\n")
    assert term.wait().status == 0


@tap.test
def check_against_says_what_needs_a_restart():
    folder = running.folder(tap)
    paths = [os.path.join(folder, n) for n in ("old.yaml", "new.yaml")]
    for path, extra in zip(paths, ("", ", rate: 1Gbit, mtu: 9000")):
        with open(path, "w", encoding="ascii") as f:
            f.write(NULL % extra)
    done = running.run([SOFTBAG, "-c", paths[1], "--check", "--against", paths[0]], status=0)
    assert f"{paths[1]}:6:5: ports.p1.mtu: 1500 -> 9000 needs a restart\n" in done.out, done.out
    assert f"{paths[1]}:6:5: ports.p1.rate: none -> 1Gbit\n" in done.out, done.out
    assert "1 live, 1 that need a restart" in done.out, done.out


if __name__ == "__main__":
    tap.run()
