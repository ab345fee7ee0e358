# SPDX-License-Identifier: Apache-2.0
"""Legacy policies: from a ConfigMap, from a file, from a configuration of v1alpha1, and the command lines of their time."""
import http.client
import json

from cluster import HOST, SCHEDULER_USER, free_port
from extenders import Extender, build, failure
from features import expect_bound

POLICY = {
    "kind": "Policy", "apiVersion": "v1",
    "predicates": [{"name": "GeneralPredicates"},
                   {"name": "RackOnly", "argument": {"labelsPresence": {"labels": ["rack"], "presence": True}}}],
    "priorities": [{"name": "LeastRequestedPriority", "weight": 1},
                   {"name": "Fast", "weight": 5, "argument": {"labelPreference": {"label": "fast", "presence": True}}}],
    "alwaysCheckAllPredicates": True,
}


class Created:
    """Objects that are removed after the test."""

    def __init__(self, context):
        self.api, self.paths = context.cluster.api, []
        context.closing(self)

    def create(self, path, made):
        self.api("POST", path, made)
        self.paths.append(f"{path}/{made['metadata']['name']}")

    def close(self):
        for path in self.paths:
            self.api("DELETE", path)


def create_policy(context, policy, name="scheduler-policy", key="policy.cfg"):
    """A ConfigMap with a policy; None: there is none."""
    if policy is not None:
        text = policy if isinstance(policy, str) else json.dumps(policy)
        Created(context).create("/api/v1/namespaces/kube-system/configmaps", {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {key: text}})


def allow_reading(context, *names):
    """By itself, the scheduler may not read such a ConfigMap."""
    created, rbac, metadata = Created(context), "rbac.authorization.k8s.io", {"name": "scheduler-policy"}
    created.create(f"/apis/{rbac}/v1/namespaces/kube-system/roles", {
        "apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": metadata,
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": names, "verbs": ["get"]}]})
    created.create(f"/apis/{rbac}/v1/namespaces/kube-system/rolebindings", {
        "apiVersion": f"{rbac}/v1", "kind": "RoleBinding", "metadata": metadata,
        "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "scheduler-policy"},
        "subjects": [{"kind": "User", "name": SCHEDULER_USER, "apiGroup": rbac}]})


def create_nodes(context):
    """Only two have a rack, and one of these is fast."""
    for name, labels in {"node-0": {}, "node-1": {"rack": "a"}, "node-2": {"rack": "b", "fast": "yes"}}.items():
        context.cluster.create_node(name, labels=labels)


def config_map(context):
    """A policy of v1.22 with a predicate and a priority of the user's own, and an extender."""
    build()
    server = Extender(context)
    server.behave("policy", keep="node-[12]", message="not here", scores={})
    extender = {"urlPrefix": server.url("policy"), "filterVerb": "filter", "httpTimeout": 2_000_000_000, "enableHttps": False}
    create_policy(context, {**POLICY, "extenders": [extender]})
    allow_reading(context, "scheduler-policy")
    create_nodes(context)
    scheduler = context.scheduler(args=["--policy-configmap=scheduler-policy"]).start()
    context.cluster.create_pod("pod")
    expect_bound(context, "pod", "node-2")
    assert server.calls("policy", "filter", "pod"), "the extender of the policy was not called"

    context.cluster.create_pod("big", cpu="500")
    note = failure(context, "big")
    assert note.startswith("0/3 nodes are available: 1 node(s) didn't have the requested labels, 3 Insufficient cpu."), note
    status, text = scheduler.get("/configz")
    assert status == 200 and "NodeLabel" in text, text
    scheduler.check_cache()
    scheduler.stop()
    scheduler.replay()


def legacy_configuration(context):
    """A configuration of v1alpha1, whose policy is read as v1.16 did."""
    policy = {**POLICY, "predicates": [{"name": "GeneralPredicates"},
                                       {"name": "CheckNodeLabelPresence", "argument": {"labelsPresence": {"labels": ["rack"], "presence": True}}}]}
    create_policy(context, policy)
    allow_reading(context, "scheduler-policy")
    create_nodes(context)
    scheduler = context.scheduler(args=["--policy-compat=v1.16"])
    plain = free_port()
    path = scheduler.folder / "config.json"
    path.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1alpha1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": json.loads(path.read_text())["clientConnection"], "leaderElection": {"leaderElect": False},
        "healthzBindAddress": f"127.0.0.1:{plain}", "metricsBindAddress": f"127.0.0.1:{plain}",
        "algorithmSource": {"policy": {"configMap": {"name": "scheduler-policy"}}}}))
    scheduler.start()
    context.cluster.create_pod("pod")
    expect_bound(context, "pod", "node-2")
    context.cluster.create_pod("selective", nodeSelector={"disk": "ssd"})
    note = failure(context, "selective")
    assert note.startswith("0/3 nodes are available: 1 node(s) didn't have the requested labels, "
                           "3 node(s) didn't match node selector."), note
    assert get_plain(plain, "/healthz") == (200, "ok")
    status, text = get_plain(plain, "/metrics")
    assert status == 200 and "scheduler_schedule_attempts_total" in text
    assert get_plain(plain, "/configz")[0] == 404
    scheduler.stop()
    scheduler.replay()


