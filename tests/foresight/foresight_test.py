#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks `berth plan`, `what-if`, `capacity` and `diff` about small clusters.

usage: foresight_test.py BERTH [unittest arguments]

The session on docs/foresight.md is run as well and must print what the page shows.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "examples/foresight/cluster.yaml"
WEB = ROOT / "examples/foresight/web.yaml"
BERTH = ""

BALANCED = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
PACKED = BALANCED + """profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}
  plugins:
    score:
      disabled: [{name: "*"}]
      enabled: [{name: NodeResourcesFit, weight: 1}]
"""


def run(*arguments, code=0):
    done = subprocess.run([BERTH, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if code != 2 else done.stderr


class Foresight(unittest.TestCase):
    def test_page_shows_what_is_printed(self):
        page = (ROOT / "docs/foresight.md").read_text(encoding="utf-8")
        session = re.search(r"^## An example\n\n```console\n(.*?)^```$", page, re.M | re.S)[1]
        for command, shown in re.findall(r"^\$ berth (.*)\n((?:(?!\$ ).*\n)*)", session, re.M):
            done = subprocess.run([BERTH, *shlex.split(command)], capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
            self.assertEqual(done.stdout, shown, command)

    def test_tables_fit_a_terminal(self):
        for arguments, code in ((["plan", "-f", WEB], 1), (["capacity", "-f", WEB], 0)):
            text = run(*arguments, "--cluster", CLUSTER, code=code)
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)

    def test_exit_codes_are_for_pipelines(self):
        run("plan", "-f", WEB, "--cluster", CLUSTER, code=1)
        run("what-if", "--add-nodes", 2, "--like", "node-1", "-f", WEB, "--cluster", CLUSTER, code=0)
        run("plan", "-f", WEB, "--cluster", "/nowhere.yaml", code=2)
        with tempfile.TemporaryDirectory() as folder:
            urgent = pathlib.Path(folder, "urgent.yaml")
            urgent.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [
                {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 10},
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "urgent"}, "spec": {
                    "priorityClassName": "high", "nodeSelector": {"topology.kubernetes.io/zone": "eu-1a"},
                    "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1800m"}}}]}}]}), encoding="utf-8")
            self.assertIn("evicts default/cache (priority 0) from node-1 for default/urgent", run("plan", "-f", urgent, "--cluster", CLUSTER, code=3))

    def test_changes_of_nodes(self):
        base = ["what-if", "-f", WEB, "--cluster", CLUSTER, "-o", "json"]
        for flags, nodes in ((["--taint", "node-3:team:NoSchedule-"], {"node-1", "node-2", "node-3"}),
                             (["--cordon", "topology.kubernetes.io/zone=eu-1a"], {"node-2"}),
                             (["--remove-nodes", "node-1"], {"node-2"})):
            answer = json.loads(run(*base, *flags, code=0 if len(nodes) == 3 else 1))
            self.assertEqual({pod["node"] for pod in answer["pods"] if "node" in pod}, nodes, flags)
        self.assertIn("there is no node node-9", run(*base, "--cordon", "node-9", code=2))

    def test_capacity(self):
        answer = json.loads(run("capacity", "-f", WEB, "--cluster", CLUSTER, "-o", "json"))
        self.assertEqual(answer["count"], 3)
        self.assertEqual(answer["nodes"], [{"node": "node-1", "count": 1}, {"node": "node-2", "count": 2}])
        self.assertIn({"reason": "Insufficient cpu", "count": 2}, answer["ends"])

    def test_a_recording_at_a_moment(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "run.log")
            run("simulate", "-f", CLUSTER, "--record", log)
            answer = json.loads(run("plan", "-f", WEB, "--log", log, "-o", "json", code=1))
            self.assertEqual(sorted(pod.get("node", "") for pod in answer["pods"]), ["", "node-1", "node-2", "node-2"])
            self.assertTrue(answer["notKnown"])
            early = json.loads(run("plan", "-f", WEB, "--log", log, "--at", "1970-01-01T00:00:00Z", "-o", "json", code=1))
            self.assertLessEqual(len(early["pods"]), 4)

    def test_diff_of_two_configurations(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second, log = (pathlib.Path(folder, name) for name in ("first.yaml", "second.yaml", "run.log"))
            first.write_text(BALANCED, encoding="utf-8")
            second.write_text(PACKED, encoding="utf-8")
            web = pathlib.Path(folder, "web.yaml")
            web.write_text(WEB.read_text(encoding="utf-8").replace('cpu: "1"', "cpu: 200m"), encoding="utf-8")
            for source in (["--cluster", CLUSTER, "--cluster", web], ["--log", log]):
                if source[0] == "--log":
                    run("simulate", "-f", CLUSTER, "-f", web, "--record", log)
                run("diff", "--config", first, "--config", first, *source, code=0)
                answer = json.loads(run("diff", "--config", first, "--config", second, *source, "-o", "json", code=1))
                self.assertEqual(answer["first"]["placed"], answer["second"]["placed"])
                self.assertGreater(float(answer["second"]["spread"]), float(answer["first"]["spread"]))
                self.assertLessEqual(max(map(len, run("diff", "--config", first, "--config", second, *source, code=1).splitlines())), 80)


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
