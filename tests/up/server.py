# SPDX-License-Identifier: Apache-2.0
"""Runs `berth up` as a process of its own for a test, and finds the tools that tests run on it."""
import http.client
import json
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SERVERS = ROOT / "build/e2e/bin"
SKIPPED = 77  # Exit code by which ctest counts a test as skipped.


def find_kubectl():
    """One made by tests/e2e/servers/build.sh, else one that is installed, else None."""
    made = SERVERS / "kubectl"
    return str(made) if made.exists() else shutil.which("kubectl")


class Up:
    """A running `berth up` on a port of its own; a context manager, so that it is stopped in the end.

    Its folder, which goes with it, holds the kubeconfig and what it printed. With a token, requests show it.
    """

    def __init__(self, berth, *args, token=None, ready_within=30):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-up-"))
        self.kubeconfig = self.folder / "kubeconfig"
        self.log_file = self.folder / "log"
        self.command = [str(berth), "up", "--port", "0", "--kubeconfig", str(self.kubeconfig), *map(str, args)]
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.command += ["--token", token] if token else []
        self.ready_within = ready_within
        self.process = self.port = None

    def __enter__(self):
        with open(self.log_file, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            self.await_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def await_ready(self):
        end = time.monotonic() + self.ready_within
        while not self._find_port() or not self.is_ready():
            assert self.is_running(), f"berth up ended with {self.process.returncode}: {self.log()[-2000:]}"
            assert time.monotonic() < end, f"berth up is not ready after {self.ready_within} s: {self.log()[-2000:]}"
            time.sleep(0.002)

    def _find_port(self):
        if self.port is None and self.kubeconfig.exists():
            if found := re.search(r"server: https?://[\d.]+:(\d+)\s", self.kubeconfig.read_text(encoding="utf-8")):
                self.port = int(found[1])
        return self.port

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def request(self, method, path, body=None, headers=None, timeout=10):
        """Status and body of the answer, by a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, {**self.headers, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def get(self, path):
        """The object, or None if there is none."""
        status, body = self.request("GET", path)
        assert status in (200, 404), f"GET {path}: {body}"
        return json.loads(body) if status == 200 else None

    def items(self, path):
        return self.get(path)["items"]

    def send(self, method, path, body=None, content_type="application/json"):
        """What must be done, and the answer."""
        status, answer = self.request(method, path, json.dumps(body) if body else None, {"Content-Type": content_type})
        assert status < 300, f"{method} {path}: {answer}"
        return json.loads(answer)

    def is_ready(self, timeout=10):
        try:
            return self.request("GET", "/readyz", timeout=timeout) == (200, b"ok")
        except (OSError, http.client.HTTPException):
            return False

    def is_running(self):
        return self.process.poll() is None

    def memory_mib(self, field="VmRSS"):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(rf"^{field}:\s+(\d+) kB", status, re.M)[1]) / 1024

    def log(self):
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def interrupt(self, ends_within=15):
        """Ends it as Ctrl-C does; its folder stays."""
        if self.process and self.is_running():
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(ends_within)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def stop(self):
        """Ends it as Ctrl-C does, and returns its exit code."""
        self.interrupt()
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.process.returncode if self.process else None


def until(condition, what, seconds=30):
    """Waits until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not after {seconds} s: {what}"
        time.sleep(0.02)
