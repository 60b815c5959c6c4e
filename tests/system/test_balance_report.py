#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
scripts/balance-report: each cell of its tables is worked out again from the captures by other code
(support/balance.py), what is known beforehand comes out, and docs/balancing.md has what it says.

With --write the findings of docs/balancing.md are replaced by what the command on that page gives now, and with
--write-longer DIR the tables of the longer report by those of the report in DIR.
"""

import atexit
import base64
import functools
import html
import json
import os
import re
import shlex
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import balance, pcapio, replay, running, tap  # noqa: E402
from support.balance import REPORT  # noqa: E402

PAGE = os.path.join(replay.ROOT, "docs", "balancing.md")
COMMAND = re.compile(r"^```sh\n(scripts/balance-report .*)\n```$", re.M)
BLOCK = re.compile(r"(?<=<!-- findings:begin -->\n\n)(.*?)(?=\n<!-- findings:end -->)", re.DOTALL)
LONGER = re.compile(r"(?<=<!-- longer:begin -->\n\n)(.*?)(?=\n<!-- longer:end -->)", re.DOTALL)
SHOWN = (
    "Completion, x ideal",
    "Packets reordered on equal lines, %",
    "Packets reordered on unequal lines, %",
)
FULL_COLUMNS = ("x_ideal", "max/mean", "reordered", "reordered,_unequal")
DELAY, SPREAD = 400_000, 150_000
RATE = 40 * 10**9
BUSY = 300  # seconds, where others use the machine
FIELDS = (
    "policy members max/mean Jain reordered extent reordered,_unequal extent,_unequal flow_table"
    " completion_ms x_ideal flow_p99_us"
).split()

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(replay.ROOT, "scripts", "balance.d"))
import measure  # noqa: E402
import nodes  # noqa: E402
import render  # noqa: E402
import roce  # noqa: E402


@functools.lru_cache(None)
def place():
    made = tempfile.TemporaryDirectory(prefix="softbag-balance-")
    atexit.register(made.cleanup)
    return made.name


def report(name, *options, status=0, cwd=None):
    """Folder of a report, and the Done of the run."""
    out = os.path.join(place(), name)
    words = [REPORT, "--build", replay.BUILD, "--out", out, *options]
    return out, running.run(words, status=status, cwd=cwd or replay.ROOT, timeout=BUSY)


def read(folder, name="report.md"):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return f.read()


def page():
    return read(os.path.dirname(PAGE), "balancing.md")


def tables(text):
    """{workload: [{column: cell}]} of a report in Markdown."""
    out = {}
    for name, body in re.findall(r"^## (\w+): .*?\n(.*?)(?=^## |\Z)", text, re.M | re.DOTALL):
        lines = [[c.strip() for c in x.strip("| ").split("|")] for x in re.findall(r"^\|.*\|$", body, re.M)]
        assert [c.replace(" ", "_") for c in lines[0]] == FIELDS, lines[0]
        out[name] = [dict(zip(FIELDS, line)) for line in lines[2:]]
    return out


@functools.lru_cache(None)
def quick():
    """The folder of the command in docs/balancing.md, with all that it ran."""
    words = shlex.split(COMMAND.search(page()).group(1))
    assert words[0] == "scripts/balance-report" and words[-2] == "--out", words
    return report("quick", *words[1:-2], "--keep")[0]


def weights_of(members):
    n = int(members.rstrip("h"))
    return [2] * (n - 1) + [1] if members.endswith("h") else [1] * n


def row_again(folder, workload, row):
    """The cells of a run but for its flow table, from what it left."""
    where = os.path.join(folder, "runs", workload)
    told = json.loads(read(where, "flows.json"))
    run = os.path.join(where, f"{row['members']}-{row['policy'].replace(':', '-')}")
    weights = weights_of(row["members"])
    n, total = len(weights), sum(weights)
    rates = [RATE * w // total // 1000 * 1000 for w in weights]
    steps = balance.Steps(told)
    came = balance.packets(os.path.join(where, "in.pcap"))
    outs = [balance.packets(os.path.join(run, "out", f"lh{i}.pcap")) for i in range(n)]
    assert sum(map(len, outs)) == len(came), "nothing is lost"
    octets = [sum(p.size for p in got) for got in outs]
    shares = [b / w for b, w in zip(octets, weights)]
    lines = [balance.on_line(got, rate) for got, rate in zip(outs, rates)]
    gone = [p for line in lines for p in line]
    equal = balance.order(steps, lines, [DELAY] * n)
    unequal = balance.order(steps, lines, [DELAY + i * SPREAD // max(1, n - 1) for i in range(n)])

    def whole(packets):
        spans = balance.spans(came, packets, steps.step)
        return sum(spans.values()) * steps.in_all // len(spans)

    done, ideal = whole(gone), whole(balance.on_line(came, sum(rates)))
    flows = sorted(balance.spans(came, gone, lambda p: (balance.flow(p), steps.step(p))).values())
    at = (99 * len(flows) + 99) // 100 - 1  # nearest rank
    cells = [
        f"{max(shares) * total / sum(octets):.3f}",
        f"{sum(shares) ** 2 / (n * sum(x * x for x in shares)):.4f}",
        *map(str, equal),
        *map(str, unequal),
        f"{done / 1e9:.3f}",
        f"{done / ideal:.2f}",
        f"{flows[at] / 1e6:.1f}",
    ]
    return dict(zip([f for f in FIELDS[2:] if f != "flow_table"], cells))


@tap.test(timeout=BUSY)
def every_cell_of_the_quick_report_is_what_the_captures_say():
    found = tables(read(quick()))
    assert len(found) == 3 and all(found.values()), found
    for workload, rows in found.items():
        for row in rows:
            again = row_again(quick(), workload, row)
            told = {k: v for k, v in row.items() if k in again}
            assert told == again, f"{workload}, {row['policy']}: {told}, want {again}"


@tap.test(timeout=BUSY)
def the_tables_in_short_say_the_same():
    text = read(quick()).partition("## In short\n")[2].partition("\n## ")[0]
    full = tables(read(quick()))
    packets = {r["workload"]: r["packets"] for r in json.loads(read(quick(), "report.json"))["results"]}
    short = short_tables(text)
    assert list(short) == [SHOWN[0], "Bytes of the fullest member, x its share", *SHOWN[1:]], short
    for (columns, cells_of), column in zip(short.values(), FULL_COLUMNS):
        assert {w for w, _ in cells_of} == set(full)
        for (workload, members), cells in cells_of.items():
            rows = {r["policy"]: r[column] for r in full[workload] if r["members"] == members}
            assert list(rows) == columns, (rows, columns)
            for cell, value in zip(cells, map(float, rows.values())):
                percent = column.startswith("reordered")
                value = 100 * value / packets[workload] if percent else value
                assert abs(float(cell) - value) <= (0.051 if percent else 0.0051), (workload, cell, value)


@tap.test(timeout=BUSY)
def members_and_ports_are_counted_as_softbag_counts_them():
    for result in json.loads(read(quick(), "report.json"))["results"]:
        for run in result["runs"]:
            name = f"{run['members']}-{run['policy'].replace(':', '-')}"
            said = json.loads(read(os.path.join(quick(), "runs", result["workload"], name), "replay.json"))
            members = said["groups"]["to-east"]["members"]
            assert [m["packets"] for m in members] == run["packets"], (name, members)
            assert [m["bytes"] for m in members] == run["bytes"], (name, members)
            flows = said.get("flows") or {}
            assert run["flow_table"] == ([flows[k] for k in ("entries", "max", "full")] if flows else None), name
            assert said["dropped"] == run["lost"] == 0 and said["in"] == run["came"], (name, said["drops"])


@tap.test(timeout=BUSY)
def ecmp_keeps_the_order_and_the_5tuple_alone_uses_one_member():
    for workload, rows in tables(read(quick())).items():
        by_policy = {row["policy"]: row for row in rows}
        for policy in ("ecmp", "ecmp-5tuple"):
            row = by_policy[policy]
            assert row["reordered"] == row["reordered,_unequal"] == row["extent"] == "0", row
        if workload == "qps256":
            row = by_policy["ecmp-5tuple"]
            assert (row["max/mean"], row["Jain"], row["x_ideal"]) == ("4.000", "0.2500", "4.00"), row


@tap.test(timeout=BUSY)
def the_report_names_its_command_program_and_seeds():
    text = read(quick())
    version = running.run([running.REPLAY, "--version"], status=0).out.strip()
    for said in ("scripts/balance-report", "--quick", version, "1 of the workloads, 1 of the hash", "40 Gbit/s"):
        assert said in text.partition("\n## ")[0], said


@tap.test(timeout=BUSY)
def tables_of_the_markdown_align():
    for block in re.findall(r"(?:^\|.*\|\n)+", read(quick()), re.M):
        lines = block.splitlines()
        places = {tuple(i for i, c in enumerate(line) if c == "|") for line in lines}
        assert len(places) == 1, block


@tap.test(timeout=BUSY)
def the_page_says_the_same_and_holds_its_pictures():
    web = read(quick(), "report.html")
    rows = [
        [html.unescape(re.sub(r"<.*?>", "", c)) for c in re.findall(r"<td.*?</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", web)
    ]
    for workload_rows in tables(read(quick())).values():
        for row in workload_rows:
            assert list(row.values()) in rows, row
    assert not re.search(r"(?:src|href)=\"(?!data:)", web), "it needs no other file"
    tap.require("gnuplot")
    pictures = [base64.b64decode(p) for p in re.findall(r'src="data:image/png;base64,(.*?)"', web)]
    names = re.findall(r"^!\[.*?\]\((.*?)\)$", read(quick()), re.M)
    assert names == ["completion.png", "balance.png", "order.png"], names
    for name, data in zip(names, pictures, strict=True):
        with open(os.path.join(quick(), name), "rb") as f:
            assert f.read() == data and data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 3000, name


@tap.test(timeout=BUSY)
def the_findings_of_the_page_are_those_of_a_run():
    told = BLOCK.search(page()).group(1)
    assert told == findings(), f"docs/balancing.md is not what a run gives:\n{findings()}"


def short_tables(text):
    """{what: (columns, {(workload, members): cells})} of the tables in short."""
    out = {}
    for what, block in re.findall(r"^(\w.*):\n\n((?:^\|.*\n?)+)", text, re.M):
        lines = [[c.strip() for c in x.strip("| ").split("|")] for x in block.splitlines()]
        out[what] = lines[0][2:], {tuple(line[:2]): line[2:] for line in lines[2:]}
    return out


@tap.test(timeout=BUSY)
def the_longer_report_of_the_page_is_that_of_runs():
    """Two of its runs; all of them are a matter of minutes."""
    told = short_tables(LONGER.search(page()).group(1))
    assert set(told) == set(SHOWN), told
    for workload, members, policy in (("ring64x1", "16", "flowlet"), ("mix", "4h", "spray")):
        out, _ = report("longer", "--workloads", workload, "--members", members, "--policies", policy)
        got = short_tables(read(out))
        for what in SHOWN:
            columns, rows = told[what]
            cell = rows[workload, members][columns.index(policy)]
            assert [cell] == got[what][1][workload, members], (what, workload, policy, cell, got[what])


@tap.test(timeout=BUSY)
def the_prose_of_the_findings_has_no_figure_that_no_table_has():
    prose, _, rest = page().partition("### Findings")[2].partition("<!-- findings:begin -->")
    known = set(re.findall(r"(?<=\| ) *([\d.]+)(?= )", rest)) | set(re.findall(r"\d+\.\d+", rest))
    figures = re.findall(r"(?<![\d.,])\d+\.\d+(?![\d.])", prose)
    assert len(figures) > 10 and not set(figures) - known, set(figures) - known


def findings():
    """What the page shows of the quick report: its workloads' tables."""
    text = read(quick())
    parts = re.findall(r"^## (\w+: .*?\n.*?)(?=^## |\Z)", text, re.M | re.DOTALL)
    return "\n".join(f"**{p[: p.index(chr(10))]}**{p[p.index(chr(10)) :].rstrip()}\n" for p in parts if "|" in p)


