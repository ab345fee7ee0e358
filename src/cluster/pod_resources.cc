// SPDX-License-Identifier: Apache-2.0

#include "cluster/pod_resources.h"

#include <string_view>

namespace berth::cluster {
namespace {

constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kMemory = "memory";

// Where the requests of a container are read.
enum class Source : uint8_t {
  kSpec,       // What it asks for.
  kAllocated,  // What the kubelet has granted.
  kActuated,   // What the kubelet has put into effect.
  kLimits,     // What it is limited to.
};

void Add(api::ResourceList& list, const std::string& name, const api::Quantity& amount) {
  const api::Quantity* present = list.Find(name);
  api::Quantity sum = amount;
  if (present != nullptr) {
    sum = *present;
    sum.Add(amount);
  }
  list.Set(name, std::move(sum));
}

void Add(api::ResourceList& list, const api::ResourceList& other) {
  for (const auto& [name, amount] : other) Add(list, name, amount);
}

void SetMax(api::ResourceList& list, const api::ResourceList& other) {
  for (const auto& [name, amount] : other) {
    const api::Quantity* present = list.Find(name);
    if (present == nullptr || amount.Cmp(*present) > 0) list.Set(name, amount);
  }
}

bool CountsAtPodLevel(std::string_view name) {
  return name == kCpu || name == kMemory || name.starts_with("hugepages-");
}

bool ResizeIsInfeasible(const api::PodStatus& status) {
  const api::PodCondition* pending = status.Condition("PodResizePending");
  return pending != nullptr && pending->reason == "Infeasible";
}

// A status tells no empty requests from none; none is what the kubelet writes.
bool HasRequests(const std::optional<api::ResourceList>& requests) { return requests && !requests->empty(); }

// Sums up the containers of one pod, reading their requests from one source.
class ContainerSum {
 public:
  ContainerSum(const api::PodSpec& spec, const api::PodStatus& status, const PodRequestOptions& options)
      : spec_(spec),
        status_(status),
        options_(options),
        infeasible_(options.use_status && ResizeIsInfeasible(status)) {}

  api::ResourceList Total(Source source) const {
    api::ResourceList running;
    for (const api::Container& container : spec_.containers) Add(running, Requests(container, source));

    // Init containers run one after the other, each beside the sidecars that were started before it.
    api::ResourceList sidecars;
    api::ResourceList peak;
    for (const api::Container& container : spec_.init_containers) {
      api::ResourceList step = Requests(container, source);
      if (container.restart_always) {
        Add(running, step);
        Add(sidecars, step);
        step = sidecars;
      } else {
        Add(step, sidecars);
      }
      SetMax(peak, step);
    }
    SetMax(running, peak);
    return running;
  }

 private:
  api::ResourceList Requests(const api::Container& container, Source source) const {
    const api::ResourceList* found = Find(container, source);
    api::ResourceList requests = found == nullptr ? api::ResourceList() : *found;
    if (options_.default_missing) {
      if (requests.Find(kCpu) == nullptr) requests.Set(std::string(kCpu), api::Quantity::FromMilli(kDefaultCpuMilli));
      if (requests.Find(kMemory) == nullptr) {
        requests.Set(std::string(kMemory), api::Quantity::FromInt(kDefaultMemoryBytes));
      }
    }
    return requests;
  }

  const api::ResourceList* Find(const api::Container& container, Source source) const {
    if (source == Source::kSpec) return &container.requests;
    if (source == Source::kLimits) return &container.limits;
    if (const api::ContainerStatus* status = Status(container.name)) {
      if (source == Source::kActuated && HasRequests(status->resource_requests)) return &*status->resource_requests;
      if (status->allocated_resources) return &*status->allocated_resources;
    }
    return infeasible_ ? nullptr : &container.requests;
  }

  const api::ContainerStatus* Status(std::string_view name) const {
    for (const api::ContainerStatus& status : status_.container_statuses) {
      if (status.name == name) return &status;
    }
    return nullptr;
  }

