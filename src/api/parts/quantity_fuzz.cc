// SPDX-License-Identifier: Apache-2.0
// Any text parses or fails cleanly, and a quantity that prints with a suffix of its own reads back equal.

#include <cstdint>
#include <string_view>

#include "api/parts/quantity.h"
#include "base/assert.h"

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "100m", "1.5Gi",  "-1.4m",    "12e6",  "9223372036854775808", "47Ei",   "0.1n", "1000E", "+5",
    "30.E", "1e-10",  "0.0001Ki", "1.555", "1e2000000000",        "1024Mi", "1T",   "7u",    "3k",
    "2P",   "-0.5Ti", nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using berth::api::Quantity;
  const auto quantity = Quantity::Parse({reinterpret_cast<const char*>(data), size});
  if (!quantity) return 0;

  // Printing drops powers of ten beyond the largest suffix, as Kubernetes does: those do not read back.
  static const Quantity limit = *Quantity::Parse("1e21");
  static const Quantity negative_limit = *Quantity::Parse("-1e21");
  const auto printed = Quantity::Parse(quantity->String());
  BERTH_ASSERT(printed.has_value());
  if (quantity->Cmp(limit) < 0 && quantity->Cmp(negative_limit) > 0) BERTH_ASSERT(*printed == *quantity);

  Quantity difference = *quantity;
  difference.Sub(*quantity);
  BERTH_ASSERT(difference.IsZero());
  Quantity twice = *quantity;
  twice.Add(*quantity);
  BERTH_ASSERT(twice.Cmp(*quantity) == quantity->Sign());
  return 0;
}
