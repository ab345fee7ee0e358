#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Crowds the serving port of `berth scheduler` with strangers while it schedules for `berth up`.

    tests/scheduler/crowd_test.py BERTH [--growth MIB]

The scheduler may have few files open. Hundreds of connections that say nothing, little or far too much must neither
keep a probe out, nor take the lease away, nor keep the scheduler from connecting anew to an API server that was
restarted, nor make it grow.
"""
import argparse
import contextlib
import json
import pathlib
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "up"))

from server import Up  # noqa: E402

FILES_MAX = 96
CROWD = 300
PATIENCE_S = 60  # On a busy machine.
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"
PODS = "/api/v1/namespaces/default/pods"
PROBE = "127.0.0.2"  # Where probes come from; the crowd is at 127.0.0.1.


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < end, f"{what}: not after {PATIENCE_S} s"
        time.sleep(0.02)
    return found


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Scheduler:
    """A running `berth scheduler` that may have FILES_MAX files open."""

    def __init__(self, berth, up):
        self.port = free_port()
        self.log_file = up.folder / "scheduler.log"
        config = str(up.kubeconfig)
        command = [berth, "scheduler", "--kubeconfig", config, "--authentication-kubeconfig", config,
                   "--authorization-kubeconfig", config, "--bind-address=127.0.0.1", f"--secure-port={self.port}",
                   "--authorization-always-allow-paths=/healthz,/readyz,/livez,/debug/flags/v",
                   "--leader-elect-lease-duration=20s", "--leader-elect-renew-deadline=15s",
                   "--leader-elect-retry-period=250ms"]
        with open(self.log_file, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES_MAX // 2, FILES_MAX)))

    def memory_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M)[1]) / 1024

    def files_max(self):
        limits = pathlib.Path(f"/proc/{self.process.pid}/limits").read_text(encoding="utf-8")
        return int(re.search(r"^Max open files\s+(\d+)", limits, re.M)[1])

    def log(self):
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def assert_runs(self):
        assert self.process.poll() is None, f"the scheduler ended with {self.process.returncode}:\n{self.log()[-3000:]}"

    def connect(self, source="127.0.0.1"):
        return socket.create_connection(("127.0.0.1", self.port), 10, (source, 0))

    def secured(self, source="127.0.0.1"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context.wrap_socket(self.connect(source))

    def ask(self, request, source=PROBE):
        """The first line of the answer."""
        with contextlib.closing(self.secured(source)) as peer:
            with contextlib.suppress(OSError):  # It may answer before it has read everything.
                peer.sendall(request)
            return peer.recv(65536).partition(b"\r\n")[0].decode()

    def is_healthy(self):
        with contextlib.suppress(OSError):
            return self.ask(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") == "HTTP/1.1 200 OK"
        return False

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def renewed_at(up):
    """When the lease was last renewed, or None while nobody leads."""
    with contextlib.suppress(OSError):
        status, body = up.request("GET", LEASE)
        spec = json.loads(body).get("spec", {}) if status == 200 else {}
        return spec.get("renewTime") if spec.get("holderIdentity") else None
    return None


def restart(up):
    """The same server on the same port."""
    up.process.send_signal(signal.SIGTERM)
    up.process.wait(15)
    up.command[up.command.index("--port") + 1] = str(up.port)
    up.__enter__()


def is_bound(up, name):
    return "nodeName" in json.loads(up.request("GET", f"{PODS}/{name}")[1]).get("spec", {})


def make_pod(up, name):
    pod = {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    status, body = up.request("POST", PODS, json.dumps(pod), {"Content-Type": "application/json"})
    assert status == 201, body


def check_limits(scheduler):
    head = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: "
    fits, too_large = head + b"x" * (16 * 1024 - len(head) - 4) + b"\r\n\r\n", head + b"x" * 16 * 1024 + b"\r\n\r\n"
    assert scheduler.ask(fits) == "HTTP/1.1 200 OK"
    assert scheduler.ask(too_large).startswith("HTTP/1.1 431 ")
    put = b"PUT /debug/flags/v HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
    assert scheduler.ask(put % 1025).startswith("HTTP/1.1 413 ")


def crowd(scheduler):
    """Connections that are left open: silent ones, slow ones, and some that send much."""
    peers = []
    for i in range(CROWD):
        peer = scheduler.connect() if i % 3 else scheduler.secured()
        peers.append(peer)
        with contextlib.suppress(OSError):
            if i % 3 == 0:
                peer.settimeout(0.05)
                peer.sendall(b"PUT /debug/flags/v HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + b"x" * 1_000_000)
            elif i % 3 == 1:
                peer.sendall(b"\x16\x03\x01")
    return peers


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("berth")
    parser.add_argument("--growth", type=float, default=64, help="MiB that it may grow by")
    options = parser.parse_args()
    berth, growth_max_mib = options.berth, options.growth
    with (tempfile.TemporaryDirectory(prefix="berth-data-") as data,
          Up(berth, "--no-scheduler", "--nodes", "2", "--data", data) as up):
        scheduler = Scheduler(berth, up)
        peers = []
        try:
            wait_for("a leader", lambda: scheduler.assert_runs() or renewed_at(up))
            wait_for("health", scheduler.is_healthy)
            assert scheduler.files_max() == FILES_MAX, "the limit of open files was not raised"
            check_limits(scheduler)
            before = scheduler.memory_mib()

            peers = crowd(scheduler)
            wait_for("an answer to a probe in the crowd", scheduler.is_healthy)
            restart(up)
            since = renewed_at(up)
            wait_for("a renewed lease", lambda: scheduler.assert_runs() or renewed_at(up) not in (None, since))
            make_pod(up, "late")
            wait_for("a pod that is scheduled", lambda: scheduler.assert_runs() or is_bound(up, "late"))
            assert scheduler.is_healthy()
            grown = scheduler.memory_mib() - before
            assert grown < growth_max_mib, f"it has grown by {grown:.0f} MiB"
        finally:
            for peer in peers:
                peer.close()
            scheduler.stop()
    print(f"{CROWD} strangers, {FILES_MAX} files: the lease was kept")


if __name__ == "__main__":
    main()
