#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups of pods on `berth up --feature-gates`: what is served, and how a gang waits and begins.

    tests/up/groups.py BERTH
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import ROOT, Up, until  # noqa: E402

GATES = "--feature-gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true"
SCHEDULING = "/apis/scheduling.k8s.io"
GROUPS = SCHEDULING + "/v1beta1/namespaces/default/podgroups"
PODS = "/api/v1/namespaces/default/pods"


def group(name, count, **spec):
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name},
            "spec": {"schedulingPolicy": {"gang": {"minCount": count}}, **spec}}


def member(name, gang, cpu="5"):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "schedulingGroup": {"podGroupName": gang},
        "containers": [{"name": "a", "image": "a", "resources": {"requests": {"cpu": cpu}}}]}}


def condition(up, name):
    status = up.get(f"{GROUPS}/{name}").get("status", {})
    return next((c for c in status.get("conditions", []) if c["type"] == "PodGroupInitiallyScheduled"), {})


def running(up):
    return sorted(pod["metadata"]["name"] for pod in up.items(PODS) if pod["status"]["phase"] == "Running")


def check_served(up):
    versions = [version["version"] for version in up.get(SCHEDULING)["versions"]]
    assert versions == ["v1", "v1beta1", "v1alpha3"], versions
    up.send("POST", GROUPS, group("views", 1))
    old = up.get(GROUPS.replace("v1beta1", "v1alpha3") + "/views")
    assert old["apiVersion"] == "scheduling.k8s.io/v1alpha3" and old["spec"]["priority"] == 0, old
    assert up.get("/openapi/v3/apis/scheduling.k8s.io/v1alpha3"), "no schema"
    status, table = up.request("GET", GROUPS, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
    assert status == 200 and b'"Gang"' in table and b'"Pending"' in table, table
    up.send("DELETE", f"{GROUPS}/views")
    until(lambda: not up.items(GROUPS), "a group without pods to go")


def check_gang(berth, up):
    """Three nodes have room for one member each, and the gang has four."""
    up.send("POST", GROUPS, group("four", 4))
    for i in range(4):
        up.send("POST", PODS, member(f"four-{i}", "four"))
    until(lambda: condition(up, "four").get("status") == "False", "the group to be told that it does not fit")
    assert "minCount (4)" in condition(up, "four")["message"], condition(up, "four")
    assert not [pod for pod in up.items(PODS) if pod["spec"].get("nodeName")], "part of a gang was bound"

    # It holds nothing meanwhile.
    plain = member("plain", "x")
    del plain["spec"]["schedulingGroup"]
    up.send("POST", PODS, plain)
    until(lambda: running(up) == ["plain"], "a pod to get a place that the gang would have")
    up.send("DELETE", f"{PODS}/plain")

    subprocess.run([berth, "node", "add", "1", "--kubeconfig", str(up.kubeconfig)], check=True, capture_output=True)
    until(lambda: len(running(up)) == 4, "the gang to begin with the fourth node", 60)
    until(lambda: condition(up, "four").get("status") == "True", "the group to be told so")

    metrics = up.request("GET", "/metrics")[1].decode()
    for line in ('scheduler_podgroup_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
                 'scheduler_placement_evaluations_total{profile="default-scheduler",result="feasible"} 1',
                 'scheduler_pending_pods{queue="incomplete"} 0'):
        assert line in metrics, [each for each in metrics.splitlines() if each.startswith(line.split("{")[0])]

    up.send("DELETE", f"{GROUPS}/four")
    assert up.get(f"{GROUPS}/four")["metadata"]["finalizers"] == ["scheduling.k8s.io/podgroup-protection"]
    for i in range(4):
        up.send("DELETE", f"{PODS}/four-{i}")
    until(lambda: up.get(f"{GROUPS}/four") is None, "the group to go with its last pod")


def check_shared_claim(berth):
    """The pods of a group have the GPU of their group."""
    with Up(berth, GATES, "--feature-gates=DRAWorkloadResourceClaims=true", "--devices", ROOT / "examples/devices.yaml") as up:
        claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
        entry = {"name": "gpu", "resourceClaimTemplateName": "gpu"}
        up.send("POST", claims.replace("resourceclaims", "resourceclaimtemplates"), {
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "gpu"},
            "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}}})
        up.send("POST", GROUPS, group("share", 2, resourceClaims=[entry]))
        for name in ("left", "right"):
            pod = member(name, "share", "1")
            pod["spec"]["resourceClaims"] = [entry]
            up.send("POST", PODS, pod)
        until(lambda: running(up) == ["left", "right"], "two pods with the GPU of their group")
        claim, = up.items(claims)
        assert claim["status"]["reservedFor"][0]["resource"] == "podgroups", claim
        for name in ("left", "right"):
            up.send("DELETE", f"{PODS}/{name}")
        up.send("DELETE", f"{GROUPS}/share")
        until(lambda: not up.items(claims), "the claim to go with the group")


def check_data(berth, folder):
    """Without the gate groups are not served, but kept."""
    data = str(folder / "data")
    with Up(berth, GATES, "--data", data) as up:
        up.send("POST", GROUPS, group("kept", 2))
        up.send("POST", PODS, member("half", "kept"))
    with Up(berth, "--data", data) as up:
        assert up.request("GET", GROUPS)[0] == 404
        up.send("POST", PODS, member("alone", "kept"))
        assert "schedulingGroup" not in up.get(f"{PODS}/alone")["spec"], "a field whose gate is off"
        assert up.get(f"{PODS}/half")["spec"]["schedulingGroup"], "a field that was there"
        until(lambda: running(up) == ["alone", "half"], "pods without groups")
    with Up(berth, GATES, "--data", data) as up:
        assert up.get(f"{GROUPS}/kept")


def check_bad_gates(berth, folder):
    for gates, expected in (
            ("Nonsense=true", "--feature-gates: unrecognized feature gate: Nonsense"),
            ("CompositePodGroup=true", "depends on features that are disabled"),
            ("CoordinatedLeaderElection=true", "does not implement")):
        ran = subprocess.run([berth, "up", "--port", "0", "--feature-gates", gates], cwd=folder, capture_output=True, text=True, timeout=30)
        assert ran.returncode == 1 and expected in ran.stderr, (gates, ran)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    berth = str(parser.parse_args().berth.resolve())
    with tempfile.TemporaryDirectory(prefix="berth-groups-") as folder:
        with Up(berth, GATES) as up:
            check_served(up)
            check_gang(berth, up)
        check_shared_claim(berth)
        check_data(berth, pathlib.Path(folder))
        check_bad_gates(berth, folder)
    print("a gang waits without holding anything, and begins together")


if __name__ == "__main__":
    sys.exit(main())
