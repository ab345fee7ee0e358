// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_set.h"

#include <fmt/format.h>

#include <expected>

#include "api/parts/selector.h"
#include "server/model/label_selector.h"
#include "server/model/resource.h"
#include "server/policies/policy_match.h"
#include "server/policies/request_view.h"

namespace berth::server {
namespace {

using Params = std::expected<std::vector<Json>, std::string>;

std::unexpected<std::string> NeedsNamespace() {
  return std::unexpected<std::string>(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
}

// The objects that a binding names; one null if there is nothing to name.
Params FindParams(const Json& reference, const Resource* kind, const AdmissionRequest& request, const Store& store) {
  if (kind == nullptr || !reference.is_map()) {
    const std::string& ns = reference["namespace"].text();
    if (kind != nullptr && kind->namespaced && ns.empty() && NamespaceOfRequest(request).empty())
      return NeedsNamespace();
    return std::vector<Json>(1);
  }
  const std::string& given = reference["namespace"].text();
  std::string ns;
  if (kind->namespaced) {
    ns = given.empty() ? NamespaceOfRequest(request) : given;
    if (ns.empty()) return NeedsNamespace();
  } else if (!given.empty()) {
    return std::unexpected("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  std::vector<Json> found;
  if (const std::string& name = reference["name"].text(); !name.empty()) {
    if (const ObjectPtr object = store.Find(*kind->stored, ns, name)) {
      found.push_back(FromStored(*kind, object->Tree()));
    }
  } else {
    const Result<api::Selector> selector = api::Selector::Compile(ReadLabelSelector(reference["selector"]));
    if (!selector) return std::unexpected(selector.error().message);
    for (const auto& [key, object] : store.All(*kind->stored)) {
      if (object->ns() == ns && selector->Matches(object->labels())) {
        found.push_back(FromStored(*kind, object->Tree()));
      }
    }
  }
  if (found.empty() && reference["parameterNotFoundAction"].text() == "Deny") {
    return std::unexpected("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found;
}

}  // namespace

PolicyCalls::PolicyCalls(const Store& store, const Catalog& catalog, std::string_view policies,
                         std::string_view bindings)
    : store_(store),
      catalog_(catalog),
      kind_(catalog.Get(kPolicyGroup, policies)),
      binding_kind_(catalog.Get(kPolicyGroup, bindings)),
      namespace_kind_(catalog.Get("", "namespaces")) {}

Json PolicyCalls::NamespaceOf(const AdmissionRequest& request) const {
  if (IsNamespaceItself(request.resource) || request.ns.empty()) return {};
  const ObjectPtr found = store_.Find(namespace_kind_, "", request.ns);
  return found == nullptr ? Json() : found->Tree();
}

void PolicyCalls::Each(const AdmissionRequest& request, const OnCall& call, const OnError& fail) const {
  if (request.resource.group == kPolicyGroup) return;
  for (const auto& [name, object] : all()) {
    const TreePtr policy = object->tree();
    const Json& spec = (*policy)["spec"];
    const auto match = FindMatch(spec["matchConstraints"], request, store_, catalog_);
    if (!match) fail(*policy, nullptr, match.error());
    if (!match || *match == nullptr) continue;
    const Resource* kind = nullptr;
    if (const Json& named = spec["paramKind"]; named.is_map()) {
      kind = catalog_.FindKind(named["apiVersion"].text(), named["kind"].text());
      if (kind == nullptr || !kind->is_served) {
        const std::string& version = named["apiVersion"].text();
        fail(*policy, nullptr,
             fmt::format("failed to find resource referenced by paramKind: '{}{}, Kind={}'",
                         version.find('/') == std::string::npos ? "/" : "", version, named["kind"].text()));
        continue;
      }
    }
    for (const auto& [key, stored] : store_.All(binding_kind_)) {
      const TreePtr binding = stored->tree();
      if ((*binding)["spec"]["policyName"].text() != object->name()) continue;
      const auto bound = FindMatch((*binding)["spec"]["matchResources"], request, store_, catalog_);
      if (!bound) fail(*policy, binding.get(), bound.error());
      if (!bound || *bound == nullptr) continue;
      const Params params = FindParams((*binding)["spec"]["paramRef"], kind, request, store_);
      if (!params) {
        fail(*policy, binding.get(), params.error());
      } else if (!params->empty()) {
        call({object, policy, binding, *match, *params});
      }
    }
  }
}

}  // namespace berth::server
