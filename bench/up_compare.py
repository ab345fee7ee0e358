#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `berth up` with a real etcd and kube-apiserver: start, memory, pod creations, watches; then its own limits.

    bench/up_compare.py [--berth build/release/berth] [--bin build/e2e/bin] [--only REGEX] [--pods 20000]

One load generator (bench/up_load, built with Go) drives both over HTTP/1.1, with the same requests. kube-apiserver is
reached by TLS, since it serves nothing else, and its memory is that of it and etcd. What has no counterpart is measured
on Berth alone: 100,000 pods and 5,000 nodes; a Deployment of 10,000 replicas. Each figure comes with the load of the
machine (runnable processes per processor in the last minute). tests/e2e/servers/build.sh makes the servers.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/live"))
sys.path.insert(0, str(ROOT / "tests/up"))
import live  # noqa: E402
from server import Up  # noqa: E402
import load_generator as generator  # noqa: E402

PATIENCE_S = 900
PODS_PER_NODE = 80  # Of those that the load tool makes.


def memory_mib(pid, field="VmRSS"):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(rf"^{field}:\s+(\d+) kB", status, re.M)[1]) / 1024


def node(index):
    capacity = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    name = f"node-{index}"
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"capacity": capacity, "allocatable": capacity, "conditions": [{"type": "Ready", "status": "True"}]}}


class Real:
    """etcd and kube-apiserver."""

    name = "etcd + kube-apiserver"

    def __init__(self, binaries, folder):
        etcd_port, _, api_port = live.free_port(), live.free_port(), live.free_port()  # etcd takes two.
        self.plane = live.ControlPlane(binaries, str(folder), etcd_port, api_port)

    def __enter__(self):
        start = time.monotonic()
        try:
            self.plane.start()
        except BaseException:
            self.plane.stop()
            raise
        self.ready_ms = (time.monotonic() - start) * 1000
        for index in range(100):
            self.plane.api("POST", "/api/v1/nodes", node(index))
        return self

    def __exit__(self, *_):
        self.plane.stop()

    def address(self):
        return ["-server", f"https://{live.HOST}:{self.plane.ap}", "-token", live.ADMIN]

    def memory(self, field="VmRSS"):
        return sum(memory_mib(process.pid, field) for process in self.plane.procs)


class Ours:
    """`berth up`."""

    name = "berth up"

    def __init__(self, berth, *args):
        self.up = Up(berth, *args, ready_within=120)

    def __enter__(self):
        start = time.monotonic()
        self.up.__enter__()
        self.ready_ms = (time.monotonic() - start) * 1000
        return self

    def __exit__(self, *_):
        self.up.stop()

    def address(self):
        return ["-server", self.up.url]

    def memory(self, field="VmRSS"):
        return self.up.memory_mib(field)

    def count(self, selector):
        status, body = self.up.request("GET", f"/api/v1/pods?fieldSelector={selector}&limit=1", timeout=60)
        assert status == 200, body
        listed = json.loads(body)
        return len(listed["items"]) + listed["metadata"].get("remainingItemCount", 0)


class Table:
    def __init__(self, only):
        self.only = only
        print(f"{'measured':44} {'target':>12} {'berth up':>12} {'real':>12} {'ratio':>7} {'load':>5}", flush=True)

    def wants(self, subject):
        return re.search(self.only, subject) is not None

    def row(self, what, target, ours, real=None, more_is_better=False):
        ratio = "" if not real else f"{ours / real if more_is_better else real / ours:.1f}"
        load = os.getloadavg()[0] / os.cpu_count()
        print(f"{what:44} {target:>12} {ours:12,.1f} {'' if real is None else format(real, ',.1f'):>12} {ratio:>7} {load:5.1f}", flush=True)


def load(tool, server, *args):
    return generator.run(tool, server.address(), *args, patience=PATIENCE_S)


