#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks `berth up --api-only`: whatever arrives, it answers with a 4xx or 5xx Status or closes the connection.

    tests/up/hostile.py BERTH [--long] [--only REGEX] [--seed N]

After each attack the server must run, answer /readyz within a second (on an idle machine), and not have grown. --long makes more of
everything and waits for the server's own time limits.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import resource
import selectors
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
JSON, YAML, PROTOBUF = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
JSON_PATCH, MERGE_PATCH = "application/json-patch+json", "application/merge-patch+json"
STRATEGIC_PATCH, APPLY_PATCH = "application/strategic-merge-patch+json", "application/apply-patch+yaml"
BODY_MAX = 3 << 20
GROWTH_MAX_MIB = 200  # By one attack, and what the server may have kept of all before it.
ATTACKS = []


def attack(function):
    ATTACKS.append(function)
    return function


class Target:
    """The server under attack."""

    def __init__(self, up, options):
        self.up, self.is_long, self.random = up, options.long, random.Random(options.seed)
        self.growth = options.growth

    def connect(self, timeout=60):
        return contextlib.closing(socket.create_connection(("127.0.0.1", self.up.port), timeout))

    def raw(self, data, timeout=60):
        """What it answers to these bytes until it closes, pauses for long or has sent a whole answer."""
        with self.connect(timeout) as peer:
            with contextlib.suppress(ConnectionError):  # It may close before it has read everything.
                peer.sendall(data)
            return read_answer(peer)

    def send(self, method, path, body=b"", content_type=JSON, **headers):
        """Status and body of the answer; (0, b"") if the connection was closed instead."""
        body = body if isinstance(body, bytes) else body.encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: berth", f"Content-Length: {len(body)}"]
        if content_type:
            lines.append(f"Content-Type: {content_type}")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return parse_answer(self.raw("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body))

    def watch(self, path):
        """As send, but of a stream only how it begins."""
        with self.connect() as peer:
            peer.sendall(f"GET {path} HTTP/1.1\r\nHost: berth\r\n\r\n".encode())
            data = peer.recv(1 << 16)
            return parse_answer(data if data.startswith(b"HTTP/1.1 200") else read_answer(peer, data))

    def refuses(self, *args, **kwargs):
        """Asserts that it answers with an error Status or closes the connection."""
        assert_refused(self.send(*args, **kwargs))

    def create_map(self, name, data=None):
        body = {"metadata": {"name": name, "namespace": "default"}, "data": data or {}}
        status, answer = self.send("POST", MAPS, json.dumps(body))
        assert status == 201, (status, answer[:300])

    def delete_map(self, name):
        self.send("DELETE", f"{MAPS}/{name}")


def read_answer(peer, data=b""):
    """The bytes of one answer, of which some may have been read; fewer if the peer closes."""
    data, end = bytearray(data), None
    while end is None or len(data) < end:
        if end is None and (head := data.find(b"\r\n\r\n")) >= 0:
            length = re.search(rb"\r\ncontent-length: *(\d+)", data[:head], re.I)
            end = head + 4 + int(length[1]) if length else sys.maxsize
            continue
        try:
            piece = peer.recv(1 << 20)
        except ConnectionError:
            break
        if not piece:
            break
        data += piece
    return bytes(data)


def parse_answer(data):
    if not data:
        return 0, b""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", data)
    assert found, f"not an HTTP answer: {data[:200]!r}"
    return int(found[1]), data.partition(b"\r\n\r\n")[2]


def assert_refused(answer):
    status, body = answer
    if status == 0:
        return
    assert 400 <= status < 600, f"answered {status}: {body[:300]!r}"
    if body.startswith(b"{"):
        said = json.loads(body)
        assert said["kind"] == "Status" and said["status"] == "Failure" and said["code"] == status, said
        assert said["message"], said


def pod(name="p"):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}


# ---- bodies

@attack
def oversized_bodies(target):
    for size in (BODY_MAX + 1, 8 << 20):
        status, _ = target.send("POST", MAPS, b"{" + b" " * size)
        assert status in (0, 413), status
    # Only announced.
    for length in (BODY_MAX + 1, 1 << 40, (1 << 64) - 1, 1 << 64, 10**30):
        head = f"POST {MAPS} HTTP/1.1\r\nHost: berth\r\nContent-Type: {JSON}\r\nContent-Length: {length}\r\n\r\n"
        assert_refused(parse_answer(target.raw(head.encode())))
    # In pieces of unknown length.
    head = f"POST {MAPS} HTTP/1.1\r\nHost: berth\r\nContent-Type: {JSON}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert_refused(parse_answer(target.raw(head + piece * 100)))
    for broken in (b"zz\r\n", b"-1\r\n", b"10000000000000000\r\n", b"5\r\nabcdefgh\r\n", b"0" * 100_000):
        assert_refused(parse_answer(target.raw(head + broken + b"\r\n" * 2)))


@attack
def truncated_bodies(target):
    body = json.dumps(pod()).encode()
    for cut in range(0, len(body), 7):
        target.refuses("POST", PODS, body[:cut])
    # Shorter than announced, and then the end.
    for cut in range(0, len(body), 31):
        with target.connect() as peer:
            peer.sendall(f"POST {PODS} HTTP/1.1\r\nHost: berth\r\nContent-Type: {JSON}\r\n"
                         f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:cut])
            peer.shutdown(socket.SHUT_WR)
            assert_refused(parse_answer(read_answer(peer)))
    assert target.send("GET", f"{PODS}/p")[0] == 404


