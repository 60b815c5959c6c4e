#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What runs for each packet has no lock, system call, allocation, log, float, variable division."""

import re

from common import Report, arguments, files, functions, read, strip_c

# The life cycle of a table runs on the control thread, though it stands in the same folder.
LIFE_CYCLE = re.compile(r"_(create|free|init|fini)$")


def _call(names):
    """A call of one of `names`; a member of that name (port->read()) is none."""
    return re.compile(r"(?<![\w.>])(?:" + names + r")\s*\(")


RULES = [
    ("locks", re.compile(
        r"\b(?:pthread_\w+|mtx_\w+|sem_(?:wait|post|trywait|timedwait)"
        r"|rte_(?:spinlock|rwlock|ticketlock|mcslock|pflock)\w*)\b")),
    ("system calls", _call(
        r"nanosleep|clock_nanosleep|usleep|sleep|read|write|readv|writev|pread|pwrite|ioctl|open"
        r"|openat|close|poll|ppoll|select|epoll_\w+|recv\w*|send|sendto|sendmsg|sendmmsg|socket"
        r"|clock_gettime|gettimeofday|time|mmap|munmap|madvise|futex|syscall|sched_yield|getpid"
        r"|rte_delay_\w+")),
    ("allocation", _call(
        r"malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|aligned_alloc"
        r"|posix_memalign|alloca"
        r"|rte_(?:malloc|zmalloc|calloc|realloc|free)\w*|rte_mem(?:pool|zone)_(?:create|free"
        r"|reserve)\w*|rte_ring_(?:create|free)|rte_pktmbuf_pool_create\w*")),
    ("logs", re.compile(
        r"\b(?:v?(?:s|sn|f|d|as)?printf|puts|fputs|putchar|fputc|perror|fwrite|fflush|v?syslog"
        r"|RTE_LOG\w*|RTE_DP_LOG|rte_v?log\w*|rte_(?:panic|exit)|rte_hexdump|rte_pktmbuf_dump)"
        r"\s*\(")),
    ("rte_atomic", re.compile(r"\brte_atomic(?!_thread_fence)\w*")),
    ("floating point", re.compile(
        r"\b(?:float|double|long\s+double)\b|(?<![\w.])(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?[fFlL]?"
        r"|(?<![\w.])\d+[eE][-+]?\d+")),
]

_CONSTANT = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b|[A-Z][A-Z0-9_]*\b|sizeof\b")
_CONSTANT_GROUP = re.compile(
    r"\((?:\s|[-+*<>|&()]|(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b|[A-Z][A-Z0-9_]*\b|sizeof\b"
    r"|u?int\d+_t\b|unsigned\b|size_t\b)*")


# Of files that the control thread shares with the workers: the workers' functions. A worker that
# sleeps does so in worker_main(), between its turns.
PARTLY = {
    "lib/dp/worker.c": r"worker_turn|worker_rests|is_waiting",
    "lib/port/eth.c": r"eth_[rt]x",
    "lib/port/mem.c": r"mem_[rt]x",
}


def in_scope(path):
    folder, _, name = path[len("lib/"):].rpartition("/")
    top = folder.split("/")[0]
    return (top in ("wire", "pkt", "cell", "hyper", "qos", "flow")
            or (top == "dp" and name not in ("reclaim.c", "reclaim.h"))
            or (top == "fib" and name.startswith("table"))
            or path in PARTLY
            or (top != "base" and name.endswith("_inl.h")))


def group_at(text, start):
    """The text of the balanced parentheses that open at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return text[start:i + 1]
    return text[start:]


def divisions(text):
    """Offsets of each / and % whose right side is not a constant."""
    for match in re.finditer(r"[/%]=?\s*", text):
        rest = text[match.end():match.end() + 200]
        if _CONSTANT.match(rest):
            continue
        if rest.startswith("("):
            group = group_at(text, match.end())
            if _CONSTANT_GROUP.fullmatch(group):
                continue
        yield match.start()


def findings_in(path, text):
    text = strip_c(text)
    text = re.sub(r"^[ \t]*#[ \t]*(?:include|error|warning|pragma)\b[^\n]*", "", text,
                  flags=re.MULTILINE)
    found = functions(text)
    exempt = [(first, last) for name, first, last in found if LIFE_CYCLE.search(name)]
    only = [(first, last) for name, first, last in found
            if re.fullmatch(PARTLY.get(path, ".*"), name)]

    def line_of(offset):
        line = text.count("\n", 0, offset) + 1
        if any(a <= line <= b for a, b in exempt):
            return None
        return line if path not in PARTLY or any(a <= line <= b for a, b in only) else None

    for rule, pattern in RULES:
        for match in pattern.finditer(text):
            line = line_of(match.start())
            if line:
                yield rule, f"{path}:{line}: {match.group(0).rstrip('( ')}"
    for offset in divisions(text):
        line = line_of(offset)
        if line:
            yield "variable division", f"{path}:{line}: {text.splitlines()[line - 1].strip()}"
    if path.startswith("lib/dp/stage_") and not path.endswith("/stage_drop.c"):
        for match in re.finditer(r"\brte_pktmbuf_free\w*|\brte_mbuf_raw_free\b", text):
            yield "freed packets", f"{path}:{line_of(match.start())}: {match.group(0)}"


def main():
    args = arguments(__doc__)
    report = Report("hotpath")
    sources = [f for f in files(args.root, ["lib"], [".c", ".h"]) if in_scope(f)]
    found = {name: [] for name, _ in RULES}
    found["variable division"] = []
    found["freed packets"] = []
    for path in sources:
        for rule, finding in findings_in(path, read(args.root, path)):
            found[rule].append(finding)
    for rule, findings in found.items():
        report.rule(f"no {rule} on the packet's way", findings)
    report.finish()


if __name__ == "__main__":
    main()
