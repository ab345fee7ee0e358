#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records runs of `berth simulate` and replays them.

usage: replay_test.py BERTH [unittest arguments]   (or set the environment variable BERTH)
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BERTH = os.environ.get("BERTH", "")


def node(name, cpu):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}}


def pod(name, cpu, **fields):
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"containers": [container], **fields}}


# The pod "large" waits for a node, and "urgent" takes the place of others.
CLUSTER = [node("n1", "4"), {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"},
                             "value": 100}]
TIMELINE = {
    "events": [
        {"at": "1s", "create": [pod("large", "6"), pod("small", "1")]},
        {"at": "5s", "create": [node("n2", "8")]},
        {"at": "20s", "create": [pod("urgent", "8", priorityClassName="high")]},
        {"at": "90s", "drain": {"name": "n1"}},
    ],
    "arrivals": [{"from": "2s", "until": "60s", "rate": "2/s", "poisson": True, "runs": "5s",
                  "pod": {**pod("", "500m"), "metadata": {"generateName": "job-", "namespace": "default"}}}],
}


def berth(*arguments):
    return subprocess.run([BERTH, *arguments], capture_output=True, text=True, timeout=60, check=False)


class ReplayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.log = cls.path("run.log")
        for name, content in (("cluster.json", {"apiVersion": "v1", "kind": "List", "items": CLUSTER}),
                              ("timeline.json", TIMELINE)):
            with open(cls.path(name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        recorded = berth("simulate", "-f", cls.path("cluster.json"), "--timeline", cls.path("timeline.json"), "--seed", "7",
                         "--until", "3m", "--record", cls.log)
        assert recorded.returncode in (0, 1), recorded.stderr

    @classmethod
    def path(cls, name):
        return os.path.join(cls.directory.name, name)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def replay(self, *arguments, log=None, code=0):
        done = berth("replay", log or self.log, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def replay_json(self, *arguments, **options):
        return json.loads(self.replay(*arguments, "-o", "json", **options).stdout)

    def changed(self, change):
        with open(self.log, "rb") as file:
            content = bytearray(file.read())
        content = change(content)
        path = self.path("changed.log")
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_every_step_has_the_recorded_effects(self):
        self.assertIn("all with the recorded effects", self.replay().stdout)
        report = self.replay_json()
        self.assertEqual(report["steps"], sum(report["inputs"].values()))
        self.assertGreater(report["effects"]["BindPod"], 0)
        self.assertNotIn("problem", report)

    def test_an_attempt_is_found_and_explained(self):
        first = self.replay_json("--pod", "default/large#1", "--explain")["attempt"]
        self.assertEqual((first["outcome"], first["number"]), ("unschedulable", 1))
        self.assertEqual(first["explanation"]["rejections"][0]["plugin"], "NodeResourcesFit")
        report = self.replay("--pod", "default/large#2", "--explain").stdout
        self.assertIn("default/large, attempt 2 at ", report)
        self.assertIn("goes to n2", report)
        last = self.replay_json("--pod", "default/small")["attempt"]
        self.assertEqual((last["pod"], last["outcome"]), ("default/small", "scheduled"))

    def test_evictions_are_replayed(self):
        self.assertGreater(self.replay_json()["effects"]["EvictPod"], 0)
        self.assertIn("chosen: n2: would evict", self.replay("--pod", "default/urgent#1", "--explain").stdout)

    def test_the_state_at_a_time_is_shown(self):
        start = self.replay_json()["start"]
        early = self.replay_json("--until", start)
        self.assertEqual(early["end"], start)
        self.assertLess(early["steps"], self.replay_json()["steps"])

    def test_bad_arguments_are_refused(self):
        for arguments, text in [(["--pod", "nonsense"], "--pod"), (["--pod", "default/none"], "was not tried"),
                                (["--until", "yesterday"], "--until"), (["--explain"], "--pod")]:
            with self.subTest(arguments):
                self.assertIn(text, self.replay(*arguments, code=2).stderr)
        self.assertIn("no such file or directory", self.replay(log="/nonexistent", code=2).stderr)
        self.assertIn("not an input log", self.replay(log=__file__, code=2).stderr)

    def test_damage_is_told_after_what_stands_before_it(self):
        whole = self.replay_json()["steps"]
        def flip(content):
            content[content.rindex(b"urgent")] ^= 1
            return content

        report = self.replay_json(log=self.changed(flip), code=2)
        self.assertIn("offset", report["problem"])
        self.assertLess(report["steps"], whole)

    def test_a_log_that_was_cut_off_is_replayed_as_far_as_it_goes(self):
        whole = self.replay_json()
        self.assertNotIn("unfinished", whole)
        for end in (-1, -9, -40):
            with self.subTest(end):
                report = self.replay_json(log=self.changed(lambda content: content[:end]))
                self.assertIn("its writer died", report["unfinished"])
                self.assertLessEqual(whole["steps"] - 1, report["steps"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BERTH = sys.argv.pop(1)
    unittest.main()
