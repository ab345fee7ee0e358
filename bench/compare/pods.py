# SPDX-License-Identifier: Apache-2.0
"""Follows all pods, so that it is known at once when one has a node, or was tried, or was evicted."""
import dataclasses
import http.client
import json
import socket
import threading
import time

DISCONNECTED = (OSError, ValueError, AttributeError, http.client.HTTPException)


@dataclasses.dataclass
class Pod:
    """What is known of one; times are those of this process."""
    namespace: str
    name: str
    labels: dict
    created: float | None = None  # When it was asked for.
    bound: float | None = None    # When it was heard that it has a node.
    tried: bool = False
    gone: bool = False
    preempted: bool = False

    def matches(self, namespaces, labels):
        return (not namespaces or self.namespace in namespaces) and all(self.labels.get(k) == v for k, v in (labels or {}).items())


class Pods:
    def __init__(self, server):
        self.server, self.pods, self.lock = server, {}, threading.Lock()
        self.on_bound, self.socket, self.closed = None, None, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def created(self, pod, when):
        """What is known of a pod that was asked for at that time; it may be known already."""
        with self.lock:
            known = self._known(pod["metadata"])
            known.created = when
            return known

    def select(self, namespaces=None, labels=None):
        with self.lock:
            return [one for one in self.pods.values() if one.matches(namespaces, labels)]

    def _known(self, meta):
        key = meta["uid"]
        if key not in self.pods:
            self.pods[key] = Pod(meta["namespace"], meta["name"], meta.get("labels") or {})
        return self.pods[key]

    def _run(self):
        while not self.closed:  # The server ends the watch of a reader that is too slow.
            try:
                found = self.server.api("GET", "/api/v1/pods")
                for pod in found["items"]:
                    self._look_at("MODIFIED", pod)
                self._watch(found["metadata"]["resourceVersion"])
            except DISCONNECTED:
                pass

    def _watch(self, version):
        connection = self.server.connect(timeout=3600)
        connection.request("GET", f"/api/v1/pods?watch=1&resourceVersion={version}", headers=self.server.headers)
        self.socket = connection.sock  # The answer takes it over.
        answer = connection.getresponse()
        rest = b""
        while not self.closed and (piece := answer.read1(1 << 20)):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                self._look_at(event["type"], event["object"])

    def _look_at(self, event, pod):
        now = time.monotonic()
        conditions = {one["type"]: one for one in (pod.get("status") or {}).get("conditions") or []}
        with self.lock:
            known = self._known(pod["metadata"])
            known.labels = pod["metadata"].get("labels") or {}
            known.gone = event == "DELETED"
            known.tried |= (conditions.get("PodScheduled") or {}).get("status") == "False"
            known.preempted |= (conditions.get("DisruptionTarget") or {}).get("reason") == "PreemptionByScheduler"
            if not pod["spec"].get("nodeName") or known.bound:
                return
            known.bound = now
        if self.on_bound:
            self.on_bound(known)

    def close(self):
        self.closed = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self.thread.join(5)
