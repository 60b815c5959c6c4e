#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a libFuzzer target for a set number of inputs from its corpus, and reports in TAP.

It proves that the target still builds and fuzzes; the search itself is scripts/fuzz, run longer.
"""

import base64
import glob
import os
import shutil
import subprocess
import sys
import tempfile

RUNS = 20000


def main():
    target, corpus = sys.argv[1:3]
    name = os.path.basename(target)
    print("TAP version 13\n1..1", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "corpus")
        if os.path.isdir(corpus):
            shutil.copytree(corpus, work)
        else:
            os.mkdir(work)
        done = subprocess.run(
            [target, f"-runs={RUNS}", "-seed=1", "-max_len=4096", "-timeout=25",
             f"-artifact_prefix={folder}/found-", work],
            stdout=2, stderr=subprocess.PIPE, check=False)
        sys.stderr.buffer.write(done.stderr[-8000:])
        if done.returncode == 0:
            print(f"ok 1 - {name} finds nothing in {RUNS} inputs")
            return 0
        print(f"not ok 1 - {name} finds nothing in {RUNS} inputs")
        for path in glob.glob(f"{folder}/found-*"):
            with open(path, "rb") as f:
                print(f"# an input that fails, in base64: {base64.b64encode(f.read()).decode()}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
