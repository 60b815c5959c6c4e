#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""softbag on machines of all kinds: it runs, or says in one sentence what helps; and it ends cleanly."""

import glob
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames, hosts, oracle, pcapio, replay, running, tap  # noqa: E402
from support.running import REPLAY, ROOT, SOFTBAG  # noqa: E402

CAPTURE = replay.data("qps_256.pcap")
CPUS = sorted(os.sched_getaffinity(0))
PLAIN = 'eal: ["--no-huge"]'
MANY = 1_000_000
MAX_MIB = 64  # of a file, as docs/config.md says

# Words that a sentence has when it names a cure.
CURE = re.compile(r"\b(set|give|lower|take|use|see|aggregate|shorten|add|raise|make)\b")


def conf(runtime="", *, memory="128MB", ports=None, routes=None):
    """A node that forwards a looped capture, slowly, to nowhere."""
    if ports is None:
        ports = (f"net_pcap0,rx_pcap={CAPTURE},infinite_rx=1", "net_null1,no-rx=1")
    lines = [
        "version: 1",
        "node: {name: started, id: 3}",
        f"runtime: {{idle: adaptive, memory: {memory}{', ' if runtime else ''}{runtime}}}",
        "ports:",
    ]
    for i, device in enumerate(ports):
        lines.append(
            f'  - {{name: p{i}, device: "{device}", role: nsf, promiscuous: true, pace: 10kpps}}'
        )
    lines += [
        "groups:",
        "  - name: g",
        f'    members: [{{port: p{len(ports) - 1}, mac: "02:00:00:00:0b:01"}}]',
        "routes:",
        "  static:",
        *(routes or ['    - {prefix: "0.0.0.0/0", group: g}']),
    ]
    return "\n".join(lines) + "\n"


def write(text, name="node.yaml"):
    path = os.path.join(running.folder(tap), name)
    with open(path, "w", encoding="ascii") as out:
        out.write(text)
    return path


def command(path, *options):
    return [SOFTBAG, "-c", path, *(options or ("--seconds", "1"))]


def check_ran(done):
    """It forwarded, its numbers add up, and nothing is left."""
    assert done.status == 0, f"status {done.status}\n{done.err}"
    came, out, _, _ = running.totals(done.out)
    assert came == out > 0, done.out
    assert not running.errors(done.err), done.err
    assert not running.runtime_left(done.pid), running.runtime_left(done.pid)


def check_refused(done):
    """It did not run, said why and what helps, once; returns that."""
    assert done.status == 1, f"status {done.status}\n{done.out}{done.err}"
    said = running.errors(done.err)
    assert len(said) == 1, done.err
    assert CURE.search(said[0]) and said[0].endswith("."), said[0]
    assert not done.out, done.out
    assert not running.runtime_left(done.pid), running.runtime_left(done.pid)
    return said[0]


# Hugepages, or none


