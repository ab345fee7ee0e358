# SPDX-License-Identifier: Apache-2.0
"""Pods with devices: claims from templates, shared ones, extended resources, devices that take their time, schedulers that die.

kube-controller-manager makes claims from templates and takes devices back from pods that are gone. Over each test a
witness in etcd sees to it that no device is ever given to two claims.
"""
import re
import signal
import subprocess

from cluster import Repeated, in_parallel, wait_for
from faults import through
from features import expect_bound
from live import ADMIN, stop_proc
from proxy import Cut, FaultProxy, Hang, LoseAnswer
from witness import DeviceWitness, check_eyesight

DRIVER = "gpu.example.com"
TRIED = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="%s"}'


class Controllers:
    """kube-controller-manager with the controllers that have to do with claims."""

    def __init__(self, context):
        cluster = context.cluster
        kubeconfig = context.folder / "controllers.json"
        kubeconfig.write_text('{"apiVersion": "v1", "kind": "Config", "current-context": "e2e", '
                              f'"clusters": [{{"name": "e2e", "cluster": {{"server": "{cluster.url}", "insecure-skip-tls-verify": true}}}}], '
                              f'"users": [{{"name": "e2e", "user": {{"token": "{ADMIN}"}}}}], '
                              '"contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}]}')
        with open(context.folder / "controllers.log", "w") as log:
            self.process = subprocess.Popen(
                [f"{cluster.bin}/kube-controller-manager", f"--kubeconfig={kubeconfig}", "--leader-elect=false",
                 "--controllers=resourceclaim-controller,garbage-collector-controller", "--secure-port=0",
                 "--kube-api-qps=500", "--kube-api-burst=500"],
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def close(self):
        stop_proc(self.process, signal.SIGKILL)


class Devices:
    """Nodes with devices, a class for them, and the witness."""

    def __init__(self, context, nodes=2, per_node=2, device=None, extended=None):
        check_eyesight()
        self.cluster, self.count = context.cluster, nodes * per_node
        self.witness = context.closing(DeviceWitness(self.cluster))
        context.closing(Controllers(context))
        spec = {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]}
        if extended:
            spec["extendedResourceName"] = extended
        self.cluster.create("DeviceClass", metadata={"name": "gpu"}, spec=spec)
        for i in range(nodes):
            node = f"node-{i}"
            self.cluster.create_node(node, cpu=64)
            self.cluster.create("ResourceSlice", metadata={"name": f"slice-{i}"}, spec={
                "driver": DRIVER, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": f"gpu-{j}", **(device or {})} for j in range(per_node)]})

    def create_claim(self, name, count=1):
        self.cluster.create("ResourceClaim", metadata={"name": name}, spec=claim_spec(count))

    def create_template(self, name, count=1):
        self.cluster.create("ResourceClaimTemplate", metadata={"name": name}, spec={"spec": claim_spec(count)})

    def create_pod(self, name, claim=None, template=None, **spec):
        source = {"resourceClaimName": claim} if claim else {"resourceClaimTemplateName": template}
        self.cluster.create_pod(name, resourceClaims=[{"name": "gpu", **source}], **spec)

    def claim(self, name):
        return self.cluster.get("ResourceClaim", "default", name)

    def allocation(self, name):
        """The devices of a claim, as (node, device)."""
        status = (self.claim(name) or {}).get("status", {})
        return [(one["pool"], one["device"]) for one in (status.get("allocation") or {}).get("devices", {}).get("results", [])]

    def bound(self):
        return [pod["metadata"]["name"] for pod in self.cluster.items("Pod") if pod["spec"].get("nodeName")]

    def wait_bound(self, count, timeout=60):
        wait_for(lambda: f"{count} pods are bound, but {len(self.bound())}", lambda: len(self.bound()) == count, timeout, 0.2)

    def wait_free(self, timeout=60):
        """Nobody has a device any more."""
        wait_for(lambda: f"all devices are given back, but {self.witness.owners}", lambda: not self.witness.owners, timeout, 0.1)

    def delete_pods(self):
        in_parallel(lambda name: self.cluster.delete("Pod", name), [pod["metadata"]["name"] for pod in self.cluster.items("Pod")])

    def check_all_given(self):
        """Every device has been given to somebody, to one at a time, and each pod is where its device is."""
        assert len(self.witness.owners) == self.count, self.witness.owners
        for pod in self.cluster.items("Pod"):
            on = pod["spec"].get("nodeName")
            for one in pod["status"].get("resourceClaimStatuses", []) if on else []:
                nodes = {node for node, _ in self.allocation(one["resourceClaimName"])}
                assert nodes == {on}, f"{pod['metadata']['name']} is on {on}, its device on {nodes}"
        self.witness.check()


def claim_spec(count):
    return {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu", "count": count}}]}}


def templates(context):
    """A claim for each pod; a pod without a device waits, and gets the one that another gives back."""
    devices = Devices(context)
    scheduler = context.scheduler().start()
    devices.create_template("one")
    for i in range(5):
        devices.create_pod(f"pod-{i}", template="one")
    devices.wait_bound(4)
    devices.check_all_given()
    left = next(pod for pod in (f"pod-{i}" for i in range(5)) if pod not in devices.bound())
    condition = wait_for("the last one is tried", lambda: devices.cluster.condition(left, "PodScheduled"))
    assert condition["message"].startswith("0/2 nodes are available: 2 cannot allocate all claims."), condition

    devices.cluster.delete("Pod", devices.bound()[0])
    expect_bound(context, left)
    devices.check_all_given()
    devices.delete_pods()
    devices.wait_free()
    scheduler.check_cache()
    scheduler.stop()
    scheduler.replay()


def shared_claim(context):
    """Pods that share a claim go where its device is; when the last one has gone, the claim can be used elsewhere."""
    devices = Devices(context, nodes=2, per_node=1)
    context.scheduler().start()
    devices.create_claim("shared")
    for i in range(3):
        devices.create_pod(f"pod-{i}", claim="shared")
    devices.wait_bound(3)
    first = devices.allocation("shared")
    assert {devices.cluster.node_of(f"pod-{i}") for i in range(3)} == {first[0][0]}
    assert len(devices.claim("shared")["status"]["reservedFor"]) == 3
    devices.delete_pods()
    devices.wait_free()

    other = next(node for node in ("node-0", "node-1") if node != first[0][0])
    devices.create_pod("later", claim="shared", nodeSelector={"kubernetes.io/hostname": other})
    expect_bound(context, "later", other)
    assert devices.allocation("shared")[0][0] == other
    devices.witness.check()


def extended_resource(context):
    """The scheduler makes the claim for a resource that devices provide, and it goes with the pod."""
    devices = Devices(context, nodes=1, per_node=2, extended="example.com/gpu")
    scheduler = context.scheduler().start()
    container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": "1", "example.com/gpu": "2"},
                                                             "limits": {"example.com/gpu": "2"}}}
    for name in ("first", "second"):
        devices.cluster.create_pod(name, containers=[container])
    devices.wait_bound(1)
    bound = devices.bound()[0]
    status = devices.cluster.pod(bound)["status"]["extendedResourceClaimStatus"]
    claim = devices.claim(status["resourceClaimName"])
    assert claim["metadata"]["ownerReferences"][0]["name"] == bound, claim
    assert len(devices.allocation(claim["metadata"]["name"])) == 2
    created = 'dynamic_resource_allocation_resourceclaim_creates_total{admin_access="false",owner_api_group="",owner_api_kind="Pod",status="success"}'
    assert scheduler.metric(created) == 1
    devices.cluster.delete("Pod", bound)
    expect_bound(context, "second" if bound == "first" else "first", "node-0")
    devices.delete_pods()
    devices.wait_free()
    wait_for("the claims are gone", lambda: not devices.cluster.items("ResourceClaim"))
    devices.witness.check()


def binding_conditions(context):
    """A pod is bound when its device is ready, and tries another time if that fails."""
    conditions = {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken"]}
    devices = Devices(context, nodes=1, per_node=1, device=conditions)
    scheduler = context.scheduler().start()
    devices.create_claim("claim")
    devices.create_pod("pod", claim="claim")

    def report(condition, reason):
        """As the driver does."""
        devices.cluster.patch("ResourceClaim", "claim", {"status": {"devices": [{
            "driver": DRIVER, "pool": "node-0", "device": "gpu-0", "conditions": [
                {"type": condition, "status": "True", "reason": reason, "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}]}},
            sub="status")

    wait_for("the pod waits", lambda: devices.cluster.events("pod", "BindingConditionsPending"))
    assert devices.allocation("claim") and not devices.cluster.node_of("pod")
    before = devices.claim("claim")["status"]["allocation"]["allocationTimestamp"]
    report("Broken", "Smoke")
    event = wait_for("it is told why", lambda: [e for e in devices.cluster.events("pod", "FailedScheduling") if "Smoke" in e["note"]])[0]
    assert "device binding failed: claim=claim, reason=Smoke" in event["note"], event
    wait_for("the device is given back and chosen again", lambda: devices.allocation("claim") and
             devices.claim("claim")["status"]["allocation"]["allocationTimestamp"] != before, 60, 0.2)
    report("Ready", "Ready")
    expect_bound(context, "pod", "node-0")
    sample = 'scheduler_dra_bindingconditions_allocations_total{driver="gpu.example.com",profile="default-scheduler",status="%s"}'
    assert (scheduler.metric(sample % "success"), scheduler.metric(sample % "failure")) == (1, 1)
    devices.witness.check()


def killed_before_binding(context):
    """The scheduler dies again and again when claims are written and pods are not bound. The next one finishes the work."""
    devices = Devices(context, nodes=5, per_node=8)
    devices.create_template("one")
    in_parallel(lambda i: devices.create_pod(f"pod-{i:02}", template="one"), range(devices.count + 3))

    def no_binding(request):
        return Hang(30) if request.is_binding else None

    for generation in range(3):
        proxy = context.closing(FaultProxy(devices.cluster, no_binding))
        scheduler = through(context, proxy, f"killed-{generation}").start()
        wait_for("bindings are asked for", lambda proxy=proxy: proxy.count("POST", "/binding") >= 5 * (generation + 1), 30, 0.01)
        scheduler.kill()
    assert not devices.bound(), "a pod was bound"
    assert devices.witness.owners, "no claim was written before the fault"
    last = context.scheduler("last").start()
    devices.wait_bound(devices.count)
    devices.check_all_given()
    last.check_cache()
    devices.delete_pods()
    devices.wait_free()


def answers_lost(context):
    """Claims are written, but the answers are lost; other writes are lost themselves."""
    devices = Devices(context, nodes=5, per_node=8)
    devices.create_template("one")
    seen = {}

    def rule(request):
        if request.method != "PUT" or "/resourceclaims/" not in request.path:
            return None
        count = seen[request.path] = seen.get(request.path, 0) + 1
        return (LoseAnswer(), Cut(), None)[(len(request.path) + sum(request.path.encode()) + count) % 3] if count < 6 else None

    scheduler = through(context, context.closing(FaultProxy(devices.cluster, rule))).start()
    in_parallel(lambda i: devices.create_pod(f"pod-{i:02}", template="one"), range(devices.count + 3))
    devices.wait_bound(devices.count)
    assert len(seen) >= devices.count, "claims were not written through the proxy"
    devices.check_all_given()
    scheduler.check_cache()
    scheduler.stop()
    scheduler.replay()


def preempted_while_written(context):
    """A pod is preempted while its claim is being written, slowly. The device is not given to another meanwhile."""
    devices = Devices(context, nodes=1, per_node=1)
    cluster = devices.cluster
    cluster.create("PriorityClass", metadata={"name": "high"}, value=1000)
    for name in ("slow", "next"):
        devices.create_claim(name)
    written = []

    def rule(request):
        if re.search("/resourceclaims/slow/status$", request.path) and request.method == "PUT":
            written.append(request.path)
            wait_for("the next pod was tried", lambda: cluster.condition("next", "PodScheduled"), 30)

    scheduler = through(context, context.closing(FaultProxy(cluster, rule))).start()
    devices.create_pod("slow", claim="slow", nodeSelector={"kubernetes.io/hostname": "node-0"})
    wait_for("the claim is being written", lambda: written)
    cluster.create_pod("urgent", cpu="64", priorityClassName="high")
    expect_bound(context, "urgent", "node-0")
    cluster.delete("Pod", "urgent")
    devices.create_pod("next", claim="next")
    wait_for("the claim is written", lambda: devices.witness.owners)
    expect_bound(context, "slow", "node-0")
    cluster.delete("Pod", "slow")
    expect_bound(context, "next", "node-0")
    devices.witness.check()
    scheduler.check_cache()


def pods_come_and_go(context):
    """Many pods, one after the other, take few devices. Watches are cut meanwhile. At the end nobody has one."""
    devices = Devices(context, nodes=3, per_node=4)
    devices.create_template("one")
    proxy = context.closing(FaultProxy(devices.cluster))
    scheduler = through(context, proxy).start()
    pods = [f"pod-{i:03}" for i in range(6 * devices.count)]
    in_parallel(lambda name: devices.create_pod(name, template="one"), pods)
    context.closing(Repeated(1, proxy.cut_watches))
    ever = set()

    def finish_some():
        done = devices.bound()
        ever.update(done)
        in_parallel(lambda name: devices.cluster.delete("Pod", name), done)
        return len(ever) == len(pods)

    wait_for(lambda: f"all pods had a device, but {len(ever)} of {len(pods)}", finish_some, 180, 0.5)
    devices.wait_free()
    assert len(devices.witness.ever) == devices.count, "a device was never given to anybody"
    devices.witness.check()
    scheduler.check_cache()


TESTS = [templates, shared_claim, extended_resource, binding_conditions, killed_before_binding, answers_lost,
         preempted_while_written, pods_come_and_go]
SMOKE = []  # They need kube-controller-manager, which takes minutes to build.
