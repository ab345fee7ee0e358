# SPDX-License-Identifier: Apache-2.0
"""A control plane on loopback, the objects that tests put into it, and schedulers that run against it."""
import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "live"))

import live  # noqa: E402
from certs import Authority  # noqa: E402
from live import ADMIN, HOST, SCHED, ApiError, free_port, stop_proc  # noqa: E402

DISCONNECTED = (OSError, http.client.HTTPException)
SCHEDULER_USER = "system:kube-scheduler"

# Every binding that the API server carries out, and nothing else.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
    "rules": [{"level": "Request", "verbs": ["create"], "resources": [{"group": "", "resources": ["pods/binding"]}]},
              {"level": "None"}],
}


class Skip(Exception):
    """The test cannot run here."""


def wait_for(what, condition, timeout=30, pause=0.05):
    """The first true value of the condition; fails after `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"not within {timeout} s: {what() if callable(what) else what}"
        time.sleep(pause)


def in_parallel(function, items, threads=8):
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, items))


class Cluster(live.ControlPlane):
    """etcd and kube-apiserver, which can be killed and started again, with certificates from an authority of its own.

    Objects are stored as JSON, so that a witness can read them in etcd itself, and bindings are audited.
    """

    def __init__(self, binaries, folder, etcd_port, api_port, gates=None):
        super().__init__(binaries, str(folder), etcd_port, api_port, gates)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.authority = Authority("e2e")
        self.audit_log = self.folder / "audit.log"
        certificate, key = self.authority.issue("kube-apiserver", hosts=[HOST, "localhost"])
        self.server_certificate = self.write("server.crt", certificate)
        self.server_key = self.write("server.key", key)
        self.api_args += [
            "--tls-cert-file", self.server_certificate, "--tls-private-key-file", self.server_key,
            "--client-ca-file", self.write("clients.crt", self.authority.pem),
            "--storage-media-type", "application/json",
            "--audit-policy-file", self.write("audit.json", json.dumps(AUDIT_POLICY)),
            "--audit-log-path", str(self.audit_log),
        ]

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    @property
    def url(self):
        return f"https://{HOST}:{self.ap}"

    # ---- processes

    def kill_etcd(self):
        self._kill(0)

    def kill_apiserver(self):
        self._kill(1)

    def restart_etcd(self):
        self._restart(0, "etcd.log")

    def restart_apiserver(self):
        self._restart(1, "apiserver.log")
        wait_for("the API server is ready", self.is_ready, 120, 0.2)

    def revive(self):
        """Starts what a test killed and left so."""
        if self.procs[0].poll() is not None:
            self.restart_etcd()
        if self.procs[1].poll() is not None:
            self.restart_apiserver()

    def is_ready(self):
        try:
            self.api("GET", "/readyz", raw=True)
            return True
        except (ApiError, *DISCONNECTED):
            return False

    def _kill(self, index):
        self.procs[index].kill()
        self.procs[index].wait()

    def _restart(self, index, log):
        with open(self.folder / log, "a") as out:
            self.procs[index] = subprocess.Popen(self.procs[index].args, stdout=out, stderr=subprocess.STDOUT,
                                                 start_new_session=True)

    def etcd(self, path, body, timeout=30):
        """The answer to a request to etcd, still to be read, and its connection."""
        connection = http.client.HTTPConnection(HOST, self.ep, timeout=timeout)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        return connection.getresponse(), connection

    def revision(self):
        answer, connection = self.etcd("/v3/kv/range", {"key": base64.b64encode(b"/none").decode()})
        with contextlib.closing(connection):
            return int(json.loads(answer.read())["header"]["revision"])

    def compact(self, revision):
        answer, connection = self.etcd("/v3/kv/compaction", {"revision": str(revision), "physical": True})
        with contextlib.closing(connection):
            assert answer.status == 200, answer.read()

    # ---- objects

    def create(self, kind, **fields):
        meta = fields["metadata"]
        made = dict(apiVersion=live.API_VERSION[kind], kind=kind, **fields)
        return self.api("POST", live.obj_path(kind, meta.get("namespace")), made)

    def try_api(self, *request):
        """The answer, or None if the request is refused."""
        try:
            return self.api(*request)
        except ApiError:
            return None

    def patch(self, kind, name, change, namespace=None, sub=None):
        return self.api("PATCH", live.obj_path(kind, namespace, name, sub), change, "application/merge-patch+json")

    def delete(self, kind, name, namespace=None, grace=0):
        self.api("DELETE", live.obj_path(kind, namespace, name), {"gracePeriodSeconds": grace})

    def create_node(self, name, cpu=4, labels=None, pods=110):
        self.create("Node", metadata={"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
                    status={"allocatable": {"cpu": str(cpu), "memory": "64Gi", "pods": str(pods)},
                            "capacity": {"cpu": str(cpu), "memory": "64Gi", "pods": str(pods)},
                            "conditions": [{"type": "Ready", "status": "True"}]})

    def create_pod(self, name, cpu="1", **spec):
        container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": cpu, "memory": "16Mi"}}}
        return self.create("Pod", metadata={"name": name}, spec={"containers": [container], **spec})

    def pod(self, name):
        return self.get("Pod", "default", name)

    def node_of(self, name):
        pod = self.pod(name)
        return pod and pod["spec"].get("nodeName")

    def condition(self, name, kind):
        """That condition of a pod, or an empty one."""
        conditions = (self.pod(name) or {}).get("status", {}).get("conditions", [])
        return next((c for c in conditions if c["type"] == kind), {})

    def events(self, pod, reason):
        return [e for e in self.items("Event") if e["regarding"].get("name") == pod and e["reason"] == reason]

    def wipe(self):
        """Removes what tests made. Pods and events go in one request, as there may be thousands."""
        for kind in ("Pod", "Event"):
            self.api("DELETE", live.obj_path(kind) + "?propagationPolicy=Background", {"gracePeriodSeconds": 0})
        self.clean()


class Kubeconfig:
    """Writes kubeconfig files."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder) / "kubeconfig"

    def write(self, server, user, **cluster):
        self.path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "e2e",
            "clusters": [{"name": "e2e", "cluster": {"server": server, **cluster}}],
            "users": [{"name": "e2e", "user": user}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}],
        }, indent=1))
        return str(self.path)


