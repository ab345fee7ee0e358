// SPDX-License-Identifier: Apache-2.0
// Any expression that compiles comes to an end on any device, within its cost limit and the same each time.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "cel/device_expression.h"

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "device.attributes[\"d\"].s.lowerAscii().split(\"-\").map(x, x + \"!\").join(\",\").contains(\"a\")",
    "device.attributes['d'].i + 1 > 2 && device.attributes['d'].v.isGreaterThan(semver('1.2.3')) || "
    "device.attributes['d'].b",
    "lists.range(100).all(x, lists.range(x).sum() >= 0) && [3, 1, 2].sort().distinct().reverse()[0] == 3",
    "cel.bind(x, [[1], [2]].flatten(), x + x == x.slice(0, 2) + x) ? 'a'.replace('', 'bb').size() > 1 : false",
    "device.capacity['d'].m.add(1).sub(quantity('1k')).asApproximateFloat() < 1.5 && sign(device.capacity['d'].m) == 1",
    "device.attributes['d'].l.exists(v, v == 1) && device.attributes['d'].?zz.hasValue() == false",
    "url('https://u:p@h:8443/a%20b?q=1').getQuery()['q'] == ['1'] && cidr('10.0.0.0/8').containsIP(ip('10.1.1.1'))",
    "timestamp('2024-02-29T23:30:00Z').getHours('Europe/Berlin') == 0 && string(duration('1.5h')) == '5400s'",
    "'%s|%5'.format([device.attributes]) == '' || format.dns1123Label().validate(device.driver).hasValue()",
    nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr uint64_t kLimit = 20'000;
  const auto expression = cel::DeviceExpression::Compile(text, {.cost_limit = kLimit});
  if (!expression) return 0;

  // The text itself is part of the device, so that hostile attributes come up too.
  static const api::Quantity amount = *api::Quantity::Parse("10Gi");
  const std::vector<int64_t> numbers{1, -1, INT64_MAX};
  cel::Device device("d");
  device.AddString("s", text);
  device.AddString(text, text);
  device.AddInt("i", static_cast<int64_t>(size));
  device.AddBool("b", size % 2 == 0);
  device.AddVersion("v", "1.2.3-rc.1+b");
  device.AddInts("l", numbers);
  device.AddCapacity("m", amount);

  std::optional<uint64_t> cost;
  std::optional<uint64_t> cost_again;
  const Result<bool> matches = expression->Matches(device, &cost);
  const Result<bool> matches_again = expression->Matches(device, &cost_again);
  BERTH_ASSERT(matches.has_value() == matches_again.has_value());
  if (matches) BERTH_ASSERT(*matches == *matches_again && *cost <= kLimit);
  if (!matches) BERTH_ASSERT(matches.error().message == matches_again.error().message);
  BERTH_ASSERT(cost == cost_again);
  return 0;
}
