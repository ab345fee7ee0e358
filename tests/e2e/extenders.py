# SPDX-License-Identifier: Apache-2.0
"""HTTP extenders: a server made with upstream's types (extender/main.go) that helps Berth, fails it, or lets it wait."""
import http.client
import json
import signal
import subprocess
import time

from cluster import ADMIN, HOST, ROOT, Repeated, Skip, encode, in_parallel, stop_proc, wait_for
from features import expect_bound
from witness import Witness

HERE = ROOT / "tests/e2e/extender"
PROGRAM = ROOT / "build/e2e/clients/extender"
RESOURCE = "example.com/thing"


class Extender:
    """The extender server. Behind each name it has an extender of its own (see Behaviour in main.go)."""

    def __init__(self, context, *arguments):
        self.log = context.folder / "extender.log"
        self.process = subprocess.Popen(
            [str(PROGRAM), "-api", context.cluster.url, "-token", ADMIN, *arguments], stdout=subprocess.PIPE,
            stderr=open(self.log, "w"), text=True, start_new_session=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address, self.log.read_text()
        context.closing(self)

    def url(self, name, scheme="http"):
        return f"{scheme}://{self.address}/{name}"

    def _control(self, method, name, body=None):
        connection = http.client.HTTPConnection(self.address, timeout=10)
        try:
            connection.request(method, f"/control/{name}", body)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            return json.loads(text) or []
        finally:
            connection.close()

    def behave(self, name, **behaviour):
        self._control("PUT", name, json.dumps(behaviour))

    def calls(self, name, verb=None, pod=None):
        return [c for c in self._control("GET", name) if verb in (None, c["verb"]) and pod in (None, c["pod"])]

    def close(self):
        stop_proc(self.process, signal.SIGKILL)
        self.process.stdout.close()


def build():
    try:
        subprocess.run(["go", "build", "-trimpath", "-o", str(PROGRAM), "."], cwd=HERE, check=True)
    except FileNotFoundError as error:
        raise Skip("no Go to build the extender with") from error


def start(context, *extenders, nodes=3, cpu=4):
    """An extender server, nodes, and a scheduler whose extenders are given by name and settings."""
    build()
    server = Extender(context)
    for i in range(nodes):
        context.cluster.create_node(f"node-{i}", cpu=cpu)
    settings = [{"urlPrefix": server.url(name), "filterVerb": "filter", **more} for name, more in extenders]
    running = context.scheduler(config={"extenders": settings}).start()
    return server, running


def failure(context, pod):
    """The text of the event that tells why a pod was not scheduled; its condition says the same."""
    event = wait_for(f"an event says why {pod} is not scheduled", lambda: context.cluster.events(pod, "FailedScheduling"))[-1]
    assert event["type"] == "Warning", event
    wait_for("the condition says so, too",
             lambda: context.cluster.condition(pod, "PodScheduled").get("message") in
             [e["note"] for e in context.cluster.events(pod, "FailedScheduling")])
    return event["note"]


def bound_pods(context):
    return [pod["metadata"]["name"] for pod in context.cluster.items("Pod") if pod["spec"].get("nodeName")]


def placements(context):
    """Filter and prioritize, with whole nodes and with their names; the scores of both add up."""
    server, scheduler = start(
        context, ("whole", {"prioritizeVerb": "prioritize", "weight": 1}),
        ("names", {"prioritizeVerb": "prioritize", "weight": 2, "nodeCacheCapable": True}), nodes=5)
    server.behave("whole", keep="node-[0-3]", message="not of this extender", scores={"node-1": 10, "node-2": 1})
    server.behave("names", keep="node-[1-4]", message="not of that extender", scores={"node-2": 10})
    for i in range(3):
        context.cluster.create_pod(f"pod-{i}")
    for i in range(3):
        expect_bound(context, f"pod-{i}", "node-2")
    calls = server.calls("whole", pod="pod-0")
    assert [c["verb"] for c in calls] == ["filter", "prioritize"] and all(c["whole"] for c in calls), calls
    assert sorted(calls[0]["nodes"]) == [f"node-{i}" for i in range(5)], calls
    calls = server.calls("names", pod="pod-0")
    assert [c["verb"] for c in calls] == ["filter", "prioritize"] and not any(c["whole"] for c in calls), calls
    assert sorted(calls[0]["nodes"]) == [f"node-{i}" for i in range(4)], calls
    assert sorted(calls[1]["nodes"]) == [f"node-{i}" for i in range(1, 4)], calls
    scheduler.check_cache()
    scheduler.stop()
    scheduler.replay()


def every_node_removed(context):
    """Why the extender wants no node stands in the event, and the pod goes somewhere once it does."""
    server, _ = start(context, ("picky", {}))
    server.behave("picky", keep="none", message="no room for things")
    context.cluster.create_pod("pod")
    note = failure(context, "pod")
    assert note.startswith("0/3 nodes are available: 3 no room for things."), note
    assert context.cluster.condition("pod", "PodScheduled")["reason"] == "Unschedulable"
    server.behave("picky")
    context.cluster.create_node("new")  # Something has to happen before a pod that no node suits is tried again.
    expect_bound(context, "pod")


def failures(context):
    """An extender that fails is named in the event; a pod that it failed is not lost. One that may fail does no harm."""
    server, scheduler = start(context, ("needed", {"httpTimeout": "1s"}))
    url = server.url("needed") + "/filter"
    kinds = {
        "status": ({"status": 500}, f"failed filter with extender at URL {url}, code 500"),
        "error": ({"error": "the thing store is down"}, "the thing store is down"),
        "timeout": ({"delayMs": 5000}, f'Post "{url}": context deadline exceeded'),
        "garbage": ({"garbage": "<html>sorry</html>"}, "invalid character '<' looking for beginning of value"),
        "cut-off": ({"garbage": '{"nodes": {"items": ['}, "unexpected EOF"),
        "wrong-type": ({"garbage": '{"nodenames": 7}'}, "json: cannot unmarshal number into Go struct field"),
    }
    for kind, (behaviour, text) in kinds.items():
        server.behave("needed", **behaviour)
        context.cluster.create_pod(kind)
        note = failure(context, kind)
        assert note.startswith(text), f"{kind}: {note}"
        assert context.cluster.condition(kind, "PodScheduled")["reason"] == "SchedulerError"
        server.behave("needed")
        expect_bound(context, kind)
    scheduler.stop()
    scheduler.replay()


def nobody_there(context):
    """An extender that does not listen."""
    server, _ = start(context, ("gone", {}))
    server.close()
    context.cluster.create_pod("pod")
    note = failure(context, "pod")
    assert note.startswith(f'Post "{server.url("gone")}/filter": dial tcp {server.address}: connect: connection refused'), note


def ignorable_failures(context):
    """What an ignorable extender does wrong delays nobody and shows nowhere."""
    server, _ = start(context, ("may-fail", {"httpTimeout": "500ms", "ignorable": True}))
    for name, behaviour in {"status": {"status": 503}, "slow": {"delayMs": 5000}, "garbage": {"garbage": "?"}}.items():
        server.behave("may-fail", **behaviour)
        context.cluster.create_pod(name)
        expect_bound(context, name)
        assert not context.cluster.events(name, "FailedScheduling")
    server.close()
    context.cluster.create_pod("nobody-there")
    expect_bound(context, "nobody-there")


def bind(context):
    """The extender binds; if it cannot, the pod is told so and tried again."""
    server, scheduler = start(context, ("binder", {"bindVerb": "bind"}))
    context.cluster.create_pod("first")
    expect_bound(context, "first")
    assert len(server.calls("binder", "bind", "first")) == 1
    event = wait_for("there is an event", lambda: context.cluster.events("first", "Scheduled"))[0]
    assert event["note"].startswith("Successfully assigned default/first to node-"), event["note"]
    server.behave("binder", verb="bind", error="the thing is in use")
    context.cluster.create_pod("second")
    note = failure(context, "second")
    assert note == "the thing is in use", note
    server.behave("binder")
    expect_bound(context, "second")
    users = {json.loads(line)["user"]["username"] for line in context.cluster.audit_log.read_text().splitlines()
             if json.loads(line)["objectRef"].get("name") in ("first", "second")}
    assert users == {"live-admin"}, f"bound by {users}"
    scheduler.check_cache()
    scheduler.stop()
    scheduler.replay()


def preemption(context):
    """The extender says on which nodes pods may be evicted, and the scheduler keeps to it."""
    cluster = context.cluster
    server, scheduler = start(context, ("arbiter", {"preemptVerb": "preempt", "nodeCacheCapable": True}))
    cluster.create("PriorityClass", metadata={"name": "high"}, value=1000)
    for i in range(3):
        cluster.create_pod(f"victim-{i}", cpu="4")
    for i in range(3):
        expect_bound(context, f"victim-{i}")
    server.behave("arbiter", victims="node-1")
    cluster.create_pod("urgent", cpu="4", priorityClassName="high")
    wait_for("a node is nominated", lambda: cluster.pod("urgent")["status"].get("nominatedNodeName"))
    assert cluster.pod("urgent")["status"]["nominatedNodeName"] == "node-1"
    calls = server.calls("arbiter", "preempt")
    assert sorted(calls[0]["nodes"]) == ["node-0", "node-1", "node-2"], calls
    victim = next(f"victim-{i}" for i in range(3) if cluster.node_of(f"victim-{i}") == "node-1")
    wait_for("the victim goes", lambda: (cluster.pod(victim) or {"metadata": {"deletionTimestamp": 1}})["metadata"].get("deletionTimestamp"))
    if cluster.pod(victim):
        cluster.delete("Pod", victim)
    expect_bound(context, "urgent", "node-1")
    scheduler.stop()
    scheduler.replay()


def things(count=1):
    return {"containers": [{"name": "c", "image": "none", "resources": {"limits": {RESOURCE: str(count)}}}]}


def give_things(context):
    for node in context.cluster.items("Node"):
        amounts = {"capacity": {RESOURCE: "1000"}, "allocatable": {RESOURCE: "1000"}}
        context.cluster.patch("Node", node["metadata"]["name"], {"status": amounts}, sub="status")


def slow_extender(context):
    """While an extender thinks, pods that are none of its business are scheduled as if it were not there."""
    pods = context.options.uninterested_pods
    managed = {"managedResources": [{"name": RESOURCE, "ignoredByScheduler": True}], "httpTimeout": "600s"}
    server, scheduler = start(context, ("slow", managed), nodes=max(8, pods // 50))
    give_things(context)
    server.behave("slow", verb="filter", delayMs=2000)
    for i in range(4):
        context.cluster.create("Pod", metadata={"name": f"thing-{i}"}, spec=things())
    wait_for("the extender is called", lambda: server.calls("slow"), pause=0.01)
    delays = []
    while len(server.calls("slow", "filter")) < 4 or len(delays) < 10:
        delays.append(time_to_bind(context, f"single-{len(delays)}"))
        time.sleep(0.05)  # A fast machine would fill the nodes.
    print(f"     {len(delays)} pods one by one beside calls of 2 s: bound within {max(delays) * 1000:.0f} ms, "
          f"half of them within {sorted(delays)[len(delays) // 2] * 1000:.0f} ms", flush=True)
    assert max(delays) < 1, delays
    for i in range(4):
        expect_bound(context, f"thing-{i}")

    server.behave("slow", verb="filter", delayMs=300000)
    context.cluster.create("Pod", metadata={"name": "last"}, spec=things())
    wait_for("the extender is called", lambda: server.calls("slow", "filter", "last"), pause=0.01)
    begin = time.monotonic()
    in_parallel(lambda i: context.cluster.create_pod(f"pod-{i}", cpu="10m"), range(pods))
    wait_for("all others are bound", lambda: sum(name.startswith("pod-") for name in bound_pods(context)) == pods, 120, 0.1)
    print(f"     {pods} pods made and bound in {time.monotonic() - begin:.1f} s while one call hung", flush=True)
    assert not server.calls("slow", "filter", "last")[0]["ended"], "the call has ended meanwhile"
    context.cluster.delete("Pod", "last")
    wait_for("the call is given up", lambda: server.calls("slow", "filter", "last")[0]["gone"], 5)
    scheduler.check_cache()
    scheduler.stop()
    scheduler.replay()


def time_to_bind(context, name):
    begin = time.monotonic()
    context.cluster.create_pod(name, cpu="10m")
    wait_for(f"{name} is bound", lambda: context.cluster.node_of(name), pause=0.005)
    return time.monotonic() - begin


def deleted_pod(context):
    """The call for a pod that goes is cancelled, and the next pod has its turn."""
    server, _ = start(context, ("slow", {"httpTimeout": "60s"}))
    server.behave("slow", delayMs=30000)
    context.cluster.create_pod("first")
    wait_for("the extender is called", lambda: server.calls("slow", pod="first"), pause=0.01)
    context.cluster.create_pod("second")
    server.behave("slow")
    context.cluster.delete("Pod", "first")
    expect_bound(context, "second")
    assert server.calls("slow", pod="first")[0]["gone"], "the call was not cancelled"


def nothing_lost(context):
    """Pods come while the extender does one thing wrong after the other; once it is mended, all of them are bound."""
    pods = context.options.extender_pods
    server, scheduler = start(
        context, ("moody", {"httpTimeout": "2s", "prioritizeVerb": "prioritize", "weight": 1, "bindVerb": "bind",
                            "nodeCacheCapable": True}), nodes=pods // 50, cpu=50)
    # A binding that is late would be none of the scheduler's faults.
    moods = [{}, {"status": 500}, {"verb": "filter", "delayMs": 4000}, {"verb": "filter", "garbage": "null"},
             {"keep": "none", "message": "no"}, {"error": "no"}, {"verb": "bind", "error": "no"},
             {"verb": "prioritize", "status": 404}, {}]
    witness = context.closing(Witness(context.cluster, 50))
    turn = iter(range(1 << 30))
    changing = Repeated(0.4, lambda: server.behave("moody", **moods[next(turn) % len(moods)]))
    try:
        in_parallel(lambda i: context.cluster.create_pod(f"pod-{i:04}"), range(pods))
        time.sleep(6)
    finally:
        changing.close()
    server.behave("moody")
    wait_for(lambda: f"all {pods} pods are bound, not {len(bound_pods(context))}",
             lambda: len(bound_pods(context)) == pods, 120, 0.5)
    witness.check()
    scheduler.check_cache()
    scheduler.stop()
    scheduler.replay()


def mutual_tls(context):
    """An extender behind TLS that asks for a certificate."""
    build()
    cluster = context.cluster
    files = {}
    certificate, key = cluster.authority.issue("extender", hosts=[HOST])
    for name, text in {"cert": certificate, "key": key, "client-ca": cluster.authority.pem}.items():
        files[name] = context.folder / name
        files[name].write_text(text)
    server = Extender(context, "-cert", str(files["cert"]), "-key", str(files["key"]), "-client-ca", str(files["client-ca"]))
    for i in range(2):
        cluster.create_node(f"node-{i}")
    certificate, key = cluster.authority.issue("scheduler")
    settings = {"urlPrefix": server.url("secret", "https"), "filterVerb": "filter", "enableHTTPS": True,
                "tlsConfig": {"caData": encode(cluster.authority.pem), "certData": encode(certificate), "keyData": encode(key)}}
    context.scheduler(config={"extenders": [settings]}).start()
    cluster.create_pod("pod")
    expect_bound(context, "pod")

    stranger = {**settings, "tlsConfig": {"caData": encode(cluster.authority.pem)}}
    config = {"profiles": [{"schedulerName": "stranger"}], "extenders": [stranger]}
    context.scheduler("stranger", config=config).start()
    cluster.create_pod("refused", schedulerName="stranger")
    assert "tls" in failure(context, "refused"), failure(context, "refused")


TESTS = [placements, every_node_removed, failures, nobody_there, ignorable_failures, bind, preemption, slow_extender,
         deleted_pod, nothing_lost, mutual_tls]
SMOKE = [placements, failures, bind, preemption, slow_extender]
