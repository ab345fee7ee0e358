# SPDX-License-Identifier: Apache-2.0
"""kubectl where it needs more of a server than objects: OpenAPI of both versions, approvals, YAML."""
import json

from clients import Skip
from server import find_kubectl

LIST = {
    "apiVersion": "v1", "kind": "List",
    "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"b": ".", "a10": "x", "a9": "y"}}
              for name in ("first", "second")]}
REQUEST = {
    "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "somebody"},
    "spec": {"request": "eA==", "signerName": "example.com/signer", "usages": ["client auth"]}}
AFFINITY_FIELDS = ("nodeAffinity", "podAffinity", "podAntiAffinity")


class Kubectl:
    def __init__(self, context, up):
        self.context = context
        self.base = [find_kubectl(), "--kubeconfig", up.kubeconfig, f"--cache-dir={context.folder}/cache"]

    def __call__(self, *args, manifest=None):
        if manifest is not None:
            path = self.context.folder / "manifest.json"
            path.write_text(json.dumps(manifest), encoding="utf-8")
            args = (*args, "-f", path)
        return self.context.run([*self.base, *args])


def lists(kubectl):
    """A List is validated by the client, with the schemas of OpenAPI v2."""
    assert "configmap/second created" in kubectl("create", manifest=LIST)
    text = kubectl("get", "configmap", "first", "-o", "yaml")
    assert "data:\n  a9: \"y\"\n  a10: x\n  b: .\n" in text, text


def explanations(kubectl):
    text = kubectl("explain", "pod.spec.affinity")
    assert "Rules about where a pod may or should run" in text, text
    everything = kubectl("explain", "pod.spec.affinity", "--recursive")
    for field in AFFINITY_FIELDS:
        assert field in text and field in everything, text
    assert "namespaceSelector" in everything, everything
    for kind in ("nodes", "poddisruptionbudgets", "storageclasses", "resourceclaims", "horizontalpodautoscalers"):
        assert "DESCRIPTION:" in kubectl("explain", kind)
    assert "targetCPUUtilizationPercentage" in kubectl("explain", "hpa.spec", "--api-version=autoscaling/v1")


def approvals(kubectl):
    kubectl("create", manifest=REQUEST)
    assert "approved" in kubectl("certificate", "approve", "somebody")
    assert "Approved" in kubectl("get", "csr", "somebody")


def autoscalers(kubectl):
    kubectl("create", "deployment", "web", "--image=web")
    kubectl("autoscale", "deployment", "web", "--max=5", "--cpu=50%")
    assert "cpu: <unknown>/50%" in kubectl("get", "horizontalpodautoscalers.v1.autoscaling", "web")
    assert "targetCPUUtilizationPercentage: 50" in kubectl("get", "horizontalpodautoscalers.v1.autoscaling", "web", "-o", "yaml")


def run(context):
    if not find_kubectl():
        raise Skip("there is no kubectl; tests/e2e/servers/build.sh build/e2e/bin kubectl makes one")
    with context.up("--nodes", 2) as up:
        kubectl = Kubectl(context, up)
        for step in (lists, explanations, approvals, autoscalers):
            step(kubectl)