@attack
def wrong_content_types(target):
    body = json.dumps(pod())
    for name in ("text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data", "*/*", "/",
                 "application", "application/json/json", "a" * 10_000, "application/json; charset=\"", "\x80\xff",
                 "application/cbor", JSON_PATCH, PROTOBUF, "application/json;stream=watch;;;=", "application/json,text/plain"):
        answer = target.send("POST", PODS, body, name)
        if answer[0] == 201:
            assert name.startswith(JSON), name
            target.send("DELETE", f"{PODS}/p", '{"gracePeriodSeconds":0}')
        else:
            assert_refused(answer)
        target.refuses("PATCH", f"{PODS}/none", body, name)
    for name in ("text/html", "application/vnd.kubernetes.protobuf;as=Table", "application/json;as=Table;v=v9;g=none", ",,,;;=="):
        status, _ = target.send("GET", PODS, Accept=name)
        assert status in (200, 400, 406), status


@attack
def bad_json(target):
    texts = ["", " ", "null", "[]", "1", "\"x\"", "{", "}", "{]", "{\"a\"", "{\"a\":", "{\"a\":1,}", "{\"a\":1}{", "{a:1}", "{'a':1}",
             "{\"a\":01}", "{\"a\":1e999999}", "{\"a\":NaN}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\x\"}", "\ufeff{}", "{\"a\":\"\x01\"}",
             "{\"metadata\":null}", "{\"metadata\":[]}", "{\"metadata\":{\"name\":{}}}", "{\"metadata\":{\"name\":1}}",
             "{\"kind\":1}", "{\"kind\":\"Pod\",\"apiVersion\":[]}", "{\"kind\":\"Node\",\"apiVersion\":\"v1\"}",
             "{\"metadata\":{\"name\":\"a\",\"name\":\"b\"}}", "{\"spec\":{\"containers\":{}}}", "{\"spec\":{\"containers\":[null]}}",
             "{\"spec\":{\"containers\":[[[[1]]]]}}", "{\"metadata\":{\"labels\":{\"a\":null,\"b\":1}}}",
             "{\"metadata\":{\"creationTimestamp\":\"never\"}}", "{\"spec\":{\"activeDeadlineSeconds\":1e400}}",
             "{\"spec\":{\"priority\":99999999999999999999}}", "{\"metadata\":{\"managedFields\":[{\"fieldsV1\":{\"f:\":3}}]}}"]
    for text in texts:
        target.refuses("POST", PODS, text)
        target.refuses("POST", PODS, text.encode("utf-16-le"))
    for byte in range(0x80, 0x100, 5):
        target.refuses("POST", PODS, b"{\"metadata\":{\"name\":\"" + bytes([byte]) + b"\"}}")
    mutate(target, json.dumps(pod("m")).encode(), JSON, 3000 if target.is_long else 200)


