# SPDX-License-Identifier: Apache-2.0
"""What a scheduler does in a cluster that works, over TLS and in protobuf, as it is by default."""
TESTS = []
SMOKE = []
