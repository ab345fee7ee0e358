#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends `berth up` what browsers send for web pages: pages of others can neither read nor change anything.

    tests/up/web_pages.py BERTH
"""
import argparse
import json
import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up  # noqa: E402

MAPS = "/api/v1/namespaces/default/configmaps"
BODY = '{"metadata":{"name":"planted"}}'
PATHS = ("/api/v1/secrets", "/api", "/openapi/v3", "/version", "/healthz", "/metrics", "/", "/nowhere")


def ask(up, lines, body=""):
    """Status and body of the answer to these lines of a request."""
    text = "\r\n".join([*lines, f"Content-Length: {len(body)}", "Connection: close", "", body])
    with socket.create_connection(("127.0.0.1", up.port), 10) as peer:
        peer.sendall(text.encode())
        data = b""
        while piece := peer.recv(1 << 16):
            data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    assert b"access-control" not in head.lower(), head
    return int(head.split()[1]), rest


def assert_forbidden(answer, word):
    status, body = answer
    assert status == 403, answer
    said = json.loads(body)
    assert said["kind"] == "Status" and said["code"] == 403 and said["reason"] == "Forbidden" and word in said["message"], said


def check_hosts(up):
    port = up.port
    for path in PATHS:
        assert_forbidden(ask(up, [f"GET {path} HTTP/1.1", f"Host: evil.example:{port}"]), "--allowed-host evil.example")
    for host in ("evil.example", "localhost.evil.example", "0.0.0.0", "192.0.2.1", "[2001:db8::1]", "[::1", "localhost:x"):
        assert_forbidden(ask(up, ["GET /api HTTP/1.1", f"Host: {host}"]), "--allowed-host")
    for host in (f"localhost:{port}", "LocalHost", "127.0.0.1:1", "127.9.9.9", "[::1]", f"[::1]:{port}", "Berth.Test:99"):
        assert ask(up, ["GET /api HTTP/1.1", f"Host: {host}"])[0] == 200, host
    # A host in the target counts, not the header.
    assert_forbidden(ask(up, ["GET http://evil.example/api HTTP/1.1", "Host: localhost"]), "evil.example")
    assert ask(up, ["GET http://localhost/api HTTP/1.1", "Host: evil.example"])[0] == 200
    assert ask(up, ["GET /api HTTP/1.1"])[0] == 400
    assert ask(up, ["GET /api HTTP/1.1", "Host: localhost", "Host: evil.example"])[0] == 400
    assert_forbidden(ask(up, ["GET /api HTTP/1.0"]), "--allowed-host NAME")
    assert ask(up, ["GET /api HTTP/1.0", "Host: localhost"])[0] == 200


def check_pages(up):
    here = f"Host: localhost:{up.port}"
    foreign = ["Origin: https://evil.example", "Origin: null", "Origin: http://localhost:1", "Origin: http://localhost",
               "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"]
    for header in foreign:
        # As a form or a script without preflight sends it.
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            content_type = [f"Content-Type: {kind}"] if kind else []
            assert_forbidden(ask(up, [f"POST {MAPS} HTTP/1.1", here, header, *content_type], BODY), "web pages")
        assert_forbidden(ask(up, ["GET /api/v1/secrets HTTP/1.1", here, header]), "web pages")
        assert_forbidden(ask(up, [f"OPTIONS {MAPS} HTTP/1.1", here, header, "Access-Control-Request-Method: PUT"]), "web pages")
    # A name that was made to point here names itself, and its pages are of one origin with it.
    assert_forbidden(ask(up, [f"POST {MAPS} HTTP/1.1", f"Host: evil.example:{up.port}", f"Origin: http://evil.example:{up.port}",
                              "Sec-Fetch-Site: same-origin"], BODY), "--allowed-host")
    assert ask(up, [f"GET {MAPS}/planted HTTP/1.1", here])[0] == 404
    own = [[], ["Sec-Fetch-Site: none"], ["Sec-Fetch-Site: same-origin", f"Origin: http://localhost:{up.port}"],
           ["Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:8001"]]
    for number, headers in enumerate(own):
        body = BODY.replace("planted", f"own-{number}")
        assert ask(up, [f"POST {MAPS} HTTP/1.1", here, *headers], body)[0] == 201, headers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    options = parser.parse_args()
    with Up(options.berth.resolve(), "--api-only", "--allowed-host", "berth.test") as up:
        check_hosts(up)
        check_pages(up)
        assert up.is_running()
    # Who is refused is not asked for a token either.
    with Up(options.berth.resolve(), "--api-only", token="secret") as up:
        show = "Authorization: Bearer secret"
        assert_forbidden(ask(up, ["GET /api HTTP/1.1", "Host: evil.example", show]), "--allowed-host")
        assert ask(up, ["GET /api HTTP/1.1", "Host: localhost"])[0] == 401
        assert ask(up, ["GET /api HTTP/1.1", "Host: localhost", show])[0] == 200
        assert "secret" not in up.log(), up.log()
    print("web pages of others are kept out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
