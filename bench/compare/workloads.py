# SPDX-License-Identifier: Apache-2.0
"""Reads workloads of the form of upstream's scheduler_perf: its own, where Go keeps its modules, and ours. Nothing is copied."""
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MODULE = "k8s.io/kubernetes@v1.37.1"
SMALLEST = "integration-test"  # The label of the sizes that upstream's quick tests run.


def upstream_folder():
    """The folder test/integration/scheduler_perf of upstream, fetched if it is not there yet."""
    subprocess.run(["go", "mod", "download", MODULE], check=True)
    cache = subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(cache) / MODULE / "test/integration/scheduler_perf"


class Workload:
    """One workload of a test case: the operations with its parameters filled in."""

    def __init__(self, file, group, case, workload):
        self.folder, self.group = file.parent, group
        self.name = f"{case['name']}/{workload['name']}"
        self.params = workload.get("params") or {}
        self.gates = {**(case.get("featureGates") or {}), **(workload.get("featureGates") or {})}
        self.template = case["workloadTemplate"]
        self.default_pod = case.get("defaultPodTemplatePath")
        self.config = case.get("schedulerConfigPath")
        self.is_small = SMALLEST in (workload.get("labels") or [])

    def operations(self):
        return [self._fill_in(operation) for operation in self.template]

    def needs_controllers(self):
        """Whether claims are made from templates, or freed."""
        return "claim" in (json.dumps(self.template) + self.group).lower() or self.group.startswith("dra")

    def _fill_in(self, value):
        if isinstance(value, dict):
            return {key: self._fill_in(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._fill_in(one) for one in value]
        if isinstance(value, str) and (param := re.fullmatch(r"\$(\w+)(\|(.*))?", value)):
            if param[1] in self.params:
                return self.params[param[1]]
            if param[2] is None:
                raise ValueError(f"{self.name}: there is no parameter {param[1]}")
            return from_text(param[3])
        return value


def from_text(text):
    """What a default means: a number, a truth value, or the text itself."""
    try:
        return json.loads(text or "null")
    except ValueError:
        return text


def read(templates, folders):
    """All workloads of these folders of upstream or of ours, and of those below them; of all of both if none is named."""
    upstream, found = upstream_folder(), []
    for root in ([HERE, upstream] if not folders else [HERE / one if (HERE / one).is_dir() else upstream / one for one in folders]):
        base = HERE if HERE in (root, *root.parents) else upstream
        files = sorted(root.rglob("performance-config.yaml"))
        if not files:
            raise SystemExit(f"no performance-config.yaml in {root}")
        for file in files:
            group = str(file.parent.relative_to(base))
            found += [Workload(file, group, case, one) for case in templates.read(file) for one in case["workloads"]]
    return found


def smallest(workloads):
    """Of each case the first of those that upstream's quick tests run, or the first."""
    cases = {}
    for one in workloads:
        cases.setdefault((one.group, one.name.split("/")[0]), []).append(one)
    return [next((one for one in case if one.is_small), case[0]) for case in cases.values()]
