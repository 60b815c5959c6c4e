# SPDX-License-Identifier: BSD-3-Clause
"""The nodes of the report: members, policies, their YAML, and the programs that take it."""

import json
import os
import re
import subprocess

from traffic import Wrong

MACS = bytes.fromhex("020000000001" "020000000101")  # of the port that all comes in by, and a host
MOST_MEMBERS = 64
# Each as the keys of its group; one that the build does not know is skipped.
POLICIES = {
    "ecmp-5tuple": {"policy": "ecmp", "hash": "[5tuple]"},
    "ecmp": {"policy": "ecmp"},
    "flowlet": {"policy": "flowlet", "gap": "200us"},
    "spray": {"policy": "spray", "spray_if": "ar_bit"},
    "adaptive": {"policy": "adaptive", "per": "packet", "spray_if": "ar_bit"},
    "adaptive-flowlet": {"policy": "adaptive", "per": "flowlet", "gap": "200us"},
}
BASE = {"policy": "ecmp", "hash": "[5tuple, dest_qp]"}
ONLY = re.compile(r"[a-z][a-z0-9_]*=[A-Za-z0-9_.]+")


class Failed(Exception):
    """A program did; one sentence."""


class Policy:
    """`text`: a name of POLICIES, and keys that replace its own or join: flowlet:gap=1ms."""

    def __init__(self, text):
        name, colon, more = text.partition(":")
        if name not in POLICIES:
            raise Wrong(f"there is no policy '{name}'; there are {', '.join(POLICIES)}.")
        self.text, self.keys = text, BASE | POLICIES[name]
        for pair in more.split(":") if colon else []:
            if not ONLY.fullmatch(pair):
                raise Wrong(f"policy '{text}': got '{pair}', want KEY=VALUE such as gap=1ms.")
            key, _, value = pair.partition("=")
            if key in ("name", "members", "policy", "hash"):
                raise Wrong(f"policy '{text}': {key} is not one of the keys to give here.")
            self.keys[key] = value


class Members:
    """`text`: how many alike; 4h: 4 of them, the last of half the rate and half the weight."""

    def __init__(self, text, total_bps):
        found = re.fullmatch(r"([0-9]{1,3})(h?)", text)
        n = int(found.group(1)) if found else 0
        if not (2 if found and found.group(2) else 1) <= n <= MOST_MEMBERS:
            raise Wrong(
                f"--members: got '{text}', want 1 to {MOST_MEMBERS}, or 2h to {MOST_MEMBERS}h"
                " for a last one of half the rate."
            )
        self.text, self.n = text, n
        self.weights = [2] * (n - 1) + [1] if found.group(2) else [1] * n
        self.rates = [total_bps * w // sum(self.weights) // 1000 * 1000 for w in self.weights]
        if min(self.rates) < 1000000 or max(self.rates) > 800 * 10**9:
            raise Wrong(
                f"--rate: {self.text} members of {max(self.rates) / 1e9:g} Gbit/s are none that a port"
                " can be; it goes from 1Mbit to 800Gbit."
            )


def paths(n, delay_ns, spread_ns):
    """One-way delays of the members' lines: all alike, and evenly up to `spread_ns` longer."""
    longer = [i * spread_ns // (n - 1) if n > 1 else 0 for i in range(n)]
    return {"equal": [delay_ns] * n, "unequal": [delay_ns + more for more in longer]}


def yaml(members, policy, n_packets, payload, seed):
    """
    Everything comes in by nsf0 and goes to one group. A queue holds all packets, so that nothing is
    lost: of a class's limit a port has buffers for frames of three quarters of the MTU.
    """
    mbufs, mtu = 4096 + n_packets, max(1280, payload + 104)
    memory = 80 + (mbufs * (2700 + mtu * 3 // 2) + members.n * (10**6 + n_packets * 40)) // 10**6
    lines = [
        "version: 1",
        "node: {name: balance, id: 1}",
        f"runtime: {{memory: {memory}MB, mbufs: {mbufs}, eal: [\"--no-huge\"]}}",
        "ports:",
        f'  - {{name: nsf0, device: net_null0, role: nsf, mac: "02:00:00:00:00:01", mtu: {mtu}}}',
    ]
    for i, bps in enumerate(members.rates):
        lines.append(
            f'  - {{name: lh{i}, device: net_null{i + 1}, role: longhaul, mac: "02:00:00:00:01:{i:02x}",'
            f" mtu: {mtu}, rate: {bps // 1000}kbit}}"
        )
    lines += [
        "classes:",
        f"  - {{class: 3, name: rdma, dscp: [24-31], limit: {max(10000, n_packets * mtu)}B}}",
        f"hash: {{seed: {seed}}}",
        "groups:",
        "  - name: to-east",
        *(f"    {key}: {value}" for key, value in policy.keys.items()),
        "    members:",
    ]
    for i, weight in enumerate(members.weights):
        lines.append(f'      - {{port: lh{i}, mac: "02:00:00:00:09:{i:02x}", weight: {weight}}}')
    lines += ["routes:", "  static:", "    - {prefix: 10.2.0.0/16, group: to-east}", ""]
    return "\n".join(lines)


class Programs:
    """softbag and softbag-replay of a build folder."""

    def __init__(self, build):
        self.softbag = os.path.join(build, "app", "softbag", "softbag")
        self.replay = os.path.join(build, "app", "softbag-replay", "softbag-replay")
        for path in (self.softbag, self.replay):
            if not os.access(path, os.X_OK):
                raise Wrong(f"there is no {path}; build first, or name the folder with --build.")

    def version(self):
        return _run([self.replay, "--version"]).stdout.strip()

    def complaint(self, conf):
        """The first error of a configuration; None: the build takes it."""
        done = _run([self.softbag, "-c", conf, "--check"])
        if done.returncode == 0:
            return None
        said = [line for line in (done.stderr + done.stdout).splitlines() if ": error" in line]
        said = said or (done.stderr + done.stdout).splitlines() or ["it does not say why"]
        return re.sub(r"^.*?:(\d+):(\d+): *", "", said[0].replace("softbag: ", ""))

    def run(self, conf, capture, out, report):
        """The report as JSON takes it. Raises Failed with softbag-replay's own words."""
        done = _run([self.replay, "-c", conf, "--in", f"nsf0={capture}", "--timing", "asis",
                     "--out", out, "--json", report])  # fmt: skip
        if done.returncode != 0:
            said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise Failed(f"softbag-replay -c {conf}: {said[-1]}")
        with open(report, encoding="utf-8") as f:
            return json.load(f)


def _run(command):
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
