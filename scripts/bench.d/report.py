# SPDX-License-Identifier: BSD-3-Clause
"""The result as Markdown, which is also what the terminal shows."""

from statistics import median

BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


def figures(runs):
    return [r["cycles"] for r in runs if r]


def pairwise(runs, others, combine):
    """Median over the rounds in which both ran."""
    pairs = [combine(a["cycles"], b["cycles"]) for a, b in zip(runs, others) if a and b]
    return median(pairs) if pairs else None


def text(value, form):
    return "-" if value is None else format(value, form)


def table(columns, rows):
    """Markdown, aligned so that it reads well as plain text; a column that starts with > is
    flush right."""
    right = [c.startswith(">") for c in columns]
    cells = [[c.lstrip(">") for c in columns]] + [[str(x) for x in row] for row in rows]
    width = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = ["| " + " | ".join(x.rjust(w) if r else x.ljust(w)
                               for x, w, r in zip(row, width, right)) + " |" for row in cells]
    rule = "|" + "|".join("-" * (w + 1) + (":" if r else "-")
                          for w, r in zip(width, right)) + "|"
    return "\n".join([lines[0], rule] + lines[1:])


def span(runs):
    got = figures(runs)
    if not got:
        return ["failed", "-", len(got)]
    return [f"{median(got):.1f}", f"{min(got):.1f} .. {max(got):.1f}", len(got)]


def carried(runs):
    got = [r for r in runs if r]
    return f"{min(r['out'] / r['in'] for r in got):.3f}" if got else "-"


def on_plain_memory(title, runs):
    return [title] if any(r and r["memory"] == "plain memory" for r in runs) else []


def peers(result):
    p = result["peers"]
    rows = []
    names = [("io", "testpmd io (the devices alone)"), ("l3fwd", "dpdk-l3fwd, LPM"),
             ("softbag", "softbag")]
    if "against" in p:
        names.append(("against", other_build(result)))
    for kind, name in names:
        runs, got = p[kind], figures(p[kind])
        rows.append([
            name, *span(runs),
            text(pairwise(runs, p["l3fwd"], lambda a, b: a / b), ".2f"),
            text(pairwise(runs, p["io"], lambda a, b: a - b), ".1f"),
            text(result["machine"]["tsc_hz"] / 1e6 / median(got) if got else None, ".1f"),
            carried(runs),
            text(median(r["cpu_share"] for r in runs if r) if got else None, ".2f")])
    plain = sum((on_plain_memory(kind, runs) for kind, runs in p.items()), [])
    note = "\n\nOn plain memory, not hugepages: " + "; ".join(plain) + "." if plain else ""
    if "against" in p:
        ratio = pairwise(p["softbag"], p["against"], lambda a, b: a / b)
        note += (f"\n\nsoftbag takes {text(ratio, '.3f')} times the cycles of "
                 f"{other_build(result)}: the median of the ratios within each round.")
    return ("### Beside l3fwd\n\n64-byte RoCEv2 packets, 1,024 flows, 1,000 routes, one group of "
            "4 members, E-ECMP. Bursts of 64 for softbag and testpmd; l3fwd's are 32, its own constant.\n\n" +
            table(["program", ">cycles a packet", ">min .. max", ">starts", ">x l3fwd",
                   ">beyond the devices", ">Mpps a core", ">out / in", ">CPU share"], rows) + note)


def other_build(result):
    return f"softbag of {result['against']}"


def queues(result):
    q = result["queues"]
    plain, rows = q["plain"], []
    for name, title in q["titles"]:
        runs = q[name]
        rows.append([title, *span(runs), text(pairwise(runs, plain, lambda a, b: a / b), ".2f"),
                     text(pairwise(runs, plain, lambda a, b: a - b), ".1f"), carried(runs)])
    if "against" in q:
        rows.append([f"the plain path of {other_build(result)}", *span(q["against"]),
                     text(pairwise(q["against"], plain, lambda a, b: a / b), ".2f"),
                     text(pairwise(q["against"], plain, lambda a, b: a - b), ".1f"),
                     carried(q["against"])])
    return ("### What queues cost\n\nThe traffic of the first table through one port whose keys "
            "are what the row says. Where more comes than the rate takes, cycles are those of a "
            "packet that came in, whether it was sent or dropped at its class's limit of 400 KB; "
            "`out / in` is the smallest of all starts.\n\n" +
            table(["way out", ">cycles a packet", ">min .. max", ">starts", ">x plain",
                   ">beyond plain", ">out / in"], rows))


