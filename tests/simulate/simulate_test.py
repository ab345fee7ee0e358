#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `berth simulate` on small inputs and looks at what comes out.

usage: simulate_test.py BERTH [unittest arguments]   (or set the environment variable BERTH)
"""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

BERTH = os.environ.get("BERTH", "")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def node(name, cpu="4", memory="8Gi", labels=None, taints=None, pods="110", **allocatable):
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels or {}},
        "spec": {"taints": taints or []},
        "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": pods, **allocatable}},
    }


def spec(cpu="1", **fields):
    return {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}], **fields}


def pod(name, cpu="1", owner=None, labels=None, **fields):
    metadata = {"name": name, "labels": labels or {}}
    if owner:
        api_version, kind, owner_name = owner
        metadata["ownerReferences"] = [
            {"apiVersion": api_version, "kind": kind, "name": owner_name, "uid": "u", "controller": True}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec(cpu, **fields)}


def workload(kind, name, replicas=1, pod_spec=None, api_version="apps/v1", **fields):
    labels = {"app": name}
    if kind not in ("DaemonSet", "Job"):
        fields = {"replicas": replicas, **fields}
    return {
        "apiVersion": api_version, "kind": kind, "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": dict(labels)},
                 "template": {"metadata": {"labels": labels}, "spec": pod_spec or spec()}, **fields},
    }


def priority_class(name, value, **fields):
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
            "value": value, **fields}


def storage_class(name, mode=None, provisioner="csi.example.com"):
    made = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": provisioner}
    if mode:
        made["volumeBindingMode"] = mode
    return made


def claim(name, storage_class_name, size="1Gi"):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": storage_class_name,
                     "resources": {"requests": {"storage": size}}}}


def claim_volume(name):
    return [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]


def run(*arguments, stdin=""):
    return subprocess.run([BERTH, *arguments], input=stdin, capture_output=True, text=True, timeout=120)


def simulate_text(text, *arguments):
    return run("simulate", "-f", "-", *arguments, stdin=text)


def simulate(objects, *arguments):
    return simulate_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), *arguments)


class Extender(http.server.HTTPServer):
    """Lets pods go to the node b only."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Extender.Handler)
        self.asked = []
        self.thread = threading.Thread(target=self.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            arguments = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.server.asked.append(self.path)
            nodes = [each for each in arguments["Nodes"]["items"] if each["metadata"]["name"] == "b"]
            body = json.dumps({"Nodes": {"items": nodes}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass


class SimulateTest(unittest.TestCase):
    def report(self, objects, *arguments, code=None):
        done = simulate(objects, "-o", "json", *arguments)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout)
        return json.loads(done.stdout)

    def nodes_of(self, objects, *arguments):
        return {p["name"]: p.get("node") for p in self.report(objects, *arguments)["pods"]}

    def refused(self, text, *expected):
        done = simulate_text(text)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertLess(len(done.stderr), 10000)
        for part in expected:
            self.assertIn(part, done.stderr)


class ExitCodes(SimulateTest):
    def test_zero_when_everything_fits(self):
        self.assertEqual(simulate([node("n1"), pod("p")]).returncode, 0)

    def test_one_when_something_does_not(self):
        done = simulate([node("n1"), pod("p", cpu="5")])
        self.assertEqual(done.returncode, 1)
        self.assertIn("0/1 nodes are available: 1 Insufficient cpu.", done.stdout)

    def test_two_for_bad_usage(self):
        for arguments in (["simulate"], ["nonsense"], ["simulate", "-f", "-", "-o", "xml"], [],
                          ["simulate", "-f", "/does/not/exist"],
                          ["simulate", "-f", "-", "--feature-gates", "NoSuchGate=true"],
                          ["simulate", "-f", "-", "--feature-gates", "AllBeta"]):
            self.assertEqual(run(*arguments).returncode, 2, arguments)

    def test_help_and_version(self):
        for arguments in (["--help"], ["simulate", "--help"], ["version"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertIn("erth", done.stdout)

    def test_empty_cluster(self):
        done = simulate([pod("p")])
        self.assertEqual(done.returncode, 1)
        self.assertIn("no nodes available to schedule pods", done.stdout)


class BadInput(SimulateTest):
    def test_malformed_documents(self):
        self.refused("kind: Pod\n  bad: [", "standard input:2:")
        self.refused("{\"kind\": ", "standard input")
        self.refused("just text\n", "standard input")
        self.refused("apiVersion: v1\nmetadata: {name: x}\n", "kind is missing")
        self.refused("kind: Pod\nmetadata: {name: x}\n", "apiVersion is missing")

    def test_wrong_types_name_the_field(self):
        bad = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: nope\n"
        self.refused(bad, "standard input:5:", "Pod", "spec.containers")
        bad = json.dumps(pod("p", cpu="lots"))
        self.refused(bad, "spec.containers[0].resources.requests.cpu")

    def test_unknown_enum_values(self):
        toleration = pod("p", tolerations=[{"key": "a", "operator": "Maybe"}])
        self.refused(json.dumps(toleration), "spec.tolerations[0].operator", "\"Maybe\"", "Exists")
        self.refused(json.dumps(priority_class("c", 1, preemptionPolicy="Sometimes")), "preemptionPolicy: Unsupported value")
        self.refused(json.dumps(node("n", taints=[{"key": "a", "effect": "Nope"}])), "taints[0].effect: Unsupported value")
        self.refused(json.dumps(storage_class("s", "Later")), "volumeBindingMode")
        spread = [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Explode"}]
        self.refused(json.dumps(pod("p", topologySpreadConstraints=spread)), "whenUnsatisfiable")
        bad_template = workload("Deployment", "d", pod_spec=spec(tolerations=[{"operator": "Equal"}]))
        self.refused(json.dumps(bad_template), "spec.template.spec.tolerations[0].operator")

    def test_negative_quantities(self):
        self.refused(json.dumps(pod("p", cpu="-1")), "spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\"")
        self.refused(json.dumps(node("n", memory="-1Gi")), "status.allocatable.memory: Invalid value: \"-1Gi\"")
        self.refused(json.dumps(workload("Deployment", "d", replicas=-1)), "spec.replicas: Invalid value: -1")

    def test_huge_quantities(self):
        done = simulate([node("n", cpu="1e100"), pod("p", cpu="1e18"), pod("q", cpu="9223372036854775807")])
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_duplicates_name_both_places(self):
        text = "---\n".join(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {json.dumps(spec())}\n"
                            for _ in range(2))
        self.refused(text, "standard input:6: Pod default/p is already in the input, at standard input:1")

    def test_missing_references(self):
        self.refused(json.dumps(pod("p", priorityClassName="vip")), "no PriorityClass with name vip was found")
        report = self.report([node("n"), pod("p", volumes=claim_volume("nope"))], code=1)
        self.assertIn('persistentvolumeclaim "nope" not found', report["pods"][0]["message"])

    def test_selector_that_misses_the_template(self):
        bad = workload("Deployment", "d")
        bad["spec"]["selector"]["matchLabels"]["app"] = "other"
        self.refused(json.dumps(bad), "`selector` does not match template `labels`")

    def test_all_errors_are_reported_together(self):
        text = json.dumps([pod("a", cpu="-1"), pod("b", dnsPolicy="x"), pod("c")])
        self.refused(text, "default/a", "default/b")

    def test_long_strings(self):
        self.refused(json.dumps(pod("x" * 1_000_000)), "xxx...: metadata.name: ")
        big = pod("p")
        big["metadata"]["annotations"] = {"a": "y" * 200_000}
        self.assertEqual(simulate([node("n"), big]).returncode, 0)
        big["metadata"]["annotations"] = {"a": "y" * 1_000_000}
        self.refused(json.dumps(big), "metadata.annotations: Too long")

    def test_many_containers_and_labels(self):
        many = pod("p")
        many["spec"]["containers"] = [
            {"name": f"c{i}", "image": "i", "resources": {"requests": {"cpu": "1m"}}} for i in range(1000)]
        labels = {f"label-{i}": str(i) for i in range(10_000)}
        report = self.report([node("n", labels=labels), many], code=0)
        self.assertEqual(report["nodes"][0]["cpuMilli"]["requested"], 1000)

    def test_custom_resources_are_skipped(self):
        other = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}
        done = simulate([node("n"), other, other])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 Widget", done.stderr)

    def test_misspelt_words_are_errors_with_line_and_the_likely_word(self):
        text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n" \
               "      containers:\n      - name: c\n        resources:\n          request: {cpu: 1}\n"
        self.refused(text, "standard input:10: Deployment web: unknown field "
                     "\"spec.template.spec.containers[0].resources.request\"; did you mean requests?")
        self.refused(text.replace("apps/v1", "apps/v7").replace("request:", "requests:"),
                     "standard input:1: Deployment web: there is no Deployment in apps/v7; did you mean apps/v1?")
        self.refused(text.replace("kind: Deployment", "kind: Deploymnet"), "standard input:2:", "did you mean Deployment?")
        self.refused(json.dumps(pod("p", tolerations=[{"key": "a", "opeartor": "Exists"}]), indent=1),
                     "standard input:23: Pod p: unknown field \"spec.tolerations[0].opeartor\"; did you mean operator?")
        self.refused("kind: Pod\n", "apiVersion is missing; a Pod is of v1")

    def test_dumps_may_have_fields_of_another_version(self):
        dumped = pod("p", someNewField={"a": [1]}, otherField=1)
        dumped["metadata"]["uid"] = "u"
        done = simulate([node("n"), dumped])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: left out what Kubernetes v1.37 does not know: standard input:1: Pod p: unknown field "
                      "\"spec.someNewField\"; and 1 more\n", done.stderr)
        text = json.dumps({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""},
                           "items": [node("n"), pod("p", someNewField=1)]})
        self.assertEqual(simulate_text(text).returncode, 0)

    def test_annotations_that_make_no_sense(self):
        strange = pod("p")
        strange["metadata"]["annotations"] = {"berth.dev/complete-after": "soon"}
        self.refused(json.dumps(strange), "annotation berth.dev/complete-after: \"soon\": time: invalid duration")
        strange = workload("Deployment", "d")
        strange["spec"]["template"]["metadata"]["annotations"] = {"berth.dev/complete-aftr": "1s"}
        self.refused(json.dumps(strange), "there is no such annotation; did you mean berth.dev/complete-after?")

    def test_flags_without_effect(self):
        for flags, text in [(["--top", "3"], "--top requires --explain"), (["--summary", "-o", "json"], "--output excludes --summary"),
                            (["--plots", "x"], "--plots requires --timeline"),
                            (["--timeline", "x", "--explain"], "--explain excludes --timeline")]:
            with self.subTest(flags=flags):
                done = run("simulate", "-f", "-", *flags)
                self.assertEqual(done.returncode, 2)
                self.assertIn(text, done.stderr)

    def test_addresses_and_files_that_are_not_there(self):
        done = run("simulate", "-f", "https://example.com/pods.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("https://example.com/pods.yaml: addresses are not read; download it first", done.stderr)
        for flag in ("--config", "--timeline"):
            done = run("simulate", "-f", os.path.join(EXAMPLES, "cluster.yaml"), flag, "/nonexistent")
            self.assertEqual(done.returncode, 2)
            self.assertIn("open /nonexistent: no such file or directory", done.stderr)


class Report(SimulateTest):
    def test_cordoned_and_tainted_nodes_are_marked(self):
        cordoned = node("a")
        cordoned["spec"]["unschedulable"] = True
        tainted = node("b", taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}])
        table = simulate([cordoned, tainted, node("c")]).stdout
        self.assertRegex(table, r"(?m)^a .* cordoned$")
        self.assertRegex(table, r"(?m)^b .* taint gpu=yes:NoSchedule$")
        self.assertRegex(table, r"(?m)^c .*%$")
        self.assertNotIn("NOTE", simulate([node("c")]).stdout.split("\nNODE")[1])

    def test_the_summary_has_no_tables(self):
        done = simulate([node("n"), pod("p"), pod("large", cpu="100")], "--summary")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("DOES NOT FIT\ndefault/large\n"), done.stdout)
        self.assertTrue(done.stdout.endswith("\n1 of 2 pods placed, 1 do not fit\n"))
        self.assertEqual(simulate([node("n"), pod("p")], "--summary").stdout, "1 of 1 pods placed\n")