SMALL = ("--workloads", "ring4x2", "--packets", "400", "--policies", "ecmp,ecmp-5tuple")


@tap.test(timeout=BUSY)
def the_same_command_gives_the_same_report():
    texts = []
    for name in ("one", "other"):
        where = os.path.join(place(), name)
        os.mkdir(where)
        words = [REPORT, "--build", replay.BUILD, "--out", "out", "--members", "2,40", *SMALL[:-1], "ecmp"]
        running.run(words, cwd=where, status=0)
        texts.append([read(where, f"out/{n}") for n in ("report.md", "report.html", "report.json")])
        left = sorted(os.listdir(os.path.join(where, "out")))
        pictures = [n for n in left if n.endswith(".png")]
        assert [n for n in left if n not in pictures] == ["report.html", "report.json", "report.md"], left
    assert texts[0] == texts[1]
    for workload, rows in tables(texts[0][0]).items():
        got = [(r["members"], r["policy"]) for r in rows]
        assert got == [("2", "ecmp"), ("40", "ecmp")], (workload, rows)


@tap.test(timeout=BUSY)
def uneven_members_and_other_seeds_are_what_the_captures_say():
    out, done = report("uneven", "--members", "3h", *SMALL, "--seed", "5", "--hash-seed", "9", "--keep")
    for workload, rows in tables(read(out)).items():
        for row in rows:
            again = row_again(out, workload, row)
            assert {k: v for k, v in row.items() if k in again} == again, (workload, row, again)
    assert "5 of the workloads, 9 of the hash" in read(out)
    assert re.search(r"^balance-report: 2 runs in [\d.]+ s$", done.err, re.M), done.err
    assert re.search(r"^balance-report: 2 of 2: ring4x2, 3h members, ecmp-5tuple$", done.err, re.M), done.err


