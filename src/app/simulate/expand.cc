// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/simulate/daemon.h"

namespace berth::simulate {
namespace {

bool IsActive(const api::Pod& pod) { return !IsFinished(pod) && !pod.meta.deletion_timestamp; }

std::string OwnerKey(std::string_view kind, std::string_view ns, std::string_view name) {
  return fmt::format("{} {}/{}", kind, ns, name);
}

class Expander {
 public:
  explicit Expander(World& world) : world_(world) {
    for (const PodSource& source : world.pods) IndexPod(source.pod);
    for (const Workload& workload : world.workloads) {
      if (const api::OwnerReference* owner = workload.meta.controller()) {
        controlled_.insert(OwnerKey(owner->kind, workload.meta.ns, owner->name));
      }
    }
    for (const api::PersistentVolumeClaim& claim : world.claims) claims_.insert(api::FullName(claim.meta));
  }

  Result<void> Run() {
    const std::vector<Workload> workloads = world_.workloads;  // Making ReplicaSets adds to the list.
    for (const Workload& workload : workloads) {
      if (workload.pod) BERTH_CHECK_OK(Make(workload));
    }
    return {};
  }

 private:
  struct Owned {
    int32_t active = 0;
    int32_t succeeded = 0;
    std::set<std::string> names;
    std::set<std::string> nodes;  // Of daemon pods.
  };

  void IndexPod(const api::Pod& pod) {
    const api::OwnerReference* owner = pod.meta.controller();
    if (owner == nullptr) return;
    Owned& owned = owned_[OwnerKey(owner->kind, pod.meta.ns, owner->name)];
    if (IsActive(pod)) {
      ++owned.active;
      owned.names.insert(pod.meta.name);
      owned.nodes.insert(DaemonNode(pod));
    }
    if (pod.status.phase == "Succeeded") ++owned.succeeded;
  }

  const Owned& OwnedBy(const Workload& workload) {
    return owned_[OwnerKey(workload.kind, workload.meta.ns, workload.meta.name)];
  }

  Result<void> Make(const Workload& workload) {
    if (workload.kind == "Deployment") return MakeReplicaSet(workload);
    if (workload.kind == "StatefulSet") return MakeStateful(workload);
    if (workload.kind == "DaemonSet") return MakeDaemons(workload);
    if (workload.kind == "Job") return MakeJob(workload);
    return MakeReplicas(workload, workload.replicas);
  }

  // Counts pods before they are made.
  Result<void> Count(const Workload& workload, int64_t count) {
    made_ += std::max<int64_t>(count, 0);
    if (made_ <= kPodsMax) return {};
    const api::OwnerReference* owner = workload.meta.controller();  // The Deployment of a ReplicaSet.
    return Fail(Code::kLimit,
                fmt::format("{}: {} {}/{}: too many pods: with its {} there would be {}, and a simulation "
                            "makes {} at most",
                            workload.origin, owner == nullptr ? workload.kind : owner->kind, workload.meta.ns,
                            owner == nullptr ? workload.meta.name : owner->name, count, made_, kPodsMax));
  }

  // Starts a pod from the template; the caller names it.
  static PodSource FromTemplate(const Workload& workload) {
    PodSource source = *workload.pod;
    source.pod.meta.ns = workload.meta.ns;
    source.pod.meta.owner_references = {{.api_version = workload.api_version,
                                         .kind = workload.kind,
                                         .name = workload.meta.name,
                                         .uid = workload.meta.uid,
                                         .controller = true}};
    return source;
  }

  Result<void> AddPods(const PodSource& source, const Workload& workload, int32_t count) {
    BERTH_CHECK_OK(Count(workload, count));
    for (int32_t i = 0; i < count; ++i) {
      PodSource& added = world_.pods.emplace_back(source);
      added.pod.meta.name = world_.names.Next(workload.meta.ns, workload.meta.name);
    }
    return {};
  }

  Result<void> MakeReplicas(const Workload& workload, int32_t wanted) {
    return AddPods(FromTemplate(workload), workload, wanted - OwnedBy(workload).active);
  }

  Result<void> MakeReplicaSet(const Workload& deployment) {
    if (controlled_.contains(OwnerKey("Deployment", deployment.meta.ns, deployment.meta.name))) return {};
    Workload set = deployment;
    set.kind = "ReplicaSet";
    set.meta.name = fmt::format("{}-{}", deployment.meta.name, deployment.template_hash);
    set.meta.uid = world_.names.Uid();
    set.meta.owner_references = {{.api_version = deployment.api_version,
                                  .kind = deployment.kind,
                                  .name = deployment.meta.name,
                                  .uid = deployment.meta.uid,
                                  .controller = true}};
    const std::string hash_label = "pod-template-hash";
    set.pod->pod.meta.labels.Set(hash_label, deployment.template_hash);
    if (!set.selector) set.selector.emplace();
    set.selector->match_labels.Set(hash_label, deployment.template_hash);
    world_.others.push_back(api::ReplicaSet{.meta = set.meta, .selector = set.selector});
    BERTH_CHECK_OK(MakeReplicas(set, set.replicas));
    world_.workloads.push_back(std::move(set));
    return {};
  }

