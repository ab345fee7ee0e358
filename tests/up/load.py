#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`berth up` with everything in motion at once: clients that create, patch, list, watch and delete, a Deployment that is scaled,
nodes that come, fail and go, while the embedded scheduler places every pod.

    tests/up/load.py BERTH [--seconds N] [--clients N]

In the end every pod that is left and fits runs, the server ends by itself with exit code 0, and no sanitizer had anything to say.
"""
import argparse
import contextlib
import http.client
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
WEB = "/apis/apps/v1/namespaces/default/deployments/web"
MERGE_PATCH = "application/merge-patch+json"
COMPLAINTS = ("ThreadSanitizer", "AddressSanitizer", "runtime error:", "assertion")


def pod(name):
    container = {"name": "main", "image": "main", "resources": {"requests": {"cpu": "10m", "memory": "1Mi"}}}
    return {"metadata": {"name": name, "labels": {"app": "load"}}, "spec": {"containers": [container]}}


def deployment(replicas):
    template = pod("web")
    template["metadata"] = {"labels": {"app": "web"}}
    spread = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
              "labelSelector": {"matchLabels": {"app": "web"}}}
    template["spec"]["topologySpreadConstraints"] = [spread]
    return {"metadata": {"name": "web"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}}


class Load:
    """The clients, each with a connection of its own, and what went wrong."""

    def __init__(self, up, seconds):
        self.up, self.end = up, time.monotonic() + seconds
        self.errors, self.requests = [], 0

    def goes_on(self):
        return time.monotonic() < self.end and not self.errors

    def ask(self, connection, method, path, body=None, content_type="application/json", allowed=(200, 201)):
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": content_type})
        answer = connection.getresponse()
        data = answer.read()
        self.requests += 1
        if answer.status not in allowed:
            raise AssertionError(f"{method} {path}: {answer.status} {data[:300]!r}")
        return json.loads(data) if data else None

    def run(self, client, *args):
        connection = http.client.HTTPConnection("127.0.0.1", self.up.port, timeout=60)
        try:
            with contextlib.closing(connection):
                client(connection, *args)
        except (OSError, http.client.HTTPException, AssertionError, ValueError) as error:
            self.errors.append(f"{client.__name__}: {error!r}")

    def make_pods(self, connection, number):
        """Creates, labels and deletes pods; every third one stays."""
        made = 0
        while self.goes_on():
            name = f"pod-{number}-{made}"
            self.ask(connection, "POST", PODS, pod(name))
            self.ask(connection, "PATCH", f"{PODS}/{name}", {"metadata": {"labels": {"round": str(made)}}}, MERGE_PATCH)
            if made % 3:
                self.ask(connection, "DELETE", f"{PODS}/{name}", allowed=(200, 404))
            made += 1

    def list_pods(self, connection):
        while self.goes_on():
            self.ask(connection, "GET", f"{PODS}?limit=50")
            self.ask(connection, "GET", f"{PODS}?labelSelector=app%3Dweb")

    def watch_pods(self, connection):
        while self.goes_on():
            connection.request("GET", f"{PODS}?watch=true&timeoutSeconds=1")
            for line in connection.getresponse():
                json.loads(line)

    def scale(self, connection):
        replicas = 0
        self.ask(connection, "POST", WEB.rpartition("/")[0], deployment(replicas))
        while self.goes_on():
            replicas = (replicas + 17) % 60
            self.ask(connection, "PATCH", WEB, {"spec": {"replicas": replicas}}, MERGE_PATCH)
            time.sleep(0.05)
        self.ask(connection, "PATCH", WEB, {"spec": {"replicas": 20}}, MERGE_PATCH)

    def change_nodes(self, connection):
        made = 0
        while self.goes_on():
            name = f"extra-{made % 5}"
            self.ask(connection, "POST", NODES, {"metadata": {"name": name}}, allowed=(201, 409))
            self.ask(connection, "PATCH", f"{NODES}/{name}", {"spec": {"unschedulable": made % 2 == 0}}, MERGE_PATCH, (200, 404))
            if made % 3 == 0:
                self.ask(connection, "DELETE", f"{NODES}/{name}", allowed=(200, 404))
            made += 1
            time.sleep(0.02)

    def read_metrics(self, connection):
        while self.goes_on():
            connection.request("GET", "/metrics")
            connection.getresponse().read()
            self.requests += 1
            time.sleep(0.1)


def await_rest(load, seconds=120):
    """Every pod that there is runs."""
    end = time.monotonic() + seconds
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", load.up.port, timeout=60)) as connection:
        while True:
            pods = load.ask(connection, "GET", PODS)["items"]
            waiting = [p["metadata"]["name"] for p in pods if p["status"].get("phase") != "Running"]
            web = load.ask(connection, "GET", WEB)["status"].get("availableReplicas", 0)
            if not waiting and web == 20:
                return len(pods)
            assert time.monotonic() < end, f"{len(waiting)} of {len(pods)} pods do not run, {web} of web: {waiting[:5]}"
            time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("berth")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=3, help="that make pods")
    options = parser.parse_args()
    up = Up(options.berth, "--nodes", 20, ready_within=120)
    with up:
        load = Load(up, options.seconds)
        clients = [(load.make_pods, i) for i in range(options.clients)]
        clients += [(load.list_pods,), (load.watch_pods,), (load.watch_pods,), (load.scale,), (load.change_nodes,), (load.read_metrics,)]
        threads = [threading.Thread(target=load.run, args=client) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not load.errors, load.errors
        pods = await_rest(load)
        up.interrupt()
        log = up.log()
    assert up.process.returncode == 0, f"berth up ended with {up.process.returncode}: {log[-3000:]}"
    complaints = [line for line in log.splitlines() if any(word in line for word in COMPLAINTS)]
    assert not complaints, log[-6000:]
    print(f"{load.requests} requests in {options.seconds:g} s, {pods} pods run in the end")


if __name__ == "__main__":
    main()
