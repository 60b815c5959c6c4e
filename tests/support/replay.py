# SPDX-License-Identifier: BSD-3-Clause
"""Writes node files, runs softbag-replay on them, and hands back what came out."""

import collections
import glob
import json
import os
import subprocess

from . import oracle, pcapio

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "tests", "data")
BUILD = os.path.abspath(
    os.environ.get("SB_BUILD") or os.environ.get("SOFTBAG_BUILD") or os.path.join(ROOT, "build")
)
PROGRAM = os.path.join(BUILD, "app", "softbag-replay", "softbag-replay")
SOFTBAG = os.path.join(BUILD, "app", "softbag", "softbag")

PORT_MAC = "02:00:00:00:0a:{:02x}"  # of way out n
MEMBER_MAC = "02:00:00:00:0b:{:02x}"  # of the next hop behind it

TIMED_KEYS = (
    "cycles_per_packet",
    "cycles_per_packet_median",
    "stages",
    "seconds",
)  # what two runs may differ in

Result = collections.namedtuple("Result", "status stderr json out folder")


def data(name):
    return os.path.join(DATA, name)


def own_captures():
    """Every Ethernet pcap of tests/data that is whole."""
    refused = {"sample_snap64.pcap", "sample_raw_ip.pcap"}
    return [data(n) for n in sorted(os.listdir(DATA)) if n.endswith(".pcap") and n not in refused]


def foreign_captures(where):
    """
    (path, Capture) of every Ethernet or other capture in SOFTBAG_CAPTURES; raises tap.Skip without
    it. libpcap refuses pcapng files whose interfaces differ, so those go through a copy in `where`.
    """
    from . import tap  # takes over standard output: not for programs that are no tests

    folder = os.environ.get("SOFTBAG_CAPTURES")
    if not folder:
        raise tap.Skip("SOFTBAG_CAPTURES names no folder of captures")
    paths = sorted(glob.glob(os.path.join(folder, "**", "*.pcap*"), recursive=True))
    assert paths, f"no capture in {folder}"
    for path in paths:
        capture = pcapio.read_pcap(path)
        with open(path, "rb") as f:
            is_pcapng = f.read(4) == b"\n\r\r\n"
        if is_pcapng and whole(capture):
            path = os.path.join(where, os.path.basename(path))
            pcapio.write_pcap(path, capture.frames, linktype=capture.linktype)
        yield path, capture


def whole(capture):
    """Ethernet, and no frame was cut when it was caught."""
    if capture.linktype != pcapio.LINKTYPE_ETHERNET:
        return False
    return all(len(x) == n for (_, x), n in zip(capture.frames, capture.orig_len))


class Node:
    """
    A node with one way in (`in0`) and a way out for each weight (`out0`, ...); all routes lead to
    one group `g`. What is given by name replaces that. `addresses`: {way out: its address};
    `workers`: lcores that all poll all ports.
    """

    def __init__(
        self,
        weights=(1, 1, 1, 1),
        *,
        node_id=11,
        mtu=9600,
        promiscuous=True,
        hash_fields=None,
        buckets=None,
        prefixes=("0.0.0.0/0", "::/0"),
        in_mac="02:00:00:00:00:01",
        addresses=None,
        workers=None,
        more="",
        more_groups="",
        more_routes="",
    ):
        self.weights = weights
        lines = ["version: 1", f"node: {{name: replayed, id: {node_id}}}"]
        # Tests run beside others that take hugepages: what was free may be gone a moment later.
        lines += ["runtime:", "  mbufs: 2048", '  eal: ["--no-huge"]']
        if workers:
            rx = ", ".join(["in0", *(f"out{i}" for i in range(len(weights)))])
            lines.append("  workers:")
            lines += [f"    - {{lcore: {lcore}, rx: [{rx}]}}" for lcore in workers]
        lines.append("ports:")
        lines.append(
            f'  - {{name: in0, device: net_null0, role: nsf, mac: "{in_mac}", mtu: 9600,'
            f" promiscuous: {'true' if promiscuous else 'false'}}}"
        )
        for i in range(len(weights)):
            own = (addresses or {}).get(i)
            lines.append(
                f"  - {{name: out{i}, device: net_null{i + 1}, role: longhaul, mtu: {mtu},"
                f' mac: "{PORT_MAC.format(i)}"' + (f", addresses: [{own}]" if own else "") + "}"
            )
        lines += ["groups:", "  - name: g"]
        if hash_fields:
            lines.append(f"    hash: [{', '.join(hash_fields)}]")
        if buckets:
            lines.append(f"    buckets: {buckets}")
        lines.append("    members:")
        for i, weight in enumerate(weights):
            lines.append(
                f'      - {{port: out{i}, mac: "{MEMBER_MAC.format(i)}", weight: {weight}}}'
            )
        lines += more_groups.splitlines()
        lines += ["routes:", "  static:"]
        lines += [f'    - {{prefix: "{prefix}", group: g}}' for prefix in prefixes]
        lines += more_routes.splitlines() + more.splitlines()
        self.yaml = "\n".join(lines) + "\n"

    def write(self, folder):
        path = os.path.join(folder, "node.yaml")
        with open(path, "w", encoding="ascii") as f:
            f.write(self.yaml)
        return path


