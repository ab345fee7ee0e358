#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions to a running `berth up`: what is answered under /berth/v1/, and that it is what its OpenAPI document says.

    tests/up/foresight.py BERTH
"""
import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Up, until  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
ROOT = "/berth/v1/"
ROOT_FOLDER = pathlib.Path(__file__).resolve().parents[2]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def violations(value, schema, document, path="answer"):
    """Where a value is not what the schema says."""
    if "$ref" in schema:
        return violations(value, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], document, path)
    found = [v for part in schema.get("allOf", []) for v in violations(value, part, document, path)]
    kind = schema.get("type")
    if value is None and schema.get("nullable"):
        return found
    if kind and (not isinstance(value, TYPES[kind]) or isinstance(value, bool) != (kind == "boolean")):
        return found + [f"{path}: {value!r} is no {kind}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is none of {schema['enum']}")
    if kind == "array":
        for i, item in enumerate(value):
            found += violations(item, schema["items"], document, f"{path}[{i}]")
    if kind == "object":
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        found += [f"{path}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if name in known:
                found += violations(member, known[name], document, f"{path}.{name}")
            elif isinstance(others, dict):
                found += violations(member, others, document, f"{path}.{name}")
            elif not others:
                found.append(f"{path}: {name} is not described")
    return found


def check_validator(document):
    """It sees what is planted."""
    schema = {"$ref": "#/components/schemas/Score"}
    good = {"node": "n", "total": 1, "plugins": {"p": 1}}
    assert not violations(good, schema, document)
    for bad in ({**good, "total": "1"}, {**good, "more": 1}, {"node": "n", "total": 1}, {**good, "plugins": {"p": True}}):
        assert violations(bad, schema, document), bad


class Asker:
    """Asks, and compares every answer with the document."""

    def __init__(self, up):
        self.up = up
        self.document = json.loads(up.request("GET", ROOT + "openapi")[1])
        assert self.document["openapi"].startswith("3."), self.document["openapi"]

    def ask(self, path, template, status=200, method="GET", body=None, timeout=60):
        got, text = self.up.request(method, ROOT + path, body, timeout=timeout)
        assert got == status, f"{method} {path}: {got} {text[:1000]}"
        answer = json.loads(text)
        response = self.document["paths"][ROOT + template][method.lower()]["responses"][str(status)]
        if "$ref" in response:
            response = self.document["components"]["responses"][response["$ref"].rpartition("/")[2]]
        found = violations(answer, response["content"]["application/json"]["schema"], self.document)
        assert not found, f"{path}: {found[:5]}"
        return answer

    def post(self, kind, question, status=200):
        """The question, too, is what the document says, unless it is refused."""
        schema = self.document["paths"][ROOT + kind]["post"]["requestBody"]["content"]["application/json"]["schema"]
        found = violations(question, schema, self.document, "question")
        assert status != 200 or not found, f"{kind}: {found[:5]}"
        return self.ask(kind, kind, status, "POST", json.dumps(question))

    def explain(self, name, query="", status=200):
        return self.ask(f"explain/pods/default/{name}{query}", "explain/pods/{namespace}/{name}", status)

    def explain_if_known(self, name):
        """A pod that was just made is not known to the scheduler at once."""
        status, text = self.up.request("GET", f"{ROOT}explain/pods/default/{name}")
        assert status in (200, 404), f"{name}: {status} {text[:1000]}"
        return json.loads(text) if status == 200 else {"attempts": [], "queue": {"attempts": 0}}

    def was_tried(self, name):
        return bool(self.explain_if_known(name)["attempts"])


def pod(name, cpu, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "containers": [{"name": "a", "image": "a", "resources": {"requests": {"cpu": cpu}}}], **spec}}


def check_explanations(up, asker):
    up.send("POST", PODS, pod("large", "1000"))
    up.send("POST", PODS, pod("small", "100m"))
    until(lambda: up.get(PODS + "/small")["spec"].get("nodeName"), "small is bound")
    until(lambda: asker.was_tried("large"), "large was tried")

    large = asker.explain("large", "?nodes=true")
    assert large["queue"]["where"] in ("unschedulable", "backoff"), large["queue"]
    assert large["queue"]["waitsFor"] == ["NodeResourcesFit"], large["queue"]
    assert "NodeAdd" in [waker["event"] for waker in large["queue"]["wokenBy"]], large["queue"]
    [rejection] = large["attempts"][0]["rejections"]
    assert rejection["plugin"] == "NodeResourcesFit" and rejection["count"] == 3, rejection
    assert rejection["reasons"] == ["Insufficient cpu"], rejection
    assert [node["verdict"] for node in large["nodes"]] == ["rejected"] * 3, large["nodes"]
    condition = next(c for c in up.get(PODS + "/large")["status"]["conditions"] if c["type"] == "PodScheduled")
    assert condition["message"] == large["attempts"][0]["message"], condition

    small = asker.explain("small")
    attempt = small["attempts"][0]
    assert attempt["outcome"] == "scheduled" and attempt["node"] == small["pod"]["node"], small
    assert len(attempt["scores"]) == 3 and attempt["feasibleCount"] == 3, attempt
    for score in attempt["scores"]:
        assert sum(score["plugins"].values()) == score["total"], score
    other = next(score["node"] for score in attempt["scores"] if score["node"] != attempt["node"])
    why_not = asker.explain("small", f"?whyNot={other}")["whyNot"]
    assert why_not["verdict"] == "feasible" and why_not["chosenScore"] == attempt["scores"][0], why_not
    assert asker.explain("small", "?whyNot=nowhere")["whyNot"]["verdict"] == "unknown"
    asker.explain("nobody", status=404)
    text = up.request("GET", ROOT + "explain/pods/default/large?output=text")[1].decode()
    assert text.startswith("default/large ") and "3 nodes  NodeResourcesFit  Insufficient cpu" in text, text


def check_queue(up, asker):
    up.send("POST", PODS, pod("gated", "1", schedulingGates=[{"name": "a"}]))
    until(lambda: asker.ask("queue", "queue")["counts"]["gated"] == 1, "one pod is gated")
    queue = asker.ask("queue", "queue")
    assert sorted(row["name"] for row in queue["pods"]) == ["gated", "large"] and queue["total"] == 2, queue
    assert len(asker.ask("queue?limit=1", "queue")["pods"]) == 1
    asker.ask("queue?limit=0", "queue", 400)
    assert b"default/gated" in up.request("GET", ROOT + "queue?output=text")[1]
    assert up.request("POST", ROOT + "queue", "{}")[0] == 405
    assert up.request("GET", ROOT + "nothing")[0] == 404


def deployment(replicas, cpu, **spec):
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("", cpu, **spec)["spec"]}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}}


def check_plans(up, asker):
    """What is asked on a copy: one pod waits for a thousand cores, three nodes are nearly empty."""
    before = [up.get(path) for path in (PODS, "/api/v1/nodes", "/apis/apps/v1/namespaces/default/deployments")]
    plan = asker.post("plan", {"objects": [deployment(3, "1")]})
    assert [p["outcome"] for p in plan["pods"]] == ["placed"] * 3 and plan["unplaced"] == 0, plan
    assert {p["owner"] for p in plan["pods"]} == {"Deployment default/web"}, plan
    assert len({p["node"] for p in plan["pods"]}) == 3 and plan["notKnown"], plan
    waits = asker.post("plan", {"objects": [deployment(1, "999")]})
    assert waits["unplaced"] == 1 and "Insufficient cpu" in waits["pods"][0]["message"], waits
    node = up.items("/api/v1/nodes")[0]["metadata"]["name"]
    large = {"metadata": {"labels": {"pool": "large"}}, "status": {"allocatable": {"cpu": "2000", "memory": "1Ti", "pods": "10"}}}
    changed = asker.post("what-if", {"changes": [
        {"addNodes": {"node": large}}, {"addNodes": {"count": 2, "like": node, "labels": {"disk": "ssd", "old": None}}},
        {"cordon": {"names": [node]}}, {"taint": {"selector": "pool=large", "taints": [{"key": "a", "effect": "PreferNoSchedule"}]}},
        {"patch": {"kind": "Node", "name": node, "patch": {"metadata": {"labels": {"a": "b"}}}}},
        {"delete": {"kind": "Pod", "namespace": "default", "name": "small"}}]})
    assert {p["name"]: p["outcome"] for p in changed["pods"] if p.get("wasPending")} == {"large": "placed"}, changed
    room = asker.post("capacity", {"pods": [pod("one", "1")]})
    assert room["count"] > 3 and len(room["nodes"]) == 3 and not room["limited"], room
    assert {"reason": "Insufficient cpu", "count": 3} in room["ends"] or room["ends"], room
    mix = asker.post("capacity", {"pods": [pod("one", "1"), deployment(7, "2")], "limit": 2})
    assert mix["count"] == 2 and mix["limited"], mix
    for kind, question, status in (("plan", [], 400), ("plan", {"changes": [{"cordon": {"names": ["a"]}}]}, 400),
                                   ("what-if", {"changes": [{"cordon": {"names": ["nowhere"]}}]}, 404), ("capacity", {}, 400)):
        asker.post(kind, question, status)
    assert up.request("POST", ROOT + "plan", "{")[0] == 400
    assert up.request("GET", ROOT + "plan")[0] == 405
    after = [up.get(path) for path in (PODS, "/api/v1/nodes", "/apis/apps/v1/namespaces/default/deployments")]
    for listed in before + after:  # Nodes renew what they say of themselves.
        del listed["metadata"]["resourceVersion"]
    strip(before[1]), strip(after[1])
    assert before == after, "a question changed something"


def check_searches(up, asker):
    found = asker.ask("pods?q=default%2Fsm&limit=1", "pods")
    assert found["count"] == 1 and found["pods"][0]["node"] == found["nodes"][0]["node"], found
    for query in ("", "?q=+", "?q=a&limit=0", "?q=a&limit=1001", "?q=" + "w" * 1001):
        asker.ask("pods" + query, "pods", 400)
    node = asker.ask("nodes/" + found["pods"][0]["node"], "nodes/{name}")
    assert [(refusal["reason"], refusal["pods"]) for refusal in node["refused"]] == [("Insufficient cpu", 1)], node
    changed = asker.post("what-if", {"changes": [{"addNodes": {"like": node["node"]}}], "nodes": True})
    assert [state["name"] for state in changed["nodes"]] == ["added-1"] and changed["nodes"][0]["capacity"]["cpu"], changed


def check_counterfactuals(berth, up, asker):
    """What would help a pod is told, can be tried on a copy, and helps."""
    told = asker.post("counterfactuals", {"namespace": "default", "name": "large"})
    assert told["pod"] == "default/large" and not told["placedNow"], told
    kinds = {change["kind"]: change for change in told["changes"]}
    assert "lowerRequest" in kinds and told["changes"] == sorted(told["changes"], key=lambda change: change["size"]), told
    for change in told["changes"]:
        tried = asker.post("what-if", {"changes": [{"help": {"namespace": "default", "name": "large", "text": change["text"]}}]})
        placed = {p["name"]: p.get("node") for p in tried["pods"] if p.get("wasPending")}
        assert placed == {"large": change["node"]}, (change, tried)
    more = asker.post("what-if", {"changes": [{"addPods": {"count": 2, "like": "default/small"}}]})
    assert [(p["name"], p["outcome"]) for p in more["pods"]] == [("small-more-1", "placed"), ("small-more-2", "placed")], more
    asker.post("what-if", {"changes": [{"addPods": {"like": "default/nobody"}}]}, 404)
    gated = asker.post("counterfactuals", {"namespace": "default", "name": "gated"})
    assert gated["changes"][0]["text"] == "remove the scheduling gate a", gated
    for question, status in (({"namespace": "default", "name": "nobody"}, 404), ({"namespace": "default", "name": "small"}, 400),
                             ({"name": "large"}, 400), ({"namespace": "default", "name": "large", "more": 1}, 400)):
        asker.post("counterfactuals", question, status)
    configuration = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}}]"
    other = asker.post("what-if", {"changes": [{"configure": {"text": configuration}}]})
    assert [p["name"] for p in other["pods"] if p["outcome"] == "placed"] == ["large"], other
    asker.post("what-if", {"changes": [{"configure": {"text": "kind: Pod"}}]}, 400)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(configuration)
        file.flush()
        shown = subprocess.run([berth, "what-if", "--with-config", file.name, "--berth", up.url, "-o", "json"],
                               capture_output=True, text=True, timeout=60, check=False)
    assert json.loads(shown.stdout) == other, shown
    unhelpful = {"help": {"namespace": "default", "name": "large", "text": "hope"}}
    asker.post("what-if", {"changes": [unhelpful]}, 404)
    # Those that want the same are helped together.
    for i in range(3):
        up.send("POST", PODS, pod(f"picky-{i}", "100m", nodeSelector={"disk": "ssd"}))
    until(lambda: all(asker.was_tried(f"picky-{i}") for i in range(3)), "all of them were tried")
    help_all = {"namespace": "default", "name": "picky-0", "text": "drop the node selector disk=ssd", "alike": True}
    tried = asker.post("what-if", {"changes": [{"help": help_all}]})
    assert [p["name"] for p in tried["pods"] if p["outcome"] == "placed"] == ["picky-0", "picky-1", "picky-2"], tried
    for i in range(3):
        up.send("DELETE", f"{PODS}/picky-{i}?gracePeriodSeconds=0")

    def explain(*arguments):
        return subprocess.run([berth, "explain", "pod", *arguments, "--berth", up.url], capture_output=True, text=True, timeout=60, check=False)
    shown = explain("large")
    assert shown.returncode == 0 and f"- {kinds['lowerRequest']['text']} -> " in shown.stdout, shown
    assert json.loads(explain("large", "-o", "json").stdout)["counterfactuals"] == told
    assert "any one of these" not in explain("large", "--no-changes").stdout
    placed = explain("small")
    assert placed.returncode == 0 and not placed.stderr and "is on node" in placed.stdout, placed


def strip(nodes):
    for node in nodes["items"]:
        node["metadata"].pop("resourceVersion")
        node["metadata"].pop("managedFields", None)
        for condition in node["status"].get("conditions", []):
            condition.pop("lastHeartbeatTime", None)


def check_bounds(up):
    """Questions may be larger than objects, but not of any size."""
    padding = " " * (8 * 1024 * 1024 - 2)
    assert up.request("POST", ROOT + "plan", "{}" + padding, timeout=60)[0] == 200
    with contextlib.suppress(OSError):  # It is answered before everything was sent.
        assert up.request("POST", ROOT + "plan", "{}" + padding + " ")[0] == 413
    assert up.request("POST", PODS, "{}" + " " * 3 * 1024 * 1024)[0] == 413


def check_commands(berth, up):
    """The commands ask the running one."""
    def run(*arguments):
        return subprocess.run([berth, *arguments, "--berth", up.url], capture_output=True, text=True, timeout=60, check=False)

    web = ROOT_FOLDER / "examples/foresight/web.yaml"
    planned = run("plan", "-f", str(web))
    assert planned.returncode == 0 and "Deployment default/web: 4 of 4 placed" in planned.stdout, planned
    node = up.items("/api/v1/nodes")[0]["metadata"]["name"]
    changed = run("what-if", "--add-nodes", "1", "--like", node, "-o", "json")
    assert changed.returncode == 0 and json.loads(changed.stdout)["stillPending"] == 1, changed
    room = run("capacity", "-f", str(web), "-o", "yaml")
    assert room.returncode == 0 and "count: " in room.stdout, room
    missing = run("what-if", "--cordon", "nowhere")
    assert missing.returncode == 2 and "there is no node nowhere" in missing.stderr, missing


def check_nothing_is_left(up, asker):
    for name in ("large", "small", "gated"):
        up.send("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0")
    until(lambda: up.request("GET", ROOT + "explain/pods/default/large")[0] == 404, "large is gone")
    until(lambda: asker.ask("queue", "queue")["total"] == 0, "nobody waits")


def check_strangers(berth):
    """Web pages and whoever has no token are kept out."""
    with Up(berth, token="secret-of-this-test") as up:
        page = {"Origin": "https://example.org", "Sec-Fetch-Site": "cross-site"}
        assert up.request("GET", ROOT + "queue", headers=page)[0] == 403
        assert up.request("GET", ROOT + "queue", headers={"Authorization": "Bearer wrong"})[0] == 401
        assert up.request("GET", ROOT + "queue")[0] == 200
        assert up.request("POST", ROOT + "plan", "{}", {"Authorization": "Bearer wrong"})[0] == 401
        assert up.request("POST", ROOT + "plan", "{}")[0] == 200


def check_no_records(berth):
    with Up(berth, "--decision-records", "0") as up:
        up.send("POST", PODS, pod("large", "1000"))
        asker = Asker(up)
        until(lambda: asker.explain_if_known("large")["queue"]["attempts"], "large was tried")
        assert not asker.explain("large")["attempts"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth")
    arguments = parser.parse_args()
    with Up(arguments.berth) as up:
        asker = Asker(up)
        check_validator(asker.document)
        check_explanations(up, asker)
        check_queue(up, asker)
        check_plans(up, asker)
        check_searches(up, asker)
        check_counterfactuals(arguments.berth, up, asker)
        check_bounds(up)
        check_commands(arguments.berth, up)
        check_nothing_is_left(up, asker)
    check_strangers(arguments.berth)
    check_no_records(arguments.berth)
    print("foresight: all as it should be")


if __name__ == "__main__":
    main()
