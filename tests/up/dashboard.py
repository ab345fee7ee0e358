#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the dashboard is made of, without a browser: who gets its files, who gets what it follows, and what that is.

    tests/up/dashboard.py BERTH
"""
import argparse
import http.client
import json
import pathlib
import signal
import socket
import ssl
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from foresight import Asker, pod, PODS, ROOT  # noqa: E402
from server import Up, until  # noqa: E402

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Sec-Fetch-Site": "none"}


class Stream:
    """Server-sent events; a context manager, so that the connection ends."""

    def __init__(self, connection, headers=None):
        self.connection = connection
        connection.request("GET", ROOT + "live", headers=headers or {})
        self.answer = connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def next(self):
        """The next event: its name and its data."""
        name = data = None
        while name is None or data is None:
            line = self.answer.readline().decode()
            assert line, "the stream ended"
            if line.startswith("event: "):
                name = line[7:].strip()
            if line.startswith("data: "):
                data = json.loads(line[6:])
        return name, data


def follow(up):
    return Stream(http.client.HTTPConnection("127.0.0.1", up.port, timeout=20), up.headers)


def check_home(up):
    """Browsers are sent to the dashboard, others are told that there is nothing."""
    connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=10)
    connection.request("GET", "/", headers={**up.headers, **BROWSER})
    answer = connection.getresponse()
    assert answer.status == 302 and answer.headers["Location"] == "/dashboard/", answer.status
    connection.close()
    for accept in ({}, {"Accept": "*/*"}, {"Accept": "application/json, */*"}):
        assert up.request("GET", "/", headers=accept)[0] == 404, accept


def check_files(up, headers):
    status, page = up.request("GET", "/dashboard/", headers=headers)
    assert status == 200 and b"<title>Berth</title>" in page, (status, page[:200])
    assert up.request("GET", "/dashboard/app.js", headers=headers)[0] == 200
    assert up.request("GET", "/dashboard/other.js", headers=headers)[0] == 404
    assert up.request("POST", "/dashboard/app.js", "x", headers=headers)[0] == 405
    for page in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://example.org"}, {"Host": "evil.example"}):
        assert up.request("GET", "/dashboard/", headers={**headers, **page})[0] == 403, page


def check_stream(up):
    with follow(up) as stream:
        assert stream.answer.headers["Content-Type"] == "text/event-stream", stream.answer.headers
        name, whole = stream.next()
        assert name == "snapshot" and len(whole["nodes"]) == 3, whole
        node = next(one for one in whole["nodes"] if one["name"] == "node-1")
        kind = whole["kinds"][node["kind"]]
        assert len(whole["kinds"]) == 3 and all(one["hostname"] for one in whole["kinds"]), whole["kinds"]  # One for each zone.
        assert kind["ready"] and not kind["cordoned"] and kind["capacity"]["cpu"] == 8000 and node["used"]["pods"] == 0, (kind, node)
        up.send("POST", PODS, pod("small", "100m"))
        up.send("POST", PODS, pod("large", "1000"))
        used, reasons = 0, []
        while used == 0 or not reasons:
            name, change = stream.next()
            assert name == "change", name
            used += sum(one["used"]["cpu"] for one in change["nodes"])
            reasons = change.get("queue", {}).get("reasons") or reasons
            figures = change.get("figures", whole["figures"])
        assert used == 100, used
        assert sum(figures["waited"]["counts"]) in (0, 1) and len(figures["chose"]["counts"]) == len(figures["chose"]["bounds"]) + 1, figures
        assert reasons[0]["plugin"] == "NodeResourcesFit" and reasons[0]["reason"] == "Insufficient cpu", reasons
        assert reasons[0]["pods"] == 1 and reasons[0]["nodes"] == 3 and reasons[0]["examples"] == ["default/large"], reasons


def check_node(up):
    asker = Asker(up)
    until(lambda: up.get(PODS + "/small")["spec"].get("nodeName"), "small is bound")
    where = up.get(PODS + "/small")["spec"]["nodeName"]
    answer = asker.ask(f"nodes/{where}", "nodes/{name}")
    assert answer["podCount"] == 1 and answer["pods"][0]["name"] == "small" and answer["pods"][0]["requests"] == {"cpu": 100}, answer
    asker.ask("nodes/nowhere", "nodes/{name}", 404)


def check_token(berth):
    with Up(berth, token="secret-of-this-test") as up:
        nobody = {"Authorization": ""}
        check_files(up, nobody)
        assert up.request("GET", ROOT + "live", headers=nobody)[0] == 401
        assert up.request("GET", ROOT + "nodes/node-1", headers=nobody)[0] == 401
        with follow(up) as stream:
            assert stream.next()[0] == "snapshot"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def check_scheduler(berth):
    """The same on the port of a scheduler: files for all, the rest for those who may."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def run(up, *flags):
        port = free_port()
        command = [str(berth), "scheduler", f"--kubeconfig={up.kubeconfig}", "--leader-elect=false", f"--secure-port={port}",
                   "--bind-address=127.0.0.1", f"--cert-dir={up.folder}", *flags]
        with open(up.folder / "scheduler.log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

        def connect():
            return http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=context)

        def get(path):
            connection = connect()
            try:
                connection.request("GET", path)
                return connection.getresponse().status
            except OSError:
                return None
            finally:
                connection.close()

        until(lambda: get("/readyz") == 200, "the scheduler is ready")
        return process, connect, get

    with Up(berth, "--no-scheduler") as up:
        # Without a scheduler there is nothing to show.
        assert up.request("GET", "/dashboard/")[0] == 404 and up.request("GET", "/", headers=BROWSER)[0] == 404
        for flags, files, data in (([], 403, 403), (["--dashboard"], 200, 403),
                                   (["--dashboard", "--authorization-always-allow-paths=/readyz,/berth/v1/*"], 200, 200)):
            process, connect, get = run(up, *flags)
            try:
                assert get("/dashboard/") == files and get("/dashboard/style.css") == files, flags
                assert get(ROOT + "nodes/node-1") == data and get("/metrics") == 403, flags
                with Stream(connect()) as stream:
                    assert stream.answer.status == data, (flags, stream.answer.status)
                    if data == 200:
                        name, whole = stream.next()
                        assert name == "snapshot" and len(whole["nodes"]) == 3, whole
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    berth = parser.parse_args().berth.resolve()
    with Up(berth) as up:
        check_home(up)
        check_files(up, {})
        check_stream(up)
        check_node(up)
    check_token(berth)
    check_scheduler(berth)
    print("dashboard: all as it should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
