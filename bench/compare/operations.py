# SPDX-License-Identifier: Apache-2.0
"""The operations of which workloads are made, by the name that upstream gives them."""
import concurrent.futures
import copy
import dataclasses
import queue
import re
import threading
import time

import live
import usage
from allocate import allocate
from pods import BoundPods

CONNECTIONS = 8
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"generateName": "scheduler-perf-"},
        "status": {"capacity": {"pods": "110", "cpu": "4", "memory": "32Gi"}, "conditions": [{"type": "Ready", "status": "True"}]}}


@dataclasses.dataclass
class Result:
    """Of the pods that are measured."""
    pods: int
    seconds: float
    cpu: float
    core_cpu: float | None
    peak_mib: float  # Of the scheduler's memory, from its start.


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        return list(pool.map(function, items))


class Run:
    """One workload with one scheduler."""

    def __init__(self, plane, templates, workload, scheduler_pid):
        self.plane, self.templates, self.workload, self.pid = plane, templates, workload, scheduler_pid
        self.result, self.namespaces, self.created, self.nodes = None, {"default"}, {}, 0

    def run(self):
        for operation in self.workload.operations():
            name = operation["opcode"]
            known = getattr(self, "do_" + re.sub("(?=[A-Z])", "_", name).lower(), None)
            if known is None:
                raise SystemExit(f"{self.workload.name}: the operation {name} is not known here")
            known(operation)
        return self.result

    # ---- operations

    def do_create_nodes(self, operation):
        count = self._count(operation)
        path = operation.get("nodeTemplatePath")
        nodes = self._objects(path, count, operation) if path else [copy.deepcopy(NODE) for _ in range(count)]
        for node in nodes:
            metadata = node["metadata"]
            self.nodes += 1
            metadata.setdefault("name", f"{metadata.pop('generateName', 'node-')}{self.nodes}")
            metadata.setdefault("labels", {})["kubernetes.io/hostname"] = metadata["name"]
            node["status"].setdefault("allocatable", node["status"]["capacity"])
            node["status"].pop("phase", None)
        in_parallel(self._create, nodes)

    def do_create_namespaces(self, operation):
        for i in range(self._count(operation)):
            self._need_namespace(f"{operation['prefix']}-{i}")

    def do_create_any(self, operation):
        namespace = operation.get("namespace")
        objects = self._objects(operation["templatePath"], self._count(operation, 1), operation)
        in_parallel(lambda one: self._create(one, namespace), objects)

    do_create_pod_groups = do_create_any

    def do_alloc_resource_claims(self, operation):
        self._need_namespace(operation["namespace"])
        allocate(self.plane, operation["namespace"], in_parallel)

    def do_create_pods(self, operation):
        namespace, count = operation.get("namespace", "default"), self._count(operation)
        self._need_namespace(namespace)
        steady = operation.get("steadyStateParam", operation.get("steadyState", False))
        measured = operation.get("collectMetrics", False)
        if count == 0:
            return
        if measured:
            time.sleep(2)  # The scheduler has seen what was made before.
        before = self._usage()
        bound = self._steadily(operation, namespace, count) if steady else self._all_at_once(operation, namespace, count)
        if measured:
            self.result = self._difference(before, bound)

    def do_barrier(self, operation):
        while self.plane.api("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=1")["items"]:
            time.sleep(0.05)

    def do_sleep(self, operation):
        time.sleep(seconds(operation.get("durationParam") or operation["duration"]))

    def do_start_collecting_metrics(self, operation):
        self.started = self._usage()

    def do_stop_collecting_metrics(self, operation):
        self.result = self._difference(self.started, 0)

    # ---- parts of them

    def _count(self, operation, default=None):
        count = int(operation.get("countParam", operation.get("count", default)))
        return count * int(operation.get("countMultiplierParam", 1))

    def _objects(self, path, count, operation):
        start = self.created.get((path, operation.get("namespace")), 0)
        self.created[path, operation.get("namespace")] = start + count
        return self.templates.objects(self.workload.folder / path, count, operation.get("templateParams"), start)

    def _create(self, made, namespace=None):
        made["apiVersion"] = re.sub(r"^resource.k8s.io/v1beta\d$", "resource.k8s.io/v1", made["apiVersion"])
        made.get("spec", {}).get("spec", {}).pop("controller", None)  # A field of the past that one template still has.
        if namespace:
            self._need_namespace(namespace)
        self.plane.api("POST", live.obj_path(made["kind"], namespace), made)

    def _need_namespace(self, name):
        if name in self.namespaces:
            return
        self.namespaces.add(name)
        self.plane.api("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def _pods(self, operation, count):
        return self._objects(operation["podTemplatePath"], count, operation)

    def _all_at_once(self, operation, namespace, count):
        pods = self._pods(operation, count)
        bound = BoundPods(self.plane, namespace)
        in_parallel(lambda pod: self._create(pod, namespace), pods)
        bound.wait(count)
        bound.close()
        return count

    def _steadily(self, operation, namespace, count):
        """A new pod for each that is scheduled, which goes, for as long as the operation says."""
        gone = queue.SimpleQueue()
        bound = BoundPods(self.plane, namespace, gone.put)
        in_parallel(lambda pod: self._create(pod, namespace), self._pods(operation, count))
        end = threading.Event()

        def replace():
            while not end.is_set():
                try:
                    name = gone.get(timeout=0.1)
                except queue.Empty:
                    continue
                self.plane.api("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}", {"gracePeriodSeconds": 0})
                with lock:
                    pod = self._pods(operation, 1)[0]
                self._create(pod, namespace)

        lock = threading.Lock()
        threads = [threading.Thread(target=replace) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        time.sleep(seconds(operation.get("durationParam", "10s")))
        scheduled = len(bound.names)
        end.set()
        for thread in threads:
            thread.join()
        bound.close()
        return scheduled

    def _usage(self):
        return time.monotonic(), usage.of_process(self.pid), usage.of_core(self.pid)

    def _difference(self, before, pods):
        now = self._usage()
        core = None if now[2] is None else now[2] - before[2]
        return Result(pods, now[0] - before[0], now[1] - before[1], core, usage.peak_mib(self.pid))


def seconds(text):
    return float(str(text).rstrip("s"))