def mutate(target, body, content_type, count):
    """Sends variants of a valid body. Some are valid still, which is fine."""
    for _ in range(count):
        made = bytearray(body)
        for _ in range(target.random.randint(1, 4)):
            at = target.random.randrange(len(made))
            action = target.random.randrange(5)
            if action == 0:
                made[at] = target.random.randrange(256)
            elif action == 1:
                del made[at:at + target.random.randint(1, 9)]
            elif action == 2:
                made[at:at] = made[target.random.randrange(len(made)):][:target.random.randint(1, 40)]
            elif action == 3:
                made[at:at] = bytes(target.random.choice(b"\x00\xff\x7f\x80\"{}[],:0-") for _ in range(3))
            else:
                made[at] ^= 1 << target.random.randrange(8)
            if not made:
                made = bytearray(body)
        answer = target.send("POST", PODS, bytes(made), content_type)
        if answer[0] != 201:
            assert_refused(answer)
    target.send("DELETE", PODS, '{"gracePeriodSeconds":0}')


def field(number, value):
    """One field of a protobuf message: a varint or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value):
    made = b""
    while value > 127:
        made += bytes([value & 127 | 128])
        value >>= 7
    return made + bytes([value])


def wrapped(raw, kind="Pod"):
    return b"k8s\0" + field(1, field(1, "v1") + field(2, kind)) + field(2, raw)


@attack
def bad_protobuf(target):
    meta = field(1, "pb") + field(3, "default") + field(11, field(1, "a") + field(2, "b"))
    body = wrapped(field(1, meta) + field(2, field(2, field(1, "c") + field(2, "i"))))
    status, answer = target.send("POST", PODS, body, PROTOBUF)
    assert status == 201, (status, answer[:300])
    target.send("DELETE", f"{PODS}/pb", '{"gracePeriodSeconds":0}')
    for cut in range(len(body)):
        answer = target.send("POST", PODS, body[:cut], PROTOBUF)
        if answer[0] != 201:
            assert_refused(answer)
    for raw in (b"", b"k8s", b"k8s\0", b"k8s\0" + b"\xff" * 100, wrapped(b"\xff" * 50), wrapped(b"\x0a\xff\xff\xff\xff\x0f"),
                wrapped(b"\x0a\x80"), wrapped(b"\x0b" * 50_000), wrapped(b"\x00" * 100), wrapped(b"", "Node"), wrapped(b"", "X" * 100_000),
                wrapped(field(1, field(1, b"\xff\xfe")))):
        target.refuses("POST", PODS, raw, PROTOBUF)
    nested = b""
    for _ in range(20_000):
        nested = field(2, nested)
    target.refuses("POST", PODS, wrapped(nested), PROTOBUF)
    mutate(target, body, PROTOBUF, 5000 if target.is_long else 400)


@attack
def deep_nesting(target):
    target.create_map("deep")
    for depth in (1_000, 10_000, 200_000):
        for opened, closed in (("[", "]"), ("{\"a\":", "}")):
            text = opened * depth + "1" + closed * depth
            for body in (text, f"{{\"metadata\":{{\"name\":\"d\"}},\"data\":{text}}}", f"{{\"x\":{text}}}", opened * depth):
                answer = target.send("POST", MAPS, body)
                assert answer[0] != 201 or body.startswith("{\"x\""), "created"
                if answer[0] != 201:
                    assert_refused(answer)
                target.refuses("POST", f"{MAPS}?fieldValidation=Strict", body)
            for kind in (MERGE_PATCH, STRATEGIC_PATCH, JSON_PATCH):
                answer = target.send("PATCH", f"{MAPS}/deep", f"{{\"data\":{text}}}", kind)
                assert answer[0] != 200, "patched"
                assert_refused(answer)
            target.refuses("PATCH", f"{MAPS}/deep", f"[{{\"op\":\"add\",\"path\":\"/data\",\"value\":{text}}}]", JSON_PATCH)
    for depth in (1_000, 10_000):
        flow = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deep}\ndata: " + "[" * depth + "]" * depth
        lines = "\n".join("  " * n + "a:" for n in range(min(depth, 1_500)))
        dashes = "- " * depth + "1"
        for text in (flow, lines, dashes, "? " * depth):
            target.refuses("POST", MAPS, text, YAML)
            target.refuses("PATCH", f"{MAPS}/deep?fieldManager=x", text, APPLY_PATCH)
    target.delete_map("deep")


@attack
def alias_bombs(target):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20)]
    bomb = "\n".join(lines)
    for text in (bomb, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\n" + bomb, "a: &a [*a]", "a: &a {b: *a}",
                 "- &a b\n" + "- *a\n" * 200_000):
        target.refuses("POST", MAPS, text, YAML)
        target.refuses("PATCH", f"{MAPS}/bomb?fieldManager=x", text, APPLY_PATCH)


@attack
def copy_bombs(target):
    """A JSON patch that doubles the object again and again."""
    target.create_map("bomb", {"a": "x" * 1000})
    steps = [{"op": "add", "path": "/data/a0", "value": "x" * 100_000}]
    steps += [{"op": "copy", "from": "/data/a0", "path": f"/data/b{n}"} for n in range(5000)]
    nested = [{"op": "copy", "from": "/metadata", "path": f"/metadata/annotations{n}"} for n in range(40)]
    doubling = [{"op": "copy", "from": "", "path": "/data"} for _ in range(60)]
    for patch in (steps, nested, doubling, [{"op": "test", "path": "/data", "value": 1}] * 200_000,
                  [{"op": "add", "path": "/data/" + "a/" * 100_000, "value": 1}],
                  [{"op": "add", "path": f"/metadata/finalizers/{'9' * 40}", "value": 1}]):
        target.refuses("PATCH", f"{MAPS}/bomb", json.dumps(patch), JSON_PATCH)
    target.delete_map("bomb")


@attack
def deepening_patches(target):
    """Moves and copies that put an object into itself, again and again; and patches that move much."""
    target.create_map("deep")
    chain, path = {}, ""
    for _ in range(90):
        chain, path = {"a": chain}, path + "/a"
    steps = [{"op": "add", "path": "/a", "value": {}}]
    for _ in range(100):
        steps += [{"op": "add", "path": "/b", "value": chain}, {"op": "move", "from": "/a", "path": f"/b{path}/a"},
                  {"op": "move", "from": "/b", "path": "/a"}]
    copies = [{"op": "add", "path": "/a", "value": {}}] + [{"op": "copy", "from": "/a", "path": "/a/b"}] * 1000
    wide = [{"op": "add", "path": "/a", "value": [0] * 200_000}] + [{"op": "remove", "path": "/a/0"}] * 9_000
    for patch in (steps, copies, wide):
        body = json.dumps(patch, separators=(",", ":"))
        assert len(body) < BODY_MAX, len(body)
        target.refuses("PATCH", f"{MAPS}/deep", body, JSON_PATCH)
    body = json.dumps({"metadata": {"ownerReferences": [{"uid": str(n)} for n in range(20_000)]}}, separators=(",", ":"))
    assert len(body) < BODY_MAX, len(body)
    target.refuses("PATCH", f"{MAPS}/deep", body, STRATEGIC_PATCH)
    # One level at a time, by many patches.
    for kind in (MERGE_PATCH, STRATEGIC_PATCH):
        for depth in (150, 195, 199):
            text = '{"a":' * depth + "1" + "}" * depth
            answer = target.send("PATCH", f"{MAPS}/deep", f'{{"metadata":{{"annotations":{text}}}}}', kind)
            assert_refused(answer)
    target.delete_map("deep")


@attack
def deep_opaque_parameters(target):
    """What is opaque is stored as it is, and must be readable afterwards."""
    claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
    created = 0
    for depth in (100, 150, *range(165, 201), 300, 5000):
        opaque = '{"a":' * depth + "1" + "}" * depth
        body = ('{"metadata":{"name":"deep"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}],'
                f'"config":[{{"opaque":{{"driver":"d.example.com","parameters":{opaque}}}}}]}}}}}}')
        status, answer = target.send("POST", claims, body)
        if status != 201:
            assert_refused((status, answer))
            continue
        created += 1
        for accept in (JSON, YAML, PROTOBUF, "application/json;as=Table;v=v1;g=meta.k8s.io"):
            for path in (claims, f"{claims}/deep"):
                assert target.send("GET", path, Accept=accept)[0] == 200, (depth, accept)
        assert target.send("DELETE", f"{claims}/deep")[0] == 200
    assert created >= 2, created


@attack
def long_names(target):
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    for size in (254, 65_535, 65_536, 70_000, 1_000_000):
        name = "x" * size
        answer = target.send("POST", roles, json.dumps({"metadata": {"name": name}}))
        assert answer[0] == (201 if size <= 65_535 else 422), answer[0]
        target.send("DELETE", f"{roles}/{name}")
        for path in (MAPS, "/api/v1/namespaces", "/api/v1/nodes"):
            target.refuses("POST", path, json.dumps({"metadata": {"name": name}}))
        target.refuses("GET", f"/api/v1/namespaces/{name}/pods/{name}")


@attack
def unknown_tokens(target):
    for token in ("", "x", "system:admin", "x" * 100_000):
        status, answer = target.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", json.dumps({"spec": {"token": token}}))
        assert status == (201 if token else 400), status
        assert not token or not json.loads(answer)["status"].get("authenticated"), answer


@attack
def many_labels(target):
    wide = {"metadata": {"name": "wide", "labels": {f"l{n}": "" for n in range(200_000)}}}
    body = json.dumps(wide, separators=(",", ":"))
    assert len(body) < BODY_MAX
    answer = target.send("POST", MAPS, body)  # Upstream has no limit on labels, only on annotations and etcd's on all.
    assert answer[0] in (201, 413, 422), answer
    target.delete_map("wide")
    bad = json.dumps({"metadata": {"name": "wide", "labels": {f"-{n}": "-" for n in range(100_000)}}}, separators=(",", ":"))
    status, said = target.send("POST", MAPS, bad)
    assert status == 422, status
    assert len(said) < 64 << 20, len(said)
    notes = json.dumps({"metadata": {"name": "wide", "annotations": {"a": "x" * (1 << 20)}}})
    target.refuses("POST", MAPS, notes)
    for selector in (",".join(f"a{n}%3Db" for n in range(90_000)), "a+in+(" + ",".join(f"v{n}" for n in range(100_000)) + ")"):
        status, said = target.send("GET", f"{PODS}?labelSelector={selector}")  # As long as a header may be.
        assert status == 200 or 400 <= status < 500, (status, said[:300])


# ---- requests

@attack
def unknown_paths(target):
    for path in ("/nothing", "/api/v2", "/api/v1/none", "/apis/none/v1/pods", "/apis/apps/v9/deployments", "/api/v1/namespaces/default/none/x",
                 f"{PODS}/p/none", f"{PODS}/p/status/x", "/api/v1/pods/p", "/..", "/../../etc/passwd",
                 "/api/v1/../../etc", "/%2e%2e/%2e%2e/etc/passwd", "/%00", "/api/v1/namespaces/%2F%2F/pods/p", "/api%2Fv1%2Fpods",
                 f"{PODS}/a%2Fb", f"{PODS}/%ff%fe", f"{PODS}/%", f"{PODS}/%zz", f"{PODS}/%2", "/openapi/v3/none", "/apis/%0d%0aX:%20y",
                 f"{PODS}/x/exec", f"{PODS}/x/attach", f"{PODS}/x/portforward", "/api/v1/proxy/x", "/debug/pprof", "/" + "a/" * 5000):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            target.refuses(method, path, "{}")
    for method in ("BREW", "OPTIONS", "TRACE", "CONNECT", "get", "PROPFIND", "X" * 10_000):
        answer = target.send(method, PODS)
        assert answer[0] in (0, 200, 400, 404, 405, 501), (method, answer)


@attack
def strange_queries(target):
    base = f"{PODS}?"
    for query in ("limit=99999999999999999999", "limit=-1", "limit=x", "continue=x", "continue=" + "A" * 100_000, "continue=eyJ2Ijoi",
                  "limit=1&continue=e30", "resourceVersion=x", "resourceVersion=-1", "resourceVersion=99999999999999999999999",
                  "resourceVersionMatch=Maybe", "resourceVersionMatch=Exact", "labelSelector=,,,", "labelSelector=a%20in", "labelSelector=((((",
                  "labelSelector=" + "%28" * 10_000, "fieldSelector=x", "fieldSelector=spec.none%3Da", "fieldSelector=%3D%3D%3D",
                  "watch=1&resourceVersion=x", "watch=1&sendInitialEvents=1", "watch=1&timeoutSeconds=-5&resourceVersion=99999999999",
                  "watch=1&timeoutSeconds=0.5", "timeoutSeconds=999999999999999999999"):
        status, body = target.send("GET", base + query) if "watch" not in query else target.watch(base + query)
        assert status == 200 or 400 <= status < 600, (query, status)
        if status != 200:
            assert_refused((status, body))
    for value in ("9223372036854775807", "9223372036854775808", "4294967296"):
        status, _ = target.send("GET", f"{base}limit={value}")
        assert status in (200, 400), status
    target.send("GET", base + "&".join(f"a{n}=b" for n in range(50_000)))
    target.send("GET", base + "%" * 1000)


@attack
def long_lines(target):
    for size in (10_000, 500_000, 2_000_000):
        assert_refused(parse_answer(target.raw(b"GET /" + b"a" * size + b" HTTP/1.1\r\nHost: berth\r\n\r\n")))
        data = target.raw(b"GET /readyz HTTP/1.1\r\nHost: berth\r\nX: " + b"a" * size + b"\r\n\r\n")
        status, _ = parse_answer(data)
        assert status in (0, 200, 400, 413, 431), status
    many = b"".join(b"X%d: y\r\n" % n for n in range(200_000))
    assert_refused(parse_answer(target.raw(b"GET /readyz HTTP/1.1\r\n" + many + b"\r\n")))
    assert_refused(parse_answer(target.raw(b"A" * 3_000_000)))
    assert_refused(parse_answer(target.raw(b"GET /readyz HTTP/1.1\r\n" + b" " * 2_000_000 + b"\r\n\r\n")))


@attack
def smuggling(target):
    """Two lengths, odd forms of the target, pipelining."""
    body = json.dumps(pod("smuggled"))
    both = (f"POST {PODS} HTTP/1.1\r\nHost: berth\r\nContent-Type: {JSON}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            f"{len(body):x}\r\n{body}\r\n0\r\n\r\nGET /readyz HTTP/1.1\r\nHost: berth\r\n\r\n")
    assert_refused(parse_answer(target.raw(both.encode())))
    twice = f"POST {PODS} HTTP/1.1\r\nHost: berth\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"
    assert_refused(parse_answer(target.raw(twice.encode())))
    for odd in ("Content-Length: -1", "Content-Length: +5", "Content-Length: 5, 5", "Content-Length: 0x5", "Content-Length: ",
                "Transfer-Encoding: gzip", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: xchunked", "Content-Encoding: gzip",
                "Content-Encoding: none", " Folded: x", "No colon", ": none", "X\x00Y: z", "X Y: z", "Expect: the-unexpected"):
        data = f"POST {PODS} HTTP/1.1\r\nHost: berth\r\n{odd}\r\n\r\nabcde".encode()
        with target.connect() as peer:
            peer.sendall(data)
            peer.shutdown(socket.SHUT_WR)
            assert_refused(parse_answer(read_answer(peer)))
    status, _ = parse_answer(target.raw(b"GET http://elsewhere/readyz HTTP/1.1\r\nHost: berth\r\n\r\n"))
    assert status == 403, status
    for line in (b"GET", b"GET /", b"GET / HTTP/9.9", b"GET / HTTP/1.1 x", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0",
                 b"GET * HTTP/1.1", b"GET readyz HTTP/1.1", b"\x00" * 100, b"GET /\x01\x80 HTTP/1.1", b"GET / HTTP/1.1\n\n"):
        with target.connect() as peer:
            peer.sendall(line + b"\r\n\r\n")
            peer.shutdown(socket.SHUT_WR)
            assert_refused(parse_answer(read_answer(peer)))
    assert target.send("GET", f"{PODS}/smuggled")[0] == 404
    pipelined(target)


def pipelined(target):
    """Many requests at once on one connection are answered in their order."""
    count = 1000
    with target.connect() as peer:
        requests = b"".join(f"GET {MAPS}/none-{n} HTTP/1.1\r\nHost: berth\r\n\r\n".encode() for n in range(count))
        sender = threading.Thread(target=peer.sendall, args=(requests,))
        sender.start()
        data = b""
        while data.count(b'"name":"none-') < count:
            piece = peer.recv(1 << 16)
            assert piece, f"closed after {data.count(b'HTTP/1.1 404')} of {count} answers"
            data += piece
        sender.join()
        assert re.findall(rb'"name":"none-(\d+)"', data) == [b"%d" % n for n in range(count)]


# ---- peers

@attack
def slow_clients(target):
    """A byte per second, half a request, and those who go in the middle of it."""
    request = f"POST {MAPS} HTTP/1.1\r\nHost: berth\r\nContent-Type: {JSON}\r\nContent-Length: 1000\r\n\r\n".encode()
    peers = [socket.create_connection(("127.0.0.1", target.up.port), 10) for _ in range(300)]
    for number, peer in enumerate(peers):
        peer.sendall(request[:number % len(request)])
    for second in range(90 if target.is_long else 2):
        for peer in peers[:50]:
            with contextlib.suppress(OSError):
                peer.sendall(request[second:second + 1])
        time.sleep(1)
        assert target.up.is_ready(patience())
    if target.is_long:
        for number, peer in enumerate(peers[1:]):
            peer.settimeout(60)
            answer = parse_answer(read_answer(peer))
            assert answer[0] in (0, 400, 408), (number, answer)
    for peer in peers:
        peer.close()


@attack
def watchers_that_never_read(target):
    """Much changes while a hundred watches take nothing: the server must not keep it all for them."""
    target.create_map("busy")
    peers = [socket.socket() for _ in range(100)]
    for peer in peers:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.connect(("127.0.0.1", target.up.port))
        peer.sendall(f"GET {MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
                     " HTTP/1.1\r\nHost: berth\r\n\r\n".encode())
    with target.connect() as writer:
        for number in range(5000 if target.is_long else 600):
            change = json.dumps({"data": {"a": f"{number:06}" + "x" * 30_000}}).encode()
            writer.sendall(f"PATCH {MAPS}/busy HTTP/1.1\r\nHost: berth\r\nContent-Type: {MERGE_PATCH}\r\n"
                           f"Content-Length: {len(change)}\r\n\r\n".encode() + change)
            status, body = parse_answer(read_answer(writer))
            assert status == 200, body[:300]
    assert target.up.is_ready(patience())
    for peer in peers:
        peer.close()
    target.delete_map("busy")


@attack
def cut_lists(target):
    """Clients that ask for much, and go."""
    for number in range(20):
        target.create_map(f"big-{number}", {"a": "x" * 100_000})
    for _ in range(2000 if target.is_long else 100):
        with target.connect() as peer:
            peer.sendall(f"GET {MAPS} HTTP/1.1\r\nHost: berth\r\n\r\n".encode() * 5)
    target.send("DELETE", MAPS)


@attack
def idle_connections(target):
    """Ten thousand at once, and the server still answers."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(10_000, hard - 100)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 100)), hard))
    peers = []
    try:
        for _ in range(count):
            peers.append(connect_anew(target))
        assert target.up.is_ready(patience()), "with idle connections"
        answered = request_on_all(peers)
        assert answered == count, f"{answered} of {count} connections were answered"
        assert target.up.is_ready(patience()), "after their requests"
    finally:
        for peer in peers:
            peer.close()


