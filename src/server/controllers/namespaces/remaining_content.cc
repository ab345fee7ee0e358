// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespaces/remaining_content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "server/model/find_condition.h"

namespace berth::server {
namespace {

struct NamespaceCondition {
  std::string_view type;
  std::string_view reason;  // Where there is no trouble.
  std::string_view message;
};
constexpr NamespaceCondition kDiscovery = {"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered",
                                           "All resources successfully discovered"};
constexpr NamespaceCondition kParsing = {"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
                                         "All legacy kube types successfully parsed"};
constexpr NamespaceCondition kDeletion = {"NamespaceDeletionContentFailure", "ContentDeleted",
                                          "All content successfully deleted, may be waiting on finalization"};
constexpr NamespaceCondition kContent = {"NamespaceContentRemaining", "ContentRemoved",
                                         "All content successfully removed"};
constexpr NamespaceCondition kFinalizers = {"NamespaceFinalizersRemaining", "ContentHasNoFinalizers",
                                            "All content-preserving finalizers finished"};

// `trouble`: "" if there is none.
void SetNamespaceCondition(Json& status, const NamespaceCondition& condition, std::string_view reason,
                           const std::string& trouble, Time now) {
  const std::string_view value = trouble.empty() ? "False" : "True";
  Json& conditions = status.Make("conditions");
  Json* present = FindMutableCondition(conditions, condition.type);
  if (present == nullptr) present = &conditions.Append(Json{{"type", Json::String(condition.type)}});
  if ((*present)["status"].text() != value) present->Set("lastTransitionTime", FormatTime(now));
  present->Set("status", value);
  present->Set("reason", trouble.empty() ? condition.reason : reason);
  present->Set("message", trouble.empty() ? condition.message : trouble);
}

std::string Listed(const std::map<std::string, size_t>& counts, std::string_view verb) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts)
    parts.push_back(fmt::format("{} {} {} resource instances", name, verb, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void RemainingContent::Add(const Resource& resource, const std::vector<ObjectPtr>& objects) {
  if (objects.empty()) return;
  counts_[fmt::format("{}.{}", resource.plural, resource.group)] = objects.size();
  for (const ObjectPtr& object : objects) {
    const TreePtr tree = object->tree();
    for (const Json& finalizer : (*tree)["metadata"]["finalizers"].items()) ++finalizers_[finalizer.text()];
  }
}

void RemainingContent::Report(Json& status, Time now) const {
  std::string failure;
  if (has_failed()) {
    std::vector<std::string> sorted = failures_;
    std::ranges::sort(sorted);
    failure =
        fmt::format("Failed to delete all resource types, {} remaining: {}", sorted.size(), fmt::join(sorted, ", "));
  }
  std::string content;
  if (!counts_.empty()) content = "Some resources are remaining: " + Listed(counts_, "has");
  std::string finalizers;
  if (!finalizers_.empty()) {
    finalizers = "Some content in the namespace has finalizers remaining: " + Listed(finalizers_, "in");
  }
  SetNamespaceCondition(status, kDiscovery, {}, {}, now);
  SetNamespaceCondition(status, kParsing, {}, {}, now);
  SetNamespaceCondition(status, kDeletion, "ContentDeletionFailed", failure, now);
  SetNamespaceCondition(status, kContent, "SomeResourcesRemain", content, now);
  SetNamespaceCondition(status, kFinalizers, "SomeFinalizersRemain", finalizers, now);
}

}  // namespace berth::server
