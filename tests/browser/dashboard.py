#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the dashboard of `berth up` with a browser: pages load, follow changes, explain a pod that waits, can be used
by keyboard, ask for a token where one is needed, and have nothing to hide from a screen reader.

    tests/browser/dashboard.py BERTH [--screenshots FOLDER]

It needs Debian's packages chromium, nodejs and npm, and fetches playwright-core and axe-core from the npm registry, as the
lock file pins them, into build/browser. Where something is missing the test is skipped, and says what. With
--screenshots it also writes the pictures of the documentation.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "up"))

from server import ROOT, SKIPPED, Up  # noqa: E402

MADE = ROOT / "build/browser"
TOKEN = "a-token-of-the-test"


def missing():
    """What the test needs and cannot have; nothing if all is there."""
    for tool in ("node", "npm", "chromium"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    lock = (HERE / "package-lock.json").read_bytes()
    kept = MADE / "package-lock.json"
    if kept.exists() and kept.read_bytes() == lock and (MADE / "node_modules/axe-core/axe.min.js").exists():
        return None
    MADE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, MADE / name)
    try:
        fetched = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=MADE, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        kept.unlink()
        return "npm cannot fetch playwright-core and axe-core within two minutes"
    if fetched.returncode != 0:
        kept.unlink()
        return f"npm cannot fetch playwright-core and axe-core: {fetched.stderr.strip()[-300:]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if what := missing():
        print(f"skipped: {what}")
        return SKIPPED
    berth = options.berth.resolve()
    with Up(berth, "--nodes-file", HERE / "nodes.yaml") as up, Up(berth, token=TOKEN) as guarded:
        command = ["node", str(HERE / "dashboard.mjs"), str(berth), str(MADE), shutil.which("chromium"), up.url, guarded.url, TOKEN]
        if options.screenshots:
            options.screenshots.mkdir(parents=True, exist_ok=True)
            command.append(str(options.screenshots.resolve()))
        ran = subprocess.run(command, timeout=120, check=False)
        assert up.is_running() and guarded.is_running(), up.log() + guarded.log()
        assert TOKEN not in guarded.log(), guarded.log()
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
