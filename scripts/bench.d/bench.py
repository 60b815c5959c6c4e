#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures and reports; scripts/bench has prepared everything and calls this."""

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import signal
import subprocess
import sys

import cases
import cells
import report
import traffic
from measure import Bench, huge_note

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "build/bench")
DOCS = os.path.join(ROOT, "docs/performance.md")
# What the dearest case asks for: a million packet buffers, which softbag counts as 4 KB each to be
# safe on plain memory, and a table of a million routes.
FULL_MB, SMALL_MB = 5120, 800


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--rounds", type=int)
    p.add_argument("--only", action="append", default=[])
    p.add_argument("--build", default="build")
    p.add_argument("--against")
    for flag in ("quick", "write-docs", "last", "list", "check", "pages"):
        p.add_argument("--" + flag, action="store_true")
    args = p.parse_args()
    args.build = os.path.join(ROOT, args.build)
    args.against = args.against and os.path.join(ROOT, args.against)
    args.big = cases.QUICK if args.quick else cases.FULL
    try:
        args.sections = cases.selection(args.only, args.big)
    except KeyError as error:
        print(f"bench: there is no section or case {error}; --list has them", file=sys.stderr)
        sys.exit(2)
    return args


def need_mb(args):
    heavy = {"scaling", "stages", "memory"} & set(args.sections)
    return FULL_MB if heavy and not args.quick else SMALL_MB


def print_names():
    print("sections:\n  " + "\n  ".join(cases.SECTIONS) + "\ncases of scaling:")
    for c in cases.scaling(cases.FULL):
        print(f"  {c.name:11} {c.title}")


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout.strip() if done.returncode == 0 else ""


def build_name(folder):
    """A build by its source's commit, which says the same elsewhere; else by its folder's name."""
    commit = folder and output("git", "-c", "safe.directory=*", "-C", folder, "rev-parse",
                               "--short", "HEAD")
    return f"commit {commit}" if commit else folder and os.path.basename(folder)


