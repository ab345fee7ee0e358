#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs workloads of upstream's scheduler_perf with kube-scheduler and with Berth, and prints one table.

    bench/compare/compare.py --folder dra --only 'ResourceClaimTemplate/(2000pods_200nodes|half_100nodes)'
    bench/compare/compare.py --folder dra --list
    bench/compare/compare.py --folder gangs

The workloads are read where Go keeps its modules; those of the folder gangs are Berth's own. Each runs on a real etcd and
kube-apiserver of its own, with kube-controller-manager for claims, once with each scheduler; tests/e2e/servers/build.sh makes
these programs. Client limits are lifted. kube-scheduler samples nodes as it does by default, Berth looks at all of them. Rates
are those of the whole control plane, which shares the processors with the scheduler; CPU is what the scheduler used while the
pods were measured.
Needs Go and PyYAML.
"""
import argparse
import contextlib
import pathlib
import re
import shutil
import signal
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


def describe(result):
    per_pod = max(result.pods, 1)
    core = "-" if result.core_cpu is None else f"{result.core_cpu * 1000 / per_pod:.2f}"
    return f"{result.pods:7} {result.pods / result.seconds:8.0f} {result.cpu * 1000 / per_pod:12.2f} {core:>12}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="dra", help="of scheduler_perf, or gangs, which is our own")
    parser.add_argument("--only", default="", metavar="REGEX", help="workloads whose name (case/workload) matches")
    parser.add_argument("--list", action="store_true", help="only print their names")
    parser.add_argument("--berth", type=pathlib.Path, default=ROOT / "build/release/berth")
    parser.add_argument("--servers", type=pathlib.Path, default=ROOT / "build/e2e/bin")
    parser.add_argument("--etcd-port", type=int, default=23479, help="this and the next one")
    parser.add_argument("--api-port", type=int, default=27543)
    options = parser.parse_args()
    options.berth, options.servers = options.berth.resolve(), options.servers.resolve()
    return options


def main():
    options = parse_arguments()
    folder = HERE / options.folder if (HERE / options.folder).is_dir() else workloads.source_folder() / options.folder
    chosen = [one for one in workloads.read(folder) if re.search(options.only, one.name)]
    if options.list:
        print("\n".join(one.name for one in chosen))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # By way of the cleaning up.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-compare-"))
    schedulers = {"kube-scheduler": [str(options.servers / "kube-scheduler")], "berth": [str(options.berth), "scheduler"]}
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        templates = stack.enter_context(contextlib.closing(Templates(folder)))
        print(f"{'workload':60} {'scheduler':15} {'pods':>7} {'pods/s':>8} {'ms CPU/pod':>12} {'ms core/pod':>12}")
        for number, workload in enumerate(chosen):
            for name, command in schedulers.items():
                result = measure(options, templates, workload, command, folder / f"{number}-{name}")
                print(f"{workload.name:60} {name:15} {describe(result)}", flush=True)


if __name__ == "__main__":
    main()
