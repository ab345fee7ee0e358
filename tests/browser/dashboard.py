#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the dashboard of `berth up` with a browser: pages load, follow changes, explain a pod that waits, can be used
by keyboard, ask for a token where one is needed, and have nothing to hide from a screen reader.

    tests/browser/dashboard.py BERTH [--screenshots FOLDER [--looks FOLDER]]

It needs Debian's packages chromium, nodejs and npm, and fetches playwright-core and axe-core from the npm registry, as the
lock file pins them, into build/browser. Where something is missing the test is skipped, and says what. With
--screenshots it also writes the pictures of the documentation, and with --looks those of a narrow and a wide screen.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "up"))

from dashboard_packages import MADE, missing  # noqa: E402
from server import SKIPPED, Up  # noqa: E402

TOKEN = "a-token-of-the-test"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--looks", type=pathlib.Path)
    options = parser.parse_args()
    if what := missing():
        print(f"skipped: {what}")
        return SKIPPED
    berth = options.berth.resolve()
    with Up(berth, "--nodes-file", HERE / "nodes.yaml") as up, Up(berth, token=TOKEN) as guarded:
        command = ["node", str(HERE / "dashboard.mjs"), str(berth), str(MADE), shutil.which("chromium"), up.url, guarded.url, TOKEN]
        if options.screenshots:
            for folder in filter(None, (options.screenshots, options.looks)):
                folder.mkdir(parents=True, exist_ok=True)
                command.append(str(folder.resolve()))
        ran = subprocess.run(command, timeout=120, check=False)
        assert up.is_running() and guarded.is_running(), up.log() + guarded.log()
        assert TOKEN not in guarded.log(), guarded.log()
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
