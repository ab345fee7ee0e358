// SPDX-License-Identifier: Apache-2.0
#include "server/access/parameter_rights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "server/model/field_path.h"

namespace berth::server {
namespace {

// The resource that has the objects of a kind; what of it is not known stands for all.
struct ParameterResource {
  std::string group = "*";
  std::string plural = "*";
  bool has_version = false;  // The text of the version makes sense.
  bool is_served = false;
};

ParameterResource ResourceOfKind(const Catalog& catalog, const Json& kind) {
  const std::string& version = kind["apiVersion"].text();
  ParameterResource found;
  if (std::ranges::count(version, '/') > 1) return found;
  found.has_version = true;
  const size_t slash = version.find('/');
  found.group = slash == std::string::npos ? "" : version.substr(0, slash);
  const Resource* const resource = catalog.FindKind(version, kind["kind"].text());
  found.is_served = resource != nullptr && resource->is_served;
  if (found.is_served) found.plural = resource->plural;
  return found;
}

// As Go prints the structure in which upstream keeps it.
std::string GoValue(const User& user) {
  std::vector<std::string> extra;
  for (const auto& [key, values] : user.extra) extra.push_back(fmt::format("{}:[{}]", key, fmt::join(values, " ")));
  return fmt::format("&{{{} {} [{}] map[{}]}}", user.name, user.uid, fmt::join(user.groups, " "),
                     fmt::join(extra, " "));
}

std::string GoValue(const Json& kind) {
  return fmt::format("&{{{} {}}}", kind["apiVersion"].text(), kind["kind"].text());
}

Refusal RefuseField(const Resource& resource, const Json& object, const std::string& path, const std::string& why) {
  FieldErrors errors;
  errors.Forbidden(path, why);
  return Invalid(resource, object["metadata"]["name"].text(), std::move(errors));
}

class ParameterCheck {
 public:
  ParameterCheck(const Catalog& catalog, const Store& store, const Roles& roles, const User& user,
                 const Resource& resource)
      : catalog_(catalog), store_(store), roles_(roles), user_(user), resource_(resource) {}

  Outcome<void> CheckPolicy(const Json& policy, const Json* old) const {
    const Json& kind = policy["spec"]["paramKind"];
    if (!kind.is_map() || (old != nullptr && (*old)["spec"]["paramKind"] == kind)) return {};
    if (May("get", ResourceOfKind(catalog_, kind), "*", "*")) return {};
    return RefuseField(resource_, policy, kSpec / "paramKind",
                       fmt::format(R"(user {} must have "get" permission on all objects of the referenced paramKind )"
                                   "(kind={}, apiVersion={})",
                                   GoValue(user_), kind["kind"].text(), kind["apiVersion"].text()));
  }

  Outcome<void> CheckBinding(const Json& binding, std::string_view policies) const {
    const Json& reference = binding["spec"]["paramRef"];
    if (!reference.is_map()) return {};
    const std::string& name = reference["name"].text();
    const std::string verb = name.empty() ? "list" : "get";
    const std::string& policy_name = binding["spec"]["policyName"].text();
    const ObjectPtr policy = store_.Find(catalog_.Get(resource_.group, policies), "", policy_name);
    const TreePtr tree = policy == nullptr ? nullptr : policy->tree();
    const Json kind = tree == nullptr ? Json() : (*tree)["spec"]["paramKind"];
    const ParameterResource place = kind.is_map() ? ResourceOfKind(catalog_, kind) : ParameterResource();
    if (May(verb, place, reference["namespace"].text(), name)) return {};
    std::string unknown;
    if (policy == nullptr) {
      unknown = "get policy " + policy_name;
    } else if (kind.is_map() && !place.is_served) {
      unknown = fmt::format("{} paramKind {}", place.has_version ? "resolve" : "parse", GoValue(kind));
    }
    const std::string why =
        unknown.empty()
            ? fmt::format(R"(user {} does not have "{}" permission on the object referenced by paramRef)",
                          GoValue(user_), verb)
            : fmt::format(R"(unable to {} to determine minimum required permissions and user {} does not have "{}" )"
                          "permission for all groups, versions and resources",
                          unknown, GoValue(user_), verb);
    return RefuseField(resource_, binding, kSpec / "paramRef", why);
  }

 private:
  bool May(const std::string& verb, const ParameterResource& place, const std::string& ns,
           const std::string& name) const {
    const Attributes reading{
        .is_resource = true, .verb = verb, .group = place.group, .resource = place.plural, .ns = ns, .name = name};
    return roles_.Authorize(user_, reading).is_allowed;
  }

  const Catalog& catalog_;
  const Store& store_;
  const Roles& roles_;
  const User& user_;
  const Resource& resource_;
};

}  // namespace

Outcome<void> CheckParameterRights(const Catalog& catalog, const Store& store, const Roles& roles, const User& user,
                                   const Resource& resource, const Json& object, const Json* old) {
  if (resource.group != "admissionregistration.k8s.io" || user.IsIn(kMastersGroup)) return {};
  const ParameterCheck check(catalog, store, roles, user, resource);
  for (const std::string_view kind : {"validating", "mutating"}) {
    const std::string policies = fmt::format("{}admissionpolicies", kind);
    if (resource.plural == policies) return check.CheckPolicy(object, old);
    if (resource.plural == fmt::format("{}admissionpolicybindings", kind)) return check.CheckBinding(object, policies);
  }
  return {};
}

}  // namespace berth::server
