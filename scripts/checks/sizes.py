#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files and functions stay small enough to be read at one go."""

from common import Report, arguments, files, functions, read, strip_c

C_LINES = 800
H_LINES = 300
FUNCTION_LINES = 100
FUNCTION_LINES_TOLD = 60


def main():
    args = arguments(__doc__)
    report = Report("sizes")
    long_c, long_h, long_functions, told = [], [], [], []

    for path in files(args.root, ["lib", "app", "drivers", "tests"], [".c", ".h"]):
        text = read(args.root, path)
        lines = text.count("\n")
        if path.endswith(".c") and lines > C_LINES:
            long_c.append(f"{path}: {lines} lines")
        if path.endswith(".h") and lines > H_LINES:
            long_h.append(f"{path}: {lines} lines")
        for name, first, last in functions(strip_c(text)):
            length = last - first + 1
            if length > FUNCTION_LINES:
                long_functions.append(f"{path}:{first}: {name} has {length} lines")
            elif length > FUNCTION_LINES_TOLD:
                told.append(f"{path}:{first}: {name} has {length} lines")

    report.rule(f"no .c file is over {C_LINES} lines", long_c)
    report.rule(f"no .h file is over {H_LINES} lines", long_h)
    report.rule(f"no function is over {FUNCTION_LINES} lines", long_functions, told)
    report.finish()


if __name__ == "__main__":
    main()
