#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What README.md and docs/ tell a reader to type works, and what they point to is there."""

import functools
import glob
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import running, tap  # noqa: E402
from support.running import REPLAY, ROOT, SOFTBAG  # noqa: E402

# They test or install, so a test does not run them; their options are held to their --help.
NOT_RUN = ("scripts/test", "scripts/setup", "scripts/bench", "scripts/fuzz")
# What runs the programs of build/.
NEED_BUILD = ("build/", "scripts/balance-report", "scripts/workload", "scripts/plot")
SUITES = {"lint", "unit", "pipe", "fuzz", "system"}
REFUSED = ("Command not found", "Bad arguments", "Ambiguous command", "There is no command")
# A path of this tree in backquotes, and not a pattern or a place to fill in.
TREE_PATH = re.compile(r"`((?:lib|app|scripts|tests|config|docs|drivers)/[\w./-]*)`")
CONSOLE = re.compile(r"`((?:show|clear)(?: [a-z<>*|-]+)*|help|quit|exit)`")


def pages():
    return ["README.md"] + sorted(
        os.path.relpath(path, ROOT)
        for path in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)
    )


@functools.lru_cache(None)
def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        return f.read()


def fences(page):
    """Of each ```sh block: its command lines, joined where they go on, without comments."""
    for block in re.findall(r"^```sh\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL):
        lines = block.replace("\\\n", " ").split("\n")
        lines = [re.sub(r"(^|\s+)#.*", "", line).strip() for line in lines]
        yield [" ".join(line.split()) for line in lines if line]


def commands():
    return [(page, line) for page in pages() for block in fences(page) for line in block]


@functools.lru_cache(None)
def checkout():
    """
    A fresh copy of the tree for all commands, its name in two words: what they build and write is
    not ours. The first of README.md builds in it.
    """
    return running.copy_tree(None, "a checkout")


@functools.lru_cache(None)
def help_of(program):
    done = running.run([program, "--help"], status=0)
    return done.out


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


def check_options(words):
    """The options of a script that is not run are ones that it has."""
    unknown = options_of(" ".join(words[1:])) - options_of(help_of(os.path.join(ROOT, words[0])))
    assert not unknown, f"{words[0]} has no {unknown}"
    for option, value in zip(words, words[1:]):
        assert option != "--suite" or value in SUITES, value


def run_command(line):
    words = shlex.split(line)
    if words[0] in NOT_RUN:
        check_options(words)
        return
    if words[:2] == ["meson", "test"]:
        unknown = {v for o, v in zip(words, words[1:]) if o == "--suite"} - SUITES
        assert not unknown, f"there is no suite {unknown}"
        return
    if words == ["scripts/quickstart"]:
        line += " --seconds 2"
    done = running.run(["bash", "-c", line], cwd=checkout(), timeout=800)
    assert done.status == 0, f"{line}: status {done.status}\n{done.out[-2000:]}\n{done.err[-2000:]}"


def command_test(page, line):
    def one():
        if line.startswith(NEED_BUILD) and not os.path.exists(os.path.join(checkout(), "build")):
            run_command("scripts/quickstart")  # this test was chosen alone
        run_command(line)

    one.__name__ = f"{page} says: {line}"
    tap.test(one, timeout=850)


for where, what in commands():
    command_test(where, what)


@tap.test
def the_readme_names_two_commands_and_they_are_there():
    first = [line.split() for line in next(fences("README.md"))]
    assert first == [["scripts/quickstart"], ["scripts/test"]], first
    for name in ("scripts/quickstart", "scripts/test", "scripts/setup"):
        assert os.access(os.path.join(ROOT, name), os.X_OK), name


@tap.test
def setup_lists_what_it_would_install_and_why():
    for options in ([], ["--run"], ["--bench"]):
        done = running.run(["scripts/setup", *options, "--list"], status=0)
        rows = [line.split(None, 1) for line in done.out.splitlines()]
        assert len(rows) > 5 and all(len(row) == 2 for row in rows), done.out
        assert "libdpdk-dev" in {row[0] for row in rows}, done.out


def is_as_scripts_test_builds():
    """Whether build/ is configured as scripts/test would, so that it changes nothing there."""
    import json

    path = os.path.join(ROOT, "build", "meson-info", "intro-buildoptions.json")
    if running.replay.BUILD != os.path.join(ROOT, "build") or not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as f:
        now = {o["name"]: o["value"] for o in json.load(f)}
    want = {"buildtype": "release", "debug": True, "tests": True, "werror": True}
    return all(now.get(k) == v for k, v in want.items())


@tap.test(timeout=600)
def test_lists_tests_of_every_suite():
    if not is_as_scripts_test_builds():
        raise tap.Skip("build/ is not as scripts/test makes it")
    done = running.run(["scripts/test", "--list"], timeout=590, status=0)
    for suite in SUITES:
        assert re.search(rf"^softbag:{suite} / \w", done.out, re.MULTILINE), (suite, done.out)


@tap.test
def scripts_refuse_what_they_do_not_know():
    for name in ("test", "setup", "bench", "quickstart"):
        done = running.run([f"scripts/{name}", "--nonsense"])
        assert done.status in (1, 2) and "--nonsense" in done.err, (name, done)
    done = running.run(["scripts/test", "--suite", "nonsense"], status=2)
    assert "nonsense" in done.err, done.err


def slugs(page):
    """What a heading is called in a link to it."""
    return {
        re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", read(page), re.MULTILINE)
    }


@tap.test
def links_lead_somewhere():
    wrong = []
    for page in pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(ROOT, there)):
                wrong.append(f"{page}: {target}")
            elif anchor and anchor not in slugs(there):
                wrong.append(f"{page}: {target}: no such heading")
    assert not wrong, "\n".join(wrong)