@tap.test(timeout=BUSY)
def what_the_build_does_not_know_is_left_out_and_told():
    out, done = report("unknown", *SMALL[:4], "--members", "2", "--policies", "ecmp:nonsense=1,ecmp")
    for text in (read(out), read(out, "report.html"), done.err):
        assert "ecmp:nonsense=1" in text and "unknown key" in text, text
    assert [r["policy"] for r in tables(read(out))["ring4x2"]] == ["ecmp"]
    _, done = report("none", *SMALL[:4], "--policies", "ecmp:nonsense=1", status=2)
    assert "knows none of the policies" in done.err, done.err


@tap.test(timeout=BUSY)
def keys_after_a_policy_reach_the_node():
    out, _ = report("keys", *SMALL[:4], "--members", "2", "--policies", "ecmp:buckets=64", "--keep")
    conf = read(os.path.join(out, "runs", "ring4x2", "2-ecmp-buckets=64"), "node.yaml")
    assert re.search(r"^    buckets: 64$", conf, re.M), conf
    assert tables(read(out))["ring4x2"][0]["policy"] == "ecmp:buckets=64"


@tap.test(timeout=BUSY)
def what_is_wrong_gets_told():
    for words, said in (
        (["--workloads", "ring"], "there is no workload 'ring'"),
        (["--workloads", "ring512x16", "--packets", "100"], "takes 8192 packets at least"),
        (["--workloads", "mix,mix"], "each once"),
        (["--policies", "random"], "there is no policy 'random'"),
        (["--policies", "ecmp:gap"], "want KEY=VALUE"),
        (["--policies", "ecmp:policy=spray"], "policy is not one of the keys"),
        (["--members", "0"], "--members: got '0'"),
        (["--members", "1h"], "--members: got '1h'"),
        (["--members", "65"], "--members: got '65'"),
        (["--members", "16", "--rate", "10Mbit"], "--rate: 16 members"),
        (["--rate", "fast"], "want a rate such as 100Gbit"),
        (["--spread", "2s"], "want a time up to 1s"),
        (["--build", "/nonexistent"], "build first"),
        (["--nonsense"], "--nonsense"),
        (["--out"], "expected one argument"),
    ):
        done = report("wrong", *words, status=2)[1]
        assert said in done.err and "Traceback" not in done.err, (words, done.err)
    with open(os.path.join(place(), "file"), "w", encoding="ascii"):
        done = report("file", "--quick", status=1)[1]
        assert "file" in done.err and "Traceback" not in done.err, done.err


