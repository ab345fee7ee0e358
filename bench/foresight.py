#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a `berth up` that is at work: how long answers take, and what they cost those who wait to be scheduled.

    bench/foresight.py [--berth build/release/berth] [--nodes 5000] [--pods 150000] [--rate 500] [--seconds 30]
    bench/foresight.py --records [--nodes 5000] [--load 20000]

The cluster has so many nodes, with so many pods on them. Pods are created at a rate, first while nobody asks, then while
questions are asked one after the other: why a pod is where it is, a plan of 1,000 pods, capacity for a pod that looks only
at its node, and for one that spreads. The latency of a pod is from the request to create it until a watch says where it is
bound. The load generator is bench/up_load, built with Go.

With --records, the instructions that the process takes to start, schedule --load pods and end, without records of
decisions and with them (perf, or where the machine does not count, callgrind on a tenth of the pods).
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/up"))
from server import Up  # noqa: E402
import load_generator as generator  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
ZONES = 10


def node(index):
    name, allocatable = f"node-{index:05d}", {"cpu": "32", "memory": "128Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{index % ZONES}"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"capacity": allocatable, "allocatable": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}}


def spec(cpu="100m", **more):
    return {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10",
                            "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}], **more}


def pod(index, nodes):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"old-{index:06d}", "namespace": "default", "uid": f"old-{index:06d}", "labels": {"app": f"app-{index % 500}"}},
            "spec": {**spec(), "nodeName": f"node-{index % nodes:05d}"}, "status": {"phase": "Running"}}


def write_dump(path, nodes, pods):
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"apiVersion":"v1","kind":"List","items":[')
        out.write(",\n".join(json.dumps(node(i)) for i in range(nodes)))
        for i in range(pods):
            out.write(",\n" + json.dumps(pod(i, nodes)))
        out.write("]}")


def deployment(replicas, name="new", **more):
    template = {"metadata": {"labels": {"app": name}}, "spec": spec(**more)}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}}


SPREAD = [{"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
           "labelSelector": {"matchLabels": {"app": "new"}}}]
QUESTIONS = {
    "explain": ("GET", "explain/pods/default/old-000007", None),
    "explain, every node": ("GET", "explain/pods/default/bench-q0?nodes=true", None),
    "plan of 1,000 pods": ("POST", "plan", {"objects": [deployment(1000)]}),
    "capacity by node": ("POST", "capacity", {"pods": [deployment(1)]}),
    "capacity, spread, 1,000": ("POST", "capacity", {"pods": [deployment(1, topologySpreadConstraints=SPREAD)], "limit": 1000}),
}


class Asker(threading.Thread):
    """Asks one question after the other until it is told to end."""

    def __init__(self, up):
        super().__init__()
        self.up, self.ends = up, threading.Event()
        self.took = {name: [] for name in QUESTIONS}
        self.errors = []

    def run(self):
        while not self.ends.is_set() and not self.errors:
            for name, (method, path, question) in QUESTIONS.items():
                start = time.monotonic()
                status, text = self.up.request(method, "/berth/v1/" + path, json.dumps(question) if question else None, timeout=60)
                self.took[name].append((time.monotonic() - start) * 1000)
                if status != 200:
                    self.errors.append(f"{name}: {status} {text[:300]}")
                if self.ends.is_set():
                    break


def load(program, up, *arguments):
    return generator.run(program, ["-server", up.url], *arguments)


def measure(options, folder):
    dump = pathlib.Path(folder, "dump.json")
    write_dump(dump, options.nodes, options.pods)
    program = generator.build(folder)
    with Up(options.berth, "--import", dump, "--quiet", ready_within=900) as up:
        dump.unlink()
        # Pods of some Deployment have come before, as elsewhere, and the scheduler knows what they spread by.
        up.send("POST", DEPLOYMENTS, deployment(5, "warm"))
        load(program, up, "bind", "-rate", options.rate, "-seconds", 5, "-prefix", "bench-w")
        alone = load(program, up, "bind", "-rate", options.rate, "-seconds", options.seconds, "-prefix", "bench-a")
        asker = Asker(up)
        load(program, up, "create", "-count", 1, "-prefix", "bench-q")
        asker.start()
        asked = load(program, up, "bind", "-rate", options.rate, "-seconds", options.seconds, "-prefix", "bench-b")
        asker.ends.set()
        asker.join()
        assert not asker.errors, asker.errors
        status = pathlib.Path(f"/proc/{up.process.pid}/status").read_text(encoding="utf-8")
    memory_mib = int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.M)[1]) // 1024
    print(f"{options.nodes} nodes, {options.pods} pods on them, {options.rate} pods/s; load {os.getloadavg()[0]:.1f} on "
          f"{os.cpu_count()} processors; {memory_mib} MiB at most")
    print(f"\n{'milliseconds':<28}{'p50':>9}{'max':>9}{'times':>7}")
    for name, took in asker.took.items():
        if took:
            print(f"{name:<28}{statistics.median(took):9.1f}{max(took):9.1f}{len(took):7}")
    print(f"\n{'created to bound, ms':<28}{'p50':>9}{'p99':>9}{'max':>9}{'pods/s':>9}")
    for name, one in (("nobody asks", alone), ("questions are asked", asked)):
        print(f"{name:<28}{one['p50_ms']:9.1f}{one['p99_ms']:9.1f}{one['max_ms']:9.1f}{one['per_second']:9.0f}")


def counts(folder):
    """Whether the machine counts instructions."""
    out = pathlib.Path(folder, "perf.csv")
    if shutil.which("perf") is None:
        return False
    subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "-o", str(out), "true"], check=False)
    return re.search(r"^\d+,", out.read_text(encoding="utf-8"), re.M) is not None


def instructions(options, folder, program, records, with_perf):
    out = pathlib.Path(folder, f"count-{records}")
    counter = (["perf", "stat", "-x,", "-e", "instructions:u", "-o", str(out)] if with_perf else
               ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={out}"])
    up = Up(options.berth, "--nodes", options.nodes, "--quiet", "--decision-records", records, ready_within=900)
    up.command = [*counter, *up.command]
    count = options.load if with_perf else options.load // 10
    with up:
        load(program, up, "create", "-count", count, "-prefix", "bench-r")
        pending = PODS + "?fieldSelector=spec.nodeName%3D&limit=1"
        while up.items(pending):
            time.sleep(0.2)
    text = out.read_text(encoding="utf-8")
    found = re.search(r"^(\d+),", text, re.M) or re.search(r"Collected : (\d+)", text)
    return int(found[1]) / count


def measure_records(options, folder):
    program, with_perf = generator.build(folder), counts(folder)
    none, kept = (instructions(options, folder, program, records, with_perf) for records in ("0", "32Mi"))
    print(f"{options.nodes} nodes, user instructions of the whole process for each pod, by {'perf' if with_perf else 'callgrind'}:")
    print(f"no records {none:,.0f}, 32Mi of records {kept:,.0f}: {(kept / none - 1) * 100:+.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", default=str(ROOT / "build/release/berth"))
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=150_000)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--load", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="berth-foresight-") as folder:
        (measure_records if options.records else measure)(options, folder)


if __name__ == "__main__":
    main()
