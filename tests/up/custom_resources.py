#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Custom resources on `berth up`: kept by a data directory, exported and imported; and the definitions of other projects.

    tests/up/custom_resources.py BERTH          what this project says of itself; seconds
    tests/up/custom_resources.py BERTH --real   installs the definitions of cert-manager, Argo CD, Kueue, Gateway API and
                                                scheduler-plugins from the Go module registry, makes an object of each kind,
                                                reads, patches, applies and deletes it; skipped where there is no registry
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import SKIPPED, Up, until  # noqa: E402

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MODULES = {
    "sigs.k8s.io/gateway-api@v1.3.0": ["config/crd/standard"],
    "sigs.k8s.io/kueue@v0.11.4": ["config/components/crd/bases"],
    "sigs.k8s.io/scheduler-plugins@v0.32.7": ["config/crd/bases"],
    "github.com/cert-manager/cert-manager@v1.17.2": ["deploy/crds"],
    "github.com/argoproj/argo-cd/v2@v2.14.11": ["manifests/crds"],
}

BOATS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: boats, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {color: {type: string, default: blue}}}}
"""
BOAT = "apiVersion: example.com/v1\nkind: Boat\nmetadata: {name: a}\nspec: {}\n"
BOAT_PATH = "/apis/example.com/v1/namespaces/default/boats"


def ask(up, method, path, body=None, content_type="application/json", expect=(200, 201)):
    text = body if isinstance(body, (str, type(None))) else json.dumps(body)
    status, answer = up.request(method, path, text, {"Content-Type": content_type}, timeout=30)
    assert status in expect, f"{method} {path}: {status} {answer[:2000]}"
    return json.loads(answer)


def check_kept(berth):
    """Definitions and objects outlive the process, and travel by export and import."""
    with tempfile.TemporaryDirectory() as data:
        with Up(berth, "--api-only", "--data", data) as up:
            ask(up, "POST", DEFINITIONS, BOATS, "application/yaml")
            made = ask(up, "POST", BOAT_PATH, BOAT, "application/yaml")
        with Up(berth, "--api-only", "--data", data) as up:
            assert ask(up, "GET", f"{BOAT_PATH}/a") == made
            assert ask(up, "GET", f"{BOAT_PATH}/a")["spec"] == {"color": "blue"}
        dump = pathlib.Path(data) / "dump.yaml"
        dump.write_bytes(subprocess.run([berth, "export", "--data", data], check=True, capture_output=True).stdout)
        with Up(berth, "--api-only", "--import", dump) as up:
            assert ask(up, "GET", f"{BOAT_PATH}/a")["metadata"]["uid"] == made["metadata"]["uid"]
            ask(up, "DELETE", f"{DEFINITIONS}/boats.example.com")
            until(lambda: up.request("GET", BOAT_PATH)[0] == 404, "the definition to go")


def folders():
    """Of the modules, those that hold definitions; None if there is no registry."""
    found = []
    for module, places in MODULES.items():
        got = subprocess.run(["go", "mod", "download", "-json", module], capture_output=True, text=True, cwd="/", check=False)
        answer = json.loads(got.stdout or "{}")
        if got.returncode != 0 or "Dir" not in answer:
            return None
        found += [(module, pathlib.Path(answer["Dir"]) / place) for place in places]
    return found


def sample(schema):
    """A value that the schema takes: only what is required."""
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "")
    if schema.get("x-kubernetes-int-or-string"):
        return 1
    if kind == "object" or (not kind and "properties" in schema):
        value = {name: sample(schema["properties"][name]) for name in schema.get("required", []) if name in schema.get("properties", {})}
        for name in schema.get("required", []):
            value.setdefault(name, "x")
        return value
    if kind == "array":
        return [sample(schema["items"])] * schema.get("minItems", 0)
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    if kind == "boolean":
        return True
    if schema.get("format") == "date-time":
        return "2026-01-01T00:00:00Z"
    return "x" * max(1, schema.get("minLength", 1))


def check_definition(up, definition):
    """Installs it and takes an object of its storage version through its life."""
    name = definition["metadata"]["name"]
    spec = definition["spec"]
    made = ask(up, "POST", DEFINITIONS, definition)
    group, plural = spec["group"], spec["names"]["plural"]
    version = next(each for each in spec["versions"] if each["storage"])
    if not version["served"]:
        return "its storage version is not served"
    until(lambda: any(c["type"] == "Established" and c["status"] == "True"
                      for c in ask(up, "GET", f"{DEFINITIONS}/{name}")["status"]["conditions"]), f"{name} to be established")
    place = "namespaces/default/" if spec["scope"] == "Namespaced" else ""
    path = f"/apis/{group}/{version['name']}/{place}{plural}"
    value = sample(version["schema"]["openAPIV3Schema"])
    value.update(apiVersion=f"{group}/{version['name']}", kind=spec["names"]["kind"], metadata={"name": "sample"})
    status, answer = up.request("POST", path, json.dumps(value), {"Content-Type": "application/json"})
    if status == 422:
        return f"no sample: {json.loads(answer)['message'][:200]}"
    assert status == 201, f"{name}: {status} {answer[:1000]}"
    sample_path = f"{path}/sample"
    ask(up, "PATCH", sample_path, {"metadata": {"labels": {"a": "b"}}}, "application/merge-patch+json")
    applied = {"apiVersion": value["apiVersion"], "kind": value["kind"], "metadata": {"name": "sample", "annotations": {"c": "d"}}}
    ask(up, "PATCH", f"{sample_path}?" + urllib.parse.urlencode({"fieldManager": "test"}), applied, "application/apply-patch+yaml")
    read = ask(up, "GET", sample_path)
    assert read["metadata"]["labels"] == {"a": "b"} and read["metadata"]["annotations"] == {"c": "d"}, read
    assert len(ask(up, "GET", path)["items"]) == 1
    ask(up, "DELETE", sample_path)
    assert made["metadata"]["name"] == name
    return ""


def check_real(berth):
    found = folders()
    if found is None:
        print("skipped: no Go module registry")
        return SKIPPED
    import yaml  # pylint: disable=import-outside-toplevel

    count, remarks = 0, []
    with Up(berth, "--nodes", "1") as up:
        for module, folder in found:
            files = sorted(folder.glob("*.yaml"))
            assert files, f"{module}: no definitions in {folder}"
            for file in files:
                for document in yaml.safe_load_all(file.read_text(encoding="utf-8")):
                    if not document or document.get("kind") != "CustomResourceDefinition":
                        continue
                    document.pop("status", None)
                    document["metadata"].pop("labels", None)  # Those of charts are templates.
                    if remark := check_definition(up, document):
                        remarks.append(f"{document['metadata']['name']}: {remark}")
                    count += 1
        for definition in up.items(DEFINITIONS):
            ask(up, "DELETE", f"{DEFINITIONS}/{definition['metadata']['name']}")
        until(lambda: not up.items(DEFINITIONS), "all definitions to go")
    print(f"{count} definitions; {len(remarks)} without an object")
    print("\n".join(remarks))
    assert count > 20, count
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("berth")
    parser.add_argument("--real", action="store_true")
    args = parser.parse_args()
    if args.real:
        return check_real(args.berth)
    check_kept(args.berth)
    return 0


if __name__ == "__main__":
    sys.exit(main())
