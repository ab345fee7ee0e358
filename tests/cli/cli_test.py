#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the command line as a whole: help, unknown words, completions, manual pages, output that cannot be written.

What needs a program that is not installed (zsh, fish, groff) is skipped.

usage: cli_test.py BERTH [unittest arguments]   (or set the environment variable BERTH)
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

BERTH = os.environ.get("BERTH", "")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
CLUSTER = os.path.join(EXAMPLES, "cluster.yaml")
EXIT_USAGE = 2
EXIT_OUTPUT = 74


def run(*arguments, **more):
    more = {"capture_output": True, **more}
    return subprocess.run([BERTH, *arguments], text=True, timeout=60, check=False, **more)


def make_data(directory):
    """A data directory of `berth up`, which is stopped as soon as it is up."""
    with subprocess.Popen([BERTH, "up", "--api-only", "--port", "0", "--data", directory, "--kubeconfig",
                           directory + ".kubeconfig"], stdout=subprocess.PIPE, text=True) as server:
        try:
            server.stdout.readline()
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=60)
        finally:
            server.kill()


def commands():
    """All commands, as lists of words, read off the help of the program."""
    found = []

    def look(path):
        text = run(*path, "--help").stdout
        section = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
        for name in re.findall(r"^  (\S+)", section.group(1), re.MULTILINE) if section else []:
            found.append([*path, name])
            if name != "help":  # Its help is that of the program.
                look([*path, name])
    look([])
    return found


class HelpTest(unittest.TestCase):
    def test_the_help_of_every_command_fits_eighty_columns(self):
        self.assertIn(["simulate"], commands())
        for path in [[], *commands()]:
            if path == ["scheduler"]:  # In the layout of kube-scheduler.
                continue
            with self.subTest(path=path):
                result = run(*path, "--help")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn("Usage: berth", result.stdout)
                self.assertEqual([line for line in result.stdout.splitlines() if len(line) > 80], [])

    def test_help_is_a_command(self):
        for path in [[], *commands()]:
            if path == ["help"]:
                continue
            with self.subTest(path=path):
                self.assertEqual(run("help", *path).stdout, run(*path, "--help").stdout)

    def test_the_version_is_a_flag_and_a_command(self):
        self.assertTrue(run("--version").stdout.startswith("berth "))
        self.assertEqual(run("--version").stdout, run("version").stdout)

    def test_without_a_command_there_is_help(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout), (EXIT_USAGE, ""))
        self.assertIn("Commands:", result.stderr)


class UnknownWordTest(unittest.TestCase):
    def refuse(self, arguments, text, code=EXIT_USAGE):
        result = run(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn(text, result.stderr)

    def test_unknown_commands(self):
        self.refuse(["simulte"], "berth: there is no command simulte; did you mean simulate?")
        self.refuse(["help", "relpay"], "there is no command relpay; did you mean replay?")
        self.refuse(["convert_policy", "x"], "did you mean convert-policy?")
        self.refuse(["xyzzy", "--help"], "there is no command xyzzy\n")

    def test_unknown_flags_of_every_command(self):
        for path in commands():
            flags = re.findall(r"^  (?:-\w, )?--([a-z-]{5,})", run(*path, "--help").stdout.partition("Flags:")[2], re.M)
            for flag in flags[:1]:
                with self.subTest(path=path, flag=flag):
                    if path == ["scheduler"]:
                        self.refuse(["scheduler", "--kubeconfg=x"], "Did you mean --kubeconfig?", 1)
                        continue
                    if path == ["help"]:
                        continue
                    self.refuse([*path, f"--{flag}x"], f"unknown flag --{flag}x; did you mean --{flag}?")

    def test_what_is_wrong_is_said_before_what_is_missing(self):
        self.refuse(["simulate", "--filname", "x"], "unknown flag --filname; did you mean --filename?")
        self.refuse(["simulate"], "--filename is required")
        self.refuse(["version", "x"], "unexpected argument \"x\"")


class OutputTest(unittest.TestCase):
    PRINTING = [
        ["simulate", "-f", CLUSTER],
        ["simulate", "-f", CLUSTER, "-f", os.path.join(EXAMPLES, "pods"), "--explain", "-o", "json"],
        ["convert-policy", "--policy-compat=v1.16", os.path.join(EXAMPLES, "policy.json")],
        ["scheduler", "--help"], ["scheduler", "--version"], ["version"], ["--version"], ["--help"], ["simulate", "--help"],
        ["completion", "bash"], ["man", "simulate"],
    ]

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "wb") as full, tempfile.TemporaryDirectory() as directory:
            log = os.path.join(directory, "log")
            self.assertEqual(run("simulate", "-f", CLUSTER, "--timeline", os.path.join(EXAMPLES, "timeline.yaml"),
                                 "--record", log).returncode, 0)
            data = os.path.join(directory, "data")
            make_data(data)
            for arguments in [*self.PRINTING, ["replay", log], ["export", "--data", data]]:
                with self.subTest(arguments=arguments):
                    result = run(*arguments, stdout=full, stderr=subprocess.PIPE, capture_output=False)
                    self.assertEqual(result.returncode, EXIT_OUTPUT)
                    self.assertTrue(result.stderr.endswith("berth: standard output: no space left on device\n"), result.stderr)

    def test_a_closed_output_is_an_error(self):
        result = subprocess.run(["/bin/sh", "-c", '"$0" version >&-', BERTH], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, EXIT_OUTPUT)
        self.assertEqual(result.stderr, "berth: standard output: bad file descriptor\n")

    def test_a_reader_that_went_away_is_no_news(self):
        for ignore, codes in [(False, (-signal.SIGPIPE,)), (True, (EXIT_OUTPUT,))]:
            with self.subTest(ignore=ignore):
                read_end, write_end = os.pipe()
                os.close(read_end)
                program = subprocess.Popen([BERTH, "--help"], stdout=write_end, stderr=subprocess.PIPE, text=True,
                                           restore_signals=not ignore)
                os.close(write_end)
                _, errors = program.communicate(timeout=60)
                self.assertIn(program.returncode, codes)
                self.assertEqual(errors, "")


