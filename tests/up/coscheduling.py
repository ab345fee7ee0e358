#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups of scheduling.x-k8s.io on `berth up`: the example of docs/coscheduling.md, and what is said of bad objects.

    tests/up/coscheduling.py BERTH
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import ROOT, Up, until  # noqa: E402

EXAMPLES = ROOT / "examples/coscheduling"
GROUPS = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups"
PODS = "/api/v1/namespaces/default/pods"


def group(name, members):
    return {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": name}, "spec": {"minMember": members}}


def pod(name, group_name):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"scheduling.x-k8s.io/pod-group": group_name}},
            "spec": {"containers": [{"name": "a", "image": "a"}]}}


def bound(up):
    return [item["metadata"]["name"] for item in up.items(PODS) if item["spec"].get("nodeName")]


def message(up, name):
    conditions = up.get(f"{PODS}/{name}")["status"].get("conditions", [])
    return "".join(condition.get("message", "") for condition in conditions if condition["type"] == "PodScheduled")


def check_example(up):
    """A group that does not fit is not bound in part, and starts when there is room."""
    objects = (EXAMPLES / "train.yaml").read_text(encoding="utf-8").split("\n---\n")
    for path, text in zip([GROUPS, "/apis/apps/v1/namespaces/default/deployments"], objects, strict=True):
        status, answer = up.request("POST", path, text, {"Content-Type": "application/yaml"})
        assert status == 201, answer
    until(lambda: any("gets rejected due to Pod" in message(up, item["metadata"]["name"]) for item in up.items(PODS)),
          "the group to be given up")
    assert not bound(up), "a group is bound in part"
    up.send("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-2"}})
    until(lambda: len(bound(up)) == 4, "the group to start")


def check_orphan(up):
    """A pod whose group does not exist waits for it, and others do not wait for the pod."""
    up.send("POST", PODS, pod("orphan", "late"))
    until(lambda: "PodGroup not found" in message(up, "orphan"), "a pod without its group")
    up.send("POST", PODS, {**pod("alone", "x"), "metadata": {"name": "alone"}})
    until(lambda: "alone" in bound(up), "a pod without the label")
    up.send("POST", GROUPS, group("late", 1))
    until(lambda: "orphan" in bound(up), "a pod whose group has come")


def check_rules(up):
    status, answer = up.request("POST", GROUPS, json.dumps(group("none", 0)), {"Content-Type": "application/json"})
    assert status == 422 and "spec.minMember in body should be greater than or equal to 1" in json.loads(answer)["message"], answer
    changed = up.get(f"{GROUPS}/late")
    assert changed["metadata"]["generation"] == 1
    changed["spec"]["minMember"] = 2
    assert up.send("PUT", f"{GROUPS}/late", changed)["metadata"]["generation"] == 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("berth")
    berth = pathlib.Path(parser.parse_args().berth).resolve()
    with Up(berth, "--nodes", "1", "--config", EXAMPLES / "scheduler.yaml") as up:
        check_example(up)
        check_orphan(up)
        check_rules(up)
    print("groups start together, or not at all")


if __name__ == "__main__":
    sys.exit(main())
