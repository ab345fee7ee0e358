#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `berth simulate --timeline` on small inputs and looks at what comes out.

usage: timeline_test.py BERTH [unittest arguments]   (or set the environment variable BERTH)
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

BERTH = os.environ.get("BERTH", "")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLES = os.path.join(ROOT, "examples")


def node(name, cpu="4"):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}}


def spec(cpu="1", **fields):
    return {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}], **fields}


def pod(name, cpu="1", **fields):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec(cpu, **fields)}


class Timeline(unittest.TestCase):
    def run_berth(self, *arguments, cluster=None, timeline=None, code=0):
        with tempfile.TemporaryDirectory() as directory:
            paths = []
            for name, content in (("cluster.json", cluster), ("timeline.json", timeline)):
                if content is None:
                    continue
                paths.append(os.path.join(directory, name))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    json.dump(content, file)
            command = [BERTH, "simulate", *arguments]
            if cluster is not None:
                command += ["-f", paths[0], "--timeline", paths[1]]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def report(self, cluster, timeline, *arguments, code=0):
        done = self.run_berth("-o", "json", *arguments, cluster=cluster, timeline=timeline, code=code)
        return json.loads(done.stdout)

    def pods(self, report):
        return {entry["name"]: entry for entry in report["pods"]}

    def test_nodes_come_and_go(self):
        report = self.report([node("a")], {"events": [
            {"at": "0s", "create": [pod("p", "3"), pod("q", "3")]},
            {"at": "1m", "create": node("b")},
            {"at": "2m", "delete": {"kind": "Node", "name": "a"}}]})
        pods = self.pods(report)
        self.assertEqual(pods["p"]["state"], "lost")
        self.assertEqual((pods["q"]["node"], pods["q"]["state"]), ("b", "running"))
        self.assertGreaterEqual(pods["q"]["boundSeconds"], 60)
        self.assertLess(pods["q"]["boundSeconds"], 62)
        self.assertEqual(pods["q"]["attempts"], 2)

    def test_pod_without_place_is_named_with_its_message(self):
        timeline = {"events": [{"at": "5s", "create": pod("big", "9")}]}
        report = self.report([node("a")], timeline, code=1)
        self.assertEqual(report["summary"]["neverPlaced"], 1)
        self.assertIn("Insufficient cpu", self.pods(report)["big"]["message"])
        table = self.run_berth(cluster=[node("a")], timeline=timeline, code=1).stdout
        self.assertIn("NEVER PLACED\ndefault/big\n    0/1 nodes are available: 1 Insufficient cpu", table)

    def test_arrivals_wait_their_turn(self):
        report = self.report([node("a", "1")], {"arrivals": [
            {"from": "0s", "until": "10s", "every": "1s", "runs": "2s",
             "pod": {"metadata": {"generateName": "job-"}, "spec": spec("1")}}]})
        self.assertEqual(report["summary"]["states"], {"completed": 10})
        waiting = report["summary"]["waitingTime"]
        self.assertLess(waiting["p50Seconds"], waiting["p99Seconds"])
        self.assertGreater(waiting["maxSeconds"], 9)
        bound = sorted(entry["boundSeconds"] for entry in report["pods"])
        self.assertTrue(all(later - earlier >= 2 for earlier, later in zip(bound, bound[1:])), "one at a time")

    def test_preemption_has_its_grace_period(self):
        high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 5}
        report = self.report([node("a"), high], {
            "settings": {"evictionGracePeriod": "12s"},
            "events": [{"at": "0s", "create": pod("low", "4")},
                       {"at": "20s", "create": pod("high", "4", priorityClassName="high")}]})
        self.assertEqual([(e["victim"], e["preemptor"], e["cause"]) for e in report["evictions"]],
                         [("default/low", "default/high", "preemption")])
        pods = self.pods(report)
        self.assertGreaterEqual(pods["high"]["waitedSeconds"], 12)
        self.assertLess(pods["high"]["waitedSeconds"], 14)
        self.assertEqual(list(report["summary"]["waitingTimeByPriority"]), ["5", "0"])

    def test_volumes_are_provisioned_and_a_stateful_pod_comes_back(self):
        claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "disk",
                                                        "resources": {"requests": {"storage": "1Gi"}}}}
        database = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
                    "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "db"}},
                             "template": {"metadata": {"labels": {"app": "db"}}, "spec": spec("1")},
                             "volumeClaimTemplates": [claim]}}
        disk = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disk"},
                "provisioner": "csi.example.com", "volumeBindingMode": "WaitForFirstConsumer"}
        report = self.report([node("a"), disk], {"events": [
            {"at": "1s", "create": database},
            {"at": "1m", "delete": {"kind": "Pod", "name": "db-0"}}]})
        self.assertEqual([(entry["name"], entry["state"]) for entry in report["pods"]],
                         [("db-0", "deleted"), ("db-1", "running"), ("db-0", "running")])
        self.assertGreater(report["pods"][0]["waitedSeconds"], 0.02 - 1e-9, "the claim first, then the pod")
        self.assertGreaterEqual(report["pods"][2]["createdSeconds"], 90)

    def test_until_cuts_the_run(self):
        endless = {"arrivals": [{"every": "1s", "pod": {"metadata": {"generateName": "job-"}, "spec": spec("10m")}}]}
        report = self.report([node("a")], endless, "--until", "10s")
        self.assertEqual(report["summary"]["durationSeconds"], 10)
        self.assertEqual(report["summary"]["states"], {"running": 10, "binding": 1})
        done = self.run_berth(cluster=[node("a")], timeline=endless, code=2)
        self.assertIn("the arrivals of job- have no end", done.stderr)

    def test_bad_timeline_is_refused(self):
        done = self.run_berth(cluster=[node("a")], timeline={"events": [{"at": "1s", "drain": {"name": "z"}}]}, code=2)
        self.assertIn("timeline.json: events[0]: nodes \"z\" not found", done.stderr)
        done = self.run_berth("-f", "x", "--until", "1s", code=2)
        self.assertIn("--timeline", done.stderr)

    def test_entries_without_effect_are_refused(self):
        arrivals = {"every": "1s", "pod": {"metadata": {"generateName": "a-"}, "spec": spec()}}
        event = {"at": "1s"}
        for timeline, text in [
                ({"events": [{**event, "delete": {"kind": "Node", "name": "n"}, "runs": "1s"}]}, "runs: belongs to create"),
                ({"events": [{**event, "create": node("m"), "runs": "1s"}]}, "runs: has no effect without pods"),
                ({"events": [{**event, "delete": {"kind": "Node", "name": "n", "namespace": "x"}}]}, "a Node has none"),
                ({"events": [{**event, "delete": {"kind": "Nod", "name": "n"}}]}, "did you mean Node?"),
                ({"events": [{**event, "patch": {"kind": "Node", "name": "n", "patch": {}}}]}, "patch: changes nothing"),
                ({"events": [{**event, "patch": {"kind": "Node", "name": "n", "patch": {"spec": {"unschedulabel": True}}}}]},
                 "unknown field \"spec.unschedulabel\"; did you mean unschedulable?"),
                ({"events": [{**event, "create": pod("p", nodename="x")}]}, "did you mean nodeName?"),
                ({"arrivals": [{**arrivals, "from": "2s", "until": "1s"}]}, "until: must be later than from"),
        ]:
            with self.subTest(text=text):
                done = self.run_berth(cluster=[node("n")], timeline=timeline, code=2)
                self.assertIn(text, done.stderr)

    def test_the_plot_of_the_queue_is_weighted_by_time(self):
        timeline = {"settings": {"bindLatency": "10ms"}, "arrivals": [
            {"from": "0s", "until": "60s", "every": "2s", "runs": "1s",
             "pod": {"metadata": {"generateName": "a-"}, "spec": spec("10m")}}]}
        with tempfile.TemporaryDirectory() as directory:
            self.run_berth("--plots", directory, "--until", "60s", cluster=[node("n")], timeline=timeline)
            svg = ElementTree.parse(os.path.join(directory, "queue.svg"))
        # Points as x,y from the top: the highest value, a hundredth of a pod, hardly leaves the axis.
        heights = [float(y) for path in svg.iter("{http://www.w3.org/2000/svg}path") for y in re.findall(r"[V,]([0-9.]+)", path.get("d"))]
        self.assertTrue(heights)
        self.assertLess(max(heights) - min(heights), 5)

    def test_samples_add_up(self):
        report = self.report([node("a")], {"events": [
            {"at": "0s", "runs": "30s", "create": pod("p", "2")},
            {"at": "10s", "create": pod("q", "9")}]}, "--until", "1m", code=1)
        for sample in report["samples"]:
            parts = sample["active"] + sample["backoff"] + sample["unschedulable"] + sample["binding"]
            self.assertEqual(sample["pending"], parts)
        at = {sample["atSeconds"]: sample for sample in report["samples"]}
        self.assertEqual(at[1]["cpuRequestedMilli"], 2000)
        self.assertEqual((at[60]["cpuRequestedMilli"], at[60]["unschedulable"]), (0, 1))
        self.assertAlmostEqual(report["summary"]["meanCpuUtilization"], 0.25, delta=0.02)

    def example(self, *arguments):
        return self.run_berth("-f", os.path.join(EXAMPLES, "cluster.yaml"), "--timeline",
                              os.path.join(EXAMPLES, "timeline.yaml"), *arguments)

    def test_example_tells_its_story(self):
        report = json.loads(self.example("-o", "json").stdout)
        causes = {eviction["cause"] for eviction in report["evictions"]}
        self.assertEqual(causes, {"drain", "preemption"})
        self.assertGreater(report["summary"]["states"]["lost"], 0)
        self.assertIn("EVICTED", self.example().stdout)

    def test_same_input_gives_the_same_output(self):
        with tempfile.TemporaryDirectory() as directory:
            outputs = []
            for run in ("1", "2"):
                plots, log = os.path.join(directory, run), os.path.join(directory, run + ".log")
                output = [self.example("-o", "yaml", "--seed", "3", "--plots", plots, "--record", log).stdout.encode()]
                for path in [log] + [os.path.join(plots, name) for name in sorted(os.listdir(plots))]:
                    with open(path, "rb") as file:
                        output.append(file.read())
                outputs.append(output)
            self.assertEqual(len(outputs[0]), 5)
            self.assertTrue(outputs[0] == outputs[1], "two runs differ")
            self.assertNotEqual(self.example("-o", "yaml", "--seed", "4").stdout.encode(), outputs[0][0])

    def test_recorded_run_can_be_replayed(self):
        with tempfile.TemporaryDirectory() as directory:
            log = os.path.join(directory, "run.log")
            self.example("--record", log)
            with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
                command, shown = re.search(r"berth (replay run\.log .*)\n    \.\.\.\n((?:    .*\n)+)", file.read()).groups()
            arguments = [log if word == "run.log" else word for word in command.split()]
            done = subprocess.run([BERTH, *arguments], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue(done.stdout.endswith(re.sub(r"(?m)^    ", "", shown)), done.stdout)
            done = subprocess.run([BERTH, "replay", log], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_plots_are_svg_without_scripts(self):
        with tempfile.TemporaryDirectory() as directory:
            self.example("--plots", directory)
            self.assertEqual(sorted(os.listdir(directory)), ["queue.svg", "utilization.svg", "waiting-time.svg"])
            for name in os.listdir(directory):
                tree = ElementTree.parse(os.path.join(directory, name)).getroot()
                self.assertTrue(tree.tag.endswith("svg"))
                self.assertFalse([each for each in tree.iter() if each.tag.endswith("script")])

    def test_timelines_in_the_documentation_run(self):
        with open(os.path.join(ROOT, "docs", "simulate.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```yaml\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            with self.subTest(block=block), tempfile.TemporaryDirectory(dir=EXAMPLES) as directory:
                path = os.path.join(directory, "timeline.yaml")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(block.replace("file: pods/", "file: ../pods/"))
                self.run_berth("-f", os.path.join(EXAMPLES, "cluster.yaml"), "--timeline", path)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BERTH = sys.argv.pop(1)
    unittest.main()
