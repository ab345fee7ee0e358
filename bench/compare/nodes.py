# SPDX-License-Identifier: Apache-2.0
"""Nodes as the operation createNodes describes them: a template, and a strategy that labels them or gives them volumes."""
import copy
import uuid

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"generateName": "scheduler-perf-"},
        "status": {"capacity": {"pods": "110", "cpu": "4", "memory": "32Gi"}, "conditions": [{"type": "Ready", "status": "True"}]}}
MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"


def make(operation, templates, folder, earlier):
    """The nodes and what belongs to them; `earlier` nodes are there already."""
    count = int(operation.get("countParam", operation.get("count", 0)))
    path = operation.get("nodeTemplatePath")
    nodes = templates.objects(folder / path, count, operation.get("templateParams")) if path else [copy.deepcopy(NODE) for _ in range(count)]
    others = []
    for index, node in enumerate(nodes):
        meta, status = node["metadata"], node.setdefault("status", {})
        meta.setdefault("name", f"{meta.pop('generateName', 'node-')}{earlier + index}")
        labels = meta.setdefault("labels", {})
        labels["kubernetes.io/hostname"] = meta["name"]
        status.setdefault("allocatable", dict(status.get("capacity", {})))
        status.pop("phase", None)
        if strategy := operation.get("labelNodePrepareStrategy"):
            labels[strategy["labelKey"]] = strategy["labelValues"][index % len(strategy["labelValues"])]
        if strategy := operation.get("uniqueNodeLabelStrategy"):
            labels[strategy["labelKey"]] = str(uuid.UUID(int=index))
        if strategy := operation.get("nodeAllocatableStrategy"):
            status["allocatable"].update(strategy.get("nodeAllocatable") or {})
            others.append(csi_node(meta["name"], strategy))
    return nodes, others


def csi_node(name, strategy):
    drivers = [{"name": driver, "nodeID": name, "allocatable": allocatable}
               for driver, allocatable in (strategy.get("csiNodeAllocatable") or {}).items()]
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "spec": {"drivers": drivers},
            "metadata": {"name": name, "annotations": {MIGRATED: ",".join(strategy.get("migratedPlugins") or [])}}}
