#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `berth up` and `berth export` do with damaged data and with surroundings that refuse them.

    tests/up/damage.py BERTH
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up  # noqa: E402

MAPS = "/api/v1/namespaces/default/configmaps"


def run(berth, *args):
    """Exit code, standard output and standard error."""
    done = subprocess.run([str(berth), *map(str, args)], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def create(up, name):
    body = json.dumps({"metadata": {"name": name}, "data": {"key": "value-of-" + name}})
    status, answer = up.request("POST", MAPS, body, {"Content-Type": "application/json"})
    assert status == 201, answer


def names(up):
    return {item["metadata"]["name"] for item in json.loads(up.request("GET", MAPS)[1])["items"]}


def check_salvage(berth, folder):
    data = folder / "data"
    with Up(berth, "--api-only", "--data", data) as up:
        for name in ("one", "two", "three"):
            create(up, name)
        assert up.stop() == 0
    journal = data / "journal"
    content = bytearray(journal.read_bytes())
    at = content.index(b"value-of-two")
    content[at:at + 7] = b"DAMAGED"
    journal.write_bytes(content)

    code, out, errors = run(berth, "export", "--data", data)
    assert code == 1 and not out and "offset " in errors and "--salvage" in errors, (code, out, errors)
    code, _, errors = run(berth, "up", "--api-only", "--port", 0, "--kubeconfig", folder / "k", "--data", data)
    assert code == 1 and "offset " in errors and "--salvage" in errors, (code, errors)
    assert journal.read_bytes() == content

    code, out, errors = run(berth, "export", "--data", data, "--salvage")
    assert code == 0 and "value-of-one" in out and "value-of-three" in out and "value-of-two" not in out, (code, errors)
    assert 'write of configmaps "default/two"' in errors and "1 damaged part left out" in errors, errors
    assert journal.read_bytes() == content

    with Up(berth, "--api-only", "--data", data, "--salvage") as up:
        assert {"one", "three"} <= names(up) and "two" not in names(up), names(up)
        assert 'write of configmaps "default/two"' in up.log() and "journal.damaged" in up.log(), up.log()
        create(up, "two")
        assert up.stop() == 0
    assert (data / "journal.damaged").read_bytes() == content
    with Up(berth, "--api-only", "--data", data) as up:
        assert {"one", "two", "three"} <= names(up), names(up)


def check_surroundings(berth, folder):
    """An error and exit code 1, never a crash; also once the scheduler runs."""
    missing = folder / "none" / "kubeconfig"
    for flags in ([], ["--no-scheduler"], ["--api-only"]):
        code, _, errors = run(berth, "up", "--port", 0, "--kubeconfig", missing, *flags)
        assert code == 1 and errors.startswith("berth up: ") and "none" in errors, (code, errors)
    code, _, errors = run(berth, "up", "--port", 0, "--kubeconfig", folder)
    assert code == 1 and errors.startswith("berth up: "), (code, errors)
    code, _, errors = run(berth, "up", "--port", 0, "--kubeconfig", folder / "k", "--data", "/proc/none")
    assert code == 1 and "/proc/none" in errors, (code, errors)
    for qps in ("inf", "NaN"):
        code, _, errors = run(berth, "scheduler", "--master=http://127.0.0.1:1", "--secure-port=0", f"--kube-api-qps={qps}", "--v=2")
        assert code == 1 and "json: unsupported value" in errors, (code, errors)


def check_imports(berth, folder):
    """What cannot be stored is named, and nothing of the dump is kept."""
    deep = '{"a":' * 190 + "1" + "}" * 190
    claim = ('{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"deep"},"spec":{"devices":{'
             f'"config":[{{"opaque":{{"driver":"d.example.com","parameters":{deep}}}}}]}}}}}}')
    role = json.dumps({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "x" * 70_000}})
    odd = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a/b"}})
    stray = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "No_Such"}})
    good = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "good"}})
    for number, (bad, said) in enumerate(((claim, "nested too deeply"), (role, "Too long"), (odd, "metadata.name"),
                                          (stray, "metadata.namespace"))):
        dump, data = folder / f"dump-{number}.yaml", folder / f"import-{number}"
        dump.write_text(f"{good}\n---\n{bad}\n", encoding="utf-8")
        code, _, errors = run(berth, "up", "--api-only", "--port", 0, "--kubeconfig", folder / "k", "--data", data, "--import", dump)
        assert code == 1 and said in errors and str(dump) in errors, (code, errors[:500])
        # Mended, it can be tried again.
        dump.write_text(good, encoding="utf-8")
        with Up(berth, "--api-only", "--data", data, "--import", dump) as up:
            assert "good" in names(up), names(up)


def check_simulation(berth, folder):
    many = folder / "many.yaml"
    many.write_text("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 100000000\n"
                    "  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n"
                    "    spec: {containers: [{name: c, image: i}]}\n", encoding="utf-8")
    code, _, errors = run(berth, "simulate", "-f", many)
    assert code not in (0, -6, 134) and "Deployment default/web: too many pods" in errors, (code, errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    berth = parser.parse_args().berth.resolve()
    for check in (check_salvage, check_surroundings, check_imports, check_simulation):
        with tempfile.TemporaryDirectory(prefix="berth-damage-") as folder:
            check(berth, pathlib.Path(folder))
        print(f"ok   {check.__name__}", flush=True)
    return 0


if __name__ == "__main__":
    os.environ.pop("BERTH_TOKEN", None)
    sys.exit(main())
