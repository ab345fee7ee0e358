// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/container_resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "api/parts/selector.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::string_view kHugePages = "hugepages-";

bool IsContainerResource(std::string_view name) {
  return IsOneOf(name, {"cpu", "memory", "ephemeral-storage"}) || IsHugePages(name);
}

bool IsCounted(std::string_view name) {
  return IsOneOf(name, {"pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
                        "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"});
}

// Whether the name means something without a domain, in quotas at least.
bool IsKnown(std::string_view name) {
  return IsContainerResource(name) || IsCounted(name) || name.starts_with("requests.hugepages-") ||
         IsOneOf(name, {"requests.cpu", "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory",
                        "limits.ephemeral-storage", "storage", "requests.storage"});
}

bool IsMultipleOfPage(std::string_view resource, const api::Quantity& amount) {
  const auto page = api::Quantity::Parse(resource.substr(kHugePages.size()));
  if (!page || page->Sign() <= 0 || page->MilliValue() % 1000 != 0) return false;
  return amount.Value() % page->Value() == 0;
}

struct Found {
  bool has_compute = false;
  bool has_huge_pages = false;
};

void ValidateOne(const Json::Member& member, ResourceScope scope, const FieldPath& path, FieldErrors& errors) {
  ValidateResourceName(member.name, scope, path, errors);
  ValidateAmount(member.name, member.value, path, errors);
}

void ValidatePages(const Json::Member& member, const FieldPath& path, FieldErrors& errors, Found& found) {
  if (member.name == "cpu" || member.name == "memory") found.has_compute = true;
  if (!IsHugePages(member.name)) return;
  found.has_huge_pages = true;
  const std::string& amount = member.value.text();
  if (!IsMultipleOfPage(member.name, ToQuantity(member.value))) {
    errors.Invalid(path, amount, fmt::format("{} is not positive integer multiple of {}", amount, member.name));
  }
}

void CompareWithLimit(const Json::Member& request, const Json& resources, const FieldPath& path, FieldErrors& errors) {
  const Json* limit = resources["limits"].Find(request.name);
  const bool may_differ = AllowsOvercommit(request.name);
  if (limit == nullptr) {
    if (!may_differ) errors.Required(path / "limits", "Limit must be set for non overcommitable resources");
    return;
  }
  if (limit->text() == request.value.text()) return;
  const int order = ToQuantity(request.value).Cmp(ToQuantity(*limit));
  if (order == 0 || (order < 0 && may_differ)) return;
  errors.Invalid(path / "requests", request.value,
                 fmt::format("must be {} to {} limit of {}", may_differ ? "less than or equal" : "equal", request.name,
                             limit->text()));
}

void ValidateClaims(const Json& claims, const std::vector<std::string_view>& known, const FieldPath& path,
                    FieldErrors& errors) {
  std::vector<std::string> seen;
  const auto was_seen = [&](std::string_view key) { return std::ranges::find(seen, key) != seen.end(); };
  for (size_t i = 0; i < claims.size(); ++i) {
    const FieldPath at = path[i];
    const std::string& name = claims[i]["name"].text();
    const std::string& request = claims[i]["request"].text();
    if (name.empty()) {
      errors.Required(at);
      continue;
    }
    if (was_seen(name)) {
      errors.Duplicate(at, name);
    } else {
      if (!request.empty()) Report(errors, at / "request", request, CheckDnsLabel(request));
      const std::string key = request.empty() ? name : name + "/" + request;
      if (was_seen(key)) {
        errors.Duplicate(at, key);
      } else if (request.empty()) {
        for (const std::string& other : seen) {
          if (other.starts_with(name + "/")) errors.Duplicate(at, name);
        }
      }
      seen.push_back(key);
    }
    if (std::ranges::find(known, name) != known.end()) continue;
    std::vector<std::string_view> sorted = known;
    std::ranges::sort(sorted);
    const std::string which = known.empty() ? " which is empty" : fmt::format(": {}", fmt::join(sorted, ", "));
    errors.Add({.reason = "FieldValueNotFound",
                .message = fmt::format("Not found: \"{}\": must be one of the names in pod.spec.resourceClaims{}", name,
                                       which),
                .field = at});
  }
}

}  // namespace

bool IsHugePages(std::string_view resource) { return resource.starts_with(kHugePages); }

bool IsNativeResource(std::string_view resource) {
  return resource.find('/') == resource.npos || resource.find("kubernetes.io/") != resource.npos;
}

bool IsExtendedResource(std::string_view resource) {
  if (IsNativeResource(resource) || resource.starts_with("requests.")) return false;
  return api::ValidateQualifiedName("requests." + std::string(resource)).empty();
}

bool AllowsOvercommit(std::string_view resource) { return IsNativeResource(resource) && !IsHugePages(resource); }

bool IsPodLevelResource(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || IsHugePages(resource);
}

void ValidateResourceName(std::string_view resource, ResourceScope scope, const FieldPath& path, FieldErrors& errors) {
  if (resource == "cpu" || resource == "memory") return;
  const Problems problems = api::ValidateQualifiedName(resource);
  const bool has_domain = resource.find('/') != resource.npos;
  const size_t before = errors.all().size();
  if (!problems.empty()) {
    Report(errors, path, resource, problems);
  } else if (!has_domain && !IsKnown(resource)) {
    errors.Invalid(path, resource, "must be a standard resource type or fully qualified");
  }
  if (scope == ResourceScope::kPod) {
    if (errors.all().size() == before && !IsPodLevelResource(resource)) {
      errors.NotSupported(path, resource, {"cpu", "hugepages-", "memory"});
    }
  } else if (!has_domain) {
    if (!IsContainerResource(resource)) errors.Invalid(path, resource, "must be a standard resource for containers");
  } else if (!IsNativeResource(resource) && !IsExtendedResource(resource)) {
    errors.Invalid(path, resource, "doesn't follow extended resource name standard");
  }
}

void ValidateAmount(std::string_view resource, const Json& amount, const FieldPath& path, FieldErrors& errors) {
  const std::string& text = amount.text();
  const bool is_negative = text.starts_with('-');
  if (is_negative) errors.Invalid(path, amount, "must be greater than or equal to 0");
  if (!IsCounted(resource) && !IsExtendedResource(resource)) return;
  if (ToQuantity(amount).MilliValue() % 1000 != 0) errors.Invalid(path, amount, "must be an integer");
}

void ValidateResources(const Json& resources, ResourceScope scope, const std::vector<std::string_view>& claims,
                       const FieldPath& path, FieldErrors& errors) {
  if (resources.empty()) return;
  Found found;
  const FieldPath limits_path = path / "limits";
  for (const Json::Member& limit : resources["limits"].members()) {
    const FieldPath at = limits_path.Key(limit.name);
    ValidateOne(limit, scope, at, errors);
    ValidatePages(limit, at, errors, found);
  }
  const FieldPath requests_path = path / "requests";
  for (const Json::Member& request : resources["requests"].members()) {
    const FieldPath at = requests_path.Key(request.name);
    ValidateOne(request, scope, at, errors);
    CompareWithLimit(request, resources, path, errors);
    ValidatePages(request, at, errors, found);
  }
  if (found.has_huge_pages && !found.has_compute) errors.Forbidden(path, "HugePages require cpu or memory");
  ValidateClaims(resources["claims"], claims, path / "claims", errors);
}

}  // namespace berth::server
