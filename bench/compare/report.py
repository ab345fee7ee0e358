# SPDX-License-Identifier: Apache-2.0
"""Figures of several runs as lines of text: the median, and how far the runs lie apart."""
import statistics

SPEED = {"pods": 0, "pods/s": 0, "ms CPU/pod": 3, "ms core/pod": 3, "p50 ms": 1, "p99 ms": 1, "peak MiB": 0}
PLACEMENT = {"used %": 1, "spread %": 2, "zone skew": 1, "host skew": 1, "largest fit %": 1, "quarters fit": 0, "image hits %": 1,
             "preempted": 0, "unbound": 0}
WIDTHS = {name: max(len(name), 7) for name in {**SPEED, **PLACEMENT}}


def values(runs, name):
    return [run[name] for run in runs if run.get(name) is not None]


def median(runs, name):
    found = values(runs, name)
    return statistics.median(found) if found else None


def cell(value, name):
    digits = {**SPEED, **PLACEMENT}[name]
    return f"{'-' if value is None else f'{value:.{digits}f}':>{WIDTHS[name]}}"


def header(columns):
    return f"{'workload':58} {'scheduler':15} " + " ".join(f"{name:>{WIDTHS[name]}}" for name in columns)


def line(workload, scheduler, runs, columns):
    return f"{workload:58.58} {scheduler:15} " + " ".join(cell(median(runs, name), name) for name in columns)


def ratios(runs, others, name):
    """What the others need of it for one that these need, run by run: the median, the least and the most."""
    found = [other[name] / run[name] for run, other in zip(runs, others) if run.get(name) and other.get(name)]
    return (statistics.median(found), min(found), max(found)) if found else None


def compared(results, reference):
    """A line for each scheduler but the reference: how much less it takes."""
    for scheduler, runs in results.items():
        if scheduler == reference or not runs or not results.get(reference):
            continue
        parts = []
        for name in ("ms CPU/pod", "p50 ms", "p99 ms", "peak MiB"):
            if found := ratios(runs, results[reference], name):
                parts.append(f"{name} 1/{found[0]:.1f}" + (f" (1/{found[1]:.1f} to 1/{found[2]:.1f})" if len(runs) > 1 else ""))
        core = [other["ms CPU/pod"] / run["ms core/pod"] for run, other in zip(runs, results[reference])
                if run.get("ms core/pod") and other.get("ms CPU/pod")]
        if core:
            parts.insert(1, f"deciding 1/{statistics.median(core):.1f}")
        yield f"  {scheduler} against {reference}: " + ", ".join(parts)


def tables(everything):
    """All results: how fast, and how good."""
    for columns in (SPEED, PLACEMENT):
        yield header(columns)
        for workload, results in everything.items():
            for scheduler, runs in results.items():
                if runs:
                    yield line(workload, scheduler, runs, columns)
        yield ""
