# SPDX-License-Identifier: Apache-2.0
"""Runs `berth scheduler` with its serving port as a process of its own for a test."""
import contextlib
import http.client
import socket
import ssl
import subprocess


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Scheduler:
    """A running scheduler for the cluster of `up`, which lets everybody use some paths of its port; a context manager."""

    def __init__(self, berth, up, *arguments, open_paths=()):
        self.port = free_port()
        self.certificates = up.folder / "certificates"
        self.log_file = up.folder / "scheduler.log"
        self.command = [berth, "scheduler", "--bind-address=127.0.0.1", f"--secure-port={self.port}", f"--cert-dir={self.certificates}",
                        f"--authorization-always-allow-paths={','.join(('/healthz', '/readyz', *open_paths))}", *map(str, arguments)]
        self.process = None

    def __enter__(self):
        with open(self.log_file, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def log(self):
        return self.log_file.read_text(encoding="utf-8")

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    @property
    def certificate(self):
        """That vouches for the port; it is made at the start."""
        return self.certificates / "kube-scheduler.crt"

    def trust(self):
        return ssl.create_default_context(cafile=self.certificate)

    def connect(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.trust())

    def request(self, method, path, body=None):
        """Status and body of the answer, by a connection of its own."""
        with contextlib.closing(self.connect()) as connection:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def is_ready(self):
        assert self.process.poll() is None, f"the scheduler ended with {self.process.returncode}: {self.log()[-3000:]}"
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.request("GET", "/readyz")[0] == 200
        return False
