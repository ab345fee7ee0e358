# SPDX-License-Identifier: Apache-2.0
"""`berth up` and programs that know nothing of Berth: kubectl, client-go, Python's client, upstream's kube-scheduler."""
import json
import pathlib
import signal
import subprocess
import sys

from cluster import Skip, in_parallel, stop_proc, wait_for

TESTS_FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS_FOLDER / "up"))

from server import SKIPPED, Up  # noqa: E402


def run(context, command, timeout=600, **options):
    """Runs a program to its end, which must be a good one."""
    log = context.folder / "output.log"
    with open(log, "a", encoding="utf-8") as out:
        done = subprocess.run([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT, timeout=timeout,
                              check=False, **options)
    if done.returncode == SKIPPED:
        raise Skip(log.read_text(errors="replace").strip()[-200:])
    assert done.returncode == 0, f"{pathlib.Path(command[0]).name} ended with {done.returncode}: {log.read_text(errors='replace')[-3000:]}"


def api_suite(context):
    """What kube-apiserver was recorded to answer to kubectl, to plain requests and to kube-scheduler."""
    run(context, [sys.executable, TESTS_FOLDER / "api/suite.py", context.berth, "--scheduler", context.options.servers / "kube-scheduler",
                  "--kubectl", context.options.servers / "kubectl"])


def tour(context):
    """What the README shows."""
    run(context, [sys.executable, TESTS_FOLDER / "up/tour.py", context.berth, "--kubectl", context.options.servers / "kubectl"])


def clients(context):
    """kubectl, and programs of client-go and of Python's client. tests/clients/run has more of them."""
    run(context, [sys.executable, TESTS_FOLDER / "clients/run", context.berth, "informers", "kubectl", "python"])


def upstream_scheduler(context):
    """kube-scheduler places pods on the simulated nodes, where they begin to run."""
    count = context.options.up_pods
    with Up(context.berth, "--no-scheduler", "--nodes", 100) as up:
        scheduler = start_scheduler(context, up)
        try:
            in_parallel(lambda index: create_pod(up, index), range(count))
            wait_for(lambda: f"all {count} pods run; the scheduler says: {(context.folder / 'scheduler.log').read_text()[-1000:]}",
                     lambda: count_pods(up, "status.phase=Running,spec.nodeName!=") == count, 300, 0.5)
            assert count_pods(up, "spec.nodeName=") == 0
        finally:
            stop_proc(scheduler, signal.SIGTERM)


def start_scheduler(context, up):
    config = context.folder / "scheduler.json"
    config.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(up.kubeconfig), "qps": 1000, "burst": 1000}}))
    with open(context.folder / "scheduler.log", "w", encoding="utf-8") as log:
        return subprocess.Popen([str(context.options.servers / "kube-scheduler"), f"--config={config}", "--secure-port=0"],
                                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def create_pod(up, index):
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{index:04}"}, "spec": {"containers": [container]}}
    status, body = up.request("POST", "/api/v1/namespaces/default/pods", json.dumps(made), {"Content-Type": "application/json"}, timeout=60)
    assert status == 201, body


def count_pods(up, selector):
    status, body = up.request("GET", f"/api/v1/pods?fieldSelector={selector.replace('=', '%3D')}", timeout=60)
    assert status == 200, body
    return len(json.loads(body)["items"])


TESTS = [api_suite, tour, clients, upstream_scheduler]
SMOKE = TESTS
