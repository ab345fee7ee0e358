#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the configuration file of `berth scheduler --reload-config` while it schedules for `berth up --api-only`.

    tests/scheduler/reload_test.py BERTH [--changes 3] [--pods 300]

Two configurations take turns: each allows one half of the nodes and scores by one plugin of its own. No pod may be lost or
bound twice, and in every attempt the node and the plugin that scored must be those of one configuration. Then files that
make no sense, or change what cannot change, are refused, and the old configuration stays. `--changes 100 --pods 10000` is
the size of the claim; it takes two minutes, since the file is looked at once a second.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "up"))

from served import Scheduler  # noqa: E402
from server import Up, until  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
EVENTS = "/apis/events.k8s.io/v1/events"
SCORES = {"a": "NodeResourcesFit", "b": "ImageLocality"}  # By half of the nodes.
NODES = 20
CLIENTS = 4


def node(index):
    name, allocatable = f"node-{index:03d}", {"cpu": "10000", "memory": "10Ti", "pods": "100000"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"half": "ab"[index % 2]}},
            "status": {"allocatable": allocatable}}


def pod(index):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{index:05d}"}, "spec": {
        "tolerations": [{"operator": "Exists"}],  # Nobody says that the nodes are ready.
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "10m"}}}]}}


class File:
    """The configuration file, which is replaced as a whole."""

    def __init__(self, up):
        self.path, self.up = up.folder / "scheduler.yaml", up

    def configuration(self, half, **more):
        terms = [{"matchExpressions": [{"key": "half", "operator": "In", "values": [half]}]}]
        affinity = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                "clientConnection": {"kubeconfig": str(self.up.kubeconfig), "qps": 10000, "burst": 10000},
                "profiles": [{"schedulerName": "default-scheduler",
                              "plugins": {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": SCORES[half], "weight": 1}]}},
                              "pluginConfig": [{"name": "NodeAffinity", "args": {"addedAffinity": affinity}}]}], **more}

    def write(self, text):
        other = self.path.with_suffix(".new")
        other.write_text(text, encoding="utf-8")
        os.replace(other, self.path)

    def put(self, half, **more):
        self.write(json.dumps(self.configuration(half, **more)))


class Witness:
    """Watches pods, and sees where each is bound."""

    def __init__(self, up):
        self.nodes, self.errors = {}, []
        self.connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=600)
        self.connection.request("GET", PODS + "?watch=true&resourceVersion=0")
        self.answer = self.connection.getresponse()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            for line in self.answer:
                self.see(json.loads(line))

    def see(self, event):
        name, found = event["object"]["metadata"]["name"], event["object"]["spec"].get("nodeName")
        if event["type"] == "DELETED" or self.nodes.get(name, found) != found:
            self.errors.append(f"{event['type']} {name}: {self.nodes.get(name)} -> {found}")
        if found:
            self.nodes[name] = found


def counters(scheduler):
    """Metrics of the scheduler that count: by name with labels."""
    status, text = scheduler.request("GET", "/metrics")
    assert status == 200, text
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.decode().splitlines() if line and line[0] != "#"}


def reloads(scheduler, result):
    return counters(scheduler).get(f'berth_config_reloads_total{{result="{result}"}}', 0)


def attempts(scheduler):
    return counters(scheduler)['scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"}']


