#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`berth up --behaviour`: the example of the documentation, and what is said of bad files.

    tests/up/behaviour.py BERTH
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import ROOT, Up, until  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
EXAMPLE = ROOT / "examples/behaviour.yaml"


def pod(name, **labels):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels},
            "spec": {"containers": [{"name": "a", "image": "a"}]}}


def container(up, name):
    return (up.get(f"{PODS}/{name}")["status"].get("containerStatuses") or [{}])[0]


def check_example(berth):
    """Pods start late, exit and start again, and end late."""
    flaky = [f"flaky-{i}" for i in range(4)]
    with Up(berth, "--behaviour", str(EXAMPLE), "--seed", "7") as up:
        for name in flaky:
            up.send("POST", PODS, pod(name, app="flaky"))
        up.send("POST", PODS, pod("web", app="web"))
        until(lambda: container(up, "web").get("ready"), "a pod that is slow to come")
        until(lambda: all(container(up, name).get("restartCount") for name in flaky), "containers to start again")
        codes = {container(up, name)["lastState"]["terminated"]["exitCode"] for name in flaky}
        assert codes <= {0, 3}, codes
        up.send("DELETE", f"{PODS}/web")
        assert up.get(f"{PODS}/web")["metadata"]["deletionTimestamp"], "a pod that is slow to go is gone"
        until(lambda: not up.get(f"{PODS}/web"), "it to go")


def check_bad_files(berth, folder):
    """Nothing begins, and the error says where it is."""
    bad = folder / "bad.yaml"
    bad.write_text("pods:\n- startAfter: soon\n", encoding="utf-8")
    ran = subprocess.run([berth, "up", "--port", "0", "--behaviour", str(bad)], cwd=folder, capture_output=True, text=True, timeout=30)
    assert ran.returncode == 1 and "bad.yaml:2: pods[0].startAfter: expected a time" in ran.stderr, ran
    nodes = folder / "nodes.yaml"
    nodes.write_text("apiVersion: v1\nkind: Node\nmetadata: {name: a}\n", encoding="utf-8")
    ran = subprocess.run([berth, "simulate", "-f", str(nodes), "--behaviour", str(EXAMPLE)], cwd=folder, capture_output=True,
                         text=True, timeout=30)
    assert ran.returncode == 2 and "--until is needed" in ran.stderr, ran


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    berth = str(parser.parse_args().berth.resolve())
    with tempfile.TemporaryDirectory() as folder:
        check_bad_files(berth, pathlib.Path(folder))
    check_example(berth)
    print("pods behave as the file says")


if __name__ == "__main__":
    sys.exit(main())
