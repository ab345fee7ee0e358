# SPDX-License-Identifier: Apache-2.0
"""How good placements are, from the nodes and pods that a workload leaves behind."""
import collections
import re
import statistics

ZONE = "topology.kubernetes.io/zone"
SUFFIXES = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
PART = 4  # How many pods of a quarter of a node would still find a place.


def quantity(text):
    number, suffix = re.fullmatch(r"([\d.]+)([A-Za-z]*)", str(text)).groups()
    return float(number) * SUFFIXES[suffix]


class Node:
    """What of it is taken, as shares of what it has."""

    def __init__(self, made):
        allocatable = made["status"].get("allocatable") or {}
        self.capacity = {name: quantity(allocatable.get(name, 0)) for name in ("cpu", "memory", "pods")}
        self.taken = collections.Counter()
        self.zone = made["metadata"].get("labels", {}).get(ZONE)
        self.images = {name for image in made["status"].get("images") or [] for name in image.get("names") or []}
        self.takes_pods = not made["spec"].get("unschedulable") and not made["spec"].get("taints") and all(self.capacity.values())

    def add(self, pod):
        self.taken["pods"] += 1
        for container in pod["spec"]["containers"]:
            requests = (container.get("resources") or {}).get("requests") or {}
            for name in ("cpu", "memory"):
                self.taken[name] += quantity(requests.get(name, 0))

    def share(self):
        """Of the resource of which least is left."""
        return max(self.taken[name] / self.capacity[name] for name in ("cpu", "memory"))

    def free(self):
        return 0 if self.taken["pods"] >= self.capacity["pods"] else max(1 - self.share(), 0)


def skew(counts, places):
    """Between the fullest and the emptiest place."""
    return max(counts.values()) - min(counts.get(place, 0) for place in places)


def measure(server):
    nodes = {one["metadata"]["name"]: Node(one) for one in server.api("GET", "/api/v1/nodes")["items"]}
    groups, hits, bound = collections.defaultdict(list), 0, 0
    for pod in server.api("GET", "/api/v1/pods")["items"]:
        node = nodes.get(pod["spec"].get("nodeName"))
        if node is None or (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            continue
        node.add(pod)
        bound += 1
        hits += all(container["image"] in node.images for container in pod["spec"]["containers"])
        meta = pod["metadata"]
        groups[meta["namespace"], (meta.get("labels") or {}).get("app")].append(pod["spec"]["nodeName"])
    usable = [node for node in nodes.values() if node.takes_pods]
    if not usable or not bound:
        return {}
    zones = {node.zone for node in usable} - {None}
    many = [names for names in groups.values() if len(names) > 1]
    hosts = [skew(collections.Counter(names), nodes) for names in many]
    between = [skew(collections.Counter(nodes[name].zone for name in names), zones) for names in many] if len(zones) > 1 else []
    shares = [node.share() for node in usable]
    return {"used %": statistics.mean(shares) * 100, "spread %": statistics.pstdev(shares) * 100,
            "zone skew": statistics.mean(between) if between else None, "host skew": statistics.mean(hosts) if hosts else None,
            "largest fit %": max(node.free() for node in usable) * 100,
            "quarters fit": sum(int(node.free() * PART + 1e-9) for node in usable),
            "image hits %": hits / bound * 100 if any(node.images for node in usable) else None}
