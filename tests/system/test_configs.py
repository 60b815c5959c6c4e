#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Configurations that are shipped are right; wrong ones are told apart, and --check starts nothing."""

import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import replay, running, tap  # noqa: E402
from support.running import REPLAY, ROOT, SOFTBAG  # noqa: E402

# Nodes; a topology is no node, and README.md and docs/replay.md have the commands that run them.
TOPOLOGIES = ("topology.yaml", "dsf.yaml", "hyper.yaml")
FILES = sorted(
    os.path.relpath(path, ROOT)
    for path in glob.glob(os.path.join(ROOT, "config", "**", "*.yaml"), recursive=True)
    if os.path.basename(path) not in TOPOLOGIES
)
QUICKSTART = "config/quickstart.yaml"
SHIPPED = ("dsf-bag", "dsf-edge", "dsf-spine", "lab-netns", "lab-nics", "longhaul", "planar", "policies", "spread")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def write(where, text, name="node.yaml"):
    path = os.path.join(where, name)
    with open(path, "wb") as out:
        out.write(text if isinstance(text, bytes) else text.encode())
    return path


def changed(old, new):
    """The quickstart's configuration with one thing in it another."""
    text = read(QUICKSTART)
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


@tap.test
def there_are_configurations():
    assert {QUICKSTART, *(f"config/{name}.yaml" for name in SHIPPED)} <= set(FILES), FILES


def right_test(path):
    def one():
        done = running.run([SOFTBAG, "-c", path, "--check"], status=0)
        assert done.err == "", done.err
        assert re.fullmatch(rf"{re.escape(path)}: ok: node \S+, .* needs \d+ of \d+ MB\n", done.out)

    one.__name__ = f"{path} is right and gives no warning"
    tap.test(one)


for file in FILES:
    right_test(file)


@tap.test
def explained_they_say_every_figure_and_then_the_same():
    for path in FILES:
        plain = running.run([SOFTBAG, "-c", path, "--check"], status=0)
        done = running.run([SOFTBAG, "-c", path, "--check", "--explain"], status=0)
        assert done.err == "" and done.out.endswith("\n\n" + plain.out), done
        assert running.run([SOFTBAG, "-c", path, "--explain"], status=0).out == done.out
        needed = re.search(r"^memory: ([\d.]+) MB needed, ", done.out, re.M).group(1)
        assert f"needs {int(float(needed)) + 1} of " in plain.out, (needed, plain.out)
        names = re.findall(r"^ *- \{?name: (\w+), device|^  - name: (\w+)\n    device", read(path), re.M)
        for port in re.findall(r"^port (\w+): ", done.out, re.M):
            assert port in {a or b for a, b in names}, port
    long = running.run([SOFTBAG, "-c", "config/longhaul.yaml", "--explain"], status=0).out
    # 110 km there and back at 10 Gbit/s, and a half of that on the delay line in frames of 3150 bytes
    assert re.search(r"^port lh1: longhaul, 10Gbit/s .*, 110km, mtu 4200\n(.*\n)*?  BDP +1.375 MB ", long, re.M)
    assert re.search(r"^      lh1 delay line +475  687.5 KB / 3150 B \+ 256 of a turn$", long, re.M), long


@tap.test
def what_does_not_fit_is_explained_before_it_is_refused():
    where = running.folder(tap)
    text = read("config/longhaul.yaml")
    path = write(where, text.replace("memory: 512MB", "memory: 256MB"))
    done = running.run([SOFTBAG, "-c", path, "--explain"], status=2)
    assert "memory: 322." in done.out and ": ok:" not in done.out, done.out
    assert re.search(r"25200 of them for class queues, 890 for delay lines", done.err), done.err
    path = write(where, text.replace("memory: 512MB", "memory: 512MB\n  mbufs: 8192"))
    err = refused(path, "--check")
    assert "runtime.mbufs is 8192; set mbufs: " in err, err
    cure = re.search(r"set mbufs: (\d+) or more", err).group(1)
    path = write(where, text.replace("memory: 512MB", f"memory: 512MB\n  mbufs: {cure}"))
    running.run([SOFTBAG, "-c", path, "--check"], status=0)
    path = write(where, changed("idle: adaptive", "idel: adaptive"))
    assert "memory:" not in running.run([SOFTBAG, "-c", path, "--explain"], status=2).out


