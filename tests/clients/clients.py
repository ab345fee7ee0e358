# SPDX-License-Identifier: Apache-2.0
"""What the clients of this folder have in common: a `berth up` for each, programs that are run to their end, and a look
at what was printed."""
import collections
import contextlib
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "up"))

from server import Up  # noqa: E402

# Lines that tell of something that went wrong, and how often one may come: a program that repeats it does not get on.
TROUBLE = re.compile(r"\b(error|failed|failure|unable|cannot|could not|refused|forbidden|not found|panic|traceback)\b", re.I)
REPEATED_MAX = 5


class Skip(Exception):
    """What the client is made with is not there."""


class Context:
    """Where a client is made and run. `made` stays between runs, `folder` does not."""

    def __init__(self, name, berth, folder):
        self.name = name
        self.berth = berth
        self.source = HERE / name
        self.made = ROOT / "build/clients" / name
        self.made.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.output = folder / "output.log"

    def tool(self, name):
        """The path of a program that must be installed."""
        found = shutil.which(name)
        if not found:
            raise Skip(f"{name} is not installed")
        return found

    def fetch(self, command, **options):
        """Runs what brings something from a registry. Without it there is no client."""
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1200, check=False, **options)
        if done.returncode != 0:
            raise Skip(f"{pathlib.Path(str(command[0])).name} cannot fetch it: {(done.stderr or done.stdout).strip()[-300:]}")

    @contextlib.contextmanager
    def up(self, *args):
        """A `berth up` on a free port, whose own output is looked at too."""
        with Up(self.berth, *args) as up:
            yield up
            text = up.log()
        check_output("berth up", text)

    def run(self, command, timeout=300, **options):
        """Runs a program to its end, which must be a good one, and returns what it printed."""
        with open(self.output, "a", encoding="utf-8") as out:
            begin = out.tell()
            done = subprocess.run([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT, timeout=timeout, check=False, **options)
        text = self.output.read_text(encoding="utf-8", errors="replace")[begin:]
        name = pathlib.Path(str(command[0])).name
        assert done.returncode == 0, f"{name} ended with {done.returncode}: {text[-3000:]}"
        check_output(name, text)
        return text


def check_output(name, text):
    """No complaint comes again and again. Numbers and times do not make a line another one."""
    seen = collections.Counter(re.sub(r"\d+", "#", line).strip() for line in text.splitlines() if TROUBLE.search(line))
    for line, count in seen.most_common(1):
        assert count <= REPEATED_MAX, f"{name} says {count} times: {line[:500]}"
