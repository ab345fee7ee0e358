#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what upstream's kube-controller-manager tells in events: tests/events/record.py BERTH > tests/events/recorded.json

The server is `berth up --api-only`, the scheduler `berth scheduler`, and this program plays the kubelets. Needs
kube-controller-manager, which `tests/e2e/servers/build.sh build/e2e/bin kube-controller-manager` builds.
"""
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "up")]
from scenarios import record  # noqa: E402
from server import SERVERS, Up, until  # noqa: E402

STRATEGIC = "application/strategic-merge-patch+json"
NODES = 3
EXIT_CODES = {"true": 0, "false": 1}
READY = [{"type": "Ready", "status": "True", "reason": "Test"}]


class Kubelets(threading.Thread):
    """Runs the pods of all nodes. A container whose command is `true` or `false` ends at once."""

    def __init__(self, up):
        super().__init__(daemon=True)
        self.up = up
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(0.05):
            for pod in self.up.items("/api/v1/pods"):
                if pod["spec"].get("nodeName"):
                    self.step(pod)

    def step(self, pod):
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        if "deletionTimestamp" in pod["metadata"]:
            self.up.request("DELETE", path + "?gracePeriodSeconds=0")
        elif pod["status"]["phase"] == "Pending":
            self.set(path, {"phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}], "conditions": READY,
                            "containerStatuses": [self.container(True, {"running": {}})]})
        elif pod["status"]["phase"] == "Running" and (word := pod["spec"]["containers"][0].get("command", [""])[0]) in EXIT_CODES:
            code = EXIT_CODES[word]
            self.set(path, {"phase": "Failed" if code else "Succeeded", "conditions": [{"type": "Ready", "status": "False"}],
                            "containerStatuses": [self.container(False, {"terminated": {"exitCode": code}})]})

    def container(self, is_ready, state):
        return {"name": "main", "image": "main:1", "imageID": "", "restartCount": 0, "ready": is_ready, "state": state}

    def set(self, path, status):
        self.up.request("PATCH", path + "/status", json.dumps({"status": status}), {"Content-Type": STRATEGIC})


@contextlib.contextmanager
def running(folder, *command):
    name = pathlib.Path(command[0]).name
    with open(folder / f"{name}.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=subprocess.STDOUT)
    try:
        yield
        assert process.poll() is None, f"{name} ended by itself"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def main():
    berth = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name, Up(berth, "--api-only") as up:
        folder = pathlib.Path(name)
        key = folder / "key.pem"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        with running(folder, berth, "scheduler", f"--kubeconfig={up.kubeconfig}", "--leader-elect=false", "--secure-port=0"), \
             running(folder, SERVERS / "kube-controller-manager", f"--kubeconfig={up.kubeconfig}", "--secure-port=0", "--leader-elect=false",
                     f"--service-account-private-key-file={key}", f"--flex-volume-plugin-dir={folder}/volumes",
                     "--node-monitor-grace-period=1h"):
            for index in range(NODES):
                up.send("POST", "/api/v1/nodes", {"metadata": {"name": f"node-{index}", "labels": {"kubernetes.io/hostname": f"node-{index}"}}, "status": {
                    "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"}, "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}, "conditions": READY}})
            until(lambda: not any(node["spec"].get("taints") for node in up.items("/api/v1/nodes")), "the nodes are ready")
            kubelets = Kubelets(up)
            kubelets.start()
            try:
                told = record(up)
            finally:
                kubelets.is_over.set()
                kubelets.join()
    json.dump(told, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
