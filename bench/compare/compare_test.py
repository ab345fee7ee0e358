#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the arithmetic of the comparison: what is said of placements, ratios of runs, pictures, workloads."""
import pathlib
import sys
import unittest
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "live"), str(ROOT / "tests" / "up")]

import nodes  # noqa: E402
import operations  # noqa: E402
import plots  # noqa: E402
import quality  # noqa: E402
import report  # noqa: E402
from measurement import Result, together  # noqa: E402
from workloads import Workload, smallest  # noqa: E402


class Placed:
    """A server with four nodes of 4 processors in two zones, and pods of half a node on those that are named."""

    def __init__(self, *names):
        self.nodes = [{"metadata": {"name": name, "labels": {quality.ZONE: name[0]}}, "spec": {},
                       "status": {"allocatable": {"cpu": "4", "memory": "4Gi", "pods": "110"}, "images": [{"names": [name]}]}}
                      for name in ("a1", "a2", "b1", "b2")]
        self.pods = [{"metadata": {"namespace": "default"}, "spec": {"nodeName": name, "containers": [
            {"image": "a1", "resources": {"requests": {"cpu": "2000m", "memory": "1Gi"}}}]}} for name in names]

    def api(self, _, path):
        return {"items": self.nodes if path.endswith("nodes") else self.pods}


class Quality(unittest.TestCase):
    def test_even(self):
        found = quality.measure(Placed("a1", "a2", "b1", "b2"))
        self.assertEqual((found["used %"], found["spread %"], found["zone skew"], found["host skew"]), (50, 0, 0, 0))
        self.assertEqual((found["largest fit %"], found["quarters fit"], found["image hits %"]), (50, 8, 25))

    def test_crowded(self):
        found = quality.measure(Placed("a1", "a1", "a2"))
        self.assertEqual((found["zone skew"], found["host skew"], found["largest fit %"], found["quarters fit"]), (3, 2, 100, 10))
        self.assertAlmostEqual(found["spread %"], 41.457, 2)

    def test_quantities(self):
        self.assertEqual([quality.quantity(one) for one in ("100m", "2", "1Ki", "1.5Gi")], [0.1, 2, 1024, 1.5 * 2**30])


class Reports(unittest.TestCase):
    def test_ratios_are_those_of_the_run(self):
        ours, theirs = [{"x": 1}, {"x": 2}, {"x": 4}], [{"x": 10}, {"x": 10}, {"x": None}]
        self.assertEqual(report.ratios(ours, theirs, "x"), (7.5, 5, 10))
        self.assertIsNone(report.ratios(ours, theirs, "y"))

    def test_several_measurements_are_one(self):
        one = Result(pods=2, seconds=1, cpu=0.2, core_cpu=None, peak_mib=5, waited=[0.1, 0.3])
        figures = together([one, Result(pods=2, seconds=1, cpu=0.4, core_cpu=0.1, peak_mib=7, waited=[0.2])]).figures()
        self.assertEqual((figures["pods"], figures["pods/s"], figures["ms core/pod"], figures["peak MiB"]), (4, 2, None, 7))
        self.assertAlmostEqual(figures["ms CPU/pod"], 150)
        self.assertEqual((figures["p50 ms"], figures["p99 ms"]), (200, 300))

    def test_pictures_are_well_formed(self):
        everything = {"a < b": {"x": [{"pods/s": 10}, {"pods/s": 30}], "y": [{"pods/s": 4000}]}, "none": {"x": [], "y": []}}
        picture = ElementTree.fromstring(plots.plot("pods/s", everything))
        self.assertIn("a < b", "".join(picture.itertext()))
        widths = [float(one.get("width")) for one in picture.iter("{http://www.w3.org/2000/svg}rect") if one.get("width") not in ("10", "100%")]
        self.assertTrue(1 < widths[0] < widths[1] == plots.WIDTH)
        self.assertIsNone(plots.plot("peak MiB", everything))


class Reading(unittest.TestCase):
    def make(self, name="w", labels=(), **params):
        case = {"name": "c", "workloadTemplate": [{"opcode": "x", "a": "$a", "b": "$b|7", "c": ["$c|yes"]}], "featureGates": {"G": True}}
        return Workload(pathlib.Path("f/performance-config.yaml"), "f", case, {"name": name, "params": params, "labels": list(labels)})

    def test_parameters(self):
        self.assertEqual(self.make(a=3).operations(), [{"opcode": "x", "a": 3, "b": 7, "c": ["yes"]}])
        with self.assertRaises(ValueError):
            self.make(b=3).operations()

    def test_smallest(self):
        self.assertEqual([one.name for one in smallest([self.make("big"), self.make("small", ["integration-test"])])], ["c/small"])

    def test_nodes(self):
        made, others = nodes.make({"count": 3, "labelNodePrepareStrategy": {"labelKey": "z", "labelValues": ["0", "1"]}}, None, None, 5)
        self.assertEqual([(one["metadata"]["name"], one["metadata"]["labels"]["z"]) for one in made],
                         [("scheduler-perf-5", "0"), ("scheduler-perf-6", "1"), ("scheduler-perf-7", "0")])
        self.assertEqual(others, [])

    def test_seconds(self):
        self.assertEqual([operations.seconds(one) for one in ("10s", "500ms", "1m30s")], [10, 0.5, 90])


if __name__ == "__main__":
    unittest.main()
