# SPDX-License-Identifier: Apache-2.0
"""A reverse proxy in front of the API server that does to requests whatever a test wants.

`rule` is asked about every request and says what becomes of it, by one of the classes below or None: just forward it.
Plain HTTP towards the scheduler, TLS towards the server.
"""
import dataclasses
import http.client
import json
import select
import socket
import threading
import time

from live import HOST, SCHED, tls_client

DISCONNECTED = (OSError, http.client.HTTPException, ValueError)
HOP = ("host", "connection", "transfer-encoding", "content-length", "expect", "accept-encoding")


@dataclasses.dataclass
class Request:
    method: str
    path: str
    headers: dict
    body: bytes

    @property
    def is_watch(self):
        return self.method == "GET" and ("watch=true" in self.path or "watch=1" in self.path)

    @property
    def is_binding(self):
        return self.method == "POST" and self.path.partition("?")[0].endswith("/binding")

    @property
    def pod(self):
        """Of a binding."""
        return self.path.split("/")[6]


@dataclasses.dataclass
class Answer:
    """The proxy answers in the server's place."""
    code: int
    reason: str = ""
    headers: str = ""


@dataclasses.dataclass
class Hang:
    """No answer: the connection is closed after a while, or when the client gives up."""
    seconds: float


class Cut:
    """The connection is closed at once."""


class LoseAnswer:
    """The server carries it out; the connection is closed in place of the answer."""


class FaultProxy:
    def __init__(self, cluster, rule=None):
        self.cluster, self.rule, self.tls = cluster, rule, tls_client()
        self.listener = socket.create_server((HOST, 0), backlog=512)
        self.url = f"http://{HOST}:{self.listener.getsockname()[1]}"
        self.lock = threading.Lock()
        self.connections, self.watches = set(), set()
        self.requests = []   # Method and path of all that came.
        self.expired = 0     # Watches that the server could not resume.
        self.closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def count(self, method, part):
        return sum(1 for m, path in list(self.requests) if m == method and part in path)

    def cut_watches(self):
        with self.lock:
            watches = list(self.watches)
        for connection in watches:
            shut(connection)
        return len(watches)

    def close(self):
        self.closed = True
        shut(self.listener)
        self.listener.close()
        with self.lock:
            connections = list(self.connections)
        for connection in connections:
            shut(connection)

    def _accept(self):
        while not self.closed:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with self.lock:
            self.connections.add(connection)
        upstream = None
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reader = connection.makefile("rb")
            while (request := read_request(reader)) is not None:
                self.requests.append((request.method, request.path))
                action = self.rule(request) if self.rule else None
                if isinstance(action, Cut):
                    return
                if isinstance(action, Hang):
                    select.select([connection], [], [], action.seconds)
                    return
                if isinstance(action, Answer):
                    connection.sendall(refusal(action))
                    continue
                if upstream is None:
                    upstream = http.client.HTTPSConnection(HOST, self.cluster.ap, context=self.tls, timeout=900)
                answer = forward(upstream, request)
                if isinstance(action, LoseAnswer):
                    answer.read()
                    return
                self._return(connection, request, answer)
        except DISCONNECTED:
            pass
        finally:
            if upstream:
                upstream.close()
            with self.lock:
                self.connections.discard(connection)
                self.watches.discard(connection)
            connection.close()

    def _return(self, connection, request, answer):
        head = f"HTTP/1.1 {answer.status} {answer.reason}\r\n"
        head += "".join(f"{k}: {v}\r\n" for k, v in answer.getheaders() if k.lower() not in HOP)
        if answer.status == 410:
            self.expired += 1
        if not answer.chunked:
            body = answer.read()
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode("latin1") + body)
            return
        if request.is_watch:
            with self.lock:
                self.watches.add(connection)
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode("latin1"))
        while piece := answer.read1(65536):
            if request.is_watch and b"too old resource version" in piece:
                self.expired += 1
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")
        with self.lock:
            self.watches.discard(connection)


def read_request(reader):
    line = reader.readline(65537)
    if not line:
        return None
    method, path, _ = line.decode("latin1").split(" ", 2)
    headers = {}
    while text := reader.readline(65537).decode("latin1").rstrip("\r\n"):
        name, value = text.split(":", 1)
        headers[name.strip().lower()] = value.strip()
    return Request(method, path, headers, reader.read(int(headers.get("content-length", 0))))


def forward(upstream, request):
    headers = {k: v for k, v in request.headers.items() if k not in HOP}
    headers.setdefault("authorization", "Bearer " + SCHED)
    for last_try in (upstream.sock is None, True):
        try:
            upstream.request(request.method, request.path, request.body or None, headers)
            return upstream.getresponse()
        except DISCONNECTED:
            upstream.close()
            if last_try or request.method != "GET":
                raise


def refusal(answer):
    body = json.dumps({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                       "message": "the proxy of the test refuses", "reason": answer.reason, "code": answer.code})
    return (f"HTTP/1.1 {answer.code} Refused\r\nContent-Type: application/json\r\n{answer.headers}"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
