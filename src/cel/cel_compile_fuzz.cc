// SPDX-License-Identifier: Apache-2.0
// Any text compiles or fails with a message, in all environments, and its cost estimate can be computed.

#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "cel/declared_environment.h"
#include "cel/device_expression.h"
#include "cel/expression.h"

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "device.driver == \"gpu.example.com\" && device.attributes[\"gpu.example.com\"].model.matches(\"A100|H100\")",
    "cel.bind(a, device.attributes['d'], has(a.x) ? a.?x.orValue(1) : a[?'y'].optMap(z, z + 1).value()) in [1, 2.0, "
    "3u]",
    "[1, 2, ?optional.none()].map(x, x > 1, x * 2).sortBy(y, -y).exists(i, v, i < v) || {\"a\": b'\\xff', ?'b': "
    "x}.size() > 0",
    "device.capacity.all(d, m, m.exists_one(k, quantity(k) == quantity(\"1Gi\"))) && !(-0x10 % 3 == 1e3)",
    "\"%s %d %.3f %e %x\".format([dyn(1), 2, 3.5, 4.5, b\"x\"]) + r'\\d' + '''a'b''' // comment",
    ".net.IP == type(ip('::1')) && duration('1h') + timestamp('2024-01-01T00:00:00Z') > timestamp(0)",
    "device.attributes.`a b`.if.transformMap(k, v, k).transformMapEntry(k, v, {v: k}).size() == 3",
    "self.l.exists(x, x.a__dash__b > 1) && oldSelf.orValue(self).m['k'] == self.namespace",
    nullptr};

namespace {

using berth::cel::DeclaredType;
using berth::cel::TypeKind;

// An object with a list of objects, a map, and a field of a reserved name.
DeclaredType SelfType() {
  DeclaredType item(TypeKind::kStruct);
  item.fields.push_back({"a__dash__b", DeclaredType(TypeKind::kInt)});
  DeclaredType list(TypeKind::kList);
  list.element = std::make_unique<DeclaredType>(std::move(item));
  list.max_elements = 1000;
  DeclaredType map(TypeKind::kMap);
  map.element = std::make_unique<DeclaredType>(TypeKind::kString);
  DeclaredType self(TypeKind::kStruct);
  self.fields.push_back({"__namespace__", DeclaredType(TypeKind::kString)});
  self.fields.push_back({"l", std::move(list)});
  self.fields.push_back({"m", std::move(map)});
  return self;
}

// The same in an environment of declared types.
void CompileDeclared(std::string_view text) {
  static const DeclaredType self = SelfType();
  berth::cel::DeclaredEnvironment environment(berth::cel::Library::Get(true));
  environment.Add("self", self, "selfType");
  environment.Add("oldSelf", self, "selfType", true);
  environment.EstimateBy(self);
  const auto any = [](const berth::cel::Type*, berth::cel::TypeTable&) { return std::optional<std::string>(); };
  const auto expression = berth::cel::Expression::Compile(text, environment, any, true);
  if (!expression) BERTH_ASSERT(!expression.error().detail.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using berth::cel::DeviceExpression;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool is_stored : {true, false}) {
    const auto expression = DeviceExpression::Compile(
        text, {.is_stored = is_stored, .derives_attribute = !is_stored, .estimates_cost = true});
    if (!expression) BERTH_ASSERT(!expression.error().detail.empty());
    if (expression) BERTH_ASSERT(!expression->result_type().empty());
  }
  CompileDeclared(text);
  return 0;
}
