#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nodes and namespaces of `berth up` have without being asked, and `berth node`, which changes nodes.

    tests/up/nodes.py BERTH
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up, until  # noqa: E402

SPREAD = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "spread"}, "spec": {
    "replicas": 8, "selector": {"matchLabels": {"app": "spread"}},
    "template": {"metadata": {"labels": {"app": "spread"}}, "spec": {
        "containers": [{"name": "a", "image": "a"}],
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "spread"}}}]}}}}}}
CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {
    "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
USER = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "user"}, "spec": {
    "containers": [{"name": "a", "image": "a"}],
    "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}}

CORE = "/api/v1"
DEFAULT = CORE + "/namespaces/default"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
EVERY_NAMESPACE = ("default", "kube-system", "kube-public", "kube-node-lease")


class Cluster(Up):
    """A running server, asked about its nodes."""

    def node(self, name):
        return self.get(f"{CORE}/nodes/{name}")

    def ready(self, name):
        node = self.node(name)
        conditions = {c["type"]: c["status"] for c in node["status"].get("conditions", [])}
        taints = [taint["key"] for taint in node["spec"].get("taints", [])]
        return conditions.get("Ready"), taints

    def defaults(self):
        """The uids of what every namespace has, and the names of storage classes."""
        uids = {}
        for ns in EVERY_NAMESPACE:
            for path in (f"{CORE}/namespaces/{ns}/serviceaccounts/default", f"{CORE}/namespaces/{ns}/configmaps/kube-root-ca.crt"):
                found = self.get(path)
                assert found, f"{path} is missing"
                uids[path] = found["metadata"]["uid"]
        return uids, [item["metadata"]["name"] for item in self.items(CLASSES)]


class Node:
    """Runs `berth node`."""

    def __init__(self, berth, kubeconfig):
        self.berth = berth
        self.kubeconfig = str(kubeconfig)

    def run(self, *args, by_environment=False):
        environment = {name: value for name, value in os.environ.items() if name != "KUBECONFIG"}
        if by_environment:
            environment["KUBECONFIG"] = self.kubeconfig
        else:
            args = (*args, "--kubeconfig", self.kubeconfig)
        return subprocess.run([str(self.berth), "node", *args], env=environment, capture_output=True, text=True, check=False, timeout=60)

    def ok(self, *args, **more):
        ended = self.run(*args, **more)
        assert ended.returncode == 0, f"berth node {args}: {ended}"
        return ended.stdout.split("\n")[:-1]

    def fails(self, message, *args, code=1):
        ended = self.run(*args)
        assert ended.returncode == code and message in ended.stderr, f"berth node {args}: {ended}"
        assert not ended.stdout, f"berth node {args} did something: {ended.stdout}"


def check_bare_nodes(cluster):
    """Eight replicas that must not share a host are on eight nodes that kubectl made."""
    for i in range(8):
        cluster.send("POST", f"{CORE}/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"bare-{i}"}})
    cluster.send("POST", "/apis/apps/v1/namespaces/default/deployments", SPREAD)

    def hosts():
        pods = cluster.items(f"{DEFAULT}/pods?labelSelector=app%3Dspread")
        return {pod["spec"].get("nodeName") for pod in pods if pod["status"].get("phase") == "Running"}

    until(lambda: len(hosts()) == 8, "eight replicas run on eight nodes")
    addresses = set()
    for node in cluster.items(f"{CORE}/nodes"):
        addresses |= {a["address"] for a in node["status"]["addresses"] if a["type"] == "InternalIP"}
    assert len(addresses) == 10, addresses
    assert cluster.get(f"{LEASES}/bare-3")["spec"]["holderIdentity"] == "bare-3"
    pod = cluster.items(f"{DEFAULT}/pods")[0]
    assert pod["spec"]["serviceAccountName"] == "default", pod["spec"]


def check_claim(cluster):
    """A claim without a class says why it waits, and is bound with its first user."""
    cluster.send("POST", f"{DEFAULT}/persistentvolumeclaims", CLAIM)

    def reasons():
        return {event["reason"] for event in cluster.items(f"{DEFAULT}/events?fieldSelector=involvedObject.name%3Ddata")}

    until(lambda: "WaitForFirstConsumer" in reasons(), "an event says why the claim waits")
    cluster.send("POST", f"{DEFAULT}/pods", USER)
    until(lambda: cluster.get(f"{DEFAULT}/persistentvolumeclaims/data")["status"]["phase"] == "Bound", "the claim is bound")


def check_commands(cluster, node):
    assert node.ok("add", "2", by_environment=True) == ["node/node-3 added", "node/node-4 added"]
    until(lambda: cluster.ready("node-4") == ("True", []), "a node that was added is ready")
    assert cluster.node("node-4")["metadata"]["labels"]["topology.kubernetes.io/zone"] == "zone-a"

    assert node.ok("resize", "node-3", "node-4", "--cpu", "500m", "--pods", "7", "--resource", "example.com/disk=4") == [
        "node/node-3 resized", "node/node-4 resized"]
    for name in ("node-3", "node-4"):
        status = cluster.node(name)["status"]
        for amounts in (status["capacity"], status["allocatable"]):
            assert (amounts["cpu"], amounts["pods"], amounts["example.com/disk"], amounts["memory"]) == ("500m", "7", "4", "32Gi"), amounts

    assert node.ok("add", "1", "--like", "node-4") == ["node/node-5 added"]
    until(lambda: cluster.ready("node-5") == ("True", []), "a node like another is ready")
    copy = cluster.node("node-5")
    assert copy["status"]["allocatable"]["example.com/disk"] == "4", copy
    assert copy["metadata"]["labels"]["kubernetes.io/hostname"] == "node-5", copy

    assert node.ok("fail", "node-3", "node-4") == ["node/node-3 failed", "node/node-4 failed"]
    unreachable = ["node.kubernetes.io/unreachable"] * 2
    until(lambda: cluster.ready("node-3") == ("Unknown", unreachable) == cluster.ready("node-4"), "failed nodes are tainted")
    assert node.ok("heal", "node-3") == ["node/node-3 healed"]
    until(lambda: cluster.ready("node-3") == ("True", []), "a healed node is ready")
    node.ok("fail", "--not-ready", "node-3")
    until(lambda: cluster.ready("node-3") == ("False", ["node.kubernetes.io/not-ready"] * 2), "a node is not ready")
    node.ok("heal", "node-3", "node-4")
    until(lambda: cluster.ready("node-4") == ("True", []), "all are healed")

    assert node.ok("remove", "node-3", "node-5") == ["node/node-3 removed", "node/node-5 removed"]
    assert cluster.node("node-3") is None and cluster.node("node-5") is None


def check_refusals(cluster, node):
    """Nothing is done in part."""
    before = sorted(item["metadata"]["name"] for item in cluster.items(f"{CORE}/nodes"))
    node.fails('nodes "nowhere" not found', "remove", "node-1", "nowhere")
    node.fails('nodes "nowhere" not found', "fail", "node-1", "nowhere")
    node.fails('nodes "nowhere" not found', "add", "1", "--like", "nowhere")
    node.fails('"no/node" is no name of a node', "heal", "no/node")
    node.fails("nothing to change; give --cpu, --memory, --pods or --resource", "resize", "node-1")
    node.fails('cpu: "lots" is no amount', "resize", "node-1", "--cpu", "lots")
    node.fails('--resource: "gpu" is not of the form NAME=AMOUNT', "resize", "node-1", "--resource", "gpu")
    node.fails('"no name" is no name of a resource', "resize", "node-1", "--resource", "no name=3")
    for count in ("0", "100001"):
        node.fails("", "add", count, code=2)
    node.fails("", "remove", code=2)
    assert sorted(item["metadata"]["name"] for item in cluster.items(f"{CORE}/nodes")) == before
    assert cluster.ready("node-1") == ("True", []), cluster.node("node-1")


def check_output(cluster, node):
    """What was done but could not be said is no success."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = subprocess.run([str(node.berth), "node", "add", "1", "--kubeconfig", node.kubeconfig], stdout=full, check=False, timeout=60)
    assert ended.returncode == 74 and cluster.node("node-5"), ended


def check_restart(berth):
    """Nothing is made twice, and what was deleted on purpose does not come back."""
    with tempfile.TemporaryDirectory(prefix="berth-nodes-") as folder:
        data = pathlib.Path(folder) / "data"
        with Cluster(berth, "--data", data) as cluster:
            first, classes = cluster.defaults()
            assert classes == ["standard"], classes
            cluster.send("DELETE", f"{CLASSES}/standard")
        with Cluster(berth, "--data", data) as cluster:
            second, classes = cluster.defaults()
            assert first == second and not classes, (first, second, classes)
    with Cluster(berth, "--api-only") as bare:
        assert not bare.items(f"{CORE}/serviceaccounts") and not bare.items(CLASSES), "nothing acts but the API server"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    berth = parser.parse_args().berth.resolve()
    with Cluster(berth, "--nodes", 2) as cluster:
        _, classes = cluster.defaults()
        assert classes == ["standard"], classes
        node = Node(berth, cluster.kubeconfig)
        check_bare_nodes(cluster)
        check_claim(cluster)
        check_commands(cluster, node)
        check_refusals(cluster, node)
        check_output(cluster, node)
        assert cluster.stop() == 0
    Node(berth, "/nonexistent/kubeconfig").fails("/nonexistent/kubeconfig", "add", "1")
    check_restart(berth)
    print("nodes and namespaces have what they should, and berth node changes nodes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
