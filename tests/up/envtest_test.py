#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the directory that `berth envtest` makes as envtest uses it.

    tests/up/envtest_test.py BERTH
"""
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from certs import Authority  # noqa: E402

BERTH = os.path.abspath(sys.argv.pop(1))
PATIENCE_S = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class EnvtestTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.assets = self.folder / "assets"
        made = subprocess.run([BERTH, "envtest", str(self.assets)], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
        self.assertEqual(made.stdout, f"{self.assets}\n")

    def program(self, name, *arguments):
        return subprocess.run([self.assets / name, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    def start(self, name, *arguments):
        process = subprocess.Popen([self.assets / name, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close()))
        return process

    def read(self, process, url, certificate=None):
        """The answer, once there is one, to who has the certificate in that file."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate:
            context.load_cert_chain(certificate)
        end = time.monotonic() + PATIENCE_S
        while True:
            self.assertIsNone(process.poll(), "it has ended")
            try:
                return urllib.request.urlopen(url, timeout=PATIENCE_S, context=context).read().decode()
            except urllib.error.HTTPError as error:
                with error:
                    return error.code
            except OSError:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)

    def test_links_are_replaced_and_files_are_left_alone(self):
        self.program("etcd", "--help")
        again = subprocess.run([BERTH, "envtest", str(self.assets)], capture_output=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(again.returncode, 0)
        (self.assets / "etcd").unlink()
        (self.assets / "etcd").write_text("mine", encoding="utf-8")
        refused = subprocess.run([BERTH, "envtest", str(self.assets)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual((refused.returncode, (self.assets / "etcd").read_text(encoding="utf-8")), (1, "mine"))
        self.assertIn("etcd: ", refused.stderr)

    def test_help_lists_flags_where_envtest_looks_for_them(self):
        for name, flag in (("etcd", "unsafe-no-fsync"), ("kube-apiserver", "secure-port")):
            told = self.program(name, "--help")
            self.assertEqual(told.returncode, 0)
            self.assertRegex(told.stdout, re.compile(rf"^\s*--{flag}\b", re.M))
            self.assertNotIn("--insecure-port", told.stdout)

    def test_what_is_unknown_or_wrong_is_refused(self):
        for name, arguments, says in (
                ("etcd", ["--data-dr=x"], "etcd: unknown flag: --data-dr; did you mean data-dir?"),
                ("etcd", ["--listen-client-urls=http://192.0.2.1:1"], "is no address of loopback"),
                ("kube-apiserver", [], "kube-apiserver: --etcd-servers must be specified"),
                ("kube-apiserver", ["--audit-log-path=x"], "kube-apiserver: unknown flag: --audit-log-path"),
                ("kube-apiserver", ["--etcd-servers=x", "--bind-address=0.0.0.0"], "only loopback is served"),
                ("kube-apiserver", ["--etcd-servers=x", "--secure-port=0"], "must be between 1 and 65535"),
                ("kube-apiserver", ["--etcd-servers=x", "--authorization-mode=Webhook"], "--authorization-mode Webhook: is not supported"),
                ("kube-apiserver", ["--etcd-servers=x", "--client-ca-file=none", f"--cert-dir={self.folder}"], "open none: no such file or directory"),
                ("kube-apiserver", ["more"], 'unexpected argument "more"')):
            refused = self.program(name, *arguments)
            self.assertIn(refused.returncode, (1, 2))
            self.assertIn(says, refused.stderr)

    def test_etcd_is_well_until_it_is_stopped(self):
        url = f"http://127.0.0.1:{free_port()}"
        etcd = self.start("etcd", f"--listen-client-urls={url}", f"--advertise-client-urls={url}",
                          "--listen-peer-urls=http://127.0.0.1:0", "--data-dir=data", "--unsafe-no-fsync=true")
        self.assertEqual(json.loads(self.read(etcd, url + "/health"))["health"], "true")
        self.assertEqual(self.read(etcd, url + "/v3/kv/range"), 404)
        etcd.terminate()
        self.assertEqual(etcd.wait(PATIENCE_S), 0)

    def certificate(self, authority, name, *groups):
        file = self.folder / f"{name}.pem"
        file.write_text("".join(authority.issue(name, groups)), encoding="utf-8")
        return file

    def test_the_api_server_serves_with_the_flags_of_envtest(self):
        port = free_port()
        authority = Authority("envtest")
        (self.folder / "certs").mkdir()
        (self.folder / "certs/ca.crt").write_text(authority.pem, encoding="utf-8")
        admin, guest = self.certificate(authority, "admin", "system:masters"), self.certificate(authority, "guest")
        stranger = self.certificate(Authority("other"), "stranger", "system:masters")
        server = self.start("kube-apiserver", "--allow-privileged=true", "--authorization-mode=RBAC", "--bind-address=127.0.0.1",
                            "--cert-dir=certs", "--client-ca-file=certs/ca.crt", "--disable-admission-plugins=ServiceAccount",
                            "--etcd-servers=http://127.0.0.1:1", f"--secure-port={port}", "--service-account-issuer=https://x/",
                            "--service-account-key-file=a", "--service-account-signing-key-file=b",
                            "--service-cluster-ip-range=10.0.0.0/24")
        url = f"https://127.0.0.1:{port}"
        self.assertEqual(self.read(server, url + "/healthz"), "ok")
        self.assertEqual(json.loads(self.read(server, url + "/api/v1/nodes", admin))["items"], [])
        for certificate, refusal in ((None, 403), (guest, 403), (stranger, 401)):
            self.assertEqual(self.read(server, url + "/api/v1/nodes", certificate), refusal)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir() if path.suffix != ".pem"), ["assets", "certs"])
        server.terminate()
        self.assertEqual((server.wait(PATIENCE_S), server.stdout.read()), (0, ""))


if __name__ == "__main__":
    unittest.main()
