#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Applies what `berth explain` says would place a pod, and looks whether it does.

    tests/foresight/counterfactuals.py BERTH [--pods 1000] [--undone 300] [--first SEED] [--jobs 4]

Pods are generated that find no place in generated clusters, by all plugins. Each change that is shown for one of them is made
through the API server of a `berth up` of its own, and the pod must get a node. Then pods that fit are changed in one
way so that they do not: undoing that must be the first change shown.
"""
import argparse
import collections
import concurrent.futures
import copy
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "up")]

from cluster import RunningCluster  # noqa: E402
from generated import GATES, Generator  # noqa: E402

def patched(item, patch):
    """By a JSON patch (RFC 6902) of additions, replacements and removals."""
    item = copy.deepcopy(item)
    for operation in patch:
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        place = item
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        if operation["op"] == "remove":
            del place[int(last) if isinstance(place, list) else last]
        elif isinstance(place, list) and operation["op"] == "add":
            place.insert(len(place) if last == "-" else int(last), operation["value"])
        else:
            assert operation["op"] == "add" or last in place or isinstance(place, list), operation
            place[int(last) if isinstance(place, list) else last] = operation["value"]
    return item


def explain(berth, objects):
    """What `berth explain` shows for the pod p; nothing: it has a place."""
    done = subprocess.run([berth, "explain", "pod", "p", "--cluster", "-", "--feature-gates", GATES, "-o", "json"],
                          input="\n---\n".join(map(json.dumps, objects)), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout).get("counterfactuals")


def apply(berth, cluster, pending, change, patience):
    """The node that the pod gets after the change; nothing: none."""
    pending = copy.deepcopy(pending)
    for patch in change.get("patches", []):
        places = [i for i, item in enumerate(pending) if (item["kind"], item["metadata"]["name"]) == (patch["kind"], patch["name"])]
        assert places, f"there is no {patch['kind']} {patch['name']}"
        pending[places[0]] = patched(pending[places[0]], patch["patch"])
    assert {"patches", "change"} & change.keys(), f"cannot be made: {change}"
    with RunningCluster(berth, cluster) as up:
        for item in change.get("objects", []):
            up.create(item)
        if "change" in change:
            up.change(change["change"])
        for item in pending:
            up.create(item)
        # A preemptor is woken by the victim that goes last, if what kept it away looks at that one; otherwise it is tried
        # again after minutes, as upstream does.
        return up.is_placed("p", patience) or (change["kind"] == "preempt" and up.has_room("p", change["victims"]))


def try_pending(berth, seed, patience):
    """The changes that are shown for the pod of this seed, each with what is wrong with it; None: the pod has a place."""
    cluster, pending = Generator(seed).pending(seed)
    answer = explain(berth, cluster + pending)
    if answer is None:
        return None
    tried = []
    for change in answer["changes"]:
        try:
            tried.append((change, "" if apply(berth, cluster, pending, change, patience) else "the pod waits"))
        except AssertionError as failure:
            tried.append((change, str(failure)))
    return tried


def try_undone(berth, seed, _):
    """The kind of change that has to be first for the pod of this seed, and what is; None: it is no case."""
    cluster, fits, changed, expected = Generator(seed).broken(seed)
    if explain(berth, cluster + fits) is not None:
        return None  # It did not fit before.
    answer = explain(berth, cluster + changed)
    if answer is None:
        return None  # It still fits.
    shown = [(change["kind"], change["text"]) for change in answer["changes"]] or [("nothing", answer["message"])]
    return expected, shown


def cases(function, asked, count):
    """So many seeds for which there is a case, with what the function says."""
    berth, seed = str(asked.berth.resolve()), asked.first
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        while count > 0:
            seeds = range(seed, seed + 4 * asked.jobs)
            seed += len(seeds)
            for each, result in zip(seeds, pool.map(lambda one: function(berth, one, asked.patience), seeds)):
                if result is not None and count > 0:
                    count -= 1
                    yield each, result


def check_pending(asked):
    kinds, silent, wrong = collections.Counter(), 0, 0
    for seed, tried in cases(try_pending, asked, asked.pods):
        silent += not tried
        kinds.update(change["kind"] for change, _ in tried)
        for change, problem in tried:
            if problem:
                wrong += 1
                print(f"seed {seed}: {change['text']}: {problem}", flush=True)
    print(f"{asked.pods} pods that fit nowhere: {kinds.total()} changes shown, {wrong} did not place the pod; none shown for {silent}")
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    return wrong


def check_undone(asked):
    kinds, wrong = collections.Counter(), 0
    for seed, (expected, shown) in cases(try_undone, asked, asked.undone):
        kinds[expected] += 1
        if shown[0][0] != expected:
            wrong += 1
            print(f"seed {seed}: {expected} is not first: {shown[:3]}", flush=True)
    print(f"{asked.undone} pods that one change keeps away: undoing it is first for all but {wrong}")
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("--pods", type=int, default=12)
    parser.add_argument("--undone", type=int, default=19)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--patience", type=float, default=10, help="seconds until a pod has to have its node")
    parser.add_argument("--jobs", type=int, default=4)
    asked = parser.parse_args()
    return 1 if check_pending(asked) + check_undone(asked) else 0


if __name__ == "__main__":
    sys.exit(main())