def compile_flags(build):
    """What the hot path is compiled with, but for include paths and warnings."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entry = next(e for e in json.load(f) if e["file"].endswith("stage_route.c"))
    flags = shlex.split(entry["command"])
    return " ".join(f for f in flags if re.match(r"-(O|g$|m|f(?!diag)|std=|D)", f))


def machine(args, hz):
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        cpu = re.search(r"model name\s*: (.*)", f.read())
    version = output(os.path.join(args.build, "app/softbag/softbag"), "--version")
    commit = output("git", "-c", "safe.directory=*", "rev-parse", "--short", "HEAD")
    changed = commit and output("git", "-c", "safe.directory=*", "status", "--porcelain",
                                "--untracked-files=no")
    with open(os.path.join(WORK, "l3fwd/stamp"), encoding="utf-8") as f:
        stamp = f.read().split()
    return {
        "cpu": cpu.group(1) if cpu else platform.machine(), "cores": os.cpu_count(), "tsc_hz": hz,
        "kernel": platform.release(), "dpdk": version.partition(", ")[2],
        "softbag": version.partition(", ")[0] + (f", commit {commit}" if commit else "") +
                   (" with changes" if changed else ""),
        "compiler": output("gcc", "--version").partition("\n")[0],
        "flags": compile_flags(args.build),
        "l3fwd_flags": "-O3 " + " ".join(f for f in stamp[2:] if f.startswith("-m")),
        "load": " ".join(f"{x:.2f}" for x in os.getloadavg()),
    }


def run_peers(bench, args, result):
    base = cases.scaling(args.big)[0]
    kinds = ["io", "l3fwd", "softbag"] + ["against"] * (bench.against is not None)
    runs = bench.interleaved([(kind, base) for kind in kinds])
    result["peers"] = {kind: got for (kind, _), got in runs.items()}


def run_queues(bench, args, result):
    plain = cases.queues(1)[0]
    first = bench.prepared(plain) and bench.start_once(bench.program("softbag", plain, 0), plain)
    if not first:
        return
    bench.say(f"the plain path carries {first['pps'] / 1e6:.1f} Mpps here")
    chosen = cases.queues(first["pps"])
    wanted = [("softbag", c) for c in chosen]
    if bench.against:
        wanted.insert(1, ("against", plain))
    runs = bench.interleaved(wanted)
    result["queues"] = {name if kind == "softbag" else kind: got
                        for (kind, name), got in runs.items()}
    result["queues"]["titles"] = [(c.name, c.title) for c in chosen]


def run_policies(bench, args, result):
    chosen = cases.policies()
    wanted = [("softbag", c) for c in chosen]
    if bench.against:
        wanted.insert(1, ("against", chosen[0]))
    runs = bench.interleaved(wanted)
    result["policies"] = {name if kind == "softbag" else kind: got
                          for (kind, name), got in runs.items()}
    result["policies"]["titles"] = [(c.name, c.title) for c in chosen]


def run_cells(bench, args, result):
    result["cells"] = cells.measure(bench)


def run_scaling(bench, args, result):
    everything = cases.scaling(args.big)
    by_name = {c.name: c for c in everything}
    names = args.sections["scaling"]
    if names is not None:
        # what is told against a case needs it, and that may be told against the first
        for _ in range(2):
            names |= {by_name[n].against for n in names}
    chosen = [c for c in everything if names is None or c.name in names]
    wanted, baseline = [], {}
    for c in chosen:
        if c.devices not in baseline:
            baseline[c.devices] = c.name
            wanted.append(("io", c))
        wanted.append(("softbag", c))
    runs = bench.interleaved(wanted)
    result["scaling"] = {"cases": [
        {"name": c.name, "title": c.title, "against": c.against,
         "bytes": traffic.capture_size(c.family, c.size),
         "softbag": runs["softbag", c.name], "io": runs["io", baseline[c.devices]]}
        for c in chosen]}


def run_stages(bench, args, result):
    result["stages"] = [{"name": c.name, "title": c.title, "runs": bench.stages(c)}
                        for c in cases.stages(args.big)]


def run_memory(bench, args, result):
    result["memory"] = bench.memory(cases.memory(args.big))


def save(result):
    """JSON and Markdown after each section, so that an interrupted run leaves what it has."""
    body = report.markdown(result)
    with open(os.path.join(WORK, "results.json"), "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    with open(os.path.join(WORK, "results.md"), "w", encoding="utf-8") as f:
        f.write(body)
    return body


def measure(args):
    rounds = args.rounds or (2 if args.quick else 5)
    window_s = 1.0 if args.quick else 2.0
    hz = int(output(os.path.join(WORK, "tsc")))
    bench = Bench(ROOT, args.build, rounds, window_s, hz, args.against)
    result = {"date": datetime.datetime.now().astimezone().isoformat(timespec="minutes"),
              "quick": args.quick, "rounds": rounds, "window_s": window_s,
              "against": build_name(args.against), "machine": machine(args, hz), "failures": bench.failures}
    note = huge_note(need_mb(args))
    if note:
        bench.say(note)
    if rounds < 5:
        bench.say("fewer than 5 starts of each program: differences below 20 % mean nothing")
    for section, run in (("peers", run_peers), ("queues", run_queues),
                         ("policies", run_policies), ("cells", run_cells),
                         ("scaling", run_scaling), ("stages", run_stages),
                         ("memory", run_memory)):
        if section in args.sections:
            bench.say(f"section {section}")
            run(bench, args, result)
            save(result)
    return result


def last_result():
    try:
        with open(os.path.join(WORK, "results.json"), encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        print("bench: there is no last result; run scripts/bench", file=sys.stderr)
        sys.exit(1)


def main():
    args = arguments()
    if args.list:
        print_names()
        return 0
    if args.check:
        return 0
    if args.pages:
        print((need_mb(args) + 1) // 2)
        return 0
    result = last_result() if args.last else measure(args)
    body = report.markdown(result)
    print("\n" + body)
    if args.write_docs:
        if result["quick"] or not all(s in result for s in cases.SECTIONS):
            print("bench: the last result is not of a full run; docs/performance.md stays as it is",
                  file=sys.stderr)
            return 1
        report.write_docs(DOCS, body)
        print("bench: docs/performance.md has it.")
    if not args.last:
        print("bench: build/bench/results.json and results.md have this; logs are in "
              "build/bench/log/.")
    return 1 if result["failures"] else 0


def interrupt(_signum, _frame):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupt)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