class Input(SimulateTest):
    def test_directories_files_and_several_documents(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "sub"))
            for name, objects in {"b.json": [pod("b")], "a.yaml": [node("n"), pod("a")], "sub/c.yml": [pod("c")],
                                  "notes.txt": []}.items():
                with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                    file.write("\n---\n".join(json.dumps(o) for o in objects))
            done = run("simulate", "-f", directory, "-o", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([p["name"] for p in json.loads(done.stdout)["pods"]], ["a", "b", "c"])

    def test_typed_lists_as_kubectl_prints_them(self):
        items = [{"metadata": p["metadata"], "spec": p["spec"]} for p in (pod("a"), pod("b"))]
        pods = {"apiVersion": "v1", "kind": "PodList", "items": items}
        self.assertEqual(self.nodes_of([node("n"), pods]), {"a": "n", "b": "n"})

    def test_running_pods_count(self):
        report = self.report([node("n", cpu="2"), pod("old", cpu="2", nodeName="n"), pod("new")], code=1)
        self.assertEqual([p["outcome"] for p in report["pods"]], ["running", "unschedulable"])

    def test_same_input_gives_the_same_bytes(self):
        objects = [node(f"n{i}") for i in range(20)] + [workload("Deployment", "d", replicas=50, pod_spec=spec("100m"))]
        for arguments in ([], ["--seed", "7"], ["--seed", "7", "--explain"], ["-o", "json"], ["-o", "yaml"]):
            first, second = (simulate(objects, *arguments) for _ in range(2))
            self.assertEqual((first.stdout, first.stderr), (second.stdout, second.stderr))
        self.assertNotEqual(simulate(objects, "--seed", "1").stdout, simulate(objects, "--seed", "2").stdout)


class Defaults(SimulateTest):
    def test_requests_come_from_limits(self):
        limited = pod("p")
        limited["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "3"}}
        report = self.report([node("n"), limited])
        self.assertEqual(report["nodes"][0]["cpuMilli"]["requested"], 3000)

    def test_host_network_ports_are_host_ports(self):
        pods = [pod("a", hostNetwork=True), pod("b", hostNetwork=True)]
        for p in pods:
            p["spec"]["containers"][0]["ports"] = [{"containerPort": 80}]
        report = self.report([node("n"), *pods], code=1)
        self.assertIn("didn't have free ports", report["pods"][1]["message"])

    def test_priority_classes(self):
        classes = [priority_class("high", 10), priority_class("usual", 5, globalDefault=True)]
        pods = [pod("none"), pod("high", priorityClassName="high"),
                pod("system", priorityClassName="system-node-critical")]
        report = self.report([node("n"), *classes, *pods])
        self.assertEqual({p["name"]: p["priority"] for p in report["pods"]},
                         {"none": 5, "high": 10, "system": 2000001000})

    def test_higher_priority_goes_first(self):
        pods = [pod("low", cpu="4"), pod("high", cpu="4", priorityClassName="high")]
        report = self.report([node("n"), priority_class("high", 10), *pods], code=1)
        self.assertEqual([p["outcome"] for p in report["pods"]], ["unschedulable", "scheduled"])
        self.assertEqual(report["evictions"], [])

    def test_capacity_stands_in_for_allocatable(self):
        bare = node("n")
        bare["status"] = {"capacity": bare["status"]["allocatable"]}
        self.assertEqual(self.nodes_of([bare, pod("p")]), {"p": "n"})


class Expansion(SimulateTest):
    def test_deployment_spreads_by_default(self):
        nodes = [node(f"n{i}", labels={"topology.kubernetes.io/zone": f"z{i}"}) for i in range(3)]
        placed = self.nodes_of([*nodes, workload("Deployment", "d", replicas=3)])
        self.assertEqual(sorted(placed.values()), ["n0", "n1", "n2"])

    def test_only_missing_pods_are_made(self):
        replica_set = workload("ReplicaSet", "d-abc", replicas=3)
        replica_set["metadata"]["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "x", "controller": True}]
        replica_set["metadata"]["labels"] = {"app": "d-abc"}
        old = pod("d-abc-1", owner=("apps/v1", "ReplicaSet", "d-abc"), labels={"app": "d-abc"}, nodeName="n")
        deployment = workload("Deployment", "d", replicas=3)
        deployment["spec"]["selector"]["matchLabels"] = {"app": "d-abc"}
        deployment["spec"]["template"]["metadata"]["labels"] = {"app": "d-abc"}
        report = self.report([node("n"), deployment, replica_set, old])
        self.assertEqual(report["pods"][0]["name"], "d-abc-1")
        self.assertEqual([p["name"][:6] for p in report["pods"]], ["d-abc-"] * 3)

    def test_stateful_set_makes_claims(self):
        template = claim("data", "wait")
        stateful = workload("StatefulSet", "db", replicas=2, volumeClaimTemplates=[template])
        report = self.report([node("n"), storage_class("wait", "WaitForFirstConsumer"), stateful], code=0)
        self.assertEqual([p["name"] for p in report["pods"]], ["db-0", "db-1"])
        self.assertEqual([p["volumes"][0]["claim"] for p in report["pods"]],
                         ["default/data-db-0", "default/data-db-1"])

    def test_daemon_set_runs_on_eligible_nodes(self):
        nodes = [node("plain"), node("tainted", taints=[{"key": "x", "effect": "NoSchedule"}]),
                 node("cordoned", taints=[{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}])]
        nodes[2]["spec"]["unschedulable"] = True
        placed = self.nodes_of([*nodes, workload("DaemonSet", "agent")])
        self.assertEqual(sorted(placed.values()), ["cordoned", "plain"])

    def test_jobs(self):
        job = workload("Job", "j", api_version="batch/v1", pod_spec=spec(restartPolicy="Never"), parallelism=3,
                       completions=5, manualSelector=True)
        done = pod("j-old", owner=("batch/v1", "Job", "j"), labels={"app": "j"})
        done["metadata"]["finalizers"] = ["batch.kubernetes.io/job-tracking"]  # It was not counted yet.
        done["status"] = {"phase": "Succeeded"}
        self.assertEqual(len(self.nodes_of([node("n"), job])), 3)
        job["spec"]["completions"] = 2
        self.assertEqual(len(self.nodes_of([node("n"), job, done])), 1)
        job["spec"]["suspend"] = True
        self.assertEqual(len(self.nodes_of([node("n"), job])), 0)

    def test_cron_jobs_are_ignored_with_a_note(self):
        cron = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"}, "spec": {}}
        done = simulate([node("n"), cron])
        self.assertEqual(done.returncode, 0)
        self.assertIn("CronJob", done.stderr)


class Preemption(SimulateTest):
    classes = [priority_class("high", 1000), priority_class("low", -1)]

    def test_bare_victims_are_gone(self):
        report = self.report([node("n", cpu="2"), *self.classes, pod("old", cpu="2", nodeName="n"),
                              pod("vip", cpu="2", priorityClassName="high")], code=0)
        self.assertEqual([(p["name"], p["outcome"]) for p in report["pods"]],
                         [("old", "evicted"), ("vip", "scheduled")])
        self.assertNotIn("replacement", report["evictions"][0])

    def test_owned_victims_come_back(self):
        old = pod("rs-1", cpu="2", owner=("apps/v1", "ReplicaSet", "rs"), labels={"app": "rs"}, nodeName="n1")
        owner = workload("ReplicaSet", "rs", pod_spec=spec("2"))
        vip = pod("vip", cpu="2", priorityClassName="high")
        report = self.report([node("n1", cpu="2"), *self.classes, owner, old, vip], code=1)
        self.assertEqual([(p["name"][:3], p["outcome"]) for p in report["pods"]],
                         [("rs-", "evicted"), ("vip", "scheduled"), ("rs-", "unschedulable")])
        self.assertEqual(report["pods"][2]["replaces"], "default/rs-1")
        self.assertEqual(report["evictions"][0]["replacement"], "default/" + report["pods"][2]["name"])

    def test_nobody_replaces_pods_whose_owner_is_not_in_the_input(self):
        old = pod("rs-1", cpu="2", owner=("apps/v1", "ReplicaSet", "rs"), nodeName="n1")
        objects = [node("n1", cpu="2"), *self.classes, old, pod("vip", cpu="2", priorityClassName="high")]
        report = self.report(objects, code=0)
        self.assertEqual([(p["name"], p["outcome"]) for p in report["pods"]],
                         [("rs-1", "evicted"), ("vip", "scheduled")])
        self.assertIn("ReplicaSet default/rs makes no other", simulate(objects).stdout)

    def test_cascades_end(self):
        names = [f"c{i}" for i in range(10)]
        classes = [priority_class(name, i) for i, name in enumerate(names)]
        running = []
        for i, name in enumerate(names):
            running.append(workload("ReplicaSet", f"rs-{name}", pod_spec=spec("2", priorityClassName=name)))
            running.append(pod(f"s-{name}", cpu="2", owner=("apps/v1", "ReplicaSet", f"rs-{name}"),
                               labels={"app": f"rs-{name}"}, nodeName=f"n{i}", priorityClassName=name))
        nodes = [node(f"n{i}", cpu="2") for i in range(10)]
        pending = [pod(f"p{i}", cpu="2", priorityClassName="c9") for i in range(5)]
        report = self.report([*nodes, *classes, *running, *pending], code=1)
        self.assertEqual(report["summary"]["unschedulable"], 5)
        self.assertTrue(all(p["priority"] < 9 for p in report["pods"] if p["outcome"] == "unschedulable"))

    def test_policy_never(self):
        report = self.report([node("n", cpu="2"), priority_class("polite", 9, preemptionPolicy="Never"),
                              pod("old", cpu="2", nodeName="n"), pod("vip", cpu="2", priorityClassName="polite")], code=1)
        self.assertIn("preemptionPolicy=Never", report["pods"][1]["message"])

    def test_later_pods_may_help_earlier_ones(self):
        affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "leader"}}}]}}
        report = self.report([node("n"), pod("follower", affinity=affinity), pod("leader", labels={"app": "leader"})],
                             code=0)
        self.assertEqual(report["pods"][0]["attempts"], 2)


