# SPDX-License-Identifier: Apache-2.0
"""Schedulers in a cluster that fails. Whatever happens, no pod is lost, none is bound twice, no node is overcommitted.

The nodes have room for exactly so many pods; a few more are there and must be left over. A witness in etcd sees every
overcommitment, however short. Afterwards the scheduler's cache must agree with what it was told, and its recording must
replay bit for bit.
"""
import random
import re
import threading
import time

from cluster import Repeated, in_parallel, wait_for
from live import SCHED
from proxy import Answer, Cut, FaultProxy, Hang, LoseAnswer
from witness import Witness, check_eyesight

PER_NODE = 40
DONE_WITHIN = 240
# Short, so that a test does not wait long for the second one to take over.
ELECTION = {"leaderElection": {"leaderElect": True, "leaseDuration": "6s", "renewDeadline": "4s", "retryPeriod": "1s"}}


class Load:
    """Nodes, and more pods than they have room for."""

    def __init__(self, context, spare_nodes=0):
        check_eyesight()
        self.cluster = context.cluster
        node_count = max(3, context.options.pods // PER_NODE)
        self.nodes = [f"node-{i:03}" for i in range(node_count + spare_nodes)]
        self.fit = node_count * PER_NODE
        self.extra = max(5, self.fit // 100)
        self.names = [f"pod-{i:05}" for i in range(self.fit + self.extra)]
        self.witness = context.closing(Witness(self.cluster, PER_NODE))
        in_parallel(lambda name: self.cluster.create_node(name, cpu=PER_NODE), self.nodes)

    def create_pods(self, names=None):
        in_parallel(self.cluster.create_pod, self.names if names is None else names)

    def share(self, percent):
        return self.fit * percent // 100

    def finish(self, *schedulers, bound=None):
        """Waits until as many pods are bound as fit and checks everything."""
        bound = self.fit if bound is None else bound
        self.witness.wait_bound(bound, DONE_WITHIN)
        wait_for("the others are unschedulable", self.all_tried, 60, 0.5)
        time.sleep(1)
        assert self.witness.bound() == bound, f"{self.witness.bound()} pods are bound, not {bound}"
        self.witness.check()
        for scheduler in schedulers:
            scheduler.check_cache()
            scheduler.stop()
            scheduler.replay()

    def all_tried(self):
        return all(any(c["type"] == "PodScheduled" for c in pod["status"].get("conditions", []))
                   for pod in self.cluster.items("Pod"))


def through(context, proxy, name="a", **options):
    return context.scheduler(name, server=proxy.url, user={"token": SCHED}, **options)


def apiserver_killed(context):
    """The API server is killed in the middle of pending pods, and comes back."""
    load = Load(context)
    load.create_pods()
    scheduler = context.scheduler().start()
    load.witness.wait_ever_bound(load.share(20))
    context.cluster.kill_apiserver()
    assert load.witness.ever_bound() < load.fit, "everything was bound before the fault"
    time.sleep(1)
    context.cluster.restart_apiserver()
    load.finish(scheduler)


def etcd_killed(context):
    """etcd is killed in the middle of pending pods, and comes back."""
    load = Load(context)
    load.create_pods()
    scheduler = context.scheduler().start()
    load.witness.wait_ever_bound(load.share(20))
    context.cluster.kill_etcd()
    assert load.witness.ever_bound() < load.fit, "everything was bound before the fault"
    time.sleep(3)
    context.cluster.restart_etcd()
    load.finish(scheduler)


def watches_cut(context):
    """Every watch is cut every second, while pods come and go."""
    load = Load(context)
    proxy = context.closing(FaultProxy(context.cluster))
    context.closing(Repeated(1, proxy.cut_watches))
    scheduler = through(context, proxy).start()
    load.create_pods()
    load.witness.wait_bound(load.fit, DONE_WITHIN)
    gone = [key.rsplit("/", 1)[1] for key, (_, node, _) in list(load.witness.pods.items()) if node][:load.share(10)]
    in_parallel(lambda name: context.cluster.delete("Pod", name), gone)
    load.create_pods([f"new-{name}" for name in gone])
    # A small load is over before the third cut.
    wait_for("every watch is cut three times", lambda: proxy.count("GET", "watch=") > 3 * 18, 60, 0.2)
    load.finish(scheduler)


def history_compacted(context):
    """Watches are down while much happens, and can then not be resumed: 410."""
    load = Load(context)
    blocked = threading.Event()

    def rule(request):
        return Cut() if request.is_watch and blocked.is_set() else None

    proxy = context.closing(FaultProxy(context.cluster, rule))
    scheduler = through(context, proxy).start()
    half = load.share(50)
    load.create_pods(load.names[:half])
    load.witness.wait_bound(half, DONE_WITHIN)
    blocked.set()
    proxy.cut_watches()
    gone = load.names[:half // 4]
    in_parallel(lambda name: context.cluster.delete("Pod", name), gone)
    load.create_pods(load.names[half:])
    load.create_pods(gone)  # Others by the same names.
    context.cluster.compact(context.cluster.revision())
    # The API server remembers more than etcd does, until it is a new one.
    context.cluster.kill_apiserver()
    context.cluster.restart_apiserver()
    blocked.clear()
    load.finish(scheduler)
    assert proxy.expired > 0, "every watch could be resumed"


def server_errors(context):
    """A fifth of all requests is refused, not answered, or carried out without an answer."""
    load = Load(context)
    load.create_pods()
    dice = random.Random(context.options.seed)

    def rule(request):
        roll = dice.random()
        if roll < 0.05:
            return Answer(429, "TooManyRequests", "Retry-After: 1\r\n")
        if roll < 0.10:
            return Answer(500, "InternalError")
        if roll < 0.13:
            return Answer(503, "ServiceUnavailable")
        if roll < 0.15:
            return Answer(504, "Timeout")
        if roll < 0.17:
            return Hang(3)
        if roll < 0.19:
            return Cut()
        if roll < 0.20 and not request.is_watch:
            return LoseAnswer()
        if roll < 0.201 and request.is_binding:
            return Hang(60)  # Longer than the scheduler waits.
        return None

    scheduler = through(context, context.closing(FaultProxy(context.cluster, rule))).start()
    load.finish(scheduler)


def leader_killed(context):
    """The leader is killed while its bindings are under way, and the second instance takes over."""
    load = Load(context)
    load.create_pods()

    def slowly(request):
        if request.is_binding:
            time.sleep(0.2)

    proxy = context.closing(FaultProxy(context.cluster, slowly))
    leader = through(context, proxy, "leader", config=ELECTION).start()
    second = context.scheduler("second", config=ELECTION).start()
    load.witness.wait_ever_bound(load.share(20))
    assert leader.is_running(), "the leader ended by itself"
    leader.kill()
    assert load.witness.ever_bound() < load.fit, "everything was bound before the fault"
    load.finish(second)


def node_deleted(context):
    """Nodes are deleted between the decision for them and the binding."""
    load = Load(context, spare_nodes=3)
    load.create_pods(load.names[:load.fit])
    deleted, lock, bindings = set(), threading.Lock(), [0]

    def rule(request):
        if not request.is_binding:
            return
        node = re.search(rb"node-\d{3}", request.body).group().decode()
        with lock:
            bindings[0] += 1
            if len(deleted) < 3 and node not in deleted and bindings[0] > load.share(20 * (len(deleted) + 1)):
                context.cluster.delete("Node", node)
                deleted.add(node)
        time.sleep(0.1)

    scheduler = through(context, context.closing(FaultProxy(context.cluster, rule))).start()
    load.witness.wait_bound(load.fit, DONE_WITHIN)
    assert len(deleted) == 3, "nodes were not deleted"
    # What was decided before stays on nodes that are gone, until somebody collects it; nothing new goes there.
    late = [f"late-{node}" for node in deleted]
    load.create_pods(late)
    load.finish(scheduler, bound=load.fit + len(late))
    on_nodes = {context.cluster.node_of(name) for name in late}
    assert not on_nodes & deleted, f"pods went to nodes that were gone: {on_nodes & deleted}"


def pod_deleted(context):
    """Pods are deleted, or replaced by others of the same name, between the decision and the binding."""
    load = Load(context)
    load.create_pods()
    replaced = set()
    lock = threading.Lock()

    def rule(request):
        if not request.is_binding:
            return
        name = request.pod
        with lock:
            if name[-1] not in "05" or name in replaced or len(replaced) > load.share(15):
                return
            replaced.add(name)
        context.cluster.delete("Pod", name)
        if name[-1] == "5":
            context.cluster.create_pod(name)

    scheduler = through(context, context.closing(FaultProxy(context.cluster, rule))).start()
    wait_for("pods are replaced", lambda: len(replaced) > load.share(15), DONE_WITHIN)
    gone = sum(1 for name in replaced if name[-1] == "0")
    wait_for("pods are gone", lambda: len(load.witness.pods) == len(load.names) - gone, 60)
    load.finish(scheduler, bound=min(load.fit, len(load.names) - gone))


def answer_lost(context):
    """Bindings are carried out, but their answers are lost; others are lost themselves."""
    load = Load(context)
    load.create_pods()
    seen = set()

    def rule(request):
        if not request.is_binding or request.pod in seen:
            return None
        seen.add(request.pod)
        return (None, Cut(), LoseAnswer())[int(request.pod[-5:]) % 3]

    scheduler = through(context, context.closing(FaultProxy(context.cluster, rule))).start()
    load.finish(scheduler)


TESTS = [apiserver_killed, etcd_killed, watches_cut, history_compacted, server_errors, leader_killed, node_deleted,
         pod_deleted, answer_lost]
SMOKE = [watches_cut, leader_killed, answer_lost]
