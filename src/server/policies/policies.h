// SPDX-License-Identifier: Apache-2.0
// Policies: asks all ValidatingAdmissionPolicies about a write, by their bindings.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <vector>

#include "server/admission/admission.h"
#include "server/model/status.h"
#include "server/policies/policy.h"
#include "server/policies/policy_set.h"

namespace berth::server {

class Policies {
 public:
  // REQUIRES: both outlive this.
  Policies(const Store& store, const Catalog& catalog);

  // Refuses what a policy denies. `warnings`, if it is given, takes what the client shall know.
  Outcome<void> Check(const AdmissionRequest& request, bool is_dry_run, std::vector<std::string>* warnings);

 private:
  class Asking;

  PolicySet<Policy> all_;
};

}  // namespace berth::server
