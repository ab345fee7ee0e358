// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/model/label_selector.h"
#include "server/model/resource.h"
#include "server/policies/request_view.h"

namespace berth::server {
namespace {

bool Has(const Json& list, std::string_view text) {
  return std::ranges::any_of(list.items(), [&](const Json& item) { return item.text() == text || item.text() == "*"; });
}

std::string_view OperationOf(Verb verb) {
  return verb == Verb::kCreate ? "CREATE" : verb == Verb::kUpdate ? "UPDATE" : "DELETE";
}

bool HasResource(const Json& list, const Resource& resource, std::string_view subresource) {
  return std::ranges::any_of(list.items(), [&](const Json& item) {
    const std::string_view text = item.text();
    const size_t slash = text.find('/');
    const std::string_view main = text.substr(0, slash);
    const std::string_view sub = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
    return (main == "*" || main == resource.plural) && (sub == "*" || sub == subresource);
  });
}

bool HasScope(const std::string& scope, const AdmissionRequest& request) {
  if (scope.empty() || scope == "*") return true;
  const bool is_namespaced = !IsNamespaceItself(request.resource) && !request.ns.empty();
  return scope == "Namespaced" ? is_namespaced : scope == "Cluster" && !is_namespaced;
}

bool RuleMatches(const Json& rule, const AdmissionRequest& request, const Resource& as) {
  if (!HasScope(rule["scope"].text(), request) || !Has(rule["operations"], OperationOf(request.verb)) ||
      !Has(rule["apiGroups"], as.group) || !Has(rule["apiVersions"], as.version) ||
      !HasResource(rule["resources"], as, request.subresource)) {
    return false;
  }
  const Json& names = rule["resourceNames"];
  return names.empty() ||
         std::ranges::any_of(names.items(), [&](const Json& name) { return name.text() == request.name; });
}

// The resource by which a rule matches. Null if none does.
const Resource* MatchRules(const Json& rules, bool is_exact, const AdmissionRequest& request, const Catalog& catalog) {
  const auto matches = [&](const Resource& as) {
    return std::ranges::any_of(rules.items(), [&](const Json& rule) { return RuleMatches(rule, request, as); });
  };
  if (matches(request.resource)) return &request.resource;
  if (is_exact) return nullptr;
  for (const Resource* const other : catalog.served()) {
    if (other != &request.resource && other->stored == request.resource.stored && matches(*other)) return other;
  }
  return nullptr;
}

bool SelectorMatches(const Json& selector, const Json& object) {
  const Result<api::Selector> compiled = api::Selector::Compile(ReadLabelSelector(selector));
  if (!compiled) return false;
  api::Labels labels;
  for (const Json::Member& label : object["metadata"]["labels"].members()) labels.Set(label.name, label.value.text());
  return compiled->Matches(labels);
}

bool IsEmpty(const Json& selector) { return selector["matchLabels"].empty() && selector["matchExpressions"].empty(); }

std::expected<bool, std::string> NamespaceMatches(const Json& selector, const AdmissionRequest& request,
                                                  const Store& store, const Catalog& catalog) {
  if (IsEmpty(selector)) return true;
  if (IsNamespaceItself(request.resource)) {
    return SelectorMatches(selector, request.object != nullptr ? *request.object : *request.old);
  }
  if (request.ns.empty()) return true;
  const ObjectPtr found = store.Find(catalog.Get("", "namespaces"), "", request.ns);
  if (found == nullptr) return std::unexpected(fmt::format("namespaces \"{}\" not found", request.ns));
  return SelectorMatches(selector, *found->tree());
}

bool ObjectMatches(const Json& selector, const AdmissionRequest& request) {
  if (IsEmpty(selector)) return true;
  return (request.object != nullptr && SelectorMatches(selector, *request.object)) ||
         (request.old != nullptr && SelectorMatches(selector, *request.old));
}

// By the selectors and `rules`; null: all.
std::expected<const Resource*, std::string> MatchBy(const Json& match, const Json* rules,
                                                    const AdmissionRequest& request, const Store& store,
                                                    const Catalog& catalog) {
  const auto in_namespace = NamespaceMatches(match["namespaceSelector"], request, store, catalog);
  if (in_namespace && !*in_namespace) return nullptr;
  if (!ObjectMatches(match["objectSelector"], request)) return nullptr;
  const bool is_exact = match["matchPolicy"].text() == "Exact";
  if (MatchRules(match["excludeResourceRules"], is_exact, request, catalog) != nullptr) return nullptr;
  const Resource* const found = rules == nullptr ? &request.resource : MatchRules(*rules, is_exact, request, catalog);
  if (found != nullptr && !in_namespace) return std::unexpected(in_namespace.error());
  return found;
}

}  // namespace

std::string ViewProblem(const AdmissionRequest& request, const Resource& as) {
  const Resource& asked = request.resource;
  if (&as == &asked || as.conversion.is_null()) return {};
  return fmt::format("{} in version {} cannot be shown in version {}: converters are not asked for admission",
                     asked.Qualified(), asked.version, as.version);
}

std::expected<const Resource*, std::string> FindMatch(const Json& match, const AdmissionRequest& request,
                                                      const Store& store, const Catalog& catalog) {
  if (!match.is_map()) return &request.resource;
  const Json& rules = match["resourceRules"];
  const auto found = MatchBy(match, rules.empty() ? nullptr : &rules, request, store, catalog);
  if (!found || *found == nullptr) return found;
  if (std::string problem = ViewProblem(request, **found); !problem.empty()) return std::unexpected(std::move(problem));
  return found;
}

std::expected<const Resource*, std::string> FindWebhookMatch(const Json& webhook, const AdmissionRequest& request,
                                                             const Store& store, const Catalog& catalog) {
  return MatchBy(webhook, &webhook["rules"], request, store, catalog);
}

}  // namespace berth::server