def policies(result):
    p, rows = result["policies"], []
    names = list(p["titles"])
    if "against" in p:
        names.insert(1, ("against", f"ecmp of {other_build(result)}"))
    for name, title in names:
        runs = p[name]
        rows.append([title, *span(runs),
                     text(pairwise(runs, p["ecmp"], lambda a, b: a / b), ".2f"),
                     text(pairwise(runs, p["ecmp"], lambda a, b: a - b), ".1f"), carried(runs)])
    return ("### What policies cost\n\nWRITEs of 78 bytes that may be reordered, of 65,536 live "
            "queue pairs one after the other, over four ports without a rate, so that each packet "
            "is a flowlet of its own: the dearest there is. In one run, interleaved; x is the "
            "median of the ratios within each round.\n\n" +
            table(["policy", ">cycles a packet", ">min .. max", ">starts", ">x ecmp",
                   ">beyond ecmp", ">out / in"], rows))


FABRIC_PATHS = (("nsf", "NSF"), ("cut", "packet to cells"), ("join", "cells to packet"),
                ("transit", "transit"))


def cells_table(rows, what):
    columns = [">packet", ">cell_size", ">cells"]
    for path, name in FABRIC_PATHS:
        columns += [">" + name] + [">x NSF"] * (path != "nsf")
    lines = []
    for c in rows:
        line, runs = [f"{c['size']:,}", f"{c['cell_size']:,}", c["cells"]], c[what]
        for path, _ in FABRIC_PATHS:
            got = figures(runs[path])
            line.append(text(median(got) if got else None, ",.0f"))
            if path != "nsf":
                line.append(text(pairwise(runs[path], runs["nsf"], lambda a, b: a / b), ".2f"))
        lines.append(line)
    return table(columns, lines)


def goodput(row, what, hz):
    """Gbit/s of packets, without FCS, that one core carries each way."""
    told = []
    for path, name in FABRIC_PATHS:
        got = figures(row[what][path])
        rate = (row["size"] - 4) * 8 * hz / median(got) / 1e9 if got else None
        told.append(f"{name} {text(rate, '.1f')}")
    return ", ".join(told)


def cells(result):
    rows, hz = result["cells"], result["machine"]["tsc_hz"]
    real = [c for c in rows if c["softbag"]]
    last = real[-1]
    return ("### What the fabric costs\n\nCycles a packet: of all its cells together, medians over "
            "the starts; bytes are with FCS. First by softbag on devices, net_pcap in and net_pcap "
            "or net_null out, bursts of 64:\n\n" + cells_table(real, "softbag") +
            "\n\nThen by softbag-replay, without a device, in bursts of 32; medians over the turns "
            "of a run:\n\n" + cells_table(rows, "replay") +
            f"\n\nGbit/s that one core carries of packets of {last['size']:,} bytes, in cells of "
            f"{last['cell_size']:,}: on devices {goodput(last, 'softbag', hz)}; without "
            f"{goodput(last, 'replay', hz)}.")


def scaling(result):
    s = result["scaling"]
    rows = []
    for c in s["cases"]:
        runs, devices = c["softbag"], c["io"]
        against = next((o for o in s["cases"] if o["name"] == c["against"]), None)
        growth = beyond = None
        if against and against is not c:
            growth = pairwise(runs, against["softbag"], lambda a, b: a / b)
            ours, theirs = (pairwise(o["softbag"], o["io"], lambda a, b: a - b)
                            for o in (c, against))
            beyond = ours / theirs if ours and theirs else None
        rows.append([c["title"], c["bytes"], *span(runs),
                     text(median(figures(devices)) if figures(devices) else None, ".1f"),
                     text(pairwise(runs, devices, lambda a, b: a - b), ".1f"),
                     "-" if not against or against is c else against["title"],
                     text(growth, ".2f"), text(beyond, ".2f"), carried(runs)])
    plain = []
    for c in s["cases"]:
        plain += on_plain_memory("softbag with " + c["title"], c["softbag"])
        plain += on_plain_memory("the devices of " + c["title"], c["io"])
    note = "\n\nOn plain memory, not hugepages: " + "; ".join(plain) + "." if plain else ""
    return ("### How it grows\n\nEach row differs from the first in what its name says. The "
            "devices are testpmd io on the same capture with the same burst: a ring of many "
            "packets does not fit the caches, whoever reads it.\n\n" +
            table(["softbag with", ">bytes", ">cycles a packet", ">min .. max", ">starts",
                   ">devices alone", ">beyond them", "against", ">x in all",
                   ">x beyond the devices", ">out / in"], rows) + note)


