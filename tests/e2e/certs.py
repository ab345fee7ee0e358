# SPDX-License-Identifier: Apache-2.0
"""Throw-away certificates (P-256, SHA-256) for the servers and clients of the tests.

Nothing but the standard library is needed. An Authority signs itself and then whatever it is asked for. Not for use
outside of tests: the arithmetic is slow and leaks its secrets through time.
"""
import base64
import hashlib
import ipaddress
import secrets
import time

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)

EC_PUBLIC_KEY = bytes.fromhex("06072a8648ce3d0201")
PRIME256V1 = bytes.fromhex("06082a8648ce3d030107")
ECDSA_WITH_SHA256 = bytes.fromhex("06082a8648ce3d040302")
COMMON_NAME = bytes.fromhex("0603550403")
ORGANIZATION = bytes.fromhex("060355040a")
BASIC_CONSTRAINTS = bytes.fromhex("0603551d13")
ALT_NAME = bytes.fromhex("0603551d11")


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(k, point):
    out = None
    while k:
        if k & 1:
            out = add(out, point)
        point, k = add(point, point), k >> 1
    return out


def der(tag, *contents):
    content = b"".join(contents)
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def integer(value):
    return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def pem(label, content):
    text = base64.b64encode(content).decode()
    lines = [text[i:i + 64] for i in range(0, len(text), 64)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


class Key:
    def __init__(self):
        self.secret = secrets.randbelow(N - 1) + 1
        x, y = multiply(self.secret, G)
        self.point = b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")

    def public_info(self):
        return der(0x30, der(0x30, EC_PUBLIC_KEY, PRIME256V1), der(3, b"\0" + self.point))

    def pem(self):
        return pem("EC PRIVATE KEY", der(0x30, integer(1), der(4, self.secret.to_bytes(32, "big")),
                                         der(0xA0, PRIME256V1), der(0xA1, der(3, b"\0" + self.point))))

    def sign(self, content):
        digest = int.from_bytes(hashlib.sha256(content).digest(), "big")
        while True:
            k = secrets.randbelow(N - 1) + 1
            r = multiply(k, G)[0] % N
            s = pow(k, -1, N) * (digest + r * self.secret) % N
            if r and s:
                return der(0x30, integer(r), integer(s))


def distinguished_name(name, groups=()):
    parts = [(ORGANIZATION, group) for group in groups] + [(COMMON_NAME, name)]
    return der(0x30, *(der(0x31, der(0x30, oid, der(0x0C, text.encode()))) for oid, text in parts))


def alt_name(host):
    try:
        return der(0x87, ipaddress.ip_address(host).packed)
    except ValueError:
        return der(0x82, host.encode())


class Authority:
    def __init__(self, name):
        self.name = distinguished_name(name)
        self.key = Key()
        constraints = der(0x30, BASIC_CONSTRAINTS, der(1, b"\xff"), der(4, der(0x30, der(1, b"\xff"))))
        self.pem = self._certify(self.name, self.key, [constraints])

    def issue(self, name, groups=(), hosts=()):
        """A certificate and its key, as PEM."""
        key = Key()
        extensions = [der(0x30, ALT_NAME, der(4, der(0x30, *map(alt_name, hosts))))] if hosts else []
        return self._certify(distinguished_name(name, groups), key, extensions), key.pem()

    def _certify(self, subject, key, extensions):
        day = 86400
        times = [time.strftime("%y%m%d%H%M%SZ", time.gmtime(time.time() + t)).encode() for t in (-day, 3650 * day)]
        algorithm = der(0x30, ECDSA_WITH_SHA256)
        fields = [der(0xA0, integer(2)), integer(secrets.randbits(120)), algorithm, self.name,
                  der(0x30, *(der(0x17, t) for t in times)), subject, key.public_info()]
        if extensions:
            fields.append(der(0xA3, der(0x30, *extensions)))
        content = der(0x30, *fields)
        return pem("CERTIFICATE", der(0x30, content, algorithm, der(3, b"\0" + self.key.sign(content))))
