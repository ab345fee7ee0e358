// SPDX-License-Identifier: Apache-2.0
#include "server/policies/mutations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "server/patch/apply_policy.h"
#include "server/patch/json_patch.h"
#include "server/policies/made_values.h"

namespace berth::server {
namespace {

std::expected<Json, std::string> ApplyConfiguration(const Json& object, const cel::Value& value,
                                                    const ObjectSchema& schema) {
  auto config = ToConfiguration(value);
  if (!config) return std::unexpected(config.error());
  for (const std::string_view name : {"apiVersion", "kind"}) config->Set(name, object[name]);
  return MergeForPolicy(object, *config, schema);
}

std::expected<Json, std::string> ApplyOperations(const Json& object, const cel::Value& value,
                                                 const ObjectSchema& schema) {
  const auto operations = ToPatch(value);
  if (!operations) return std::unexpected(operations.error());
  Outcome<Json> patched = ApplyJsonPatchIfTrue(object, *operations);
  if (!patched) return std::unexpected("JSON Patch: " + patched.error().message);
  if (!patched->is_map()) return std::unexpected("JSON Patch: the result is no object");
  std::vector<std::string> unknown;
  const Result<void> canonical = schema.Canonicalize(*patched, &unknown);
  if (!canonical) return std::unexpected(canonical.error().message);
  if (!unknown.empty()) return std::unexpected(fmt::format("strict decoding error: {}", fmt::join(unknown, ", ")));
  return *std::move(patched);
}

}  // namespace

Mutations::Mutations(const Json& policy)
    : Mutations(policy["spec"], PolicyCompiler(true, policy["spec"]["paramKind"].is_map())) {}

Mutations::Mutations(const Json& spec, PolicyCompiler compiler)
    : scope_(spec, compiler), is_repeated_(spec["reinvocationPolicy"].text() == "IfNeeded") {
  for (const Json& mutation : spec["mutations"].items()) {
    const bool is_patch = mutation["patchType"].text() == "JSONPatch";
    const Json& given = mutation[is_patch ? "jsonPatch" : "applyConfiguration"];
    mutations_.push_back({compiler.CompileMutation(given["expression"].text(), is_patch, true), is_patch});
  }
}

std::expected<Json, std::string> Mutations::Apply(size_t index, const PolicyInput& input, const ObjectSchema& schema,
                                                  int64_t& spent) const {
  const Mutation& mutation = mutations_[index];
  PolicyRun run(scope_.variables, input, kPolicyBudget, spent);
  PolicyResult result;
  if (!run.Evaluate(mutation.expression, result)) return std::unexpected(std::string(kPolicyOutOfBudget));
  if (!result.error.empty()) return std::unexpected(result.error);
  return mutation.is_patch ? ApplyOperations(input.object, result.value, schema)
                           : ApplyConfiguration(input.object, result.value, schema);
}

}  // namespace berth::server
