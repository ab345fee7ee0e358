// SPDX-License-Identifier: Apache-2.0
// Any text is a range of addresses or is refused, and no range is a strict subset of itself.

#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "server/kinds/network/network_rules.h"

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {"10.9.8.0/24", "2001:db8::/64", "010.0.0.0/08", "::ffff:10.0.0.0/120", "10.0.0.0/-1",
                                  "10.0.0.1/33", "127.0.0.1",     "fe80::1",      "255.255.255.256/999", nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth::server;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  BERTH_ASSERT(!CheckCidr(text).empty() || CidrFamily(text) != 0);
  BERTH_ASSERT(CheckEndpointIp(text).size() <= 1);
  BERTH_ASSERT(!IsStrictSubset(text, text));
  return 0;
}