class Volumes(SimulateTest):
    def test_immediate_claims_are_provisioned(self):
        done = simulate([node("n"), storage_class("now"), claim("c", "now"), pod("p", volumes=claim_volume("c"))])
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_immediate_claims_without_a_volume_keep_pods_waiting(self):
        report = self.report([node("n"), storage_class("none", provisioner="kubernetes.io/no-provisioner"),
                              claim("c", "none"), pod("p", volumes=claim_volume("c"))], code=1)
        self.assertIn("unbound immediate PersistentVolumeClaims", report["pods"][0]["message"])

    def test_delayed_claims_take_a_local_volume(self):
        volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"},
                  "spec": {"capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOnce"],
                           "storageClassName": "local", "local": {"path": "/x"},
                           "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                               {"key": "kubernetes.io/hostname", "operator": "In", "values": ["n2"]}]}]}}}}
        local = storage_class("local", "WaitForFirstConsumer", "kubernetes.io/no-provisioner")
        report = self.report([node("n1"), node("n2"), local, volume, claim("c", "local"),
                              pod("p", volumes=claim_volume("c"))], code=0)
        self.assertEqual(report["pods"][0]["node"], "n2")
        self.assertEqual(report["pods"][0]["volumes"],
                         [{"claim": "default/c", "volume": "disk", "provisioned": False}])

    def test_ephemeral_volumes(self):
        template = {"spec": claim("", "wait")["spec"]}
        volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}]
        report = self.report([node("n"), storage_class("wait", "WaitForFirstConsumer"), pod("p", volumes=volumes)],
                             code=0)
        self.assertEqual(report["pods"][0]["volumes"][0]["claim"], "default/p-scratch")


