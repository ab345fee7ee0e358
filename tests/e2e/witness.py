# SPDX-License-Identifier: Apache-2.0
"""Watches pods and claims in etcd itself, revision by revision, and notes whatever a scheduler must never do.

It goes on through the death of the servers, misses nothing and sees every state that ever was, whatever the API server
or the scheduler believe. Pods ask for whole processors here.
"""
import base64
import json
import socket
import threading
import time

from cluster import DISCONNECTED, Cluster, wait_for

PODS = b"/registry/pods/"
CLAIMS = b"/registry/resourceclaims/"


class Ledger:
    """Which pod is where, and what went wrong."""

    def __init__(self, capacity):
        self.capacity = capacity  # Of every node, in processors.
        self.pods = {}            # By key in etcd: uid, node and processors.
        self.used = {}            # By node.
        self.node_of_uid = {}     # Of pods that were ever bound.
        self.bindings = set()     # Uids of pods whose binding was carried out.
        self.violations = []

    def put(self, key, pod):
        self.remove(key)
        uid, node = pod["metadata"]["uid"], pod["spec"].get("nodeName")
        cpu = sum(int(c["resources"]["requests"]["cpu"]) for c in pod["spec"]["containers"])
        if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            cpu = 0
        self.pods[key] = uid, node, cpu
        known = self.node_of_uid.get(uid)
        if known and known != node:
            self.violations.append(f"{key} was on {known} and is on {node}")
        if not node:
            return
        self.node_of_uid[uid] = node
        self.used[node] = self.used.get(node, 0) + cpu
        if self.used[node] > self.capacity:
            self.violations.append(f"{node} is overcommitted by {key}: {self.used[node]} of {self.capacity}")

    def remove(self, key):
        _, node, cpu = self.pods.pop(key, (None, None, 0))
        if node:
            self.used[node] -= cpu

    def add_binding(self, uid, name):
        if uid in self.bindings:
            self.violations.append(f"two bindings of {name} were carried out")
        self.bindings.add(uid)

    def bound(self):
        return sum(1 for _, node, _ in list(self.pods.values()) if node)

    def ever_bound(self):
        return len(self.node_of_uid)


class EtcdWatch:
    """Hears of every change of the objects whose keys begin with `prefix`, on a thread, from now until it is closed."""

    def __init__(self, cluster: Cluster, prefix: bytes, ledger):
        self.cluster, self.prefix, self.ledger = cluster, prefix, ledger
        self.revision = cluster.revision()
        self.connection, self.closed = None, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.closed:
            try:
                self._watch()
            except (*DISCONNECTED, ValueError):
                pass
            time.sleep(0.1)

    def _watch(self):
        answer, self.connection = self.cluster.etcd("/v3/watch", {"create_request": {
            "key": base64.b64encode(self.prefix).decode(), "range_end": base64.b64encode(self.prefix[:-1] + b"0").decode(),
            "start_revision": str(self.revision + 1)}}, timeout=3600)
        while line := answer.readline():
            result = json.loads(line)["result"]
            if result.get("canceled"):
                self.ledger.violations.append(f"the witness lost track: {result}")
            for event in result.get("events", []):
                self._on_event(event)

    def _on_event(self, event):
        pair = event["kv"]
        key = base64.b64decode(pair["key"]).decode()
        if event.get("type") == "DELETE":
            self.ledger.remove(key)
        else:
            self.ledger.put(key, json.loads(base64.b64decode(pair["value"])))
        self.revision = max(self.revision, int(pair["mod_revision"]))

    def close(self):
        self.closed = True
        if self.connection and self.connection.sock:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join(10)


def check_violations(ledger):
    assert not ledger.violations, f"{len(ledger.violations)} violations: " + "; ".join(ledger.violations[:5])


class Witness(Ledger):
    def __init__(self, cluster: Cluster, capacity):
        super().__init__(capacity)
        self.cluster = cluster
        self.audit_start = cluster.audit_log.stat().st_size if cluster.audit_log.exists() else 0
        self.watch = EtcdWatch(cluster, PODS, self)

    def wait_bound(self, count, timeout):
        wait_for(lambda: f"{count} pods are bound, but {self.bound()} of {len(self.pods)}",
                 lambda: self.bound() >= count, timeout)

    def wait_ever_bound(self, count, timeout=60):
        wait_for(lambda: f"{count} pods have been bound, but {self.ever_bound()}", lambda: self.ever_bound() >= count,
                 timeout, 0.005)

    def check(self):
        """Fails if anything happened that must not."""
        self._read_audit_log()
        check_violations(self)

    def _read_audit_log(self):
        with open(self.cluster.audit_log, "rb") as lines:
            lines.seek(self.audit_start)
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                self.audit_start += len(line)
                event = json.loads(line)
                uid = event.get("requestObject", {}).get("metadata", {}).get("uid")
                if uid is not None and event["responseStatus"].get("code") == 201:
                    self.add_binding(uid, event["objectRef"]["name"])

    def close(self):
        self.watch.close()


class DeviceLedger:
    """Which claim has which devices, and what went wrong. Devices that are shared or lent to administrators do not count."""

    def __init__(self):
        self.claims, self.owners, self.ever, self.violations = {}, {}, set(), []

    def put(self, key, claim):
        self.remove(key)
        results = (claim.get("status", {}).get("allocation") or {}).get("devices", {}).get("results", [])
        devices = [f"{one['driver']}/{one['pool']}/{one['device']}" for one in results
                   if not one.get("shareID") and not one.get("adminAccess")]
        for device in devices:
            if device in self.owners:
                self.violations.append(f"{device} was given to {key}, but {self.owners[device]} has it")
            self.owners[device] = key
            self.ever.add(device)
        self.claims[key] = devices

    def remove(self, key):
        for device in self.claims.pop(key, []):
            if self.owners.get(device) == key:
                del self.owners[device]


class DeviceWitness(DeviceLedger):
    def __init__(self, cluster: Cluster):
        super().__init__()
        self.watch = EtcdWatch(cluster, CLAIMS, self)

    def check(self):
        check_violations(self)

    def close(self):
        self.watch.close()


def check_eyesight():
    """Plants what must never happen and makes sure that it is seen."""
    def pod(uid, node):
        return {"metadata": {"uid": uid}, "spec": {"nodeName": node, "containers": [
            {"resources": {"requests": {"cpu": "1"}}}]}}

    ledger = Ledger(1)
    ledger.put("a", pod("1", "x"))
    ledger.remove("a")
    ledger.put("b", pod("2", "x"))
    ledger.add_binding("2", "b")
    assert not ledger.violations and ledger.bound() == 1, ledger.violations
    for plant in (lambda: ledger.put("c", pod("3", "x")), lambda: ledger.put("b", pod("2", "y")),
                  lambda: ledger.put("b", pod("2", None)), lambda: ledger.add_binding("2", "b")):
        before = len(ledger.violations)
        plant()
        assert len(ledger.violations) > before, "a planted violation was not seen"

    def claim(*names):
        return {"status": {"allocation": {"devices": {"results": [
            {"driver": "d", "pool": "p", "device": name} for name in names]}}}}

    devices = DeviceLedger()
    devices.put("a", claim("x", "y"))
    devices.put("a", claim("y"))
    devices.put("b", claim("x"))
    devices.remove("a")
    devices.put("c", claim("y"))
    assert not devices.violations and devices.owners == {"d/p/x": "b", "d/p/y": "c"}, devices.violations
    devices.put("d", claim("x"))
    assert devices.violations, "a planted violation was not seen"