def stages(result):
    cases = [c for c in result["stages"] if c["runs"]]
    if not cases:
        return "### Where the cycles go\n\nNothing ran."
    names = [n for n in cases[0]["runs"][0] if n != "all"]
    rows = []
    for c in cases:
        best = min(c["runs"], key=lambda r: r["all"])
        rows.append([c["title"]] + [f"{best[n]:.1f}" for n in ["all"] + names])
    return ("### Where the cycles go\n\nsoftbag-replay on the same traffic: cycles of the time "
            "stamp counter a packet, of the run with the fewest. Its ports are rings in memory. "
            "Stages are timed in every 16th burst, `in all` in the others. The counter runs on "
            "while something else has the CPU: this table wants a quiet machine.\n\n" +
            table(["traffic", ">in all"] + [">" + n for n in names], rows))


def memory(result):
    rows = []
    for m in result["memory"]:
        routes = "routes" in m["title"]
        scale = (1000000 if routes else 1000) / m["count"]
        diff = {k: f"{(m['more'][k] - m['less'][k]) * scale:.1f}"
                for k in ("told", "fib", "rss", "peak")}
        rows.append([m["title"], "a million routes" if routes else "1,000 groups", diff["told"],
                     diff["fib"] if routes else "-", diff["rss"], diff["peak"],
                     m["more"]["memory"]])
    base = result["memory"][0]["less"] if result["memory"] else None
    own = (f" The node with 1,000 routes and one group takes {base['rss']:.0f} MiB, packet "
           "buffers and all." if base else "")
    return ("### Memory\n\nMiB more than with 1,000 routes, or with one group: what `--check` "
            "foretells, what `show fib` says of the tables, and what the process really takes "
            "(resident and hugepages) running and at its peak, while it loads." + own + "\n\n" +
            table(["measured", "given for", ">--check", ">show fib", ">running", ">peak",
                   "memory"], rows))


def machine(result):
    m = result["machine"]
    rows = [["date", result["date"]], ["CPU", m["cpu"]],
            ["cores", f"{m['cores']}, TSC {m['tsc_hz'] / 1e9:.3f} GHz (measured)"],
            ["kernel", m["kernel"]], ["DPDK", m["dpdk"]], ["softbag", m["softbag"]],
            ["compiler", m["compiler"]], ["softbag's flags", f"`{m['flags']}`"],
            ["l3fwd's flags", f"`{m['l3fwd_flags']}`"],
            ["load when it began", m["load"]],
            ["rounds", f"{result['rounds']}, windows of {result['window_s']} s"]]
    return "### The machine\n\n" + table(["", ""], rows)


def markdown(result):
    parts = [machine(result)]
    if result["quick"]:
        parts.insert(0, "**A quick run: it shows that the benchmark works, not how fast softbag "
                        "is.**")
    for section, render in (("peers", peers), ("queues", queues),
                            ("policies", policies), ("cells", cells),
                            ("scaling", scaling), ("stages", stages), ("memory", memory)):
        if section in result:
            parts.append(render(result))
    if result["failures"]:
        parts.append("### What failed\n\n" + "\n".join(f"- {f}" for f in result["failures"]))
    return "\n\n".join(parts) + "\n"


def write_docs(path, body):
    """Replaces what stands between the two marks."""
    with open(path, encoding="utf-8") as f:
        old = f.read()
    head, begin, rest = old.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} has no {BEGIN} ... {END}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{head}{BEGIN}\n{body}{END}{tail}")
