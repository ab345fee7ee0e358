// SPDX-License-Identifier: Apache-2.0
// PolicySet: all policies of one kind with their bindings, and which of them have a say in a write.
//
// A policy is compiled when it is first asked after it was written, and kept as long as it stays as it is.
//
// Thread: that of the store.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/admission/admission.h"
#include "server/model/json.h"
#include "server/store/store.h"

namespace berth::server {

inline constexpr std::string_view kPolicyGroup = "admissionregistration.k8s.io";

// A policy that has a say, by one of its bindings.
struct PolicyCall {
  ObjectPtr object;
  TreePtr policy;
  TreePtr binding;
  const Resource* as;        // The view of the resource by which it matches.
  std::vector<Json> params;  // Objects that the binding names; one null if there is nothing to name.
};

class PolicyCalls {
 public:
  // By the names of their resources. REQUIRES: both outlive this.
  PolicyCalls(const Store& store, const Catalog& catalog, std::string_view policies, std::string_view bindings);

  using OnCall = std::function<void(const PolicyCall& call)>;
  // Why a policy, or one of its bindings if there is one, cannot be asked.
  using OnError = std::function<void(const Json& policy, const Json* binding, const std::string& error)>;
  // In the order of names. No policy has a say in how others are changed.
  void Each(const AdmissionRequest& request, const OnCall& call, const OnError& fail) const;

  // What `namespaceObject` is.
  Json NamespaceOf(const AdmissionRequest& request) const;

  const Store::Objects& all() const { return store_.All(kind_); }

 private:
  const Store& store_;
  const Catalog& catalog_;
  const Resource& kind_;
  const Resource& binding_kind_;
  const Resource& namespace_kind_;
};

template <class Compiled>
class PolicySet : public PolicyCalls {
 public:
  using PolicyCalls::PolicyCalls;

  bool empty() {
    if (!all().empty()) return false;
    compiled_.clear();
    return true;
  }

  // Stays as long as the object is the latest one.
  const Compiled& Get(const StoredObject& object) {
    if (all().size() < compiled_.size()) {
      std::erase_if(compiled_, [&](const auto& entry) { return !all().contains(entry.first); });
    }
    Entry& entry = compiled_[std::string(object.name())];
    if (entry.policy == nullptr || entry.revision != object.revision()) {
      entry = {.revision = object.revision(), .policy = std::make_unique<const Compiled>(*object.tree())};
    }
    return *entry.policy;
  }

 private:
  struct Entry {
    Revision revision{};
    std::unique_ptr<const Compiled> policy;
  };
  std::map<std::string, Entry, std::less<>> compiled_;  // By name.
};

}  // namespace berth::server
