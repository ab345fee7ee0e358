# SPDX-License-Identifier: Apache-2.0
"""What a scheduler does in a cluster that works: over TLS, with protobuf, as it is by default.

The recorded scenarios of tests/live compare every byte that it writes; here it is about the ways in which it is run.
"""
import json
import os
import re
import signal
import stat
import subprocess
import time

from certs import Authority
from cluster import SCHEDULER_USER, Skip, encode, in_parallel, wait_for
from live import SCHED
from proxy import FaultProxy

ELECTION = {"leaderElect": True, "leaseDuration": "6s", "renewDeadline": "4s", "retryPeriod": "1s"}
LEADERS = {"leaderElection": ELECTION}


def expect_bound(context, pod, node=None):
    found = wait_for(f"pod {pod} is bound", lambda: context.cluster.node_of(pod))
    assert node is None or found == node, f"{pod} is on {found}, not {node}"


def schedule_one(context, name="pod"):
    """Shows that somebody schedules."""
    if not context.cluster.items("Node"):
        context.cluster.create_node("node")
    context.cluster.create_pod(name)
    expect_bound(context, name)


def client_certificate(context):
    """TLS both ways and protobuf, with pods that fit and one that does not."""
    cluster = context.cluster
    for i in range(3):
        cluster.create_node(f"node-{i}", labels={"disk": "ssd" if i == 1 else "hdd"})
    scheduler = context.scheduler().start()
    cluster.create_pod("chooser", nodeSelector={"disk": "ssd"})
    in_parallel(lambda i: cluster.create_pod(f"pod-{i}"), range(6))
    cluster.create_pod("big", cpu="5")

    expect_bound(context, "chooser", "node-1")
    for i in range(6):
        expect_bound(context, f"pod-{i}")
    assert cluster.condition("chooser", "PodScheduled")["status"] == "True"
    event = wait_for("there is an event", lambda: cluster.events("chooser", "Scheduled"))[0]
    assert event["note"] == "Successfully assigned default/chooser to node-1", event["note"]
    assert event["action"] == "Binding" and event["reportingController"] == "default-scheduler", event

    condition = wait_for("big is unschedulable", lambda: cluster.condition("big", "PodScheduled"))
    assert (condition["status"], condition["reason"]) == ("False", "Unschedulable"), condition
    assert condition["message"].startswith("0/3 nodes are available: 3 Insufficient cpu."), condition
    event = wait_for("there is an event", lambda: cluster.events("big", "FailedScheduling"))[0]
    assert event["note"] == condition["message"] and event["type"] == "Warning", event
    scheduler.check_cache()


def preemption(context):
    """A victim is marked and deleted, and the room is kept for who needs it."""
    cluster = context.cluster
    cluster.create_node("node", cpu=2)
    cluster.create("PriorityClass", metadata={"name": "high"}, value=1000)
    context.scheduler().start()
    cluster.create_pod("victim", cpu="2")
    expect_bound(context, "victim")
    cluster.create_pod("urgent", cpu="2", priorityClassName="high")
    wait_for("the victim is being deleted", lambda: cluster.pod("victim")["metadata"].get("deletionTimestamp"))
    target = cluster.condition("victim", "DisruptionTarget")
    assert (target["status"], target["reason"]) == ("True", "PreemptionByScheduler"), target
    wait_for("the node is nominated", lambda: cluster.pod("urgent")["status"].get("nominatedNodeName") == "node")
    wait_for("there is an event", lambda: cluster.events("victim", "Preempted"))
    cluster.delete("Pod", "victim")  # As the kubelet does when it has stopped.
    expect_bound(context, "urgent", "node")


