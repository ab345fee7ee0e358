#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans rollouts on a `berth up`, applies them there, and looks whether what was planned has come.

    tests/foresight/plans.py BERTH [--clusters 200] [--first SEED] [--jobs 4]

Each cluster is generated, and gets one to three workloads, one after the other. Before each, `berth plan` is asked with the seed of the
scheduler. Afterwards every owner must have the nodes that were planned for its pods, and those and no others must have
been evicted that were planned; pods of one owner on one node are alike. Where pods are evicted, it depends on real time who comes
first: a cluster for which something else came is made again, twice at most.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "up")]

from cluster import RunningCluster, path_of  # noqa: E402
from generated import Generator  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
RUNS = 3
# Nodes by owner, or by pod if it has none, "" for none: of pods that came, and of those that were evicted.
Outcome = collections.namedtuple("Outcome", "nodes victims")


def owner_of(up, pod):
    """As `berth plan` calls it."""
    for owner in pod["metadata"].get("ownerReferences", []):
        if owner["kind"] == "ReplicaSet":
            above = up.get(f"/apis/apps/v1/namespaces/default/replicasets/{owner['name']}")
            for reference in (above or {"metadata": {}})["metadata"].get("ownerReferences", []):
                return f"{reference['kind']} default/{reference['name']}"
        return f"{owner['kind']} default/{owner['name']}"
    return pod["metadata"]["name"]


def collect(pairs):
    nodes = {}
    for owner, node in pairs:
        nodes.setdefault(owner, []).append(node)
    return {owner: sorted(of_owner) for owner, of_owner in nodes.items()}


def planned(answer, before):
    there = {f"default/{pod['metadata']['name']}" for pod in before}  # Of others that come and are evicted, no trace is left.
    victims = {eviction["pod"]: eviction for eviction in answer["evictions"] if eviction["pod"] in there}
    return Outcome(collect((pod.get("owner") or pod["name"], pod.get("node", "")) for pod in answer["pods"]),
                   collect((victim.get("owner") or name.split("/")[1], victim["node"]) for name, victim in victims.items()))


def happened(up, before):
    pods = up.items(PODS)
    known = {pod["metadata"]["uid"]: pod for pod in before}
    left = {pod["metadata"]["uid"] for pod in pods}

    def has_come(pod):
        """It is new, or waited and has a node."""
        earlier = known.get(pod["metadata"]["uid"])
        return earlier is None or (pod["spec"].get("nodeName") and not earlier["spec"].get("nodeName"))

    return Outcome(collect((owner_of(up, pod), pod["spec"].get("nodeName", "")) for pod in pods if has_come(pod)),
                   collect((owner_of(up, pod), pod["spec"]["nodeName"]) for uid, pod in known.items() if uid not in left))


def settle(up, seconds=40):
    """Until nobody has anything to do: no pod is about to be tried, none waits for a place that is being made."""
    end, last, since = time.monotonic() + seconds, None, 0
    while time.monotonic() < end:
        pods = up.items(PODS)
        queue = up.get("/berth/v1/queue")["counts"]
        state = sorted((pod["metadata"]["uid"], pod["spec"].get("nodeName", ""), pod["status"].get("nominatedNodeName", "")) for pod in pods)
        busy = queue["active"] or queue["backoff"] or queue["binding"] or any(not node and nominated for _, node, nominated in state)
        if busy or state != last:
            last, since = state, time.monotonic()
        elif time.monotonic() - since > 0.4:
            return
        time.sleep(0.05)
    raise AssertionError(f"still something to do after {seconds} s: {queue}")


def check(berth, seed):
    """What differs, as a text; empty: nothing. And how many were evicted and how many wait."""
    generator = Generator(seed)
    differing, evicted, pending = [], 0, 0
    # The nodes of every tenth are equal: the seed chooses.
    objects = generator.equal_nodes() if seed % 10 == 0 else generator.cluster()
    with RunningCluster(berth, objects, "--seed", seed) as cluster:
        up = cluster.up
        settle(up)
        for number in range(generator.randint(1, 3)):
            workload = generator.workload(number)
            before = up.items(PODS)
            asked = subprocess.run([berth, "plan", "-f", "-", "--kubeconfig", up.kubeconfig, "--seed", str(seed), "-o", "json"],
                                   input=json.dumps(workload), capture_output=True, text=True, timeout=60, check=False)
            assert asked.returncode in (0, 1, 3), asked.stderr
            answer = json.loads(asked.stdout)
            up.send("POST", path_of(workload), workload)
            settle(up)
            plan, then = planned(answer, before), happened(up, before)
            evicted += sum(map(len, plan.victims.values()))
            pending += answer["unplaced"]
            if plan != then:
                differing.append(f"seed {seed}, {workload['kind']} {workload['metadata']['name']}:\n  planned {plan}\n  came    {then}")
    return "\n".join(differing), evicted, pending


def check_again(berth, seed):
    """The same, and in how many runs something else came than was planned."""
    for run in range(RUNS):
        text, evicted, pending = check(berth, seed)
        if not text or not evicted:
            break
    return text, evicted, pending, run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("--clusters", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=4)
    asked = parser.parse_args()
    berth = str(asked.berth.resolve())
    differing = evicted = pending = again = 0
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        seeds = range(asked.first, asked.first + asked.clusters)
        for seed, (text, victims, waiting, run) in zip(seeds, pool.map(lambda seed: check_again(berth, seed), seeds)):
            if text:
                print(text, flush=True)
            elif run:
                print(f"seed {seed}: as planned in run {run + 1}", flush=True)
            differing, evicted, pending, again = differing + bool(text), evicted + victims, pending + waiting, again + bool(run)
    print(f"{asked.clusters} clusters: {differing} never had the outcome that was planned, {again} not in the first run; "
          f"{evicted} pods evicted, {pending} without a place")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
