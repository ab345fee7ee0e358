// SPDX-License-Identifier: Apache-2.0
// MutatingPolicies: lets all MutatingAdmissionPolicies change what is written, by their bindings.
//
// A write has two turns. In the first all are asked. When they or somebody after them have changed the object, the
// other rules of admission look at it once more, and then come those policies that want to be asked again and were
// asked before the last change.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "server/admission/admission.h"
#include "server/model/status.h"
#include "server/policies/mutations.h"
#include "server/policies/policy_set.h"

namespace berth::server {

class MutatingPolicies {
  class Asking;

 public:
  // REQUIRES: both outlive this.
  MutatingPolicies(const Store& store, const Catalog& catalog);

  // The turns of one write. Both change the object of the request, but for what it is called and what the system keeps
  // of it, and refuse the write if a policy cannot be asked. REQUIRES: there is an object; the policies outlive this.
  class Turns {
   public:
    Turns(MutatingPolicies& policies, bool is_dry_run) : all_(policies.all_), is_dry_run_(is_dry_run) {}

    Outcome<void> First(const AdmissionRequest& request);
    // Whether it did so.
    bool has_changed() const { return has_changed_; }
    Outcome<void> Second(const AdmissionRequest& request);

   private:
    friend class MutatingPolicies::Asking;

    PolicySet<Mutations>& all_;
    const bool is_dry_run_;
    // Of those that want to be asked again: which were asked, and which of them have seen an object that has changed
    // since.
    std::set<std::string> asked_;
    std::set<std::string> again_;
    Json left_;  // How the first turn left the object.
    bool has_changed_ = false;
    int64_t spent_ = 0;
  };

 private:
  PolicySet<Mutations> all_;
};

}  // namespace berth::server
