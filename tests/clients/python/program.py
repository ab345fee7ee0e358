#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does with an API server what programs written with the Python package `kubernetes` do.

    program.py KUBECONFIG      with a Python that has the package
"""
import sys
import time

from kubernetes import client, config, watch

NAMESPACE = "python"
PATIENCE_S = 60


def pod(name):
    return client.V1Pod(
        metadata=client.V1ObjectMeta(name=name, labels={"app": "python"}),
        spec=client.V1PodSpec(containers=[client.V1Container(
            name="main", image="registry.k8s.io/pause:3.10",
            resources=client.V1ResourceRequirements(requests={"cpu": "10m"}))]))


def refused(status, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except client.ApiException as error:
        assert error.status == status, error
        return
    raise AssertionError(f"not refused with {status}")


def version():
    found = client.VersionApi().get_code()
    assert found.major == "1" and found.git_version.startswith("v1."), found


def create_and_watch(core):
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    revision = core.list_namespaced_pod(NAMESPACE).metadata.resource_version
    for index in range(5):
        made = core.create_namespaced_pod(NAMESPACE, pod(f"pod-{index}"))
        assert made.metadata.uid and made.spec.restart_policy == "Always", made
    refused(409, core.create_namespaced_pod, NAMESPACE, pod("pod-0"))
    refused(422, core.create_namespaced_pod, NAMESPACE, pod("Bad_Name"))
    refused(404, core.read_namespaced_pod, "none", NAMESPACE)
    running, added, stream = set(), set(), watch.Watch()
    for event in stream.stream(core.list_namespaced_pod, NAMESPACE, resource_version=revision, timeout_seconds=PATIENCE_S):
        name = event["object"].metadata.name
        if event["type"] == "ADDED":
            assert name not in added, event
            added.add(name)
        if event["object"].status.phase == "Running":
            running.add(name)
        if len(running) == 5:
            stream.stop()
    assert len(running) == len(added) == 5, (running, added)


def lists(core):
    listed = core.list_namespaced_pod(NAMESPACE, label_selector="app=python", limit=3)
    assert len(listed.items) == 3 and listed.metadata._continue, listed.metadata  # pylint: disable=protected-access
    rest = core.list_namespaced_pod(NAMESPACE, label_selector="app=python", _continue=listed.metadata._continue)
    assert [p.metadata.name for p in listed.items + rest.items] == [f"pod-{n}" for n in range(5)]
    nodes = core.list_node().items
    assert nodes and all(c.status == "True" for n in nodes for c in n.status.conditions if c.type == "Ready"), nodes


def patches(core):
    core.patch_namespaced_pod("pod-0", NAMESPACE, {"metadata": {"labels": {"strategic": "yes"}}})
    core.patch_namespaced_pod("pod-0", NAMESPACE, [{"op": "add", "path": "/metadata/labels/json", "value": "yes"}])
    core.patch_namespaced_pod("pod-0", NAMESPACE, {"metadata": {"labels": {"app": None}}})
    labels = core.read_namespaced_pod("pod-0", NAMESPACE).metadata.labels
    assert labels["strategic"] == labels["json"] == "yes" and "app" not in labels, labels
    found = core.read_namespaced_pod("pod-1", NAMESPACE)
    found.metadata.annotations = {"replaced": "yes"}
    assert core.replace_namespaced_pod("pod-1", NAMESPACE, found).metadata.annotations == {"replaced": "yes"}
    refused(409, core.replace_namespaced_pod, "pod-1", NAMESPACE, found)


def deployments(apps, core):
    labels = {"app": "web"}
    apps.create_namespaced_deployment(NAMESPACE, client.V1Deployment(
        metadata=client.V1ObjectMeta(name="web"),
        spec=client.V1DeploymentSpec(replicas=3, selector=client.V1LabelSelector(match_labels=labels),
                                     template=client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels), spec=pod("x").spec))))
    wait_until(lambda: apps.read_namespaced_deployment_status("web", NAMESPACE).status.available_replicas == 3, "three replicas")
    apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 1}})
    wait_until(lambda: len(core.list_namespaced_pod(NAMESPACE, label_selector="app=web").items) == 1, "one replica")


def deletions(core):
    core.delete_namespaced_pod("pod-2", NAMESPACE, grace_period_seconds=0)
    refused(404, core.read_namespaced_pod, "pod-2", NAMESPACE)
    core.create_namespaced_pod_eviction("pod-3", NAMESPACE, client.V1Eviction(metadata=client.V1ObjectMeta(name="pod-3")))
    core.delete_namespace(NAMESPACE)
    wait_until(lambda: NAMESPACE not in [n.metadata.name for n in core.list_namespace().items], "the namespace is gone")


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE_S} s: {what}"
        time.sleep(0.05)


def main():
    config.load_kube_config(sys.argv[1])
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    version()
    create_and_watch(core)
    lists(core)
    patches(core)
    deployments(apps, core)
    deletions(core)
    print("all as it should be")


if __name__ == "__main__":
    main()
