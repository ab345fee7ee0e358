# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes cluster for tests in Python: a `berth up` that is started for them and stopped with them.

It needs nothing but the program berth, which is found by the variable BERTH, else in PATH. With pytest:

    pytest_plugins = ["berth_pytest"]

    def test_it(berth_cluster):
        kubernetes.config.load_kube_config(berth_cluster.kubeconfig)

All tests of a run share one cluster, and each finds it as it was when it was started. Without pytest, Cluster is a
context manager.
"""
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import urllib.request

START_TIMEOUT_S = 30
STOP_TIMEOUT_S = 15


class Cluster:
    """One that is up: its `url`, the path of its `kubeconfig`, its `pid`, and `ready_ms`, the time that it took."""

    def __init__(self, *arguments):
        self._folder = tempfile.mkdtemp(prefix="berth-test-")
        self._log = pathlib.Path(self._folder, "log")
        command = [os.environ.get("BERTH", "berth"), "up", "--port", "0", "--output", "json", "--kubeconfig",
                   os.path.join(self._folder, "kubeconfig"), *map(str, arguments)]
        try:
            with open(self._log, "wb") as log:
                self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        except OSError:
            shutil.rmtree(self._folder)
            raise
        try:
            told = json.loads(self._first_line())
            self.url, self.kubeconfig, self.pid, self.ready_ms = (
                told[key] for key in ("url", "kubeconfig", "pid", "readyMs"))
            self._fresh = self.save()
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _first_line(self):
        ready, _, _ = select.select([self._process.stdout], [], [], START_TIMEOUT_S)
        line = self._process.stdout.readline() if ready else ""
        if not line:
            raise RuntimeError("berth up did not start: " + self._log.read_text(encoding="utf-8", errors="replace").strip())
        return line

    def _ask(self, method, body=None):
        request = urllib.request.Request(self.url + "/berth/v1/snapshot", body, method=method)
        with urllib.request.urlopen(request, timeout=STOP_TIMEOUT_S) as answer:
            return answer.read()

    def save(self):
        """What the cluster holds now."""
        return self._ask("GET")

    def restore(self, snapshot):
        """Makes the cluster hold what it held then. Watches see what changes."""
        self._ask("PUT", snapshot)

    def reset(self):
        """Makes the cluster what it was when it was started."""
        self.restore(self._fresh)

    def stop(self):
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)


try:
    import pytest
except ImportError:
    pass
else:
    @pytest.fixture(scope="session")
    def berth_session_cluster():
        """The cluster of all tests. Override it to give it arguments of its own."""
        with Cluster() as cluster:
            yield cluster

    @pytest.fixture
    def berth_cluster(berth_session_cluster):  # pylint: disable=redefined-outer-name
        """The same, as it was when it was started."""
        berth_session_cluster.reset()
        return berth_session_cluster
