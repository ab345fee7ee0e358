#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of small fixed pieces of work and compares them with their budgets.

    instructions.py PROGRAM             fails if a piece takes more than 3 % over its budget in instructions.json
    instructions.py PROGRAM --update    writes what was counted into that file

PROGRAM is the release build of bench/instructions.cc, run below callgrind, so neither the load of the machine nor its
speed counts. The choice that glibc and simdjson make by the model of the processor is fixed; another version of a
library or of the compiler still changes the counts, mostly by less than the tolerance. It first proves that it sees work
that takes 5 % more, and lets one pass that takes 2 % more.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

BUDGETS = pathlib.Path(__file__).with_suffix(".json")
TOLERANCE = 0.03
PLANTED = "decode-protobuf"
SKIPPED = 77
ENVIRONMENT = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join("-" + name for name in (
        "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "AVX", "AVX_Fast_Unaligned_Load", "BMI1", "BMI2", "ERMS", "FSRM", "LZCNT", "MOVBE",
        "SSE4_2", "SSE4_1", "SSSE3")),
    "SIMDJSON_FORCE_IMPLEMENTATION": "westmere",
}


def count(program, *piece):
    """The instructions of what is done in BerthCounted."""
    with tempfile.TemporaryDirectory(prefix="berth-instructions-") as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=BerthCounted", f"--callgrind-out-file={out}", program,
                               *piece], env=ENVIRONMENT | {"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(piece)}: {done.stderr}")
        return int(re.search(r"^totals: (\d+)$", out.read_text(errors="replace"), re.M)[1])


def judge(name, found, budget):
    """What is wrong with a count, or nothing."""
    if not found:
        return f"{name}: nothing was counted"
    if not budget:
        return f"{name}: has no budget; {BUDGETS.name} is written with --update"
    if found > budget * (1 + TOLERANCE):
        return (f"{name}: {found:,} instructions, {found / budget - 1:+.1%} over the budget of {budget:,}. If that is worth it, change the "
                f"budget in the same commit and say why:\n    bench/instructions.py build/release/bench/instructions --update")
    return None


def prove_that_it_can_fail(program, pool):
    whole, slightly, more, nothing = pool.map(lambda piece: count(program, *piece),
                                              [(PLANTED, "100"), (PLANTED, "102"), (PLANTED, "105"), ("--list",)])
    if not judge("planted", more, whole) or not judge("planted", nothing, whole) or not judge("planted", whole, None):
        sys.exit("instructions.py does not see that work takes 5 % more, or is not counted")
    if judge("planted", slightly, whole):
        sys.exit("instructions.py does not let work pass that takes 2 % more")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    if not shutil.which("valgrind") or platform.machine() != "x86_64":
        print("skipped: it takes valgrind and an x86-64 processor")
        return SKIPPED
    names = subprocess.run([options.program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        prove_that_it_can_fail(options.program, pool)
        found = dict(zip(names, pool.map(lambda name: count(options.program, name), names)))
    if options.update:
        BUDGETS.write_text(json.dumps(found, indent=1) + "\n")
    budgets = json.loads(BUDGETS.read_text())
    for name in found:
        if name in budgets:
            print(f"{name:16} {found[name]:12,} {found[name] / budgets[name] - 1:+.2%}")
    wrong = [problem for name in found if (problem := judge(name, found[name], budgets.get(name)))]
    wrong += [f"{name}: has a budget, but is not counted" for name in budgets if name not in found]
    print(*wrong, sep="\n")
    if any(found[name] < budgets.get(name, 0) * (1 - TOLERANCE) for name in found):
        print("Some takes less than its budget: --update keeps what was gained.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
