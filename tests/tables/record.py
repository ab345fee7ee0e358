#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records how kube-apiserver shows objects as tables, for src/server/tables/recorded_test.cc.

    record.py URL [TOKEN] > recorded.jsonl

URL is that of an empty kube-apiserver that takes anonymous requests or the token, without controllers, with
--feature-gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true and
--runtime-config=scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true. Each line is one list:
{"group", "plural", "now", "columns": [[name, type, format, priority]], "rows": [{"cells", "conditions", "object"}]}.
"""
import copy
import datetime
import json
import ssl
import sys
import urllib.error
import urllib.request

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
CORE, APPS, BATCH = "/api/v1", "/apis/apps/v1", "/apis/batch/v1"
NET, STORAGE, DRA = "/apis/networking.k8s.io/v1", "/apis/storage.k8s.io/v1", "/apis/resource.k8s.io/v1"
NS = "/namespaces/default"
NOW = datetime.datetime.now(datetime.timezone.utc)
GROUPS = "/apis/scheduling.k8s.io"
url = token = ""


def call(method, path, body=None, kind="application/json", accept="application/json"):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": kind, "Accept": accept, **({"Authorization": "Bearer " + token} if token else {})}
    request = urllib.request.Request(url + path, data, headers, method=method)
    context = ssl._create_unverified_context() if url.startswith("https:") else None  # pylint: disable=protected-access
    try:
        return json.loads(urllib.request.urlopen(request, context=context).read())
    except urllib.error.HTTPError as error:
        sys.exit("%s %s: %s" % (method, path, error.read().decode()))


def ago(days=0, hours=0, minutes=0, seconds=0):
    """A time in the past, half a unit away from where its age changes."""
    return (NOW - datetime.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)).strftime(
        "%Y-%m-%dT%H:%M:%SZ")


def micro(**past):
    return ago(**past).replace("Z", ".000000Z")


def make(collection, name, spec=None, status=None, deleted=False, labels=None, annotations=None, **members):
    metadata = {"name": name}
    if labels:
        metadata["labels"] = labels
    if annotations:
        metadata["annotations"] = annotations
    if deleted:
        metadata["finalizers"] = ["example.com/keep"]
    body = {"metadata": metadata, **members}
    if spec is not None:
        body["spec"] = spec
    call("POST", collection, body)
    if status is not None:
        call("PATCH", "%s/%s/status" % (collection, name), {"status": status}, "application/merge-patch+json")
    if deleted:
        call("DELETE", "%s/%s" % (collection, name))


def containers(*images):
    return [{"name": "c%d" % i, "image": image} for i, image in enumerate(images)]


def state(name, kind=None, ready=False, restarts=0, last=None, started=None, **details):
    status = {"name": name, "ready": ready, "restartCount": restarts, "image": "i", "imageID": "id",
              "state": {kind: details} if kind else {}}
    if started is not None:
        status["started"] = started
    if last is not None:
        status["lastState"] = {"terminated": {"exitCode": 1, "finishedAt": last}}
    return status


def pods():
    pod = CORE + NS + "/pods"

    def add(name, status=None, count=1, init=(), sidecars=(), deleted=False, **spec):
        inits = [{"name": n, "image": "i"} for n in init]
        inits += [{"name": n, "image": "i", "restartPolicy": "Always"} for n in sidecars]
        make(pod, name, {"containers": containers(*["i"] * count), "initContainers": inits, **spec}, status, deleted)

    def condition(kind, status="True", **more):
        return {"type": kind, "status": status, **more}

    add("pending")
    add("gated", schedulingGates=[{"name": "example.com/g"}])
    add("evicted", {"phase": "Failed", "reason": "Evicted"})
    add("waiting", {"phase": "Pending", "containerStatuses": [state("c0", "waiting", reason="ErrImagePull")]})
    add("waiting-silently", {"phase": "Pending", "containerStatuses": [state("c0", "waiting")]})
    add("running", {"phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}],
                    "conditions": [condition("Ready")],
                    "containerStatuses": [state("c0", "running", True, 2, ago(hours=3, minutes=20, seconds=30)),
                                          state("c1", "running", False, 1, ago(days=9, hours=12))]},
        count=2, nodeName="n1")
    add("restarted-silently", {"phase": "Running", "containerStatuses": [state("c0", "running", True, 3)]})
    add("crashing", {"phase": "Running", "containerStatuses": [
        state("c0", "waiting", restarts=5, last=ago(minutes=5, seconds=30), reason="CrashLoopBackOff"),
        state("c1", "terminated", exitCode=0, reason="Completed")]}, count=2)
    add("exited", {"phase": "Failed", "containerStatuses": [state("c0", "terminated", exitCode=3)]})
    add("killed", {"phase": "Failed", "containerStatuses": [state("c0", "terminated", exitCode=137, signal=9)]})
    add("oom", {"phase": "Failed", "containerStatuses": [state("c0", "terminated", exitCode=137, reason="OOMKilled")]})
    done = state("c0", "terminated", exitCode=0, reason="Completed")
    add("completed", {"phase": "Succeeded", "containerStatuses": [done]})
    add("half-done", {"phase": "Running", "containerStatuses": [done, state("c1", "running", True)]}, count=2)
    add("half-done-ready", {"phase": "Running", "conditions": [condition("Ready")],
                            "containerStatuses": [done, state("c1", "running", True)]}, count=2)
    add("done-but-error", {"phase": "Running", "containerStatuses": [
        done, state("c1", "terminated", exitCode=1, reason="Error")]}, count=2)
    add("init-waiting", {"phase": "Pending", "initContainerStatuses": [
        state("a", "terminated", exitCode=0), state("b", "waiting", reason="PodInitializing")]}, init="ab")
    add("init-pull", {"phase": "Pending", "initContainerStatuses": [state("a", "waiting", reason="ImagePullBackOff")]},
        init="ab")
    add("init-running", {"phase": "Pending", "initContainerStatuses": [
        state("a", "running", restarts=4, last=ago(seconds=90)), state("b", "waiting")]}, init="ab")
    add("init-failed", {"phase": "Failed", "initContainerStatuses": [state("a", "terminated", exitCode=2)]}, init="a")
    add("init-killed", {"phase": "Failed", "initContainerStatuses": [
        state("a", "terminated", exitCode=2, signal=15)]}, init="a")
    add("init-error", {"phase": "Failed", "initContainerStatuses": [
        state("a", "terminated", exitCode=2, reason="Error", restarts=2)]}, init="a")
    add("init-done", {"phase": "Running", "initContainerStatuses": [
        state("a", "terminated", exitCode=0, restarts=7, last=ago(minutes=30, seconds=30))],
        "containerStatuses": [state("c0", "running", True)]}, init="a")
    add("init-again", {"phase": "Running", "conditions": [condition("Initialized")],
                       "initContainerStatuses": [state("a", "running")],
                       "containerStatuses": [state("c0", "running", True, 1)]}, init="a")
    add("sidecar", {"phase": "Running", "initContainerStatuses": [
        state("a", "terminated", exitCode=0), state("s", "running", True, 2, ago(hours=7, minutes=10, seconds=30), True)],
        "containerStatuses": [state("c0", "running", True, 1)]}, init="a", sidecars="s")
    add("sidecar-starting", {"phase": "Pending", "initContainerStatuses": [
        state("s", "running", False, 2, ago(days=30, hours=12), False)]}, sidecars="s")
    add("sidecar-unready", {"phase": "Running", "initContainerStatuses": [state("s", "running", False, started=True)],
                            "containerStatuses": [state("c0", "running", True)]}, sidecars="s")
    add("gates", {"phase": "Running", "conditions": [condition("a"), condition("b", "False"), condition("c")]},
        readinessGates=[{"conditionType": t} for t in ("a", "b", "d")])
    add("nominated", {"nominatedNodeName": "n7", "conditions": [condition("PodScheduled", "False")]})
    add("terminating", {"phase": "Running"}, deleted=True, nodeName="n1")
    add("terminating-done", {"phase": "Succeeded"}, deleted=True, nodeName="n1")
    add("lost", {"phase": "Running", "reason": "NodeLost"}, deleted=True, nodeName="n1")
    make(CORE + NS + "/podtemplates", "t", template={"metadata": {"labels": {"b": "2", "a": "1"}},
                                                     "spec": {"containers": containers("x", "y:1")}})


def nodes():
    node = CORE + "/nodes"

    def ready(status):
        return [{"type": "Ready", "status": status}]
    make(node, "bare")
    make(node, "ready", {"unschedulable": True}, {
        "conditions": ready("True"),
        "addresses": [{"type": "Hostname", "address": "h"}, {"type": "InternalIP", "address": "10.1.1.1"},
                      {"type": "ExternalIP", "address": "1.2.3.4"}, {"type": "InternalIP", "address": "10.1.1.2"}],
        "nodeInfo": {"kubeletVersion": "v1.37.1", "osImage": "Linux", "kernelVersion": "6.1", "architecture": "arm64",
                     "containerRuntimeVersion": "containerd://2"}},
         labels={"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "x",
                 "kubernetes.io/role": "zeta"})
    make(node, "unready", None, {"conditions": ready("False"), "nodeInfo": {"architecture": "amd64"}},
         labels={"kubernetes.io/role": ""})
    make(node, "unknown", {"unschedulable": True}, {"conditions": [{"type": "DiskPressure", "status": "True"}]})
    make(node, "silent", None, {"conditions": ready("Unknown")}, deleted=True)


def volumes():
    volume, claim = CORE + "/persistentvolumes", CORE + NS + "/persistentvolumeclaims"
    spec = {"capacity": {"storage": "1024Mi"}, "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
            "hostPath": {"path": "/x"}}
    make(volume, "plain", spec)
    make(volume, "claimed", {**spec, "storageClassName": "fast", "volumeMode": "Block", "accessModes": ["ReadWriteOncePod"],
                             "persistentVolumeReclaimPolicy": "Delete",
                             "claimRef": {"namespace": "default", "name": "c"}},
         {"phase": "Failed", "reason": "Broken", "message": "m"})
    make(volume, "annotated", {**spec, "storageClassName": "", "accessModes": ["ReadOnlyMany"]}, {"phase": "Available"},
         annotations={"volume.beta.kubernetes.io/storage-class": "old"})
    make(volume, "deleted", spec, {"phase": "Released"}, deleted=True)
    wish = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "3Gi"}}}
    make(claim, "plain", wish)
    make(claim, "bound", {**wish, "volumeName": "v", "storageClassName": "fast", "volumeMode": "Block",
                          "volumeAttributesClassName": "gold"},
         {"phase": "Bound", "accessModes": ["ReadWriteOnce", "ReadOnlyMany"], "capacity": {"storage": "5Gi"}})
    make(claim, "bound-without", {**wish, "volumeName": "v2", "storageClassName": ""}, {"phase": "Lost"})
    make(claim, "deleted", wish, deleted=True, annotations={"volume.beta.kubernetes.io/storage-class": "old"})


def storage():
    classes = STORAGE + "/storageclasses"
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    make(classes, "plain", provisioner="a/b")
    make(classes, "full", provisioner="a/b", reclaimPolicy="Retain", volumeBindingMode="WaitForFirstConsumer",
         allowVolumeExpansion=True)
    make(classes, "also-default", provisioner="a/b", annotations=default)
    make(classes, "default", provisioner="a/b", annotations=default)
    make(STORAGE + "/volumeattributesclasses", "gold", driverName="a.b", parameters={"x": "y"})
    make(STORAGE + "/csidrivers", "plain", {})
    make(STORAGE + "/csidrivers", "full", {
        "attachRequired": False, "podInfoOnMount": True, "storageCapacity": True, "requiresRepublish": True,
        "tokenRequests": [{"audience": "a"}, {"audience": "b"}], "volumeLifecycleModes": ["Ephemeral", "Persistent"]})
    make(STORAGE + "/csinodes", "n1", {"drivers": [{"name": "a", "nodeID": "1", "topologyKeys": []},
                                                   {"name": "b", "nodeID": "2", "topologyKeys": []}]})
    make(STORAGE + "/csinodes", "n2", {"drivers": []})
    make(STORAGE + NS + "/csistoragecapacities", "c", storageClassName="plain", capacity="5Gi")
    attachment = {"attacher": "a.b", "nodeName": "n1", "source": {"persistentVolumeName": "v"}}
    make(STORAGE + "/volumeattachments", "on", attachment, {"attached": True})
    make(STORAGE + "/volumeattachments", "off", attachment)


def workloads():
    labels = {"app": "x"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers("x", "y:1")}}
    selector = {"matchLabels": labels}
    odd = {"matchLabels": labels, "matchExpressions": [
        {"key": "zone", "operator": "NotIn", "values": ["b", "a"]}, {"key": "app", "operator": "Exists"}]}
    make(CORE + NS + "/replicationcontrollers", "rc", {"selector": labels, "template": template, "replicas": 3},
         {"replicas": 2, "readyReplicas": 1})
    make(APPS + NS + "/replicasets", "rs", {"selector": odd, "template": template}, {"replicas": 2, "readyReplicas": 1})
    daemon = copy.deepcopy(template)
    daemon["spec"]["nodeSelector"] = {"disk": "ssd", "arch": "arm"}
    make(APPS + NS + "/daemonsets", "ds", {"selector": selector, "template": daemon},
         {"desiredNumberScheduled": 6, "currentNumberScheduled": 5, "numberReady": 4, "updatedNumberScheduled": 3,
          "numberAvailable": 2, "numberMisscheduled": 1})
    make(APPS + NS + "/daemonsets", "plain", {"selector": selector, "template": template})
    make(APPS + NS + "/deployments", "d", {"selector": odd, "template": template, "replicas": 4},
         {"replicas": 4, "readyReplicas": 2, "updatedReplicas": 3, "availableReplicas": 1})
    make(APPS + NS + "/statefulsets", "sts", {"selector": selector, "template": template, "serviceName": "s"},
         {"replicas": 1, "readyReplicas": 1})
    call("POST", APPS + NS + "/controllerrevisions", {"metadata": {"name": "r1"}, "revision": 7, "data": {}})
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "ds", "uid": "u", "controller": True}
    call("POST", APPS + NS + "/controllerrevisions", {
        "metadata": {"name": "r2", "ownerReferences": [owner]}, "revision": 8, "data": {}})
    budget = "/apis/policy/v1" + NS + "/poddisruptionbudgets"
    make(budget, "min", {"minAvailable": 2, "selector": selector}, {
        "disruptionsAllowed": 3, "currentHealthy": 5, "desiredHealthy": 2, "expectedPods": 5})
    make(budget, "max", {"maxUnavailable": "30%", "selector": selector})
    scaler = {"scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}, "maxReplicas": 9}
    autoscalers(scaler)
    jobs(template)


def autoscalers(scaler):
    path = "/apis/autoscaling/v2" + NS + "/horizontalpodautoscalers"

    def resource(**target):
        return {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    metric = {"metric": {"name": "m"}}
    average = {"type": "AverageValue", "averageValue": "500m"}
    value = {"type": "Value", "value": "2k"}
    described = {"kind": "Service", "name": "s"}
    use = {"current": {"averageUtilization": 40, "averageValue": "100m"}, "name": "cpu"}
    make(path, "plain", scaler)
    make(path, "cpu", {**scaler, "minReplicas": 3, "metrics": [
        resource(type="Utilization", averageUtilization=70), resource(type="AverageValue", averageValue="2")]},
         {"currentReplicas": 4, "desiredReplicas": 5, "currentMetrics": [
             {"type": "Resource", "resource": use}, {"type": "Resource", "resource": use}]})
    make(path, "many", {**scaler, "metrics": [
        {"type": "Pods", "pods": {**metric, "target": average}},
        {"type": "Object", "object": {**metric, "describedObject": described, "target": value}},
        {"type": "External", "external": {**metric, "target": average}}]})
    make(path, "custom", {**scaler, "metrics": [
        {"type": "Object", "object": {**metric, "describedObject": described, "target": average}},
        {"type": "External", "external": {**metric, "target": value}}]},
         {"currentReplicas": 1, "desiredReplicas": 1, "currentMetrics": [
             {"type": "Object", "object": {**metric, "describedObject": described, "current": {"averageValue": "7"}}},
             {"type": "External", "external": {**metric, "current": {"value": "1500"}}}]})
    make(path, "container", {**scaler, "metrics": [
        {"type": "ContainerResource", "containerResource": {
            "name": "memory", "container": "c", "target": {"type": "Utilization", "averageUtilization": 60}}},
        {"type": "Pods", "pods": {**metric, "target": average}}]},
         {"currentReplicas": 1, "desiredReplicas": 1, "currentMetrics": [
             {"type": "ContainerResource", "containerResource": {
                 "name": "memory", "container": "c", "current": {"averageValue": "1Gi"}}},
             {"type": "Pods", "pods": {**metric, "current": {"averageValue": "250m"}}}]})


def jobs(template):
    job = BATCH + NS + "/jobs"
    once = copy.deepcopy(template)
    once["spec"]["restartPolicy"] = "Never"
    start, end = ago(hours=4, minutes=10, seconds=30), ago(hours=4, minutes=5, seconds=10)

    def conditions(*kinds):
        return [{"type": kind, "status": "True", "lastTransitionTime": end} for kind in kinds]
    make(job, "plain", {"template": once})
    make(job, "running", {"template": once, "parallelism": 3}, {"startTime": start, "active": 2, "ready": 0,
                                                                "uncountedTerminatedPods": {}})
    make(job, "done", {"template": once, "completions": 2}, {
        "startTime": start, "completionTime": end, "succeeded": 2, "ready": 0, "uncountedTerminatedPods": {},
        "conditions": conditions("SuccessCriteriaMet", "Complete")})
    make(job, "failed", {"template": once, "completions": 5}, {
        "startTime": start, "succeeded": 1, "failed": 1, "ready": 0, "uncountedTerminatedPods": {},
        "conditions": conditions("FailureTarget", "Failed")})
    make(job, "failing", {"template": once}, {
        "startTime": start, "active": 1, "uncountedTerminatedPods": {}, "conditions": conditions("FailureTarget")})
    make(job, "suspended", {"template": once, "suspend": True}, {"conditions": conditions("Suspended")})
    make(job, "deleted", {"template": once}, deleted=True)
    cron = BATCH + NS + "/cronjobs"
    spec = {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": once}}}
    make(cron, "plain", spec)
    make(cron, "busy", {**spec, "suspend": True, "timeZone": "Europe/Berlin"}, {
        "lastScheduleTime": ago(days=3, hours=4, minutes=30), "active": [{"name": "a"}, {"name": "b"}]})


def network():
    service = CORE + NS + "/services"
    ports = [{"port": 80, "name": "a"}, {"port": 53, "protocol": "UDP", "name": "b"}]
    make(service, "plain", {"ports": ports, "selector": {"b": "2", "a": "1"}})
    make(service, "headless", {"clusterIP": "None"})
    make(service, "external-ip", {"ports": ports, "externalIPs": ["1.1.1.1", "2.2.2.2"]})
    make(service, "node-port", {"ports": [{"port": 80, "nodePort": 30080}], "type": "NodePort"})
    make(service, "named", {"type": "ExternalName", "externalName": "example.com"})
    make(service, "pending", {"ports": ports, "type": "LoadBalancer", "allocateLoadBalancerNodePorts": False})
    balancer = {"loadBalancer": {"ingress": [{"ip": "9.9.9.9"}, {"hostname": "a-very-long-name.example.com"},
                                             {"ip": "10.9.9.9"}]}}
    make(service, "balanced", {"ports": [{"port": 443, "nodePort": 30443}], "type": "LoadBalancer"}, balancer)
    make(service, "balanced-too", {"ports": [{"port": 443, "nodePort": 30444}], "type": "LoadBalancer",
                                   "externalIPs": ["1.1.1.1"]}, balancer)
    endpoints = CORE + NS + "/endpoints"
    address = [{"ip": "10.0.0.%d" % i} for i in range(1, 4)]
    make(endpoints, "none")
    make(endpoints, "bare", subsets=[{"addresses": address}])
    make(endpoints, "unready", subsets=[{"notReadyAddresses": address, "ports": [{"port": 1}]}])
    make(endpoints, "many", subsets=[{"addresses": address, "ports": [{"port": 1, "name": "a"}, {"port": 2, "name": "b"}]}])
    make(endpoints, "six", subsets=[{"addresses": [{"ip": "fd00::1"}], "ports": [{"port": 8080}]}])
    slices = "/apis/discovery.k8s.io/v1" + NS + "/endpointslices"
    make(slices, "none", addressType="IPv4", endpoints=[], ports=[])
    make(slices, "many", addressType="IPv4", endpoints=[{"addresses": ["10.0.0.%d" % i]} for i in range(5)],
         ports=[{"port": i, "name": "p%d" % i} for i in range(1, 6)])
    make(slices, "named", addressType="FQDN", endpoints=[{"addresses": ["a.example.com"]}],
         ports=[{"name": "x"}, {"port": 5, "name": "y"}])
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    ingress = NET + NS + "/ingresses"

    def rules(*hosts):
        return [{"host": h, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}} if h else
                {"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}} for h in hosts]
    make(ingress, "plain", {"defaultBackend": backend})
    make(ingress, "hosts", {"rules": rules("a.com", "", "b.com"), "ingressClassName": "nginx", "tls": [{"hosts": ["a.com"]}]},
         balancer)
    make(ingress, "many", {"rules": rules("a.com", "", "b.com", "c.com", "d.com", "e.com")})
    make(NET + "/ingressclasses", "plain", {"controller": "a.b/c"})
    make(NET + "/ingressclasses", "full", {"controller": "a.b/c", "parameters": {
        "apiGroup": "x.y", "kind": "Config", "name": "p"}},
        annotations={"ingressclass.kubernetes.io/is-default-class": "true"})
    make(NET + NS + "/networkpolicies", "all", {"podSelector": {}})
    make(NET + NS + "/networkpolicies", "some", {"podSelector": {"matchLabels": {"b": "2", "a": "1"}}})


def events():
    event = CORE + NS + "/events"
    pod = {"kind": "Pod", "name": "p", "namespace": "default", "fieldPath": "spec.containers{c}"}
    base = {"involvedObject": pod, "reason": "R", "type": "Normal", "message": " text \n"}
    make(event, "old", **base, count=4, firstTimestamp=ago(hours=9, minutes=30), lastTimestamp=ago(minutes=4, seconds=30),
         source={"component": "kubelet", "host": "n1"})
    make(event, "old-once", **base, firstTimestamp=ago(hours=9, minutes=30), source={"component": "kubelet"})
    make(event, "bare", involvedObject={"namespace": "default", "kind": "ReplicaSet"}, message="m")
    new = {**base, "reportingComponent": "example.com/c", "reportingInstance": "c-1", "action": "A"}
    make(event, "new", **new, eventTime=micro(minutes=30, seconds=30))
    make(event, "series", **new, eventTime=micro(minutes=30, seconds=30),
         series={"count": 12, "lastObservedTime": micro(seconds=100)})


def config():
    make(CORE + "/namespaces", "gone", deleted=True)
    make(CORE + NS + "/configmaps", "c", data={"a": "1", "b": "2"}, binaryData={"d": "AAAA"})
    make(CORE + NS + "/configmaps", "empty")
    make(CORE + NS + "/secrets", "s", data={"a": "AAAA"}, stringData={"b": "x"})
    make(CORE + NS + "/secrets", "typed", type="example.com/t")
    make(CORE + NS + "/serviceaccounts", "s")
    make(CORE + NS + "/limitranges", "l", {"limits": [{"type": "Container", "default": {"cpu": "1"}}]})
    hard = {"cpu": "4", "limits.cpu": "8", "pods": "10", "requests.storage": "1Ti", "limits.memory": "1Gi"}
    make(CORE + NS + "/resourcequotas", "q", {"hard": hard}, {"hard": hard, "used": {"cpu": "1500m", "limits.cpu": "2"}})
    make(CORE + NS + "/resourcequotas", "new", {"hard": hard})
    lease = "/apis/coordination.k8s.io/v1" + NS + "/leases"
    make(lease, "held", {"holderIdentity": "me"})
    make(lease, "free", {})
    make("/apis/node.k8s.io/v1/runtimeclasses", "r", handler="kata")
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    make(classes, "high", value=1000, globalDefault=True, preemptionPolicy="Never")
    make(classes, "low", value=-5)


def access():
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    subjects = [{"kind": "User", "name": "u1"}, {"kind": "Group", "name": "g"}, {"kind": "User", "name": "u2"},
                {"kind": "ServiceAccount", "name": "s", "namespace": "n"}]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    make(rbac + NS + "/rolebindings", "full", subjects=subjects, roleRef=role)
    make(rbac + "/clusterrolebindings", "berth-none", roleRef=role)
    make(rbac + NS + "/roles", "r", rules=[{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}])


def devices():
    make(DRA + "/deviceclasses", "d", {})
    claim = DRA + NS + "/resourceclaims"
    spec = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "d"}}]}}
    allocation = {"devices": {"results": [{"request": "r", "driver": "a.b", "pool": "p", "device": "d"}]}}
    make(claim, "pending", spec)
    make(claim, "allocated", spec, {"allocation": allocation})
    make(claim, "reserved", spec, {"allocation": allocation, "reservedFor": [
        {"resource": "pods", "name": "p", "uid": "u"}]})
    make(claim, "deleted", spec, deleted=True)
    make(claim, "deleted-allocated", spec, {"allocation": allocation}, deleted=True)
    make(DRA + NS + "/resourceclaimtemplates", "t", {"spec": spec})
    make(DRA + "/resourceslices", "s", {"driver": "a.b", "nodeName": "n1", "devices": [{"name": "d"}], "pool": {
        "name": "p", "generation": 1, "resourceSliceCount": 1}})
    make(DRA + "/resourceslices", "all", {"driver": "a.b", "allNodes": True, "devices": [{"name": "d"}], "pool": {
        "name": "p2", "generation": 1, "resourceSliceCount": 1}})
    make(DRA + "/devicetaintrules", "t", {"deviceSelector": {"driver": "a.b"}, "taint": {
        "key": "k", "value": "v", "effect": "NoExecute", "timeAdded": ago(days=4, hours=5, minutes=30)}})


LISTS = [(CORE, name) for name in (
    "pods", "podtemplates", "nodes", "persistentvolumes", "persistentvolumeclaims", "replicationcontrollers", "services",
    "endpoints", "events", "namespaces", "configmaps", "secrets", "serviceaccounts", "limitranges", "resourcequotas")]
LISTS += [(APPS, name) for name in ("replicasets", "daemonsets", "deployments", "statefulsets", "controllerrevisions")]
LISTS += [(BATCH, name) for name in ("jobs", "cronjobs")]
LISTS += [("/apis/policy/v1", "poddisruptionbudgets"), ("/apis/autoscaling/v2", "horizontalpodautoscalers"),
          ("/apis/discovery.k8s.io/v1", "endpointslices"), ("/apis/events.k8s.io/v1", "events"),
          ("/apis/coordination.k8s.io/v1", "leases"), ("/apis/node.k8s.io/v1", "runtimeclasses"),
          ("/apis/scheduling.k8s.io/v1", "priorityclasses"), ("/apis/rbac.authorization.k8s.io/v1", "rolebindings"),
          ("/apis/rbac.authorization.k8s.io/v1", "roles"), ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings")]
LISTS += [(NET, name) for name in ("ingresses", "ingressclasses", "networkpolicies")]
LISTS += [(STORAGE, name) for name in ("storageclasses", "volumeattributesclasses", "csidrivers", "csinodes",
                                       "csistoragecapacities", "volumeattachments")]
LISTS += [(DRA, name) for name in ("deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices",
                                   "devicetaintrules")]
LISTS += [(GROUPS + "/v1beta1", "workloads"), (GROUPS + "/v1beta1", "podgroups"),
          (GROUPS + "/v1alpha3", "compositepodgroups")]


def groups():
    reference = {"workloadName": "w", "templateName": "t"}
    gang = {"schedulingPolicy": {"gang": {"minCount": 2}}}
    basic = {"schedulingPolicy": {"basic": {}}}

    def told(kind, status, reason):
        return {"type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": ago(hours=1)}

    pod_groups = GROUPS + "/v1beta1" + NS + "/podgroups"
    make(pod_groups, "gang", gang)
    make(pod_groups, "basic", {**basic, "workloadRef": reference})
    make(pod_groups, "placed", gang, {"conditions": [told("PodGroupInitiallyScheduled", "True", "Scheduled")]})
    make(pod_groups, "waits", gang, {"conditions": [told("PodGroupInitiallyScheduled", "False", "Unschedulable")]})
    make(pod_groups, "failed", gang, {"conditions": [told("PodGroupInitiallyScheduled", "False", "SchedulerError")]})
    make(pod_groups, "evicted", gang, {"conditions": [told("PodGroupInitiallyScheduled", "True", "Scheduled"),
                                                      told("DisruptionTarget", "True", "PreemptionByScheduler")]})
    make(pod_groups, "spared", gang, {"conditions": [told("DisruptionTarget", "False", "Other")]})
    make(GROUPS + "/v1beta1" + NS + "/workloads", "one", {"podGroupTemplates": [{"name": "a", **gang}]})
    composite = GROUPS + "/v1alpha3" + NS + "/compositepodgroups"
    make(composite, "gang", {"workloadRef": reference, "schedulingPolicy": {"gang": {"minGroupCount": 2}}})
    make(composite, "basic", {"workloadRef": reference, **basic})


def is_ours(row):
    return not row["object"]["metadata"]["name"].startswith(("system:", "kubernetes", "kube-", "extension-"))


def main():
    global url, token
    url, token = sys.argv[1].rstrip("/"), sys.argv[2] if len(sys.argv) > 2 else ""
    for family in (pods, nodes, volumes, storage, workloads, network, events, config, access, devices, groups):
        family()
    for prefix, plural in LISTS:
        table = call("GET", "%s/%s?includeObject=Object" % (prefix, plural), accept=TABLE)
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        rows = [row for row in table["rows"] if is_ours(row)]
        for row in rows:
            row["object"]["metadata"].pop("managedFields", None)
        columns = [[c["name"], c["type"], c["format"], c["priority"]] for c in table["columnDefinitions"]]
        group = "" if prefix == CORE else prefix.split("/")[2]
        print(json.dumps({"group": group, "plural": plural, "now": now, "columns": columns, "rows": rows},
                         separators=(",", ":")))


if __name__ == "__main__":
    main()