@tap.test(timeout=BUSY)
def an_interrupt_ends_it_and_all_that_it_started():
    out = os.path.join(place(), "interrupted")
    err = os.path.join(place(), "interrupted.err")
    with open(err, "w", encoding="utf-8") as f:
        words = [REPORT, "--build", replay.BUILD, "--out", out, "--quick"]
        process = running.spawn(words, stdout=f, stderr=f)
    running.wait_for(lambda: "1 of " in read(place(), "interrupted.err"), what="the first run")
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == 130, process.returncode
    running.wait_for(lambda: not running.session(process.pid), 10, "the end of all")
    assert "Traceback" not in read(place(), "interrupted.err"), read(place(), "interrupted.err")
    assert not os.path.exists(os.path.join(out, "report.md"))


# What is known beforehand, by captures that are made here.


class Told:
    """A flow list of `flows` flows that send WRITEs in one step from one host to another."""

    def __init__(self, flows, n, steps_in_all=1):
        self.n = n
        self.list = {
            "steps_in_all": steps_in_all,
            "flows": [
                {
                    "flow": i,
                    "src": "10.1.0.1",
                    "dst": "10.2.0.1",
                    "dest_qp": 256 + i,
                    "first_psn": (2**24 - 3 + i) % 2**24,
                    "steps": [[0, n, 0, 0, 0]],
                }
                for i in range(flows)
            ],
        }

    def frame(self, flow, number):
        f = self.list["flows"][flow]
        sender = roce.Sender(bytes(12), f["src"], f["dst"], 49152, f["dest_qp"])
        return sender.frame(roce.WRITE_MIDDLE, 0, (f["first_psn"] + number) % 2**24, bytes(256))

    def capture(self, name, packets):
        """`packets`: (ns, flow, number)."""
        path = os.path.join(place(), name)
        pcapio.write_pcap(path, [(ns, self.frame(flow, n)) for ns, flow, n in packets], ns=True)
        return path


