// SPDX-License-Identifier: Apache-2.0
// The spec of a job.
#include <fmt/format.h>

#include <string>

#include "server/kinds/internal_value.h"
#include "server/kinds/pods/pod_template.h"
#include "server/kinds/workloads/job.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr int64_t kParallelismMax = 100'000;
constexpr int64_t kFailedIndexesMax = 100'000;
constexpr int64_t kManyCompletions = 100'000;
constexpr int64_t kManyLimit = 10'000;
constexpr size_t kManagerLengthMax = 63;

void ValidateIndexed(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json* completions = spec.Find("completions");
  const int64_t parallelism = spec["parallelism"].IntOr(0);
  const Json* failed = spec.Find("maxFailedIndexes");
  const auto too_many = [&](std::string_view field, const std::string& detail) {
    errors.Invalid(path / field, spec[field], "must be less than or equal to " + detail);
  };
  if (completions == nullptr) errors.Required(path / "completions", "when completion mode is Indexed");
  if (parallelism > kParallelismMax) {
    too_many("parallelism", fmt::format("{} when completion mode is Indexed", kParallelismMax));
  }
  if (failed != nullptr && completions != nullptr && failed->IntOr(0) > completions->IntOr(0)) {
    too_many("maxFailedIndexes", "completions");
  }
  if (failed != nullptr && failed->IntOr(0) > kFailedIndexesMax) {
    too_many("maxFailedIndexes", fmt::to_string(kFailedIndexesMax));
  }
  if (completions == nullptr || completions->IntOr(0) <= kManyCompletions || !spec.Has("backoffLimitPerIndex")) return;
  const std::string limit = fmt::format("{} when completions are above {} and used with backoff limit per index",
                                        kManyLimit, kManyCompletions);
  if (failed == nullptr) {
    errors.Required(path / "maxFailedIndexes",
                    fmt::format("must be specified when completions is above {}", kManyCompletions));
  }
  if (parallelism > kManyLimit) too_many("parallelism", limit);
  if (failed != nullptr && failed->IntOr(0) > kManyLimit) too_many("maxFailedIndexes", limit);
}

void ValidateManager(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json* manager = spec.Find("managedBy");
  if (manager == nullptr) return;
  const std::string& text = manager->text();
  const size_t slash = text.find('/');
  if (text.empty()) {
    errors.Required(path);
  } else if (slash == text.npos || slash == 0 || slash + 1 == text.size()) {
    errors.Invalid(path, text, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  if (text.size() > kManagerLengthMax) errors.TooLong(path, kManagerLengthMax);
}

void ValidatePodRestartPolicy(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const std::string& policy = spec["template"]["spec"]["restartPolicy"].text();
  const FieldPath at = path / "template.spec.restartPolicy";
  if (policy.empty() || policy == "Always") {
    errors.Required(at, R"(valid values: "OnFailure", "Never")");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors.NotSupported(at, policy, {"OnFailure", "Never"});
  } else if (spec.Has("podFailurePolicy") && policy != "Never") {
    errors.Invalid(at, policy, R"(only "Never" is supported when podFailurePolicy is specified)");
  }
}

}  // namespace

void DefaultJobTemplateParts(Json& spec) {
  DefaultPodTemplate(spec.Make("template"));
  Json* rules = spec.Has("podFailurePolicy") ? spec.Find("podFailurePolicy")->Find("rules") : nullptr;
  if (rules == nullptr || !rules->is_list()) return;
  for (Json& rule : rules->mutable_items()) {
    Json* conditions = rule.Find("onPodConditions");
    if (conditions == nullptr || !conditions->is_list()) continue;
    for (Json& condition : conditions->mutable_items()) {
      if (condition["status"].text().empty()) condition.Set("status", "True");
    }
  }
}

void ValidateJobSpec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  CheckNonNegative(errors, path, spec,
                   {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished",
                    "backoffLimitPerIndex", "maxFailedIndexes"});
  if (spec.Has("maxFailedIndexes") && !spec.Has("backoffLimitPerIndex")) {
    errors.Required(path / "backoffLimitPerIndex", "when maxFailedIndexes is specified");
  }
  ValidateManager(spec, path / "managedBy", errors);
  CheckMemberOneOf(errors, path, spec, "completionMode", {"NonIndexed", "Indexed"});
  const Json* mode = spec.Find("completionMode");
  const bool is_indexed = mode != nullptr && mode->text() == "Indexed";
  if (is_indexed) ValidateIndexed(spec, path, errors);
  if (mode == nullptr || mode->text() == "NonIndexed") {
    for (const std::string_view field : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
      if (spec.Has(field)) errors.Invalid(path / field, spec[field], "requires indexed completion mode");
    }
  }
  if (spec.Has("podFailurePolicy")) ValidatePodFailurePolicy(spec, path / "podFailurePolicy", errors);
  if (spec.Has("successPolicy")) {
    if (is_indexed) {
      ValidateSuccessPolicy(spec, path / "successPolicy", errors);
    } else {
      InvalidInternal(errors, path / "successPolicy", spec["successPolicy"], "batch.v1.SuccessPolicy",
                      "requires indexed completion mode");
    }
  }
  if (spec.Has("podFailurePolicy")) {
    CheckMemberOneOf(errors, path, spec, "podReplacementPolicy", {"Failed"});
  } else {
    CheckMemberOneOf(errors, path, spec, "podReplacementPolicy", {"Failed", "TerminatingOrFailed"});
  }
  ValidatePodTemplate(spec["template"], path / "template", errors);
  ValidatePodRestartPolicy(spec, path, errors);
}

}  // namespace berth::server
