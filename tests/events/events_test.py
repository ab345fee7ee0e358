#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the controllers of `berth up` tell in events with what upstream's were recorded to tell (record.py).

    tests/events/events_test.py BERTH
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "up")]
import scenarios  # noqa: E402
from server import Up  # noqa: E402


# Berth does not tell that an eviction is called off, that a node goes, and that a volume's claim is another's. By the
# namespace in which they are told.
NOT_YET = {"evicted": scenarios.taint_eviction, "default": scenarios.node_that_comes_and_goes, "lacking": scenarios.pods_that_lack_claims}


def differences(recorded, told):
    lines = []
    for name in (recorded.keys() | told.keys()) - NOT_YET.keys():
        expected, found = set(recorded.get(name, ())), set(told.get(name, ()))
        lines += [f"{name}: missing: {line}" for line in expected - found]
        lines += [f"{name}: unexpected: {line}" for line in found - expected]
    return sorted(lines)


def main():
    recorded = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
    planted = {**recorded, "claims": [*recorded["claims"][1:], "planted"]}
    assert len(differences(recorded, planted)) == 2, "does not see a missing and an unexpected event"
    with Up(pathlib.Path(sys.argv[1]).resolve()) as up:
        told = scenarios.record(up, but=NOT_YET.values())
    found = differences(recorded, told)
    print("\n".join(found) or f"{sum(len(lines) for name, lines in recorded.items() if name not in NOT_YET)} events as recorded")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
