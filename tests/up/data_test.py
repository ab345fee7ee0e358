#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes into `berth up` and what comes out of it: import, export, recording, metrics, the lines it prints.

    tests/up/data_test.py BERTH
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up  # noqa: E402

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
PATIENCE_S = 30


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=60, check=False)


def check_export(berth, folder):
    """A misspelt folder is neither made nor an empty cluster."""
    done = run(berth, "export", "--data", folder / "typo")
    assert done.returncode == 1 and "typo: there is no such directory" in done.stderr and not done.stdout, done
    assert not (folder / "typo").exists()
    (folder / "other").mkdir()
    (folder / "file").write_text("", encoding="utf-8")
    for path, word in ((folder / "other", "no data directory"), (folder / "file", "no such directory")):
        done = run(berth, "export", "--data", path)
        assert done.returncode == 1 and word in done.stderr and not done.stdout, done
    assert not list((folder / "other").iterdir())


def check_import(berth, folder):
    """A second import does not undo what was done since the first."""
    dump, data = folder / "dump.yaml", folder / "data"
    dump.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: default}\ndata: {k: old}\n", encoding="utf-8")
    arguments = ("--api-only", "--data", data, "--import", dump)
    with Up(berth, *arguments) as up:
        status, answer = up.request("PATCH", f"{MAPS}/m", '{"data":{"k":"new"}}', {"Content-Type": "application/merge-patch+json"})
        assert status == 200, answer
    refused = run(berth, "up", "--port", "0", "--kubeconfig", folder / "kubeconfig", *arguments)
    assert refused.returncode == 1 and "--import-over" in refused.stderr and str(data) in refused.stderr, refused
    exported = run(berth, "export", "--data", data)
    assert exported.returncode == 0 and "k: new" in exported.stdout and "k: old" not in exported.stdout, exported
    with Up(berth, *arguments, "--import-over") as up:
        assert json.loads(up.request("GET", f"{MAPS}/m")[1])["data"] == {"k": "old"}
    # Without a folder to protect there is nothing to ask.
    with Up(berth, "--api-only", "--import", dump) as up:
        assert up.request("GET", f"{MAPS}/m")[0] == 200


def check_scheduler(berth, folder):
    """Its metrics are served, what it sees can be replayed, and the user hears how it went."""
    log = folder / "recording"
    with Up(berth, "--nodes", 3, "--record", log) as up:
        for number in range(12):
            pod = {"metadata": {"name": f"p{number}"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
            if number == 11:
                pod["spec"]["nodeSelector"] = {"no": "node"}
            status, answer = up.request("POST", PODS, json.dumps(pod), {"Content-Type": "application/json"})
            assert status == 201, answer
        end = time.monotonic() + PATIENCE_S
        while "total 12, 1 Pending, 11 Running (1 without a node)" not in up.log():
            assert time.monotonic() < end, up.log()
            time.sleep(0.05)
        assert re.search(r"bound 11 pods.*; 11 became Running; total", up.log()), up.log()
        metrics = up.request("GET", "/metrics")[1].decode()
        assert re.search(r'^scheduler_schedule_attempts_total\{.*result="scheduled"\} 11$', metrics, re.M), metrics
        assert "apiserver_request_total{" in metrics
        families = re.findall(r"^# TYPE (\S+)", metrics, re.M)
        assert len(families) == len(set(families)), sorted(families)
    replayed = run(berth, "replay", log)
    assert replayed.returncode == 0, replayed
    assert run(berth, "up", "--no-scheduler", "--record", log).returncode != 0
    assert run(berth, "up", "--port", "0", "--record", folder / "absent/recording").returncode == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    options = parser.parse_args()
    for check in (check_export, check_import, check_scheduler):
        with tempfile.TemporaryDirectory(prefix="berth-data-") as folder:
            check(options.berth.resolve(), pathlib.Path(folder))
            print(f"ok {check.__name__}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
