# SPDX-License-Identifier: Apache-2.0
"""kube-controller-manager, with all its controllers, on a server that has none of its own; kwok plays the nodes."""
import base64
import subprocess
import time

import kwok_nodes
from clients import ROOT
from server import SERVERS, until

NAME = "kube-controller-manager"
NAMESPACE = "work"
CORE = f"/api/v1/namespaces/{NAMESPACE}"
APPS = f"/apis/apps/v1/namespaces/{NAMESPACE}"
BATCH = f"/apis/batch/v1/namespaces/{NAMESPACE}"
POLICY = f"/apis/policy/v1/namespaces/{NAMESPACE}"
MERGE = "application/merge-patch+json"
# Somebody else was first, a cache is behind, a namespace goes: the controller tries again.
HARMLESS = "the object has been modified|cache is out of date|is not as new as written version|because it is being terminated"
CONTROLLERS = "*,bootstrap-signer-controller,token-cleaner-controller"
SETTLE_S = 10  # In which a controller that does not get on says so often enough.


def template(app, **spec):
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [
        {"name": "main", "image": "main:1", "ports": [{"containerPort": 80}]}], **spec}}


def workload(kind, app, **spec):
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": app}, "spec": {
        "selector": {"matchLabels": {"app": app}}, "template": template(app), **spec}}


def make(up, path, kind, name, version="v1", **parts):
    return up.send("POST", path, {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **parts})


def namespaces(up):
    """Every namespace gets an account and the certificate of the server."""
    make(up, "/api/v1/namespaces", "Namespace", NAMESPACE)
    until(lambda: up.get(f"{CORE}/serviceaccounts/default"), "the service account is made")
    until(lambda: up.get(f"{CORE}/configmaps/kube-root-ca.crt"), "the certificate is published")


