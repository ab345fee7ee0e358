#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the tour of the README: runs the commands it shows and compares what they print with what it shows.

    tests/up/tour.py BERTH [--kubectl PATH] [--file README.md] [--section "A cluster on your laptop"] [-v]

The section's blocks (```console, or indented) are one session of a shell: `$ ` begins a command, `> ` goes on with it, the rest is what
it prints, where `...` stands for any lines. `berth up` is left running, on a free port, until the tour ends. A command
that reads is repeated until it prints what is shown, or 30 seconds have passed. Ages, times, addresses, ports, the
folder of the kubeconfig and the random ends of names may differ, and lines may come in another order. Without kubectl the test is skipped.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import ROOT, SKIPPED, find_kubectl  # noqa: E402

PATIENCE_S = 30
READS = re.compile(r"kubectl (get|describe|events|logs|explain|wait|rollout|version|api-resources)|curl|cat|(build/release/)?berth (?!up)")
RANDOM = "[bcdfghjklmnpqrstvwxz2456789]"  # What upstream makes random names of.
NORMAL = [
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
    (r"\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "<time>"),
    (r"(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(:\d+|/\d+)?", "<address>"),
    (r"\b[\d.,]+ (ms|s|seconds?)\b", "<duration>"),
    (r"\b[\d,]+ pods/s\b", "<rate>"),
    (r"(?<==)/\S*/(?=berth\.kubeconfig)", "<folder>/"),
    (rf"-{RANDOM}{{6,10}}-{RANDOM}{{5}}\b", "-<random>"),
    (rf"-{RANDOM}{{5}}\b", "-<random>"),
    (rf"-{RANDOM}{{8,10}}\b", "-<hash>"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uid>"),
    (r"(?<![\w.:/=-])(\d+d)?(\d+h)?(\d+m)?(\d+s)?(?<=[smhd])( ago)?(?=\s|$|\))", "<age>"),
    (r"(?<=\s)-{3,}|^-{3,}", "---"),
    (r"[ \t]+", " "),
]


def normalised(text):
    """Its lines without what differs from run to run."""
    lines = []
    for line in text.splitlines():
        for pattern, replacement in NORMAL:
            line = re.sub(pattern, lambda found, by=replacement: by if found[0] else "", line)
        lines.append(line.strip())
    return [line for line in lines if line]


def matches(shown, printed):
    """Whether the output is what is shown. Parts between `...` must be found, in any order of their lines."""
    if "..." not in shown:
        return sorted(shown) == sorted(printed)
    rest = list(printed)
    for line in shown:
        if line == "...":
            continue
        if line not in rest:
            return False
        rest.remove(line)
    return True


def section_of(text, title):
    found = re.search(rf"^(#+) {re.escape(title)}\s*$(.*?)(?=^#{{1,2}} |\Z)", text, re.M | re.S)
    assert found, f"no section '{title}'"
    return found[2]


def code_lines(text):
    """The lines of ```console blocks and of indented ones."""
    fence = None
    for line in text.splitlines():
        if line.startswith("```"):
            fence = line[3:] if fence is None else None
        elif fence == "console":
            yield line
        elif fence is None and (line.startswith("    ") or not line):
            yield line[4:]


def parse(text):
    """Commands and what they are shown to print."""
    steps = []
    for line in code_lines(text):
        if line.startswith("$ "):
            steps.append(([line[2:]], []))
        elif steps and line.startswith("> ") and not steps[-1][1]:
            steps[-1][0].append(line[2:])
        elif steps:
            steps[-1][1].append(line)
    return [("\n".join(command), "\n".join(output)) for command, output in steps]


class Shell:
    """One bash in a folder of its own, in which all commands run."""

    def __init__(self, berth, kubectl):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-tour-"))
        tools = self.folder / "bin"
        tools.mkdir()
        (self.folder / "build").mkdir()
        (self.folder / "build/release").symlink_to(tools)
        (tools / "berth").symlink_to(berth)
        (tools / "kubectl").symlink_to(kubectl)
        for name in ("examples", "docs", "deploy"):
            (self.folder / name).symlink_to(ROOT / name)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        environment.pop("KUBECONFIG", None)
        self.bash = subprocess.Popen(["bash", "--noprofile", "--norc"], cwd=self.folder, env=environment, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.up = None
        self.environment = environment

    def run(self, command):
        """What it prints."""
        if re.match(r"(build/release/)?berth up\b", command):
            return self.start(re.sub(r"^\S*berth up\b", "", command).rstrip(" &"))
        mark = "==end-of-command=="
        self.bash.stdin.write(f"{command}\necho; echo {mark}\n")
        self.bash.stdin.flush()
        lines = []
        for line in self.bash.stdout:
            if line.strip() == mark:
                return "".join(lines)
            lines.append(line)
        raise AssertionError(f"the shell ended in: {command}")

    def start(self, arguments):
        log = self.folder / "up.log"
        port = "" if "--port" in arguments else " --port 0"
        with open(log, "w", encoding="utf-8") as out:
            self.up = subprocess.Popen(["bash", "-c", f"exec berth up{port} {arguments}"], cwd=self.folder, env=self.environment,
                                       stdout=out, stderr=subprocess.STDOUT)
        end = time.monotonic() + PATIENCE_S
        while "Ctrl-C" not in (text := log.read_text()):
            assert self.up.poll() is None and time.monotonic() < end, f"berth up does not begin: {text}"
            time.sleep(0.01)
        return text

    def close(self):
        for process in (self.bash, self.up):
            if process and process.poll() is None:
                process.send_signal(signal.SIGINT if process is self.up else signal.SIGTERM)
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def take_step(shell, command, shown, verbose):
    """Whether it printed what is shown."""
    expected = normalised(shown)
    start = time.monotonic()
    while True:
        text = shell.run(command)
        printed = normalised(text)
        if matches(expected, printed):
            if verbose:
                print(f"ok   $ {command} ({time.monotonic() - start:.1f} s)\n{text}", flush=True)
            return True
        if not READS.match(command) or time.monotonic() - start > PATIENCE_S:
            break
        time.sleep(0.2)
    print(f"FAIL $ {command}", "shown:", *expected, "printed:", *printed, "as it was:", text, sep="\n  ", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("--kubectl", default=find_kubectl())
    parser.add_argument("--file", type=pathlib.Path, default=ROOT / "README.md")
    parser.add_argument("--section", default="A cluster on your laptop")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what the commands print")
    options = parser.parse_args()
    if not options.kubectl:
        print("SKIPPED: no kubectl; tests/e2e/servers/build.sh build/e2e/bin kubectl makes one")
        return SKIPPED
    steps = parse(section_of(options.file.read_text(encoding="utf-8"), options.section))
    assert steps, "the section shows no commands"
    shell = Shell(options.berth.resolve(), pathlib.Path(options.kubectl).resolve())
    try:
        good = all(take_step(shell, command, shown, options.verbose) for command, shown in steps)
    finally:
        shell.close()
    if good:
        print(f"{len(steps)} commands print what is shown")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