def run(node, inputs, folder, *options, status=0, write=True, timeout=300):
    """
    One run in `folder`. `inputs`: a path for in0, or {port: path}. Raises AssertionError when the
    exit status is not `status` (None: any).
    """
    if not isinstance(inputs, dict):
        inputs = {"in0": inputs}
    conf = node if isinstance(node, str) else node.write(folder)
    out, report = os.path.join(folder, "out"), os.path.join(folder, "report.json")
    if os.path.exists(report):
        os.unlink(report)
    command = [PROGRAM, "-c", conf]
    for port, path in inputs.items():
        command += ["--in", f"{port}={path}"]
    if write:
        command += ["--out", out]
    command += ["--json", report, *options]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=timeout,
        check=False,
    )
    if status is not None and done.returncode != status:
        raise AssertionError(
            f"{' '.join(command)}: exit status {done.returncode}, want {status}\n"
            f"{done.stderr[-4000:]}"
        )
    parsed, frames = None, {}
    if os.path.exists(report):
        with open(report, encoding="utf-8") as f:
            parsed = json.load(f)
    if write and done.returncode == 0:
        for name in sorted(os.listdir(out)):
            if name.endswith(".pcap"):
                frames[name[:-5]] = pcapio.read_frames(os.path.join(out, name))
    return Result(done.returncode, done.stderr, parsed, frames, folder)


def untimed(report):
    return {k: v for k, v in report.items() if k not in TIMED_KEYS}


def member_packets(result, group="g"):
    """Packets of each member, in the order of the configuration."""
    return [m["packets"] for m in result.json["groups"][group]["members"]]


def check_conservation(report):
    """in = out + punted + dropped, and the parts add up to the sums."""
    wrong = []
    if report["in"] != report["out"] + report["punted"] + report["dropped"]:
        wrong.append(
            f"in {report['in']} != out {report['out']} + punted {report['punted']}"
            f" + dropped {report['dropped']}"
        )
    if sum(report["drops"].values()) != report["dropped"]:
        wrong.append(f"dropped {report['dropped']}, by reason {report['drops']}")
    for way in ("in", "out"):
        total = sum(port[way]["packets"] for port in report["ports"].values())
        if total != report[way]:
            wrong.append(f"{way} {report[way]}, by port {total}")
    return wrong


def check_forwarding(before, result):
    """
    Holds what left to what came in: each frame out is one frame in, changed as a router may and no
    more; MACs are those of the member; ICRC is as it was; a flow keeps its order and its port.
    """
    wrong = []
    waiting = collections.defaultdict(collections.deque)
    for i, frame in enumerate(before):
        waiting[oracle.identity(frame)].append(i)
    port_of, last_of = {}, {}
    for port, frames in result.out.items():
        for n, frame in enumerate(frames):
            where = f"{port} frame {n + 1}"
            queue = waiting.get(oracle.identity(frame))
            if not queue:
                wrong.append(f"{where}: never came in: {frame[:80].hex()}")
                continue
            i = queue.popleft()
            was = before[i]
            wrong += [f"{where} (in {i + 1}): {text}" for text in oracle.compare(was, frame)]
            if oracle.icrc(was) != oracle.icrc(frame):
                wrong.append(
                    f"{where} (in {i + 1}): ICRC {oracle.icrc(was)} became {oracle.icrc(frame)}"
                )
            wrong += _check_macs(port, frame, where)
            key = oracle.flow_key(was)
            if port_of.setdefault(key, port) != port:
                wrong.append(f"{where}: flow {key} left by {port_of[key]}, too")
            if last_of.get(key, -1) > i:
                wrong.append(f"{where}: flow {key}: in {i + 1} left after in {last_of[key] + 1}")
            last_of[key] = i
    return wrong


def _check_macs(port, frame, where):
    n = int(port[3:]) if port.startswith("out") else None
    if n is None:
        return []
    wrong = []
    if oracle.src_mac(frame) != PORT_MAC.format(n):
        wrong.append(f"{where}: source MAC {oracle.src_mac(frame)}, want {PORT_MAC.format(n)}")
    if oracle.dst_mac(frame) != MEMBER_MAC.format(n):
        wrong.append(
            f"{where}: destination MAC {oracle.dst_mac(frame)}, want {MEMBER_MAC.format(n)}"
        )
    return wrong


def binomial_bounds(n, p, members=1, chance=1e-6):
    """
    (low, high): what a count of n draws with probability p leaves only once in 1/chance times, over
    all of `members` counts. The hash draws once and for all: a right one passes always or, that
    seldom, never.
    """
    tail = chance / 2 / members
    q = (1 - p) ** n if p < 1 else 0.0
    cdf, low, high = q, 0, n
    if cdf == 0.0:  # far out in the tail of a big n: the normal's 6 sigma is wider
        sigma = (n * p * (1 - p)) ** 0.5
        return max(0, int(n * p - 6 * sigma)), min(n, int(n * p + 6 * sigma) + 1)
    found_low = cdf >= tail
    for k in range(1, n + 1):
        q *= (n - k + 1) / k * p / (1 - p)
        cdf += q
        if not found_low and cdf >= tail:
            low, found_low = k, True
        if 1 - cdf <= tail:
            high = k
            break
    return low, high


def check_shares(counts, weights):
    """Each member's count is within the binomial bounds of its weight's share."""
    n, total = sum(counts), sum(weights)
    wrong = []
    for i, (count, weight) in enumerate(zip(counts, weights)):
        if weight == 0:
            if count:
                wrong.append(f"member {i} of weight 0 got {count}")
            continue
        low, high = binomial_bounds(n, weight / total, len(counts))
        if not low <= count <= high:
            wrong.append(f"member {i} of weight {weight} got {count} of {n}, want {low} to {high}")
    return wrong
