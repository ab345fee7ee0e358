#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Webhooks on `berth up`: a small server on loopback that allows, denies, mutates, converts, hangs and talks nonsense.

    tests/up/webhooks.py BERTH
"""
import argparse
import base64
import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up, until  # noqa: E402

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
HOOK = "w.example.com"


def convert(thing, version):
    """A port is one text in the first version and two in the second."""
    thing["apiVersion"] = version
    if version.endswith("/v2"):
        thing["host"], thing["port"] = thing.pop("hostPort").split(":")
    else:
        thing["hostPort"] = f"{thing.pop('host')}:{thing.pop('port')}"
    return thing


class Hook(http.server.BaseHTTPRequestHandler):
    """Answers as its path says, and keeps what it was asked."""

    protocol_version = "HTTP/1.1"
    asked = []
    release = threading.Event()  # Ends what hangs.

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = review["request"]
        Hook.asked.append(request)
        response = {"uid": request["uid"], "allowed": True}
        if "desiredAPIVersion" in request:
            objects = [convert(each, request["desiredAPIVersion"]) for each in request["objects"]]
            response = {"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": objects}
        way = self.path.split("?")[0]
        if way == "/hang":
            Hook.release.wait(20)
        if way == "/deny":
            response |= {"allowed": False, "status": {"message": "not on my watch", "code": 403}}
        if way == "/mutate":
            patch = [{"op": "add", "path": "/metadata/labels", "value": {"seen": "yes"}}]
            response |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(patch).encode()).decode()}
        body = json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}).encode()
        if way == "/garbage":
            body = b"<html>"
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # The API server did not wait.

    def log_message(self, *_):
        pass


class Hooks:
    """The server of the webhooks, by TLS; a context manager."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=hook",
                        "-addext", "subjectAltName=IP:127.0.0.1,DNS:hook.default.svc", "-keyout", "key", "-out", "crt"],
                       cwd=folder, check=True, capture_output=True)
        self.ca = base64.b64encode((folder / "crt").read_bytes()).decode()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "crt", folder / "key")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        Hook.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def client(self, way):
        return {"url": f"https://127.0.0.1:{self.server.server_port}/{way}", "caBundle": self.ca}


class Registered:
    """A webhook that is registered while the context lasts."""

    def __init__(self, up, kind, client, resources=("configmaps",), **more):
        self.up, self.path = up, f"{REGISTRATION}/{kind}webhookconfigurations"
        rule = {"operations": ["CREATE", "UPDATE", "DELETE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": list(resources)}
        hook = {"name": HOOK, "clientConfig": client, "rules": [rule], "sideEffects": "None", "admissionReviewVersions": ["v1"], **more}
        self.body = {"metadata": {"name": "test"}, "webhooks": [hook]}

    def __enter__(self):
        self.up.send("POST", self.path, self.body)
        Hook.asked.clear()

    def __exit__(self, *_):
        self.up.send("DELETE", f"{self.path}/test")


def make(up, name, path=MAPS, **more):
    """Status and answer."""
    status, body = up.request("POST", path, json.dumps({"metadata": {"name": name}, **more}), {"Content-Type": "application/json"})
    return status, json.loads(body)


def check_answers(up, hooks):
    with Registered(up, "validating", hooks.client("allow")):
        assert make(up, "allowed")[0] == 201
        # Controllers may still be writing, too.
        assert [asked["name"] for asked in Hook.asked if asked["userInfo"]["username"] == "system:admin"] == ["allowed"]
    with Registered(up, "validating", hooks.client("deny"), failurePolicy="Ignore"):
        status, denied = make(up, "denied")
        assert (status, denied["message"]) == (403, f'admission webhook "{HOOK}" denied the request: not on my watch'), denied
        assert up.get(f"{MAPS}/denied") is None
    with Registered(up, "mutating", hooks.client("mutate")):
        assert make(up, "mutated")[1]["metadata"]["labels"] == {"seen": "yes"}
    with Registered(up, "validating", hooks.client("garbage")):
        status, failed = make(up, "garbage")
        assert status == 500 and f'failed calling webhook "{HOOK}"' in failed["message"], failed


def check_certificates(up, hooks):
    client = hooks.client("allow")
    del client["caBundle"]
    with Registered(up, "validating", client):
        status, failed = make(up, "untrusted")
        assert status == 500 and "certificate signed by unknown authority" in failed["message"], failed
    with Registered(up, "validating", client, failurePolicy="Ignore"):
        assert make(up, "untrusted")[0] == 201


def check_patience(up, hooks):
    """One that hangs holds up its own request alone, and that not for ever."""
    with Registered(up, "validating", hooks.client("hang"), timeoutSeconds=1):
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(make(up, "hanging")))
        waiting.start()
        until(lambda: Hook.asked, "the webhook to be called")
        assert not answers
        assert make(up, "beside", "/api/v1/namespaces/default/secrets")[0] == 201
        waiting.join(20)
        (status, failed), = answers
        assert status == 500 and failed["message"].endswith("/hang?timeout=1s\": context deadline exceeded"), failed
    Hook.release.set()