  Result<void> MakeJob(const Workload& job) {
    if (job.is_over) return {};
    const Owned& owned = OwnedBy(job);
    int32_t wanted = job.replicas;
    if (job.completions) wanted = std::min(wanted, *job.completions - std::max(job.succeeded, owned.succeeded));
    PodSource source = FromTemplate(job);
    for (const char* label : {"job-name", "batch.kubernetes.io/job-name"}) {
      source.pod.meta.labels.Set(label, job.meta.name);
    }
    return AddPods(source, job, wanted - owned.active);
  }

  Result<void> MakeStateful(const Workload& set) {
    const Owned& owned = OwnedBy(set);
    BERTH_CHECK_OK(Count(set, set.replicas));
    for (int64_t i = 0; i < set.replicas; ++i) {
      const std::string ordinal = std::to_string(set.first_ordinal + i);
      const std::string name = set.meta.name + "-" + ordinal;
      MakeClaims(set, ordinal);
      if (owned.names.contains(name)) continue;
      PodSource& source = world_.pods.emplace_back(FromTemplate(set));
      source.pod.meta.name = name;
      source.pod.meta.labels.Set("statefulset.kubernetes.io/pod-name", name);
      source.pod.meta.labels.Set("apps.kubernetes.io/pod-index", ordinal);
      world_.names.Take(set.meta.ns, name);
      UseClaims(set, ordinal, source.pod.spec);
    }
    return {};
  }

  static std::string ClaimName(const Workload& set, const api::PersistentVolumeClaim& claim,
                               const std::string& ordinal) {
    return fmt::format("{}-{}-{}", claim.meta.name, set.meta.name, ordinal);
  }

  void MakeClaims(const Workload& set, const std::string& ordinal) {
    for (api::PersistentVolumeClaim claim : set.claims) {
      claim.meta.name = ClaimName(set, claim, ordinal);
      claim.meta.ns = set.meta.ns;
      if (claims_.insert(api::FullName(claim.meta)).second) world_.claims.push_back(std::move(claim));
    }
  }

  // A claim template takes the place of a volume of the same name.
  static void UseClaims(const Workload& set, const std::string& ordinal, api::PodSpec& spec) {
    for (const api::PersistentVolumeClaim& claim : set.claims) {
      std::erase_if(spec.volumes, [&](const api::Volume& volume) { return volume.name == claim.meta.name; });
      api::Volume& volume = spec.volumes.emplace_back();
      volume.name = claim.meta.name;
      volume.source = api::Volume::Source::kPersistentVolumeClaim;
      volume.id = ClaimName(set, claim, ordinal);
    }
  }

  Result<void> MakeDaemons(const Workload& set) {
    const Owned& owned = OwnedBy(set);
    PodSource source = FromTemplate(set);
    AddDaemonTolerations(source.pod.spec);
    for (const api::Node& node : world_.nodes) {
      if (owned.nodes.contains(node.meta.name) || !ShouldRunDaemon(source.pod.spec, node)) continue;
      BERTH_CHECK_OK(Count(set, 1));
      PodSource& added = world_.pods.emplace_back(source);
      added.pod.meta.name = world_.names.Next(set.meta.ns, set.meta.name);
      PinToNode(node.meta.name, added.pod.spec);
    }
    return {};
  }

  World& world_;
  int64_t made_ = 0;
  std::map<std::string, Owned> owned_;  // By OwnerKey.
  std::set<std::string> controlled_;    // Workloads that own other workloads, by OwnerKey.
  std::set<std::string> claims_;
};

}  // namespace

Result<void> Expand(World& world) { return Expander(world).Run(); }

std::vector<api::PersistentVolumeClaim> EphemeralClaims(const PodSource& source) {
  const api::ObjectMeta& pod = source.pod.meta;
  std::vector<api::PersistentVolumeClaim> claims = source.ephemeral_claims;
  for (api::PersistentVolumeClaim& claim : claims) {
    claim.meta.name = pod.name + "-" + claim.meta.name;
    claim.meta.ns = pod.ns;
    claim.meta.owner_references = {
        {.api_version = "v1", .kind = "Pod", .name = pod.name, .uid = pod.uid, .controller = true}};
  }
  return claims;
}

PodSource Replacement(const PodSource& pod, NameGenerator& names) {
  PodSource made = pod;
  api::ObjectMeta& meta = made.pod.meta;
  const api::OwnerReference* owner = meta.controller();
  if (owner != nullptr && owner->kind != "StatefulSet") meta.name = names.Next(meta.ns, owner->name);
  meta.uid = names.Uid();
  meta.creation_timestamp.reset();
  meta.deletion_timestamp.reset();
  made.pod.node_name.clear();
  made.pod.status = {};
  made.pod.status.phase = "Pending";
  return made;
}

}  // namespace berth::simulate
