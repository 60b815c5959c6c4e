#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The layer law: includes and meson dependencies point down only."""

import os
import re

from common import Report, arguments, files, read, strip_c

# What each folder may include besides itself. Rank 3 folders meet by index, never by include.
_WIRE = {"base"}
_PKT = {"base", "wire"}
_RANK_3 = {"base", "wire", "pkt"}
_DP = _RANK_3 | {"fib", "nhg", "flow", "cell", "hyper", "qos", "port", "xdp_steer"}
_CTL = _DP | {"dp", "conf"}
_TELE = _CTL | {"ctl"}
_APP = _TELE | {"tele"}
LAW = {
    "base": set(), "wire": _WIRE, "pkt": _PKT,
    "fib": _RANK_3, "nhg": _RANK_3, "flow": _RANK_3, "cell": _RANK_3, "qos": _RANK_3,
    "hyper": _RANK_3,
    "port": _RANK_3, "conf": {"base", "wire"}, "xdp_steer": {"base"},
    "dp": _DP, "ctl": _CTL, "tele": _TELE,
}

# rank 0 knows no packet, no pool and no device.
BASE_RTE = re.compile(r"rte_(common|config|branch_prediction|prefetch|pause|cycles|byteorder|errno"
                      r"|bitops|debug|compat|memcpy|stdatomic)\.h$")
ETHDEV = re.compile(r"(rte_ethdev|rte_eth_|rte_flow\.h|rte_mtr|rte_tm\.h|ethdev_)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def owner(path):
    """(kind, folder) of a file: ("lib", "nhg"), ("app", "softbag"), ("test", "nhg" or None)."""
    parts = path.split("/")
    if parts[0] in ("lib", "app", "drivers") and len(parts) > 2:
        return ("lib" if parts[0] == "drivers" else parts[0], parts[1])
    if parts[0] == "tests":
        if len(parts) > 3 and parts[1] == "unit":
            return ("test", parts[2])
        return ("test", None)
    return (None, None)


def resolve(root, path, name):
    """The file that an include names, as a path below root, or None."""
    places = ["lib", "drivers", "app", os.path.dirname(path), "tests", "tests/support", "."]
    if path.startswith("app/"):
        places.insert(0, "/".join(path.split("/")[:2]))
    for place in places:
        full = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(os.path.join(root, full)):
            return full
    return None


def allowed(kind, folder):
    if kind == "lib":
        return LAW.get(folder, set()) | {folder}
    if kind == "test" and folder in LAW:
        return LAW[folder] | {folder}
    return _APP


def judge(root, path, bracket, name):
    """What is wrong with one include, or None."""
    kind, folder = owner(path)
    if bracket == "<":
        if any(os.path.isfile(os.path.join(root, top, name)) for top in ("lib", "drivers")):
            return f"<{name}> is ours: include it in quotes"
        if kind == "lib" and folder != "port" and ETHDEV.match(name):
            return f"<{name}>: lib/port alone knows devices"
        if kind == "lib" and folder == "base" and name.startswith("rte_") \
                and not BASE_RTE.match(name):
            return f"<{name}>: base includes nothing of DPDK but its rte_common class"
        return None
    target = resolve(root, path, name)
    if target is None:
        return f'"{name}" is in no folder of the tree'
    to_kind, to_folder = owner(target)
    if kind in ("lib", "app") and to_kind == "test":
        return f'"{name}": only tests include tests'
    if kind == "lib":
        if to_kind == "lib" and target not in (f"lib/{name}", f"drivers/{name}"):
            return f'"{name}": include by path from lib/ ("{target.split("/", 1)[1]}")'
        if to_kind == "app":
            return f'"{name}": a library does not include a program'
    if kind == "app" and to_kind == "app" and to_folder != folder:
        return f'"{name}": the programs {folder} and {to_folder} do not include each other'
    if kind == "test" and folder in LAW and to_kind == "app":
        return f'"{name}": a unit test of lib/{folder} does not include a program'
    if to_kind == "lib" and to_folder not in allowed(kind, folder):
        return f'"{name}": {folder} may not include {to_folder}'
    return None


def main():
    args = arguments(__doc__)
    report = Report("layers")

    findings = []
    sources = files(args.root, ["lib", "app", "drivers", "tests"], [".c", ".h"])
    arrows = 0
    for path in sources:
        text = strip_c(read(args.root, path), keep_strings=True)
        kind, folder = owner(path)
        if kind == "lib" and folder not in LAW:
            findings.append(f"{path}: folder {folder} has no rank in scripts/checks/layers.py")
            continue
        for match in INCLUDE.finditer(text):
            arrows += 1
            wrong = judge(args.root, path, match.group(1), match.group(2))
            if wrong:
                line = text.count("\n", 0, match.start()) + 1
                findings.append(f"{path}:{line}: {wrong}")
    report.rule("includes point down only", findings,
                [f"{arrows} includes in {len(sources)} files"])

    findings = []
    for path in files(args.root, ["lib", "drivers"], ["meson.build"]):
        kind, folder = owner(path)
        if folder is None or folder not in LAW:
            continue
        for number, line in enumerate(read(args.root, path).split("\n"), 1):
            for name in re.findall(r"\b(\w+)_dep\b", line.split("#")[0]):
                if name in LAW and name not in LAW[folder] | {folder}:
                    findings.append(f"{path}:{number}: {folder} may not link {name}_dep")
    report.rule("libraries link what is below them only", findings)
    report.finish()


if __name__ == "__main__":
    main()
