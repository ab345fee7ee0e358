# SPDX-License-Identifier: Apache-2.0
"""What the clients of this folder have in common: how they are made, a `berth up` for each, programs that are run to
their end or beside the test, and a look at what was printed."""
import collections
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "up"))

from server import Up  # noqa: E402

# What no program may say even once: that it crashes, or that an informer gets no objects.
FATAL = re.compile(r"\bpanic\b|fatal error:|Failed to (watch|list)|Unhandled ?Error|Traceback")
# Lines that tell of something that went wrong, and how often one may come: a program that repeats it does not get on.
TROUBLE = re.compile(r"\b(error|failed|failure|unable|cannot|could not|refused|forbidden|not found)\b", re.I)
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
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=3600, check=False, **options)
        if done.returncode != 0:
            raise Skip(f"{pathlib.Path(str(command[0])).name} cannot fetch it: {(done.stderr or done.stdout).strip()[-300:]}")
        return done.stdout.strip()

    def go_build(self, package="."):
        """A program in Go: that of this folder, or one that its go.mod pins."""
        program = self.made / (self.name if package == "." else package.rsplit("/", 1)[1])
        options = {"cwd": self.source, "env": {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"}}
        self.fetch([self.tool("go"), "list", "-deps", package], **options)
        self.run(["go", "build", "-trimpath", "-o", program, package], timeout=3600, **options)
        return program

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


    @contextlib.contextmanager
    def running(self, command, harmless=None, **options):
        """Runs a program beside the test until its end, and yields the file that it prints to. Lines that match
        `harmless` it says on real servers as well."""
        name = pathlib.Path(str(command[0])).name
        output = self.folder / f"{name}.log"
        with open(output, "w", encoding="utf-8") as out:
            process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT, **options)
        try:
            yield output
            assert process.poll() is None, f"{name} ended by itself with {process.returncode}"
        except Exception as error:
            raise AssertionError(f"{name} printed: {output.read_text(encoding='utf-8', errors='replace')[-3000:]}") from error
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        text = output.read_text(encoding="utf-8", errors="replace")
        check_output(name, re.sub(rf"^.*({harmless}).*$", "", text, flags=re.M) if harmless else text)


def check_output(name, text):
    """Nothing fatal, and no complaint that comes again and again. What has digits, such as times and names that were
    made up, does not make a line another one."""
    if found := FATAL.search(text):
        raise AssertionError(f"{name} says: {text[max(0, found.start() - 200):found.end() + 800]}")
    seen = collections.Counter(re.sub(r"[\w.:-]*\d[\w.:-]*", "#", line).strip() for line in text.splitlines() if TROUBLE.search(line))
    for line, count in seen.most_common(1):
        assert count <= REPEATED_MAX, f"{name} says {count} times: {line[:500]}"


def check_that_trouble_is_seen():
    """Plants what check_output is there for."""
    once = "Error syncing pod web-1a2b3: timed out\n"
    check_output("a program", once * REPEATED_MAX)
    for planted in ("reflector.go: Failed to watch pods\n", "panic: nil map\n", once * REPEATED_MAX + once.replace("1a2b3", "9z8y7")):
        with contextlib.suppress(AssertionError):
            check_output("a program", planted)
            raise SystemExit(f"does not see: {planted}")