def volume_of_first_consumer(context):
    """A claim waits for its first pod, gets the volume that is there, and the pod goes where that is."""
    cluster = context.cluster
    for name in ("node-0", "node-1", "node-2"):
        cluster.create_node(name)
    cluster.create("StorageClass", metadata={"name": "local"}, provisioner="kubernetes.io/no-provisioner",
                   volumeBindingMode="WaitForFirstConsumer")
    on_node = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-2"]}]}
    cluster.create("PersistentVolume", metadata={"name": "disk"},
                   spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local",
                         "local": {"path": "/disk"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [on_node]}}})
    cluster.patch("PersistentVolume", "disk", {"status": {"phase": "Available"}}, sub="status")
    cluster.create("PersistentVolumeClaim", metadata={"name": "data"},
                   spec={"accessModes": ["ReadWriteOnce"], "storageClassName": "local",
                         "resources": {"requests": {"storage": "1Gi"}}})
    context.scheduler().start()
    cluster.create_pod("pod", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])

    claim = wait_for("the volume is given to the claim",
                     lambda: cluster.get("PersistentVolume", None, "disk")["spec"].get("claimRef"))
    assert claim["name"] == "data", claim
    assert cluster.node_of("pod") is None, "the pod was bound before its claim"
    # As the volume controller does.
    cluster.patch("PersistentVolume", "disk", {"status": {"phase": "Bound"}}, sub="status")
    cluster.patch("PersistentVolumeClaim", "data", {
        "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": "disk"}})
    cluster.patch("PersistentVolumeClaim", "data", {"status": {"phase": "Bound"}}, sub="status")
    expect_bound(context, "pod", "node-2")


def metrics(context):
    """The serving port knows what happened."""
    scheduler = context.scheduler().start()
    schedule_one(context)
    context.cluster.create_pod("big", cpu="500")
    wait_for("big is unschedulable", lambda: context.cluster.condition("big", "PodScheduled"))
    sample = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="%s"}'
    wait_for("one is counted", lambda: scheduler.metric(sample % "scheduled") == 1)
    assert scheduler.metric(sample % "unschedulable") >= 1
    wait_for("one is pending", lambda: scheduler.metric('scheduler_pending_pods{queue="unschedulable"}') == 1)
    text = scheduler.get("/metrics")[1]
    assert re.search(r'rest_client_requests_total\{code="201",.*method="POST"', text), "no requests are counted"
    for path in ("/healthz", "/livez", "/readyz"):
        assert scheduler.get(path) == (200, "ok"), path
    assert scheduler.get("/metrics", token=SCHED)[0] == 403, "metrics are shown to anybody"


def lease(context):
    return context.cluster.get("Lease", "kube-system", "kube-scheduler")


def two_instances(context):
    """One schedules, the other waits; when the first is stopped it gives its lease up and the other goes on."""
    first = context.scheduler("first", config=LEADERS).start()
    wait_for("the first leads", lambda: lease(context))
    holder = lease(context)["spec"]["holderIdentity"]
    second = context.scheduler("second", config=LEADERS).start()
    schedule_one(context, "early")
    status = 'leader_election_master_status{name="kube-scheduler"}'
    assert (first.metric(status), second.metric(status)) == (1, 0)
    start = time.monotonic()
    assert first.stop() == 0
    wait_for("the second leads", lambda: lease(context)["spec"].get("holderIdentity") not in (None, "", holder))
    assert time.monotonic() - start < 5, "the lease was not given up"
    schedule_one(context, "late")
    assert lease(context)["spec"]["leaseTransitions"] >= 1
    wait_for("it says so", lambda: second.metric(status) == 1)


def two_profiles(context):
    """One process is two schedulers: one packs, one spreads. A third name is nobody's."""
    def profile(name, strategy):
        return {"schedulerName": name, "pluginConfig": [{"name": "NodeResourcesFit", "args": {
            "scoringStrategy": {"type": strategy, "resources": [{"name": "cpu", "weight": 1}]}}}],
            "plugins": {"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesFit"}]}}}

    cluster = context.cluster
    cluster.create_node("busy", cpu=8)
    cluster.create_node("idle", cpu=8)
    cluster.create_pod("there", cpu="2", nodeName="busy")
    scheduler = context.scheduler(config={"profiles": [profile("packer", "MostAllocated"),
                                                       profile("spreader", "LeastAllocated")]}).start()
    cluster.create_pod("stranger", schedulerName="nobody")
    cluster.create_pod("packed", schedulerName="packer")
    expect_bound(context, "packed", "busy")
    cluster.create_pod("spread", schedulerName="spreader")
    expect_bound(context, "spread", "idle")
    assert cluster.node_of("stranger") is None
    event = wait_for("there is an event", lambda: cluster.events("packed", "Scheduled"))[0]
    assert event["reportingController"] == "packer", event
    sample = 'scheduler_schedule_attempts_total{profile="spreader",result="scheduled"}'
    wait_for("it is counted", lambda: scheduler.metric(sample) == 1)


