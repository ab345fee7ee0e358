# SPDX-License-Identifier: Apache-2.0
"""What is done to a cluster so that its controllers tell of it in events, and these events, with names made equal.

Each scenario works in a namespace of its own and waits for what it brought about. It knows nothing of who the
controllers, the scheduler and the nodes are, except that containers whose command is `true` or `false` end so.
"""
import datetime
import re
import time

from server import until

MERGE = "application/merge-patch+json"
PROVISIONER = "disks.example.com"
# Who is no part of kube-controller-manager.
OTHERS = {"kubelet", "default-scheduler", PROVISIONER}
# Upstream's caches lag, so that now and then it makes what is there already.
ACCIDENT = re.compile(r"already exists$")
PATIENCE_S = 60
SLEEP = ("sleep", "3600")


class Scenario:
    """A namespace, and short ways to what is in it."""

    def __init__(self, up, name):
        self.up = up
        self.name = name
        up.send("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        self.wait(lambda: up.get(f"{self.core}/serviceaccounts/default"), "the namespace has an account")

    @property
    def core(self):
        return f"/api/v1/namespaces/{self.name}"

    def group(self, name, version="v1"):
        return f"/apis/{name}/{version}/namespaces/{self.name}"

    def make(self, path, name, **parts):
        return self.up.send("POST", path, {"metadata": {"name": name}, **parts})

    def patch(self, path, change):
        return self.up.send("PATCH", path, change, MERGE)

    def wait(self, condition, what):
        until(condition, f"{self.name}: {what}", PATIENCE_S)

    def await_event(self, reason):
        """Also where the object tells nothing of it."""
        self.wait(lambda: any(event["reason"] == reason for event in self.up.items(f"{self.core}/events")), f"an event {reason}")

    def await_status(self, path, **fields):
        def has_come():
            object = self.up.get(path)
            status = object.get("status", {})
            return status.get("observedGeneration", object["metadata"].get("generation")) == object["metadata"].get("generation") and \
                all(status.get(name, 0) == value for name, value in fields.items())

        self.wait(has_come, f"{path} has {fields}")

    def await_job(self, name, condition):
        def has_come():
            conditions = self.up.get(f"{self.group('batch')}/jobs/{name}").get("status", {}).get("conditions") or []
            return any(one["type"] == condition and one["status"] == "True" for one in conditions)

        self.wait(has_come, f"the Job {name} is {condition}")


def template(app, *command, **spec):
    container = {"name": "main", "image": "main:1"}
    if command:
        container["command"] = list(command)
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container], "terminationGracePeriodSeconds": 0, **spec}}


def workload(app, **spec):
    return {"selector": {"matchLabels": {"app": app}}, "template": template(app), **spec}


def node_that_comes_and_goes(up):
    """The nodes that are there from the beginning may have been there before."""
    up.send("POST", "/api/v1/nodes", {"metadata": {"name": "node-99"}})

    def await_node_event(reason):
        until(lambda: any(event["reason"] == reason and event["involvedObject"]["name"] == "node-99"
                          for event in up.items("/api/v1/namespaces/default/events")), f"an event {reason}", PATIENCE_S)

    await_node_event("RegisteredNode")
    up.send("DELETE", "/api/v1/nodes/node-99")
    await_node_event("RemovingNode")


def deployment_rollout(up):
    it = Scenario(up, "rollout")
    path = f"{it.group('apps')}/deployments"
    it.make(path, "web", spec=workload("web", replicas=2))
    it.await_status(f"{path}/web", availableReplicas=2)
    it.patch(f"{path}/web", {"spec": {"replicas": 3}})
    it.await_status(f"{path}/web", availableReplicas=3)
    it.patch(f"{path}/web", {"spec": {"template": {"metadata": {"annotations": {"second": "yes"}}}}})
    it.await_status(f"{path}/web", availableReplicas=3, updatedReplicas=3, replicas=3)
    it.patch(f"{path}/web", {"spec": {"replicas": 1}})
    it.await_status(f"{path}/web", availableReplicas=1, replicas=1)


