#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The checks checked: each passes a clean tree and finds what is planted in it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from common import Report, arguments

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests", "support")
C_HEAD = "/* SPDX-License-Identifier: BSD-3-Clause */\n"
PY_HEAD = "# SPDX-License-Identifier: BSD-3-Clause\n"
# Written in pieces, as words.py does, so that this file passes.
UNFINISHED = "TO" + "DO"
ELSEWHERE = "../sha" + "red/x"
HOME = "/ho" + "me/me/x"

CLEAN = {
    ".ci/run": "#!/bin/bash\n" + PY_HEAD + f'ls "{ELSEWHERE}"\n',
    "lib/meson.build": PY_HEAD,
    "lib/base/bits.h": C_HEAD + "#pragma once\n#include <stdint.h>\n\nint bits_of(uint32_t x);\n",
    "lib/base/bits.c": C_HEAD + '#include "base/bits.h"\n',
    "lib/base/meson.build": PY_HEAD + "base_dep = declare_dependency(dependencies: [dpdk])\n",
    "lib/wire/eth.h": C_HEAD + '#pragma once\n#include "base/bits.h"\n',
    "lib/pkt/parse.c": C_HEAD + '#include "wire/eth.h"\n',
    "lib/fib/fib.h": C_HEAD + '#pragma once\n#include "base/bits.h"\n',
    "lib/fib/meson.build": PY_HEAD + "fib_dep = declare_dependency(dependencies: [pkt_dep])\n",
    "lib/nhg/pick_inl.h": C_HEAD + '#pragma once\n#include "base/bits.h"\n'
                          "/* 3 / n packets: printf(\"%d\") */\n",
    "lib/port/port.c": C_HEAD + "#include <rte_ethdev.h>\n",
    "lib/conf/conf.c": C_HEAD + '#include <yaml.h>\n\n#include "base/bits.h"\n',
    "lib/conf/yaml.h": C_HEAD + "#pragma once\n",
    "lib/dp/stage_route.c": C_HEAD + '#include "fib/fib.h"\n#include "nhg/pick_inl.h"\n\n'
                            "unsigned\nhalf(unsigned x)\n{\n\treturn (x / 2) % RTE_MAX / 8u"
                            " / sizeof(x) / (RTE_MAX - 1) + dev->read(x);\n}\n",
    "lib/flow/flow.c": C_HEAD + '#include "base/bits.h"\n\nint\nflow_create(int n)\n{\n'
                       "\treturn malloc(n) != 0 ? 100 / n : 0;\n}\n",
    "lib/ctl/node.c": C_HEAD + '#include "conf/conf.h"\n',
    "lib/conf/conf.h": C_HEAD + "#pragma once\n",
    "app/softbag/main.c": C_HEAD + '#include "args.h"\n#include "fib/fib.h"\n',
    "app/softbag/args.h": C_HEAD + "#pragma once\n",
    "app/softbag-replay/replay.h": C_HEAD + "#pragma once\n",
    "tests/unit/fib/test_fib.c": C_HEAD + '#include "fib/fib.h"\n',
    "tests/data/odd.yaml": "not ours: " + UNFINISHED + "\n",
    "scripts/run": "#!/bin/bash\n" + PY_HEAD + 'echo "$1"\n',
    "scripts/tool.py": "#!/usr/bin/python3\n" + PY_HEAD + "print(1)\n",
}