def connect_anew(target):
    peer = socket.create_connection(("127.0.0.1", target.up.port), 10)
    peer.setblocking(False)
    return peer


def request_on_all(peers):
    """How many of them are answered within ten seconds."""
    answered = 0
    with selectors.DefaultSelector() as waiting:
        for peer in peers:
            peer.send(b"GET /readyz HTTP/1.1\r\nHost: berth\r\n\r\n")
            waiting.register(peer, selectors.EVENT_READ)
        end = time.monotonic() + 10
        while waiting.get_map() and time.monotonic() < end:
            for key, _ in waiting.select(1):
                waiting.unregister(key.fileobj)
                answered += key.fileobj.recv(1000).startswith(b"HTTP/1.1 200")
    return answered


def patience():
    """A second, and more if the machine has more to do than it has processors."""
    return max(1.0, os.getloadavg()[0] / os.cpu_count())


def run(target, function):
    before = target.up.memory_mib()
    start = time.monotonic()
    error = ""
    try:
        function(target)
    except Exception as raised:  # pylint: disable=broad-except
        error = f"{type(raised).__name__}: {str(raised)[:600]} "
        if os.environ.get("HOSTILE_TRACE"):
            raise
    seconds = time.monotonic() - start
    if not target.up.is_running():
        print(f"FAIL {function.__name__} ({seconds:.1f} s): {error}the server ended with {target.up.process.returncode}: "
              f"{target.up.log()[-2000:]}", flush=True)
        return False
    if not target.up.is_ready(patience()):
        error += "/readyz is not answered in time "
    after = target.up.memory_mib()
    if after - before > target.growth:
        error += f"it grew from {before:.0f} to {after:.0f} MiB"
    print(f"{'FAIL' if error else 'ok  '} {function.__name__} ({seconds:.1f} s, {after:.0f} MiB)"
          f"{': ' + error if error else ''}", flush=True)
    return not error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("--long", action="store_true", help="more of everything, for some minutes")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations")
    parser.add_argument("--growth", type=int, default=GROWTH_MAX_MIB, metavar="MIB",
                        help="how much one attack may make the server grow; a sanitizer keeps what was freed for a while")
    options = parser.parse_args()
    failed = 0
    chosen = [function for function in ATTACKS if re.search(options.only, function.__name__)]
    while chosen:  # A server that ended is started again for the rest.
        with Up(options.berth.resolve(), "--api-only", "--allowed-host", "berth") as up:
            target = Target(up, options)
            while chosen and up.is_running():
                failed += not run(target, chosen.pop(0))
            ended = up.stop()
            if ended != 0:
                failed += not chosen and ended is not None
                print(f"the server ended with {ended}", flush=True)
    print("all held" if not failed else f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
