#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `berth scheduler` on command lines for which the answer of kube-scheduler v1.37.1 is recorded in cli.jsonl.

Each case has its arguments, the exit code and, after a failure, the line that names the cause. Arguments that succeed
write the configuration to {dir}/out.yaml.

usage: cli_test.py BERTH [--every N] [unittest arguments]   (or set the environment variable BERTH)

With --every only each Nth case is run: a sample, for programs that are slow to start.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BERTH = os.environ.get("BERTH", "")
EVERY = 1
HERE = os.path.dirname(os.path.abspath(__file__))
KLOG = re.compile(r"^([EF])\d{4} \S+\s+\d+ [^\]]+\] (.*)$")
KUBECONFIG = {
    "apiVersion": "v1", "kind": "Config", "current-context": "c",
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1", "insecure-skip-tls-verify": True}}],
    "users": [{"name": "u", "user": {"token": "t"}}],
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
}


def configuration(directory, **more):
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": f"{directory}/kc"}, **more}


def write_files(directory):
    files = {
        "kc": json.dumps(KUBECONFIG),
        "ok.json": json.dumps(configuration(directory)),
        "lease.json": json.dumps(configuration(directory, leaderElection={"leaseDuration": "5s", "renewDeadline": "10s"})),
        "lock.json": json.dumps(configuration(directory, leaderElection={"resourceLock": "endpoints"})),
        "empty": "",
        "list.yaml": "- a\n",
        "manifest.yaml": '"m,l": "a,b"\n',
        "policy.json": json.dumps({"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "HostName"}]}),
        "unknown.json": json.dumps({"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "Best", "weight": 1}]}),
        "profiles.json": json.dumps(configuration(directory, profiles=[{"schedulerName": "mine"}])),
        "alpha.json": json.dumps({**configuration(directory), "apiVersion": "kubescheduler.config.k8s.io/v1alpha1"}),
    }
    for name, text in files.items():
        with open(f"{directory}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def cause(stderr):
    for line in stderr.splitlines():
        match = KLOG.match(line)
        if match:
            return f"{match.group(1)}] {match.group(2)}"
        if line.startswith("Error:"):
            return line
    return stderr.strip().splitlines()[0] if stderr.strip() else ""


class CommandLineTest(unittest.TestCase):
    def run_scheduler(self, arguments, directory):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("KUBE")}
        return subprocess.run([BERTH, "scheduler", *arguments], capture_output=True, text=True, timeout=20, cwd=directory,
                              env=environment, check=False)

    def test_answers_are_those_of_upstream(self):
        with open(f"{HERE}/cli.jsonl", encoding="utf-8") as file:
            cases = [json.loads(line) for line in file][::EVERY]
        with tempfile.TemporaryDirectory() as directory:
            write_files(directory)
            for case in cases:
                with self.subTest(argv=case["argv"]):
                    result = self.run_scheduler([word.replace("{dir}", directory) for word in case["argv"]], directory)
                    self.assertEqual(result.returncode, case["exit"], result.stderr[-500:])
                    self.assertEqual(result.stdout, "")
                    if case["exit"]:
                        self.assertEqual(cause(result.stderr).replace(directory, "{dir}"), case["error"])
                    else:
                        os.remove(f"{directory}/out.yaml")

    def test_help_goes_to_standard_output(self):
        result = self.run_scheduler(["-h"], None)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("\nBerth flags:\n", result.stdout)
        self.assertIn("\nBerth legacy policy flags:\n", result.stdout)
        self.assertIn("kube:AtomicFIFO=true|false (BETA - default=true)", result.stdout)

    def test_version(self):
        self.assertRegex(self.run_scheduler(["--version"], None).stdout, r"\AKubernetes v1\.37\.1 \(Berth \d+\.\d+\.\d+\)\n\Z")

    def test_a_gate_that_is_not_implemented_is_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            write_files(directory)
            arguments = [f"--kubeconfig={directory}/kc", "--secure-port=0", "--feature-gates=CoordinatedLeaderElection=true"]
            result = self.run_scheduler(arguments, directory)
        self.assertEqual(result.returncode, 1)
        self.assertIn("docs/divergences.md", result.stderr)


    def test_policies_that_cannot_be_used_are_refused(self):
        cases = {
            ("--use-legacy-policy-config",): "policyConfigFile: Required value: required when --use-legacy-policy-config is true",
            ("--policy-config-file={dir}/none",): "missing policy config file {dir}/none",
            ("--policy-config-file={dir}",): "couldn't read policy config: read {dir}: is a directory",
            ("--policy-config-file={dir}/list.yaml",): "invalid policy: ",
            ("--policy-config-file={dir}/unknown.json",):
                "couldn't create scheduler from policy: priority type not found for \"Best\"",
            ("--policy-config-file={dir}/unknown.json", "--policy-compat=v1.16"): "Priority type not found for Best",
            ("--algorithm-provider=Mine",): "couldn't create scheduler using provider \"Mine\": ",
            ("--policy-compat=v1.20",): "--policy-compat",
            ("--policy-config-file={dir}/policy.json", "--config={dir}/profiles.json"):
                "profiles and policy config both set, this should not happen",
            ("--policy-config-file={dir}/policy.json", "--write-config-to={dir}/out.yaml"): "berth convert-policy",
            ("--config={dir}/alpha.json",): "is read only with --policy-compat=v1.16",
            ("--port=-1",): "--port -1 must be between 0 and 65535",
            ("--log-file=/tmp/log",): "the log goes to standard error",
        }
        with tempfile.TemporaryDirectory() as directory:
            write_files(directory)
            for flags, text in cases.items():
                with self.subTest(flags=flags):
                    arguments = [word.replace("{dir}", directory) for word in (f"--kubeconfig={directory}/kc", "--secure-port=0", *flags)]
                    result = self.run_scheduler(arguments, directory)
                    self.assertEqual(result.returncode, 1)
                    self.assertIn(text.replace("{dir}", directory), cause(result.stderr).replace('\\"', '"'))

    def test_a_policy_from_a_server_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as directory:
            write_files(directory)
            arguments = [f"--kubeconfig={directory}/kc", "--secure-port=0", "--policy-configmap=p", "--policy-configmap-namespace=n"]
            result = self.run_scheduler(arguments, directory)
        self.assertEqual(result.returncode, 1)
        self.assertIn("couldn't get policy config map n/p: Get \"https://127.0.0.1:1/api/v1/namespaces/n/configmaps/p", result.stderr.replace('\\"', '"'))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BERTH = sys.argv.pop(1)
    if sys.argv[1:2] == ["--every"]:
        EVERY = int(sys.argv[2])
        del sys.argv[1:3]
    unittest.main()