@tap.test
def files_that_are_named_exist():
    wrong = [
        f"{page}: {path}"
        for page in pages()
        for path in TREE_PATH.findall(read(page))
        if not os.path.exists(os.path.join(ROOT, path))
    ]
    assert not wrong, "\n".join(wrong)


@tap.test
def the_reference_of_keys_is_what_softbag_prints():
    block = re.search(
        r"<!-- reference:begin -->\n\n?(.*?)\n?<!-- reference:end -->",
        read("docs/config.md"),
        re.DOTALL,
    )
    assert block, "docs/config.md has no reference"
    want = running.run([SOFTBAG, "--reference"], status=0).out
    assert block.group(1).strip() == want.strip(), "docs/config.md is not softbag --reference"


@tap.test
def the_table_of_replays_options_is_complete():
    rows = re.findall(r"^\| `(-[^`]*)` \|", read("docs/replay.md"), re.MULTILINE)
    told = options_of(" ".join(rows))
    has = options_of(help_of(REPLAY)) - {"--config", "--help", "--version", "--verbose"}
    assert told == has, f"told and not there: {told - has}; not told: {has - told}"


@tap.test
def commands_of_indented_blocks_have_their_options():
    for page in pages():
        for line in re.findall(r"^ {4}(scripts/\S+(?: .*)?)$", read(page), re.MULTILINE):
            words = line.partition("#")[0].split()
            if words[0] in NOT_RUN:
                check_options(words)


def console_commands():
    """Those that help lists."""
    where = running.workplace(tap)
    done = running.run(
        [SOFTBAG, "-c", "config/quickstart.yaml", "-i"], cwd=where, text="help\nquit\n", status=0
    )
    table = done.out.partition("what it does")[2].partition("softbag> ")[0]
    found = [re.split(r"  +", line)[0] for line in table.splitlines()[1:] if line.strip()]
    assert {"help", "quit", "show port"} <= set(found), done.out
    return found


@tap.test
def every_console_command_answers():
    listed = [c for c in console_commands() if c not in ("quit", "exit")]
    filled = {"<name>": "to-west", "<port>": "lh0", "<n>": "3", "<order>": "gaps", "<seconds>": "60"}
    typed = [" ".join(filled.get(word, word) for word in c.split()) for c in listed]
    assert not [c for c in typed if "<" in c], f"what is to be filled in? {typed}"
    where = running.workplace(tap)
    text = "".join(c + "\n" for c in [*typed, "quit"])
    done = running.run(
        [SOFTBAG, "-c", "config/quickstart.yaml", "-i"], cwd=where, text=text, status=0
    )
    answers = dict(a.partition("\n")[::2] for a in done.out.split("softbag> ") if a.strip())
    for command in typed:
        answer = answers.get(command, "").strip()
        assert answer, f"{command}: no answer in:\n{done.out}"
        assert not any(word in answer for word in REFUSED), f"{command}: {answer}"
    running.totals(done.out)


@tap.test
def what_no_command_is_gets_told():
    where = running.workplace(tap)
    done = running.run(
        [SOFTBAG, "-c", "config/quickstart.yaml", "-i"],
        cwd=where,
        text="nonsense\nshow nonsense\n show  ports\nsho drops\nexti\nshow\n\nshow group nonsense\n"
        "show queue nonsense\nshow ecn nonsense\nshow pfc nonsense\n"
        "show qp top nonsense\nshow qp top 0\nshow qp top 3 by nonsense\n"
        "exit\nshow hash\n",
        status=0,
    )
    said = re.findall(r"There is no command (.*); (.*)\.$", done.out, re.M)
    assert said[:5] == [
        ("nonsense", "there are those that help lists"),
        ("show nonsense", "there are those that help lists"),
        ("show ports", "the nearest is show port"),
        ("sho drops", "the nearest is show drops"),
        ("exti", "the nearest is exit"),
    ], done.out
    assert len(said) == 6 and said[5][0] == "show", done.out
    listed = said[5][1].removeprefix("there are ").split(", ")
    assert listed == [c for c in console_commands() if c.startswith("show ")], done.out
    assert sum(done.out.count(word) for word in REFUSED) == 6, done.out
    assert "no group nonsense" in done.out, done.out
    assert done.out.count("There is no port nonsense; show port lists them.") == 3, done.out
    assert done.out.count("How many queue pairs? A number from 1 to 10000.") == 2, done.out
    want = "There is no order nonsense; there are packets, bytes, ce, gaps, reorders or naks."
    assert want in done.out, done.out
    assert "seed" not in done.out, "exit did not end it"


@tap.test
def pages_name_no_command_that_the_console_lacks():
    listed = set(console_commands())
    wrong = [
        f"{page}: {command}"
        for page in pages()
        for command in CONSOLE.findall(read(page))
        if command not in listed
    ]
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    tap.run()
