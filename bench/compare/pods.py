# SPDX-License-Identifier: Apache-2.0
"""Follows the pods of a namespace, so that it is known at once when one has a node."""
import http.client
import json
import socket
import threading
import time

from live import ADMIN, HOST, tls_client

DISCONNECTED = (OSError, ValueError, AttributeError, http.client.HTTPException)


class BoundPods:
    """Hears of every pod that is bound; `on_bound` is called with its name, once for each."""

    def __init__(self, plane, namespace, on_bound=None):
        self.plane, self.path, self.on_bound = plane, f"/api/v1/namespaces/{namespace}/pods", on_bound
        self.names, self.socket, self.closed = set(), None, False
        self.earlier = {pod["metadata"]["name"] for pod in self._list()["items"]}
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _list(self):
        return self.plane.api("GET", self.path)

    def _run(self):
        while not self.closed:  # The server ends the watch of a reader that is too slow.
            found = self._list()
            for pod in found["items"]:
                self._look_at(pod)
            try:
                self._watch(found["metadata"]["resourceVersion"])
            except DISCONNECTED:
                pass

    def _watch(self, version):
        connection = http.client.HTTPSConnection(HOST, self.plane.ap, context=tls_client(), timeout=3600)
        connection.request("GET", f"{self.path}?watch=1&resourceVersion={version}", headers={"Authorization": "Bearer " + ADMIN})
        self.socket = connection.sock  # The answer takes it over.
        answer = connection.getresponse()
        rest = b""
        while not self.closed and (piece := answer.read1(1 << 20)):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                self._look_at(event["object"])

    def _look_at(self, pod):
        name = pod["metadata"]["name"]
        if not pod["spec"].get("nodeName") or name in self.names or name in self.earlier:
            return
        self.names.add(name)
        if self.on_bound:
            self.on_bound(name)

    def wait(self, count, timeout=600):
        end = time.monotonic() + timeout
        while len(self.names) < count:
            if time.monotonic() > end:
                raise SystemExit(f"{len(self.names)} of {count} pods were scheduled within {timeout} s")
            time.sleep(0.01)

    def close(self):
        self.closed = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join()
