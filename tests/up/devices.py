#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Claims to devices on `berth up --devices`: what nodes publish, how pods come to it, and what is said of bad files.

    tests/up/devices.py BERTH
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import ROOT, Up, until  # noqa: E402

DEVICES = "/apis/resource.k8s.io/v1"
CLAIMS = DEVICES + "/namespaces/default/resourceclaims"
TEMPLATES = DEVICES + "/namespaces/default/resourceclaimtemplates"
PODS = "/api/v1/namespaces/default/pods"
EXAMPLE = ROOT / "examples/devices.yaml"


def template(name, devices):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": name},
            "spec": {"spec": {"devices": devices}}}


def pod(name, claim, **annotations):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations}, "spec": {
        "containers": [{"name": "a", "image": "a", "resources": {"claims": [{"name": "gpu"}]}}],
        "resourceClaims": [{"name": "gpu", **claim}]}}


def names(up, path):
    return sorted(item["metadata"]["name"] for item in up.items(path))


def is_running(up, name):
    found = up.get(f"{PODS}/{name}")
    return found and found["status"]["phase"] == "Running"


def devices_of(up, claim):
    status = up.get(f"{CLAIMS}/{claim}")["status"]
    return [result["device"] for result in status.get("allocation", {}).get("devices", {}).get("results", [])]


def check_life(up):
    """From a template to a device and back."""
    up.send("POST", TEMPLATES, template("half", {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "half-gpu"}}]}))
    up.send("POST", PODS, pod("ends", {"resourceClaimTemplateName": "half"}, **{"berth.dev/complete-after": "1s"}))
    until(lambda: is_running(up, "ends"), "a pod with half a GPU")
    claim = up.get(f"{PODS}/ends")["status"]["resourceClaimStatuses"][0]["resourceClaimName"]
    assert devices_of(up, claim), "a pod runs without its device"
    until(lambda: not up.items(CLAIMS), "the claim to go with the end of its pod")

    shared = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "shared"},
              "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}}
    up.send("POST", CLAIMS, shared)
    for name in ("first", "second"):
        up.send("POST", PODS, pod(name, {"resourceClaimName": "shared"}))
    until(lambda: is_running(up, "first") and is_running(up, "second"), "two pods that share a GPU")
    assert len(devices_of(up, "shared")) == 1
    for name in ("first", "second"):
        assert devices_of(up, "shared"), "a device is taken from a claim in use"
        up.send("DELETE", f"{PODS}/{name}")
    until(lambda: not devices_of(up, "shared"), "the claim to lose its device with the last pod")

    extended = pod("classic", {"resourceClaimName": "none"})
    extended["spec"] = {"containers": [{"name": "a", "image": "a", "resources": {"limits": {"example.com/gpu": "2"}}}]}
    up.send("POST", PODS, extended)
    until(lambda: is_running(up, "classic"), "a pod that asks for GPUs as a resource")
    made = up.get(f"{PODS}/classic")["status"]["extendedResourceClaimStatus"]["resourceClaimName"]
    assert len(devices_of(up, made)) == 2
    up.send("DELETE", f"{PODS}/classic")
    until(lambda: names(up, CLAIMS) == ["shared"], "its claim to go with it")


def check_restart(berth, folder):
    """Slices are kept with the rest; those that are there are not made again, and a class that was deleted comes back."""
    data = str(folder / "data")
    with Up(berth, "--nodes", "2", "--devices", str(EXAMPLE), "--data", data) as up:
        until(lambda: len(up.items(DEVICES + "/resourceslices")) == 2, "the slices of two nodes")
        before = {item["metadata"]["name"]: item["metadata"]["uid"] for item in up.items(DEVICES + "/resourceslices")}
        up.send("DELETE", DEVICES + "/deviceclasses/gpu")
    with Up(berth, "--devices", str(EXAMPLE), "--data", data) as up:
        until(lambda: names(up, DEVICES + "/deviceclasses") == ["gpu", "half-gpu"], "the class to come back")
        after = {item["metadata"]["name"]: item["metadata"]["uid"] for item in up.items(DEVICES + "/resourceslices")}
        assert after == before, (before, after)


def check_bad_files(berth, folder):
    """Nothing begins, and the error says where it is."""
    bad = folder / "bad.yaml"
    for text, expected in (
            ("kind: [", "bad.yaml:2:"),
            ("apiVersion: v1\nkind: Pod\nmetadata: {name: a}", "bad.yaml:1: Pod a: expected a DeviceClass, ResourceSlice or DeviceTaintRule"),
            ("---\n" + EXAMPLE.read_text(encoding="utf-8").replace("nodeName:", "nodename:", 1), 'unknown field "spec.nodename"')):
        bad.write_text(text, encoding="utf-8")
        ran = subprocess.run([berth, "up", "--port", "0", "--devices", str(bad)], cwd=folder, capture_output=True, text=True, timeout=30)
        assert ran.returncode == 1 and expected in ran.stderr, (text[:60], ran)
    ran = subprocess.run([berth, "up", "--devices", str(bad), "--api-only"], cwd=folder, capture_output=True, text=True, timeout=30)
    assert ran.returncode != 0 and "--api-only" in ran.stderr, ran


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    berth = str(parser.parse_args().berth.resolve())
    with tempfile.TemporaryDirectory(prefix="berth-devices-") as folder:
        with Up(berth, "--devices", str(EXAMPLE)) as up:
            until(lambda: names(up, DEVICES + "/resourceslices") == ["node-1-train", "node-2-train", "node-3-memory", "node-3-split"],
                  "the slices of all nodes")
            check_life(up)
        check_restart(berth, pathlib.Path(folder))
        check_bad_files(berth, pathlib.Path(folder))
    print("devices come with nodes, go to pods and come back")


if __name__ == "__main__":
    sys.exit(main())