def deployments(up):
    make(up, f"{CORE}/services", "Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}]})
    make(up, f"{POLICY}/poddisruptionbudgets", "PodDisruptionBudget", "web", "policy/v1",
         spec={"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}})
    up.send("POST", f"{APPS}/deployments", workload("Deployment", "web", replicas=3))
    until(lambda: up.get(f"{APPS}/deployments/web").get("status", {}).get("availableReplicas") == 3, "the deployment is available")
    until(lambda: up.get(f"{POLICY}/poddisruptionbudgets/web").get("status", {}).get("disruptionsAllowed") == 1, "the budget has room for one")

    def addresses():
        slices = up.items(f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dweb")
        return {address for one in slices for endpoint in one.get("endpoints") or [] for address in endpoint["addresses"]}

    until(lambda: len(addresses()) == 3, "the service has three endpoints")
    up.send("PATCH", f"{APPS}/deployments/web", {"spec": {"replicas": 5, "template": {"metadata": {"annotations": {"second": "yes"}}}}}, MERGE)

    def rolled_out():
        deployment = up.get(f"{APPS}/deployments/web")
        status = deployment["status"]
        return status["observedGeneration"] == deployment["metadata"]["generation"] and \
            status.get("updatedReplicas") == status.get("availableReplicas") == status.get("replicas") == 5

    until(rolled_out, "the new template is rolled out")
    sizes = sorted(one["spec"]["replicas"] for one in up.items(f"{APPS}/replicasets"))
    assert sizes == [0, 5], sizes


def sets(up):
    """A StatefulSet with claims that find volumes, and a DaemonSet."""
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "manual"}
    for index in range(2):
        make(up, "/api/v1/persistentvolumes", "PersistentVolume", f"disk-{index}", spec={
            "capacity": {"storage": "1Gi"}, "accessModes": claim["accessModes"], "storageClassName": "manual",
            "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "/tmp"}})
    up.send("POST", f"{APPS}/statefulsets", workload(
        "StatefulSet", "store", replicas=2, serviceName="store", volumeClaimTemplates=[{"metadata": {"name": "disk"}, "spec": claim}]))
    up.send("POST", f"{APPS}/daemonsets", workload("DaemonSet", "agent"))
    until(lambda: up.get(f"{APPS}/statefulsets/store").get("status", {}).get("readyReplicas") == 2, "the StatefulSet is ready")
    until(lambda: up.get(f"{APPS}/daemonsets/agent").get("status", {}).get("numberReady") == 3, "the DaemonSet is on each node")
    assert {one["status"]["phase"] for one in up.items("/api/v1/persistentvolumes")} == {"Bound"}
    assert up.items(f"{APPS}/controllerrevisions")


def jobs(up):
    job = {"completions": 4, "parallelism": 2, "completionMode": "Indexed", "template": template("sum", restartPolicy="Never")}
    make(up, f"{BATCH}/jobs", "Job", "sum", "batch/v1", spec={**job, "ttlSecondsAfterFinished": 1})
    make(up, f"{BATCH}/jobs", "Job", "kept", "batch/v1", spec=job)
    make(up, f"{BATCH}/cronjobs", "CronJob", "nightly", "batch/v1", spec={"schedule": "0 3 * * *", "jobTemplate": {"spec": job}})
    until(lambda: any(one["type"] == "Complete" for one in up.get(f"{BATCH}/jobs/kept").get("status", {}).get("conditions", [])), "the Job is complete")
    until(lambda: up.get(f"{BATCH}/jobs/sum") is None, "a Job goes when its time is up")


def quotas(up):
    make(up, f"{CORE}/resourcequotas", "ResourceQuota", "few", spec={"hard": {"pods": "50"}})
    until(lambda: int(up.get(f"{CORE}/resourcequotas/few").get("status", {}).get("used", {}).get("pods", 0)) >= 10, "the quota is counted")


def devices(up):
    """A claim is made from its template."""
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}
    make(up, f"/apis/resource.k8s.io/v1/namespaces/{NAMESPACE}/resourceclaimtemplates", "ResourceClaimTemplate", "gpu", "resource.k8s.io/v1",
         spec={"spec": {"devices": {"requests": [request]}}})
    make(up, f"{CORE}/pods", "Pod", "trainer", spec={"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}],
                                                     "containers": [{"name": "main", "image": "main", "resources": {"claims": [{"name": "gpu"}]}}]})
    until(lambda: up.get(f"{CORE}/pods/trainer")["status"].get("resourceClaimStatuses"), "the pod has a claim of its own")


def openssl(folder, *words):
    subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", *words], cwd=folder, check=True, capture_output=True)


def certificates(up, folder):
    """What somebody approves is signed."""
    openssl(folder, "-new", "-subj", "/CN=somebody", "-keyout", "key.pem", "-out", "request.pem")
    request = base64.b64encode((folder / "request.pem").read_bytes()).decode()
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    made = make(up, path, "CertificateSigningRequest", "somebody", "certificates.k8s.io/v1",
                spec={"request": request, "signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]})
    made["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "Test"}]}
    up.send("PUT", f"{path}/somebody/approval", made)
    until(lambda: "certificate" in up.get(f"{path}/somebody")["status"], "the certificate is signed")


def garbage(up):
    up.send("DELETE", f"{APPS}/deployments/web", {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Foreground"})
    until(lambda: not up.get(f"{APPS}/deployments/web") and not up.items(f"{CORE}/pods?labelSelector=app%3Dweb"), "the deployment and its pods are gone")
    up.send("DELETE", f"/api/v1/namespaces/{NAMESPACE}")
    until(lambda: up.get(f"/api/v1/namespaces/{NAMESPACE}") is None, "the namespace is gone", 60)
    until(lambda: {one["status"]["phase"] for one in up.items("/api/v1/persistentvolumes")} == {"Released"}, "the volumes are released")


def make_authority(folder):
    """A certificate authority, which signs and is published."""
    openssl(folder, "-x509", "-days", "1", "-subj", "/CN=authority", "-keyout", "authority.key", "-out", "authority.crt")
    return folder / "authority.crt", folder / "authority.key"


def run(context):
    kwok = kwok_nodes.build(context)
    context.fetch([ROOT / "tests/e2e/servers/build.sh", SERVERS, NAME])
    context.tool("openssl")
    certificate, key = make_authority(context.folder)
    with kwok_nodes.cluster(context, kwok, 3) as up:
        with context.running([SERVERS / NAME, f"--kubeconfig={up.kubeconfig}", "--secure-port=0", f"--controllers={CONTROLLERS}",
                              f"--root-ca-file={certificate}", f"--cluster-signing-cert-file={certificate}", f"--cluster-signing-key-file={key}",
                              f"--service-account-private-key-file={key}", f"--flex-volume-plugin-dir={context.folder}/volumes"], HARMLESS):
            for step in (namespaces, deployments, sets, jobs, quotas, devices):
                step(up)
            certificates(up, context.folder)
            garbage(up)
            time.sleep(SETTLE_S)
