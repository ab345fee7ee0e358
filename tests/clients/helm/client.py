# SPDX-License-Identifier: Apache-2.0
"""helm: a release is installed, upgraded, rolled back and uninstalled, by server-side apply and as helm 3 did it; and the
chart of the scheduler installs what the manifests of a second scheduler have."""
import http.client
import json
import os
import pathlib
import re

CORE = "/api/v1/namespaces/default"
APPS = "/apis/apps/v1/namespaces/default"
KINDS = (f"{CORE}/services", f"{CORE}/configmaps", f"{CORE}/secrets", f"{CORE}/serviceaccounts", f"{CORE}/persistentvolumeclaims",
         f"{APPS}/deployments", f"{APPS}/replicasets", f"{CORE}/pods", "/apis/batch/v1/namespaces/default/jobs")


class Release:
    """One release, and what is there of it. Every command waits until what it did is ready."""

    def __init__(self, context, program, up, name, is_server_side):
        self.context, self.program, self.up, self.name = context, program, up, name
        self.apply = f"--server-side={str(is_server_side).lower()}"
        self.chart = context.source / "chart"
        folders = {f"HELM_{kind}_HOME": str(context.folder / "helm" / kind) for kind in ("CACHE", "CONFIG", "DATA")}
        self.environment = {**os.environ, **folders, "KUBECONFIG": str(up.kubeconfig)}

    def helm(self, *words):
        return self.context.run([self.program, *words], env=self.environment)

    def helm_json(self, *words):
        return json.loads(self.helm(*words, "--output", "json"))

    def change(self, *words):
        self.helm(*words, self.apply, "--wait", "--timeout", "2m")

    def get(self, folder, kind):
        return self.up.get(f"{folder}/{kind}/{self.name}")

    def check(self, revision, image, replicas, greeting, has_secret):
        """What the API has is what the values say."""
        deployment, status = self.get(APPS, "deployments"), self.helm_json("status", self.name)
        assert (status["version"], status["info"]["status"]) == (revision, "deployed"), status["info"]
        template = deployment["spec"]["template"]["spec"]
        assert (template["containers"][0]["image"], template["serviceAccountName"]) == (image, self.name), template
        state = deployment["status"]
        assert state["observedGeneration"] == deployment["metadata"]["generation"], deployment
        assert state["updatedReplicas"] == state["readyReplicas"] == state["replicas"] == replicas, state
        pods = self.up.items(f"{CORE}/pods?labelSelector=app.kubernetes.io%2Finstance%3D{self.name}")
        assert [pod["spec"]["containers"][0]["image"] for pod in pods if "deletionTimestamp" not in pod["metadata"]] == [image] * replicas
        assert self.get(CORE, "configmaps")["data"] == {"greeting": greeting}
        secret = self.get(CORE, "secrets")
        assert (secret["data"] == {"password": "b3BlbiBzZXNhbWU="}) if has_secret else secret is None, secret
        assert self.get(CORE, "services")["spec"]["clusterIP"].startswith("10."), self.get(CORE, "services")
        assert self.get(CORE, "serviceaccounts") is not None
        assert self.get(CORE, "persistentvolumeclaims")["status"]["phase"] == "Bound"

    def left(self):
        """The names of all that is still there and has to do with the release."""
        return [f"{kind}/{item['metadata']['name']}" for kind in KINDS for item in self.up.items(kind) if self.name in item["metadata"]["name"]]

    def live(self):
        first = (1, "shop:1", 2, "hello", True)
        self.change("install", self.name, self.chart)
        self.check(*first)
        self.helm("test", self.name, "--timeout", "1m")
        self.change("upgrade", self.name, self.chart, "--set", "image=shop:2,replicas=3,greeting=welcome,hasSecret=false")
        self.check(2, "shop:2", 3, "welcome", False)
        self.change("rollback", self.name, "1")
        self.check(3, *first[1:])
        releases = {release["name"]: release for release in self.helm_json("list")}
        assert (releases[self.name]["revision"], releases[self.name]["status"]) == ("3", "deployed"), releases
        history = [(entry["revision"], entry["status"]) for entry in self.helm_json("history", self.name)]
        assert history == [(1, "superseded"), (2, "superseded"), (3, "deployed")], history
        assert "kind: PersistentVolumeClaim" in self.helm("get", "manifest", self.name)
        self.helm("uninstall", self.name, "--wait", "--timeout", "2m")
        assert self.name not in {release["name"] for release in self.helm_json("list", "--all-namespaces")}
        # A hook is no part of a release.
        assert {name.rsplit("/", 1)[1][:len(self.name) + 8] for name in self.left()} <= {f"{self.name}-migrate"}, self.left()