@tap.test
def all_together_they_are_right_too():
    words = [word for path in FILES for word in ("-c", path)]
    done = running.run([SOFTBAG, *words, "--check"], status=0)
    assert done.err == "" and done.out.count(": ok: ") == len(FILES), done


@tap.test
def each_names_its_licence_and_is_yaml_to_others():
    import yaml

    for path in FILES:
        text = read(path)
        assert text.startswith("# SPDX-License-Identifier: BSD-3-Clause\n"), path
        assert yaml.safe_load(text)["version"] == 1, path


@tap.test
def two_with_the_same_seed_are_warned_of():
    where = running.folder(tap)
    twin = write(where, changed("name: bag-quickstart", "name: twin"), "twin.yaml")
    words = [SOFTBAG, "-c", QUICKSTART, "-c", twin, "--check"]
    done = running.run(words, status=0)
    warnings = done.err.splitlines()
    assert len(warnings) == 1 and warnings[0].startswith("softbag: warning: hash.seed: "), done.err
    assert "bag-quickstart" in warnings[0] and "twin" in warnings[0], done.err
    other = changed("name: bag-quickstart", "name: twin").replace("id: 1\n", "id: 9\n")
    words[4] = write(where, other, "other.yaml")
    assert running.run(words, status=0).err == ""


@tap.test
def what_would_surprise_is_warned_of_with_its_place():
    where = running.folder(tap)
    for old, new, said in (
        (', mac: "02:00:00:00:09:01"', "", "without it the member's packets drop"),
        (" group: to-nsf}\n    - {prefix: \"2001:db8:2", " group: to-west}\n    - {prefix: \"2001:db8:2",
         None),
    ):
        text = changed(old, new)
        if said is None:
            text = text.replace("2001:db8:1::/48\", group: to-nsf", "2001:db8:1::/48\", group: to-west")
            said = "groups.to-nsf: got no route to it"
        path = write(where, text)
        done = running.run([SOFTBAG, "-c", path, "--check"], status=0)
        assert re.match(rf"{re.escape(path)}:\d+:\d+: warning: ", done.err), done.err
        assert said in done.err, done.err


# (what is in the file, what is put there, a part of the line that is at fault, what is said)
WRONG = (
    ("idle: adaptive", "idel: adaptive", "idel:", "idle"),
    ("mtu: 4200", "mtu: big", "mtu: big", "big"),
    ("memory: 512MB", "memory: 512", "memory: 512\n", "512"),
    ("pace: 20kpps", "pace: 20", "pace: 20\n", "20"),
    ("weight: 3", "weight: 70000", "weight: 70000", "70000"),
    ("{port: lh0,", "{port: lh9,", "{port: lh9,", "lh9"),
    ("10.2.0.0/16, group: to-west", "10.2.0.0/16, group: to-east", "group: to-east", "to-east"),
    ("prefix: 10.2.0.0/16", "prefix: 10.2.0.1/16", "10.2.0.1/16", "10.2.0.1/16"),
    ('mac: "02:00:00:00:00:01"', 'mac: "03:00:00:00:00:01"', "03:00:00", "unicast"),
    ("role: longhaul", "role: longhual", "longhual", "longhaul"),
    ("  id: 1\n", "  id: 1\n  id: 1\n", None, "duplicate"),
    ("version: 1", "version: 2", "version: 2", "2"),
)


def refused(path, *words, program=SOFTBAG, cwd=ROOT):
    done = running.run([program, "-c", path, *words], cwd=cwd, status=2)
    assert "ok: node" not in done.out, done.out
    assert not running.runtime_left(done.pid)
    return done.err


def places(path, err):
    return [int(n) for n in re.findall(rf"^{re.escape(path)}:(\d+):\d+: ", err, re.MULTILINE)]


@tap.test
def one_error_is_told_with_line_and_column():
    where = running.folder(tap)
    for old, new, part, said in WRONG:
        text = changed(old, new)
        path = write(where, text)
        err = refused(path, "--check")
        want = line_of(text, part) if part else line_of(text, "  id: 1") + 1
        assert want in places(path, err), f"{new}: want line {want}:\n{err}"
        assert said in err, f"{new}: no {said!r} in:\n{err}"


@tap.test
def all_errors_are_told_in_one_run():
    where = running.folder(tap)
    text, want = read(QUICKSTART), set()
    several = [w for w in WRONG if w[2] and not w[0].startswith(("version", "role"))]
    for old, new, _, _ in several:
        text = text.replace(old, new, 1)
    want = {line_of(text, part) for _, _, part, _ in several}
    path = write(where, text)
    for words in (["--check"], []):
        missing = want - set(places(path, refused(path, *words)))
        assert not missing, f"lines {missing} are not told"


