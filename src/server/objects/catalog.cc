// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/assert.h"
#include "server/custom/definition_kind.h"
#include "server/kinds/cluster/event_view.h"
#include "server/kinds/groups/group_view.h"
#include "server/kinds/kinds.h"
#include "server/kinds/workloads/autoscaler_view.h"
#include "server/model/resource.h"
#include "server/model/strategy.h"
#include "server/model/version_order.h"
#include "server/policies/mutating_policy_kind.h"
#include "server/policies/policy_kind.h"
#include "server/webhooks/webhook_kind.h"

namespace berth::server {
namespace {

using Words = std::vector<std::string_view>;

const Words kVerbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
const Words kVerbsOfNamespaces = {"create", "delete", "get", "list", "patch", "update", "watch"};
const Words kVerbsOfReviews = {"create"};

// The bits of Row::flags.
enum : uint8_t {
  kAll = 1 << 0,           // Shown by `kubectl get all`.
  kApiExtension = 1 << 1,  // In the category api-extensions.
  kReturnsDeleted = 1 << 2,
  kVirtual = 1 << 3,
};

// For kinds without rules of their own.
std::unique_ptr<Strategy> MakePlainStrategy() { return std::make_unique<Strategy>(); }

// The same for those that have a status.
class PlainWithStatus : public Strategy {
 public:
  bool has_status() const override { return true; }
};
std::unique_ptr<Strategy> MakePlainWithStatus() { return std::make_unique<PlainWithStatus>(); }

// What the wire table does not know of a resource.
struct Row {
  std::string_view api_version;
  std::string_view kind;
  std::unique_ptr<Strategy> (*make_strategy)() = MakePlainStrategy;
  std::string_view short_names = {};   // Separated by commas.
  std::string_view subresources = {};  // Likewise; those of kSubresources.
  uint8_t flags = 0;
  std::optional<framework::Gate> gate = {};  // With which it is served; nothing: always.
};

using framework::Gate;

// In the order in which upstream lists the groups.
constexpr Row kRows[] = {
    {"v1", "Binding", MakePlainStrategy, "", "", kVirtual},
    {"v1", "ConfigMap", MakeConfigMapStrategy, "cm"},
    {"v1", "Endpoints", MakeEndpointsStrategy, "ep"},
    {"v1", "Event", MakeEventStrategy, "ev"},
    {"v1", "LimitRange", MakeLimitRangeStrategy, "limits"},
    {"v1", "Namespace", MakeNamespaceStrategy, "ns", "finalize,status", kReturnsDeleted},
    {"v1", "Node", MakeNodeStrategy, "no", "status"},
    {"v1", "PersistentVolumeClaim", MakePersistentVolumeClaimStrategy, "pvc", "status", kReturnsDeleted},
    {"v1", "PersistentVolume", MakePersistentVolumeStrategy, "pv", "status", kReturnsDeleted},
    {"v1", "Pod", MakePodStrategy, "po",
     "attach,binding,ephemeralcontainers,eviction,exec,log,portforward,resize,status", kAll | kReturnsDeleted},
    {"v1", "PodTemplate", MakePodTemplateStrategy, "", "", kReturnsDeleted},
    {"v1", "ReplicationController", MakeReplicationControllerStrategy, "rc", "scale,status", kAll},
    {"v1", "ResourceQuota", MakeResourceQuotaStrategy, "quota", "status", kReturnsDeleted},
    {"v1", "Secret", MakeSecretStrategy},
    {"v1", "ServiceAccount", MakeServiceAccountStrategy, "sa", "token", kReturnsDeleted},
    {"v1", "Service", MakeServiceStrategy, "svc", "status", kAll | kReturnsDeleted},

    {"apiregistration.k8s.io/v1", "APIService", MakeApiServiceStrategy, "", "status", kApiExtension},

    {"apps/v1", "ControllerRevision", MakeControllerRevisionStrategy},
    {"apps/v1", "DaemonSet", MakeDaemonSetStrategy, "ds", "status", kAll},
    {"apps/v1", "Deployment", MakeDeploymentStrategy, "deploy", "scale,status", kAll},
    {"apps/v1", "ReplicaSet", MakeReplicaSetStrategy, "rs", "scale,status", kAll},
    {"apps/v1", "StatefulSet", MakeStatefulSetStrategy, "sts", "scale,status", kAll},

    {"events.k8s.io/v1", "Event", MakeNewEventStrategy, "ev"},

    {"authentication.k8s.io/v1", "SelfSubjectReview", MakePlainStrategy, "", "", kVirtual},
    {"authentication.k8s.io/v1", "TokenReview", MakePlainStrategy, "", "", kVirtual},

    {"authorization.k8s.io/v1", "LocalSubjectAccessReview", MakePlainStrategy, "", "", kVirtual},
    {"authorization.k8s.io/v1", "SelfSubjectAccessReview", MakePlainStrategy, "", "", kVirtual},
    {"authorization.k8s.io/v1", "SelfSubjectRulesReview", MakePlainStrategy, "", "", kVirtual},
    {"authorization.k8s.io/v1", "SubjectAccessReview", MakePlainStrategy, "", "", kVirtual},

    {"autoscaling/v2", "HorizontalPodAutoscaler", MakeHorizontalPodAutoscalerStrategy, "hpa", "status", kAll},
    {"autoscaling/v1", "HorizontalPodAutoscaler", MakeOldAutoscalerStrategy, "hpa", "status", kAll},

    {"batch/v1", "CronJob", MakeCronJobStrategy, "cj", "status", kAll},
    {"batch/v1", "Job", MakeJobStrategy, "", "status", kAll},

    {"certificates.k8s.io/v1", "CertificateSigningRequest", MakeCertificateSigningRequestStrategy, "csr",
     "approval,status"},
    {"certificates.k8s.io/v1", "ClusterTrustBundle", MakeClusterTrustBundleStrategy},
    {"certificates.k8s.io/v1", "PodCertificateRequest", MakePlainWithStatus, "", "status"},

    {"networking.k8s.io/v1", "IngressClass", MakeIngressClassStrategy},
    {"networking.k8s.io/v1", "Ingress", MakeIngressStrategy, "ing", "status"},
    {"networking.k8s.io/v1", "IPAddress", MakeIpAddressStrategy, "ip"},
    {"networking.k8s.io/v1", "NetworkPolicy", MakeNetworkPolicyStrategy, "netpol"},
    {"networking.k8s.io/v1", "ServiceCIDR", MakeServiceCidrStrategy, "", "status"},

    {"policy/v1", "PodDisruptionBudget", MakePodDisruptionBudgetStrategy, "pdb", "status"},

    {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", MakeRoleBindingStrategy},
    {"rbac.authorization.k8s.io/v1", "ClusterRole", MakeRoleStrategy},
    {"rbac.authorization.k8s.io/v1", "RoleBinding", MakeRoleBindingStrategy},
    {"rbac.authorization.k8s.io/v1", "Role", MakeRoleStrategy},

    {"storage.k8s.io/v1", "CSIDriver", MakeCsiDriverStrategy, "", "", kReturnsDeleted},
    {"storage.k8s.io/v1", "CSINode", MakeCsiNodeStrategy, "", "status", kReturnsDeleted},
    {"storage.k8s.io/v1", "CSIStorageCapacity", MakeCsiStorageCapacityStrategy},
    {"storage.k8s.io/v1", "StorageClass", MakeStorageClassStrategy, "sc", "", kReturnsDeleted},
    {"storage.k8s.io/v1", "VolumeAttachment", MakeVolumeAttachmentStrategy, "", "status", kReturnsDeleted},
    {"storage.k8s.io/v1", "VolumeAttributesClass", MakeVolumeAttributesClassStrategy, "vac", "", kReturnsDeleted},

    {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", MakeMutatingAdmissionPolicyStrategy, "", "",
     kApiExtension},
    {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", MakeMutatingAdmissionPolicyBindingStrategy,
     "", "", kApiExtension},
    {"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", MakeMutatingWebhookConfigurationStrategy, "",
     "", kApiExtension},
    {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", MakeValidatingAdmissionPolicyStrategy, "",
     "status", kApiExtension},
    {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding",
     MakeValidatingAdmissionPolicyBindingStrategy, "", "", kApiExtension},
    {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", MakeValidatingWebhookConfigurationStrategy,
     "", "", kApiExtension},

    {"apiextensions.k8s.io/v1", "CustomResourceDefinition", MakeCustomResourceDefinitionStrategy, "crd,crds", "status",
     kApiExtension},

    {"scheduling.k8s.io/v1", "PriorityClass", MakePriorityClassStrategy, "pc"},
    {"scheduling.k8s.io/v1beta1", "PodGroup", MakePodGroupStrategy, "", "status", 0, Gate::kGenericWorkload},
    {"scheduling.k8s.io/v1beta1", "Workload", MakeWorkloadStrategy, "", "", 0, Gate::kGenericWorkload},
    {"scheduling.k8s.io/v1alpha3", "CompositePodGroup", MakeCompositePodGroupStrategy, "", "status", 0,
     Gate::kCompositePodGroup},
    {"scheduling.k8s.io/v1alpha3", "PodGroup", MakePodGroupStrategy, "", "status", 0, Gate::kGenericWorkload},
    {"scheduling.k8s.io/v1alpha3", "Workload", MakeWorkloadStrategy, "", "", 0, Gate::kGenericWorkload},

    {"coordination.k8s.io/v1", "Lease", MakeLeaseStrategy},

    {"node.k8s.io/v1", "RuntimeClass", MakeRuntimeClassStrategy},

    {"discovery.k8s.io/v1", "EndpointSlice", MakeEndpointSliceStrategy},

    {"resource.k8s.io/v1", "DeviceClass", MakeDeviceClassStrategy, "", "", kReturnsDeleted},
    {"resource.k8s.io/v1", "DeviceTaintRule", MakeDeviceTaintRuleStrategy, "", "status"},
    {"resource.k8s.io/v1", "ResourceClaim", MakeResourceClaimStrategy, "", "status", kReturnsDeleted},
    {"resource.k8s.io/v1", "ResourceClaimTemplate", MakeResourceClaimTemplateStrategy, "", "", kReturnsDeleted},
    {"resource.k8s.io/v1", "ResourceSlice", MakeResourceSliceStrategy, "", "", kReturnsDeleted},

    {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema", MakePlainWithStatus, "", "status"},
    {"flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", MakePlainWithStatus, "", "status"},

    {"storagemigration.k8s.io/v1", "StorageVersionMigration", MakeStorageVersionMigrationStrategy, "", "status"},

    // A custom resource elsewhere.
    {"scheduling.x-k8s.io/v1alpha1", "PodGroup", MakeCoscheduledGroupStrategy, "pg,pgs", "status"},
};

// Objects that are kept in one form and shown in another too.
struct ViewRow {
  std::string_view api_version;
  std::string_view kind;
  std::string_view kept_version;
  Json (*to_stored)(Json object);
  Json (*from_stored)(Json object);
};

constexpr ViewRow kViews[] = {
    {"events.k8s.io/v1", "Event", "v1", ToCoreEvent, ToNewEvent},
    {"autoscaling/v1", "HorizontalPodAutoscaler", "autoscaling/v2", ToNewAutoscaler, ToOldAutoscaler},
    {"scheduling.k8s.io/v1alpha3", "PodGroup", "scheduling.k8s.io/v1beta1", ToBetaGroup, ToAlphaGroup},
    {"scheduling.k8s.io/v1alpha3", "Workload", "scheduling.k8s.io/v1beta1", ToBetaGroup, ToAlphaGroup},
};

// The kind is empty if it is that of the resource.
const Subresource kSubresources[] = {
    {"approval", "", "", "", {"get", "patch", "update"}},
    {"attach", "", "", "PodAttachOptions", {"create", "get"}},
    {"binding", "", "", "Binding", {"create"}},
    {"ephemeralcontainers", "", "", "", {"get", "patch", "update"}},
    {"eviction", "policy", "v1", "Eviction", {"create"}},
    {"exec", "", "", "PodExecOptions", {"create", "get"}},
    {"finalize", "", "", "", {"update"}},
    {"log", "", "", "", {"get"}},
    {"portforward", "", "", "PodPortForwardOptions", {"create", "get"}},
    {"resize", "", "", "", {"get", "patch", "update"}},
    {"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}},
    {"status", "", "", "", {"get", "patch", "update"}},
    {"token", "authentication.k8s.io", "v1", "TokenRequest", {"create"}},
};

Words Split(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

const Words& VerbsOf(const Row& row) {
  if ((row.flags & kVirtual) != 0) return kVerbsOfReviews;
  return row.kind == "Namespace" ? kVerbsOfNamespaces : kVerbs;
}

Words CategoriesOf(const Row& row) {
  if ((row.flags & kAll) != 0) return {"all"};
  if ((row.flags & kApiExtension) != 0) return {"api-extensions"};
  return {};
}

std::vector<Subresource> SubresourcesOf(const Row& row) {
  std::vector<Subresource> all;
  for (const std::string_view name : Split(row.subresources)) {
    const auto* const found = std::ranges::find(kSubresources, name, &Subresource::name);
    BERTH_ASSERT(found != std::end(kSubresources));
    Subresource& added = all.emplace_back(*found);
    if (added.kind.empty()) added.kind = row.kind;
  }
  return all;
}

std::unique_ptr<Resource> MakeResource(const Row& row) {
  const api::wire::Kind* const kind = api::wire::FindKind(row.api_version, row.kind);
  BERTH_ASSERT(kind != nullptr);
  auto resource = std::make_unique<Resource>();
  const size_t slash = row.api_version.find('/');
  const bool is_core = slash == std::string_view::npos;
  resource->group = is_core ? std::string_view() : row.api_version.substr(0, slash);
  resource->version = is_core ? row.api_version : row.api_version.substr(slash + 1);
  resource->plural = row.kind == "Binding" ? "bindings" : kind->plural;
  resource->singular = Lower(row.kind);
  resource->kind = row.kind;
  resource->list_kind = kind->list_kind;
  resource->api_version = row.api_version;
  resource->namespaced = kind->namespaced || row.kind == "Binding";
  resource->verbs = VerbsOf(row);
  resource->short_names = Split(row.short_names);
  resource->categories = CategoriesOf(row);
  resource->subresources = SubresourcesOf(row);
  resource->returns_deleted = (row.flags & kReturnsDeleted) != 0;
  resource->wire = kind;
  resource->stored = resource.get();
  return resource;
}

}  // namespace

Catalog::Catalog(const framework::FeatureGates& gates) : gates_(gates) {
  for (const bool is_served : {true, false}) {
    for (const Row& row : kRows) {
      if (is_served != (!row.gate || gates.Enabled(*row.gate))) continue;
      strategies_.push_back(row.make_strategy());
      strategies_.back()->set_gates(gates);
      resources_.push_back(MakeResource(row));
      resources_.back()->strategy = strategies_.back().get();
      resources_.back()->is_served = is_served;
      resources_.back()->index = resources_.size() - 1;
    }
  }
  built_in_ = resources_.size();
  for (const ViewRow& row : kViews) {
    const Resource* const kept = FindKind(row.kept_version, row.kind);
    const auto view = std::ranges::find_if(resources_, [&](const auto& resource) {
      return resource->kind == row.kind && resource->api_version == row.api_version;
    });
    BERTH_ASSERT(kept != nullptr && view != resources_.end());
    (*view)->stored = kept;
    (*view)->to_stored = row.to_stored;
    (*view)->from_stored = row.from_stored;
  }
  Refresh();
}

Catalog::~Catalog() = default;

void Catalog::Add(std::unique_ptr<Resource> resource) {
  resource->index = resources_.size();
  resources_.push_back(std::move(resource));
}

// Custom resources come behind the built-in ones, by group and, within it, by the priority of their versions, but those
// of a version that is built in stand beside its others.
void Catalog::Refresh() {
  ++generation_;
  served_.clear();
  std::vector<const Resource*> custom;
  for (const auto& resource : resources_) {
    if (!resource->is_served) continue;
    (resource->index < built_in_ ? served_ : custom).push_back(resource.get());
  }
  std::ranges::stable_sort(custom, [](const Resource* left, const Resource* right) {
    if (left->group != right->group) return left->group < right->group;
    if (left->version != right->version) return VersionGoesBefore(left->version, right->version);
    return left->plural < right->plural;
  });
  for (const Resource* const each : custom) {
    auto at = std::find_if(served_.rbegin(), served_.rend(),
                           [&](const Resource* other) { return other->api_version == each->api_version; });
    if (at == served_.rend()) {
      at = std::find_if(served_.rbegin(), served_.rend(),
                        [&](const Resource* other) { return other->group == each->group; });
    }
    served_.insert(at == served_.rend() ? served_.end() : at.base(), each);
  }
}

const Resource* Catalog::Find(std::string_view group, std::string_view version, std::string_view plural) const {
  for (const auto& resource : served()) {
    if (resource->plural == plural && resource->group == group && resource->version == version) return resource;
  }
  return nullptr;
}

const Resource* Catalog::FindKind(std::string_view api_version, std::string_view kind) const {
  for (const auto& resource : resources_) {
    if (resource->kind == kind && resource->api_version == api_version) return resource.get();
  }
  return nullptr;
}

const Resource* Catalog::FindKept(std::string_view kind) const {
  const auto found = std::ranges::find_if(served(), [&](const auto& resource) {
    return resource->kind == kind && resource->stored == resource && !resource->is_virtual();
  });
  return found == served().end() ? nullptr : *found;
}

const Resource& Catalog::Get(std::string_view group, std::string_view plural) const {
  for (const auto& resource : resources_) {
    if (resource->plural == plural && resource->group == group) return *resource;
  }
  AssertionFailed("served", __FILE__, __LINE__);
}

}  // namespace berth::server
