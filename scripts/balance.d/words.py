# SPDX-License-Identifier: BSD-3-Clause
"""Options of workload and balance-report: numbers with units, and what is told when they are wrong."""

import argparse
import re

_RATES = {"bit": 1, "kbit": 10**3, "Mbit": 10**6, "Gbit": 10**9, "Tbit": 10**12}
_TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def _unit(text, units, what):
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([A-Za-z]+)", text)
    if not found or found.group(2) not in units:
        raise argparse.ArgumentTypeError(f"got '{text}', want {what}")
    whole, _, part = found.group(1).partition(".")
    scale = units[found.group(2)]
    return int(whole) * scale + int(part or 0) * scale // 10 ** len(part)


def rate(text):
    value = _unit(text, _RATES, "a rate such as 100Gbit")
    if not 10**6 <= value <= 100 * 10**12:
        raise argparse.ArgumentTypeError(f"got '{text}', want a rate from 1Mbit to 100Tbit")
    return value


def time(text):
    value = _unit(text, _TIMES, "a time such as 500us")
    if value > 10**9:
        raise argparse.ArgumentTypeError(f"got '{text}', want a time up to 1s")
    return value


def whole(low, high):
    def convert(text):
        if not re.fullmatch(r"\d{1,20}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"got '{text}', want a number from {low} to {high}")
        return int(text)

    return convert


def names(text):
    """A list with commas, each once."""
    found = [name for name in text.split(",") if name]
    if not found or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"got '{text}', want names with commas between, each once")
    return found


def mac(text):
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        raise argparse.ArgumentTypeError(f"got '{text}', want a MAC such as 02:00:00:00:00:01")
    return bytes.fromhex(text.replace(":", ""))
