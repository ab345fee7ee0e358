// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "api/parts/selector.h"
#include "config/validate.h"

namespace berth::config {

using framework::FieldErrors;
using framework::Index;
using framework::JsonString;

bool IsExtendedResourceName(const std::string& name) {
  constexpr std::string_view kQuotaPrefix = "requests.";
  const bool is_native = !name.contains('/') || name.contains("kubernetes.io/");
  return !is_native && !name.starts_with(kQuotaPrefix) &&
         api::ValidateQualifiedName(fmt::format("{}{}", kQuotaPrefix, name)).empty();
}

void ValidateManagedResource(const std::string& name, const std::string& path, FieldErrors& errors) {
  const std::vector<std::string> problems = api::ValidateQualifiedName(name);
  for (const std::string& problem : problems) errors.Invalid(path, JsonString(name), problem);
  if (problems.empty() && !IsExtendedResourceName(name)) {
    errors.Invalid(path, api::GoQuote(name), "is an invalid extended resource name");
  }
}

void ValidateExtenders(const std::vector<framework::ExtenderConfiguration>& extenders, FieldErrors& errors,
                       const ManagedResourceCheck& check_resource) {
  size_t binders = 0;
  std::set<std::string_view> managed;
  for (size_t i = 0; i < extenders.size(); ++i) {
    const framework::ExtenderConfiguration& extender = extenders[i];
    const std::string path = Index("extenders", i);
    if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
      errors.Invalid(path + ".weight", extender.weight, "must have a positive weight applied to it");
    }
    if (!extender.bind_verb.empty()) ++binders;
    for (size_t j = 0; j < extender.managed_resources.size(); ++j) {
      const std::string& name = extender.managed_resources[j].name;
      const std::string name_path = Index(path + ".managedResources", j) + ".name";
      check_resource(name, name_path, errors);
      if (!managed.insert(name).second) {
        errors.Invalid(name_path, api::GoQuote(name), "duplicate extender managed resource name");
      }
    }
  }
  if (binders > 1) {
    errors.Invalid("extenders", api::GoQuote(fmt::format("found {} extenders implementing bind", binders)),
                   "only one extender can implement bind");
  }
}

}  // namespace berth::config
