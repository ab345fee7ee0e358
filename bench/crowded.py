#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether pods that fit nowhere hold up those that fit: the time from creation to binding, without them and beside them.

    bench/crowded.py [--berth build/release/berth] [--nodes 5000] [--crowd 10000] [--rate 100] [--seconds 20] [--turns 3]

Pods are created at a rate on `berth up`, in turns: on a cluster with nothing else to do, and on one that has so many
unschedulable pods, of a hundred templates. Pods that are bound change nodes, so that the scheduler may have to look at the
others again. The load generator is bench/up_load, built with Go.
"""
import argparse
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/up"))
from server import Up  # noqa: E402
import load_generator as generator  # noqa: E402

TEMPLATES = 100


def deployment(index, replicas):
    labels = {"app": f"crowd-{index}"}
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": str(1000 + index)}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": f"crowd-{index}"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}}}}


def gather(up, crowd):
    """Makes the pods that fit nowhere, and waits until the scheduler has said so of each."""
    for index in range(TEMPLATES):
        up.send("POST", "/apis/apps/v1/namespaces/default/deployments", deployment(index, crowd // TEMPLATES))
    end = time.monotonic() + 600
    while True:
        metrics = up.request("GET", "/metrics", timeout=60)[1].decode()
        if f'scheduler_pending_pods{{queue="unschedulable"}} {crowd // TEMPLATES * TEMPLATES}\n' in metrics:
            return
        assert time.monotonic() < end, "not all of them were found to be unschedulable"
        time.sleep(0.5)


def measure(options, program, crowd):
    with Up(options.berth, "--nodes", options.nodes, "--quiet", ready_within=120) as up:
        if crowd:
            gather(up, crowd)
        generator.run(program, ["-server", up.url], "bind", "-rate", options.rate, "-seconds", 3, "-prefix", "warm")
        return generator.run(program, ["-server", up.url], "bind", "-rate", options.rate, "-seconds", options.seconds, "-prefix", "fits")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", default=str(ROOT / "build/release/berth"))
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--crowd", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print(f"{'created to bound, ms':<32}{'p50':>8}{'p99':>8}{'max':>8}{'pods/s':>8}")
    with tempfile.TemporaryDirectory(prefix="berth-crowded-") as folder:
        program = generator.build(folder)
        for _ in range(options.turns):
            for crowd in (0, options.crowd):
                one = measure(options, program, crowd)
                print(f"{f'{crowd:,} that fit nowhere':<32}{one['p50_ms']:8.1f}{one['p99_ms']:8.1f}{one['max_ms']:8.1f}{one['per_second']:8.0f}",
                      flush=True)


if __name__ == "__main__":
    main()