  const api::PodSpec& spec_;
  const api::PodStatus& status_;
  const PodRequestOptions& options_;
  const bool infeasible_;
};

void AddClaims(api::ResourceList& requests, const api::PodStatus& status) {
  for (const api::NodeAllocatableClaimStatus& claim : status.node_allocatable_claims) {
    Add(requests, claim.mapping);
    for (const api::NodeAllocatableClaimStatus::Overhead& overhead : claim.overhead) {
      api::Quantity total;
      if (overhead.per_pod) total.Add(*overhead.per_pod);
      for (size_t i = 0; overhead.per_container && i < claim.containers.size(); ++i) total.Add(*overhead.per_container);
      Add(requests, overhead.name, total);
    }
  }
}

api::ResourceList ContainerRequests(const api::PodSpec& spec, const api::PodStatus& status,
                                    const PodRequestOptions& options) {
  const ContainerSum sum(spec, status, options);
  const auto with_claims = [&](api::ResourceList requests) {
    if (options.node_allocatable_claims) AddClaims(requests, status);
    return requests;
  };
  if (!options.use_status) return with_claims(sum.Total(Source::kSpec));

  api::ResourceList requests;
  if (!ResizeIsInfeasible(status)) requests = with_claims(sum.Total(Source::kSpec));
  if (options.in_place_pod_level && status.allocated_resources && HasRequests(status.resource_requests)) {
    SetMax(requests, *status.resource_requests);
    SetMax(requests, *status.allocated_resources);
  } else {
    SetMax(requests, sum.Total(Source::kActuated));
    SetMax(requests, with_claims(sum.Total(Source::kAllocated)));
  }
  return requests;
}

api::ResourceList PodLevelRequests(const api::PodSpec& spec, const api::PodStatus& status,
                                   const PodRequestOptions& options) {
  if (!options.use_status || !options.in_place_pod_level || !status.resource_requests) return *spec.pod_requests;
  api::ResourceList requests;
  if (!ResizeIsInfeasible(status)) requests = *spec.pod_requests;
  SetMax(requests, *status.resource_requests);
  if (status.allocated_resources) SetMax(requests, *status.allocated_resources);
  return requests;
}

}  // namespace

bool HasPodLevelRequests(const api::PodSpec& spec) {
  if (!spec.pod_requests) return false;
  for (const auto& [name, amount] : *spec.pod_requests) {
    if (CountsAtPodLevel(name)) return true;
  }
  return false;
}

api::ResourceList PodRequests(const api::PodSpec& spec, const api::PodStatus& status,
                              const PodRequestOptions& options) {
  api::ResourceList requests = ContainerRequests(spec, status, options);
  if (options.pod_level && HasPodLevelRequests(spec)) {
    for (const auto& [name, amount] : PodLevelRequests(spec, status, options)) {
      if (CountsAtPodLevel(name)) requests.Set(name, amount);
    }
  }
  Add(requests, spec.overhead);
  return requests;
}

api::ResourceList PodLimits(const api::PodSpec& spec) {
  const api::PodStatus no_status;
  const PodRequestOptions options;
  api::ResourceList limits = ContainerSum(spec, no_status, options).Total(Source::kLimits);
  for (const auto& [name, amount] : spec.pod_limits) {
    if (CountsAtPodLevel(name)) limits.Set(name, amount);
  }
  for (const auto& [name, amount] : spec.overhead) {
    const api::Quantity* limit = limits.Find(name);
    if (limit != nullptr && !limit->IsZero()) Add(limits, name, amount);
  }
  return limits;
}

NonZeroRequest PodNonZeroRequest(const api::PodSpec& spec, const api::PodStatus& status,
                                 const PodResourceOptions& options) {
  PodRequestOptions request_options{.use_status = true,
                                    .pod_level = options.pod_level_resources,
                                    .in_place_pod_level = options.in_place_pod_level_resize,
                                    .default_missing = true,
                                    .node_allocatable_claims = options.node_allocatable_claims};
  const api::ResourceList defaulted = PodRequests(spec, status, request_options);
  const api::ResourceList* cpu_from = &defaulted;
  const api::ResourceList* memory_from = &defaulted;
  api::ResourceList requests;
  // With requests at pod level, a default stands in only for what neither the pod nor any container requests.
  if (options.pod_level_resources && HasPodLevelRequests(spec)) {
    request_options.default_missing = false;
    requests = PodRequests(spec, status, request_options);
    if (requests.Find(kCpu) != nullptr) cpu_from = &requests;
    if (requests.Find(kMemory) != nullptr) memory_from = &requests;
  }
  const api::Quantity* cpu = cpu_from->Find(kCpu);
  const api::Quantity* memory = memory_from->Find(kMemory);
  return {.cpu_milli = cpu == nullptr ? 0 : cpu->MilliValue(), .memory_bytes = memory == nullptr ? 0 : memory->Value()};
}

}  // namespace berth::cluster
