#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
softbag-replay --topology: many nodes in one process, wires that take their time, lose and are cut.
Times are held to a model of the wire in fractions, counters to each other over all nodes and wires.
"""

import filecmp
import functools
import json
import os
import random
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import frames as f  # noqa: E402
from support import oracle, pcapio, replay, running, tap  # noqa: E402

GBIT = 10**9


def folder():
    made = tempfile.TemporaryDirectory(prefix="softbag-lab-")
    tap.defer(made.cleanup)
    return made.name


def mac(node, port):
    return f"02:00:00:00:{node:02x}:{port:02x}"


def node_yaml(number, ports, groups, routes, *, keys=None, more="", mbufs="", memory="128MB"):
    """
    ports: names; groups: {name: [(port, mac of the next hop)]}; routes: {prefix: group};
    keys: {port: more keys}.
    """
    lines = ["version: 1", f"node: {{name: n{number}, id: {number + 1}}}"]
    lines += [f'runtime: {{memory: {memory}{mbufs}, eal: ["--no-huge"]}}', "ports:"]
    for i, name in enumerate(ports):
        lines.append(
            f'  - {{name: {name}, device: d{i}, role: nsf, mtu: 1500, mac: "{mac(number, i)}"'
            + (f", {keys[name]}" if keys and name in keys else "")
            + "}"
        )
    lines += [more or "classes: [{class: 3, name: rdma, dscp: [26]}]", "groups:"]
    for name, members in groups.items():
        inner = ", ".join(f'{{port: {port}, mac: "{to}"}}' for port, to in members)
        lines.append(f"  - {{name: {name}, members: [{inner}]}}")
    lines += ["routes:", "  static:"]
    lines += [f'    - {{prefix: "{prefix}", group: {group}}}' for prefix, group in routes.items()]
    return "\n".join(lines) + "\n"


def line_node(i, last, **more):
    """West to east: what comes in by `west` leaves by `east`."""
    to = "02:00:00:00:ff:ff" if last else mac(i + 1, 0)
    return node_yaml(i, ["west", "east"], {"g": [("east", to)]}, {"0.0.0.0/0": "g"}, **more)


def wire(a, b, rate="10Gbit", **keys):
    more = "".join(f", {k}: {v}" for k, v in keys.items())
    return f"{{from: {a}, to: {b}, rate: {rate}{more}}}"


def topology(nodes, wires, inputs, events=(), seed=1):
    lines = ["version: 1", f"seed: {seed}", "nodes:"]
    lines += [f"  - {{name: {name}, config: {name}.yaml}}" for name in nodes]
    for key, items in (("wires", wires), ("inputs", inputs), ("events", events)):
        if items:
            lines += [f"{key}:"] + [f"  - {item}" for item in items]
    return "\n".join(lines) + "\n"


class Run:
    """What came out: the report, {node.port: [(ns, frame)]}, standard output and error."""

    def __init__(self, where, done):
        self.where, self.status, self.stdout, self.stderr = where, done.status, done.out, done.err
        path = os.path.join(where, "report.json")
        self.json = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.json = json.load(file)
        out = os.path.join(where, "out")
        self.out = {}
        for name in sorted(os.listdir(out)) if os.path.isdir(out) else []:
            self.out[name[:-5]] = pcapio.read_pcap(os.path.join(out, name)).frames

    def wire(self, a, b):
        (one,) = [w for w in self.json["wires"] if (w["from"], w["to"]) == (a, b)]
        return one


def run(nodes, text, captures, *options, status=0, timeout=120):
    where = folder()
    for name, yaml in nodes.items():
        with open(os.path.join(where, f"{name}.yaml"), "w", encoding="ascii") as file:
            file.write(yaml)
    for name, content in captures.items():
        pcapio.write_pcap(os.path.join(where, name), content, ns=True)
    topo = os.path.join(where, "topo.yaml")
    with open(topo, "w", encoding="ascii") as file:
        file.write(text)
    words = [replay.PROGRAM, "--topology", topo, "--out", os.path.join(where, "out")]
    words += ["--json", os.path.join(where, "report.json"), *options]
    done = running.run(words, status=status, timeout=timeout)
    result = Run(where, done)
    if status == 0:
        assert not check_sums(result), "\n".join(check_sums(result))
    return result


def check_sums(result):
    wrong = []
    for name, node in result.json["nodes"].items():
        if node["in"] + node["duplicated"] != node["out"] + node["punted"] + node["dropped"]:
            wrong.append(f"{name}: {node['in']} in, {node['out']} out, {node['dropped']} dropped")
        if sum(node["drops"].values()) != node["dropped"]:
            wrong.append(f"{name}: {node['drops']}")
    lost = flying = 0
    for one in result.json["wires"]:
        gone = one["lost"] + one["lost_down"] + one["no_buffer"]
        if one["taken"] != one["delivered"] + gone + one["in_flight"]:
            wrong.append(f"wire {one}")
        lost += gone
        flying += one["in_flight"]
    t = result.json["totals"]
    if (t["wire_lost"], t["in_flight"]) != (lost, flying):
        wrong.append(f"wires {lost} {flying}: {t}")
    if t["in"] + t["made"] != t["out"] + t["punted"] + t["dropped"] + lost + flying:
        wrong.append(f"totals {t}")
    if sum(map(len, result.out.values())) != t["out"]:
        wrong.append(f"captures {sum(map(len, result.out.values()))}: {t}")
    return wrong


@functools.lru_cache(None)
def some(flows, size):
    """5000 RoCE data frames, of `flows` QPs in turn, each with a PSN of its own; a few lengths."""
    return [
        f.ether(
            f.roce_ip(
                "10.1.64.1", "10.2.0.1", f.RC + f.WRITE_MIDDLE, qpn=16 + i % flows, psn=i,
                payload=bytes(size + (0, 64, 256)[i * i % 3]),
            ),
            dst=mac(0, 0),
        )
        for i in range(5000)
    ]  # fmt: skip


def data(n, *, flows=64, size=1024):
    return some(flows, size)[:n]


def bits(frame):
    return (max(len(frame), 60) + 24) * 8


def arrivals(frames, rate):
    """Nanoseconds at which frames come in, back to back from 0."""
    at, out = 0, []
    for frame in frames:
        out.append(at * GBIT // rate)
        at += bits(frame)
    return out


def over_wire(times, frames, rate, delay_ns):
    """When frames that are sent at `times` are there: in whole ps, then at the next ns."""
    free, out = Fraction(0), []
    for at, frame in zip(times, frames):
        free = max(free, Fraction(at * 1000)) + Fraction(bits(frame) * 10**12, rate)
        out.append(-(-(int(free) + delay_ns * 1000) // 1000))
    return out


def check_frames(before, after, hops):
    """Each frame once, in order, TTL less by the hops, ICRC as it was."""
    assert len(before) == len(after), (len(before), len(after))
    for was, is_ in zip(before, after):
        assert oracle.identity(was) == oracle.identity(is_)
        assert oracle.icrc(was) == oracle.icrc(is_)
        assert was[22] - hops == is_[22], (was[22], is_[22])


def line(n, frames, *, rate="10Gbit", delay="5us", in_rate="8Gbit", events=(), seed=1, **keys):
    """A line of n nodes, frames from its west end."""
    nodes = {f"n{i}": line_node(i, i == n - 1) for i in range(n)}
    wires = [
        wire(f"n{i}.east", f"n{i + 1}.west", rate, delay=delay, **keys) for i in range(n - 1)
    ]
    text = topology(
        nodes, wires, [f"{{port: n0.west, capture: in.pcap, rate: {in_rate}}}"], events, seed
    )
    return nodes, text, {"in.pcap": frames}


@tap.test
def two_nodes_in_a_row_forward_and_keep_time_to_the_nanosecond():
    frames = data(500)
    # a wire that keeps up; one that is slower than what comes in; one that divides into no ps
    for rate, name in ((25 * GBIT, "25Gbit"), (6 * GBIT, "6Gbit"), (7_300_000_000, "7.3Gbit")):
        result = run(*line(2, frames, rate=name, delay="13us"))
        out = result.out["n1.east"]
        assert sorted(result.out) == ["n0.west", "n1.east"], sorted(result.out)
        check_frames(frames, [x for _, x in out], 2)
        want = over_wire(arrivals(frames, 8 * GBIT), frames, rate, 13_000)
        assert [t for t, _ in out] == want, next(x for x in zip([t for t, _ in out], want) if x[0] != x[1])
        assert oracle.src_mac(out[0][1]) == mac(1, 1)
        assert result.json["virtual_ns"] == want[-1]
        assert result.wire("n0.east", "n1.west")["delivered"] == 500
        assert result.wire("n1.west", "n0.east")["taken"] == 0


@tap.test(timeout=200)
def twenty_nodes_are_no_different_from_two():
    frames = data(300)
    result = run(*line(20, frames, rate="10Gbit", delay="1us"))
    out = result.out["n19.east"]
    check_frames(frames, [x for _, x in out], 20)
    times = arrivals(frames, 8 * GBIT)
    for _ in range(19):
        times = over_wire(times, frames, 10 * GBIT, 1000)
    assert [t for t, _ in out] == times
    assert all(node["in"] == 300 for node in result.json["nodes"].values())
    assert len(result.json["nodes"]) == 20 and len(result.json["wires"]) == 38


def ring(n):
    """Hosts 10.<i>.0.0/16 behind node i; the shorter way round, or both where they are equal."""
    nodes, wires = {}, []
    for i in range(n):
        groups = {
            "hosts": [("host", "02:00:00:00:fe:01")],
            "cw": [("cw", mac((i + 1) % n, 2))],
            "ccw": [("ccw", mac((i - 1) % n, 1))],
        }
        groups["both"] = groups["cw"] + groups["ccw"]
        routes = {}
        for k in range(n):
            ahead = (k - i) % n
            way = "hosts" if ahead == 0 else "both" if 2 * ahead == n else "cw" if 2 * ahead < n else "ccw"
            routes[f"10.{k}.0.0/16"] = way
        nodes[f"n{i}"] = node_yaml(i, ["host", "cw", "ccw"], groups, routes)
        wires.append(wire(f"n{i}.cw", f"n{(i + 1) % n}.ccw", "40Gbit", delay="2us"))
    return nodes, wires


@tap.test
def rings_of_five_and_six_bring_all_to_all():
    for n in (5, 6):
        nodes, wires = ring(n)
        rng = random.Random(n)
        captures, inputs, sent = {}, [], {}
        for i in range(n):
            frames = []
            for k in range(400):
                to = rng.randrange(n)
                frame = f.ether(
                    f.roce_ip(f"10.{i}.0.9", f"10.{to}.0.{i + 1}", f.RC + f.WRITE_MIDDLE, qpn=k % 32,
                              psn=k, payload=bytes(rng.randrange(0, 1200, 4))),
                    dst=mac(i, 0),
                )  # fmt: skip
                frames.append(frame)
                sent.setdefault(to, []).append(oracle.identity(frame))
            captures[f"{i}.pcap"] = frames
            inputs.append(f"{{port: n{i}.host, capture: {i}.pcap, rate: 10Gbit}}")
        result = run(nodes, topology(nodes, wires, inputs), captures)
        for i in range(n):
            got = [oracle.identity(x) for _, x in result.out[f"n{i}.host"]]
            assert sorted(got) == sorted(sent[i]), (i, len(got), len(sent[i]))
        if n == 6:  # the opposite node is reached both ways
            members = result.json["nodes"]["n0"]["groups"]["both"]["members"]
            assert all(m["packets"] > 10 for m in members), members


@tap.test
def as_captured_the_earliest_frame_of_all_is_at_zero():
    nodes, wires = ring(3)
    base = 1_700_000_000_000_000_000
    frame = [f.ether(f.udp_ip("10.0.0.9", "10.1.0.1", 1, 2, bytes(100)), dst=mac(i, 0)) for i in range(3)]
    captures = {
        "0.pcap": [(base + 5_000, frame[0]), (base + 905_001, frame[0])],
        "2.pcap": [(base, frame[2])],
    }
    inputs = [f"{{port: n{i}.host, capture: {i}.pcap}}" for i in (0, 2)]
    result = run(nodes, topology(nodes, wires, inputs), captures)
    far = over_wire([0], [frame[2]], 40 * GBIT, 2000)  # 2 to 1 is counter-clockwise, one hop
    near = [over_wire([t], [frame[0]], 40 * GBIT, 2000)[0] for t in (5_000, 905_001)]
    assert [t for t, _ in result.out["n1.host"]] == sorted(far + near), result.out["n1.host"]
    twice = run(nodes, topology(nodes, wires, inputs), captures, "--loop", "2")
    assert twice.json["totals"]["in"] == 6


@tap.test
def loss_is_by_seed_and_as_often_as_it_says():
    frames = data(5000)
    runs = [run(*line(2, frames, seed=s, loss="3%")) for s in (7, 7, 8)]
    lost = [r.wire("n0.east", "n1.west")["lost"] for r in runs]
    low, high = replay.binomial_bounds(5000, 0.03)
    assert all(low <= x <= high for x in lost), lost
    got = [[x for _, x in r.out["n1.east"]] for r in runs]
    assert got[0] == got[1] and got[0] != got[2]
    assert len(got[0]) == 5000 - lost[0]
    # jitter changes no loss
    late = run(*line(2, frames, seed=7, loss="3%", jitter="9us"))
    assert [x for _, x in late.out["n1.east"]] == got[0]
    assert run(*line(2, frames, loss="100%")).json["totals"]["out"] == 0


@tap.test
def jitter_keeps_the_order_and_its_bound():
    frames = data(2000)
    result = run(*line(2, frames, jitter="20us"))
    out = result.out["n1.east"]
    check_frames(frames, [x for _, x in out], 2)
    late = [
        t - want
        for (t, _), want in zip(out, over_wire(arrivals(frames, 8 * GBIT), frames, 10 * GBIT, 5000))
    ]
    assert 0 <= min(late) < 15_000 < max(late) <= 20_000, (min(late), max(late))


def two_ways(**keys):
    """n0 and n1 with two wires between them, flows over both."""
    nodes = {
        "n0": node_yaml(
            0, ["west", "a", "b"], {"g": [("a", mac(1, 1)), ("b", mac(1, 2))]}, {"0.0.0.0/0": "g"}
        ),
        "n1": node_yaml(1, ["east", "a", "b"], {"g": [("east", "02:00:00:00:ff:ff")]}, {"0.0.0.0/0": "g"}),
    }
    return nodes, [wire(f"n0.{x}", f"n1.{x}", "10Gbit", **keys) for x in "ab"]


@tap.test
def a_cut_wire_loses_what_is_on_it_and_its_flows_move():
    nodes, wires = two_ways(delay="100us")
    frames = data(4000)
    inputs = ["{port: n0.west, capture: in.pcap, rate: 8Gbit}"]
    for end in ("n0.b", "n1.b"):  # it is one wire, from either end
        text = topology(nodes, wires, inputs, [f"{{at: 1.5ms, down: {end}}}", "{at: 3ms, up: n0.b}"])
        result = run(nodes, text, {"in.pcap": frames})
        b, a = result.wire("n0.b", "n1.b"), result.wire("n0.a", "n1.a")
        # what was sent in the last 100 us, and no more: the rest of the flows' share went on
        assert 15 < b["lost_down"] < 70, b
        assert result.json["totals"]["wire_lost"] == b["lost_down"] and a["taken"] == a["delivered"]
        assert result.json["totals"]["out"] == 4000 - b["lost_down"]
        assert result.json["nodes"]["n0"]["dropped"] == 0
        came = {oracle.identity(x) for _, x in result.out["n1.east"]}
        times = arrivals(frames, 8 * GBIT)
        gone = [t for t, x in zip(times, frames) if oracle.identity(x) not in came]
        assert len(gone) == b["lost_down"]
        assert 1_395_000 < min(gone) and max(gone) < 1_500_000, (min(gone), max(gone))
        members = result.json["nodes"]["n0"]["groups"]["g"]["members"]
        assert [m["packets"] for m in members] == [a["taken"], b["taken"]]
        # nothing while it was down, and a half again before and after: 4.3 ms of frames in all
        share = 4000 * 3 // 10
        assert share * 0.7 < b["taken"] < share * 1.4, b


@tap.test
def a_cut_without_another_way_ends_all_the_same():
    frames = data(2000)
    for events, back in ((["{at: 0.5ms, down: n0.east}"], False),
                         (["{at: 1ms, up: n0.east}", "{at: 0.5ms, down: n0.east}"], True)):  # fmt: skip
        result = run(*line(3, frames, events=events))
        t = result.json["totals"]
        assert t["dropped"] + t["wire_lost"] + t["out"] == 2000 and t["in_flight"] == 0, t
        assert result.json["nodes"]["n0"]["drops"]["stopped"] == 0 or not back
        assert (t["out"] > 1100) == back, t
        assert result.wire("n1.east", "n2.west")["lost"] == 0


@tap.test
def events_after_the_last_frame_are_waited_for():
    result = run(*line(2, data(3), events=["{at: 2s, down: n0.east}", "{at: 3s, up: n1.west}"]))
    assert result.json["virtual_ns"] == 3 * GBIT and result.json["totals"]["out"] == 3


@tap.test
def a_slow_wire_fills_the_port_as_a_device_does():
    frames = data(4000)
    result = run(*line(2, frames, rate="1Gbit"))
    one = result.wire("n0.east", "n1.west")
    full = result.json["nodes"]["n0"]["drops"]["tx_full"]
    # an eighth passes meanwhile; the ring of 1024 and the node's buffer go after it
    assert 1900 < full < 2100 and one["taken"] == one["delivered"] == 4000 - full, (full, one)
    out = result.out["n1.east"]
    gaps = {b[0] - a[0] - bits(b[1]) for a, b in zip(out, out[1:])}
    assert gaps <= {-1, 0, 1}, gaps  # back to back from the first to the last: a bit is 1 ns


@tap.test
def who_has_no_buffer_loses_and_the_wire_counts_it():
    frames = data(5000)
    nodes, text, captures = line(2, frames)
    nodes["n1"] = line_node(1, True, keys={"east": "rate: 10Mbit"}, mbufs=", mbufs: 1024")
    result = run(nodes, text, captures, timeout=200)
    one = result.wire("n0.east", "n1.west")
    assert one["no_buffer"] > 3000 and one["no_buffer"] + one["delivered"] == 5000, one
    assert result.json["totals"]["out"] == one["delivered"]


@tap.test(timeout=200)
def pauses_over_a_wire_keep_a_slow_node_lossless():
    classes = "classes: [{class: 3, name: rdma, dscp: [26], lossless: true, limit: 4MB}]"
    pfc = "pfc: {classes: [3], mode: software, xoff: 100KB, xon: 60KB, headroom: 200KB}"
    frames = data(3000)
    nodes, text, captures = line(2, frames, rate="10Gbit", delay="10us")
    # the queue that fills is the first node's: 4 MB hold all of it
    nodes["n0"] = line_node(0, False, keys={"east": f"rate: 10Gbit, {pfc}"}, more=classes, memory="1GB")
    nodes["n1"] = line_node(
        1, True, keys={"west": f"rate: 10Gbit, distance: 1km, {pfc}", "east": "rate: 1Gbit"},
        more=classes, memory="1GB",
    )  # fmt: skip
    result = run(nodes, text, captures, timeout=200)
    t = result.json["totals"]
    assert (t["out"], t["dropped"] - t["made"], t["wire_lost"]) == (3000, 0, 0), t
    ports = result.json["nodes"]["n1"]["ports"]["west"]
    assert ports["pfc"]["out"] > 2 and result.json["nodes"]["n0"]["ports"]["east"]["pfc"]["in"] == t["made"]
    # held at n1: xoff, 2 x 10 us of the wire, and the 100 us that n0's shaper may be ahead of it
    high = max(q["high_water"] for q in result.json["nodes"]["n1"]["ports"]["east"]["queues"].values())
    assert 100_000 < high < 260_000, high
    check_frames(frames, [x for _, x in result.out["n1.east"]], 2)


@tap.test(timeout=300)
def several_workers_share_a_wired_port_and_keep_each_flow_in_order():
    nodes, wires = two_ways(delay="3us")
    workers = "workers: [{lcore: 0, rx: [%s]}, {lcore: 1, rx: [%s]}], "
    for name, ports in (("n0", "west, a, b"), ("n1", "east, a, b")):
        nodes[name] = nodes[name].replace("runtime: {", "runtime: {" + workers % (ports, ports))
    frames = data(3000)
    text = topology(nodes, wires, ["{port: n0.west, capture: in.pcap, rate: 9Gbit}"])
    result = run(nodes, text, {"in.pcap": frames})
    assert result.json["totals"]["out"] == 3000
    last = {}
    order = {oracle.identity(x): i for i, x in enumerate(frames)}
    for _, frame in result.out["n1.east"]:
        key, i = oracle.flow_key(frame), order[oracle.identity(frame)]
        assert last.get(key, -1) < i
        last[key] = i


@tap.test(timeout=300)
def every_capture_of_ours_passes_two_nodes_and_is_counted():
    paths = replay.own_captures()
    nodes, text, _ = line(2, [])
    inputs = "".join(f"  - {{port: n0.west, capture: {path}}}\n" for path in paths)
    text = text[: text.index("inputs:")] + "inputs:\n" + inputs
    for name in nodes:
        nodes[name] = nodes[name].replace("mtu: 1500", "mtu: 9600, promiscuous: true")
    total = sum(len(pcapio.read_frames(path)) for path in paths)
    for options in ((), ("--segment-len", "100"), ("--burst", "3")):
        result = run(nodes, text, {}, *options, timeout=200)
        assert result.json["totals"]["in"] == total, result.json["totals"]
        assert result.json["totals"]["out"] > total / 3


@tap.test(timeout=200)
def the_same_seed_gives_the_same_bytes_of_everything():
    nodes, wires = two_ways(delay="20us", jitter="30us", loss="1%")
    text = topology(
        nodes, wires, ["{port: n0.west, capture: in.pcap, rate: 12Gbit}"],
        ["{at: 0.3ms, down: n0.a}", "{at: 0.6ms, up: n0.a}"], seed=99,
    )  # fmt: skip
    runs = [run(nodes, text, {"in.pcap": data(3000)}) for _ in range(2)]
    names = [sorted(os.listdir(os.path.join(r.where, "out"))) for r in runs]
    assert names[0] == names[1] == ["n0.west.pcap", "n1.east.pcap"]
    for name in names[0]:
        assert filecmp.cmp(*(os.path.join(r.where, "out", name) for r in runs), shallow=False), name
    for r in runs:
        r.json["nodes"] = {k: replay.untimed(v) for k, v in r.json["nodes"].items()}
    assert runs[0].json == runs[1].json


@tap.test
def the_text_has_a_table_of_nodes_and_one_of_wires():
    result = run(*line(3, data(50)))
    for words in (["n0", "50", "50", "0", "0"], ["n0.east", "n1.west", "10Gbit", "5us", "50", "50"]):
        assert any(x.split()[: len(words)] == words for x in result.stdout.splitlines()), result.stdout
    assert result.stdout.startswith("3 nodes, 2 wires, seed 1, "), result.stdout


@tap.test
def ctrl_c_stops_it_and_it_still_reports():
    where = folder()
    nodes, text, captures = line(3, data(200))
    for name, content in {**{f"{k}.yaml": v for k, v in nodes.items()}, "topo.yaml": text}.items():
        with open(os.path.join(where, name), "w", encoding="ascii") as file:
            file.write(content)
    pcapio.write_pcap(os.path.join(where, "in.pcap"), captures["in.pcap"], ns=True)
    report = os.path.join(where, "report.json")
    words = [replay.PROGRAM, "--topology", os.path.join(where, "topo.yaml")]
    term = running.Terminal(tap, [*words, "--json", report, "--loop", "1000000"])
    term.wait_for("replay: ")
    term.type(b"\x03")
    done = term.wait(timeout=30)
    assert done.status == 0, done
    with open(report, encoding="utf-8") as file:
        t = json.load(file)["totals"]
    assert t["in"] + t["made"] == t["out"] + t["punted"] + t["dropped"] + t["wire_lost"] + t["in_flight"], t
    assert t["in_flight"] > 0 and t["out"] > 0


RIGHT = """version: 1
nodes:
  - {name: n0, config: n0.yaml}
  - {name: n1, config: n1.yaml}
