// SPDX-License-Identifier: Apache-2.0
// Jobs.
#include "server/kinds/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>

#include "server/kinds/checks.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pod_template.h"
#include "server/kinds/workload.h"
#include "server/label_selector.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 1> kSelectable = {"status.successful"};
constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kOldUidLabel = "controller-uid";
constexpr std::string_view kNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldNameLabel = "job-name";

constexpr int64_t kParallelismMax = 100'000;
constexpr int64_t kFailedIndexesMax = 100'000;
constexpr int64_t kManyCompletions = 100'000;
constexpr int64_t kManyLimit = 10'000;
constexpr size_t kManagerLengthMax = 63;

void GenerateSelector(Json& job) {
  const Json uid = job["metadata"]["uid"];
  const Json name = job["metadata"]["name"];
  Json& labels = job.Make({"spec", "template", "metadata", "labels"});
  labels.SetDefault(kOldNameLabel, name);
  labels.SetDefault(kNameLabel, name);
  labels.SetDefault(kOldUidLabel, uid);
  labels.SetDefault(kUidLabel, uid);
  job.Make({"spec", "selector", "matchLabels"}).SetDefault(kUidLabel, uid);
}

// A job without labels has those of its pods, with what the server adds to them.
void DefaultLabels(Json& job) {
  const Json labels = job["spec"]["template"]["metadata"]["labels"];
  if (!labels.empty() && job["metadata"]["labels"].empty()) job.Make("metadata").Set("labels", labels);
}

// The labels and the selector are the server's work unless the job has a selector of its own.
void ValidateGeneratedSelector(const Json& job, FieldErrors& errors) {
  const Json& spec = job["spec"];
  if (spec["manualSelector"].AsBool() || spec["selector"].is_null()) return;
  const Json& metadata = job["metadata"];
  const Json& labels = spec["template"]["metadata"]["labels"];
  const FieldPath path("spec.template.metadata.labels");
  Json expected = Json::MakeMap();
  for (const auto& [label, source] : {std::pair(kOldUidLabel, "uid"), std::pair(kOldNameLabel, "name"),
                                      std::pair(kUidLabel, "uid"), std::pair(kNameLabel, "name")}) {
    const Json& value = metadata[source];
    expected.Set(label, value);
    if (labels[label] == value) continue;
    const std::string detail = fmt::format("must be '{}'", value.text());
    if (labels.Has(label)) {
      errors.Invalid(path.Key(label), labels, detail);
    } else {
      errors.Required(path.Key(label), detail);
    }
  }
  if (IsReadable(spec["selector"]) && !SelectorMatches(spec["selector"], expected)) {
    errors.Invalid("spec.selector", spec["selector"], "`selector` not auto-generated");
  }
}

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

