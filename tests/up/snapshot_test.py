#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a running `berth up` is saved and reset as a whole, with its scheduler and its controllers.

    tests/up/snapshot_test.py BERTH
"""
import http.client
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up, until  # noqa: E402

SNAPSHOT = "/berth/v1/snapshot"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
PODS = "/api/v1/namespaces/default/pods"
RESET_MS_MAX = 10


def deployment(name, replicas):
    return {"metadata": {"name": name}, "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": {
        "metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}}


def running(up):
    return sum(pod["status"].get("phase") == "Running" for pod in up.items(PODS))


def reset(up, snapshot):
    return up.send("PUT", SNAPSHOT, json.loads(snapshot))


def saved(up):
    status, text = up.request("GET", SNAPSHOT)
    assert status == 200, text
    return text


def check_reset(up):
    """What ran is gone, what it took is free again, and the scheduler and the controllers go on from there."""
    fresh = saved(up)
    for _ in range(3):
        # The nodes have room for 24 of these: the second round fails if the first one still counts.
        up.send("POST", DEPLOYMENTS, deployment("web", 20))
        until(lambda: running(up) == 20, "20 pods run")
        reset(up, fresh)
        assert up.items(PODS) == [] and up.items(DEPLOYMENTS) == []
    time.sleep(0.3)
    assert up.items(PODS) == [], "a controller has brought pods back"


def check_pods_go_back(up):
    """Pods that ran where the snapshot has them waiting are placed again; those that were deleted run again."""
    fresh = saved(up)
    up.send("POST", PODS, {"metadata": {"name": "waits"}, "spec": {"nodeSelector": {"disk": "ssd"}, "containers": [{"name": "c", "image": "i"}]}})
    up.send("POST", PODS, {"metadata": {"name": "runs"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    until(lambda: running(up) == 1, "one pod runs")
    before = saved(up)
    uids = {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in up.items(PODS)}
    up.send("PATCH", "/api/v1/nodes/node-1", {"metadata": {"labels": {"disk": "ssd"}}}, "application/merge-patch+json")
    until(lambda: running(up) == 2, "the other runs too")
    up.send("DELETE", f"{PODS}/runs")

    reset(up, before)

    time.sleep(0.3)
    pods = {pod["metadata"]["name"]: pod for pod in up.items(PODS)}
    assert {name: pod["metadata"]["uid"] for name, pod in pods.items()} == uids, pods
    assert pods["runs"]["status"]["phase"] == "Running" and "nodeName" not in pods["waits"]["spec"], pods
    up.send("PATCH", "/api/v1/nodes/node-2", {"metadata": {"labels": {"disk": "ssd"}}}, "application/merge-patch+json")
    until(lambda: running(up) == 2, "it is placed again")
    assert up.get(f"{PODS}/waits")["spec"]["nodeName"] == "node-2"
    reset(up, fresh)


def check_watches_see_it(up):
    fresh = saved(up)
    maps = "/api/v1/namespaces/default/configmaps"
    revision = up.get(maps)["metadata"]["resourceVersion"]
    up.send("POST", maps, {"metadata": {"name": "mine"}})
    connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=10)
    connection.request("GET", f"{maps}?watch=true&resourceVersion={revision}")
    answer = connection.getresponse()
    reset(up, fresh)
    seen = [json.loads(answer.readline()) for _ in range(2)]
    connection.close()
    assert [(event["type"], event["object"]["metadata"]["name"]) for event in seen] == [("ADDED", "mine"), ("DELETED", "mine")], seen


def check_speed(up):
    """The reset between two small tests."""
    fresh = saved(up)
    connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=10)
    times = []
    for index in range(20):
        up.send("POST", "/api/v1/namespaces", {"metadata": {"name": f"test-{index}"}})
        began = time.monotonic()
        connection.request("PUT", SNAPSHOT, fresh)
        answer = connection.getresponse()
        answer.read()
        times.append((time.monotonic() - began) * 1000)
        assert answer.status == 200
    connection.close()
    times.sort()
    objects = len(json.loads(fresh)["items"])
    print(f"reset of {objects} objects, {len(fresh)} bytes: median {times[len(times) // 2]:.1f} ms, best {times[0]:.1f} ms")
    assert times[0] < RESET_MS_MAX, times


def check_refusals(up):
    for body, status in (("", 400), ("{", 400), ('{"apiVersion":"v1","kind":"List","items":[]}', 400)):
        assert up.request("PUT", SNAPSHOT, body)[0] == status, body
    assert up.request("POST", SNAPSHOT, "{}")[0] == 405
    # Web pages are kept out.
    assert up.request("GET", SNAPSHOT, headers={"Origin": "http://evil.example"})[0] == 403
    assert len(up.items("/api/v1/nodes")) == 3


def check_one_at_a_time(up):
    connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=10)
    connection.putrequest("PUT", SNAPSHOT)
    connection.putheader("Content-Length", "100")
    connection.endheaders(b"{")
    until(lambda: up.request("PUT", SNAPSHOT, "{")[0] == 429, "the place is taken")
    connection.close()
    until(lambda: up.request("PUT", SNAPSHOT, "{")[0] == 400, "the place is free again")


def check_token(berth):
    with Up(berth, "--api-only", token="secret") as up:
        assert up.request("GET", SNAPSHOT)[0] == 200
        assert up.request("GET", SNAPSHOT, headers={"Authorization": "Bearer other"})[0] == 401
        assert up.request("PUT", SNAPSHOT, "{", headers={"Authorization": "Bearer other"})[0] == 401


def check_command(berth, up):
    file = up.folder / "snapshot.json"

    def run(*arguments):
        return subprocess.run([berth, "snapshot", *arguments, "--kubeconfig", str(up.kubeconfig)], capture_output=True, text=True,
                              timeout=60, check=False)

    assert run("save", str(file)).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    up.send("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "mine"}})
    restored = run("restore", str(file))
    assert restored.returncode == 0 and ", 1 removed," in restored.stdout, restored
    file.write_text("{", encoding="utf-8")
    refused = run("restore", str(file))
    assert refused.returncode == 1 and refused.stderr.startswith("berth snapshot restore: snapshot: "), refused


def main():
    berth = sys.argv[1]
    with Up(berth) as up:
        check_reset(up)
        check_pods_go_back(up)
        check_watches_see_it(up)
        check_refusals(up)
        check_one_at_a_time(up)
        check_command(berth, up)
    with Up(berth, "--api-only") as up:
        check_speed(up)
    check_token(berth)


if __name__ == "__main__":
    main()
