#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries out deploy/ on a real API server: the manifests are valid, and the rights that they give are enough.

Every manifest is created with strict validation. Then `berth scheduler` runs twice, with the flags and the identity of
the second scheduler and with those of the replacement. Each time it elects a leader, schedules, preempts, binds a
volume and asks who may read its metrics; the audit log of the API server must show that nothing was forbidden.

usage: deploy_test.py BERTH [--bin DIR] [--etcd-port N] [--api-port N] [unittest arguments]

DIR holds etcd and kube-apiserver (default build/e2e/bin; tests/e2e/servers/build.sh makes them). Without them the
tests that need them are skipped and counted.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/live"), str(ROOT / "tests/live/tools")]
import live  # noqa: E402
from build import B, C, E, F, GONE, N, P, PC, PV, PVC, SC, bind_pvc  # noqa: E402

DEPLOY = ROOT / "deploy"
ACCOUNT = "system:serviceaccount:kube-system:berth-scheduler"
PATHS = {"ServiceAccount": "/api/v1/namespaces/{ns}/serviceaccounts", "ConfigMap": "/api/v1/namespaces/{ns}/configmaps",
         "Pod": "/api/v1/namespaces/{ns}/pods", "Deployment": "/apis/apps/v1/namespaces/{ns}/deployments",
         "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles",
         "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
         "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
         "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"}
AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                "rules": [{"level": "Metadata"}]}
KUBECONFIG = json.dumps({
    "apiVersion": "v1", "kind": "Config", "current-context": "c",
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:6443", "insecure-skip-tls-verify": True}}],
    "users": [{"name": "u", "user": {"tokenFile": "token"}}],  # Beside the kubeconfig.
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]})
options = argparse.Namespace()


