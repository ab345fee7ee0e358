#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the API suite on `berth up --api-only`.

    tests/api/suite.py BERTH [--set NAME] [--scheduler PATH] [--kubectl PATH] [arguments of run.py]

Where the set needs kubectl and there is none, it ends with the code by which ctest counts a test as skipped. The steps of
kube-scheduler run if the binary is there (tests/e2e/servers/build.sh makes it).
"""
import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "up"))

from server import SERVERS, SKIPPED, Up, find_kubectl  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("--set", default="public")
    parser.add_argument("--scheduler", type=pathlib.Path, default=SERVERS / "kube-scheduler")
    parser.add_argument("--kubectl", default=find_kubectl())
    options, rest = parser.parse_known_args()
    if options.set == "public" and not options.kubectl:
        print("SKIPPED: no kubectl; tests/e2e/servers/build.sh build/e2e/bin kubectl makes one")
        return SKIPPED
    command = [sys.executable, str(HERE / "run.py"), "--set", options.set, *rest]
    if options.kubectl and pathlib.Path(options.kubectl).parent == SERVERS:
        command += ["--kubectl", options.kubectl]  # run.py finds an installed one itself, and its version.
    if options.scheduler.exists():
        command += ["--scheduler", str(options.scheduler)]
    with Up(options.berth.resolve(), "--api-only") as up:
        outcome = subprocess.run([*command, "--server", up.url], check=False).returncode
        ended = up.stop()
    if ended != 0:
        print(f"berth up ended with {ended}")
    return 1 if outcome or ended else 0


if __name__ == "__main__":
    sys.exit(main())
