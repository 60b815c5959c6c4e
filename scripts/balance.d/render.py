# SPDX-License-Identifier: BSD-3-Clause
"""The report as Markdown and as one HTML file, out of what runs.py brought; pictures by gnuplot."""

import base64
import html
import os
import shutil
import subprocess

COLUMNS = (  # a column that starts with > is flush right
    "policy", ">members", ">max/mean", ">Jain", ">reordered", ">extent", ">reordered, unequal",
    ">extent, unequal", ">flow table", ">completion ms", ">x ideal", ">flow p99 us",
)  # fmt: skip
COLOURS = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000 #f0e442".split()
TITLE = "Balance, order and time"

HOW_TO_READ = """\
One node, everything comes in by one port and leaves by the members of one group, which share {rate}
between them; `4h` are four, the last of half the rate and half the weight. Each run is in virtual time:
the same command gives the same figures.

- **max/mean**: bytes of the member with the most, to its fair share by weight. 1 is perfect. **Jain**:
  fairness of all members, (sum x)^2 / (n sum x^2); 1 is even, 1/n is all on one.
- **reordered**: packets that a later one of their QP overtook on the way to the far end, by PSN (RFC 4737,
  3.3); **extent**: the largest, how many packets of the QP came from the first later one on (4.2). First
  with lines of {delay} each, then **unequal**: from {delay}, evenly, to {spread} more.
- **flow table**: flows that it holds at the end, of those that it has room for, and whether it was ever
  full; a dash: the policy has none.
- **completion**: from a step's first packet in to its last one at the end of a line, length of the line
  left out, summed over all steps of the collective; steps that were not made count as those that were.
  **x ideal**: against one line of all members' rate. **flow p99**: the same time for what one QP sends in a
  step; 99 % take no longer."""

MODEL = """\
Modelled: queues of the members at their rates in softbag itself, and behind them lines that take a frame
after the other. Steps of a collective do not overlap: each begins when the one before is over, as with a
barrier.

Not modelled: steps that overlap, as they do where a rank goes on as soon as its own data is there. And
hosts: they send at a fixed rate whatever happens; nobody slows down for marks or pauses (there are none
here), nobody sends again what came late, ACKs cost nothing, and computing takes no time. The way of each
step to the far end is left out: add steps x delay, for all policies alike. A receiver that cannot take
packets out of order would ask again from the first gap on: where `reordered` is not 0, its completion is
not the one of this table."""


def table(columns, rows):
    """Markdown, aligned so that it reads well as plain text."""
    right = [c.startswith(">") for c in columns]
    cells = [[c.lstrip(">") for c in columns], *rows]
    width = [max(len(row[i]) for row in cells) for i in range(len(columns))]

    def line(row):
        return "| " + " | ".join(x.rjust(w) if r else x.ljust(w) for x, w, r in zip(row, width, right)) + " |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if r else "-") for w, r in zip(width, right)) + "|"
    return "\n".join([line(cells[0]), rule, *map(line, rows)])


def number(value, form):
    return "-" if value is None else format(value, form)


def cells(run):
    """A run as a row of COLUMNS."""
    equal, unequal = run["paths"]["equal"], run["paths"]["unequal"]
    done, used = run["completion_ps"], run["flow_table"]
    return [
        run["policy"],
        run["members"],
        number(run["max_over_mean"], ".3f"),
        number(run["jain"], ".4f"),
        str(equal["reordered"]),
        str(equal["extent"]),
        str(unequal["reordered"]),
        str(unequal["extent"]),
        "-" if used is None else f"{used[0]} of {used[1]}" + (", full" if used[2] else ""),
        number(done and done / 1e9, ".3f"),
        number(x_ideal(run), ".2f"),
        number(run["flow_p99_ps"] and run["flow_p99_ps"] / 1e6, ".1f"),
    ]


def heading(result):
    made, steps = result["steps"], result["steps_in_all"]
    of_steps = "" if steps == 1 else f"; {made} of {steps} steps made"
    return (
        f"{result['workload']}: {result['title']}",
        f"{result['packets']:,} packets of {result['flows']:,} QPs{of_steps}.",
    )


def x_ideal(run):
    return run["completion_ps"] and run["completion_ps"] / run["ideal_ps"]


def percent_reordered(run, lines="unequal"):
    return 100 * run["paths"][lines]["reordered"] / run["came"]


