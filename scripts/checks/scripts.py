#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scripts parse, pass shellcheck, and can be run as they are."""

import os
import shutil
import subprocess

from common import Report, arguments, files, read


def first_line(root, path):
    with open(os.path.join(root, path), "rb") as f:
        return f.readline(200).decode(errors="replace").strip()


def is_shell(path, line):
    return path.endswith(".sh") or (line.startswith("#!") and line.endswith(("sh", "bash")))


def is_python(path, line):
    return path.endswith(".py") or (line.startswith("#!") and "python" in line)


def bash_findings(root, path):
    done = subprocess.run(["bash", "-n", path], cwd=root, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr.splitlines() or [f"{path} does not parse"] if done.returncode else []


def shellcheck_findings(root, paths):
    # SC1091: a file that is sourced is checked by itself. SC2317: it takes a function that is
    # handed to tap_test for one that is never called.
    done = subprocess.run(["shellcheck", "--format=gcc", "--exclude=SC1091,SC2317", *paths],
                          cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.stdout.splitlines() if done.returncode else []


def python_findings(root, path):
    try:
        compile(read(root, path), path, "exec")
    except (SyntaxError, ValueError) as error:
        return [f"{path}: {error}"]
    return []


def main():
    args = arguments(__doc__)
    report = Report("scripts")
    lines = {path: first_line(args.root, path) for path in files(args.root)
             if not os.path.islink(os.path.join(args.root, path))}
    shell = [path for path, line in lines.items() if is_shell(path, line)]
    python = [path for path, line in lines.items() if is_python(path, line)]

    report.rule("shell scripts parse",
                [f for path in shell for f in bash_findings(args.root, path)],
                [f"{len(shell)} files"])
    if not shutil.which("shellcheck"):
        report.skip("shell scripts pass shellcheck", "shellcheck is not installed")
    else:
        report.rule("shell scripts pass shellcheck",
                    shellcheck_findings(args.root, shell) if shell else [])
    report.rule("python compiles", [f for path in python for f in python_findings(args.root, path)],
                [f"{len(python)} files"])
    report.rule("what names its interpreter is executable",
                [path for path, line in lines.items() if line.startswith("#!")
                 and not os.access(os.path.join(args.root, path), os.X_OK)])
    report.finish()


if __name__ == "__main__":
    main()