wires:
  - {from: n0.east, to: n1.west, rate: 10Gbit}
inputs:
  - {port: n0.west, capture: in.pcap}
events:
  - {at: 1ms, down: n0.east}
"""

# What to replace, by what, and the errors: line:col and a part of the sentence.
WRONG = (
    ("to: n1.west", "to: n2.west", ["6:25: wires[0].to: got n2.west", "no node is called n2; the nearest is n0"]),
    ("to: n1.west", "to: n1.wets", ["6:25: wires[0].to: got n1.wets", "(the nearest is west)"]),
    ("to: n1.west", "to: west", ["6:25: wires[0].to: got west, want a port as NODE.PORT"]),
    ("to: n1.west", "to: n0.east", ["which has a wire in line 6, want one a port"]),
    ("rate: 10Gbit}", "rate: 10}", ["6:40: wires[0].rate: got 10", "10Gbit"]),
    (", rate: 10Gbit}", "}", ["wires[0].rate: got nothing, want a bit rate"]),
    ("rate: 10Gbit}", "rate: 10Gbit, loss: 101%}", ["wires[0].loss", "from 0% to 100%"]),
    ("rate: 10Gbit}", "rate: 10Gbit, deley: 1us}", ["wires[0].deley: got an unknown key, want delay"]),
    ("port: n0.west", "port: n1.west", ["8:12: inputs[0].port: got n1.west, which has a wire in line 6"]),
    ("down: n0.east", "down: n0.west", ["10:21: events[0].down: got n0.west, which has no wire"]),
    ("down: n0.east", "drain: n0.east", ["events[0].drain", "no fabric link"]),
    ("down: n0.east", "down: n0.east, up: n0.east", ["got 2 events, want an item for each"]),
    ("{at: 1ms, down: n0.east}", "{at: 1ms}", ["10:5: events[0]: got no event, want down, up, drain or undrain"]),
    ("name: n1,", "name: n0,", ["4:12: nodes.n0.name: got n0, which line 3 has, want a name of its own"]),
    ("name: n1,", "name: n1.a,", ["want a name without a dot"]),
    ("config: n1.yaml", "config: nowhere.yaml", ["nowhere.yaml: file: got \"No such file"]),
    ("version: 1", "version: 2", ["1:10: version: got 2, want 1"]),
    ("inputs:", "inputs:\n  - {port: n0.west, capture: in.pcap, rate: 1Gbit}", ["another rate in line 8"]),
    ("capture: in.pcap", "capture: none.pcap", ["none.pcap: not a capture"]),
    ("  - {name: n0", "\t- {name: n0", ["3:1: syntax: got a tab"]),
)  # fmt: skip


@tap.test(timeout=200)
def what_is_wrong_is_told_with_its_place_and_nothing_is_written():
    nodes = {f"n{i}": line_node(i, i == 1) for i in range(2)}
    captures = {"in.pcap": data(3)}
    run(nodes, RIGHT, captures)
    wrong = []
    for old, new, said in WRONG:
        assert RIGHT.count(old) == 1, old
        result = run(nodes, RIGHT.replace(old, new), captures, status=2)
        wrong += [(new, text, result.stderr) for text in said if text not in result.stderr]
        assert not result.stdout and result.json is None and not result.out, new
    assert not wrong, "\n".join(map(str, wrong))


@tap.test
def all_errors_are_told_in_one_run_also_those_of_the_nodes():
    nodes = {f"n{i}": line_node(i, i == 1) for i in range(2)}
    nodes["n1"] = nodes["n1"].replace("mtu: 1500", "mtu: 15")
    text = RIGHT.replace("n0.east", "n0.est").replace("n0.west", "nx.west").replace("10Gbit", "fast")
    result = run(nodes, text, {"in.pcap": data(3)}, status=2)
    lines = result.stderr.splitlines()
    starts = [(os.path.basename(x.split(":")[0]), x.split(": ")[1]) for x in lines]
    want = ["wires[0].from", "wires[0].rate", "inputs[0].port", "events[0].down"]
    assert starts[:4] == [("topo.yaml", x) for x in want], lines
    assert starts[4:] == [("n1.yaml", "ports.west.mtu"), ("n1.yaml", "ports.east.mtu")], lines


@tap.test
def options_of_one_node_and_a_topology_exclude_each_other():
    where = folder()
    topo = os.path.join(where, "topo.yaml")
    with open(topo, "w", encoding="ascii") as file:
        file.write(RIGHT)
    for words, said in (
        (["-c", "a.yaml"], "-c"),
        (["--in", "p=f.pcap"], "--in"),
        (["--timing", "max"], "--timing"),
        (["--seconds", "1"], "--seconds"),
        (["--series", "s.csv"], "--series"),
        (["--json", topo], "n0.yaml"),  # its errors come first
        (["--loop", "0"], "--loop"),
    ):
        done = running.run([replay.PROGRAM, "--topology", topo, *words])
        assert done.status == 2 and said in done.err, (words, done.err)
    done = running.run([replay.PROGRAM, "--topology", os.path.join(where, "none.yaml")])
    assert done.status == 2 and "none.yaml: file: got" in done.err, done.err


@tap.test
def what_is_read_is_not_overwritten():
    nodes, text, captures = line(2, data(3))
    where = folder()
    for name, content in {**{f"{k}.yaml": v for k, v in nodes.items()}, "topo.yaml": text}.items():
        with open(os.path.join(where, name), "w", encoding="ascii") as file:
            file.write(content.replace("in.pcap", "n1.east.pcap"))
    pcapio.write_pcap(os.path.join(where, "n1.east.pcap"), captures["in.pcap"])
    topo = os.path.join(where, "topo.yaml")
    for words in (["--json", topo], ["--json", os.path.join(where, "n0.yaml")], ["--out", where]):
        done = running.run([replay.PROGRAM, "--topology", topo, *words], status=2)
        assert "would overwrite" in done.err and done.err.count("\n") == 1, done.err


@tap.test
def nodes_that_hash_alike_are_warned_of():
    nodes, text, captures = line(2, data(3))
    nodes["n1"] = nodes["n1"].replace("id: 2", "id: 1")
    result = run(nodes, text, captures)
    assert "hash.seed" in result.stderr, result.stderr


if __name__ == "__main__":
    tap.run()
