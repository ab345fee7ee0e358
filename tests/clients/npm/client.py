# SPDX-License-Identifier: Apache-2.0
"""A program of the npm package @kubernetes/client-node."""
import shutil


def run(context):
    node, npm = context.tool("node"), context.tool("npm")
    for name in ("package.json", "package-lock.json", "program.js"):
        shutil.copy(context.source / name, context.made)
    context.fetch([npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=context.made)
    with context.up("--nodes", 10) as up:
        context.run([node, "program.js", up.kubeconfig], cwd=context.made)
