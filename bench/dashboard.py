#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the dashboard takes, of the browser and of the scheduler, on a `berth up` at work.

    bench/dashboard.py [--berth build/release/berth] [--nodes 5000] [--pods 100000] [--rate 500] [--minutes 10] [--viewers 100]

The cluster has so many nodes, with so many pods on them; a Deployment is scaled up and down so that pods come or go at the
rate. A headless Chromium opens the dashboard (bench/dashboard.mjs, with the packages of tests/browser), and its own trace
says when the first picture is there and how long scripts run in each frame while the map is panned; the memory of the page
is looked at for so many minutes. Then so many viewers follow without a browser, and the processor time of the process is
compared with that while nobody follows, in turns. Each figure stands beside its bound; the exit code says whether all are
kept.
"""
import argparse
import contextlib
import json
import os
import pathlib
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
for folder in ("tests/up", "tests/browser", "bench"):
    sys.path.insert(0, str(ROOT / folder))
import dashboard_packages  # noqa: E402
from foresight import spec, write_dump  # noqa: E402
from server import Up  # noqa: E402

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
STEP_SECONDS = 0.25
PICTURE_SECONDS, SCRIPT_MS, MEMORY_MB, CORE_PERCENT = 2, 16, 300, 2


class Churn(threading.Thread):
    """Pods come for some seconds and go for as long, at a rate."""

    def __init__(self, up, rate, seconds_up=4):
        super().__init__(daemon=True)
        self.up, self.step, self.steps_up = up, max(1, round(rate * STEP_SECONDS)), round(seconds_up / STEP_SECONDS)
        self.ends = threading.Event()
        template = {"metadata": {"labels": {"app": "churn"}}, "spec": spec()}
        up.send("POST", DEPLOYMENTS, {"metadata": {"name": "churn"}, "spec": {
            "replicas": 0, "selector": {"matchLabels": {"app": "churn"}}, "template": template}})

    def run(self):
        due, turn = time.monotonic(), 0
        while not self.ends.wait(max(0, due - time.monotonic())):
            turn = (turn + 1) % (2 * self.steps_up)
            replicas = self.step * min(turn, 2 * self.steps_up - turn)
            with contextlib.suppress(OSError):
                self.up.send("PATCH", DEPLOYMENTS + "/churn", {"spec": {"replicas": replicas}}, "application/merge-patch+json")
            due += STEP_SECONDS


class Viewers(threading.Thread):
    """Follow the stream as pages do, and read what they are sent."""

    def __init__(self, up, count):
        super().__init__(daemon=True)
        self.ends, self.bytes, self.selector = threading.Event(), 0, selectors.DefaultSelector()
        for _ in range(count):
            viewer = socket.create_connection(("127.0.0.1", up.port))
            viewer.sendall(f"GET /berth/v1/live HTTP/1.1\r\nHost: 127.0.0.1:{up.port}\r\n\r\n".encode())
            viewer.setblocking(False)
            self.selector.register(viewer, selectors.EVENT_READ)

    def run(self):
        while not self.ends.is_set():
            for key, _ in self.selector.select(0.2):
                with contextlib.suppress(BlockingIOError):
                    self.bytes += len(key.fileobj.recv(1 << 20))
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()


def processor_seconds(up):
    fields = pathlib.Path(f"/proc/{up.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cost_of_viewers(up, count, seconds, turns=3):
    """Per cent of a core without and with them, and bytes a second for each viewer."""
    taken, sent = {False: 0, True: 0}, 0
    for _ in range(turns):
        for followed in (False, True):
            viewers = Viewers(up, count if followed else 0)
            viewers.start()
            time.sleep(3)  # Snapshots.
            begin, begin_bytes = processor_seconds(up), viewers.bytes
            time.sleep(seconds)
            taken[followed] += processor_seconds(up) - begin
            sent += viewers.bytes - begin_bytes
            viewers.ends.set()
            viewers.join()
    return *(taken[followed] / (turns * seconds) * 100 for followed in (False, True)), sent / max(count, 1) / (turns * seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", default=str(ROOT / "build/release/berth"))
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=100_000)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--viewers", type=int, default=100)
    parser.add_argument("--turn-seconds", type=float, default=20, help="of looking at the processor time, with and without viewers")
    options = parser.parse_args()
    if problem := dashboard_packages.missing():
        sys.exit(problem)
    with tempfile.TemporaryDirectory(prefix="berth-dashboard-") as folder:
        dump = pathlib.Path(folder, "dump.json")
        write_dump(dump, options.nodes, options.pods)
        with Up(options.berth, "--import", dump, "--quiet", ready_within=900) as up:
            churn = Churn(up, options.rate)
            churn.start()
            time.sleep(5)
            done = subprocess.run(["node", str(ROOT / "bench/dashboard.mjs"), str(dashboard_packages.MADE), shutil.which("chromium"), up.url,
                                   str(options.nodes), str(options.minutes)], stdout=subprocess.PIPE, text=True, check=True)
            page = json.loads(done.stdout.splitlines()[-1])
            alone, followed, bytes_per_second = cost_of_viewers(up, options.viewers, options.turn_seconds)
            churn.ends.set()
            churn.join()
    print(f"{options.nodes} nodes, {options.pods} pods on them, {options.rate} changes/s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    rows = [("first picture, s", page["pictureSeconds"], PICTURE_SECONDS),
            ("script time per frame while panning, p95, ms", page["scriptMs"]["p95"], SCRIPT_MS),
            (f"memory of the page over {options.minutes:g} min, at most, MB", page["memoryMb"]["most"], MEMORY_MB),
            ("its growth from the first to the last third, MB", page["memoryMb"]["growth"], 20),
            (f"cost of {options.viewers} viewers, % of a core", followed - alone, CORE_PERCENT)]
    for name, value, bound in rows:
        print(f"{name:<52}{value:9.2f}   under {bound}")
    print(f"frames {page['scriptMs']['frames']}, script p50 {page['scriptMs']['p50']:.2f} ms, max {page['scriptMs']['max']:.2f} ms; "
          f"heap after collection {page['memoryMb']['heap']:.0f} MB; "
          f"{bytes_per_second / 1024:.1f} KiB/s for a viewer; the process takes {alone:.1f} % of a core without viewers, {followed:.1f} % with them")
    return 0 if all(value < bound for _, value, bound in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