def compare(options, table, tool, folder):
    """Both, one after the other."""
    found = {}
    for make in (lambda: Real(options.bin, folder / "plane"), lambda: Ours(options.berth, "--nodes", 100, "--no-scheduler")):
        with make() as server:
            time.sleep(1)
            result = found[server.name] = {"ready": server.ready_ms, "idle": server.memory()}
            result["creation"] = load(tool, server, "create", "-count", options.pods)["per_second"]
            result["after"] = server.memory()
    others = {}
    enough = options.pods // PODS_PER_NODE + 1
    for name, args in (("--api-only", ["--api-only"]), ("scheduler on", ["--nodes", enough])):
        with Ours(options.berth, *args) as server:
            others[name] = load(tool, server, "create", "-count", options.pods)["per_second"]
    real, ours = found[Real.name], found[Ours.name]
    table.row("ready after, ms", "< 150", ours["ready"], real["ready"])
    table.row("memory with 100 nodes, MiB", "< 40", ours["idle"], real["idle"])
    table.row("pod creations/s, 8 connections", ">= 10x", ours["creation"], real["creation"], True)
    for name, creation in others.items():
        table.row(f"the same, {name}", ">= 10x", creation, real["creation"], True)
    table.row(f"memory after {options.pods:,} pods, MiB", "", ours["after"], real["after"])


def watchers(options, table, tool, folder):
    found = {}
    for make in (lambda: Real(options.bin, folder / "watched"), lambda: Ours(options.berth, "--api-only")):
        with make() as server:
            found[server.name] = load(tool, server, "watch", "-watchers", 100, "-rate", 2000, "-seconds", 10)
            found[server.name]["memory"] = server.memory("VmHWM")
    real, ours = found[Real.name], found[Ours.name]
    table.row("watchers of 100 that heard everything", "100", ours["kept_up"], real["kept_up"], True)
    table.row("100 watchers: changes/s", "2,000", ours["changes_per_second"], real["changes_per_second"], True)
    table.row("events/s to all of them", "200,000", ours["events_per_second"], real["events_per_second"], True)
    table.row("lag, median, ms", "", ours["lag_p50_ms"], real["lag_p50_ms"])
    table.row("lag, 99 of 100, ms", "", ours["lag_p99_ms"], real["lag_p99_ms"])
    table.row("lag of the last event, slowest watcher, ms", "keeps up", ours["lag_of_last_max_ms"], real["lag_of_last_max_ms"])
    table.row("peak memory, MiB", "", ours["memory"], real["memory"])


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("it takes too long")
        time.sleep(0.25)


def large(options, table, tool, _):
    """100,000 pods on 5,000 nodes, all running."""
    with Ours(options.berth, "--nodes", 5000) as server:
        table.row("ready with 5,000 nodes after, ms", "", server.ready_ms)
        table.row("memory with 5,000 nodes, MiB", "", server.memory())
        start = time.monotonic()
        load(tool, server, "create", "-count", 100_000)
        until(lambda: server.count("status.phase%3DPending") == 0)
        table.row("100,000 pods created, bound, Running, s", "", time.monotonic() - start)
        table.row("memory with 100,000 pods, MiB", "< 1,536", server.memory())
        table.row("peak, MiB", "< 1,536", server.memory("VmHWM"))


def deployment(options, table, _tool, _folder):
    with Ours(options.berth, "--nodes", 5000) as server:
        container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}
        body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
                "spec": {"replicas": 10_000, "selector": {"matchLabels": {"app": "web"}},
                         "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}}
        path = "/apis/apps/v1/namespaces/default/deployments"
        start = time.monotonic()
        status, answer = server.up.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        assert status == 201, answer
        until(lambda: json.loads(server.up.request("GET", path + "/web", timeout=60)[1])["status"].get("availableReplicas") == 10_000)
        table.row("10,000 replicas on 5,000 nodes available, s", "", time.monotonic() - start)
        table.row("memory, MiB", "", server.memory())
        time.sleep(2)
        print("the command says:", *re.findall(r"bound .*", server.up.log()), sep="\n  ")


SUBJECTS = [compare, watchers, large, deployment]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", type=pathlib.Path, default=ROOT / "build/release/berth")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/e2e/bin")
    parser.add_argument("--only", default="", metavar="REGEX", help=", ".join(subject.__name__ for subject in SUBJECTS))
    parser.add_argument("--pods", type=int, default=20_000, help="how many to create in the comparison")
    options = parser.parse_args()
    options.berth, options.bin = options.berth.resolve(), options.bin.resolve()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # By way of the cleaning up.
    with tempfile.TemporaryDirectory(prefix="berth-bench-") as name:
        folder = pathlib.Path(name)
        tool = generator.build(folder)
        table = Table(options.only)
        for subject in SUBJECTS:
            if table.wants(subject.__name__):
                subject(options, table, tool, folder)


if __name__ == "__main__":
    main()
