#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes large inputs for `berth simulate`, to measure its time and memory.

    bench/simulate_inputs.py DIRECTORY
    /usr/bin/time -v berth simulate -f DIRECTORY/dump.json --summary
    /usr/bin/time -v berth simulate -f DIRECTORY/nodes.json --timeline DIRECTORY/timeline.json --summary

dump.json is a cluster as `kubectl get -o json` prints it: 5,000 nodes, 150,000 pods of 1,500 ReplicaSets, nine tenths of
them running. timeline.json lets 20,000 pods come to the 1,000 nodes of nodes.json within an hour, and end. The same numbers
give the same bytes.
"""
import argparse
import json
import os

CREATED = "2026-01-01T00:00:00Z"


def uid(kind, number):
    return f"{kind:08x}-0000-4000-8000-{number:012x}"


def node(i, from_server):
    resources = {"cpu": "32", "memory": "128Gi", "pods": "110", "ephemeral-storage": "500Gi"}
    made = {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": f"node-{i:05}", "labels": {
            "kubernetes.io/hostname": f"node-{i:05}", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
            "topology.kubernetes.io/zone": f"zone-{i % 3}", "pool": f"pool-{i % 7}"}},
        "spec": {},
        "status": {"capacity": resources, "allocatable": resources,
                   "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                                   "lastHeartbeatTime": CREATED, "lastTransitionTime": CREATED}],
                   "addresses": [{"type": "InternalIP", "address": f"172.16.{i // 250}.{i % 250 + 1}"},
                                 {"type": "Hostname", "address": f"node-{i:05}"}]}}
    if from_server:
        made["metadata"].update(uid=uid(1, i), resourceVersion=str(1000 + i), creationTimestamp=CREATED)
    return made


def replica_set(i, replicas):
    labels = {"app": f"app-{i:04}", "pod-template-hash": f"{i:08x}"}
    return {
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": f"app-{i:04}-{i:08x}", "namespace": f"team-{i % 50}", "uid": uid(2, i), "labels": labels,
                     "resourceVersion": str(20000 + i), "creationTimestamp": CREATED},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                 "template": {"metadata": {"labels": labels}, "spec": pod_spec(i)}},
        "status": {"replicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
                   "fullyLabeledReplicas": replicas, "observedGeneration": 1}}


def pod_spec(app):
    spec = {
        "containers": [{
            "name": "main", "image": f"registry.example.com/app-{app:04}:1", "imagePullPolicy": "IfNotPresent",
            "resources": {"requests": {"cpu": f"{(app % 5 + 1) * 100}m", "memory": f"{(app % 4 + 1) * 256}Mi"},
                          "limits": {"memory": "2Gi"}},
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "env": [{"name": "APP", "value": f"app-{app:04}"}],
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}],
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "securityContext": {}, "schedulerName": "default-scheduler"}
    if app % 10 == 0:
        spec["topologySpreadConstraints"] = [{
            "maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": f"app-{app:04}"}}}]
    return spec


def pod(i, app, node_name):
    spec = dict(pod_spec(app), serviceAccountName="default", serviceAccount="default", priority=0,
                preemptionPolicy="PreemptLowerPriority", enableServiceLinks=True,
                tolerations=[{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute",
                              "tolerationSeconds": 300} for key in ("not-ready", "unreachable")])
    status = {"phase": "Pending", "qosClass": "Burstable"}
    if node_name:
        spec["nodeName"] = node_name
        status.update(phase="Running", startTime=CREATED, hostIP="172.16.0.1", podIP=f"10.{i // 62500}.{i // 250 % 250}.{i % 250}",
                      conditions=[{"type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": CREATED}
                                  for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")],
                      containerStatuses=[{"name": "main", "ready": True, "started": True, "restartCount": 0,
                                          "image": spec["containers"][0]["image"], "imageID": "", "lastState": {},
                                          "state": {"running": {"startedAt": CREATED}}}])
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": f"app-{app:04}-{app:08x}-{i:06x}", "generateName": f"app-{app:04}-{app:08x}-",
                     "namespace": f"team-{app % 50}", "uid": uid(3, i), "resourceVersion": str(100000 + i),
                     "creationTimestamp": CREATED, "labels": {"app": f"app-{app:04}", "pod-template-hash": f"{app:08x}"},
                     "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"app-{app:04}-{app:08x}",
                                          "uid": uid(2, app), "controller": True, "blockOwnerDeletion": True}]},
        "spec": spec, "status": status}


def write(path, items):
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[\n')
        for position, item in enumerate(items):
            out.write(("," if position else "") + json.dumps(item) + "\n")
        out.write("]}\n")


def dump(nodes, pods):
    per_set = 100
    sets = pods // per_set
    for i in range(nodes):
        yield node(i, True)
    for i in range(sets):
        yield replica_set(i, per_set)
    for i in range(sets * per_set):
        yield pod(i, i // per_set, "" if i % 10 == 9 else f"node-{i * 7919 % nodes:05}")


def timeline(pods):
    """Three streams, of which each pod runs for ten minutes or so."""
    arrivals = []
    for kind, (share, runs, cpu) in enumerate(((0.5, "10m", "500m"), (0.3, "5m", "2"), (0.2, "20m", "1"))):
        arrivals.append({
            "from": "0s", "until": "1h", "rate": f"{pods * share}/h", "poisson": kind == 1, "runs": runs,
            "pod": {"metadata": {"generateName": f"kind-{kind}-", "labels": {"kind": str(kind)}},
                    "spec": {"containers": [{"name": "main", "image": "registry.example.com/job:1",
                                             "resources": {"requests": {"cpu": cpu, "memory": "512Mi"}}}]}}})
    return {"arrivals": arrivals}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--dump", default="5000,150000", metavar="NODES,PODS")
    parser.add_argument("--timeline", default="1000,20000", metavar="NODES,PODS")
    asked = parser.parse_args()
    os.makedirs(asked.directory, exist_ok=True)
    nodes, pods = map(int, asked.dump.split(","))
    write(os.path.join(asked.directory, "dump.json"), dump(nodes, pods))
    nodes, pods = map(int, asked.timeline.split(","))
    write(os.path.join(asked.directory, "nodes.json"), (node(i, False) for i in range(nodes)))
    with open(os.path.join(asked.directory, "timeline.json"), "w", encoding="utf-8") as out:
        json.dump(timeline(pods), out, indent=1)


if __name__ == "__main__":
    main()
