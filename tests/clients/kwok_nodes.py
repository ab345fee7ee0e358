# SPDX-License-Identifier: Apache-2.0
"""Nodes that kwok plays on a `berth up --api-only`, and a `berth scheduler` that puts pods on them."""
import contextlib
import pathlib

from clients import HERE, Context
from server import until

STAGES = ("node/fast/node-initialize", "node/heartbeat-with-lease/node-heartbeat-with-lease",
          "pod/fast/pod-ready", "pod/fast/pod-complete", "pod/fast/pod-delete")
# A deletion without grace is seen as a change first. kwok answers that by deleting once more.
HARMLESS = "failed to delete pod [^ ]+ pods [^ ]+ not found"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


def build(context):
    """The program, and the files with which it comes: how nodes and pods get on."""
    own = Context("kwok", context.berth, context.folder)
    program = own.go_build("sigs.k8s.io/kwok/cmd/kwok")
    module = pathlib.Path(own.fetch([own.tool("go"), "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok"], cwd=HERE / "kwok"))
    return [program, *(f"--config={module}/kustomize/stage/{stage}.yaml" for stage in STAGES)]


@contextlib.contextmanager
def cluster(context, kwok, count):
    """A server on which nothing acts but kwok, with so many nodes, and a scheduler."""
    with context.up("--api-only") as up:
        with context.running([*kwok, f"--kubeconfig={up.kubeconfig}", "--manage-all-nodes", "--node-lease-duration-seconds=40"],
                             HARMLESS, cwd=context.folder), \
             context.running([context.berth, "scheduler", f"--kubeconfig={up.kubeconfig}", "--leader-elect=false", "--secure-port=0"]):
            for index in range(count):
                up.send("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {
                    "name": f"kwok-{index}", "labels": {"kubernetes.io/hostname": f"kwok-{index}"}},
                    "status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"}, "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}}})
            until(lambda: sum(is_ready(node) for node in up.items("/api/v1/nodes")) == count, "kwok's nodes are ready")
            until(lambda: len(up.items(LEASES)) == count, "kwok's nodes have leases")
            yield up


def is_ready(node):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"].get("conditions", []))
