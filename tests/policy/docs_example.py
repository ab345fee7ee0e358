#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the worked example of docs/migrating-from-policy.md and compares it with what the page shows.

    docs_example.py BERTH [ROOT]

The policy on the page is examples/policy.json; `berth convert-policy` prints what the page says it prints; and the
scheduler reads both the policy and the converted configuration.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, kind):
    return [text for name, text in BLOCK.findall(page) if name == kind]


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          check=False)


def check_conversion(berth, page, folder):
    """Returns the printed configuration."""
    [shown] = blocks(page, "console")
    command, _, expected = shown.partition("\n")
    words = command.removeprefix("$ berth ").split()
    done = run([berth, *words], folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected, f"`{command}` prints\n{done.stdout}\nand the page shows\n{expected}"
    assert run([berth, *words, "--strict"], folder).returncode == 3, "the example has something without an equivalent"
    return done.stdout


def check_loads(berth, folder, flags):
    """The scheduler takes the flags: with --write-config-to it prints its configuration and ends."""
    done = run([berth, "scheduler", "--master=http://127.0.0.1:1", *flags, "--write-config-to=written.yaml"], folder)
    assert done.returncode == 0, f"{flags}: {done.stderr[-500:]}"


def check_policy_loads(berth, folder, flags):
    """A policy cannot be written as a configuration, which is said after it has been read and translated."""
    done = run([berth, "scheduler", "--master=http://127.0.0.1:1", *flags, "--write-config-to=written.yaml"], folder)
    assert "cannot write a policy" in done.stderr, f"{flags}: {done.stderr[-500:]}"


def main():
    berth = str(pathlib.Path(sys.argv[1]).resolve())
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parents[2]
    page = (root / "docs/migrating-from-policy.md").read_text(encoding="utf-8")
    policy = (root / "examples/policy.json").read_text(encoding="utf-8")
    assert blocks(page, "json") == [policy], "the policy on the page is not examples/policy.json"
    with tempfile.TemporaryDirectory(prefix="berth-policy-") as name:
        folder = pathlib.Path(name)
        (folder / "policy.json").write_text(policy, encoding="utf-8")
        (folder / "config.yaml").write_text(check_conversion(berth, page, folder), encoding="utf-8")
        check_policy_loads(berth, folder, ["--policy-config-file=policy.json", "--policy-compat=v1.16"])
        check_loads(berth, folder, ["--config=config.yaml"])
        empty = run([berth, "convert-policy", "-"], folder)
        assert empty.returncode == 0 and "multiPoint" in empty.stdout, "an empty text is a policy"
        (folder / "bad.json").write_text('{"apiVersion": "v1", "surprise": 1}', encoding="utf-8")
        bad = run([berth, "convert-policy", "bad.json"], folder)
        assert bad.returncode == 2 and "invalid policy: " in bad.stderr, bad
    print("the example works as shown")


if __name__ == "__main__":
    main()
