#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a command writes the same bytes whenever and wherever it runs.

    determinism.py COMMAND [ARGUMENT...]

Runs the command several times under conditions that must not matter (time zone, locale, home, what fresh memory holds,
number of processors, address layout) and compares exit status and output. It first proves on a command that does
depend on them that it can fail.
"""
import os
import subprocess
import sys

CONDITIONS = [
    {},
    {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "HOME": "/nonexistent", "MALLOC_PERTURB_": "165"},
    {"TZ": "America/St_Johns", "LC_ALL": "C.UTF-8", "LANG": "tr_TR.UTF-8", "MALLOC_ARENA_MAX": "1"},
]

PLANTED = ["import os; print(os.getpid())", "import os; print(os.environ.get('TZ'))"]


def run(command, condition, processor):
    pin = (lambda: os.sched_setaffinity(0, {processor})) if processor is not None else None
    done = subprocess.run(command, env={**os.environ, **condition}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          preexec_fn=pin, check=False)
    return done.returncode, done.stdout


def differences(command):
    """Which runs differ from the first, and the first run's status and output."""
    processors = [None, min(os.sched_getaffinity(0)), None]
    results = [run(command, *how) for how in zip(CONDITIONS, processors)]
    return [i for i, result in enumerate(results) if result != results[0]], results[0]


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"byte {at}: {a[at:at + 60]!r} and {b[at:at + 60]!r}"


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    for planted in PLANTED:
        if not differences([sys.executable, "-c", planted])[0]:
            sys.exit(f"determinism.py does not see that this differs: {planted}")

    differing, (status, output) = differences(command)
    if differing:
        other = run(command, CONDITIONS[differing[0]], None)
        print(f"run {differing[0]} differs: status {status} and {other[0]}, {first_difference(output, other[1])}")
        return 1
    if status not in (0, 1) or not output:  # 1 is an answer, too: some pod has no place.
        print(f"the command ended with status {status} and {len(output)} bytes of output")
        return 1
    print(f"{len(CONDITIONS)} runs, {len(output)} equal bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