void ValidateRestartPolicy(const Json& spec, const FieldPath& path, FieldErrors& errors) {
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

// While a job waits, its pods may be changed in what they ask for and where they may run.
bool AllowsTemplateChange(const Json& job) {
  const Json& status = job["status"];
  const bool is_suspended = std::ranges::any_of(status["conditions"].items(), [](const Json& condition) {
    return condition["type"].text() == "Suspended" && condition["status"].text() == "True";
  });
  return job["spec"]["suspend"].AsBool() && (!status.Has("startTime") || is_suspended) &&
         status["active"].IntOr(0) == 0;
}

void TakeMember(Json& object, const Json& other, std::string_view name) {
  if (const Json* member = other.Find(name)) {
    object.Set(name, *member);
  } else {
    object.Erase(name);
  }
}

// The old template with all that may differ as it is in the new one.
Json WithAllowedChanges(const Json& old, const Json& changed) {
  Json result = old;
  Json& spec = result.Make("spec");
  const Json& new_spec = changed["spec"];
  for (const std::string_view name : {"nodeSelector", "tolerations", "schedulingGates"}) {
    TakeMember(spec, new_spec, name);
  }
  TakeMember(spec.Make("affinity"), new_spec["affinity"], "nodeAffinity");
  if (spec["affinity"].empty()) spec.Erase("affinity");
  TakeMember(result.Make("metadata"), changed["metadata"], "labels");
  TakeMember(result.Make("metadata"), changed["metadata"], "annotations");
  for (const std::string_view list : {"containers", "initContainers"}) {
    Json* containers = spec.Find(list);
    if (containers == nullptr || containers->size() != new_spec[list].size()) continue;
    for (size_t i = 0; i < containers->size(); ++i) {
      Json& container = containers->mutable_items()[i];
      const Json& other = new_spec[list][i];
      if (container["name"] == other["name"]) TakeMember(container, other, "resources");
    }
  }
  return result;
}

class JobStrategy final : public WorkloadStrategy {
 public:
  void Default(Json& job, bool is_create) const override {
    Json& spec = job.Make("spec");
    DefaultJobTemplateParts(spec);
    if (!spec.Has("completions") && !spec.Has("parallelism")) spec.Set("completions", Json::Int(1));
    spec.SetDefault("parallelism", Json::Int(1));
    const int64_t backoff = spec.Has("backoffLimitPerIndex") ? std::numeric_limits<int32_t>::max() : 6;
    spec.SetDefault("backoffLimit", Json::Int(backoff));
    spec.SetDefault("completionMode", Json::String("NonIndexed"));
    spec.SetDefault("suspend", Json::Bool(false));
    spec.SetDefault("podReplacementPolicy",
                    Json::String(spec.Has("podFailurePolicy") ? "Failed" : "TerminatingOrFailed"));
    spec.SetDefault("manualSelector", Json::Bool(false));
    if (!is_create) DefaultLabels(job);
  }

  void PrepareCreate(Json& job) const override {
    if (!job["spec"]["manualSelector"].AsBool()) GenerateSelector(job);
    DefaultLabels(job);
    WorkloadStrategy::PrepareCreate(job);
  }

  void Validate(const Json& job, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = job["spec"];
    ValidateGeneratedSelector(job, errors);
    ValidateJobSpec(spec, path, errors);
    const FieldPath selector_path = path / "selector";
    if (spec["selector"].is_null()) errors.Required(selector_path);
    ValidateLabelSelector(spec["selector"], selector_path, errors);
    const Json& labels = spec["template"]["metadata"]["labels"];
    if (IsReadable(spec["selector"]) && !SelectorMatches(spec["selector"], labels)) {
      errors.Invalid(path / "template.metadata.labels", labels, "`selector` does not match template `labels`");
    }
    ValidateNameAllowsCompletions(job, errors);
  }

  void ValidateUpdate(const Json& job, const Json& old, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = job["spec"];
    const Json& old_spec = old["spec"];
    ValidateCompletions(spec, old_spec, path / "completions", errors);
    CheckImmutable(errors, path / "selector", spec["selector"], old_spec["selector"]);
    const Json& pods = spec["template"];
    if (!AllowsTemplateChange(old)) {
      CheckImmutable(errors, path / "template", pods, old_spec["template"]);
    } else if (pods != WithAllowedChanges(old_spec["template"], pods)) {
      errors.Invalid(path / "template.spec", pods["spec"], "field is immutable");
    }
    for (const std::string_view field :
         {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
      CheckImmutable(errors, path / field, spec[field], old_spec[field]);
    }
  }

  void ValidateStatusUpdate(const Json& job, const Json& old, FieldErrors& errors) const override {
    ValidateJobStatusUpdate(job, old, errors);
  }

  std::span<const std::string_view> selectable_fields() const override { return kSelectable; }
  std::string SelectableField(const Json& job, std::string_view /*path*/) const override {
    return fmt::to_string(job["status"]["succeeded"].IntOr(0));
  }

 private:
  // Pods of indexed jobs have host names that end in their index.
  static void ValidateNameAllowsCompletions(const Json& job, FieldErrors& errors) {
    const int64_t completions = job["spec"]["completions"].IntOr(0);
    if (job["spec"]["completionMode"].text() != "Indexed" || completions <= 0) return;
    const std::string& name = job["metadata"]["name"].text();
    const std::string hostname = fmt::format("{}-{}", name, completions - 1);
    if (CheckDnsLabel(hostname).empty()) return;
    errors.Invalid("metadata.name", name,
                   fmt::format("will not able to create pod with invalid DNS label: {}", hostname));
  }

  static void ValidateCompletions(const Json& spec, const Json& old, const FieldPath& path, FieldErrors& errors) {
    const Json& completions = spec["completions"];
    if (spec["completionMode"].text() != "Indexed")
      return CheckImmutable(errors, path, completions, old["completions"]);
    if (completions == old["completions"] || completions.is_null() || completions == spec["parallelism"]) return;
    errors.Invalid(path, completions, "can only be modified in tandem with spec.parallelism");
  }
};

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
  ValidateRestartPolicy(spec, path, errors);
}

std::unique_ptr<Strategy> MakeJobStrategy() { return std::make_unique<JobStrategy>(); }

}  // namespace berth::server
