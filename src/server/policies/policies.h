// SPDX-License-Identifier: Apache-2.0
// Policies: asks all ValidatingAdmissionPolicies about a write, by their bindings.
//
// A policy is compiled when it is first asked after it was written, and kept as long as it stays as it is.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/admission/admission.h"
#include "server/model/status.h"
#include "server/policies/policy.h"
#include "server/store/store.h"

namespace berth::server {

class Policies {
 public:
  // REQUIRES: both outlive this.
  Policies(const Store& store, const Catalog& catalog);

  // Refuses what a policy denies. `warnings`, if it is given, takes what the client shall know.
  Outcome<void> Check(const AdmissionRequest& request, bool is_dry_run, std::vector<std::string>* warnings);

 private:
  struct Compiled {
    Revision revision{};
    std::unique_ptr<const Policy> policy;
  };
  class Asking;

  const Policy& Get(const StoredObject& object);

  const Store& store_;
  const Catalog& catalog_;
  const Resource& kind_;
  const Resource& binding_kind_;
  const Resource& namespace_kind_;
  std::map<std::string, Compiled, std::less<>> compiled_;  // By name.
};

}  // namespace berth::server
