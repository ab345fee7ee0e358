// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/extended_requests.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using Mapping = api::ExtendedResourceClaimStatus::Mapping;

// How many the container asks for; 0 also if that is no integer.
int64_t Wanted(const api::Container& container, const std::string& resource) {
  const api::Quantity* amount = container.requests.Find(resource);
  if (amount == nullptr) return 0;
  const int64_t value = amount->Value();
  return amount->Cmp(api::Quantity::FromInt(value)) == 0 ? value : 0;
}

// The requests of one resource.
class ResourceRequests {
 public:
  ResourceRequests(const api::PodSpec& spec, const std::string& resource, const std::string& class_name)
      : resource_(resource), class_name_(class_name) {
    for (const api::Container& container : spec.init_containers) containers_.push_back(&container);
    for (const api::Container& container : spec.containers) containers_.push_back(&container);
    long_lived_.resize(containers_.size());
    const auto is_short = [&](size_t i) { return i < spec.init_containers.size() && !containers_[i]->restart_always; };
    for (size_t i = 0; i < containers_.size(); ++i) {
      if (!is_short(i)) long_lived_[i] = Add(i, containers_.size(), long_mappings_);
    }
    for (size_t i = 0; i < containers_.size(); ++i) {
      if (is_short(i)) AddShortLived(i);
    }
  }

  void AppendTo(ExtendedRequests& all) {
    if (surplus_) {
      for (Mapping& mapping : short_mappings_) {
        if (surplus_names_.contains(mapping.request_name)) mapping.request_name = surplus_->name;
      }
      all.requests.push_back(*surplus_);
    }
    for (std::optional<api::DeviceRequest>& request : long_lived_) {
      if (request) all.requests.push_back(*std::move(request));
    }
    std::ranges::move(long_mappings_, std::back_inserter(all.mappings));
    std::ranges::move(short_mappings_, std::back_inserter(all.mappings));
  }

 private:
  // The container's own request, unless those of containers from `reusable` on suffice.
  std::optional<api::DeviceRequest> Add(size_t container, size_t reusable, std::vector<Mapping>& mappings) {
    const api::Container& asking = *containers_[container];
    const int64_t wanted = Wanted(asking, resource_);
    if (wanted == 0) return std::nullopt;
    int64_t reused = 0;
    for (size_t i = reusable; i < long_lived_.size(); ++i) {
      if (!long_lived_[i]) continue;
      reused += long_lived_[i]->exactly->count;
      mappings.push_back({asking.name, resource_, long_lived_[i]->name});
      if (reused >= wanted) return std::nullopt;
    }
    const auto position = std::ranges::find(asking.requests, resource_, &api::ResourceList::Entry::first);
    api::DeviceRequest request;
    request.name = fmt::format("container-{}-request-{}", container, position - asking.requests.begin());
    request.exactly.emplace();
    request.exactly->name = request.name;
    request.exactly->device_class_name = class_name_;
    request.exactly->allocation_mode = "ExactCount";
    request.exactly->count = wanted - reused;
    mappings.push_back({asking.name, resource_, request.name});
    return request;
  }

  void AddShortLived(size_t container) {
    std::optional<api::DeviceRequest> request = Add(container, container, short_mappings_);
    if (!request) return;
    surplus_names_.insert(request->name);
    if (!surplus_ || surplus_->exactly->count < request->exactly->count) surplus_ = std::move(request);
  }

  const std::string& resource_;
  const std::string& class_name_;
  std::vector<const api::Container*> containers_;              // Init containers first.
  std::vector<std::optional<api::DeviceRequest>> long_lived_;  // By container.
  std::optional<api::DeviceRequest> surplus_;
  std::set<std::string> surplus_names_;
  std::vector<Mapping> long_mappings_;
  std::vector<Mapping> short_mappings_;
};

}  // namespace

ExtendedRequests MakeExtendedRequests(const api::PodSpec& spec, const std::vector<std::string>& resources,
                                      const cluster::ExtendedResources& classes) {
  ExtendedRequests all;
  for (const std::string& resource : resources) {
    const api::DeviceClass* device_class = classes.ClassOf(resource);
    if (device_class != nullptr) ResourceRequests(spec, resource, device_class->meta.name).AppendTo(all);
  }
  std::ranges::sort(all.requests, {}, &api::DeviceRequest::name);
  return all;
}

}  // namespace berth::plugins
