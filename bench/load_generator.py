# SPDX-License-Identifier: Apache-2.0
"""The load generator bench/up_load: built with Go, run against a server, and what it measured."""
import json
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent / "up_load"


def build(folder):
    program = pathlib.Path(folder, "up_load")
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=SOURCE, check=True)
    return program


def run(program, address, *arguments, patience=600):
    """`address`: the flags that say which server it is."""
    command = [str(program), *map(str, address), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-500:]}")
    return json.loads(done.stdout)
