# SPDX-License-Identifier: Apache-2.0
"""What a process has used of the processors, all of it and by thread, in seconds, and of the memory."""
import pathlib
import re
import time

CORE = "berth-core"  # The thread of Berth that decides.


def of_process(pid):
    return time.clock_gettime((~pid << 3) | 2)  # The clock of its processor time; see clock_getcpuclockid(3).


def of_core(pid):
    """Of the thread that decides; None where all threads do."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == CORE:
            return int((task / "schedstat").read_text().split()[0]) / 1e9
    return None


def peak_mib(pid):
    return int(re.search(r"^VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]) / 1024
