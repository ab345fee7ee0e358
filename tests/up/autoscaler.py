#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example of an autoscaler (examples/autoscaler) asks `berth up` which node group would help. Skipped without Go.

    tests/up/autoscaler.py BERTH
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import ROOT, SKIPPED, Up, until  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
WAITING = 7


def build(folder):
    program = pathlib.Path(folder, "autoscaler")
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=ROOT / "examples/autoscaler", check=True)
    return program


def pod(index):
    return {"metadata": {"name": f"waits-{index}"}, "spec": {"nodeSelector": {"disk": "ssd"}, "containers": [
        {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}


def node(name, cpu):
    """One that takes no more pods itself."""
    return {"metadata": {"name": name, "labels": {"disk": "ssd"}}, "spec": {"unschedulable": True},
            "status": {"allocatable": {"cpu": cpu, "memory": "64Gi", "pods": "110"}}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("berth")
    berth = parser.parse_args().berth
    if shutil.which("go") is None:
        print("skipped: there is no Go")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder, Up(berth) as up:
        program = build(folder)

        def ask(*arguments):
            return subprocess.run([program, "-berth", up.url, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout

        assert ask() == "0 pods wait\n"
        up.send("POST", "/api/v1/nodes", node("small-0", "2"))
        up.send("POST", "/api/v1/nodes", node("large-0", "4"))
        for index in range(WAITING):
            up.send("POST", PODS, pod(index))
        groups = ["-group", "small=small-0", "-group", "large=large-0"]
        until(lambda: ask().startswith(f"{WAITING} pods wait\n"), "all pods wait")
        text = ask(*groups)
        assert text == ("7 pods wait\n2 more of large: 7 placed\n3 more of small: 6 placed\n1 more of large: 4 placed\n"
                        "2 more of small: 4 placed\n1 more of small: 2 placed\nbest: 2 more of large\n"), text
        assert not up.items(PODS)[0]["spec"].get("nodeName"), "nothing was changed"
    print("autoscaler: all as it should be")


if __name__ == "__main__":
    main()
