#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Berth with kube-scheduler on a real kube-apiserver: CPU per pod and memory.

    bench/live_compare.py [--nodes 5000] [--pods 2000] [--workload plain] [--berth build/release/berth] [--bin build/e2e/bin]

Both find the same pending pods and the same nodes when they start, one after the other on one control plane. CPU is
all that the process has used once the last pod is bound and the events are written. Client limits are lifted;
kube-scheduler samples nodes as it does by default, Berth looks at all of them. With --arriving the pods come while
the scheduler is ready and waiting. tests/e2e/servers/build.sh makes the servers.
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "live"))
import live  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
ZONES = 10
CONNECTIONS = 8


def node(index):
    name = f"node-{index:05d}"
    capacity = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                                                  "topology.kubernetes.io/zone": f"zone-{index % ZONES}"}},
            "status": {"capacity": capacity, "allocatable": capacity, "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(workload, index):
    spec = {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10",
                            "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}}}]}
    labels = {"app": workload}
    selector = {"matchLabels": {"app": workload}}
    if workload == "spread":
        spec["topologySpreadConstraints"] = [
            {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector}
            for key, when in (("topology.kubernetes.io/zone", "DoNotSchedule"), ("kubernetes.io/hostname", "ScheduleAnyway"))]
    elif workload == "affinity":
        # Groups of ten pods that must share a zone.
        labels["group"] = f"g{index % 200}"
        spec["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "topology.kubernetes.io/zone", "labelSelector": {"matchLabels": {"group": labels["group"]}}}]}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{workload}-{index:05d}", "namespace": "default", "labels": labels},
            "spec": spec}


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(work, items))


def used_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mib(pid):
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return {key: int(status[key].split()[0]) / 1024 for key in ("VmRSS", "VmHWM")}


def write_files(plane, folder):
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": f"https://{live.HOST}:{plane.ap}", "insecure-skip-tls-verify": True}}],
        "users": [{"name": "u", "user": {"token": live.SCHED}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
    config = folder / "config.json"
    config.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": str(kubeconfig), "qps": 10000, "burst": 10000}}))
    return config


def await_ready(process, port, limit=120):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the scheduler ended with {process.returncode}")
        try:
            connection = http.client.HTTPSConnection(live.HOST, port, timeout=2, context=live.tls_client())
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.1)
    raise RuntimeError("the scheduler did not become ready")


def pending(plane):
    """How many pods have no node, by a list that carries nothing else."""
    answer = plane.api("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=1")
    return len(answer["items"]) + answer["metadata"].get("remainingItemCount", 0)


def create_pods(plane, workload, pods):
    in_parallel(lambda i: plane.api("POST", "/api/v1/namespaces/default/pods", pod(workload, i)), range(pods))


def measure(plane, command, workload, pods, folder, arriving):
    config = write_files(plane, folder)
    port = live.free_port()
    if not arriving:
        create_pods(plane, workload, pods)
    with open(folder / "scheduler.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command + [f"--config={config}", f"--secure-port={port}", "--bind-address=127.0.0.1"],
                                   stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        before, start = 0, time.monotonic()
        if arriving:
            await_ready(process, port)
            time.sleep(2)
            before, start = used_seconds(process.pid), time.monotonic()
            create_pods(plane, workload, pods)
        end = time.monotonic() + 600
        while pending(plane) > 0:
            if time.monotonic() > end:
                raise RuntimeError("pods are still pending after ten minutes")
            time.sleep(0.5)
        elapsed = time.monotonic() - start
        time.sleep(2)  # Events may still be written.
        return {"cpu_ms_per_pod": (used_seconds(process.pid) - before) * 1000 / pods,
                "elapsed_s": elapsed, **memory_mib(process.pid)}
    finally:
        live.stop_proc(process, signal.SIGKILL)
        delete_pods(plane, workload, pods)


def delete_pods(plane, workload, pods):
    def delete(index):
        try:
            plane.api("DELETE", f"/api/v1/namespaces/default/pods/{workload}-{index:05d}", {"gracePeriodSeconds": 0})
        except live.ApiError as error:
            if error.status != 404:
                raise
    in_parallel(delete, range(pods))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=2000)
    parser.add_argument("--workload", choices=["plain", "spread", "affinity"], action="append")
    parser.add_argument("--arriving", action="store_true")
    parser.add_argument("--berth", default=str(ROOT / "build/release/berth"))
    parser.add_argument("--bin", default=str(ROOT / "build/e2e/bin"))
    parser.add_argument("--etcd-port", type=int, default=23379)
    parser.add_argument("--api-port", type=int, default=27443)
    options = parser.parse_args()

    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-bench-"))
    plane = live.ControlPlane(options.bin, str(folder / "plane"), options.etcd_port, options.api_port)
    schedulers = {"kube-scheduler": [f"{options.bin}/kube-scheduler"], "berth": [options.berth, "scheduler"]}
    try:
        plane.start()
        in_parallel(lambda i: create_node(plane, i), range(options.nodes))
        print(f"{options.nodes} nodes, {options.pods} pods per workload")
        print(f"{'workload':10} {'scheduler':15} {'ms CPU/pod':>10} {'seconds':>8} {'RSS MiB':>8} {'peak MiB':>9}")
        for workload in options.workload or ["plain", "spread", "affinity"]:
            results = {}
            for name, command in schedulers.items():
                result = results[name] = measure(plane, command, workload, options.pods, folder, options.arriving)
                print(f"{workload:10} {name:15} {result['cpu_ms_per_pod']:10.3f} {result['elapsed_s']:8.1f} "
                      f"{result['VmRSS']:8.0f} {result['VmHWM']:9.0f}", flush=True)
            ours, theirs = results["berth"], results["kube-scheduler"]
            print(f"{workload:10} ratio: CPU per pod 1/{theirs['cpu_ms_per_pod'] / ours['cpu_ms_per_pod']:.1f}, "
                  f"RSS 1/{theirs['VmRSS'] / ours['VmRSS']:.1f}, peak 1/{theirs['VmHWM'] / ours['VmHWM']:.1f}", flush=True)
    finally:
        plane.stop()
        shutil.rmtree(folder, ignore_errors=True)


def create_node(plane, index):
    created = node(index)
    plane.api("POST", "/api/v1/nodes", created)


if __name__ == "__main__":
    main()