def get_plain(port, path):
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def flags_only(scheduler, *flags):
    """Takes the configuration file from a scheduler and gives it flags in its place."""
    kubeconfig = scheduler.folder / "kubeconfig"
    scheduler.command = [word for word in scheduler.command if not word.startswith("--config=")]
    scheduler.command += [f"--kubeconfig={kubeconfig}", "--leader-elect=false", *flags]
    return scheduler


def era_command_line(context):
    """A command line as they were: a policy file, a name, a plain port, and no configuration file."""
    create_nodes(context)
    file = context.folder / "policy.json"
    file.write_text(json.dumps(POLICY))
    plain = free_port()
    flags_only(context.scheduler(), f"--policy-config-file={file}", "--policy-configmap=ignored", "--use-legacy-policy-config",
               "--scheduler-name=old", "--address=127.0.0.1", f"--port={plain}", "--logtostderr=true", "--v=2").start()
    context.cluster.create_pod("pod", schedulerName="old")
    expect_bound(context, "pod", "node-2")
    assert get_plain(plain, "/healthz")[0] == 200


def providers(context):
    """ClusterAutoscalerProvider packs pods, DefaultProvider spreads them; each with the plugins of its release."""
    for i in range(2):
        context.cluster.create_node(f"node-{i}")
    # A quarter of a node, whatever is counted.
    balanced = {"name": "c", "image": "none", "resources": {"requests": {"cpu": "1", "memory": "16Gi"}}}
    for number, (provider, compat, packs) in enumerate((
            ("ClusterAutoscalerProvider", "v1.22", True), ("DefaultProvider", "v1.21", False),
            ("ClusterAutoscalerProvider", "v1.16", True))):
        name = f"scheduler-{number}"
        scheduler = flags_only(context.scheduler(name), f"--algorithm-provider={provider}", f"--policy-compat={compat}",
                               f"--scheduler-name={name}").start()
        pods = [f"pod-{number}-{i}" for i in range(2)]
        for pod in pods:
            context.cluster.create_pod(pod, schedulerName=name, containers=[balanced])
            expect_bound(context, pod)
        assert (len({context.cluster.node_of(pod) for pod in pods}) == 1) == packs, provider
        scheduler.stop()
        for pod in pods:
            context.cluster.delete("Pod", pod)


def unreadable_policies(context):
    """The scheduler ends and says why."""
    cases = {
        "forbidden": (POLICY, "couldn't get policy config map kube-system/forbidden: configmaps 'forbidden' is forbidden"),
        "absent": (None, "couldn't get policy config map kube-system/absent: configmaps 'absent' not found"),
        "other-key": (POLICY, "missing policy config map value at key 'policy.cfg'"),
        "garbage": ("{", "invalid policy: "),
        "unknown": ({**POLICY, "predicates": [{"name": "Nonsense"}]},
                    "couldn't create scheduler from policy: predicate type not found for 'Nonsense'"),
    }
    allow_reading(context, *(name for name in cases if name != "forbidden"))
    for name, (policy, text) in cases.items():
        create_policy(context, policy, name, "other.cfg" if name == "other-key" else "policy.cfg")
        scheduler = context.scheduler(name, args=[f"--policy-configmap={name}"]).start(ready=False)
        assert scheduler.process.wait(30) == 1
        assert text in scheduler.log().replace('\\"', "'"), scheduler.log()[-600:]


TESTS = [config_map, legacy_configuration, era_command_line, providers, unreadable_policies]
SMOKE = [config_map, legacy_configuration]
