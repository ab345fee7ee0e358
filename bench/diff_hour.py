#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares an hour in the life of a large cluster under two configurations, and says how long that takes.

    bench/diff_hour.py BERTH [--nodes 5000] [--pods 100000] [--limit 60] [--log FILE]

The hour is a timeline, run and recorded by `berth simulate`: pods of four kinds come, some of which spread or may evict others, and a
tenth of the nodes is drained in turn. `berth diff` then makes of the recording what upstream's defaults and a
configuration that packs would have made of it. It fails if that takes longer than the limit, in seconds. An hour that
was recorded before is taken from --log.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from simulate_inputs import node, write

DEFAULTS = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
PACKING = dict(DEFAULTS, profiles=[{"schedulerName": "default-scheduler", "pluginConfig": [{
    "name": "NodeResourcesFit", "args": {"scoringStrategy": {
        "type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]}}}]}])
# Share of all pods, how long they run, what they ask for, and what else they say.
KINDS = (
    ("batch", 0.5, "10m", "5", {}),
    ("web", 0.3, "5m", "2", {"topologySpreadConstraints": [{
        "maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"kind": "web"}}}]}),
    ("train", 0.1, "20m", "16", {}),
    ("urgent", 0.1, "2m", "8", {"priorityClassName": "urgent"}))


def timeline(nodes, pods):
    arrivals = [{
        "from": "0s", "until": "1h", "rate": f"{round(pods * share)}/h", "poisson": True, "runs": runs,
        "pod": {"metadata": {"generateName": f"{kind}-", "labels": {"kind": kind}},
                "spec": dict(rules, containers=[{"name": "main", "image": "registry.example.com/job:1", "resources": {
                    "requests": {"cpu": cpu, "memory": "4Gi"}}}])}} for kind, share, runs, cpu, rules in KINDS]
    events = [{"at": "0s", "create": {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                                      "metadata": {"name": "urgent"}, "value": 1000}}]
    drained = nodes // 10
    for i in range(drained):
        second = 600 + 2400 * i // drained
        events += [{"at": f"{second}s", "drain": {"name": f"node-{i:05}"}},
                   {"at": f"{second + 300}s", "patch": {"kind": "Node", "name": f"node-{i:05}", "patch": {"spec": {"unschedulable": False}}}}]
    return {"events": events, "arrivals": arrivals}


def measured(command):
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, cpu = time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{command[1]}: {seconds:.1f} s, {cpu:.1f} s of cpu, {after.ru_maxrss >> 10} MB")
    if done.returncode not in (0, 1):
        sys.exit(f"exit code {done.returncode}")
    return seconds, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=100000)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--log", type=pathlib.Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        log = asked.log or folder / "hour.log"
        if not log.exists():
            write(folder / "nodes.json", (node(i, False) for i in range(asked.nodes)))
            (folder / "timeline.json").write_text(json.dumps(timeline(asked.nodes, asked.pods)), encoding="utf-8")
            _, said = measured([asked.berth, "simulate", "-f", folder / "nodes.json", "--timeline", folder / "timeline.json",
                                "--until", "1h", "--summary", "--record", log])
            print(said.splitlines()[-1])
        for name, configuration in (("defaults", DEFAULTS), ("packing", PACKING)):
            (folder / f"{name}.yaml").write_text(json.dumps(configuration), encoding="utf-8")
        seconds, said = measured([asked.berth, "diff", "--config", folder / "defaults.yaml", "--config", folder / "packing.yaml", "--log", log])
    print("".join(line for line in said.splitlines(keepends=True) if not line.startswith("  ")))
    if seconds > asked.limit:
        sys.exit(f"longer than {asked.limit:g} s")


if __name__ == "__main__":
    main()