def planted(name, told, came, outs, weights=None, rates=None, paths=None):
    n = len(outs)
    return measure.measure(
        measure.Flows(told.list),
        told.capture(f"{name}-in.pcap", came),
        [told.capture(f"{name}-{i}.pcap", packets) for i, packets in enumerate(outs)],
        weights or [1] * n,
        rates or [10**9] * n,
        paths or {"equal": [0] * n, "unequal": [0] * n},
    )


def in_turn(flows, n):
    return [(1000 * (i * flows + f), f, i) for i in range(n) for f in range(flows)]


@tap.test
def equal_members_are_even():
    told, came = Told(4, 8), in_turn(4, 8)
    got = planted("even", told, came, [[p for p in came if p[1] == i] for i in range(4)])
    assert (got["max_over_mean"], got["jain"], got["lost"]) == (1, 1, 0), got
    weighted = planted("weighted", told, came, [[p for p in came if p[1] < 3], [p for p in came if p[1] == 3]],
                       weights=[3, 1])  # fmt: skip
    assert (weighted["max_over_mean"], weighted["jain"]) == (1, 1), weighted


@tap.test
def a_dead_member_and_two_qps_on_one_are_seen():
    told, came = Told(3, 8), in_turn(3, 8)
    got = planted("dead", told, came, [[p for p in came if p[1] == i] for i in range(3)] + [[]])
    assert (got["max_over_mean"], got["jain"]) == (4 / 3, 3 / 4), got
    told, came = Told(2, 8), in_turn(2, 8)
    got = planted("one", told, came, [[], came, [], []])
    assert (got["max_over_mean"], got["jain"]) == (4, 1 / 4), got
    assert got["paths"]["unequal"] == {"reordered": 0, "extent": 0}, got