def short(results):
    """[(what, columns, rows)]: a row for each workload and number of members, a column for each policy."""
    policies = list(dict.fromkeys(run["policy"] for run in results[0]["runs"]))
    out = []
    for what, value, form in (
        ("Completion, x ideal", x_ideal, ".2f"),
        ("Bytes of the fullest member, x its share", lambda run: run["max_over_mean"], ".2f"),
        ("Packets reordered on equal lines, %", lambda run: percent_reordered(run, "equal"), ".1f"),
        ("Packets reordered on unequal lines, %", percent_reordered, ".1f"),
    ):
        rows = {}
        for result in results:
            for run in result["runs"]:
                row = rows.setdefault((result["workload"], run["members"]), [])
                row.append(number(value(run), form))
        columns = ["workload", ">members", *(">" + p for p in policies)]
        out.append((what, columns, [[*head, *row] for head, row in rows.items()]))
    return out


def losses(result):
    return [
        f"{run['members']} members, {run['policy']}: {run['lost']:,} packets did not come out"
        for run in result["runs"]
        if run["lost"]
    ]


def pair(value, unit):
    return f"{value:g} {unit}"


def facts(plan, command, version):
    return [
        ["command", f"`{command}`"],
        ["program", version],
        ["seeds", f"{plan.seed} of the workloads, {plan.hash_seed} of the hash"],
        ["traffic", f"{plan.packets:,} packets at most, {plan.mtu} bytes of payload, {rate(plan.rate_bps)}"],
    ]


def rate(bps):
    return next(
        pair(bps / divisor, unit)
        for divisor, unit in ((10**9, "Gbit/s"), (10**6, "Mbit/s"), (1, "bit/s"))
        if bps >= divisor
    )


def time(ns):
    return next(
        pair(ns / divisor, unit)
        for divisor, unit in ((10**6, "ms"), (10**3, "us"), (1, "ns"))
        if ns >= divisor or divisor == 1
    )


def how_to_read(plan):
    return HOW_TO_READ.format(
        rate=rate(plan.rate_bps), delay=time(plan.delay_ns), spread=time(plan.spread_ns)
    )


def markdown(plan, results, command, version, pictures):
    parts = [f"# {TITLE}", table(["", ""], facts(plan, command, version)), how_to_read(plan)]
    if plan.skipped:
        parts.append("Left out, for this build does not know them:")
        parts.append("\n".join(f"- `{text}`: {why}" for text, why in plan.skipped.items()))
    parts.append("## In short")
    for what, columns, rows in short(results):
        parts += [f"{what}:", table(columns, rows)]
    for result in results:
        name, more = heading(result)
        parts += [f"## {name}", more, table(COLUMNS, [cells(run) for run in result["runs"]])]
        parts += ["\n".join(f"- {line}" for line in losses(result))] if losses(result) else []
    if pictures:
        parts += ["## Pictures", *(f"![{text}]({name})" for name, text in pictures)]
    parts += ["## What is modelled, and what is not", MODEL]
    return "\n\n".join(parts) + "\n"


STYLE = """\
body { font: 15px/1.5 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; font-size: 14px; }
th, td { padding: 2px 10px; border-bottom: 1px solid #ddd; text-align: left; }
th { border-bottom: 2px solid #888; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; }
code { background: #f4f4f4; }"""


def inline(text):
    """Markdown's `code` and **bold** of the texts above."""
    out = []
    for i, piece in enumerate(html.escape(text, quote=False).split("`")):
        if i % 2:
            out.append(f"<code>{piece}</code>")
        else:
            bold = piece.split("**")
            out.append("".join(f"<b>{p}</b>" if k % 2 else p for k, p in enumerate(bold)))
    return "".join(out)


def html_text(text):
    """Paragraphs and lists."""
    out = []
    for block in text.split("\n\n"):
        if block.startswith("- "):
            items = ("\n" + block).split("\n- ")[1:]
            out.append("<ul>" + "".join(f"<li>{inline(item)}</li>" for item in items) + "</ul>")
        else:
            out.append(f"<p>{inline(block)}</p>")
    return "\n".join(out)


def html_table(columns, rows):
    classes = [' class="n"' if c.startswith(">") else "" for c in columns]

    def line(tag, row):
        return "<tr>" + "".join(f"<{tag}{c}>{inline(x)}</{tag}>" for c, x in zip(classes, row)) + "</tr>"

    head = line("th", [c.lstrip(">") for c in columns]) + "\n" if any(columns) else ""
    return "<table>\n" + head + "\n".join(line("td", row) for row in rows) + "\n</table>"


