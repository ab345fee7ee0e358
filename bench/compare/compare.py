#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs workloads of upstream's scheduler_perf with kube-scheduler and with Berth, and prints one table.

    bench/compare/compare.py --folder dra --only 'ResourceClaimTemplate/(2000pods_200nodes|half_100nodes)'
    bench/compare/compare.py --folder dra --list
    bench/compare/compare.py --folder gangs --runs 3 --json gangs.json

The workloads are read where Go keeps its modules; those of the folder gangs are Berth's own. Each runs on a real etcd and
kube-apiserver of its own, with kube-controller-manager for claims, with one scheduler after the other, and all of that as
often as there are runs; tests/e2e/servers/build.sh makes these programs. Several builds of Berth may take part. Client limits are lifted. kube-scheduler samples nodes as it does by default, Berth looks at all of them. Rates
are those of the whole control plane, which shares the processors with the scheduler; CPU is what the scheduler used while the
pods were measured.
Needs Go and PyYAML.
"""
import argparse
import contextlib
import dataclasses
import json
import pathlib
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "live")]

import live  # noqa: E402
import workloads  # noqa: E402
from claims import Controllers  # noqa: E402
from cluster import Cluster, Context  # noqa: E402
from operations import Run  # noqa: E402
from templates import Templates  # noqa: E402

UPSTREAM = "kube-scheduler"
LEFT_ALONE = {"SchedulerAsyncAPICalls"}  # Gates that Berth refuses to change.


def measure(options, templates, workload, command, folder):
    """The result of one workload with one scheduler, on a control plane that is new."""
    gates = {name: on for name, on in workload.gates.items() if name not in LEFT_ALONE}
    cluster = Cluster(options.servers, folder / "control-plane", options.etcd_port, options.api_port, gates)
    cluster.api_args.append("--disable-admission-plugins=Priority")  # As upstream: templates give priorities as numbers.
    context = Context(options, cluster, folder / "run")
    try:
        cluster.start()
        context.closing(Controllers(context))
        scheduler = context.scheduler(config={"clientConnection": {"qps": 10000, "burst": 10000}})
        config = next(word for word in scheduler.command if word.startswith("--config="))
        scheduler.command = [*command, config, f"--secure-port={scheduler.port}", "--bind-address=127.0.0.1"]
        if gates:
            scheduler.command.append(f"--feature-gates={live.gate_list(gates)}")
        scheduler.start()
        time.sleep(1)
        return Run(cluster, templates, workload, scheduler.process.pid).run()
    finally:
        context.close()
        cluster.stop()


def per_pod(result, seconds):
    return seconds * 1000 / max(result.pods, 1)


def describe(result):
    core = "-" if result.core_cpu is None else f"{per_pod(result, result.core_cpu):.2f}"
    return (f"{result.pods:7} {result.pods / result.seconds:8.0f} {per_pod(result, result.cpu):12.2f} {core:>12} "
            f"{result.peak_mib:9.0f}")


def ratios(results):
    """How much less CPU per pod than kube-scheduler in the same run: the median, and how far the runs lie apart."""
    theirs = [per_pod(one, one.cpu) for one in results[UPSTREAM]]
    for name, runs in results.items():
        if name == UPSTREAM or not runs:
            continue
        found = [their / per_pod(one, one.cpu) for one, their in zip(runs, theirs)]
        core = [their / per_pod(one, one.core_cpu) for one, their in zip(runs, theirs) if one.core_cpu]
        deciding = f", of the thread that decides 1/{statistics.median(core):.1f}" if core else ""
        yield f"{name}: CPU 1/{statistics.median(found):.1f} (1/{min(found):.1f} to 1/{max(found):.1f}){deciding}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="dra", help="of scheduler_perf, or gangs, which is our own")
    parser.add_argument("--only", default="", metavar="REGEX", help="workloads whose name (case/workload) matches")
    parser.add_argument("--list", action="store_true", help="only print their names")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, help="where all results go as well")
    parser.add_argument("--berth", type=pathlib.Path, action="append", help="several are compared")
    parser.add_argument("--servers", type=pathlib.Path, default=ROOT / "build/e2e/bin")
    parser.add_argument("--etcd-port", type=int, default=23479, help="this and the next one")
    parser.add_argument("--api-port", type=int, default=27543)
    options = parser.parse_args()
    options.builds = [build.resolve() for build in options.berth or [ROOT / "build/release/berth"]]
    options.berth, options.servers = options.builds[0], options.servers.resolve()
    return options


def schedulers(options):
    """The commands by name."""
    found = {UPSTREAM: [str(options.servers / "kube-scheduler")]}
    for number, build in enumerate(options.builds):
        found["berth" if len(options.builds) == 1 else f"berth {number + 1}"] = [str(build), "scheduler"]
    return found


def compare(options, templates, workload, folder):
    """One workload, as often as there are runs; the results by scheduler."""
    results = {name: [] for name in schedulers(options)}
    for run in range(options.runs):
        for name, command in schedulers(options).items():
            result = measure(options, templates, workload, command, folder / f"{run}-{name.replace(' ', '-')}")
            results[name].append(result)
            print(f"{workload.name:60} {name:15} {describe(result)}", flush=True)
    print(*(f"{workload.name:60} {line}" for line in ratios(results)), sep="\n", flush=True)
    return results


def main():
    options = parse_arguments()
    folder = HERE / options.folder if (HERE / options.folder).is_dir() else workloads.source_folder() / options.folder
    chosen = [one for one in workloads.read(folder) if re.search(options.only, one.name)]
    if options.list:
        print("\n".join(one.name for one in chosen))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # By way of the cleaning up.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-compare-"))
    everything = {}
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        templates = stack.enter_context(contextlib.closing(Templates(folder)))
        print(f"{'workload':60} {'scheduler':15} {'pods':>7} {'pods/s':>8} {'ms CPU/pod':>12} {'ms core/pod':>12} {'peak MiB':>9}")
        for number, workload in enumerate(chosen):
            results = compare(options, templates, workload, folder / str(number))
            everything[workload.name] = {name: [dataclasses.asdict(one) for one in runs] for name, runs in results.items()}
            if options.json:
                options.json.write_text(json.dumps(everything, indent=1))


if __name__ == "__main__":
    main()
