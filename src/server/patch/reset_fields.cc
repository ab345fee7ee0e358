// SPDX-License-Identifier: Apache-2.0
#include "server/patch/reset_fields.h"

#include "server/model/strategy.h"

namespace berth::server {
namespace {

const FieldSet& ResetByStatus(const Resource& resource) {
  static const FieldSet kSpecAlone = FieldSet::OfNames({{"spec"}});
  static const FieldSet kOfPods =
      FieldSet::OfNames({{"spec"}, {"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}});
  static const FieldSet kOfDeployments = FieldSet::OfNames({{"spec"}, {"metadata", "labels"}});
  // Newer kinds take nothing but the status on this way.
  static const FieldSet kAllElse = FieldSet::OfNames({{"spec"}, {"metadata"}});
  static const FieldSet kOfSigningRequests = FieldSet::OfNames({{"spec"}, {"status", "conditions"}});
  if (resource.custom != nullptr) return kAllElse;
  if (resource.plural == "certificatesigningrequests") return kOfSigningRequests;
  if (resource.plural == "pods") return kOfPods;
  if (resource.plural == "deployments") return kOfDeployments;
  const bool is_strict = resource.group == "resource.k8s.io" || resource.group == "scheduling.k8s.io" ||
                         resource.group == "storage.k8s.io" || resource.group == "storagemigration.k8s.io" ||
                         resource.plural == "servicecidrs";
  return is_strict ? kAllElse : kSpecAlone;
}

}  // namespace

const FieldSet* ResetFields(const Resource& resource, std::string_view subresource) {
  static const FieldSet kStatusAlone = FieldSet::OfNames({{"status"}});
  static const FieldSet kByApproval = FieldSet::OfNames({{"spec"}, {"status", "certificate"}});
  if (!resource.strategy->has_status()) return nullptr;
  if (subresource == "approval") return &kByApproval;
  return subresource == "status" ? &ResetByStatus(resource) : &kStatusAlone;
}

}  // namespace berth::server
