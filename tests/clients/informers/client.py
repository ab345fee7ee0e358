# SPDX-License-Identifier: Apache-2.0
"""A program of client-go, in JSON and in protobuf."""


def run(context):
    program = context.go_build()
    for arguments in ([], ["-protobuf"]):
        with context.up("--nodes", 10) as up:
            context.run([program, "-kubeconfig", up.kubeconfig, *arguments])
