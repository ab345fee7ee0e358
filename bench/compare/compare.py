#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs workloads of upstream's scheduler_perf, and our own, with kube-scheduler and with Berth on one API server, and compares.

    bench/compare/compare.py --list
    bench/compare/compare.py --folder own --smoke
    bench/compare/compare.py --folder affinity --only '/500Nodes$' --runs 3 --json affinity.json --plots pictures
    bench/compare/compare.py --folder own --only '^Mix/' --server kube-apiserver --rate 50 --rate 200

Upstream's workloads are read where Go keeps its modules; ours are in the folders own and gangs. Each runs on an API server
that is new, real or Berth's (--server), with one scheduler after the other, and all of that as often as there are runs, in
changing order. --rate offers the measured pods at so many per second, and tells how long they wait. Client limits are
lifted. kube-scheduler samples nodes as it does by default, Berth looks at all of them. Rates are those of the whole control
plane, which shares the processors with the scheduler; CPU is what the scheduler used while pods were measured. What cannot
run is listed with the reason. tests/e2e/servers/build.sh makes kube-apiserver, etcd and kube-scheduler. Needs Go.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "live"), str(ROOT / "tests" / "up")]

import plots  # noqa: E402
import quality  # noqa: E402
import report  # noqa: E402
import workloads  # noqa: E402
from operations import Run  # noqa: E402
from schedulers import CannotRun, Scheduler  # noqa: E402
from servers import SERVERS, ApiError  # noqa: E402
from templates import Templates  # noqa: E402

UPSTREAM = "kube-scheduler"


def measure(options, templates, workload, command, rate, folder):
    """The figures of one workload with one scheduler, on an API server that is new."""
    folder.mkdir(parents=True)
    with contextlib.ExitStack() as stack:
        try:
            server = SERVERS[options.server](options, folder, workload.gates)
        except (AssertionError, RuntimeError) as error:
            raise CannotRun(f"the API server does not start: {str(error)[-300:]}") from error
        stack.callback(server.stop)
        if workload.needs_controllers():
            server.control(options.servers, folder, workload.gates)
        config = templates.read(workload.folder / workload.config) if workload.config else None
        scheduler = Scheduler(command, server, folder, workload.gates, config)
        stack.callback(scheduler.stop)
        scheduler.await_ready()
        result = Run(server, templates, workload, scheduler, rate, options.limit).run()
        result.quality = quality.measure(server)
        return result.figures()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", action="append", help="of scheduler_perf, or own or gangs, which are ours; several; all by default")
    parser.add_argument("--only", default="", metavar="REGEX", help="workloads whose name (case/workload) matches")
    parser.add_argument("--smoke", action="store_true", help="the smallest size of each case")
    parser.add_argument("--list", action="store_true", help="only print their names")
    parser.add_argument("--server", choices=SERVERS, default="embedded")
    parser.add_argument("--rate", type=float, action="append", help="measured pods offered per second; several are tried in turn")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a workload is given up")
    parser.add_argument("--json", type=pathlib.Path, help="where all results go as well")
    parser.add_argument("--plots", type=pathlib.Path, metavar="FOLDER", help="where pictures go")
    parser.add_argument("--berth", type=pathlib.Path, action="append", help="several are compared")
    parser.add_argument("--scheduler", action="append", default=[], metavar="NAME=COMMAND", help="another scheduler that takes part")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="a scheduler that does not")
    parser.add_argument("--servers", type=pathlib.Path, default=ROOT / "build/e2e/bin")
    options = parser.parse_args()
    options.builds = [build.resolve() for build in options.berth or [ROOT / "build/release/berth"]]
    options.berth, options.servers = options.builds[0], options.servers.resolve()
    return options


def schedulers(options):
    """The commands by name."""
    found = {UPSTREAM: [str(options.servers / "kube-scheduler")]}
    for number, build in enumerate(options.builds):
        found["berth" if len(options.builds) == 1 else f"berth {number + 1}"] = [str(build), "scheduler"]
    found |= {name: shlex.split(command) for name, _, command in (one.partition("=") for one in options.scheduler)}
    return {name: command for name, command in found.items() if name not in options.without}


class Comparison:
    def __init__(self, options, templates, folder):
        self.options, self.templates, self.folder = options, templates, folder
        self.everything, self.failed = {}, {}

    def run(self, chosen):
        rates = self.options.rate or [None]
        for number, workload in enumerate(chosen):
            for rate in rates:
                title = workload.name if rate is None else f"{workload.name} at {rate:g}/s"
                print(f"[{number + 1}/{len(chosen)}] {workload.group}: {title}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
                self._compare(workload, rate, title, self.folder / f"{number}-{rate}")

    def _compare(self, workload, rate, title, folder):
        commands = list(schedulers(self.options).items())
        results = {name: [] for name, _ in commands}
        for run in range(self.options.runs):
            for name, command in commands[::-1 if run % 2 else 1]:
                started = time.monotonic()
                try:
                    figures = measure(self.options, self.templates, workload, command, rate, folder / f"{run}-{name.replace(' ', '-')}")
                except (CannotRun, ApiError, OSError, ValueError, KeyError) as error:
                    self.failed[title, name] = f"{type(error).__name__}: {error}" if not isinstance(error, CannotRun) else str(error)
                    print(f"  {name}: {self.failed[title, name]}", file=sys.stderr, flush=True)
                    continue
                results[name].append(figures)
                print(report.line(title, name, [figures], report.SPEED) + f"  ({time.monotonic() - started:.0f} s)", flush=True)
        self.everything[title] = results
        print(*report.compared(results, UPSTREAM), sep="\n", flush=True)
        if self.options.json:
            self.options.json.write_text(json.dumps({
                "server": self.options.server, "results": self.everything,
                "notRun": [{"workload": title, "scheduler": name, "reason": reason} for (title, name), reason in self.failed.items()]}, indent=1))

    def conclude(self):
        print()
        print(*report.tables(self.everything), sep="\n")
        if self.failed:
            print("not run, or not to the end:")
        for (title, name), reason in self.failed.items():
            print(f"  {title}, {name}: {reason}")
        if self.options.plots:
            plots.write(self.options.plots, self.everything)


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # By way of the cleaning up.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-compare-"))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        templates = stack.enter_context(contextlib.closing(Templates(folder)))
        chosen = workloads.read(templates, options.folder)
        chosen = workloads.smallest(chosen) if options.smoke else chosen
        chosen = [one for one in chosen if re.search(options.only, one.name)]
        if options.list:
            print(*(f"{one.group}: {one.name}" for one in chosen), sep="\n")
            return 0
        comparison = Comparison(options, templates, folder)
        print(report.header(report.SPEED))
        comparison.run(chosen)
        comparison.conclude()
        return 1 if comparison.failed else 0


if __name__ == "__main__":
    sys.exit(main())
