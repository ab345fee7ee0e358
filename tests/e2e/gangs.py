# SPDX-License-Identifier: Apache-2.0
"""Gangs in a cluster that has room for some of them, while the leader is killed, members are deleted, minCount changes and
a group is deleted. And groups as the scheduler plugins have them.

A gang is bound as a whole or not at all. Only what the leader had bound of a gang when it was killed may stand alone, and
that is completed as soon as there is room. A witness in etcd sees every overcommitment, however short.
"""
import time

from cluster import SCHEDULER_USER, in_parallel, wait_for
from faults import DONE_WITHIN, ELECTION, through
from proxy import FaultProxy
from witness import Witness, check_eyesight

API_ARGS = ["--feature-gates=GenericWorkload=true", "--runtime-config=scheduling.k8s.io/v1beta1=true"]
GATES = ["--feature-gates=GenericWorkload=true"]
GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups"
PER_NODE = 3


class Gangs:
    """Groups of pods, and nodes with room for six out of ten of them."""

    def __init__(self, context):
        check_eyesight()
        self.cluster, self.size = context.cluster, context.options.gang_size
        self.names = [f"gang-{i:03}" for i in range(context.options.gangs)]
        self.fit = len(self.names) * 6 // 10
        assert self.fit * self.size % PER_NODE == 0, "the nodes must be filled to the last place"
        self.torn = set()  # Gangs that the dead leader has bound in part.
        self.witness = context.closing(Witness(self.cluster, PER_NODE))
        nodes = [f"node-{i:04}" for i in range(self.fit * self.size // PER_NODE)]
        in_parallel(lambda name: self.cluster.create_node(name, cpu=PER_NODE), nodes)
        in_parallel(self.create, self.names)

    def create(self, name):
        self.create_group(name)
        for i in range(self.size):
            self.create_member(name, i)

    def create_group(self, name):
        self.cluster.api("POST", GROUPS, {
            "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name},
            "spec": {"schedulingPolicy": {"gang": {"minCount": self.size}}}})

    def create_member(self, name, number):
        self.cluster.create_pod(f"{name}-{number:03}", schedulingGroup={"podGroupName": name})

    def patch(self, name, change):
        self.cluster.api("PATCH", f"{GROUPS}/{name}", change, "application/merge-patch+json")

    def delete_group(self, name):
        """For good: nobody is here to take the finalizer away."""
        self.cluster.api("DELETE", f"{GROUPS}/{name}")
        group = next(item for item in self.cluster.api("GET", GROUPS)["items"] if item["metadata"]["name"] == name)
        if group["metadata"].get("finalizers"):
            self.patch(name, {"metadata": {"finalizers": None}})

    def delete_pods(self, names):
        in_parallel(lambda name: self.cluster.delete("Pod", name), names)

    def members(self, gang):
        """Names of its pods, each with whether it is bound."""
        found = {}
        for key, (_, node, _) in list(self.witness.pods.items()):
            pod = key.rsplit("/", 1)[1]
            if pod.rsplit("-", 1)[0] == gang:
                found[pod] = bool(node)
        return found

    def bound(self, gang):
        return sum(self.members(gang).values())

    def started(self):
        return [gang for gang in self.names if self.bound(gang)]

    def waiting(self):
        return [gang for gang in self.names if not self.bound(gang) and self.members(gang)]

    def all_told(self):
        """Whether the status of every group says that it has been scheduled."""
        return all(any(c["type"] == "PodGroupInitiallyScheduled" and c["status"] == "True"
                       for c in group.get("status", {}).get("conditions", []))
                   for group in self.cluster.api("GET", GROUPS)["items"])

    def settle(self, least):
        """Waits until so many gangs have started as a whole and nothing more happens, and checks the others."""
        wait_for(lambda: f"{least} gangs have started, but { {gang: self.bound(gang) for gang in self.started()} }",
                 lambda: sum(1 for gang in self.names if self.bound(gang) >= self.size) >= least, DONE_WITHIN, 0.5)
        before = -1
        while before != (before := self.witness.bound()):
            time.sleep(1.5)
        torn = {gang for gang in self.started() if self.bound(gang) < len(self.members(gang))}
        assert torn <= self.torn, f"bound in part: { {gang: self.bound(gang) for gang in torn - self.torn} }"
        self.witness.check()


def gangs_share_a_cluster(context):
    """All or nothing, whatever happens, and what waits starts as room appears."""
    gangs = Gangs(context)

    def slowly(request):
        if request.is_binding:
            time.sleep(0.02)

    proxy = context.closing(FaultProxy(context.cluster, slowly))
    leader = through(context, proxy, "leader", config=ELECTION, args=GATES).start()
    second = context.scheduler("second", config=ELECTION, args=GATES).start()
    gangs.witness.wait_ever_bound(gangs.fit * gangs.size // 4, DONE_WITHIN)
    leader.kill()
    time.sleep(1)  # The last of its bindings may be on their way.
    gangs.torn = {gang for gang in gangs.started() if gangs.bound(gang) < gangs.size}
    gangs.settle(gangs.fit - len(gangs.torn))

    # A gang that waits loses a member, so that it cannot start; one needs fewer from now on; one loses its group.
    lost, smaller, orphaned = gangs.waiting()[:3]
    gangs.delete_pods([f"{lost}-000"])
    gangs.patch(smaller, {"spec": {"schedulingPolicy": {"gang": {"minCount": gangs.size - 1}}}})
    gangs.delete_pods([f"{smaller}-000"])
    gangs.delete_group(orphaned)
    # Room for all that still wait.
    ended = [gang for gang in gangs.started() if gang not in gangs.torn][:len(gangs.waiting())]
    gangs.delete_pods([pod for gang in ended for pod in gangs.members(gang)])
    expected = [gang for gang in gangs.waiting() if gang not in (lost, orphaned)]
    wait_for(lambda: f"what waited has started, but { {gang: gangs.bound(gang) for gang in expected} }",
             lambda: all(gangs.bound(gang) == len(gangs.members(gang)) for gang in [*expected, *gangs.torn]), DONE_WITHIN, 0.5)
    assert not gangs.bound(lost) and not gangs.bound(orphaned), "a gang has started without its quorum or group"
    gangs.torn = set()
    gangs.settle(0)

    # Both are made whole again.
    # By connections of their own: this thread's may have been idle for too long.
    in_parallel(lambda make: make(), [lambda: gangs.create_member(lost, 0), lambda: gangs.create_group(orphaned)])
    wait_for("all have started", lambda: gangs.bound(lost) == gangs.bound(orphaned) == gangs.size, DONE_WITHIN, 0.5)
    gangs.settle(0)
    wait_for("every group has been told so", gangs.all_told, 30, 0.5)
    second.check_cache()
    second.stop()
    second.replay()
    in_parallel(gangs.delete_group, [item["metadata"]["name"] for item in context.cluster.api("GET", GROUPS)["items"]])


DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OLD_GROUPS = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups"
OLD_DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "podgroups.scheduling.x-k8s.io",
                 "annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/scheduler-plugins/pull/50"}},
    "spec": {"group": "scheduling.x-k8s.io", "scope": "Namespaced", "names": {"plural": "podgroups", "kind": "PodGroup"},
             "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                 "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]},
}
COSCHEDULING = {"profiles": [{"schedulerName": "default-scheduler", "plugins": {
    "multiPoint": {"enabled": [{"name": "Coscheduling"}]},
    "queueSort": {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "*"}]}}}]}


