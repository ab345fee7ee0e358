// SPDX-License-Identifier: Apache-2.0
// Any policy is refused or can be asked about any object, and comes to the same each time.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "server/policies/mutations.h"
#include "server/policies/policy.h"
#include "server/policies/policy_kind.h"

// A JSON list: the policy, an object, and the object before.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using berth::server::Json;
  const auto input = berth::api::ParseTree(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!input) return 0;
  static const auto strategy = berth::server::MakeValidatingAdmissionPolicyStrategy();
  Json policy = (*input)[size_t{0}];
  if (!policy.is_map()) return 0;
  strategy->Default(policy, true);
  berth::server::FieldErrors errors;
  strategy->Validate(policy, errors);
  const berth::server::Policy compiled(policy);
  const Json request{{"operation", Json::String("CREATE")}};
  const Json none;
  const auto judge = [&] {
    int64_t spent = 0;
    return compiled.Judge({(*input)[size_t{1}], (*input)[size_t{2}], request, none, none}, spent);
  };
  const auto verdicts = judge();
  const auto again = judge();
  BERTH_ASSERT(verdicts.size() == again.size());
  for (size_t i = 0; i < verdicts.size(); ++i) BERTH_ASSERT(verdicts[i].message == again[i].message);

  const berth::server::ObjectSchema schema(*berth::api::wire::FindMessage("io.k8s.api.core.v1.ConfigMap"));
  Json object = (*input)[size_t{1}];
  if (!object.is_map() || !schema.Canonicalize(object)) return 0;
  const berth::server::Mutations mutations(policy);
  for (size_t i = 0; i < mutations.size(); ++i) {
    int64_t spent = 0;
    if (auto changed = mutations.Apply(i, {object, none, request, none, none}, schema, spent)) {
      BERTH_ASSERT(schema.Canonicalize(*changed));
    }
  }
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"json([{"metadata":{"name":"p"},"spec":{"variables":[{"name":"a","expression":"object.data.a"}],"validations":[{"expression":
       "variables.a == '1' && request.operation == 'CREATE'","messageExpression":"'is ' + variables.a"}],"matchConditions":
       [{"name":"c","expression":"oldObject == null || has(object.data)"}],"auditAnnotations":[{"key":"k","valueExpression":
       "string(object.data.size())"}]}},{"data":{"a":"2","b":[1,{"c":null}]}},null])json",
    R"json([{"metadata":{"name":"p"},"spec":{"mutations":[{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":
       "Object{metadata: Object.metadata{labels: {'a': object.data.a}}, ?data: optional.none()}"}},{"patchType":"JSONPatch",
       "jsonPatch":{"expression":"[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'copy', from: '/data',
       path: '/data/' + jsonpatch.escapeKey('b/c')}]"}}]}},{"data":{"a":"1"}},null])json",
    nullptr};
