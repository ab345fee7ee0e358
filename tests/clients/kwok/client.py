# SPDX-License-Identifier: Apache-2.0
"""kwok: it plays the nodes, on which the live scheduler of Berth puts pods."""
import kwok_nodes
from server import until

PODS = "/api/v1/namespaces/default/pods"
COUNT = 40


def pod(name, cpu="300m", **metadata):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": {
        "containers": [{"name": "main", "image": "main", "resources": {"requests": {"cpu": cpu}}}]}}


def run(context):
    kwok = kwok_nodes.build(context)
    with kwok_nodes.cluster(context, kwok, 4) as up:
        for node in up.items("/api/v1/nodes"):  # There is no controller that takes away the taint of nodes that are new.
            up.send("PATCH", f"/api/v1/nodes/{node['metadata']['name']}", {"spec": {"taints": None}}, "application/merge-patch+json")
        for index in range(COUNT):
            up.send("POST", PODS, pod(f"pod-{index}"))
        until(lambda: sum(one["status"]["phase"] == "Running" and "podIP" in one["status"] for one in up.items(PODS)) == COUNT, "all pods run")
        nodes = [one["spec"]["nodeName"] for one in up.items(PODS)]
        assert {nodes.count(node) for node in set(nodes)} == {10}, nodes
        # There is no room for this one until others have gone; kwok deletes what was told to go.
        up.send("POST", PODS, pod("waiting", cpu="2"))
        until(lambda: any(one["type"] == "PodScheduled" and one["status"] == "False" for one in
                          up.get(f"{PODS}/waiting")["status"].get("conditions", [])), "a pod is too large")
        for index in range(COUNT):
            up.send("DELETE", f"{PODS}/pod-{index}")
        until(lambda: [one["metadata"]["name"] for one in up.items(PODS)] == ["waiting"], "the pods have gone")
        until(lambda: up.get(f"{PODS}/waiting")["status"]["phase"] == "Running", "the waiting pod runs")
        # The owner makes it end.
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "00000000-0000-0000-0000-000000000001"}
        up.send("POST", PODS, pod("task", ownerReferences=[owner]))
        until(lambda: up.get(f"{PODS}/task")["status"]["phase"] == "Succeeded", "the pod of a Job succeeds")