# check, what it must find, the file, its text after the licence, and a piece of the finding.
PLANTED = [
    ("layers", "an arrow up", "lib/base/bits.c", '#include "fib/fib.h"\n', "base may not include"),
    ("layers", "a sideways arrow in rank 3", "lib/fib/plan.c", '#include "nhg/pick_inl.h"\n',
     "fib may not include nhg"),
    ("layers", "conf in the data path", "lib/dp/worker.c", '#include "conf/conf.h"\n',
     "dp may not include conf"),
    ("layers", "pkt in conf", "lib/conf/tree.c", '#include "pkt/../fib/fib.h"\n',
     "include by path from lib/"),
    ("layers", "devices outside lib/port", "lib/dp/stage_rx.c", "#include <rte_ethdev.h>\n",
     "lib/port alone"),
    ("layers", "packets in base", "lib/base/rng.c", "#include <rte_mbuf.h>\n", "rte_common class"),
    ("layers", "a program that includes another", "app/softbag/main.c",
     '#include "softbag-replay/replay.h"\n', "do not include each other"),
    ("layers", "a library that includes a program", "lib/tele/tele.c",
     '#include "softbag/args.h"\n', "does not include a program"),
    ("layers", "an include by a short path", "lib/fib/plan.c", '#include "fib.h"\n',
     "include by path from lib/"),
    ("layers", "an include of nothing", "lib/fib/plan.c", '#include "fib/none.h"\n',
     "in no folder"),
    ("layers", "ours in angle brackets", "lib/ctl/node.c", "#include <fib/fib.h>\n", "in quotes"),
    ("layers", "a unit test above its rank", "tests/unit/fib/test_fib.c",
     '#include "conf/conf.h"\n', "fib may not include conf"),
    ("layers", "a folder without a rank", "lib/misc/misc.c", "int x;\n", "has no rank"),
    ("layers", "a library linked upward", "lib/fib/meson.build", "x = [dp_dep]\n",
     "may not link dp_dep"),
    ("sizes", "a long .c", "lib/fib/plan.c", "int x;\n" * 800, "801 lines"),
    ("sizes", "a long .h", "lib/fib/plan.h", "int x;\n" * 300, "301 lines"),
    ("sizes", "a long function", "lib/fib/plan.c",
     "static int\nplan(int a,\n\tint b)\n{\n" + "\ta++;\n" * 99 + "}\n", "plan has 101 lines"),
    ("hotpath", "a lock", "lib/dp/stage_rx.c", "int x = pthread_mutex_lock(&m);\n",
     "pthread_mutex_lock"),
    ("hotpath", "a DPDK lock", "lib/qos/q.c", "rte_spinlock_t lock;\n", "rte_spinlock_t"),
    ("hotpath", "a system call", "lib/cell/cut.c", "int x = usleep (3);\n", "usleep"),
    ("hotpath", "an allocation", "lib/pkt/parse_ip.c", "void *p = rte_zmalloc(0, 1, 1);\n",
     "rte_zmalloc"),
    ("hotpath", "a log", "lib/nhg/x_inl.h", 'int x = snprintf(s, 1, "");\n', "snprintf"),
    ("hotpath", "an rte_atomic", "lib/flow/f.c", "rte_atomic32_t x;\n", "rte_atomic32_t"),
    ("hotpath", "a float", "lib/qos/q.c", "float x;\n", "float"),
    ("hotpath", "a number with a point", "lib/qos/q.c", "int x = 3 * 0.5;\n", "0.5"),
    ("hotpath", "a variable division", "lib/dp/stage_select.c", "int x = a / n_members;\n",
     "n_members"),
    ("hotpath", "a variable modulo", "lib/nhg/x_inl.h", "int x = a % (b + 1);\n", "(b + 1)"),
    ("hotpath", "a log behind the stages", "lib/dp/pipeline.c", 'int x = printf("");\n', "printf"),
    ("hotpath", "a log in a queue", "lib/dp/queue_put.c", 'int x = printf("");\n', "printf"),
    ("hotpath", "a lock in the fabric", "lib/dp/fabric_serve.c", "rte_rwlock_t lock;\n", "rte_rwlock_t"),
    ("hotpath", "an allocation in a lookup", "lib/fib/table4.c", "void *p = calloc(1, 1);\n", "calloc"),
    ("hotpath", "a lock in the burst", "lib/pkt/burst.c", "rte_rwlock_t lock;\n", "rte_rwlock_t"),
    ("hotpath", "a system call in a turn", "lib/dp/worker.c",
     "int\nworker_turn(void)\n{\n\treturn usleep(1);\n}\n", "usleep"),
    ("hotpath", "an allocation in a poll", "lib/port/mem.c",
     "int\nmem_rx(void)\n{\n\treturn malloc(1) != 0;\n}\n", "malloc"),
    ("hotpath", "a packet freed by a stage", "lib/dp/stage_rx.c", "int x = rte_pktmbuf_free(m);\n",
     "rte_pktmbuf_free"),
    ("headers", "a header that needs another", "lib/fib/plan.h", "uint32_t n_plans;\n",
     "does not compile alone"),
    ("headers", "a header without a guard", "lib/fib/plan.h", "enum plan { PLAN };\n",
     "does not compile alone"),
    ("format", "spaces for tabs", "lib/fib/plan.c", "int\nplan(void)\n{\n    return 1;\n}\n",
     "lib/fib/plan.c: "),
    ("format", "white space at an end", "lib/fib/plan.c", "int x; \n", "white space"),
    ("words", "a mark of unfinished work", "scripts/run", f"# {UNFINISHED}: more\n", UNFINISHED),
    ("words", "a phrase of unfinished work", "lib/fib/plan.c", "/* for n" "ow */\n", "for n" "ow"),
    ("words", "a path of one machine", "lib/fib/plan.c", f"/* {HOME} */\n", HOME[:6]),
    ("words", "a mirror", "scripts/run", "# http" "://ftp.debian.example/x\n", "debian"),
    ("words", "a folder outside the tree", "scripts/run", f"ls {ELSEWHERE}\n", ELSEWHERE[:9]),
    ("scripts", "a script that does not parse", "scripts/run", "if true\n", "scripts/run"),
    ("scripts", "what shellcheck warns of", "scripts/run", "rm -rf $1/\n", "SC2"),
    ("scripts", "python that does not compile", "scripts/tool.py", "def f(:\n", "scripts/tool.py"),
]


