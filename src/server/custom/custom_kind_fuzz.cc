// SPDX-License-Identifier: Apache-2.0
// Any schema is refused or makes a kind, and any object of it can be pruned, filled in and validated.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/custom/custom_kind.h"
#include "server/custom/schema_rules.h"

// A JSON list: the schema, an object, and the object before.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using berth::server::Json;
  const auto input = berth::api::ParseTree(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!input) return 0;
  Json schema = (*input)[size_t{0}];
  berth::server::NormalizeMembers(schema);
  berth::server::FieldErrors errors;
  ValidateSchema(schema, "schema", true, {}, errors);
  if (!errors.empty()) return 0;
  const Json version{{"name", Json::String("v1")},
                     {"schema", Json{{"openAPIV3Schema", schema}}},
                     {"subresources", Json{{"status", Json::MakeMap()}}}};
  const Json definition{{"spec", Json{{"group", Json::String("example.com")},
                                      {"names", Json{{"kind", Json::String("X")}}},
                                      {"versions", Json::MakeList({version})}}}};
  const berth::server::CustomKind kind(definition, version);
  Json object = (*input)[size_t{1}];
  Json old = (*input)[size_t{2}];
  std::vector<std::string> unknown;
  if (!object.is_map() || !kind.Canonicalize(object, &unknown)) return 0;
  kind.Default(object, true);
  berth::server::FieldErrors found;
  kind.Validate(object, found);
  if (!old.is_map() || !kind.Canonicalize(old, nullptr)) return 0;
  kind.Default(old, false);
  kind.PrepareUpdate(object, old);
  kind.ValidateChange(object, old, found);
  kind.ValidateStatusUpdate(object, old, found);
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"([{"type":"object","properties":{"spec":{"type":"object","properties":{"replicas":{"type":"integer","minimum":1,
       "default":1}}}}},{"apiVersion":"example.com/v1","kind":"X","metadata":{"name":"a"},"spec":{"replicas":0}}])",
    R"([{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"list":{"type":"array",
       "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],
       "properties":{"k":{"type":"string","pattern":"^a"}}}}}},{"list":[{"k":"ab"},{"k":"ab"}]},{"list":[]}])",
    R"json([{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":
       "self.l.all(x, x.k != '') && (!has(oldSelf.n) || self.n >= oldSelf.n)","messageExpression":"'was ' + string(oldSelf.n)",
       "fieldPath":".n"},{"rule":"oldSelf.hasValue() || self.?n.orValue(1) < 3","optionalOldSelf":true}],"properties":{"n":
       {"type":"integer","maximum":9},"l":{"type":"array","maxItems":5,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
       "items":{"type":"object","required":["k"],"properties":{"k":{"type":"string","maxLength":5}}}}}}}},
       {"apiVersion":"example.com/v1","kind":"X","metadata":{"name":"a"},"spec":{"n":2,"l":[{"k":"a"},{"k":"b"}]}},
       {"apiVersion":"example.com/v1","kind":"X","metadata":{"name":"a"},"spec":{"n":3,"l":[{"k":"b"},{"k":"a"}]}}])json",
    nullptr};