@tap.test
def a_wrong_file_is_refused_by_every_program():
    where = running.folder(tap)
    path = write(where, changed("idle: adaptive", "idel: adaptive"))
    capture = replay.data("sample.pcap")
    said = {
        refused(path, "--check"),
        refused(path),
        refused(path, "-i"),
        refused(path, "--in", f"nsf0={capture}", program=REPLAY),
    }
    assert len(said) == 1 and places(path, said.pop()), said


@tap.test
def the_right_ones_among_wrong_ones_are_told_too():
    where = running.folder(tap)
    path = write(where, changed("idle: adaptive", "idel: adaptive"))
    done = running.run([SOFTBAG, "-c", path, "-c", QUICKSTART, "--check"], status=2)
    assert places(path, done.err) and f"{QUICKSTART}: ok: " in done.out, done


@tap.test
def what_is_no_configuration_is_refused():
    where = running.folder(tap)
    for name, content in {
        "empty": b"",
        "blank": b"\n\n# nothing\n",
        "binary": bytes(range(256)) * 16,
        "brackets": b"[" * 4096,
        "list": b"- version: 1\n",
        "text": b"version\n",
        "cut": read(QUICKSTART).encode()[:1200],
        "utf16": read(QUICKSTART).encode("utf-16"),
    }.items():
        path = write(where, content, name + ".yaml")
        err = refused(path, "--check")
        assert err.startswith(path) and "anitizer" not in err, f"{name}: {err}"
    os.mkdir(os.path.join(where, "folder.yaml"))
    for name in ("folder.yaml", "nowhere.yaml"):
        assert name in refused(os.path.join(where, name), "--check")


@tap.test
def wrong_command_lines_end_with_2():
    for words in (
        [],
        ["--check"],
        ["-c"],
        ["-c", QUICKSTART, "more"],
        ["-c", QUICKSTART, "-c", QUICKSTART],
        ["-c", QUICKSTART, "--nonsense"],
        ["-c", QUICKSTART, "--seconds", "0"],
        ["-c", QUICKSTART, "--seconds", "1s"],
        ["-c", QUICKSTART, "--seconds", "-1"],
        ["-c", QUICKSTART, "--seconds", "99999999999999999999"],
    ):
        done = running.run([SOFTBAG, *words], status=2)
        assert done.err and not done.out, (words, done)


@tap.test
def more_ports_than_dpdk_has_are_told_beforehand():
    where = running.folder(tap)
    ports = "".join(f"  - {{name: p{i}, device: net_null{i}, role: nsf}}\n" for i in range(33))
    path = write(where, "version: 1\nnode: {name: n, id: 1}\nports:\n" + ports)
    done = running.run([SOFTBAG, "-c", path, "--check"])
    assert done.status == 2 and "33 ports" in done.err and "32" in done.err, done


@tap.test
def weights_that_buckets_cannot_show_are_warned_of():
    where = running.folder(tap)
    text = read(QUICKSTART).replace("weight: 3", "weight: 65535")
    done = running.run([SOFTBAG, "-c", write(where, text), "--check"])
    assert done.status == 0 and "buckets" in done.err, done


@tap.test
def check_starts_and_writes_nothing():
    """Not even where a start could not write: the folder for the captures is not there."""
    where = running.folder(tap)
    for path in FILES:
        shutil.copy(os.path.join(ROOT, path), os.path.join(where, os.path.basename(path)))
    before = sorted(os.listdir(where))
    for path in before:
        done = running.run([SOFTBAG, "-c", path, "--check"], cwd=where, status=0)
        assert not running.runtime_left(done.pid), running.runtime_left(done.pid)
    assert sorted(os.listdir(where)) == before


@tap.test
def check_needs_no_rights():
    tap.require("setpriv", root=True)
    where = running.folder(tap)
    program = shutil.copy(SOFTBAG, where)
    for path in FILES:
        copy = shutil.copy(os.path.join(ROOT, path), where)
        words = ["setpriv", f"--reuid={running.NOBODY}", "--clear-groups", program]
        done = running.run([*words, "-c", copy, "--check"], cwd="/", status=0)
        assert done.err == "", done.err


if __name__ == "__main__":
    tap.run()
