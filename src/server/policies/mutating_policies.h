// SPDX-License-Identifier: Apache-2.0
// MutatingPolicies: lets all MutatingAdmissionPolicies change what is written, by their bindings.
//
// When one of them has changed the object, the other rules of admission look at it once more, and then those policies
// that want to be asked again and were asked before the last change.
//
// Thread: that of the store.

#pragma once

#include <functional>

#include "server/admission/admission.h"
#include "server/model/status.h"
#include "server/policies/mutations.h"
#include "server/policies/policy_set.h"

namespace berth::server {

class MutatingPolicies {
 public:
  // REQUIRES: both outlive this.
  MutatingPolicies(const Store& store, const Catalog& catalog);

  // Changes the object of the request, but for what it is called and what the system keeps of it. Refuses if a policy
  // cannot be asked. `readmit`: the other rules. REQUIRES: there is an object.
  Outcome<void> Mutate(const AdmissionRequest& request, bool is_dry_run, const std::function<Outcome<void>()>& readmit);

 private:
  class Asking;

  PolicySet<Mutations> all_;
};

}  // namespace berth::server
