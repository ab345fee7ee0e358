#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what `berth up` does for tests: it runs a program and ends with it, tells programs where it is, and many of
them run at once.

    tests/up/wait_test.py BERTH
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

BERTH = os.path.abspath(sys.argv.pop(1))
PATIENCE_S = 30


class WaitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "TMPDIR": folder.name, "HOME": folder.name, "KUBECONFIG": "/nowhere"}

    def start(self, *arguments, **more):
        process = subprocess.Popen([BERTH, "up", *arguments], cwd=self.folder, env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(process.kill)
        return process

    def run_shell(self, script, *flags):
        process = self.start("--wait", *flags, "--", "sh", "-c", script)
        out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err

    def check_nothing_is_left(self):
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_program_finds_the_cluster_and_gives_the_exit_code(self):
        code, out, err = self.run_shell('stat -c "%a" "$KUBECONFIG" "$(dirname "$KUBECONFIG")"; echo $KUBERNETES_MASTER; exit 7')

        modes, url = out.split()[:2], out.split()[2]
        self.assertEqual((code, modes, err), (7, ["600", "700"], ""))
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+$")
        self.check_nothing_is_left()

    def test_the_program_is_served_as_soon_as_it_runs(self):
        look = f"""{sys.executable} -c '
import json, os, urllib.request
url = os.environ["KUBERNETES_MASTER"] + "/api/v1/nodes"
print(len(json.load(urllib.request.urlopen(url))["items"]))'"""
        self.assertEqual(self.run_shell(look, "--nodes", "4"), (0, "4\n", ""))

    def test_only_its_own_streams_are_open(self):
        _, out, _ = self.run_shell("ls /proc/self/fd")
        self.assertEqual(out.split(), ["0", "1", "2", "3"])  # The last one is that of ls.

    def test_arguments_are_passed_as_they_are(self):
        process = self.start("--wait", "--api-only", "--", "printf", "%s|", "--quiet", "a b", "--", "-x")
        self.assertEqual(process.communicate(timeout=PATIENCE_S)[0], "--quiet|a b|--|-x|")

    def test_a_named_kubeconfig_is_written_there(self):
        mine = self.folder / "mine"
        _, out, _ = self.run_shell("echo $KUBECONFIG", "--kubeconfig", "mine")
        self.assertEqual(out, f"{mine}\n")
        self.check_nothing_is_left()

    def test_programs_that_cannot_be_run(self):
        for program, code in (("no-such-program", 127), ("/etc/passwd", 126)):
            process = self.start("--wait", "--", program)
            err = process.communicate(timeout=PATIENCE_S)[1]
            self.assertEqual(process.returncode, code)
            self.assertTrue(err.startswith(f"berth up: {program}: "), err)
        self.check_nothing_is_left()

    def test_a_program_that_a_signal_ended(self):
        self.assertEqual(self.run_shell("kill -9 $$")[0], 128 + signal.SIGKILL)

    def test_signals_are_passed_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            name = number.name.removeprefix("SIG")
            # Of a session of its own, without a terminal: it has to be told.
            process = self.start("--wait", "--api-only", "--", "sh", "-c",
                                 f'trap "echo {name}; exit 3" {name}; echo ready; while :; do sleep 0.02; done',
                                 start_new_session=True)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(number)
            out, _ = process.communicate(timeout=PATIENCE_S)
            self.assertEqual((process.returncode, out), (3, f"{name}\n"))
        self.check_nothing_is_left()

    def test_flags_that_need_each_other(self):
        for arguments, says in ((["--wait"], "--wait requires command"), (["x"], "command requires --wait"),
                                (["--wait", "--output", "json", "--", "true"], "--wait excludes --output")):
            process = self.start(*arguments)
            self.assertIn(says, process.communicate(timeout=PATIENCE_S)[1])
            self.assertEqual(process.returncode, 2)

    def test_many_at_once_say_where_they_are(self):
        processes = [self.start("--port", "0", "--output", "json") for _ in range(5)]
        told = [json.loads(process.stdout.readline()) for process in processes]

        self.assertEqual([line["pid"] for line in told], [process.pid for process in processes])
        for key in ("url", "kubeconfig"):
            self.assertEqual(len({line[key] for line in told}), len(told))
        for line in told:
            self.assertLess(0, line["readyMs"])
            self.assertIn(line["url"], pathlib.Path(line["kubeconfig"]).read_text(encoding="utf-8"))
            with urllib.request.urlopen(line["url"] + "/readyz", timeout=PATIENCE_S) as answer:
                self.assertEqual(answer.read(), b"ok")
        for process in processes:
            process.terminate()
        for process in processes:
            self.assertEqual((process.communicate(timeout=PATIENCE_S)[0], process.returncode), ("", 0))
        self.check_nothing_is_left()


if __name__ == "__main__":
    unittest.main(verbosity=1)
