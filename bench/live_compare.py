#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Berth with kube-scheduler on a real kube-apiserver: CPU per pod and memory.

    bench/live_compare.py [--nodes 5000] [--pods 2000] [--workload plain] [--runs 3] [--json FILE]
    bench/live_compare.py --workload plain --runs 3 --berth old/berth --berth build/release/berth

All find the same pending pods and the same nodes when they start, one after the other on one control plane, and all of
them once per run, so that what else the machine does falls on all. CPU is all that the process has used once the last pod
is bound and the events are written; of Berth's threads, "decides" is the core's and the rest is that of the sockets.
Several builds of Berth may take part. Client limits are lifted; kube-scheduler samples nodes as it does by default, Berth
looks at all of them. With --arriving the pods come while the scheduler is ready and waiting. tests/e2e/servers/build.sh
makes the servers.
"""
import argparse
import concurrent.futures
import http.client
import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "live"), str(ROOT / "bench" / "compare")]
import live  # noqa: E402
import usage  # noqa: E402

ZONES = 10
CONNECTIONS = 8
APPS = 1000
UPSTREAM = "kube-scheduler"
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def node(index):
    name = f"node-{index:05d}"
    capacity = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {HOST: name, "kubernetes.io/os": "linux", ZONE: f"zone-{index % ZONES}"}},
            "status": {"capacity": capacity, "allocatable": capacity, "conditions": [{"type": "Ready", "status": "True"}]}}


def spread(labels, spec, index):
    """A hard limit over zones and a soft one over nodes."""
    spec["topologySpreadConstraints"] = [
        {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": {"matchLabels": dict(labels)}}
        for key, when in ((ZONE, "DoNotSchedule"), (HOST, "ScheduleAnyway"))]


def affinity(labels, spec, index):
    """Groups of ten pods that must share a zone."""
    labels["group"] = f"g{index % 200}"
    spec["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"group": labels["group"]}}}]}}


def apps(labels, spec, index):
    """A thousand apps, whose replicas keep off each other's nodes and like to share a zone."""
    labels["app"] = f"app-{index % APPS}"
    selector = {"labelSelector": {"matchLabels": {"app": labels["app"]}}}
    spec["affinity"] = {
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": HOST, **selector}]},
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 10, "podAffinityTerm": {"topologyKey": ZONE, **selector}}]}}


def different(labels, spec, index):
    """No two pods request the same."""
    spec["containers"][0]["resources"]["requests"] = {"cpu": f"{50 + index % 97}m", "memory": f"{100 + index}Mi"}


WORKLOADS = {"plain": lambda *_: None, "spread": spread, "affinity": affinity, "apps": apps, "different": different}


def pod(workload, index):
    spec = {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10",
                            "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}}}]}
    labels = {"app": workload}
    WORKLOADS[workload](labels, spec, index)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{workload}-{index:05d}", "namespace": "default", "labels": labels},
            "spec": spec}


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(work, items))


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


def cpu(pid):
    return usage.of_process(pid), usage.of_core(pid) or 0


def measure(plane, command, workload, pods, folder, arriving):
    config = write_files(plane, folder)
    port = live.free_port()
    if not arriving:
        create_pods(plane, workload, pods)
    with open(folder / "scheduler.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command + [f"--config={config}", f"--secure-port={port}", "--bind-address=127.0.0.1"],
                                   stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        before, start = (0, 0), time.monotonic()
        if arriving:
            await_ready(process, port)
            time.sleep(2)
            before, start = cpu(process.pid), time.monotonic()
            create_pods(plane, workload, pods)
        end = time.monotonic() + 600
        while pending(plane) > 0:
            if time.monotonic() > end:
                raise RuntimeError("pods are still pending after ten minutes")
            time.sleep(0.5)
        elapsed = time.monotonic() - start
        time.sleep(2)  # Events may still be written.
        after = cpu(process.pid)
        return {"cpu_ms_per_pod": (after[0] - before[0]) * 1000 / pods, "core_ms_per_pod": (after[1] - before[1]) * 1000 / pods,
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


def summary(workload, results):
    """The ratios of each run to that of kube-scheduler beside it: the median and how far they lie apart."""
    for name, runs in results.items():
        if name == UPSTREAM:
            continue
        ratios = [theirs["cpu_ms_per_pod"] / ours["cpu_ms_per_pod"] for ours, theirs in zip(runs, results[UPSTREAM])]
        memory = [theirs["VmRSS"] / ours["VmRSS"] for ours, theirs in zip(runs, results[UPSTREAM])]
        yield (f"{workload:10} {name}: {statistics.median(run['cpu_ms_per_pod'] for run in runs):.3f} ms; CPU per pod "
               f"1/{statistics.median(ratios):.1f} (1/{min(ratios):.1f} to 1/{max(ratios):.1f}), RSS 1/{statistics.median(memory):.1f}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=2000)
    parser.add_argument("--workload", choices=WORKLOADS, action="append")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--arriving", action="store_true")
    parser.add_argument("--berth", action="append", help="several are compared")
    parser.add_argument("--bin", default=str(ROOT / "build/e2e/bin"))
    parser.add_argument("--json", type=pathlib.Path, help="where all results go as well")
    parser.add_argument("--etcd-port", type=int, default=23379)
    parser.add_argument("--api-port", type=int, default=27443)
    return parser.parse_args()


def main():
    options = parse_arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-bench-"))
    plane = live.ControlPlane(options.bin, str(folder / "plane"), options.etcd_port, options.api_port)
    builds = options.berth or [str(ROOT / "build/release/berth")]
    schedulers = {UPSTREAM: [f"{options.bin}/kube-scheduler"]}
    for number, build in enumerate(builds):
        schedulers["berth" if len(builds) == 1 else f"berth {number + 1}"] = [build, "scheduler"]
    everything = {}
    try:
        plane.start()
        in_parallel(lambda i: plane.api("POST", "/api/v1/nodes", node(i)), range(options.nodes))
        print(f"{options.nodes} nodes, {options.pods} pods per workload")
        print(f"{'workload':10} {'scheduler':15} {'ms CPU/pod':>10} {'decides':>8} {'seconds':>8} {'RSS MiB':>8} {'peak MiB':>9}")
        for workload in options.workload or WORKLOADS:
            results = everything[workload] = {name: [] for name in schedulers}
            for _ in range(options.runs):
                for name, command in schedulers.items():
                    result = measure(plane, command, workload, options.pods, folder, options.arriving)
                    results[name].append(result)
                    print(f"{workload:10} {name:15} {result['cpu_ms_per_pod']:10.3f} {result['core_ms_per_pod']:8.3f} "
                          f"{result['elapsed_s']:8.1f} {result['VmRSS']:8.0f} {result['VmHWM']:9.0f}", flush=True)
            print(*summary(workload, results), sep="\n", flush=True)
            if options.json:
                options.json.write_text(json.dumps({"nodes": options.nodes, "pods": options.pods, "results": everything}, indent=1))
    finally:
        plane.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
