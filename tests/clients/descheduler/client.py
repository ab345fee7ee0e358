# SPDX-License-Identifier: Apache-2.0
"""descheduler: it evicts what crowds one node once there are others, and keeps to a disruption budget."""
import collections
import time

from server import until

PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
HARMLESS = "violate the pod's disruption budget"  # Which it asks again in every round.
SETTLE_S = 6  # Three more rounds, in which nothing is left to be done.


def deployment(name, replicas, cpu):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": {
            "containers": [{"name": "main", "image": name, "resources": {"requests": {"cpu": cpu}}}]}}}}


def pods(up, app):
    """Those that run, by name, with their nodes."""
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in up.items(f"{PODS}?labelSelector=app%3D{app}")
            if pod["status"]["phase"] == "Running"}


def run(context):
    program = context.go_build("sigs.k8s.io/descheduler/cmd/descheduler")
    command = [program, "--policy-config-file", context.source / "policy.yaml", "--secure-port=0", "--v=2"]
    with context.up("--nodes", 1) as up:
        up.send("POST", BUDGETS, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "guarded"}, "spec": {
            "maxUnavailable": 0, "selector": {"matchLabels": {"app": "guarded"}}}})
        counts = {"web": 6, "guarded": 2, "large": 4}
        for name, cpu in (("web", "100m"), ("guarded", "100m"), ("large", "1")):
            up.send("POST", DEPLOYMENTS, deployment(name, counts[name], cpu))
            until(lambda app=name: len(pods(up, app)) == counts[app], f"{name} runs")
        until(lambda: up.get(f"{BUDGETS}/guarded")["status"].get("expectedPods") == 2, "the budget knows its pods")
        before = {name: pods(up, name) for name in counts}
        context.run([context.berth, "node", "add", "2", "--kubeconfig", up.kubeconfig])

        with context.running([*command, f"--kubeconfig={up.kubeconfig}", "--descheduling-interval=2s", "--leader-elect",
                              "--leader-elect-resource-namespace=default"], HARMLESS) as output:
            def is_even(name):
                placed = pods(up, name)
                return len(placed) == counts[name] and max(collections.Counter(placed.values()).values()) <= -(-counts[name] // 3)

            until(lambda: is_even("web") and is_even("large"), "the pods are spread", 60)
            time.sleep(SETTLE_S)
            assert is_even("web") and is_even("large")
            assert HARMLESS in output.read_text(encoding="utf-8"), "no budget was in the way"
        assert pods(up, "guarded") == before["guarded"], "a budget was not kept to"
        evicted = {event["regarding"]["name"] for event in up.items(EVENTS) if event.get("action") == "Descheduled" and event["type"] == "Normal"}
        gone = {pod for name in counts for pod in before[name]} - {pod for name in counts for pod in pods(up, name)}
        assert gone and gone <= evicted, (gone, evicted)
        assert up.get("/apis/coordination.k8s.io/v1/namespaces/default/leases/descheduler")