def head_of(path):
    if path.endswith((".c", ".h")):
        return C_HEAD
    if path == "scripts/run":
        return "#!/bin/bash\n" + PY_HEAD
    if path == "scripts/tool.py":
        return "#!/usr/bin/python3\n" + PY_HEAD
    return PY_HEAD


def write(root, path, text, executable=None):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as f:
        f.write(text)
    if executable is None:
        executable = text.startswith("#!")
    os.chmod(full, 0o755 if executable else 0o644)


def write_tree(root):
    for path, text in CLEAN.items():
        write(root, path, text)
    shutil.copy(os.path.join(HERE, "..", "..", ".clang-format"), root)


def run(check, root):
    done = subprocess.run([sys.executable, os.path.join(HERE, check + ".py"), "--root", root],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def found(check, path, text, expected):
    """What is wrong with how a check took a planted file: nothing is as it should be."""
    with tempfile.TemporaryDirectory() as root:
        write_tree(root)
        write(root, path, text)
        status, out = run(check, root)
    marks = [line for line in out.splitlines() if line.startswith("# ") and expected in line]
    if status == 1 and "not ok" in out and marks:
        return []
    return [f"status {status}, and no finding with '{expected}'"] + out.splitlines()[:20]


def counted(entries, options, expected, status):
    """The same for tests/support/tap_count.py and the log of a meson run."""
    with tempfile.TemporaryDirectory() as root:
        log = os.path.join(root, "log.json")
        with open(log, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(entry) + "\n" for entry in entries)
        done = subprocess.run(
            [sys.executable, os.path.join(SUPPORT, "tap_count.py"), *options, f"unit={log}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    last = done.stdout.splitlines()[-1]
    if last == expected and done.returncode == status:
        return []
    return [f"'{last}' with status {done.returncode}, not '{expected}' with {status}"]


def entry(stdout, code=0, result="OK"):
    return {"name": "t", "stdout": stdout, "result": result, "returncode": code, "duration": 1.0}


def adapted(said, report, status, expected):
    """The same for tests/support/criterion_tap.py and a program that takes Criterion's place."""
    with tempfile.TemporaryDirectory() as root:
        program = os.path.join(root, "program")
        write(root, "said", said)
        write(root, "report", report or "")
        copy = f'cp {root}/report "${{1#--tap=}}"' if report is not None else ":"
        write(root, "program", f"#!/bin/sh\necho ok 7 - a print\ncat {root}/said >&2\n"
                               f"{copy}\n{status}\n")
        done = subprocess.run(
            [sys.executable, os.path.join(SUPPORT, "criterion_tap.py"), program],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
            env=dict(os.environ, SOFTBAG_FORK_TIMEOUT="1"))
    lines = [line for line in done.stdout.splitlines() if not line.startswith(("#", "TAP"))]
    if lines == expected and done.returncode == any(line.startswith("not") for line in lines):
        return []
    return [f"status {done.returncode}"] + done.stdout.splitlines()


def check_criterion(report):
    good = "TAP version 13\n1..2\nok - s::a  (0.01s)\nok - s::b  (1.20s)\n"
    both = ["1..2", "ok 1 - s::a", "ok 2 - s::b"]
    cases = [
        ("passes on a report", "", good, "exit 0", both),
        ("sees a leak", "[----] Warning! The test `s::b` crashed during its setup or teardown.\n",
         good, "exit 1", ["1..2", "ok 1 - s::a", "not ok 2 - s::b"]),
        ("sees a sanitizer's word", "x.c:3:1: runtime error: shift\n", good, "exit 0",
         ["1..3"] + both[1:] + ["not ok 3 - program"]),
        ("sees a death", "", None, "kill -SEGV $$", ["1..1", "not ok 1 - program"]),
        ("sees a failure", "", good.replace("ok - s::b", "not ok - s::b"), "exit 1",
         ["1..2", "ok 1 - s::a", "not ok 2 - s::b"]),
        # The first start forks a copy of itself that waits for ever.
        ("starts again when a fork hangs", "", good,
         'here=${0%/*}; [ -e "$here/pipe" ] || { mkfifo "$here/pipe"; (read -r x <"$here/pipe"); }'
         "; exit 0", both),
        ("sees a program without tests", "", "TAP version 13\n1..0\n", "exit 0",
         ["1..1", "not ok 1 - program"]),
    ]
    for what, said, text, status, expected in cases:
        report.rule(f"the Criterion adapter {what}", adapted(said, text, status, expected))


def check_counting(report):
    good = entry("TAP version 13\n1..3\nok 1 - a\nok 2 - b\nok 3 - c # SKIP no root\n")
    cases = [
        ("passes and skips", [good], [], "2 passed, 0 failed, 1 skipped", 0),
        ("a skip where none is allowed", [good], ["--no-skip"], "2 passed, 1 failed, 0 skipped", 1),
        ("a failure", [good, entry("1..1\nnot ok 1 - d\n", 1, "FAIL")], [],
         "2 passed, 1 failed, 1 skipped", 1),
        ("a death before the plan", [good, entry("", -11, "ERROR")], [],
         "2 passed, 1 failed, 1 skipped", 1),
        ("a death in the middle", [entry("1..3\nok 1 - a\n", -6, "ERROR")], [],
         "1 passed, 1 failed, 0 skipped", 1),
        ("a time-out", [entry("1..2\nok 1 - a\n", -9, "TIMEOUT")], [],
         "1 passed, 1 failed, 0 skipped", 1),
        ("a status that no test explains", [entry("1..1\nok 1 - a\n", 3, "ERROR")], [],
         "1 passed, 1 failed, 0 skipped", 1),
        ("a program without tests", [entry("TAP version 13\n1..0\n")], [],
         "0 passed, 1 failed, 0 skipped", 1),
        ("silence", [entry("hello\n")], [], "0 passed, 1 failed, 0 skipped", 1),
        ("a whole file skipped", [good, entry("1..0 # SKIP no root\n")], [],
         "2 passed, 0 failed, 2 skipped", 0),
        ("nothing at all", [], [], "0 passed, 0 failed, 0 skipped", 1),
        ("a build that failed", [good], ["--failed", "the build"],
         "2 passed, 1 failed, 1 skipped", 1),
    ]
    for what, entries, options, expected, status in cases:
        report.rule(f"the count sees {what}", counted(entries, options, expected, status))


def main():
    arguments(__doc__)
    report = Report("selftest")
    tools = {"format": "clang-format-14", "scripts": "shellcheck"}

    with tempfile.TemporaryDirectory() as root:
        write_tree(root)
        for check in sorted({row[0] for row in PLANTED} | {"spdx"}):
            status, out = run(check, root)
            what = f"{check} passes a clean tree"
            if shutil.which(tools.get(check, "sh")):
                report.rule(what, [] if status == 0 else out.splitlines()[:20])
            else:
                report.skip(what, f"{tools[check]} is not installed")

    for check, what, path, text, expected in PLANTED:
        if shutil.which(tools.get(check, "sh")):
            report.rule(f"{check} finds {what}",
                        found(check, path, head_of(path) + text, expected))
        else:
            report.skip(f"{check} finds {what}", f"{tools[check]} is not installed")

    report.rule("spdx finds a source without a licence",
                found("spdx", "lib/fib/plan.c", "int x;\n", "no SPDX"))
    report.rule("spdx finds a script without a licence",
                found("spdx", "scripts/run", "#!/bin/bash\n", "no SPDX"))
    report.rule("spdx finds another licence",
                found("spdx", "lib/fib/plan.c", "/* SPDX-License-Identifier: MIT */\n", "MIT"))
    with tempfile.TemporaryDirectory() as root:
        write_tree(root)
        write(root, "scripts/tool.py", CLEAN["scripts/tool.py"], executable=False)
        status, out = run("scripts", root)
        report.rule("scripts finds one that cannot be run",
                    [] if status == 1 and "# scripts/tool.py" in out else out.splitlines())
    check_criterion(report)
    check_counting(report)
    report.finish()


if __name__ == "__main__":
    main()