def stateful_set_with_claims(up):
    it = Scenario(up, "stateful")
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "manual"}
    path = f"{it.group('apps')}/statefulsets"
    it.make(path, "store", spec=workload("store", replicas=2, serviceName="store",
                                         volumeClaimTemplates=[{"metadata": {"name": "disk"}, "spec": claim}]))
    it.await_status(f"{path}/store", readyReplicas=2)
    it.patch(f"{path}/store", {"spec": {"replicas": 1}})
    it.await_status(f"{path}/store", replicas=1)


def daemon_set(up):
    it = Scenario(up, "daemons")
    path = f"{it.group('apps')}/daemonsets"
    it.make(path, "agent", spec=workload("agent"))
    it.await_status(f"{path}/agent", numberReady=len(up.items("/api/v1/nodes")))
    it.patch(f"{path}/agent", {"spec": {"template": {"spec": {"nodeSelector": {"no": "such"}}}}})
    it.await_status(f"{path}/agent", desiredNumberScheduled=0, currentNumberScheduled=0)
    it.await_event("SuccessfulDelete")


def job_that_succeeds(up):
    it = Scenario(up, "success")
    path = f"{it.group('batch')}/jobs"
    it.make(path, "sum", spec={"completions": 2, "parallelism": 1, "template": template("sum", "true", restartPolicy="Never")})
    it.await_job("sum", "Complete")


def jobs_that_fail(up):
    it = Scenario(up, "failure")
    path = f"{it.group('batch')}/jobs"
    it.make(path, "broken", spec={"backoffLimit": 0, "template": template("broken", "false", restartPolicy="Never")})
    it.make(path, "slow", spec={"activeDeadlineSeconds": 1, "template": template("slow", *SLEEP, restartPolicy="Never")})
    it.await_job("broken", "Failed")
    it.await_job("slow", "Failed")


