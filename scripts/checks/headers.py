#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each header compiles alone, and twice in a row."""

import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess

from common import Report, arguments, files

KEPT = ("-I", "-D", "-U", "-W", "-std=", "-m", "-f", "-isystem", "-include", "-O")
WITH_VALUE = ("-I", "-D", "-isystem", "-include")


def kept_flags(words):
    """The flags of a compile command that say how a header is read."""
    flags = []
    i = 1
    while i < len(words):
        word = words[i]
        if word in WITH_VALUE:
            flags += [word, words[i + 1]]
            i += 1
        elif word.startswith(KEPT) and not word.startswith(("-fsanitize", "-fprofile")):
            flags.append(word)
        i += 1
    return flags


def from_build(build):
    """{folder of a source: (compiler, flags, directory)} as the build compiles it."""
    try:
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
            commands = json.load(f)
    except (OSError, ValueError):
        return {}
    found = {}
    for entry in commands:
        words = entry.get("arguments") or shlex.split(entry["command"])
        while words and os.path.basename(words[0]) in ("ccache", "distcc"):
            words = words[1:]
        source = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        found[os.path.dirname(source)] = (words[0], kept_flags(words), entry["directory"])
    return found


def from_pkg_config(root):
    """The same for a tree that is not configured."""
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", f"-I{root}/lib"]
    for module in ("libdpdk", "yaml-0.1", "jansson", "libpcap"):
        done = subprocess.run(["pkg-config", "--cflags", module], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        flags += shlex.split(done.stdout)
    return (os.environ.get("CC", "cc"), flags, root)


def how_to_compile(root, path, built, fallback):
    """The flags of the nearest folder with a source in the build."""
    folder = os.path.dirname(os.path.join(root, path))
    while len(folder) > len(root):
        if folder in built:
            return built[folder]
        folder = os.path.dirname(folder)
    for folder, how in built.items():
        if folder.startswith(os.path.join(root, path.split("/")[0])):
            return how
    return fallback


def compile_alone(root, path, how):
    compiler, flags, directory = how
    full = os.path.join(root, path)
    done = subprocess.run(
        [compiler, *flags, f"-I{root}/lib", f"-I{root}/drivers", f"-I{root}/tests/support",
         "-Werror", "-fsyntax-only", "-x", "c", "-"],
        input=f'#include "{full}"\n#include "{full}"\n', cwd=directory, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode == 0:
        return []
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    return [f"{path} does not compile alone:"] + (errors or done.stderr.splitlines())[:5]


def main():
    args = arguments(__doc__)
    report = Report("headers")
    headers = files(args.root, ["lib", "app", "drivers", "tests"], [".h"])
    built = from_build(args.build)
    fallback = from_pkg_config(args.root)
    if not shutil.which(fallback[0]):
        report.skip("each header compiles alone", f"no compiler {fallback[0]}")
        report.finish()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = pool.map(
            lambda path: compile_alone(args.root, path,
                                       how_to_compile(args.root, path, built, fallback)), headers)
    report.rule("each header compiles alone", [line for lines in findings for line in lines],
                [f"{len(headers)} headers"])
    report.finish()


if __name__ == "__main__":
    main()
