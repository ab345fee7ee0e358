# SPDX-License-Identifier: Apache-2.0
"""A controller written with controller-runtime."""


def run(context):
    program = context.go_build()
    with context.up("--nodes", 5) as up:
        context.run([program, "-kubeconfig", up.kubeconfig])