class Explain(SimulateTest):
    def test_reasons_scores_and_ties(self):
        nodes = [node("a"), node("b"), node("t", taints=[{"key": "x", "effect": "NoSchedule"}])]
        report = self.report([*nodes, pod("p")], "--explain")
        explanation = report["pods"][0]["explanations"][0]
        self.assertEqual(explanation["tied"], ["a", "b"])
        self.assertEqual(explanation["rejections"][0]["plugin"], "TaintToleration")
        self.assertEqual(explanation["rejections"][0]["nodes"], ["t"])
        self.assertEqual(len(explanation["scores"]), 2)
        for score in explanation["scores"]:
            self.assertEqual(score["total"], sum(score["plugins"].values()))
        text = simulate([*nodes, pod("p")], "--explain", "--top", "1").stdout
        self.assertIn("equally good: a and 1 more", text)
        self.assertIn("NodeResourcesFit", text)

    def test_extenders_are_called_only_if_that_is_asked_for(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                         "extenders: [{urlPrefix: 'http://127.0.0.1:1', filterVerb: filter}]\n")
            config.flush()
            done = simulate([node("n"), pod("p")], "--config", config.name)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("has extenders: --call-extenders calls them", done.stderr)
            with Extender() as extender, tempfile.TemporaryDirectory() as directory:
                config.seek(0)
                config.truncate()
                config.write("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                             f"extenders: [{{urlPrefix: 'http://127.0.0.1:{extender.server_port}', filterVerb: filter}}]\n")
                config.flush()
                log = os.path.join(directory, "run.log")
                report = self.report([node("a"), node("b"), pod("p")], "--config", config.name, "--call-extenders",
                                     "--record", log, code=0)
                self.assertEqual(report["pods"][0]["node"], "b")
                self.assertEqual(extender.asked, ["/filter"])
                self.assertEqual(run("replay", log).returncode, 0)
                self.assertEqual(extender.asked, ["/filter"], "their answers are in the recording")

    def test_preemption(self):
        report = self.report([node("n", cpu="2"), priority_class("high", 9), pod("old", cpu="2", nodeName="n"),
                              pod("vip", cpu="2", priorityClassName="high")], "--explain")
        candidates = report["pods"][1]["explanations"][0]["preemption"]["candidates"]
        self.assertEqual(candidates, [{"node": "n", "victims": ["default/old"], "pdbViolations": 0,
                                       "highestPriority": 0, "prioritySum": 0, "chosen": True}])


class Examples(SimulateTest):
    def test_they_tell_a_story(self):
        paths = ["-f", os.path.join(EXAMPLES, "cluster.yaml"), "-f", os.path.join(EXAMPLES, "pods")]
        config = ["--config", os.path.join(EXAMPLES, "scheduler.yaml")]
        spread = run("simulate", *paths)
        packed = run("simulate", *paths, *config)
        self.assertEqual(spread.returncode, 1, spread.stderr)
        self.assertEqual(packed.returncode, 1, packed.stderr)
        self.assertIn("EVICTED", spread.stdout)
        self.assertIn("Insufficient nvidia.com/gpu", spread.stdout)
        self.assertNotEqual(spread.stdout, packed.stdout)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        BERTH = sys.argv.pop(1)
    if not BERTH:
        sys.exit(__doc__)
    unittest.main()
