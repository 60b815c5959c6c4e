# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs as a user does, and says what they left: for the tests of starting and stopping."""

import atexit
import collections
import contextlib
import fcntl
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import termios
import threading
import time

from . import replay

ROOT = replay.ROOT
SOFTBAG = replay.SOFTBAG
REPLAY = replay.PROGRAM
RUNTIME = "/var/run/dpdk"
PAGES = "/sys/kernel/mm/hugepages/hugepages-2048kB"
NOBODY = 65534

SUM = re.compile(
    r"\bin ([\d,]+)(?: \+ duplicated ([\d,]+))?(?: \+ made here ([\d,]+))?"
    r" = out ([\d,]+) \+ punted ([\d,]+) \+ dropped ([\d,]+)(?: \+ ended here ([\d,]+))?$",
    re.M,
)

Done = collections.namedtuple("Done", "status out err pid")


def folder(tap, prefix="softbag-start-"):
    """A folder that everybody may read; gone when the test ends."""
    made = tempfile.TemporaryDirectory(prefix=prefix)
    tap.defer(made.cleanup)
    os.chmod(made.name, 0o755)
    return made.name


def clean_environment():
    """What a user's shell would have, and not what meson tells tests."""
    return {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("SOFTBAG_", "SB_", "MESON_", "PYTHON")) and k != "CI"
    }


def spawn(words, cwd=ROOT, **options):
    """In a session of its own, with default signals, whatever started us did with ours."""

    def default_signals():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)

    options = {
        "stdin": subprocess.DEVNULL,
        "env": clean_environment(),
        "text": True,
        "start_new_session": True,
        "preexec_fn": default_signals,
    } | options
    return subprocess.Popen(words, cwd=cwd, **options)


class Terminal:
    """
    A terminal of its own for a program: what is typed comes from it and `on`, some of "stdin",
    "stdout" and "stderr", are on it; other streams are pipes.
    """

    def __init__(self, tap, words, on=("stdin", "stdout", "stderr"), **options):
        self._master, self._slave = pty.openpty()
        self.before = self.mode()
        self._screen = bytearray()
        streams = {s: subprocess.PIPE for s in ("stdout", "stderr")}
        streams |= {s: self._slave for s in on}

        def take_terminal():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)
            fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)

        self.process = spawn(words, **streams, preexec_fn=take_terminal, **options)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        tap.defer(self._close)
        tap.defer(end_session, self.process)

    def _read(self):
        with contextlib.suppress(OSError):
            while data := os.read(self._master, 65536):
                self._screen += data

    def _close(self):
        os.close(self._slave)  # the last one: the reader gets its end
        self._reader.join(10)
        os.close(self._master)

    def screen(self):
        return re.sub(r"\r+\n", "\n", self._screen.decode(errors="replace"))

    def wait_for(self, text):
        wait_for(lambda: text in self.screen(), what=repr(text))

    def type(self, keys):
        os.write(self._master, keys)

    def mode(self):
        """What a program may change and must give back."""
        return termios.tcgetattr(self._slave)[:4]

    def wait(self, timeout=60):
        """Until the program has ended: its Done, whose `out` is the screen and what else it said."""
        out, err = self.process.communicate(timeout=timeout)
        time.sleep(0.1)  # the reader takes what is left
        return Done(self.process.returncode, self.screen() + (out or ""), err or "", self.process.pid)


