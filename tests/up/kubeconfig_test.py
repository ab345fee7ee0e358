#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the kubeconfigs that `berth up` writes, merges into and takes away again.

    tests/up/kubeconfig_test.py BERTH
"""
import argparse
import base64
import os
import pathlib
import re
import shlex
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

PATIENCE_S = 30
OTHERS = """# My clusters.
apiVersion: v1
kind: Config
clusters:
- {name: work, cluster: {server: "https://work:6443"}}
contexts:
- {name: work, context: {cluster: work, user: me}}
current-context: work
future-field: {kept: true}
users:
- {name: me, user: {token: "0123"}}
"""


class Process:
    """A `berth up` in a folder, with a home of its own."""

    def __init__(self, berth, folder, *args, **environment):
        self.folder, self.log_file = folder, pathlib.Path(tempfile.mkstemp(dir=folder, suffix=".log")[1])
        surroundings = {**os.environ, "HOME": str(folder), **environment}
        for name in ("KUBECONFIG", "BERTH_TOKEN"):
            if name not in environment:
                surroundings.pop(name, None)
        with open(self.log_file, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([berth, "up", "--port", "0", "--api-only", *map(str, args)], cwd=folder,
                                            env=surroundings, stdout=log, stderr=subprocess.STDOUT)

    def __enter__(self):
        end = time.monotonic() + PATIENCE_S
        while "Ctrl-C" not in self.log() and self.process.poll() is None:
            assert time.monotonic() < end, f"berth up does not begin: {self.log()}"
            time.sleep(0.005)
        return self

    def __exit__(self, *_):
        self.stop()

    def log(self):
        return self.log_file.read_text(encoding="utf-8")

    def url(self):
        return re.search(r"is up at (\S+)", self.log())[1]

    def printed_path(self):
        """What a shell in any folder makes of the line that is shown."""
        line = re.search(r"^  export KUBECONFIG=(.*)$", self.log(), re.M)
        path = pathlib.Path(shlex.split(line[1])[0])
        assert path.is_absolute(), path
        return path

    def stop(self, by=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(by)
        return self.process.wait(PATIENCE_S)


def server_of(path):
    return re.search(r"^ +server: (\S+)$", path.read_text(encoding="utf-8"), re.M)[1]


def check_one_after_another(berth, folder):
    """Each has its own file, which goes with it; what a killed one left is replaced."""
    plain = folder / "berth.kubeconfig"
    plain.write_text("old", encoding="utf-8")
    plain.chmod(0o644)
    with Process(berth, folder) as first:
        assert first.printed_path() == plain
        assert plain.stat().st_mode & 0o777 == 0o600
        with Process(berth, folder) as second:
            other = second.printed_path()
            assert other != plain and other.name.startswith("berth-") and other.parent == folder, other
            assert server_of(plain) == first.url() and server_of(other) == second.url()
        assert not other.exists() and server_of(plain) == first.url()
        with Process(berth, folder, "--kubeconfig", "berth.kubeconfig") as third:
            assert third.process.wait(PATIENCE_S) == 1 and "is that of another berth up" in third.log(), third.log()
        assert first.stop(signal.SIGINT) == 0
    assert not plain.exists()
    with Process(berth, folder) as killed:
        killed.stop(signal.SIGKILL)
    assert plain.exists()
    with Process(berth, folder, "--keep-kubeconfig") as last:
        assert last.printed_path() == plain and server_of(plain) == last.url()
    assert plain.exists()
    plain.unlink()


def check_hang_up(berth, folder):
    """A closed terminal ends it in order, but not under nohup."""
    plain = folder / "berth.kubeconfig"
    with Process(berth, folder, "--data", "objects") as process:
        assert plain.exists()
        assert process.stop(signal.SIGHUP) == 0, process.log()
    assert not plain.exists()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # As nohup does it, for what is started now.
    try:
        with Process(berth, folder, "--data", "objects") as process:
            process.process.send_signal(signal.SIGHUP)
            with urllib.request.urlopen(process.url() + "/readyz", timeout=10) as answer:
                assert answer.status == 200
            assert process.process.poll() is None and plain.exists()
            assert process.stop(signal.SIGTERM) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
    assert not plain.exists()


def check_names(berth, folder):
    odd = folder / "it's a folder"
    odd.mkdir()
    with Process(berth, folder, "--kubeconfig", odd / "my config") as process:
        assert process.printed_path() == odd / "my config" and process.printed_path().exists()
    (folder / "config").write_text(OTHERS, encoding="utf-8")
    for bad, word in ((folder / "config", "was not written by berth up"), ("/dev/null", "no regular file"),
                      (folder / "absent/config", "o such file")):
        with Process(berth, folder, "--kubeconfig", bad) as refused:
            assert refused.process.wait(PATIENCE_S) == 1 and word in refused.log(), (refused.process.returncode, refused.log())
    assert (folder / "config").read_text(encoding="utf-8") == OTHERS


def check_merging(berth, folder):
    config = folder / ".kube/config"
    # Made, and gone again.
    with Process(berth, folder, "--context", "dev") as process:
        assert "kubectl --context dev" in process.log() and server_of(config) == process.url()
        assert not (folder / "berth.kubeconfig").exists()
    assert not config.exists()
    # The user's own, behind a link as many have it.
    real = folder / "dotfiles"
    real.write_text(OTHERS, encoding="utf-8")
    config.symlink_to(real)
    with Process(berth, folder, "--context", "dev") as process:
        text = real.read_text(encoding="utf-8")
        for part in ("current-context: dev", "kept: true", "https://work:6443", process.url(), 'token: "0123"'):
            assert part in text, text
        assert real.stat().st_mode & 0o777 == 0o600 and config.is_symlink()
        with Process(berth, folder, "--context", "dev") as second:
            assert second.process.wait(PATIENCE_S) == 1 and "that is running" in second.log(), second.log()
    assert real.read_text(encoding="utf-8") == OTHERS
    # Changed meanwhile.
    with Process(berth, folder, "--context", "dev") as process:
        real.write_text(real.read_text(encoding="utf-8") + "later: added\n", encoding="utf-8")
    text = real.read_text(encoding="utf-8")
    assert "later: added" in text and "dev" not in text and "current-context: work" in text, text
    # Refused: somebody else's, and a file that is none. Nothing is left running or behind.
    for arguments, content, word in ((("--context", "work"), OTHERS, "not Berth's"), (("--context", "dev"), "{", "dotfiles")):
        real.write_text(content, encoding="utf-8")
        with Process(berth, folder, *arguments) as refused:
            assert refused.process.wait(PATIENCE_S) == 1 and word in refused.log(), refused.log()
        assert real.read_text(encoding="utf-8") == content
    # Another program is writing it.
    lock = folder / "dotfiles.lock"
    lock.touch()
    with Process(berth, folder, "--context", "dev") as refused:
        assert refused.process.wait(PATIENCE_S) == 1 and "dotfiles.lock is there" in refused.log(), refused.log()
    lock.unlink()
    # The first file of several, and one that stays.
    with Process(berth, folder, "--context", "dev", "--keep-kubeconfig", KUBECONFIG=f"{folder}/first:{folder}/second"):
        pass
    assert "current-context: dev" in (folder / "first").read_text(encoding="utf-8") and not (folder / "second").exists()
    assert not list(folder.rglob("*.lock")), list(folder.rglob("*.lock"))


def check_tls(berth, folder):
    """A kubeconfig for a server on all addresses, with a certificate that names only itself."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                    "-subj", "/CN=unused", "-addext", "subjectAltName=DNS:berth.test", "-keyout", "key.pem", "-out", "cert.pem"],
                   cwd=folder, check=True, capture_output=True)
    # The key may stand in the same file, and does not get into the kubeconfig.
    (folder / "both.pem").write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    token = "a: b #c"
    with Process(berth, folder, "--listen", "0.0.0.0", "--tls-cert-file", "both.pem", "--tls-private-key-file", "key.pem",
                 BERTH_TOKEN=token) as process:
        path = process.printed_path()
        text = path.read_text(encoding="utf-8")
        assert process.url().startswith("https://127.0.0.1:") and server_of(path) == process.url(), text
        assert "token: 'a: b #c'" in text and "tls-server-name: berth.test" in text, text
        assert token not in process.log()
        authority = base64.b64decode(re.search(r"certificate-authority-data: (\S+)", text)[1]).decode()
        assert authority.strip() == (folder / "cert.pem").read_text().strip(), authority
        context = ssl.create_default_context(cadata=authority)
        context.check_hostname = False
        for host in ("127.0.0.1", "berth.test"):
            request = urllib.request.Request(process.url() + "/api", headers={"Authorization": f"Bearer {token}", "Host": host})
            with urllib.request.urlopen(request, context=context, timeout=10) as answer:
                assert answer.status == 200
    with Process(berth, folder, BERTH_TOKEN="a\nb") as refused:
        assert refused.process.wait(PATIENCE_S) != 0 and "visible ASCII" in refused.log(), refused.log()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    options = parser.parse_args()
    for check in (check_one_after_another, check_hang_up, check_names, check_merging, check_tls):
        with tempfile.TemporaryDirectory(prefix="berth-kubeconfig-") as folder:
            check(options.berth.resolve(), pathlib.Path(folder).resolve())
            print(f"ok {check.__name__}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
