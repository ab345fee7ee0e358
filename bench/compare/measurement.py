# SPDX-License-Identifier: Apache-2.0
"""What is measured between two operations: the pods that were bound meanwhile, how long each waited, and what the scheduler used."""
import dataclasses
import time

import usage

SETTLE_S = 1  # In which a scheduler sees what was made before, or writes what is left to write.


@dataclasses.dataclass
class Result:
    pods: int
    seconds: float
    cpu: float
    core_cpu: float | None
    peak_mib: float        # Of the scheduler's memory, from its start.
    waited: list           # From creation to binding as far as both were seen, in seconds, shortest first.
    preempted: int = 0
    unbound: int = 0       # Of those that were created.
    quality: dict = dataclasses.field(default_factory=dict)

    def waiting(self, share):
        return self.waited[min(int(len(self.waited) * share), len(self.waited) - 1)] if self.waited else None

    def figures(self):
        """What is told of it, by name."""
        def each(seconds):
            return None if seconds is None or not self.pods else seconds * 1000 / self.pods

        def ms(seconds):
            return None if seconds is None else seconds * 1000
        return {"pods": self.pods, "pods/s": self.pods / self.seconds if self.seconds else None, "ms CPU/pod": each(self.cpu),
                "ms core/pod": each(self.core_cpu), "p50 ms": ms(self.waiting(0.5)), "p99 ms": ms(self.waiting(0.99)),
                "peak MiB": self.peak_mib, "preempted": self.preempted, "unbound": self.unbound, **self.quality}


class Measurement:
    def __init__(self, pods, pid, namespaces=None, labels=None):
        self.pods, self.pid, self.namespaces, self.labels = pods, pid, namespaces, labels
        self.start, self.before = time.monotonic(), self._usage()

    def _usage(self):
        return usage.of_process(self.pid), usage.of_core(self.pid)

    def end(self):
        time.sleep(SETTLE_S)
        cpu, core = self._usage()
        selected = self.pods.select(self.namespaces, self.labels)
        bound = [one for one in selected if one.bound and one.bound >= self.start]
        last = max((one.bound for one in bound), default=time.monotonic())
        return Result(
            pods=len(bound), seconds=last - self.start, cpu=cpu - self.before[0],
            core_cpu=None if core is None else core - self.before[1], peak_mib=usage.peak_mib(self.pid),
            waited=sorted(one.bound - one.created for one in bound if one.created),
            unbound=sum(1 for one in selected if one.created and one.created >= self.start and not one.bound and not one.gone))


def together(results):
    """Several of one workload as one."""
    core = [one.core_cpu for one in results]
    return Result(pods=sum(one.pods for one in results), seconds=sum(one.seconds for one in results), cpu=sum(one.cpu for one in results),
                  core_cpu=None if None in core else sum(core), peak_mib=max(one.peak_mib for one in results),
                  waited=sorted(one for result in results for one in result.waited), unbound=sum(one.unbound for one in results))
