#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs compare.py on every Nth line of the vectors, for builds in which all of them would take too long.

    sample.py N [options of compare.py] KIND FILE.jsonl.gz...
"""

import gzip
import pathlib
import subprocess
import sys
import tempfile


def main():
    every = int(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="berth-vectors-") as folder:
        arguments = []
        for argument in sys.argv[2:]:
            if argument.endswith(".jsonl.gz"):
                sample = pathlib.Path(folder) / pathlib.Path(argument).name
                with gzip.open(argument, "rb") as lines, gzip.open(sample, "wb", compresslevel=1) as out:
                    out.writelines(line for number, line in enumerate(lines) if number % every == 0)
                argument = str(sample)
            arguments.append(argument)
        return subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("compare.py")), *arguments]).returncode


if __name__ == "__main__":
    sys.exit(main())
