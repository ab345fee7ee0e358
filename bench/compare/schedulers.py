# SPDX-License-Identifier: Apache-2.0
"""Schedulers as processes: any program that takes --config, --secure-port, --bind-address and --feature-gates as upstream's does."""
import http.client
import json
import re
import signal
import subprocess
import time

import live

LEFT_ALONE = {"SchedulerAsyncAPICalls"}  # Gates that Berth refuses to change.


class CannotRun(Exception):
    """Why a workload cannot be run, or did not come to its end."""


class Scheduler:
    def __init__(self, command, server, folder, gates, config):
        self.port, self.log = live.free_port(), folder / "scheduler.log"
        made = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", **(config or {})}
        made["leaderElection"] = {"leaderElect": False}
        made["clientConnection"] = {"kubeconfig": str(server.kubeconfig(folder / "kubeconfig")), "qps": 10000, "burst": 10000}
        (folder / "config.json").write_text(json.dumps(made))
        arguments = [f"--config={folder / 'config.json'}", f"--secure-port={self.port}", "--bind-address=127.0.0.1"]
        taken = {gate: on for gate, on in gates.items() if gate not in LEFT_ALONE}
        if taken:
            arguments.append(f"--feature-gates={live.gate_list(taken)}")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([*command, *arguments], stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def pid(self):
        return self.process.pid

    def await_ready(self, limit=60):
        end = time.monotonic() + limit
        while not self._is_ready():
            self.check()
            if time.monotonic() > end:
                raise CannotRun(f"the scheduler is not ready after {limit} s")
            time.sleep(0.05)

    def check(self):
        """Fails if it has ended, with what it said last."""
        if self.process.poll() is not None:
            said = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
            wrong = [line for line in said if re.search(r"(?i)error|unrecognized|unknown|invalid|refus|cannot", line)] or said or ["nothing"]
            raise CannotRun(f"the scheduler ended with {self.process.returncode}: {wrong[-1][:300]}")

    def _is_ready(self):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=2, context=live.tls_client())
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def stop(self):
        live.stop_proc(self.process, signal.SIGKILL)