def web(plan, results, command, version, pictures, folder):
    parts = [f"<h1>{TITLE}</h1>", html_table(["", ""], facts(plan, command, version))]
    parts.append(html_text(how_to_read(plan)))
    if plan.skipped:
        lines = [f"- `{text}`: {why}" for text, why in plan.skipped.items()]
        parts.append(html_text("Left out, for this build does not know them:\n\n" + "\n".join(lines)))
    for name, text in pictures:
        with open(os.path.join(folder, name), "rb") as f:
            data = base64.b64encode(f.read()).decode()
        parts.append(f'<p><img alt="{html.escape(text)}" src="data:image/png;base64,{data}"></p>')
    parts.append("<h2>In short</h2>")
    for what, columns, rows in short(results):
        parts += [f"<h3>{what}</h3>", html_table(columns, rows)]
    for result in results:
        name, more = heading(result)
        parts += [f"<h2>{html.escape(name)}</h2>", f"<p>{html.escape(more)}</p>"]
        parts.append(html_table(COLUMNS, [cells(run) for run in result["runs"]]))
        parts += [html_text("\n".join(f"- {line}" for line in losses(result)))] if losses(result) else []
    parts += ["<h2>What is modelled, and what is not</h2>", html_text(MODEL)]
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{TITLE}</title>\n'
        f"<style>\n{STYLE}\n</style></head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


PICTURES = (  # file, what it shows, value of a run, what is perfect
    ("completion.png", "completion, x ideal", lambda r: x_ideal(r) or 0, 1),
    ("balance.png", "bytes of the fullest member, x its share", lambda r: r["max_over_mean"] or 0, 1),
    ("order.png", "packets reordered on unequal lines (%)", percent_reordered, 0),
)  # fmt: skip


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def shown(text):
    """In a title, where an underscore would lower what follows."""
    return quoted(text.replace("_", "\\_"))


def gnuplot_script(results, path, label, value, perfect):
    """Bars, a panel for each number of members, a group for each workload, a bar for each policy."""
    first = results[0]["runs"]
    members = list(dict.fromkeys(run["members"] for run in first))
    policies = list(dict.fromkeys(run["policy"] for run in first))
    out = [
        f'set terminal pngcairo size 1200,{120 + 260 * len(members)} enhanced font "sans,10"',
        f"set output {quoted(path)}",
        "set style data histogram",
        "set style histogram clustered gap 1",
        "set style fill solid 0.9 border -1",
        "set boxwidth 0.9",
        'set key outside right top Left reverse samplen 2 font ",9"',
        'set grid ytics back lt 1 lw 0.5 lc rgb "#d0d0d0"',
        "set border 3",
        "set tics nomirror",
        "set yrange [0:*]",
        "set lmargin 9",
        "set rmargin 24",
    ]
    for i, n in enumerate(members):
        out.append(f"$m{i} << EOD")
        for result in results:
            values = {r["policy"]: value(r) for r in result["runs"] if r["members"] == n}
            out.append(" ".join([shown(result["workload"]), *(f"{values[p]:.4f}" for p in policies)]))
        out.append("EOD")
    out.append(f'set multiplot layout {len(members)},1 title {shown(label)}')
    for i, n in enumerate(members):
        bars = [
            f'$m{i} using {k + 2}:xtic(1) title {shown(p)} lc rgb "{COLOURS[k % len(COLOURS)]}"'
            for k, p in enumerate(policies)
        ]
        out.append(f'set title "{n} members"')
        line = f'{perfect} notitle with lines dt 2 lc rgb "#888888", ' if perfect else ""
        out.append("plot " + line + ", \\\n  ".join(bars))
    return "\n".join([*out, "unset multiplot", ""])


def draw(results, folder):
    """[(file, what it shows)] of the pictures that were drawn; none without gnuplot."""
    if shutil.which("gnuplot") is None:
        return []
    drawn = []
    for name, label, value, perfect in PICTURES:
        script = gnuplot_script(results, os.path.join(folder, name), label, value, perfect)
        done = subprocess.run(["gnuplot"], input=script, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"gnuplot could not draw {name}: {done.stderr.strip()}")
        drawn.append((name, label))
    return drawn
