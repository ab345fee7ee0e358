#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a scheduler with a plugin of its own against an installed Berth, as docs/plugin-guide.md says, and uses it.

    own_scheduler.py BUILD_DIRECTORY COMPILER

The plugin must count in `simulate`, in a log and its `replay`, in `scheduler` and in `up`; the program berth does not know it.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "plugin"
CONFIG = str(EXAMPLE / "config.yaml")
CLUSTER = str(EXAMPLE / "cluster.yaml")


def run(*command, codes=(0,)):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in codes, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done


def build(build_directory, compiler, folder):
    run("cmake", "--install", build_directory, "--component", "development", "--prefix", folder / "installed")
    run("cmake", "-S", EXAMPLE, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={folder / 'installed'}",
        f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold")
    run("cmake", "--build", folder / "build")
    return folder / "build" / "price-scheduler"


def simulate(program, folder):
    log = folder / "run.log"
    report = json.loads(run(program, "simulate", "-f", CLUSTER, "--config", CONFIG, "-o", "json", "--record", log,
                            codes=(1,)).stdout)
    placed = {pod["name"]: pod.get("node", pod.get("message")) for pod in report["pods"]}
    assert placed["first"] == "spot" and placed["second"] == "on-demand", placed
    assert "1 node(s) were too expensive" in placed["third"], placed
    run(program, "replay", log)  # Fails where a step has other effects than were recorded.


def schedule(program, folder):
    written = folder / "written.yaml"
    run(program, "scheduler", "--master=http://127.0.0.1:1", f"--config={CONFIG}", f"--write-config-to={written}")
    assert "PreferCheapNodes" in written.read_text(encoding="utf-8")


def up(program, folder):
    kubeconfig = folder / "kubeconfig"
    process = subprocess.Popen([program, "up", "--port", "0", "--nodes", "0", "--config", CONFIG, "--import", CLUSTER,
                                "--kubeconfig", kubeconfig, "--quiet"], cwd=folder)
    try:
        deadline = time.monotonic() + 60
        nodes = {}
        while time.monotonic() < deadline and nodes.get("first") != "spot":
            time.sleep(0.1)
            if not kubeconfig.exists():
                continue
            server = next(line.split()[-1] for line in kubeconfig.read_text(encoding="utf-8").splitlines() if "server:" in line)
            with urllib.request.urlopen(server.strip('"') + "/api/v1/pods", timeout=10) as answer:
                nodes = {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in json.load(answer)["items"]}
        assert nodes.get("first") == "spot", nodes
    finally:
        process.terminate()
        process.wait(timeout=30)


def main():
    build_directory, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="berth-own-") as name:
        folder = pathlib.Path(name)
        program = build(build_directory, compiler, folder)
        simulate(program, folder)
        schedule(program, folder)
        up(program, folder)
    refused = run(os.path.join(build_directory, "berth"), "simulate", "-f", CLUSTER, "--config", CONFIG, codes=(2,))
    assert "PreferCheapNodes" in refused.stderr, refused.stderr
    print("the plugin works in simulate, replay, scheduler and up")


if __name__ == "__main__":
    main()
