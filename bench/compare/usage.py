# SPDX-License-Identifier: Apache-2.0
"""What a process has used of the processors, all of it and by thread."""
import os
import pathlib

TICKS = os.sysconf("SC_CLK_TCK")
CORE = "berth-core"  # The thread of Berth that decides.


def seconds(stat):
    fields = stat.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def of_process(pid):
    return seconds(pathlib.Path(f"/proc/{pid}/stat"))


def of_core(pid):
    """Of the thread that decides; None where all threads do."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == CORE:
            return seconds(task / "stat")
    return None
