# SPDX-License-Identifier: BSD-3-Clause
"""The cases: which traffic and tables, and what each is compared with."""

import os
from dataclasses import dataclass, replace

PLAIN = "no queues: the plain path"
FULL = 1000000
QUICK = 100000
# Beside the packets of the ring: descriptors, caches, bursts on their way.
SPARE_MBUFS = 16384
# one to control, one to forward; scripts/bench has seen that there are two
CPUS = (sorted(os.sched_getaffinity(0)) * 2)[:2]
SECTIONS = ("peers", "queues", "policies", "cells", "scaling", "stages", "memory")


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    flows: int = 1024
    packets: int = 0   # of the ring that the source copies from; 0: one of each flow
    routes: int = 1000
    size: int = 64
    family: int = 4
    burst: int = 64
    tx_ports: int = 1
    members: int = 4
    groups: int = 1
    against: str = "base"  # the case that its growth is told against
    control: int = CPUS[0]
    worker: int = CPUS[1]
    port: str = ""        # more keys of the TX ports
    classes: str = ""
    group: str = ""       # more keys of the groups
    sections: str = ""    # more sections of the file
    writes: bool = False  # the packets are WRITEs with the AR bit, not SENDs
    drops: bool = False   # more comes than the rate takes: the rest is dropped at the limit
    marks: bool = False   # what is sent is marked

    @property
    def may_drop(self):
        """Reasons that the case makes happen."""
        return ("queue_full",) if self.drops else ()

    @property
    def ring(self):
        return self.packets or self.flows

    @property
    def mbufs(self):
        return self.ring + SPARE_MBUFS

    @property
    def devices(self):
        """Cases with the same key have the same source and sink: one io baseline serves them."""
        return self.flows, self.ring, self.size, self.family, self.burst


def scaling(big):
    n = f"{big:,}"
    return [
        Case("base", "1,024 flows, 1,000 routes"),
        Case("flows-1", "1 flow", flows=1),
        Case("flows-64k", "65,536 flows", flows=65536),
        Case("ring-1m", f"1,024 flows in a ring of {n}", packets=big),
        Case("flows-1m", f"{n} flows", flows=big, against="ring-1m"),
        Case("routes-1m", f"{n} routes", routes=big),
        Case("both-1m", f"{n} routes, {n} flows", flows=big, routes=big, against="flows-1m"),
        Case("bytes-1024", "1,024 bytes", size=1024),
        Case("ipv6", "IPv6", family=6),
        Case("burst-32", "burst of 32", burst=32),
        Case("ports-4", "4 TX ports", tx_ports=4),
    ]


def stages(big):
    wanted = ("base", "flows-1m", "routes-1m", "both-1m", "bytes-1024", "ipv6", "ports-4")
    return [c for c in scaling(big) if c.name in wanted]


def queues(pps):
    """
    The same traffic through a way out that does ever more. `pps`: what the plain one carried here;
    queues take more cycles than that, so a rate below what comes has to be well below it. A class
    of 400 KB takes 6,666 of the short packets, fewer than are spare.
    """
    low = f"rate: {max(1, int(0.4 * pps * 84 * 8 / 1e6))}Mbit"  # 84: with preamble, FCS and gap
    full = "{class: 3, name: rdma, limit: 400KB}"
    marks = "ecn: {kmin: 10KB, kmax: 20KB, pmax: 100%}"
    return [
        Case("plain", PLAIN),
        Case("idle", "queues idle: marks from 1 MB on", port="ecn: {kmin: 1MB, kmax: 2MB, pmax: 5%}"),
        Case("shaped", "a shaper of 400 Gbit/s", port="rate: 400Gbit"),
        Case("delayed", "the same and 100 us of delay", port="rate: 400Gbit, delay: 100us"),
        Case("backlogged", "a shaper below what comes", port=low, classes=full, drops=True),
        Case("marked", "the same, all marked", port=f"{low}, {marks}", classes=full, drops=True,
             marks=True),
    ]


def policies(flows=65536):
    """The same WRITEs, all of which may be reordered, by each policy over four ports."""
    table = f"flows: {{max: {2 * flows}}}"
    base = Case("ecmp", "ecmp", flows=flows, size=78, tx_ports=4, writes=True, against="ecmp")
    return [
        base,
        replace(base, name="spray", title="spray", group="policy: spray"),
        replace(base, name="adaptive", title="adaptive per packet", group="policy: adaptive"),
        replace(base, name="flowlet", title="flowlet", group="policy: flowlet", sections=table),
        replace(base, name="adaptive-flowlet", title="adaptive per flowlet",
                group="policy: adaptive, per: flowlet", sections=table),
        replace(base, name="qp-view", title="ecmp, and the per-QP view",
                sections=table[:-1] + ", qp_view: true}"),
    ]


def memory(big):
    """Pairs: what the second has more than the first is what is asked."""
    groups = big // 100
    small = Case("memory-base", "1,000 routes, 1 group")
    one = replace(small, name="groups-1", routes=groups)
    return [
        (f"{big:,} routes of IPv4 (/24)", big, small,
         replace(small, name="routes-v4", routes=big)),
        (f"{big:,} routes of IPv6 (/48)", big, replace(small, name="memory-v6", family=6),
         replace(small, name="routes-v6", routes=big, family=6)),
        (f"{groups:,} groups of 4 members", groups, one,
         replace(one, name="groups-many", groups=groups)),
    ]


def selection(only, big):
    """From --only's names to {section: set of case names, or None for all of them}."""
    if not only:
        return {section: None for section in SECTIONS}
    names = [c.name for c in scaling(big)]
    chosen = {}
    for name in only:
        if name in SECTIONS:
            chosen[name] = None
        elif name not in names:
            raise KeyError(name)
        elif chosen.get("scaling", ()) is not None:
            chosen.setdefault("scaling", set()).add(name)
    return chosen
