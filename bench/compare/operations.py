# SPDX-License-Identifier: Apache-2.0
"""The operations of which workloads are made, by the name that upstream gives them."""
import concurrent.futures
import copy
import queue
import re
import threading
import time

import nodes
from allocate import allocate
from background import Background, churn
from measurement import SETTLE_S, Measurement, together
from pods import Pods
from schedulers import CannotRun
from servers import ApiError
from volumes import Volumes

CONNECTIONS = 8
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "pod-"}, "spec": {"containers": [{
    "name": "pause", "image": "registry.k8s.io/pause:3.10.2", "ports": [{"containerPort": 80}],
    "resources": {part: {"cpu": "100m", "memory": "500Mi"} for part in ("limits", "requests")}}]}}


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        return list(pool.map(function, items))


class Run:
    """One workload with one scheduler. With a rate, pods that are measured come at so many per second."""

    def __init__(self, server, templates, workload, scheduler, rate=None, limit=600):
        self.server, self.templates, self.workload, self.scheduler = server, templates, workload, scheduler
        self.rate, self.end = rate, time.monotonic() + limit
        self.pods, self.background = Pods(server), Background()
        self.namespaces, self.awaited, self.nodes = {"default"}, {}, 0
        self.making_namespaces = threading.Lock()
        self.measuring, self.results = None, []

    def run(self):
        try:
            for index, operation in enumerate(self.workload.operations()):
                self._do(operation, index)
            if not self.results:
                raise CannotRun("nothing of it is measured")
            result = together(self.results)
            if result.pods == 0:
                raise CannotRun("no pods are measured in it")
            result.preempted = sum(1 for one in self.pods.select() if one.preempted)
            return result
        finally:
            self.background.close()
            self.pods.close()

    def _do(self, operation, index):
        name = operation["opcode"]
        known = getattr(self, "do_" + re.sub("(?=[A-Z])", "_", name).lower(), None)
        if known is None:
            raise CannotRun(f"the operation {name} is not known here")
        known({"namespace": f"namespace-{index}", **operation} if name in ("createPods", "churn") else operation)

    # ---- operations

    def do_create_nodes(self, operation):
        made, others = nodes.make(operation, self.templates, self.workload.folder, self.nodes)
        self.nodes += len(made)
        in_parallel(self._create, made)
        in_parallel(self._create, others)

    def do_create_namespaces(self, operation):
        path = operation.get("namespaceTemplatePath")
        template = self.templates.read(self.workload.folder / path) if path else {"metadata": {}}
        in_parallel(lambda i: self._need_namespace(f"{operation['prefix']}-{i}", template), range(self._count(operation)))

    def do_create_any(self, operation):
        namespace = operation.get("namespace")
        objects = self._objects(operation["templatePath"], self._count(operation, 1), operation)
        in_parallel(lambda one: self._create(one, namespace), objects)

    def do_create_pod_groups(self, operation):
        self.do_create_any(operation)
        time.sleep(SETTLE_S)

    def do_update_any(self, operation):
        pace = self.background.pace(operation["updatePerSecond"]) if operation.get("updatePerSecond") else None
        for made in self._objects(operation["templatePath"], self._count(operation, 1), operation):
            if pace:
                next(pace)
            path = f"{self.server.path(made, operation.get('namespace'))}/{made['metadata']['name']}"
            for part in ["/".join(operation.get("subresources") or []), "status"]:
                self.server.api("PUT", f"{path}/{part}".rstrip("/"), made)

    def do_alloc_resource_claims(self, operation):
        self._need_namespace(operation["namespace"])
        allocate(self.server, operation["namespace"], in_parallel)

    def do_create_pods(self, operation):
        namespace, count = operation["namespace"], self._count(operation)
        self._need_namespace(namespace)
        if count == 0:
            return
        measured = operation.get("collectMetrics", False)
        pods = self._pods(operation, count)
        if measured:
            self._measure([namespace])
        if operation.get("steadyStateParam", operation.get("steadyState", False)):
            self._steadily(operation, namespace, pods)
        else:
            made = self._create_pods(pods, namespace, operation, self.rate if self.measuring else None)
            if operation.get("skipWaitToCompletion"):
                self.awaited[namespace] = self.awaited.get(namespace, 0) + count
            else:
                self._wait("pods that have no node", lambda: sum(1 for one in made if not one.bound and not one.gone))
        if measured:
            self.do_stop_collecting_metrics(operation)

    def do_create_pod_sets(self, operation):
        for i in range(self._count(operation)):
            self.do_create_pods({**operation["createPodsOp"], "namespace": f"{operation['namespacePrefix']}-{i}"})

    def do_delete_pods(self, operation):
        doomed = [one for one in self.pods.select([operation["namespace"]], operation.get("labelSelector")) if not one.gone]
        rate = operation.get("deletePodsPerSecond")

        def delete(pod):
            try:
                self.server.api("DELETE", f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}")
            except ApiError as error:
                if error.status != 404:
                    raise

        def work():
            if not rate:
                in_parallel(delete, doomed)
            for pod, _ in zip(doomed, self.background.pace(rate) if rate else []):
                delete(pod)
        if operation.get("skipWaitToCompletion"):
            self.background.start(work)
        else:
            work()

    def do_churn(self, operation):
        self._need_namespace(operation["namespace"])
        kinds = [self.templates.read(self.workload.folder / path) for path in operation["templatePaths"]]
        self.background.start(lambda: churn(self.background, self.server, kinds, operation["namespace"], operation["mode"],
                                            int(operation.get("number", 0)), 1000 / operation.get("intervalMilliseconds", 500)))

    def do_barrier(self, operation):
        labels, attempted = operation.get("labelSelector"), operation.get("stageRequirement") == "Attempted"
        for namespace in operation.get("namespaces") or list(self.awaited):
            wanted = self.awaited.get(namespace, 0)

            def missing():
                there = [one for one in self.pods.select([namespace], labels) if not one.gone or one.bound]
                return min(wanted, len(there)) - sum(1 for one in there if one.bound or attempted and one.tried)
            self._wait(f"pods in {namespace} that are not {'tried' if attempted else 'bound'}", missing)
            if not attempted:
                self.awaited.pop(namespace, None)

    def do_sleep(self, operation):
        time.sleep(seconds(operation.get("durationParam") or operation["duration"]))

    def do_start_collecting_metrics(self, operation):
        self._measure(operation["namespaces"], operation.get("labelSelector"))

    def do_stop_collecting_metrics(self, _):
        self.results.append(self.measuring.end())
        self.measuring = None

    def do_start_collecting_profile(self, _):
        """Profiles are another tool's."""

    do_stop_collecting_profile = do_start_collecting_profile

    # ---- parts of them

    def _measure(self, namespaces, labels=None):
        if not self.background.threads:  # What goes on beside it would get ahead of what is measured.
            time.sleep(SETTLE_S)
        self.measuring = Measurement(self.pods, self.scheduler.pid, namespaces, labels)

    def _wait(self, what, missing):
        while (left := missing()) > 0:
            self.scheduler.check()
            if time.monotonic() > self.end:
                raise CannotRun(f"not in time: {left} {what}")
            time.sleep(0.01 if left < 100 else 0.05)

    def _count(self, operation, default=None):
        count = int(operation.get("countParam", operation.get("count", default)))
        return count * int(operation.get("countMultiplierParam", 1))

    def _objects(self, path, count, operation):
        return self.templates.objects(self.workload.folder / path, count, operation.get("templateParams"))

    def _pods(self, operation, count):
        path = operation.get("podTemplatePath") or self.workload.default_pod
        if not path:
            return [copy.deepcopy(POD) for _ in range(count)]
        batch = int(operation.get("signatureBatchSizeParam", operation.get("signatureBatchSize", 1)))
        pods = self._objects(path, count, operation)
        for index, pod in enumerate(pods):
            pod["metadata"].setdefault("labels", {})["signature"] = f"signature-label-{index // batch}"
        return pods

    def _create(self, made, namespace=None):
        made["apiVersion"] = re.sub(r"^resource.k8s.io/v1beta\d$", "resource.k8s.io/v1", made["apiVersion"])
        made.get("spec", {}).get("spec", {}).pop("controller", None)  # A field of the past that one template still has.
        if namespace:
            self._need_namespace(namespace)
        return self.server.api("POST", self.server.path(made, namespace), made)

    def _need_namespace(self, name, template=None):
        with self.making_namespaces:  # Whoever needs one that another thread is making waits until it is there.
            if name in self.namespaces:
                return
            made = {**(template or {}), "apiVersion": "v1", "kind": "Namespace"}
            made["metadata"] = {**made.get("metadata", {}), "name": name}
            self.server.api("POST", "/api/v1/namespaces", made)
            self.namespaces.add(name)

    def _create_pods(self, pods, namespace, operation, rate=None):
        """All at once, or so many per second; what is known of them."""
        volumes = Volumes(self.server, self.templates, self.workload.folder, operation) if "persistentVolumeClaimTemplatePath" in operation else None
        start = time.monotonic()

        def create(numbered):
            index, pod = numbered
            if volumes:
                volumes.give(pod, namespace, index)
            if rate:
                time.sleep(max(start + index / rate - time.monotonic(), 0))
            when = time.monotonic()
            return self.pods.created(self.server.api("POST", f"/api/v1/namespaces/{namespace}/pods", pod), when)
        return in_parallel(create, enumerate(pods))

    def _steadily(self, operation, namespace, pods):
        """A new pod for each that is scheduled, which goes, for as long as the operation says."""
        bound = queue.SimpleQueue()
        self.pods.on_bound = lambda pod: bound.put(pod) if pod.namespace == namespace else None
        end = time.monotonic() + seconds(operation.get("durationParam") or operation.get("duration", "10s"))
        self._create_pods(pods, namespace, operation)

        def replace(_):
            while time.monotonic() < end:
                try:
                    pod = bound.get(timeout=0.1)
                except queue.Empty:
                    continue
                self.server.api("DELETE", f"/api/v1/namespaces/{namespace}/pods/{pod.name}", {"gracePeriodSeconds": 0})
                when = time.monotonic()
                self.pods.created(self.server.api("POST", f"/api/v1/namespaces/{namespace}/pods", self._pods(operation, 1)[0]), when)
        in_parallel(replace, range(CONNECTIONS))
        self.pods.on_bound = None


def seconds(text):
    return sum(float(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]
               for number, unit in re.findall(r"([\d.]+)(ms|s|m|h)", str(text)))
