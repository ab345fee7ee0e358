# SPDX-License-Identifier: Apache-2.0
"""Reads the workloads of upstream's scheduler_perf where Go keeps its modules; nothing of them is copied."""
import pathlib
import re
import subprocess

import yaml

MODULE = "k8s.io/kubernetes@v1.37.1"


def source_folder():
    """The folder test/integration/scheduler_perf of upstream, fetched if it is not there yet."""
    subprocess.run(["go", "mod", "download", MODULE], check=True)
    cache = subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(cache) / MODULE / "test/integration/scheduler_perf"


class Workload:
    """One workload of a test case: the operations with its parameters filled in."""

    def __init__(self, file, case, workload):
        self.folder = file.parent
        self.name = f"{case['name']}/{workload['name']}"
        self.params = workload.get("params", {})
        self.gates = {**case.get("featureGates", {}), **workload.get("featureGates", {})}
        self.template = case["workloadTemplate"]

    def operations(self):
        return [self._fill_in(operation) for operation in self.template]

    def _fill_in(self, value):
        if isinstance(value, dict):
            return {key: self._fill_in(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._fill_in(one) for one in value]
        if isinstance(value, str) and (param := re.fullmatch(r"\$(\w+)(\|(.*))?", value)):
            if param[1] in self.params:
                return self.params[param[1]]
            if param[2] is None:
                raise SystemExit(f"{self.name}: there is no parameter {param[1]}")
            return yaml.safe_load(param[3] or "null")
        return value


def read(folder):
    """All workloads of one folder of scheduler_perf and those below it, such as dra."""
    files = sorted(folder.rglob("performance-config.yaml"))
    if not files:
        raise SystemExit(f"no performance-config.yaml in {folder}")
    return [Workload(file, case, workload) for file in files for case in yaml.safe_load(file.read_text())
            for workload in case["workloads"]]