def coscheduling(context):
    """The custom resource of scheduler-plugins: not installed at first, then read; a gang starts when there is room for it."""
    cluster = context.cluster
    rights = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "coscheduling"}}
    cluster.api("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {**rights, "kind": "ClusterRole", "rules": [
        {"apiGroups": ["scheduling.x-k8s.io"], "resources": ["podgroups"], "verbs": ["get", "list", "watch"]}]})
    cluster.api("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        **rights, "kind": "ClusterRoleBinding", "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "coscheduling"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": SCHEDULER_USER}]})
    cluster.create_node("node-1", cpu=4)
    scheduler = context.scheduler(config=COSCHEDULING).start()
    cluster.create_pod("alone")
    wait_for("a pod without a group is bound", lambda: cluster.node_of("alone"))
    assert "is the custom resource installed" in scheduler.log(), scheduler.log()[-600:]

    cluster.api("POST", DEFINITIONS, OLD_DEFINITION)
    group = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"minMember": 3}}
    wait_for("the definition is served", lambda: cluster.try_api("POST", OLD_GROUPS, group), 30, 0.2)
    members = [f"member-{i}" for i in range(3)]
    for name in members:
        cluster.create("Pod", metadata={"name": name, "labels": {"scheduling.x-k8s.io/pod-group": "g"}},
                       spec={"containers": [{"name": "c", "image": "none", "resources": {"requests": {"cpu": "2"}}}]})
    wait_for("the group is given up", lambda: any("gets rejected due to Pod" in cluster.condition(name, "PodScheduled").get("message", "")
                                                  for name in members), 60)
    assert not any(cluster.node_of(name) for name in members), "a group is bound in part"
    cluster.create_node("node-2", cpu=4)
    wait_for("the group has started", lambda: all(cluster.node_of(name) for name in members), 60)
    scheduler.stop()
    scheduler.replay()
    for path in ("/apis/rbac.authorization.k8s.io/v1/clusterroles/coscheduling",
                 "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/coscheduling", f"{DEFINITIONS}/podgroups.scheduling.x-k8s.io"):
        cluster.api("DELETE", path)


TESTS = [gangs_share_a_cluster, coscheduling]
SMOKE = TESTS
