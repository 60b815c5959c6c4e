# SPDX-License-Identifier: BSD-3-Clause
"""All runs of the report, two at a time: workload x members x policy, each a process of softbag-replay
and the measuring of what it wrote. balance-report asks for them, render.py shows them."""

import concurrent.futures
import os
import shutil
import signal
import sys

import measure
import nodes
import traffic

PROCESSES = 2


def say(text):
    print(f"balance-report: {text}", file=sys.stderr, flush=True)


class Plan:
    """What was asked for, checked. `policies`: those that the build knows; `skipped`: {text: why}."""

    def __init__(self, args, programs, folder):
        self.programs, self.folder, self.keep = programs, folder, args.keep
        self.packets, self.mtu, self.rate_bps = args.packets, args.mtu, args.rate
        self.seed, self.hash_seed = args.seed, args.hash_seed
        self.delay_ns, self.spread_ns = args.delay, args.spread
        self.workloads = args.workloads
        self.members = [nodes.Members(text, args.rate) for text in args.members]
        self.policies = [nodes.Policy(text) for text in args.policies]
        self.skipped = {}
        for name in self.workloads:
            traffic.check_name(name)
        self.drain_bps = args.rate // max(32, 2 * max(m.n for m in self.members))

    def node(self, members, policy):
        return nodes.yaml(members, policy, self.packets, self.mtu, self.hash_seed)

    def ask_build(self):
        """
        Leaves out what the build does not know. Raises Wrong where plain ecmp is refused, too. Asked
        with 4 members: softbag has DPDK's devices for 31 of them, softbag-replay for more.
        """
        members = nodes.Members("4", 10**10)
        path = os.path.join(self.folder, "probe.yaml")
        known = []
        for policy in [nodes.Policy("ecmp"), *self.policies]:
            with open(path, "w", encoding="ascii") as f:
                f.write(self.node(members, policy))
            wrong = self.programs.complaint(path)
            if wrong is None:
                known.append(policy)
            elif not known:
                raise traffic.Wrong(f"the build refuses a plain group: {wrong}")
            else:
                self.skipped[policy.text] = wrong
        os.unlink(path)
        self.policies = known[1:]
        if not self.policies:
            raise traffic.Wrong("the build knows none of the policies asked for.")


def job(plan, folder, capture, flows, members, policy):
    """What a run takes, for a process of its own."""
    return {
        "folder": os.path.join(folder, f"{members.text}-{policy.text.replace(':', '-')}"),
        "yaml": plan.node(members, policy),
        "programs": plan.programs,
        "capture": capture,
        "flows": flows,
        "weights": members.weights,
        "rates": members.rates,
        "paths": nodes.paths(members.n, plan.delay_ns, plan.spread_ns),
        "keep": plan.keep,
    }


def one(asked):
    """A run, in a process of its own. Returns what measure() does, and more."""
    conf, out, report = (os.path.join(asked["folder"], n) for n in ("node.yaml", "out", "replay.json"))
    os.makedirs(out, exist_ok=True)
    with open(conf, "w", encoding="ascii") as f:
        f.write(asked["yaml"])
    said = asked["programs"].run(conf, asked["capture"], out, report)
    captures = [os.path.join(out, f"lh{i}.pcap") for i in range(len(asked["weights"]))]
    got = measure.measure(
        asked["flows"], asked["capture"], captures, asked["weights"], asked["rates"], asked["paths"]
    )
    got["flow_table"] = flow_table(said)
    if not asked["keep"]:
        shutil.rmtree(asked["folder"])
    return got


def flow_table(report):
    """[entries at the end, room, packets that found none]; None where nothing needed a table."""
    flows = report.get("flows")
    return [flows[key] for key in ("entries", "max", "full")] if flows else None


def make_workload(plan, name, folder):
    """Writes its capture and flow list; returns its path and measure.Flows."""
    made = traffic.Workload(name, plan.seed, plan.packets, plan.mtu, plan.rate_bps, plan.drain_bps)
    capture = os.path.join(folder, "in.pcap")
    traffic.roce.write_pcap(capture, traffic.frames(made, nodes.MACS))
    traffic.write_flows(made, os.path.join(folder, "flows.json"))
    return capture, measure.Flows(traffic.flow_list(made))


def _ignore_interrupt():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def all_of(plan):
    """[{workload, title, flows, packets, runs: [...]}], in the order asked for."""
    results, done = [], 0
    total = len(plan.workloads) * len(plan.members) * len(plan.policies)
    pool = concurrent.futures.ProcessPoolExecutor(PROCESSES, initializer=_ignore_interrupt)
    try:
        for name in plan.workloads:
            folder = os.path.join(plan.folder, name)
            os.makedirs(folder, exist_ok=True)
            capture, flows = make_workload(plan, name, folder)
            asked = [
                (members, policy, pool.submit(one, job(plan, folder, capture, flows, members, policy)))
                for members in plan.members
                for policy in plan.policies
            ]
            runs = []
            for members, policy, future in asked:
                got = future.result()
                done += 1
                say(f"{done} of {total}: {name}, {members.text} members, {policy.text}")
                runs.append({"members": members.text, "policy": policy.text} | got)
            told = flows.told
            results.append({
                "workload": name, "title": told["title"], "flows": len(told["flows"]),
                "packets": told["packets"], "steps": len(told["step_ns"]),
                "steps_in_all": told["steps_in_all"], "runs": runs,
            })  # fmt: skip
            if not plan.keep:
                shutil.rmtree(folder)
    finally:
        pool.shutdown(cancel_futures=True)
    return results
