// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/container_command.h"

extern const char* const kFuzzSeeds[] = {"echo 'a b' >/x 2>&1; sleep 1.5m 2s && exit 3 || true", "false\nsleep inf",
                                         nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(berth::server::ReadShellScript({reinterpret_cast<const char*>(data), size}));
  return 0;
}