class CompletionTest(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = f"""
            source <("$0" completion bash)
            compopt() {{ :; }}
            COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
            _berth
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        result = subprocess.run(["bash", "--norc", "-c", script, BERTH, *words], capture_output=True, text=True,
                                timeout=60, check=True, cwd=EXAMPLES)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete("berth", "simu"), ["simulate"])
        self.assertIn("--timeline", self.complete("berth", "simulate", "--"))
        self.assertNotIn("--nodes", self.complete("berth", "simulate", "--"))
        self.assertEqual(self.complete("berth", "simulate", "-o", ""), ["table", "json", "yaml"])
        self.assertEqual(self.complete("berth", "simulate", "--output", "=", "js"), ["json"])
        self.assertEqual(self.complete("berth", "replay", "--output", "="), ["table", "json"])
        self.assertEqual(self.complete("berth", "simulate", "-f", "clus"), ["cluster.yaml"])
        self.assertEqual(self.complete("berth", "convert-policy", "policy"), ["policy.json"])
        self.assertEqual(self.complete("berth", "simulate", "--plots", "po"), ["pods"])
        self.assertEqual(self.complete("berth", "completion", "z"), ["zsh"])
        self.assertIn("--policy-config-file", self.complete("berth", "scheduler", "--policy-c"))
        self.assertEqual(self.complete("berth", "scheduler", "--vm"), ["--vmodule"])

    def test_every_command_and_flag_is_in_every_script(self):
        for shell in ["bash", "zsh", "fish"]:
            script = run("completion", shell).stdout
            for path in commands():
                with self.subTest(shell=shell, path=path):
                    self.assertIn(path[-1], script)
            for flag in ["filename", "vmodule", "directory", "policy-compat"]:
                self.assertIn(flag, script)

    def check_syntax(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "script")
            with open(path, "w", encoding="utf-8") as file:
                file.write(run("completion", shell).stdout)
            result = subprocess.run([shell, "-n", path], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_bash_syntax(self):
        self.check_syntax("bash")

    def test_zsh_syntax(self):
        self.check_syntax("zsh")

    def test_fish_syntax(self):
        self.check_syntax("fish")

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        def offered(line):
            script = f"'{BERTH}' completion fish | source; complete -C '{line}'"
            with tempfile.TemporaryDirectory() as home:
                result = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, timeout=60,
                                        check=True, env={**os.environ, "HOME": home})
            return [line.split("\t")[0] for line in result.stdout.splitlines()]
        self.assertEqual(offered("berth simu"), ["simulate"])
        self.assertEqual(offered("berth simulate --outp"), ["--output"])
        self.assertEqual(sorted(offered("berth simulate -o ")), ["json", "table", "yaml"])
        self.assertEqual(sorted(offered("berth completion ")), ["bash", "fish", "zsh"])


class ManualTest(unittest.TestCase):
    def test_every_command_has_a_page_that_names_its_flags(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(run("man", "--directory", directory).returncode, 0)
            self.assertEqual(sorted(os.listdir(directory)),
                             sorted("-".join(["berth", *path]) + ".1" for path in [[], *commands()]))
            with open(os.path.join(directory, "berth-simulate.1"), encoding="utf-8") as file:
                page = file.read()
            self.assertEqual(run("man", "simulate").stdout, page)
            self.assertIn(r".B \-o, \-\-output table|json|yaml", page)
            if not shutil.which("groff"):
                self.skipTest("groff is not installed")
            for name in os.listdir(directory):
                with self.subTest(page=name):
                    result = subprocess.run(["groff", "-man", "-Tutf8", "-wall", "-Wbreak", os.path.join(directory, name)],
                                            capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual((result.returncode, result.stderr), (0, ""))
                    self.assertIn(name.upper().replace(".1", "(1)"), result.stdout)

    def test_a_page_that_is_not_there(self):
        self.assertEqual(run("man", "xyzzy").returncode, EXIT_USAGE)
        result = run("man", "--directory", "/proc/none")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/proc/none/berth.1: no such file or directory", result.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BERTH = sys.argv.pop(1)
    unittest.main()
