#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the Grafana board: promtool parses every query, and Berth has every metric that they name.

usage: grafana_test.py DEPLOY FAMILIES [SOURCE...]

FAMILIES lists the metrics of kube-scheduler; those that only Berth has are found in the SOURCE files.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

# What Grafana puts into a query before it sends it.
VARIABLES = {"$__rate_interval": "5m", "$job": ".+"}
WORD = re.compile(r"\b(?:scheduler|berth|process|rest_client|leader_election)_\w+")


def queries(board):
    return [(panel["title"], target["expr"]) for panel in board["panels"] for target in panel.get("targets", [])]


def rules(expressions):
    """Recording rules with these expressions: what promtool reads without a server."""
    rows = [{"record": f"query:{i}", "expr": expression} for i, expression in enumerate(expressions)]
    return json.dumps({"groups": [{"name": "board", "rules": rows}]})  # JSON is YAML.


def fill(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return expression


def parse_errors(expressions):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(rules(expressions))
        file.flush()
        done = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True, timeout=30)
    return [] if done.returncode == 0 else [done.stdout + done.stderr]


def unknown_metrics(expression, known):
    names = (re.sub(r"_(bucket|sum|count)$", "", name) for name in WORD.findall(expression))
    return [name for name in names if name not in known]


def main():
    deploy, families, *sources = map(pathlib.Path, sys.argv[1:])
    known = {line.split()[0] for line in families.read_text(encoding="utf-8").splitlines() if line[:1] not in ("", "#")}
    for source in sources:
        known |= set(re.findall(r'"(berth_\w+)"', source.read_text(encoding="utf-8")))
    problems = []
    assert parse_errors(["sum(rate(a[5m])"]), "a query that cannot be parsed is not noticed"
    assert unknown_metrics("rate(scheduler_nonsense_total[5m])", known), "an unknown metric is not noticed"
    boards = sorted((deploy / "grafana").glob("*.json"))
    for path in boards:
        board = queries(json.loads(path.read_text(encoding="utf-8")))
        assert board, f"{path.name} asks nothing"
        for title, expression in board:
            problems += [f"{path.name}: {title}: no metric {name}" for name in unknown_metrics(expression, known)]
        problems += [f"{path.name}: {error}" for error in parse_errors([fill(expression) for _, expression in board])]
    print("\n".join(problems))
    print(f"{len(boards)} boards, {len(problems)} problems")
    return 1 if problems or not boards else 0


if __name__ == "__main__":
    sys.exit(main())
