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
from scenarios import record  # noqa: E402
from server import Up  # noqa: E402


def differences(recorded, told):
    lines = []
    for name in recorded.keys() | told.keys():
        expected, found = set(recorded.get(name, ())), set(told.get(name, ()))
        lines += [f"{name}: missing: {line}" for line in expected - found]
        lines += [f"{name}: unexpected: {line}" for line in found - expected]
    return sorted(lines)


def main():
    recorded = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
    planted = {**recorded, "claims": [*recorded["claims"][1:], "planted"]}
    assert len(differences(recorded, planted)) == 2, "does not see a missing and an unexpected event"
    with Up(pathlib.Path(sys.argv[1]).resolve()) as up:
        told = record(up)
    found = differences(recorded, told)
    print("\n".join(found) or f"{sum(map(len, recorded.values()))} events as recorded")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