class Scheduler:
    """A scheduler process with a folder of its own: config.json, kubeconfig, scheduler.log, and run.log, its recording.

    `server` is where it finds the API server, by default directly and by TLS; `user` and `cluster` go into the
    kubeconfig, by default a client certificate; `config` into the configuration.
    """

    def __init__(self, context, name="a", server=None, user=None, cluster=None, config=None, args=(), wrapper=(),
                 env=None, kubeconfig=True):
        self.context, self.name, self.port = context, name, free_port()
        self.folder = context.folder / name
        self.folder.mkdir(parents=True)
        self.recording = self.folder / "run.log"
        self.log_file = self.folder / "scheduler.log"
        made = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                "podInitialBackoffSeconds": 1, "leaderElection": {"leaderElect": False}, **(config or {})}
        made["clientConnection"] = {"qps": 2000, "burst": 2000, **made.get("clientConnection", {})}
        self.command = [*wrapper, str(context.berth), "scheduler", f"--config={self.folder / 'config.json'}",
                        f"--secure-port={self.port}", "--bind-address=127.0.0.1", f"--record={self.recording}"]
        if kubeconfig:
            path = self._kubeconfig(server, user, cluster)
            made["clientConnection"]["kubeconfig"] = path
            self.command += [f"--authentication-kubeconfig={path}", f"--authorization-kubeconfig={path}"]
        self.command += args
        self.env = {**os.environ, **(env or {})}
        self.process = None
        (self.folder / "config.json").write_text(json.dumps(made, indent=1))

    def _kubeconfig(self, server, user, cluster):
        control_plane = self.context.cluster
        if user is None:
            certificate, key = control_plane.authority.issue(SCHEDULER_USER)
            user = {"client-certificate-data": encode(certificate), "client-key-data": encode(key)}
        if cluster is None and server is None:
            cluster = {"certificate-authority-data": encode(control_plane.authority.pem)}
        return Kubeconfig(self.folder).write(server or control_plane.url, user, **(cluster or {}))

    def start(self, ready=True):
        with open(self.log_file, "a") as out:
            self.process = subprocess.Popen(self.command, stdout=out, stderr=subprocess.STDOUT, env=self.env,
                                            start_new_session=True)
        self.context.schedulers.append(self)
        if ready:
            wait_for(lambda: f"scheduler {self.name} is ready: {self.log()[-600:]}", self.is_ready, 60)
        return self

    def is_running(self):
        return self.process.poll() is None

    def is_ready(self):
        assert self.is_running(), f"scheduler {self.name} ended with {self.process.returncode}: {self.log()[-600:]}"
        try:
            return self.get("/readyz")[0] == 200
        except DISCONNECTED:
            return False

    def get(self, path, token=ADMIN):
        """Status and text of an answer of the serving port."""
        connection = http.client.HTTPSConnection(HOST, self.port, timeout=10, context=live.tls_client())
        try:
            connection.request("GET", path, headers={"Authorization": "Bearer " + token})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def metric(self, sample):
        """The value of a sample such as name{label="value"}; 0 if it is not there."""
        status, text = self.get("/metrics")
        assert status == 200, text
        return next((float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(sample + " ")), 0)

    def log(self):
        return self.log_file.read_text(errors="replace")

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it in order and returns its exit code."""
        return stop_proc(self.process, signal.SIGTERM, 10)

    def check_cache(self):
        """Lets it compare its cache with what the API server told it."""
        before = self.log().count("Cache comparer: pods")
        self.signal(signal.SIGUSR2)
        wait_for("the cache is compared", lambda: self.log().count("Cache comparer: pods") > before, 20)
        for what in ("nodes", "pods"):
            line = [x for x in self.log().splitlines() if f"Cache comparer: {what}" in x][-1]
            assert 'missed="" redundant=""' in line, line

    def replay(self):
        done = subprocess.run([str(self.context.berth), "replay", str(self.recording)], capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, f"the replay differs: {done.stdout[-500:]} {done.stderr[-500:]}"


def encode(text):
    return base64.b64encode(text.encode()).decode()


class Context:
    """What a test is given: a clean cluster, a folder of its own, and a place for what has to be ended after it."""

    def __init__(self, options, cluster, folder):
        self.options, self.cluster, self.folder, self.berth = options, cluster, folder, options.berth
        self.schedulers, self.closables = [], []
        folder.mkdir(parents=True)

    def scheduler(self, *args, **options):
        return Scheduler(self, *args, **options)

    def closing(self, closable):
        self.closables.append(closable)
        return closable

    def close(self):
        for scheduler in self.schedulers:
            stop_proc(scheduler.process, signal.SIGKILL)
        for closable in reversed(self.closables):
            closable.close()


class Repeated:
    """Calls a function again and again on a thread until it is closed."""

    def __init__(self, seconds, function):
        self.function, self.seconds, self.stopping = function, seconds, threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.stopping.wait(self.seconds):
            self.function()

    def close(self):
        self.stopping.set()
        self.thread.join()