def create(up, pods, errors):
    """Pods one after the other, by a connection of its own."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", up.port, timeout=60)) as connection:
        for index in pods:
            connection.request("POST", PODS, json.dumps(pod(index)), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 201:
                return errors.append(text)


def check_attempts(scheduler, witness):
    """Each was made under one configuration."""
    halves = {"a": 0, "b": 0}
    with contextlib.closing(scheduler.connect()) as connection:
        for name, bound in witness.nodes.items():
            connection.request("GET", f"/berth/v1/explain/pods/default/{name}")
            made = json.loads(connection.getresponse().read())["attempts"]
            assert made, f"{name}: nothing is remembered"
            for attempt in made:
                assert attempt["outcome"] == "scheduled" and attempt["node"] == bound, (name, attempt)
                half = "ab"[int(bound.rpartition("-")[2]) % 2]
                assert attempt["feasibleCount"] == NODES // 2, (name, attempt)
                for score in attempt["scores"]:
                    assert list(score["plugins"]) == [SCORES[half]], (name, half, score)
                halves[half] += 1
    return halves


def check_load(up, file, scheduler, changes, pods):
    witness, errors = Witness(up), []
    made = 0
    for change in range(1, changes + 1):
        file.put("ab"[change % 2])
        batch = range(made, pods * change // changes)
        threads = [threading.Thread(target=create, args=(up, batch[i::CLIENTS], errors)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        until(lambda: reloads(scheduler, "applied") == change, f"change {change} is in force")
        for thread in threads:
            thread.join()
        made = batch.stop
    until(lambda: errors or witness.errors or len(witness.nodes) == pods, "every pod is bound", 120)
    assert not errors and not witness.errors, (errors[:3], witness.errors[:3])
    # An attempt is counted when its binding is answered, which the witness may see earlier.
    until(lambda: attempts(scheduler) >= pods, "every attempt is counted")
    assert attempts(scheduler) == pods, f"{attempts(scheduler)} attempts for {pods} pods"
    halves = check_attempts(scheduler, witness)
    assert min(halves.values()) > 0, f"one configuration decided nothing: {halves}"
    return halves


def check_refusals(up, file, scheduler):
    before = reloads(scheduler, "applied")
    refused = 0
    for text in ("{", *(json.dumps(configuration) for configuration in (
            file.configuration("a", parallelism=3), file.configuration("a", clientConnection={"kubeconfig": "/elsewhere"}),
            file.configuration("a", leaderElection={"leaderElect": False}),
            file.configuration("a", profiles=[{"plugins": {"filter": {"enabled": [{"name": "Nobody"}]}}}])))):
        file.write(text)
        until(lambda: reloads(scheduler, "refused") > refused, f"refused: {text[:200]}")
        refused += 1
    assert scheduler.log().count("The changed configuration file is refused, the scheduler goes on as before") == refused
    assert reloads(scheduler, "applied") == before
    for reason in ("parallelism", "clientConnection", "leaderElection"):
        assert f"{reason} cannot change without a restart" in scheduler.log(), scheduler.log()[-3000:]

    def notes():
        return [e["note"] for e in up.items(EVENTS) if e["reason"] == "ConfigurationRefused"]
    until(lambda: any("leaderElection cannot change" in note for note in notes()), "an event tells of it")
    # What was in force before still is.
    up.send("POST", PODS, pod(99_999))
    until(lambda: up.get(PODS + "/pod-99999")["spec"].get("nodeName"), "the pod is bound")
    file.put("a", percentageOfNodesToScore=100)
    until(lambda: reloads(scheduler, "applied") > before, "a good file is taken up again")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    parser.add_argument("--changes", type=int, default=3)
    parser.add_argument("--pods", type=int, default=300)
    arguments = parser.parse_args()
    with Up(arguments.berth, "--api-only") as up:
        for index in range(NODES):
            up.send("POST", "/api/v1/nodes", node(index))
        file, log = File(up), up.folder / "run.log"
        file.put("a")
        flags = [f"--config={file.path}", "--reload-config", "--decision-records=1Gi", f"--record={log}"]
        with Scheduler(arguments.berth, up, *flags, open_paths=("/metrics", "/berth/v1/*")) as scheduler:
            until(scheduler.is_ready, "the scheduler is ready")
            halves = check_load(up, file, scheduler, arguments.changes, arguments.pods)
            check_refusals(up, file, scheduler)
        replayed = subprocess.run([arguments.berth, "replay", str(log), "-o", "json"], capture_output=True, text=True, timeout=300, check=False)
        assert replayed.returncode == 0, replayed.stdout[-2000:] + replayed.stderr[-2000:]
    print(f"reload: {arguments.changes} changes, {arguments.pods} pods, by configuration {halves}")


if __name__ == "__main__":
    main()