def end_session(process):
    """Ends what is left of a spawned session, without asking."""
    for pid in session(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def run(words, cwd=ROOT, timeout=120, status=None, text="", **options):
    """`text` goes in on standard input. Raises AssertionError when the status is not `status`."""
    process = spawn(
        words, cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )
    try:
        out, err = process.communicate(text, timeout=timeout)
    except subprocess.TimeoutExpired:
        end_session(process)
        out, err = process.communicate()
        raise AssertionError(
            f"{shlex.join(words)}: did not end in {timeout} s\n{out[-3000:]}\n{err[-3000:]}"
        ) from None
    except BaseException:
        end_session(process)
        raise
    done = Done(process.returncode, out, err, process.pid)
    if status is not None and done.status != status:
        raise AssertionError(
            f"{shlex.join(words)}: status {done.status}, want {status}\n"
            f"{out[-3000:]}\n{err[-3000:]}"
        )
    return done


def session(sid):
    """Processes of a session."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == sid and fields[0] not in "ZX":
            found.append(int(name))
    return found


def wait_for(ready, seconds=60, what="it"):
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, f"{what} did not come in {seconds} s"
        time.sleep(0.05)


def totals(text):
    """(in, out, punted, dropped) of the sum that a node ends with; with the rest it adds up."""
    found = SUM.search(text)
    assert found, f"no sum in:\n{text[-3000:]}"
    came, copies, made, out, punted, dropped, ended = (
        int((n or "0").replace(",", "")) for n in found.groups()
    )
    assert came + copies + made == out + punted + dropped + ended, found.group(0)
    return came, out, punted, dropped


def errors(text):
    return re.findall(r"^softbag: error: (.*)$", text, re.MULTILINE)


def pages():
    """How many hugepages of 2 MB there are, and how many of them are free."""
    numbers = []
    for name in ("nr_hugepages", "free_hugepages"):
        with open(os.path.join(PAGES, name), encoding="ascii") as f:
            numbers.append(int(f.read()))
    return tuple(numbers)


def set_pages(number):
    with open(os.path.join(PAGES, "nr_hugepages"), "w", encoding="ascii") as f:
        f.write(str(number))


def take_pages(tap, wanted):
    """`wanted` free hugepages for the running test, which are given back."""
    tap.require(root=True)
    if not os.path.exists(PAGES):
        raise tap.Skip("the kernel has no hugepages of 2 MB")
    before, free = pages()
    if free < wanted:
        tap.defer(set_pages, before)
        set_pages(before + wanted - free)
        if pages()[1] < wanted:
            raise tap.Skip(f"{wanted} hugepages of 2 MB cannot be had")


# Done in a mount namespace of the program's own, so nothing is left to undo: it sees a machine that has
# no hugepages to give.
NO_PAGES = """
for folder in /sys/kernel/mm/hugepages /sys/devices/system/node/node*/hugepages; do
    sizes=$(cd "$folder" && ls)
    mount -t tmpfs none "$folder"
    for size in $sizes; do
        mkdir "$folder/$size"
        for file in nr free resv surplus; do
            echo 0 >"$folder/$size/${file}_hugepages"
        done
        echo 0 >"$folder/$size/nr_overcommit_hugepages"
    done
    chmod 444 "$folder"/*/*
done
"""


def within(preparation, words, user=None):
    """The command that runs `words` in a mount namespace that `preparation`, shell, made ready."""
    if user is not None:
        words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]
    script = f"set -e\n{preparation}\nexec {shlex.join(words)}"
    return ["unshare", "--mount", "--propagation", "private", "bash", "-c", script]


def runtime_left(pid, place=RUNTIME):
    """What DPDK left in its runtime folder of a process that has ended."""
    path = os.path.join(place, f"softbag-{pid}")
    return [path] if os.path.exists(path) else []


def workplace(tap):
    """A folder in which paths of the tree are right and what is written is thrown away."""
    made = folder(tap)
    for name in ("tests", "config", "docs"):
        os.symlink(os.path.join(ROOT, name), os.path.join(made, name))
    os.makedirs(os.path.join(made, "build", "quickstart"))
    return made


def copy_tree(tap_or_none, name, build=False):
    """
    The sources alone, as from a fresh clone; with `build` and its build folder, but for the tests'
    parts. Gone when the test ends, or the program without one.
    """
    made = tempfile.mkdtemp(prefix="softbag-copy-")
    if tap_or_none:
        tap_or_none.defer(shutil.rmtree, made, ignore_errors=True)
    else:
        atexit.register(shutil.rmtree, made, ignore_errors=True)
    os.chmod(made, 0o755)
    copy = os.path.join(made, name)

    def unwanted(where, names):
        inside = os.path.relpath(where, ROOT)
        skip = {n for n in names if n in (".git", "__pycache__")}
        if inside == ".":
            skip |= {n for n in names if n.startswith("build") and not (build and n == "build")}
        if inside == "build":
            skip |= {n for n in names if n in ("tests", "bench", "quickstart", "meson-logs")}
        return skip

    shutil.copytree(ROOT, copy, ignore=unwanted, symlinks=True)
    return copy