@tap.test
def a_planted_reordering_has_its_extent():
    # RFC 4737, 4.2: of the first three are reordered, by 4, 5 and 6 places.
    orders = {
        (0, 1, 2, 6, 7, 8, 9, 3, 4, 5, 10): (3, 6),
        (0, 1, 2, 3): (0, 0),
        (1, 0): (1, 1),
        (3, 2, 1, 0): (3, 3),
        (0, 5, 1, 2, 3, 4): (4, 4),
        (0, 2, 1, 4, 3): (2, 1),
    }
    for sequence, want in orders.items():
        told = Told(1, len(sequence))
        came = [(1000 * i, 0, n) for i, n in enumerate(sorted(sequence))]
        gone = [(1000 * i, 0, n) for i, n in enumerate(sequence)]
        got = planted("order", told, came, [gone])["paths"]["equal"]
        assert (got["reordered"], got["extent"]) == want == balance.reordering(sequence), (sequence, got)


@tap.test
def unequal_lines_reorder_a_spray_by_their_difference():
    # A packet each 10 us to two members in turn; the odd ones' line is 35 us longer.
    told = Told(1, 40)
    came = [(10_000 * i, 0, i) for i in range(40)]
    paths = {"equal": [400_000] * 2, "unequal": [400_000, 435_000]}
    got = planted("spray", told, came, [came[0::2], came[1::2]], paths=paths)["paths"]
    assert got["equal"] == {"reordered": 0, "extent": 0}, got
    # Before the odd packet n there came n + 1, n - 2, and n + 3; before the last, no later one.
    assert got["unequal"] == {"reordered": 19, "extent": 3}, got