@tap.test
def with_hugepages_it_runs_on_them():
    running.take_pages(tap, 64)
    path = write(conf())
    process = running.spawn(
        command(path, "--seconds", "2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    tap.defer(running.end_session, process)
    out, err = process.communicate(timeout=60)
    check_ran(running.Done(process.returncode, out, err, process.pid))
    assert "plain memory" not in err, err


@tap.test
def without_hugepages_it_runs_on_plain_memory_and_says_so():
    tap.require("unshare", root=True)
    done = running.run(running.within(running.NO_PAGES, command(write(conf()))))
    check_ran(done)
    said = re.findall(r"running on plain memory.*echo (\d+) > (\S+)", done.err)
    assert said == [("62", f"{running.PAGES}/nr_hugepages")], done.err
    assert "EAL" not in done.err, done.err


@tap.test
def in_memory_with_hugepages_runs():
    running.take_pages(tap, 64)
    check_ran(running.run(command(write(conf('eal: ["--in-memory"]')))))


@tap.test
def in_memory_without_hugepages_names_the_cure():
    tap.require("unshare", root=True)
    path = write(conf('eal: ["--in-memory"]'))
    said = check_refused(running.run(running.within(running.NO_PAGES, command(path))))
    assert "runtime.eal" in said, said
    # The cure that it names: all of them away.
    check_ran(running.run(running.within(running.NO_PAGES, command(write(conf())))))


def run_on_hugetlbfs(where, options="", then="", words=(), user=None):
    """
    Runs words in a namespace in which `where` is a hugetlbfs, and DPDK's runtime folder is empty; both
    are as they were when it has ended.
    """
    if user is not None:
        words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]
    script = f"""
        mkdir -p {running.RUNTIME}
        mount -t tmpfs none {running.RUNTIME}
        mount -t hugetlbfs -o pagesize=2M{options} none {where}
        {then}
        status=0
        {shlex.join(words)} || status=$?
        echo left: $(find {where} {running.RUNTIME} -mindepth 1)
        exit $status
        """
    done = running.run(["unshare", "--mount", "--propagation", "private", "bash", "-ec", script])
    out, _, left = done.out.rpartition("left:")
    assert not left.strip(), f"left: {left[:500]}"
    return done._replace(out=out)


def huge_dir(where):
    return write(conf(f'eal: ["--huge-dir", "{where}"]'))


@tap.test
def a_hugetlbfs_that_can_be_written_is_used():
    tap.require("unshare", root=True)
    running.take_pages(tap, 64)
    where, free = running.folder(tap), running.pages()[1]
    check_ran(run_on_hugetlbfs(where, words=command(huge_dir(where))))
    assert running.pages()[1] >= min(free, 64), f"{free} pages were free, now {running.pages()[1]}"


@tap.test
def a_hugetlbfs_mounted_read_only_names_the_cure():
    tap.require("unshare", root=True)
    running.take_pages(tap, 64)
    where = running.folder(tap)
    remount = f"mount -o remount,ro {where}"
    said = check_refused(run_on_hugetlbfs(where, "", remount, command(huge_dir(where))))
    assert "runtime.eal" in said, said


@tap.test
def a_hugetlbfs_of_somebody_else_names_the_cure():
    tap.require("unshare", "setpriv", root=True)
    running.take_pages(tap, 64)
    where, home = running.folder(tap), running.folder(tap)
    os.chown(home, running.NOBODY, running.NOBODY)
    program = shutil.copy(SOFTBAG, home)
    capture = shutil.copy(CAPTURE, home)
    path = os.path.join(home, "node.yaml")
    with open(path, "w", encoding="ascii") as out:
        out.write(conf(f'eal: ["--huge-dir", "{where}"]').replace(CAPTURE, capture))
    words = ["env", f"XDG_RUNTIME_DIR={home}", program, "-c", path, "--seconds", "1"]
    done = run_on_hugetlbfs(where, ",mode=755", "", words, running.NOBODY)
    assert "runtime.eal" in check_refused(done), done.err
    left = glob.glob(os.path.join(home, "dpdk", "*"))
    assert not left, left


@tap.test
def a_folder_that_is_no_hugetlbfs_names_the_cure():
    said = check_refused(running.run(command(huge_dir(running.folder(tap)))))
    assert "runtime.eal" in said, said


@tap.test
def an_option_that_dpdk_does_not_know_names_the_cure():
    said = check_refused(running.run(command(write(conf('eal: ["--no-huge", "--nonsense"]')))))
    assert "runtime.eal" in said, said


# CPUs


@tap.test
def one_cpu_does_for_control_and_worker():
    tap.require("taskset")
    words = ["taskset", "-c", str(CPUS[0]), *command(write(conf(PLAIN)))]
    for idle in ("adaptive", "poll"):
        path = write(conf(PLAIN).replace("idle: adaptive", f"idle: {idle}"))
        words = ["taskset", "-c", str(CPUS[0]), *command(path)]
        done = running.run(words)
        check_ran(done)
        assert " 1 worker" in done.err, done.err


@tap.test
def a_cpu_that_is_not_there_names_the_cure():
    for runtime in (
        "main_lcore: 127",
        "workers: [{lcore: 127, rx: [p0, p1]}]",
        f"main_lcore: {CPUS[0]}, workers: [{{lcore: 126, rx: [p0, p1]}}]",
    ):
        said = check_refused(running.run(command(write(conf(f"{PLAIN}, {runtime}")))))
        assert "nproc" in said and "12" in said, said


# Ends


def started(path, *options, **more):
    process = running.spawn(
        [SOFTBAG, "-c", path, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
    )
    tap.defer(running.end_session, process)
    return process


def until_runs(process):
    """Reads what it says until it runs."""
    said = ""
    while " runs: " not in said:
        line = process.stderr.readline()
        assert line, f"it ended:\n{said}{process.wait()}"
        said += line
    return said


@tap.test
def a_signal_while_it_forwards_ends_it_cleanly():
    path = write(conf(PLAIN))
    for number in (signal.SIGINT, signal.SIGTERM):
        for options in ((), ("--live",), ("-i",)):
            process = started(path, *options, stdin=subprocess.PIPE)
            until_runs(process)
            time.sleep(0.3)  # some packets
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            check_ran(running.Done(process.returncode, out, err, process.pid))


@tap.test(timeout=120)
def ctrl_c_at_its_console_ends_it_cleanly():
    """The console takes keys one by one, so that the terminal makes no signal of this one."""
    path = write(conf(PLAIN))
    for keys in (b"\x03", b"show po\x03", b"show port\nshow group\nshow\x03", b"\x03\x03\x03"):
        term = running.Terminal(tap, [SOFTBAG, "-c", path, "-i"], on=("stdin", "stdout"))
        term.wait_for("softbag> ")
        assert term.mode() != term.before, "the terminal is not the console's"
        time.sleep(0.3)  # some packets
        term.type(keys)
        check_ran(term.wait())
        assert term.mode() == term.before, "the terminal is not as it was"


@tap.test
def a_mistyped_command_comes_back_with_the_arrow_key():
    term = running.Terminal(tap, [SOFTBAG, "-c", write(conf(PLAIN)), "-i"], on=("stdin", "stdout"))
    term.wait_for("softbag> ")
    term.type(b"show prot\n")
    term.wait_for("There is no command show prot; the nearest is show port.\nsoftbag> ")
    term.type(b"\x1b[A\x7f\x7f\x7fort\n")  # up, three letters back, others
    term.wait_for("in packets")
    term.type(b"exit\n")
    check_ran(term.wait())


@tap.test
def ctrl_c_without_a_console_ends_it_cleanly():
    term = running.Terminal(tap, [SOFTBAG, "-c", write(conf(PLAIN)), "--live"], on=("stdin", "stdout"))
    until_runs(term.process)
    time.sleep(0.3)  # some packets
    term.type(b"\x03")
    check_ran(term.wait())


@tap.test(timeout=240)
def sigterm_at_any_moment_of_its_start_is_no_crash():
    """Before it has taken signals over the kernel ends it; from then on it ends by itself, with 0."""
    path = write(conf(PLAIN, memory="64MB", ports=("net_null0,no-rx=1", "net_null1,no-rx=1")))
    chance = random.Random(20)
    statuses = []
    for _ in range(20):
        process = started(path)
        time.sleep(chance.uniform(0, 0.3))
        process.terminate()
        out, err = process.communicate(timeout=60)
        statuses.append(process.returncode)
        assert process.returncode in (0, -signal.SIGTERM), f"{process.returncode}\n{out}{err}"
        assert not running.errors(err), err
        assert process.returncode != 0 or running.totals(out) == (0, 0, 0, 0), out
        left = running.runtime_left(process.pid)
        assert not left, left
    assert 0 in statuses, statuses


@tap.test
def a_second_signal_changes_nothing():
    process = started(write(conf(PLAIN)))
    until_runs(process)
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    running.totals(out)


@tap.test
def an_end_of_its_input_ends_a_console():
    path = write(conf(PLAIN))
    done = running.run([SOFTBAG, "-c", path, "-i"], text="", status=0)
    running.totals(done.out)
    done = running.run([SOFTBAG, "-c", path, "-i"], text="show port", status=0)  # no newline
    running.totals(done.out)


@tap.test
def closed_standard_streams_do_no_harm():
    """What the node opens must not get their numbers: it would be written into."""
    written = os.path.join(running.folder(tap), "out.pcap")
    ports = (f"net_pcap0,rx_pcap={CAPTURE},infinite_rx=1", f"net_pcap1,tx_pcap={written}")
    path = write(conf(PLAIN, ports=ports))
    for closed in ("--live <&-", "-i <&-", "--live >&-", "--live <&- >&-", "--live <&- >&- 2>&-"):
        line = f"exec {shlex.join(command(path))} {closed}"
        done = running.run(["bash", "-c", line], status=0)
        assert not running.errors(done.err), done.err
        assert not running.runtime_left(done.pid)
        sent = {oracle.identity(frame) for frame in pcapio.read_frames(CAPTURE)}
        got = {oracle.identity(frame) for frame in pcapio.read_frames(written)}
        assert got and got <= sent, closed


@tap.test
def a_pipe_that_nobody_reads_is_no_crash():
    words = command(write(conf(PLAIN)), "--live", "--seconds", "3")
    line = f"{shlex.join(words)} | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = running.run(["bash", "-c", line])
    assert done.status == 0 and not running.errors(done.err), done


# Devices


@tap.test
def a_device_that_is_not_there_is_told_with_its_port():
    for device in (
        "net_af_packet0,iface=sb-nowhere",
        "net_pcap0,rx_pcap=/nowhere/at/all.pcap",
        "net_nonsense0",
        "0000:fe:1f.7",
    ):
        path = write(conf(PLAIN, ports=(device, "net_null1,no-rx=1")))
        done = running.run(command(path))
        assert done.status == 1 and not done.out, done
        said = running.errors(done.err)
        assert len(said) == 1 and said[0].startswith(f"port p0: device {device}: "), done.err
        assert not running.runtime_left(done.pid)


@tap.test
def all_devices_that_are_not_there_are_told_in_one_run():
    devices = ("net_nonsense0", "net_null1,no-rx=1", "net_af_packet2,iface=sb-nowhere")
    done = running.run(command(write(conf(PLAIN, ports=devices))))
    said = running.errors(done.err)
    assert done.status == 1 and not done.out, done
    assert [s.split(":")[0] for s in said] == ["port p0", "port p2"], done.err


# Memory and size


@tap.test
def too_little_memory_is_told_beforehand_and_what_would_do():
    for memory, more in (("64MB", ", mbufs: 20000"), ("100MB", ", mbufs: 100000")):
        text = conf(PLAIN + more, memory=memory)
        path = write(text)
        check = running.run([SOFTBAG, "-c", path, "--check"], status=2)
        start = running.run(command(path))
        said = check_refused(start)
        assert running.errors(check.err) == [said], check.err
        assert "EAL" not in start.err, "it started DPDK"
        cure = re.search(r"set memory: (\d+MB)", said)
        assert cure, said
        path = write(text.replace(f"memory: {memory}", f"memory: {cure.group(1)}"))
        check = running.run([SOFTBAG, "-c", path, "--check"], status=0)
        assert not check.err, check.err
        check_ran(running.run(command(path)))


@tap.test
def more_memory_than_the_machine_has_names_the_cure_or_is_promised():
    tap.require("unshare", root=True)
    path = write(conf(memory="1TB"))
    done = running.run(running.within(running.NO_PAGES, command(path)), timeout=60)
    if done.status != 0:  # the kernel may be set to promise any amount
        check_refused(done)


@tap.test(timeout=300)
def a_million_routes_from_a_file_forward():
    routes = ["    - {prefix: 10.2.0.0/16, group: g}"]
    routes += [
        f"    - {{prefix: {20 + (i >> 16)}.{i >> 8 & 255}.{i & 255}.0/24, group: g}}"
        for i in range(MANY)
    ]
    path = write(conf(PLAIN, memory="4GB", routes=routes))
    check = running.run([SOFTBAG, "-c", path, "--check"], status=0)
    assert f"{MANY + 1} routes" in check.out and not check.err, check
    done = running.run([SOFTBAG, "-c", path, "-i"], text="show fib\nquit\n", status=0)
    assert f"{MANY + 1:,}" in done.out, done.out
    where = running.folder(tap)
    result = replay.run(path, {"p0": CAPTURE}, where, write=False)
    assert result.json["in"] == result.json["out"] == 256, result.json


@tap.test
def a_file_that_is_too_big_is_refused():
    path = write(conf(PLAIN))
    with open(path, "ab") as out:
        for _ in range(100):
            out.write((b"#" * 999 + b"\n") * 1000)
    assert os.path.getsize(path) > 100_000_000
    capture = f"p0={CAPTURE}"
    for words in (
        [SOFTBAG, "-c", path, "--check"],
        [SOFTBAG, "-c", path],
        [REPLAY, "-c", path, "--in", capture],
    ):
        done = running.run(words, status=2)
        assert done.err.startswith(path) and str(MAX_MIB) in done.err, done.err
        assert len(done.err.splitlines()) == 1, done.err


# The laboratory of config/lab-netns.yaml, as its head tells it


def told(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return [line[4:].strip() for line in f if line.startswith("#   ")]


def laboratory():
    """A folder with the tree's config/ and the build under test as build/, wherever that is."""
    where = running.folder(tap)
    os.symlink(os.path.join(ROOT, "config"), os.path.join(where, "config"))
    os.symlink(replay.BUILD, os.path.join(where, "build"))
    return where


LABORATORY = """
mkdir -p /run/netns
mount -t tmpfs none /run/netns
ip link set lo up
{before}
mkfifo keys
sleep 1000 >keys & # holds the console's input open
{node} <keys >said 2>&1 &
node=$!
for i in $(seq 600); do
    grep -q ' runs: ' said && break
    kill -0 $node || break
    sleep 0.1
done
for i in $(seq 30); do
    ip netns exec a ping -c 1 -W 1 10.2.0.2 >/dev/null && break
done
timeout -s INT 3 {ping} || true
printf 'show port\\nshow group\\nquit\\n' >keys
wait $node
echo "softbag ended with $?"
cat said
kill %1
"""


@tap.test(timeout=180)
def the_commands_of_lab_netns_make_a_laboratory():
    tap.require("unshare", "ip", "ping", "ethtool", "timeout", root=True)
    lines = told("config/lab-netns.yaml")
    node = [line for line in lines if "softbag -c" in line]
    ping = [line for line in lines if " ping " in line]
    assert len(node) == len(ping) == 1 and lines[-2:] == node + ping, lines
    script = LABORATORY.format(before="\n".join(lines[:-2]), node=node[0], ping=ping[0])
    # In namespaces of its own: nobody else's a, b and bag are in its way, and none of its are left.
    words = ["unshare", "--mount", "--net", "--propagation", "private", "bash", "-ec", script]
    done = running.run(words, cwd=laboratory(), timeout=150)
    assert done.status == 0, f"{done.out}\n{done.err}"
    assert "softbag ended with 0" in done.out, f"{done.out}\n{done.err}"
    answers = len(re.findall(r"bytes from 10\.2\.0\.2: .* ttl=63 ", done.out))
    assert answers >= 2, f"{answers} answers\n{done.out}\n{done.err}"
    running.totals(done.out)
    for port in ("left", "right"):
        assert re.search(rf"^{port} +\w+ +net_af_packet +up ", done.out, re.MULTILINE), done.out


# Tags through AF_PACKET; test_netns_hosts.py has one tag with a priority


@tap.test(timeout=120)
def two_tags_and_a_priority_tag_go_through_af_packet():
    tap.require("ip", "ping", "ethtool", "sysctl", root=True)
    lab = hosts.Lab(running.folder(tap))
    tap.defer(lab.down)
    lab.up()
    lab.start()
    ip = frames.roce_ip(hosts.IP4[0], hosts.IP4[1], qpn=7, payload=bytes(64))
    sent = [
        frames.ether(ip, dst=hosts.PORT_MAC[0], src=hosts.HOST_MAC[0], tags=tags)
        for tags in ((0x6000,), (0x0FFE,), (100, 200), frames.QINQ)
    ]
    got = [x for x in lab.carry(sent, len(sent)) if oracle.bth(x)]
    assert len(got) == len(sent), f"{len(got)} of {len(sent)} arrived\n{lab.said()}"
    for before, after in zip(sent, got):
        if before[12:14] == b"\x88\xa8":  # docs/architecture.md: the driver says 802.1Q for all
            after = after[:12] + before[12:14] + after[14:]
        assert oracle.compare(before, after) == [], oracle.compare(before, after)
    assert lab.stop() == 0, lab.said()


if __name__ == "__main__":
    tap.run()
