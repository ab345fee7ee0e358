# SPDX-License-Identifier: Apache-2.0
"""The API servers on which workloads run: a real one with etcd, or the one that is part of Berth, each without a scheduler."""
import http.client
import json
import subprocess
import threading
import time

import live
from server import Up


CONTROLLERS = "resourceclaim-controller,garbage-collector-controller"


class ApiError(Exception):
    def __init__(self, status, text):
        super().__init__(f"{status}: {text[:400]}")
        self.status = status


class Server:
    """What both have in common: requests, and where each kind of object lives."""

    headers = {}

    def __init__(self):
        self.local, self.resources, self.controllers = threading.local(), {}, None

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def api(self, method, path, body=None, patch="application/merge-patch+json"):
        data = None if body is None else json.dumps(body)
        kind = patch if method == "PATCH" else "application/json"
        for attempt in range(5):
            if getattr(self.local, "connection", None) is None:
                self.local.connection = self.connect()
            try:
                self.local.connection.request(method, path, data, {**self.headers, "Content-Type": kind, "Accept": "application/json"})
                answer = self.local.connection.getresponse()
                status, text = answer.status, answer.read().decode()
            except (OSError, http.client.HTTPException):
                self.local.connection = None
                if attempt == 4:
                    raise
                continue
            if status == 429 and attempt < 4:
                time.sleep(0.2 * 2 ** attempt)
                continue
            break
        if status >= 300:
            raise ApiError(status, text)
        return json.loads(text)

    def path(self, made, namespace=None):
        """Where objects of the kind live; in the namespace if the kind has any."""
        version, kind = made["apiVersion"], made["kind"]
        prefix = "/api/v1" if version == "v1" else f"/apis/{version}"
        if (version, kind) not in self.resources:
            for one in self.api("GET", prefix)["resources"]:
                if "/" not in one["name"]:
                    self.resources[version, one["kind"]] = one
        if (version, kind) not in self.resources:
            raise ApiError(404, f"there is no {kind} in {version}")
        found = self.resources[version, kind]
        return f"{prefix}/namespaces/{namespace or 'default'}/{found['name']}" if found["namespaced"] else f"{prefix}/{found['name']}"

    def kubeconfig(self, path):
        cluster = {"server": self.url, **({"insecure-skip-tls-verify": True} if self.url.startswith("https") else {})}
        user = {"token": live.ADMIN} if self.headers else {}
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        return path

    def control(self, binaries, folder, gates):
        """Starts what makes claims from templates and frees them."""
        with open(folder / "controllers.log", "w", encoding="utf-8") as log:
            self.controllers = subprocess.Popen(
                [f"{binaries}/kube-controller-manager", f"--kubeconfig={self.kubeconfig(folder / 'controllers.json')}", "--leader-elect=false",
                 f"--controllers={CONTROLLERS}", "--secure-port=0", "--kube-api-qps=500", "--kube-api-burst=500",
                 *([f"--feature-gates={live.gate_list(gates)}"] if gates else [])],
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def stop(self):
        if self.controllers:
            live.stop_proc(self.controllers)


class Real(Server):
    """etcd and kube-apiserver, by TLS."""

    name = "kube-apiserver"
    headers = {"Authorization": "Bearer " + live.ADMIN}

    def __init__(self, options, folder, gates):
        super().__init__()
        etcd_port, _, self.port = live.free_port(), live.free_port(), live.free_port()  # etcd takes two.
        self.url = f"https://127.0.0.1:{self.port}"
        self.plane = live.ControlPlane(str(options.servers), str(folder / "plane"), etcd_port, self.port, gates)
        self.plane.api_args = [one for one in self.plane.api_args if not one.startswith("--runtime-config")]
        self.plane.api_args += ["--disable-admission-plugins=Priority", "--runtime-config=api/all=true"]  # Priorities are numbers.
        try:
            self.plane.start()
        except BaseException:
            self.plane.stop()
            raise

    def connect(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=live.tls_client())

    def stop(self):
        super().stop()
        self.plane.stop()


class Embedded(Server):
    """`berth up --api-only`, in plain HTTP."""

    name = "embedded"

    def __init__(self, options, folder, gates):
        super().__init__()
        arguments = ["--api-only", "--quiet"] + ([f"--feature-gates={live.gate_list(gates)}"] if gates else [])
        self.up = Up(options.berth, *arguments)
        self.up.__enter__()
        self.port, self.url, self.priorities, self.lock = self.up.port, self.up.url, set(), threading.Lock()

    def api(self, method, path, body=None, **options):
        if method == "POST" and body and body["kind"] in ("Pod", "PodGroup") and "priority" in (body.get("spec") or {}):
            self._name_priority(body["spec"])
        made = super().api(method, path, body, **options)
        if method == "POST" and body["kind"] == "Node":  # Its admission takes each for not ready at first.
            super().api("PATCH", f"{path}/{made['metadata']['name']}", {"spec": {"taints": body.get("spec", {}).get("taints")}})
        return made

    def _name_priority(self, spec):
        """Its admission takes no numbers from users."""
        value = spec.pop("priority")
        if value == 0:
            return
        spec["priorityClassName"] = name = f"priority-{value}"
        with self.lock:
            if name not in self.priorities:
                self.priorities.add(name)
                super().api("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {
                    "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})

    def stop(self):
        super().stop()
        self.up.stop()


SERVERS = {one.name: one for one in (Embedded, Real)}


