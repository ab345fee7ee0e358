#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `berth scheduler` on the API server of `berth up`: what it logs and what it records.

usage: live_test.py BERTH [unittest arguments]   (or set the environment variable BERTH)
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "up"))
from server import Up  # noqa: E402

BERTH = os.environ.get("BERTH", "")
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}


def pod(name, cpu="100m"):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            # Nobody says that the node is ready.
            "spec": {"tolerations": [{"operator": "Exists"}],
                     "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}}


class Scheduler:
    """A running scheduler; a context manager, so that it is ended."""

    def __init__(self, folder, kubeconfig, *arguments):
        self.log_file = folder / "scheduler.log"
        self.command = [BERTH, "scheduler", f"--kubeconfig={kubeconfig}", "--secure-port=0", "--leader-elect=false",
                        *arguments]
        self.process = None

    def __enter__(self):
        with open(self.log_file, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT, umask=0o022)
        return self

    def __exit__(self, *_):
        self.end(signal.SIGTERM)

    def end(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(20)

    def log(self):
        return self.log_file.read_text(encoding="utf-8")

    def await_log(self, text, count=1):
        await_true(lambda: self.log().count(text) >= count, lambda: f"{text!r} in the log: {self.log()[-3000:]}")


def await_true(condition, what, within=30):
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, what()
        time.sleep(0.01)


class LiveTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-live-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def create(self, up, path, body):
        status, answer = up.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        self.assertEqual(status, 201, answer)

    def create_pod(self, up, *what):
        self.create(up, "/api/v1/namespaces/default/pods", pod(*what))

    def await_bound(self, up, name):
        def is_bound():
            status, answer = up.request("GET", f"/api/v1/namespaces/default/pods/{name}")
            return status == 200 and json.loads(answer)["spec"].get("nodeName")
        await_true(is_bound, lambda: f"{name} is bound")

    def replay(self, log):
        done = subprocess.run([BERTH, "replay", str(log), "-o", "json"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_a_recording_survives_a_crash_and_the_restart_after_it(self):
        log = self.folder / "run.log"
        with Up(BERTH, "--api-only") as up:
            self.create(up, "/api/v1/nodes", NODE)
            self.create_pod(up, "first")
            with Scheduler(self.folder, up.kubeconfig, f"--record={log}") as scheduler:
                self.await_bound(up, "first")
                self.assertEqual(stat.S_IMODE(log.stat().st_mode), 0o600)
                being_written = self.replay(log)
                scheduler.end(signal.SIGKILL)
            self.create_pod(up, "second")
            with Scheduler(self.folder, up.kubeconfig, f"--record={log}") as scheduler:
                self.await_bound(up, "second")
                scheduler.await_log("Starting Berth")
        self.assertIn("unfinished", being_written)
        crashed = self.replay(f"{log}.1")
        self.assertIn("its writer died", crashed["unfinished"])
        self.assertEqual(crashed["attempts"]["scheduled"], 1)
        finished = self.replay(log)
        self.assertNotIn("unfinished", finished)
        self.assertEqual(finished["attempts"]["scheduled"], 1)

    def test_the_log_says_what_an_operator_wants_to_know(self):
        with Up(BERTH, "--api-only") as up:
            self.create(up, "/api/v1/nodes", NODE)
            self.create_pod(up, "small")
            self.create_pod(up, "large", "64")
            with Scheduler(self.folder, up.kubeconfig, "-v=2") as scheduler:
                scheduler.await_log('"Successfully bound pod to node"')
                scheduler.await_log('"Unable to schedule pod; no fit; waiting"')
                text = scheduler.log()
        self.assertRegex(text, r'"Starting Berth" version="[\d.]+" decisionsOf="kube-scheduler v1\.37\.1" '
                               rf'server="http://127\.0\.0\.1:{up.port}"')
        self.assertIn('"Successfully bound pod to node" pod="default/small" node="n1" evaluatedNodes=1 feasibleNodes=1', text)
        self.assertRegex(text, r'"Unable to schedule pod; no fit; waiting" pod="default/large" '
                               r'err="0/1 nodes are available: 1 Insufficient cpu\.')
        self.assertNotIn("Attempting to schedule pod", text)
        self.assertNotRegex(text, re.compile(r"^W", re.M))

    def test_a_second_signal_ends_it_at_once(self):
        with Up(BERTH, "--api-only") as up, \
                Scheduler(self.folder, up.kubeconfig, "--leader-elect=true") as scheduler:
            scheduler.await_log("Successfully acquired lease")
            up.process.send_signal(signal.SIGSTOP)  # So that the lease cannot be given up.
            try:
                scheduler.process.send_signal(signal.SIGTERM)
                with self.assertRaises(subprocess.TimeoutExpired):
                    scheduler.process.wait(0.3)
                scheduler.process.send_signal(signal.SIGTERM)
                self.assertEqual(scheduler.process.wait(20), 1)
            finally:
                up.process.send_signal(signal.SIGCONT)

    def test_a_kubeconfig_that_was_given_is_no_reason_to_warn(self):
        with Up(BERTH, "--api-only") as up, socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            free.close()
            arguments = [f"--secure-port={port}", "--bind-address=127.0.0.1", f"--cert-dir={self.folder}"]
            with Scheduler(self.folder, up.kubeconfig, *arguments) as scheduler:
                scheduler.await_log('"Serving securely" address="127.0.0.1"')
                text = scheduler.log()
        self.assertNotIn("inClusterConfig", text)

    def test_a_server_that_is_away_is_one_line_each_time(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            kubeconfig = self.folder / "kubeconfig"
            kubeconfig.write_text(json.dumps({
                "apiVersion": "v1", "kind": "Config", "current-context": "c",
                "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{closed.getsockname()[1]}"}}],
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}], "users": [{"name": "u", "user": {}}],
            }), encoding="utf-8")
            with Scheduler(self.folder, kubeconfig) as scheduler:
                # In the second line all that failed once are counted.
                scheduler.await_log('"Failed to watch"', 2)
                lines = [line for line in scheduler.log().splitlines() if "Failed to watch" in line]
        self.assertLessEqual(len(lines), 4, lines)
        self.assertIn("failing=19", lines[1])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
