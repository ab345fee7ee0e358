# SPDX-License-Identifier: Apache-2.0
"""Generated objects in a `berth up`, and the changes that answers of foresight name."""
import copy
import time

from generated import GATES, HOST
from server import Up, until

PLURALS = {"Pod": "pods", "Node": "nodes", "PersistentVolume": "persistentvolumes", "PersistentVolumeClaim": "persistentvolumeclaims",
           "PriorityClass": "priorityclasses", "StorageClass": "storageclasses", "CSIDriver": "csidrivers", "CSINode": "csinodes",
           "DeviceClass": "deviceclasses", "ResourceSlice": "resourceslices", "ResourceClaim": "resourceclaims",
           "PodGroup": "podgroups", "Deployment": "deployments", "StatefulSet": "statefulsets", "ReplicaSet": "replicasets", "DaemonSet": "daemonsets"}
NAMESPACED = {"Pod", "PersistentVolumeClaim", "ResourceClaim", "PodGroup", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet"}


def path_of(item, name=""):
    version = item["apiVersion"]
    place = "/namespaces/default" if item["kind"] in NAMESPACED else ""
    return f"/{'apis' if '/' in version else 'api'}/{version}{place}/{PLURALS[item['kind']]}" + (f"/{name}" if name else "")


class RunningCluster:
    """A `berth up` that was told of the objects."""

    def __init__(self, berth, objects, *flags):
        self.up = Up(berth, "--nodes", 0, "--feature-gates", GATES, "--quiet", *flags)
        self.objects = objects

    def __enter__(self):
        self.up.__enter__()
        for item in self.objects:
            self.create(item)
        self.await_others(self.objects)
        return self

    def __exit__(self, *_):
        self.up.__exit__()

    def create(self, item):
        self.up.send("POST", path_of(item), item)

    def node_of(self, name):
        return (self.up.get(f"/api/v1/namespaces/default/pods/{name}") or {"spec": {}})["spec"].get("nodeName")

    def await_others(self, objects):
        for item in objects:
            if item["kind"] == "Pod" and not item["spec"].get("nodeName"):
                pod_name = item["metadata"]["name"]
                end = time.monotonic() + 0.5
                while not self.node_of(pod_name) and time.monotonic() < end:
                    time.sleep(0.01)
            if item["kind"] == "PersistentVolumeClaim" and item["spec"].get("volumeName"):
                until(lambda claim=item: self.up.get(path_of(claim, claim["metadata"]["name"]))["status"].get("phase") == "Bound", "a claim to be bound", 5)

    def change(self, change):
        """What is done to nodes and running pods, in the form of a question."""
        (kind, what), = change.items()
        if kind == "uncordon":
            for name in what["names"]:
                self.up.send("PATCH", f"/api/v1/nodes/{name}", {"spec": {"unschedulable": None}}, "application/merge-patch+json")
        elif kind == "addNodes":
            item = next(item for item in self.objects if item["kind"] == "Node" and item["metadata"]["name"] == what["like"])
            item = copy.deepcopy(item)
            item["metadata"]["name"] = item["metadata"]["labels"][HOST] = "added-1"
            item["spec"].pop("unschedulable", None)
            self.create(item)
        elif kind == "patch":
            path = f"/api/v1/nodes/{what['name']}" + ("/status" if "status" in what["patch"] else "")
            assert what["kind"] == "Node", what
            self.up.send("PATCH", path, what["patch"], "application/merge-patch+json")
        elif kind == "delete":
            assert what["kind"] == "Pod", what
            self.up.send("DELETE", f"/api/v1/namespaces/{what['namespace']}/pods/{what['name']}")
        else:
            raise AssertionError(f"no such change: {change}")

    def has_room(self, name, victims):
        """Room was made for the pod: the victims are gone, and their place is kept for it."""
        status = self.up.get(f"/api/v1/namespaces/default/pods/{name}")["status"]
        left = {f"default/{pod['metadata']['name']}" for pod in self.up.items("/api/v1/namespaces/default/pods")}
        return status.get("nominatedNodeName") if not left & set(victims) else None

    def is_placed(self, name, seconds):
        end = time.monotonic() + seconds
        while not (found := self.node_of(name)) and time.monotonic() < end:
            time.sleep(0.005)
        return found