DEPLOY = pathlib.Path(__file__).resolve().parents[3] / "deploy"
SYSTEM = "namespaces/kube-system"
RBAC = "apis/rbac.authorization.k8s.io/v1"
PLACES = {"ServiceAccount": f"/api/v1/{SYSTEM}/serviceaccounts", "ConfigMap": f"/api/v1/{SYSTEM}/configmaps",
          "Deployment": f"/apis/apps/v1/{SYSTEM}/deployments", "Role": f"/{RBAC}/{SYSTEM}/roles",
          "RoleBinding": f"/{RBAC}/{SYSTEM}/rolebindings", "ClusterRoleBinding": f"/{RBAC}/clusterrolebindings"}


def meaning(item):
    """What an object says but for who made it: labels and annotations, and how its configuration is laid out."""
    content = {key: item[key] for key in ("spec", "rules", "roleRef", "subjects") if key in item}
    if item.get("data"):
        lines = "\n".join(item["data"].values()).splitlines()
        content["data"] = sorted(line.strip(" -") for line in lines if not line.lstrip().startswith("#"))
    if "template" in content.get("spec", {}):
        del content["spec"]["template"]["metadata"]
    return content


def objects(up):
    found = {f"{kind} {item['metadata']['name']}": meaning(item) for kind, place in PLACES.items() for item in up.items(place)}
    return {name: content for name, content in found.items() if "berth" in name}


def second_scheduler(context):
    """The objects of deploy/second-scheduler."""
    with context.up("--nodes", 0, "--api-only") as up:
        for path in sorted((DEPLOY / "second-scheduler").glob("*.yaml")):
            for document in re.split(r"^---$", path.read_text(encoding="utf-8"), flags=re.M):
                kind = re.search(r"^kind: (\S+)", document, re.M)[1]
                if kind in PLACES:
                    connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=30)
                    connection.request("POST", PLACES[kind] + "?fieldValidation=Strict", document.encode(), {"Content-Type": "application/yaml"})
                    answer = connection.getresponse()
                    assert answer.status == 201, answer.read()
                    connection.close()
        return objects(up)


def install_scheduler(context, program):
    wanted = second_scheduler(context)
    with context.up("--nodes", 3) as up:
        release = Release(context, program, up, "berth-scheduler", True)
        release.helm("lint", "--strict", DEPLOY / "chart")
        release.helm("install", release.name, DEPLOY / "chart", "--namespace", "kube-system", "--wait", "--timeout", "2m")
        installed = objects(up)
        assert installed == wanted, json.dumps([installed, wanted], indent=1)
        values = ("replicas=1", "schedulerName=default-scheduler", "configuration.parallelism=4", "featureGates.GenericWorkload=true",
                  "reloadConfiguration=true", "extraArguments={--v=2}", "image.repository=registry.example.com/berth")
        sets = [word for value in values for word in ("--set", value)]
        release.helm("upgrade", release.name, DEPLOY / "chart", "--namespace", "kube-system", "--wait", "--timeout", "2m", *sets)
        container = up.get(f"{PLACES['Deployment']}/berth-scheduler")["spec"]["template"]["spec"]["containers"][0]
        assert {"--reload-config", "--feature-gates=GenericWorkload=true", "--v=2"} <= set(container["command"]), container
        assert container["image"].startswith("registry.example.com/berth:"), container
        settings = up.get(f"{PLACES['ConfigMap']}/berth-scheduler")["data"]["scheduler.yaml"]
        assert "parallelism: 4" in settings and "schedulerName: default-scheduler" in settings, settings
        release.helm("uninstall", release.name, "--namespace", "kube-system", "--wait", "--timeout", "2m")
        left = {name for name in objects(up) if not name.startswith("Event")}
        assert not left, left


def run(context):
    program = context.go_build("helm.sh/helm/v4/cmd/helm")
    with context.up("--nodes", 3) as up:
        for name, is_server_side in (("applied", True), ("merged", False)):
            Release(context, program, up, name, is_server_side).live()
    install_scheduler(context, program)