def check_cluster(up, hooks):
    """What controllers and the scheduler write passes webhooks too."""
    pod = {"containers": [{"name": "c", "image": "i"}]}
    deployment = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod}}
    with Registered(up, "mutating", hooks.client("mutate"), ("pods", "pods/binding")):
        assert make(up, "alone", PODS, spec=pod)[0] == 201
        until(lambda: up.get(f"{PODS}/alone")["status"]["phase"] == "Running", "the pod to run")
        kinds = {asked["kind"]["kind"] for asked in Hook.asked}
        assert kinds == {"Pod", "Binding"}, kinds
    with Registered(up, "validating", hooks.client("allow"), ("pods",)):
        assert make(up, "web", "/apis/apps/v1/namespaces/default/deployments", spec=deployment)[0] == 201
        until(lambda: sum(pod["status"]["phase"] == "Running" for pod in up.items(f"{PODS}?labelSelector=app=web")) == 3, "the pods to run")
        assert {asked["userInfo"]["username"] for asked in Hook.asked if asked["operation"] == "CREATE"} == {"system:kube-controller-manager"}


def check_converter(up, hooks):
    """Versions of custom resources are made of each other by a converter; one that hangs is nobody else's trouble."""
    text = {"type": "string"}
    schema = [{"openAPIV3Schema": {"type": "object", "properties": dict.fromkeys(names, text)}} for names in (("hostPort",), ("host", "port"))]
    versions = [{"name": "v1", "served": True, "storage": True, "schema": schema[0]},
                {"name": "v2", "served": True, "storage": False, "schema": schema[1], "selectableFields": [{"jsonPath": ".host"}]}]
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": hooks.client("convert"), "conversionReviewVersions": ["v1"]}}
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    up.send("POST", definitions, {"metadata": {"name": "ports.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "ports", "kind": "Port"}, "versions": versions, "conversion": conversion}})
    first, second = (f"/apis/example.com/{version}/namespaces/default/ports" for version in ("v1", "v2"))
    up.send("POST", second, {"apiVersion": "example.com/v2", "kind": "Port", "metadata": {"name": "a"}, "host": "one", "port": "80"})
    up.send("POST", first, {"apiVersion": "example.com/v1", "kind": "Port", "metadata": {"name": "b"}, "hostPort": "two:80"})
    assert up.get(f"{first}/a")["hostPort"] == "one:80"
    assert [each["metadata"]["name"] for each in up.items(f"{second}?fieldSelector=host%3Dtwo")] == ["b"]
    conversion["webhook"]["clientConfig"] = hooks.client("hang")
    definition = up.get(f"{definitions}/ports.example.com")
    definition["spec"]["conversion"] = conversion
    up.send("PUT", f"{definitions}/ports.example.com", definition)
    Hook.release.clear()
    Hook.asked.clear()
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(up.request("GET", f"{second}/a", timeout=60)))
    waiting.start()
    until(lambda: Hook.asked, "the converter to be asked")
    assert up.get(f"{first}/a")["hostPort"] == "one:80" and not answers
    Hook.release.set()
    waiting.join()
    assert json.loads(answers[0][1])["host"] == "one", answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    berth = parser.parse_args().berth.resolve()
    with Hooks() as hooks, Up(berth, "--quiet") as up:
        for check in (check_answers, check_certificates, check_patience, check_cluster, check_converter):
            check(up, hooks)
            print(f"ok {check.__name__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
