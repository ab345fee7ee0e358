#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who is let in by `berth up`, over TLS: its kubeconfig, tokens of a file and of accounts, client certificates, strangers.

    access.py BERTH
"""
import argparse
import json
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from server import Up

RBAC = "/apis/rbac.authorization.k8s.io/v1"
WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def openssl(folder, *args):
    subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    """Two authorities, a server's certificate, and one of a client by each of them."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for name in ("ca", "other"):
        openssl(folder, "req", "-x509", *key, "-days", "1", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt")
    openssl(folder, "req", "-x509", *key, "-days", "1", "-subj", "/CN=berth", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "server.key",
            "-out", "server.crt")
    for authority in ("ca", "other"):
        client = f"by-{authority}"
        openssl(folder, "req", *key, "-subj", "/O=testers/O=people/CN=carl", "-keyout", f"{client}.key", "-out", f"{client}.csr")
        openssl(folder, "x509", "-req", "-in", f"{client}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key", "-CAcreateserial",
                "-days", "1", "-out", f"{client}.crt")


class Client:
    def __init__(self, url, folder, token=None, certificate=None):
        self.url = url
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.context = ssl.create_default_context(cafile=folder / "server.crt")
        if certificate:
            self.context.load_cert_chain(folder / f"{certificate}.crt", folder / f"{certificate}.key")

    def send(self, method, path, body=None, **headers):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={**self.headers, "Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def code(self, method, path, body=None):
        return self.send(method, path, body)[0]

    def user(self, **headers):
        status, answer = self.send("POST", WHO, {}, **headers)
        assert status == 201, answer
        return json.loads(answer)["status"]["userInfo"]


class SecureUp(Up):
    """Without a word of who asks."""

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def is_ready(self, timeout=10):
        return self._find_port() is not None


def check_roles(berth, folder):
    (folder / "users.csv").write_text('ann-secret,ann,1,"testers"\nbob-secret,bob,2\n', encoding="utf-8")
    tls = ("--tls-cert-file", folder / "server.crt", "--tls-private-key-file", folder / "server.key")
    with SecureUp(berth, *tls, "--authorization", "rbac", "--token-auth-file", folder / "users.csv", "--client-ca-file", folder / "ca.crt",
                  "--nodes", "1") as up:
        secret = re.search(r"token: '?(\w+)", up.kubeconfig.read_text(encoding="utf-8"))[1]
        admin = Client(up.url, folder, secret)
        ann, bob = (Client(up.url, folder, f"{name}-secret") for name in ("ann", "bob"))
        stranger = Client(up.url, folder)
        carl = Client(up.url, folder, certificate="by-ca")

        assert admin.user() == {"username": "system:admin", "groups": ["system:masters", "system:authenticated"]}, admin.user()
        assert ann.user() == {"username": "ann", "uid": "1", "groups": ["testers", "system:authenticated"]}, ann.user()
        assert carl.user()["username"] == "carl" and set(carl.user()["groups"]) == {"testers", "people", "system:authenticated"}, carl.user()
        assert admin.user(**{"Impersonate-User": "eve"})["username"] == "eve"
        # A certificate that nobody vouches for, and a token that nobody has, make nobody anonymous.
        assert Client(up.url, folder, certificate="by-other").code("GET", "/version") == 401
        assert Client(up.url, folder, "nobody").code("GET", "/version") == 401
        assert stranger.code("GET", "/version") == 200 and stranger.code("GET", "/livez") == 200
        status, answer = stranger.send("GET", "/api/v1/nodes")
        assert status == 403 and 'nodes is forbidden: User \\"system:anonymous\\" cannot list resource' in answer, answer

        # Paths, also those that are Berth's own. The dashboard's files are for everybody.
        for path in ("/metrics", "/berth/v1/queue"):
            assert [client.code("GET", path) for client in (stranger, ann, carl, bob, admin)] == [403, 403, 403, 403, 200], path
        assert stranger.code("GET", "/dashboard/") == 200
        role = {"metadata": {"name": "looker"}, "rules": [{"nonResourceURLs": ["/metrics", "/berth/*"], "verbs": ["get"]}]}
        assert admin.code("POST", RBAC + "/clusterroles", role) == 201
        group = {"kind": "Group", "name": "testers", "apiGroup": "rbac.authorization.k8s.io"}
        binding = {"metadata": {"name": "looker"}, "roleRef": {"kind": "ClusterRole", "name": "looker"}, "subjects": [group]}
        assert admin.code("POST", RBAC + "/clusterrolebindings", binding) == 201
        for path in ("/metrics", "/berth/v1/queue"):
            assert [client.code("GET", path) for client in (stranger, ann, carl, bob)] == [403, 200, 200, 403], path

        # The controller fills the roles that collect others.
        user = {"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}
        binding = {"metadata": {"name": "bob"}, "roleRef": {"kind": "ClusterRole", "name": "view"}, "subjects": [user]}
        assert bob.code("GET", "/api/v1/namespaces/default/pods") == 403
        assert admin.code("POST", RBAC + "/namespaces/default/rolebindings", binding) == 201
        end = time.monotonic() + 10
        while bob.code("GET", "/api/v1/namespaces/default/pods") != 200:
            assert time.monotonic() < end, "the role view stays empty"
            time.sleep(0.05)
        assert bob.code("GET", "/api/v1/namespaces/default/secrets") == 403
        assert bob.code("GET", "/api/v1/namespaces/kube-system/pods") == 403

        status, answer = admin.send("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", {})
        assert status == 201, answer
        token = json.loads(answer)["status"]["token"]
        account = Client(up.url, folder, token).user()
        assert account["username"] == "system:serviceaccount:default:default", account
        for told in (secret, token, "ann-secret", "bob-secret"):
            assert told not in up.log(), "the log has a token"
        assert up.is_running()


def check_open(berth, _folder):
    """Without an option everybody is the administrator, and who shows the token of an account is that account."""
    with Up(berth, "--nodes", "0") as up:
        assert up.send("POST", WHO, {"spec": {}})["status"]["userInfo"]["username"] == "system:admin"
        token = up.send("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", {"spec": {}})["status"]["token"]
        up.headers = {"Authorization": f"Bearer {token}"}
        assert up.send("POST", WHO, {"spec": {}})["status"]["userInfo"]["username"] == "system:serviceaccount:default:default"
        up.headers = {"Authorization": "Bearer anything"}
        assert up.request("GET", "/api/v1/nodes")[0] == 200


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    options = parser.parse_args()
    for check in (check_roles, check_open):
        with tempfile.TemporaryDirectory(prefix="berth-access-") as folder:
            if check is check_roles:
                make_certificates(pathlib.Path(folder))
            check(options.berth.resolve(), pathlib.Path(folder).resolve())
            print(f"ok {check.__name__}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
