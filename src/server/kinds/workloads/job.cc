// SPDX-License-Identifier: Apache-2.0
// Jobs.
#include "server/kinds/workloads/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>

#include "server/kinds/kinds.h"
#include "server/kinds/workloads/workload.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 1> kSelectableOfJob = {"status.successful"};
constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kOldUidLabel = "controller-uid";
constexpr std::string_view kJobNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldNameLabel = "job-name";

void GenerateSelector(Json& job) {
  const Json uid = job["metadata"]["uid"];
  const Json name = job["metadata"]["name"];
  Json& labels = job.Make({"spec", "template", "metadata", "labels"});
  labels.SetDefault(kOldNameLabel, name);
  labels.SetDefault(kJobNameLabel, name);
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
                                      std::pair(kUidLabel, "uid"), std::pair(kJobNameLabel, "name")}) {
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

// While a job waits, its pods may be changed in what they ask for and where they may run.
bool AllowsTemplateChange(const Json& job) {
  const Json& status = job["status"];
  const bool is_suspended = std::ranges::any_of(status["conditions"].items(), [](const Json& condition) {
    return condition["type"].text() == "Suspended" && condition["status"].text() == "True";
  });
  return job["spec"]["suspend"].AsBool() && (!status.Has("startTime") || is_suspended) &&
         status["active"].IntOr(0) == 0;
}

void TakeFrom(Json& object, const Json& other, std::string_view name) {
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
    TakeFrom(spec, new_spec, name);
  }
  TakeFrom(spec.Make("affinity"), new_spec["affinity"], "nodeAffinity");
  if (spec["affinity"].empty()) spec.Erase("affinity");
  TakeFrom(result.Make("metadata"), changed["metadata"], "labels");
  TakeFrom(result.Make("metadata"), changed["metadata"], "annotations");
  for (const std::string_view list : {"containers", "initContainers"}) {
    Json* containers = spec.Find(list);
    if (containers == nullptr || containers->size() != new_spec[list].size()) continue;
    for (size_t i = 0; i < containers->size(); ++i) {
      Json& container = containers->mutable_items()[i];
      const Json& other = new_spec[list][i];
      if (container["name"] == other["name"]) TakeFrom(container, other, "resources");
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

  // As it was before there were owners.
  bool orphans_dependents() const override { return true; }
  std::string_view deletion_warning() const override {
    return "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them "
           "or set propagationPolicy=Orphan to suppress this warning";
  }
  std::span<const std::string_view> selectable_fields() const override { return kSelectableOfJob; }
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

std::unique_ptr<Strategy> MakeJobStrategy() { return std::make_unique<JobStrategy>(); }

}  // namespace berth::server