def authority_file(context):
    path = context.folder / "ca.crt"
    path.write_text(context.cluster.authority.pem)
    return {"certificate-authority": str(path)}


def token_file(context):
    """A token that stands in a file, and is renewed there."""
    path = context.folder / "token"
    path.write_text(SCHED + "\n")
    context.scheduler(user={"tokenFile": str(path)}, cluster=authority_file(context)).start()
    schedule_one(context)


def certificate_files(context):
    """A client certificate and key that stand in files, and a name of the server that is not its address."""
    certificate, key = context.cluster.authority.issue(SCHEDULER_USER)
    (context.folder / "client.crt").write_text(certificate)
    (context.folder / "client.key").write_text(key)
    context.scheduler(user={"client-certificate": str(context.folder / "client.crt"),
                            "client-key": str(context.folder / "client.key")},
                      cluster={**authority_file(context), "tls-server-name": "localhost"}).start()
    schedule_one(context)


def exec_plugin(context):
    """A command tells who the scheduler is: once by a token, once by a certificate."""
    certificate, key = context.cluster.authority.issue(SCHEDULER_USER)
    for name, status in (("token", {"token": SCHED}),
                         ("certificate", {"clientCertificateData": certificate, "clientKeyData": key})):
        answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}
        calls, script = context.folder / f"{name}.calls", context.folder / f"{name}.sh"
        (context.folder / f"{name}.json").write_text(json.dumps(answer))
        script.write_text(f"#!/bin/sh\necho called >> {calls}\ncat {context.folder / name}.json\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        user = {"exec": {"apiVersion": answer["apiVersion"], "command": str(script), "interactiveMode": "Never"}}
        scheduler = context.scheduler(name, user=user, cluster=authority_file(context)).start()
        schedule_one(context, f"by-{name}")
        # One for each of the three kubeconfigs that a scheduler is given.
        assert len(calls.read_text().split()) <= 3, "the command was run again and again"
        scheduler.stop()


def in_cluster(context):
    """Without a kubeconfig: the address in the environment, token and authority where a pod finds them."""
    account = context.folder / "serviceaccount"
    account.mkdir()
    (account / "token").write_text(SCHED)
    (account / "ca.crt").write_text(context.cluster.authority.pem)
    # In a file system of its own, so that nothing of this machine is touched.
    run = "/var/run" if not os.path.islink("/var/run") else "/run"
    mount = (f"mkdir -p {context.folder}/run/secrets/kubernetes.io && cp -r {account} {context.folder}/run/secrets/"
             f"kubernetes.io/ && mount --bind {context.folder}/run {run}")
    wrapper = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    try:
        done = subprocess.run([*wrapper, "true"], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise Skip("no unshare") from error
    if done.returncode != 0:
        raise Skip("no mount namespaces for users")
    context.scheduler(kubeconfig=False, wrapper=wrapper,
                      env={"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(context.cluster.ap)}
                      ).start()
    schedule_one(context)


def strange_authority(context):
    """A server that somebody else vouches for is told nothing."""
    scheduler = context.scheduler(cluster={"certificate-authority-data": encode(Authority("other").pem)})
    scheduler.start(ready=False)
    context.cluster.create_node("node")
    context.cluster.create_pod("pod")
    wait_for("it complains", lambda: "certificate signed by unknown authority" in scheduler.log())
    time.sleep(1)
    assert context.cluster.node_of("pod") is None and scheduler.is_running()


def json_and_proxy(context):
    """JSON in place of protobuf, in plain HTTP, through a proxy."""
    proxy = context.closing(FaultProxy(context.cluster))
    context.scheduler(server=proxy.url, config={"clientConnection": {"contentType": "application/json"}}).start()
    schedule_one(context)
    assert proxy.count("POST", "/pods/pod/binding") == 1


def record_and_replay(context):
    """What was recorded gives the same decisions again, and can be explained."""
    cluster = context.cluster
    for i in range(5):
        cluster.create_node(f"node-{i}", labels={"topology.kubernetes.io/zone": f"z{i % 2}"})
    scheduler = context.scheduler().start()
    spread = [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
               "labelSelector": {}}]
    for i in range(24):
        cluster.create_pod(f"pod-{i}", topologySpreadConstraints=spread)
    wait_for("all that fit are bound", lambda: sum(1 for p in cluster.items("Pod") if p["spec"].get("nodeName")) == 20)
    wait_for("the others have been tried", lambda: all(p["status"].get("conditions") for p in cluster.items("Pod")))
    cluster.delete("Pod", "pod-0")
    wait_for("another takes its place", lambda: sum(1 for p in cluster.items("Pod") if p["spec"].get("nodeName")) == 20)
    scheduler.stop()
    scheduler.replay()
    explain = [str(context.berth), "replay", str(scheduler.recording), "--pod", "default/pod-1", "--explain"]
    done = subprocess.run(explain, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "node-" in done.stdout, done.stdout + done.stderr


def dump_on_signal(context):
    """SIGUSR2 writes cache and queue into the log and compares them."""
    scheduler = context.scheduler().start()
    schedule_one(context)
    context.cluster.create_pod("big", cpu="500")
    wait_for("big is unschedulable", lambda: context.cluster.condition("big", "PodScheduled"))
    time.sleep(0.5)
    scheduler.check_cache()
    log = scheduler.log()
    assert "Dump of cached NodeInfo" in log and "Dump of scheduling queue" in log
    assert "default/big" in log or "big" in log.split("Dump of scheduling queue")[1], "the queue lacks a pod"


def delayed_cache(context):
    """With delayCacheUntilActive a standby reads nothing until it leads."""
    config = {"leaderElection": ELECTION, "delayCacheUntilActive": True}
    first = context.scheduler("first", config=LEADERS).start()
    wait_for("the first leads", lambda: lease(context))
    proxy = context.closing(FaultProxy(context.cluster))
    context.scheduler("second", server=proxy.url, config=config).start(ready=False)
    wait_for("the second looks at the lease", lambda: proxy.count("GET", "/leases/"))
    schedule_one(context, "early")
    time.sleep(2)
    assert proxy.count("GET", "/api/v1/pods") == 0, "the standby reads pods"
    assert first.stop() == 0
    schedule_one(context, "late")
    assert proxy.count("GET", "/api/v1/pods") >= 1


def stop_in_order(context):
    """A stop lets bindings that are under way end."""
    cluster = context.cluster
    cluster.create_node("node", cpu=10)
    in_parallel(lambda i: cluster.create_pod(f"pod-{i}"), range(10))

    def slowly(request):
        if request.is_binding:
            time.sleep(0.4)

    proxy = context.closing(FaultProxy(cluster, slowly))
    scheduler = context.scheduler(server=proxy.url, user={"token": SCHED}).start()
    wait_for("bindings are under way", lambda: proxy.count("POST", "/binding") == 10, pause=0.01)
    scheduler.signal(signal.SIGTERM)
    scheduler.process.wait(10)
    bound = sum(1 for pod in cluster.items("Pod") if pod["spec"].get("nodeName"))
    assert bound == 10, f"{bound} of 10 pods are bound"
    scheduler.replay()


TESTS = [client_certificate, preemption, volume_of_first_consumer, metrics, two_instances, two_profiles, token_file,
         certificate_files, exec_plugin, in_cluster, strange_authority, json_and_proxy, record_and_replay,
         dump_on_signal, delayed_cache, stop_in_order]
SMOKE = [client_certificate, preemption, volume_of_first_consumer, two_instances, exec_plugin, record_and_replay]