def jobs_with_policies(up):
    """One that fails by the exit code of a pod, one some of whose indexes fail, one that has done enough."""
    it = Scenario(up, "policies")
    path = f"{it.group('batch')}/jobs"
    it.make(path, "broken", spec={
        "template": template("broken", "false", restartPolicy="Never"), "backoffLimit": 3,
        "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]}})
    it.make(path, "slow", spec={
        "template": template("slow", "false", restartPolicy="Never"), "completionMode": "Indexed", "completions": 2, "parallelism": 2,
        "backoffLimitPerIndex": 0})
    it.make(path, "sum", spec={
        "template": template("sum", "true", restartPolicy="Never"), "completionMode": "Indexed", "completions": 2, "parallelism": 1,
        "successPolicy": {"rules": [{"succeededCount": 1}]}})
    for name, condition in (("broken", "Failed"), ("slow", "Failed"), ("sum", "Complete")):
        it.await_job(name, condition)


def pods_that_lack_claims(up):
    """One names a template that is not there, and one a volume whose claim belongs to nobody."""
    it = Scenario(up, "lacking")
    pods = f"{it.core}/pods"
    container = {"name": "main", "image": "main:1", "command": list(SLEEP)}
    it.make(pods, "device", spec={"containers": [container], "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "none"}]})
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": ""}
    it.make(f"{it.core}/persistentvolumeclaims", "volume-disk", spec=claim)
    it.make(pods, "volume", spec={"containers": [container], "volumes": [
        {"name": "disk", "ephemeral": {"volumeClaimTemplate": {"spec": claim}}}]})
    for reason in ("FailedResourceClaimCreation", "FailedBinding"):
        it.await_event(reason)


def stateful_set_that_changes(up):
    it = Scenario(up, "changing")
    path = f"{it.group('apps')}/statefulsets"
    it.make(path, "store", spec=workload("store", replicas=2, serviceName="store", podManagementPolicy="Parallel"))
    it.await_status(f"{path}/store", readyReplicas=2)
    it.patch(f"{path}/store", {"spec": {"template": {"metadata": {"annotations": {"second": "yes"}}}}})
    it.await_status(f"{path}/store", readyReplicas=2, updatedReplicas=2)


def job_that_is_suspended(up):
    it = Scenario(up, "suspended")
    path = f"{it.group('batch')}/jobs"
    it.make(path, "sum", spec={"template": template("sum", *SLEEP, restartPolicy="Never")})
    it.await_status(f"{path}/sum", active=1)
    it.patch(f"{path}/sum", {"spec": {"suspend": True}})
    it.await_job("sum", "Suspended")
    it.patch(f"{path}/sum", {"spec": {"suspend": False}})
    it.await_event("Resumed")
    it.await_status(f"{path}/sum", active=1)


def cron_job(up):
    """One whose time has come, as somebody has set back when it was last run."""
    it = Scenario(up, "cron")
    path = f"{it.group('batch')}/cronjobs"
    job = {"spec": {"template": template("sum", "true", restartPolicy="Never")}}
    it.make(path, "nightly", spec={"schedule": "0 0 1 1 *", "jobTemplate": job, "suspend": True})
    run_again(it, f"{path}/nightly", 366)
    it.await_event("SawCompletedJob")


def run_again(it, path, days):
    """As if it were that long ago that it was last run."""
    before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days)
    it.patch(path, {"spec": {"suspend": True}})
    it.patch(f"{path}/status", {"status": {"lastScheduleTime": before.strftime("%Y-%m-%dT%H:%M:%SZ")}})
    it.patch(path, {"spec": {"suspend": False}})


def sets_beyond_their_quota(up):
    it = Scenario(up, "full")
    it.make(f"{it.core}/resourcequotas", "none", spec={"hard": {"pods": "0"}})
    it.wait(lambda: "hard" in it.up.get(f"{it.core}/resourcequotas/none").get("status", {}), "the quota holds")
    it.make(f"{it.group('apps')}/deployments", "web", spec=workload("web", replicas=1))
    it.make(f"{it.group('apps')}/daemonsets", "agent", spec=workload("agent"))
    it.make(f"{it.group('apps')}/statefulsets", "store", spec=workload("store", replicas=1, serviceName="store"))
    it.make(f"{it.group('batch')}/jobs", "sum", spec={"template": template("sum", *SLEEP, restartPolicy="Never")})
    for kind in ("ReplicaSet", "DaemonSet", "StatefulSet", "Job"):
        it.wait(lambda kind=kind: any(event["reason"] == "FailedCreate" and event["involvedObject"]["kind"] == kind
                                      for event in it.up.items(f"{it.core}/events")), f"the {kind} tells that it cannot")


def autoscaler(up):
    it = Scenario(up, "autoscaled")
    path = f"{it.group('apps')}/deployments"
    it.make(path, "web", spec=workload("web", replicas=1))
    it.await_status(f"{path}/web", availableReplicas=1)
    metrics = [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]
    scalers = f"{it.group('autoscaling', 'v2')}/horizontalpodautoscalers"
    for name in ("web", "none"):
        it.make(scalers, name, spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
                                     "minReplicas": 2, "maxReplicas": 3, "metrics": metrics})
    it.await_event("FailedGetScale")
    it.await_status(f"{path}/web", availableReplicas=2)


def make_storage(up):
    """Long before it is needed: controllers hear of classes and volumes a little later than of claims."""
    for name, fields in (("late", {"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}),
                         ("outside", {"provisioner": PROVISIONER})):
        up.send("POST", "/apis/storage.k8s.io/v1/storageclasses", {"metadata": {"name": name}, **fields})
    for name, size, storage_class in (("disk-0", "1Gi", "manual"), ("disk-1", "1Gi", "manual"), ("small", "1Mi", "")):
        up.send("POST", "/api/v1/persistentvolumes", {"metadata": {"name": name}, "spec": {
            "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class,
            "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "/tmp"}}})


def claims(up):
    """That wait, and are told why."""
    it = Scenario(up, "claims")

    def claim(name, **spec):
        it.make(f"{it.core}/persistentvolumeclaims", name,
                spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec})

    claim("unclassed", storageClassName="")
    claim("late", storageClassName="late")
    claim("outside", storageClassName="outside")
    claim("missing", storageClassName="missing")
    claim("mismatched", storageClassName="", volumeName="small")
    for reason in ("FailedBinding", "WaitForFirstConsumer", "ExternalProvisioning", "ProvisioningFailed", "VolumeMismatch"):
        it.await_event(reason)


def taint_eviction(up):
    it = Scenario(up, "evicted")
    node = up.items("/api/v1/nodes")[0]["metadata"]["name"]
    it.make(f"{it.core}/pods", "guest", spec=template("guest", nodeName=node)["spec"])
    it.make(f"{it.core}/pods", "patient", spec=template("patient", nodeName=node, tolerations=[
        {"key": "full", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 600}])["spec"])
    for name in ("guest", "patient"):
        it.wait(lambda name=name: up.get(f"{it.core}/pods/{name}")["status"].get("phase") == "Running", f"{name} runs")
    it.patch(f"/api/v1/nodes/{node}", {"spec": {"taints": [{"key": "full", "effect": "NoExecute"}]}})
    it.wait(lambda: up.get(f"{it.core}/pods/guest") is None, "the guest is gone")
    it.patch(f"/api/v1/nodes/{node}", {"spec": {"taints": None}})
    it.wait(lambda: len(up.items(f"{it.core}/events?fieldSelector=involvedObject.name%3Dpatient,reason%3DTaintManagerEviction")) > 0,
            "the patient stays")


# Evictions come first, as they would also be told of what others leave on the node.
ALL = (taint_eviction, node_that_comes_and_goes, deployment_rollout, stateful_set_with_claims, stateful_set_that_changes, daemon_set,
       job_that_succeeds, jobs_that_fail, jobs_with_policies, job_that_is_suspended, pods_that_lack_claims, cron_job,
       sets_beyond_their_quota, autoscaler, claims)


def made_equal(text):
    """A message without what differs from run to run: what was generated of names, uids, times."""
    text = re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UID", text)
    text = re.sub(r"-[bcdf0-9][a-z0-9]{4,9}-[a-z0-9]{5}\b", "-HASH-RANDOM", text)  # Pods of Deployments.
    text = re.sub(r"\b(web)-[bcdfghjklmnpqrstvwxz2456789]{5,10}\b", r"\1-HASH", text)
    text = re.sub(r"\b(agent|broken|(?:slow|sum)(?:-\d)?|nightly-\d+)-[bcdfghjklmnpqrstvwxz2456789]{5}\b", r"\1-RANDOM", text)
    text = re.sub(r"\bnightly-\d+", "nightly-TIME", text)
    text = re.sub(r"\bnode-\d+\b", "NODE", text)
    return re.sub(r"^\(combined from similar events\): ", "", text)


def told(up, name):
    """What was told in a namespace: component, type, reason, kind and message."""
    lines = set()
    for event in up.items(f"/api/v1/namespaces/{name}/events"):
        component = event.get("source", {}).get("component") or event.get("reportingComponent", "")
        if component not in OTHERS and not ACCIDENT.search(event["message"]):
            lines.add(" | ".join((component, event["type"], event["reason"], event["involvedObject"]["kind"], made_equal(event["message"]))))
    return lines


# Of nodes is told in `default`.
NAMES = ("default", "evicted", "rollout", "stateful", "daemons", "success", "failure", "policies", "suspended", "lacking", "changing", "cron", "full", "autoscaled",
         "claims")
SETTLE_S = 2  # What a controller tells is written a little later than what it does.


def record(up):
    """Carries all out, and returns what was told in each namespace."""
    make_storage(up)
    for scenario in ALL:
        scenario(up)
    time.sleep(SETTLE_S)
    return {name: sorted(told(up, name)) for name in NAMES}