def manifests():
    """(file, text) of every document below deploy/ that is an object of the API. The chart has templates of such."""
    for path in sorted(set(DEPLOY.rglob("*.yaml")) - set(DEPLOY.glob("chart/**/*.yaml"))):
        for document in re.split(r"^---$", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            if re.search(r"^apiVersion: (?!kustomize|kubescheduler)", document, re.MULTILINE):
                yield path.relative_to(ROOT), document


def field(document, pattern):
    found = re.search(pattern, document, re.MULTILINE)
    return found.group(1) if found else ""


def url(document, query=""):
    kind, ns = field(document, r"^kind: (\S+)"), field(document, r"^  namespace: (\S+)")
    return PATHS[kind].format(ns=ns) + "?fieldValidation=Strict" + query


class Scheduler:
    """`berth scheduler` as one of the manifests starts it."""

    def __init__(self, directory, command, kubeconfig):
        self.dir, self.port = directory, live.free_port()
        words = [re.sub(r"(?<=kubeconfig=).*", kubeconfig, word) for word in command]
        words += [f"--secure-port={self.port}", "--bind-address=127.0.0.1"]
        if not any("authentication-kubeconfig" in word for word in words):  # In a cluster it would find these itself.
            words += [f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}"]
        with open(f"{directory}/scheduler.log", "w") as log:
            self.proc = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def get(self, path, token=None):
        connection = http.client.HTTPSConnection(live.HOST, self.port, timeout=5, context=live.tls_client())
        connection.request("GET", path, headers={"Authorization": "Bearer " + token} if token else {})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def wait_until_ready(self):
        end = time.monotonic() + 30
        while True:
            try:
                if self.get("/readyz") == 200:
                    return
            except OSError:
                pass
            if self.proc.poll() is not None or time.monotonic() > end:
                raise RuntimeError("not ready: " + live.tail(f"{self.dir}/scheduler.log", 2000))
            time.sleep(0.1)


class DeployTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="berth-deploy-")
        pathlib.Path(cls.directory, "policy.yaml").write_text(json.dumps(AUDIT_POLICY))
        cls.audit_log = pathlib.Path(cls.directory, "audit.log")
        audit = ["--audit-policy-file", f"{cls.directory}/policy.yaml", "--audit-log-path", str(cls.audit_log)]
        cls.plane = live.ControlPlane(options.bin, cls.directory, options.etcd_port, options.api_port)
        cls.plane.api_args += audit
        cls.plane.start()
        cls.objects = {}
        for path, document in manifests():
            query = "&dryRun=All" if field(document, r"^kind: (\S+)") == "Pod" else ""  # A kubelet makes that one.
            made = cls.create(document, query)
            cls.objects[made["kind"], str(path)] = made

    @classmethod
    def tearDownClass(cls):
        cls.plane.stop()
        shutil.rmtree(cls.directory)

    @classmethod
    def create(cls, document, query=""):
        # As it stands in the file: the API server reads YAML, and strictly.
        plane = cls.plane
        connection = http.client.HTTPSConnection(live.HOST, plane.ap, timeout=30, context=plane.ctx)
        headers = {"Authorization": "Bearer " + live.ADMIN, "Content-Type": "application/yaml",
                   "Accept": "application/json"}
        connection.request("POST", url(document, query), document.encode(), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status >= 300 or answer.getheader("Warning"):
            raise live.ApiError(answer.status, f"{answer.getheader('Warning')} {text}")
        return json.loads(text)

    def forbidden(self, user):
        """What that user was refused, as the audit log has it."""
        time.sleep(1)
        entries = [json.loads(line) for line in self.audit_log.read_text().splitlines()]
        mine = [e for e in entries if e["user"].get("username") == user]
        self.assertTrue(mine, f"the audit log knows nothing of {user}")
        return [f"{e['verb']} {e['requestURI']}" for e in mine if e.get("responseStatus", {}).get("code") == 403]

    def kubeconfig(self, token):
        path = pathlib.Path(tempfile.mkdtemp(dir=self.directory))
        (path / "token").write_text(token)
        (path / "kubeconfig").write_text(KUBECONFIG.replace("6443", str(self.plane.ap)))
        return path

    def day(self, scheduler, scheduler_name, lease):
        """A day in the life of a scheduler: everything that needs a right of its own."""
        run = live.Run(types.SimpleNamespace(timeout=30), self.plane, self.directory)
        run.norm, run.inst = live.Norm(), {"a": scheduler}
        self.addCleanup(live.stop_proc, scheduler.proc)
        scheduler.wait_until_ready()
        named = {"sched": scheduler_name}
        for step in [
                F("Lease", lease, ["spec", "holderIdentity"], ns="kube-system"),
                C(PC("high", 1000), SC("local"), N("n1", "2"), N("n2", "1", labels={"disk": "yes"})),
                C(PV("pv1", "local", node="n2"), PVC("data", "local")),
                C(P("low", "2", grace=0, **named)), B("low"), E("Scheduled", "low"),
                C(P("stuck", "64", **named)), E("FailedScheduling", "stuck"),
                C(P("urgent", "2", pc="high", **named)), GONE("Pod", "low", "default"), B("urgent"),
                E("Preempted", "low"),
                C(P("writer", "1", pvcs=["data"], **named)),
                F("PersistentVolume", "pv1", ["spec", "claimRef", "name"], equals="data"), *bind_pvc("data", "pv1"),
                B("writer")]:
            run.step(step)
        self.assertEqual(scheduler.get("/metrics"), 403)
        self.assertEqual(scheduler.get("/metrics", live.NOBODY), 403)
        self.assertEqual(scheduler.get("/metrics", live.ADMIN), 200)
        self.assertEqual(live.stop_proc(scheduler.proc), 0, "a leader that is asked to stop exits with 0")
        held = self.plane.get("Lease", "kube-system", lease)["spec"].get("holderIdentity")
        self.assertFalse(held, "the lease was not given up")
        self.plane.clean()

    def test_forbidden_requests_are_seen(self):
        with self.assertRaises(live.ApiError):
            self.plane.api("GET", "/api/v1/secrets", token=live.NOBODY)
        self.assertEqual(self.forbidden("live-nobody"), ["list /api/v1/secrets"])

    def test_mistakes_in_manifests_are_seen(self):
        document = (DEPLOY / "replacement/kube-scheduler.yaml").read_text()
        with self.assertRaisesRegex(live.ApiError, "unknown field"):
            self.create(document.replace("hostNetwork:", "hostNetwrk:"), "&dryRun=All")

    def test_second_scheduler_has_the_rights_it_needs(self):
        account = "/api/v1/namespaces/kube-system/serviceaccounts/berth-scheduler/token"
        token = self.plane.api("POST", account, {"spec": {"expirationSeconds": 3600}})["status"]["token"]
        directory = self.kubeconfig(token)
        settings = self.objects["ConfigMap", "deploy/second-scheduler/config.yaml"]["data"]["scheduler.yaml"]
        # In a cluster it would find the API server itself.
        settings += f"clientConnection:\n  kubeconfig: {directory}/kubeconfig\n"
        (directory / "scheduler.yaml").write_text(settings)
        deployment = self.objects["Deployment", "deploy/second-scheduler/deployment.yaml"]
        command = deployment["spec"]["template"]["spec"]["containers"][0]["command"]
        self.assertEqual(command[0], "berth")
        command = [options.berth, *(word.replace("/etc/berth", str(directory)) for word in command[1:])]

        self.day(Scheduler(directory, command, f"{directory}/kubeconfig"), "berth-scheduler", "berth-scheduler")

        self.assertEqual(self.forbidden(ACCOUNT), [])

    def test_replacement_has_the_rights_it_needs(self):
        directory = self.kubeconfig(live.SCHED)
        command = self.objects["Pod", "deploy/replacement/kube-scheduler.yaml"]["spec"]["containers"][0]["command"]
        (directory / "kube-scheduler").symlink_to(options.berth)
        self.assertEqual(command[0], "kube-scheduler")

        self.day(Scheduler(directory, [str(directory / command[0]), *command[1:]], f"{directory}/kubeconfig"),
                 None, "kube-scheduler")

        self.assertEqual(self.forbidden("system:kube-scheduler"), [])


class FilesTest(unittest.TestCase):
    def test_example_configuration_is_accepted(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            (folder / "kubeconfig").write_text(KUBECONFIG)
            (folder / "token").write_text("x")
            text = (DEPLOY / "scheduler-config.yaml").read_text()
            (folder / "config.yaml").write_text(text.replace("/etc/kubernetes/scheduler.conf", f"{folder}/kubeconfig"))
            subprocess.run([options.berth, "scheduler", f"--config={folder}/config.yaml",
                            f"--write-config-to={folder}/out.yaml"], check=True, capture_output=True)
            self.assertIn("packing-scheduler", (folder / "out.yaml").read_text())

    def test_all_files_name_one_version(self):
        version = field((ROOT / "CMakeLists.txt").read_text(), r"^project\(berth VERSION (\S+)")
        names = {"second-scheduler/deployment.yaml": f" image: berth:{version}\n",
                 "second-scheduler/kustomization.yaml": f" newTag: {version}\n",
                 "replacement/kube-scheduler.yaml": f" image: berth:{version}\n",
                 "replacement/kubeadm-patches/kube-scheduler+strategic.yaml": f" image: berth:{version}\n",
                 "Dockerfile": f" berth:{version} ",
                 "chart/Chart.yaml": f"\nappVersion: {version}\n",
                 "debian/changelog": f"berth ({version}) "}
        for name, text in names.items():
            self.assertIn(text, (DEPLOY / name).read_text(), name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("berth")
    parser.add_argument("--bin", default=str(ROOT / "build/e2e/bin"))
    parser.add_argument("--etcd-port", type=int, default=25379)
    parser.add_argument("--api-port", type=int, default=29443)
    parsed, rest = parser.parse_known_args()
    parsed.berth = os.path.abspath(parsed.berth)
    vars(options).update(vars(parsed))
    if not all(os.access(f"{options.bin}/{name}", os.X_OK) for name in ("etcd", "kube-apiserver")):
        reason = f"no etcd and kube-apiserver in {options.bin}"
        print("skipped:", reason)
        globals()["DeployTest"] = unittest.skip(reason)(DeployTest)
    unittest.main(argv=[sys.argv[0], *rest], warnings="ignore")


if __name__ == "__main__":
    main()
