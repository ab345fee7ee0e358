#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the modules in clients/ that start `berth up` for tests of others. A language that is not
installed is skipped.

    tests/up/clients_test.py BERTH
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import ROOT, SKIPPED  # noqa: E402


def main():
    environment = {**os.environ, "BERTH": os.path.abspath(sys.argv[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = 0
    for name, is_there, command in (
            ("go", shutil.which("go"), ["go", "test", "-count=1", "./..."]),
            ("python", importlib.util.find_spec("pytest"), [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "berth_pytest_test.py"])):
        if not is_there:
            print(f"skipped: {name}")
            continue
        subprocess.run(command, cwd=ROOT / "clients" / name, env=environment, check=True, timeout=300)
        ran += 1
    sys.exit(0 if ran else SKIPPED)


if __name__ == "__main__":
    main()
