# SPDX-License-Identifier: Apache-2.0
"""A program of the Python package `kubernetes`."""
import venv


def run(context):
    python = context.made / "bin/python"
    if not python.exists():
        venv.create(context.made, with_pip=True)
    context.fetch([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", context.source / "requirements.txt"])
    with context.up("--nodes", 10) as up:
        context.run([python, context.source / "program.py", up.kubeconfig])
