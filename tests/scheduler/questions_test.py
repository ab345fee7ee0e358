#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions to the port of `berth scheduler`: who may ask, how much may be sent, and what the commands make of it.

    tests/scheduler/questions_test.py BERTH
"""
import argparse
import contextlib
import json
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "up"))

from served import Scheduler  # noqa: E402
from server import Up, until  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASKED = "/berth/v1/"
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
        "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110"}}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {
    "tolerations": [{"operator": "Exists"}],
    "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
BODY_MAX = 8 * 1024 * 1024


def first_line(scheduler, head):
    """Of the answer to a request of which the head alone is sent."""
    with contextlib.closing(scheduler.trust().wrap_socket(
            socket.create_connection(("127.0.0.1", scheduler.port), 30), server_hostname="127.0.0.1")) as peer:
        peer.sendall(head)
        return peer.recv(65536).partition(b"\r\n")[0].decode()


def check_answers(scheduler):
    status, text = scheduler.request("POST", ASKED + "plan", json.dumps({"objects": [POD]}))
    assert status == 200, text
    assert [(p["outcome"], p["node"]) for p in json.loads(text)["pods"]] == [("placed", "n1")], text
    status, text = scheduler.request("POST", ASKED + "capacity", json.dumps({"pods": [POD]}))
    assert status == 200 and json.loads(text)["count"] == 8, text
    status, text = scheduler.request("POST", ASKED + "what-if", '{"changes":[{"cordon":{"names":["n2"]}}]}')
    assert status == 404 and json.loads(text)["message"] == "changes[0]: there is no node n2", text


def check_bodies(scheduler):
    assert scheduler.request("POST", ASKED + "plan", "{}" + " " * (BODY_MAX - 2))[0] == 200
    head = b"%s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
    assert first_line(scheduler, head % (b"POST /berth/v1/plan", BODY_MAX + 1)).startswith("HTTP/1.1 413 ")
    # Who may not is told so before the body is sent.
    for line in (b"PUT /debug/flags/v", b"POST /berth/v1/explain/pods/default/a"):
        answer = first_line(scheduler, head % (line, BODY_MAX))
        assert answer == "HTTP/1.1 403 Forbidden", answer


def check_commands(berth, scheduler):
    def run(*arguments):
        return subprocess.run([berth, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)

    trusted = ["--berth", scheduler.url, "--certificate-authority", scheduler.certificate]
    web = ROOT / "examples/foresight/web.yaml"
    planned = run("plan", "-f", web, *trusted, "-o", "json")
    assert len(json.loads(planned.stdout)["pods"]) == 4, planned
    assert run("capacity", "-f", web, "--berth", scheduler.url).returncode == 2, "nobody vouches for the certificate"
    changed = run("what-if", "--add-nodes", 1, "--like", "n1", "--berth", scheduler.url, "--insecure-skip-tls-verify")
    assert changed.returncode == 0, changed
    refused = run("queue", *trusted)
    assert refused.returncode != 0 and "forbidden" in refused.stderr, refused
    token = scheduler.certificates / "token"
    token.write_text("secret-of-this-test", encoding="utf-8")
    in_the_clear = run("plan", "-f", web, "--berth", "http://127.0.0.1:1", "--token-file", token)
    assert in_the_clear.returncode == 2 and "https only" in in_the_clear.stderr, in_the_clear
    assert "secret-of-this-test" not in scheduler.log() + in_the_clear.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("berth")
    berth = parser.parse_args().berth
    with Up(berth, "--api-only") as up:
        up.send("POST", "/api/v1/nodes", NODE)
        paths = [ASKED + kind for kind in ("plan", "what-if", "capacity")]
        # Nobody is asked about rights, so all that is not open to everybody is closed.
        with Scheduler(berth, up, f"--kubeconfig={up.kubeconfig}", "--leader-elect=false", open_paths=paths) as scheduler:
            until(scheduler.is_ready, "the scheduler is ready")
            check_answers(scheduler)
            check_bodies(scheduler)
            check_commands(berth, scheduler)
    print("questions: all as it should be")


if __name__ == "__main__":
    main()