@tap.test
def two_flows_on_one_of_two_lines_take_twice_as_long():
    told, bits = Told(2, 100), balance.wire_bits(len(Told(1, 1).frame(0, 0)))
    ns = bits // 2  # at 2 Gbit/s, the rate of both lines
    came = [(ns * i, i % 2, i // 2) for i in range(200)]
    ideal = 200 * ns * 1000
    both = planted("both", told, came, [[p for p in came if p[1] == i] for i in range(2)])
    one = planted("single", told, came, [came, []])
    assert both["ideal_ps"] == one["ideal_ps"] == ideal, (both, ideal)
    assert one["completion_ps"] == 2 * ideal, (one, ideal)
    assert both["completion_ps"] == ideal + ns * 1000, (both, ideal)  # the last one began at 199
    half = planted("half", told, came, [came], rates=[10**9])
    assert half["completion_ps"] == half["ideal_ps"] == 2 * ideal, half


@tap.test
def steps_add_up_and_those_not_made_count_as_the_others():
    told = Told(1, 6, steps_in_all=14)
    told.list["flows"][0]["steps"] = [[0, 4, 0, 0, 0], [1, 2, 0, 0, 0]]
    bits = balance.wire_bits(len(told.frame(0, 0)))
    came = [(0, 0, i) for i in range(4)] + [(10**6, 0, i) for i in (4, 5)]
    got = planted("steps", told, came, [came])
    each = bits * 1000  # at 1 Gbit/s
    assert got["completion_ps"] == (4 + 2) * each * 14 // 2, got
    assert got["flow_p99_ps"] == 4 * each, got


@tap.test
def lines_are_as_long_as_they_were_asked_to_be():
    assert nodes.paths(1, 7, 90) == {"equal": [7], "unequal": [7]}
    assert nodes.paths(4, 400, 150) == {"equal": [400] * 4, "unequal": [400, 450, 500, 550]}


@tap.test
def a_row_has_each_figure_in_its_column():
    run = {
        "policy": "a", "members": "9h", "max_over_mean": 1.5, "jain": 0.25, "came": 1000,
        "paths": {"equal": {"reordered": 2, "extent": 3}, "unequal": {"reordered": 4, "extent": 5}},
        "flow_table": [6, 7, 0], "completion_ps": 8_000_000_000, "ideal_ps": 4_000_000_000,
        "flow_p99_ps": 12_000_000, "lost": 0,
    }  # fmt: skip
    want = "a 9h 1.500 0.2500 2 3 4 5 6_of_7 8.000 2.00 12.0".split()
    assert [c.replace(" ", "_") for c in render.cells(run)] == want, render.cells(run)
    assert render.cells(run | {"flow_table": [7, 7, 1]})[8] == "7 of 7, full"
    lost = run | {"completion_ps": None, "flow_table": None}
    assert render.cells(lost)[8:11] == ["-", "-", "-"], render.cells(lost)


@tap.test
def a_lost_packet_leaves_no_completion():
    told, came = Told(1, 5), in_turn(1, 5)
    got = planted("lost", told, came, [came[:2] + came[3:]])
    assert got["lost"] == 1 and got["completion_ps"] is None, got
    assert got["paths"]["equal"] == {"reordered": 0, "extent": 0}, got
    got = planted("nothing", told, came, [[], []])
    assert got["lost"] == 5 and got["max_over_mean"] is None and got["jain"] is None, got


@tap.test
def a_capture_that_is_not_of_the_workload_is_refused():
    told = Told(1, 5)
    path = told.capture("other.pcap", in_turn(1, 5))
    told.list["flows"][0]["dest_qp"] = 999
    for broken, said in ((path, "frame 1 belongs to no flow"), (__file__, "no pcap file in nanoseconds")):
        try:
            measure.Flows(told.list).read(broken)
        except roce.CaptureError as e:
            assert said in str(e), e
        else:
            raise AssertionError("it was taken")


@tap.test
def order_agrees_with_the_dull_one_on_random_sequences():
    import random

    rng = random.Random(5)
    for _ in range(300):
        sequence = list(range(rng.randrange(1, 40)))
        for _ in range(rng.randrange(6)):
            i = rng.randrange(len(sequence))
            sequence.insert(rng.randrange(len(sequence)), sequence.pop(i))
        quick_one = measure.Order()
        for n in sequence:
            quick_one.take(n)
        assert (quick_one.reordered, quick_one.extent) == balance.reordering(sequence), sequence


def write():
    text = BLOCK.sub(lambda _: findings(), page())
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text)


def write_longer(folder):
    text = read(folder)
    command = re.search(r"^\| command \| `(.*?)` +\|$", text, re.M).group(1)
    parts = re.findall(r"^(\w.*):\n\n((?:^\|.*\n?)+)", text.partition("\n## qps")[0], re.M)
    shown = "\n".join(f"{what}:\n\n{block}" for what, block in parts if what in SHOWN)
    command = re.sub(r" --(?:build|out) \S+", "", command) + " --out build/longer"
    text = LONGER.sub(lambda _: f"```text\n{command}\n```\n\n{shown}", page())
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    elif "--write-longer" in sys.argv:
        write_longer(sys.argv[2])
    else:
        tap.run()
