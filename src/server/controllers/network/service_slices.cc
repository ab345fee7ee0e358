// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/service_slices.h"

#include <fmt/format.h>

#include <utility>

#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

// How many slices are written in one look.
constexpr size_t kSliceBatch = 50;
constexpr size_t kNameMax = 253;

void Dress(Json& slice, const SliceRules& rules, const PlannedSlice& planned, Time changed) {
  Json& metadata = slice.Make("metadata");
  metadata.Set("labels", rules.labels);
  metadata.Set("ownerReferences", Json::MakeList({ControllerReference(*rules.owner)}));
  if (!rules.annotations.is_null()) metadata.Set("annotations", rules.annotations);
  SetTriggerTime(metadata, changed);
  slice.Erase("ports");
  slice.Erase("endpoints");
  if (!planned.ports.empty()) slice.Set("ports", planned.ports);
  if (!planned.endpoints.empty()) slice.Set("endpoints", Json::MakeList(planned.endpoints));
}

// What this process writes is not what others change.
class Writing {
 public:
  explicit Writing(bool& flag) : flag_(flag) { flag_ = true; }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  ~Writing() { flag_ = false; }

 private:
  bool& flag_;
};

}  // namespace

void SetTriggerTime(Json& metadata, Time changed) {
  Json& annotations = metadata.Make("annotations");
  annotations.Erase(kTriggerTimeAnnotation);
  if (changed != Time{}) annotations.Set(kTriggerTimeAnnotation, FormatTime(changed));
  if (annotations.empty()) metadata.Erase("annotations");
}

ServiceSlices::ServiceSlices(const Controller& controller, const Cluster& cluster, std::string_view manager)
    : controller_(controller),
      cluster_(cluster),
      slices_(cluster.Get("discovery.k8s.io", "endpointslices")),
      manager_(manager) {}

std::string ServiceSlices::ServiceOf(const StoredObject& slice) const {
  const std::string_view service = slice.labels().Get(kServiceNameLabel);
  if (service.empty() || slice.labels().Get(kSliceManagerLabel) != manager_) return {};
  return ObjectKey(slice.ns(), service);
}

std::set<std::string> ServiceSlices::OnSlice(const Change& change) {
  const StoredObject& slice = *change.object;
  const std::string now = ServiceOf(slice);
  const std::string before = change.before == nullptr ? std::string() : ServiceOf(*change.before);
  const bool is_there = change.type != Change::Type::kDeleted && !now.empty();
  for (const std::string& service : {before, now}) {
    if (service.empty() || (is_there && service == now)) continue;
    const auto known = by_service_.find(service);
    if (known == by_service_.end()) continue;
    known->second.erase(slice.key());
    if (known->second.empty()) by_service_.erase(known);
  }
  if (is_there) by_service_[now].insert(slice.key());
  if (is_writing_) return {};
  std::set<std::string> concerned = {before, now};
  concerned.erase("");
  return concerned;
}

ObjectPtr ServiceSlices::FindSlice(const std::string& key) const {
  const Store::Objects& all = cluster_.store().All(slices_);
  const auto found = all.find(key);
  return found == all.end() ? nullptr : found->second;
}

std::vector<ObjectPtr> ServiceSlices::Of(const std::string& service, std::string_view family) const {
  std::vector<ObjectPtr> found;
  const auto known = by_service_.find(service);
  if (known == by_service_.end()) return found;
  for (const std::string& key : known->second) {
    const ObjectPtr slice = FindSlice(key);
    if (slice == nullptr || slice->is_being_deleted() || (*slice->tree())["addressType"].text() != family) continue;
    found.push_back(slice);
  }
  return found;
}

Outcome<bool> ServiceSlices::Write(const SliceRules& rules, std::string_view family, const SlicePlan& plan,
                                   Time changed) {
  const Writing writing(is_writing_);
  size_t left = kSliceBatch;
  // An owner that is going gets none, which would only have to be collected.
  if (!rules.owner->is_being_deleted()) {
    for (const PlannedSlice& planned : plan.made) {
      if (left-- == 0) return false;
      BERTH_CHECK_OK(Make(rules, family, planned, changed));
    }
  }
  for (const PlannedSlice& planned : plan.changed) {
    if (left-- == 0) return false;
    BERTH_CHECK_OK(Rewrite(rules, planned, changed));
  }
  for (const ObjectPtr& slice : plan.removed) {
    if (left-- == 0) return false;
    BERTH_CHECK_OK(Delete(*slice));
  }
  return true;
}

Outcome<bool> ServiceSlices::DeleteAll(const std::string& service) {
  const Writing writing(is_writing_);
  const auto known = by_service_.find(service);
  if (known == by_service_.end()) return true;
  size_t left = kSliceBatch;
  for (const std::string& key : std::set(known->second)) {
    if (left-- == 0) return false;
    if (const ObjectPtr slice = FindSlice(key)) BERTH_CHECK_OK(Delete(*slice));
  }
  return true;
}

Outcome<void> ServiceSlices::Make(const SliceRules& rules, std::string_view family, const PlannedSlice& planned,
                                  Time changed) {
  const StoredObject& owner = *rules.owner;
  std::string prefix(owner.name());
  if (prefix.size() < kNameMax) prefix += '-';
  Json slice{{"apiVersion", Json::String(slices_.api_version)},
             {"kind", Json::String(slices_.kind)},
             {"metadata", Json{{"generateName", Json::String(prefix)}, {"namespace", Json::String(owner.ns())}}},
             {"addressType", Json::String(family)}};
  Dress(slice, rules, planned, changed);
  const auto made =
      cluster_.objects.Create(slices_, owner.ns(), std::move(slice), {.manager = std::string(kControllerManager)});
  return Told(made, fmt::format("create EndpointSlice for {} {}", owner.resource().kind, owner.key()));
}

Outcome<void> ServiceSlices::Rewrite(const SliceRules& rules, const PlannedSlice& planned, Time changed) {
  const StoredObject& owner = *rules.owner;
  const auto written =
      cluster_.objects.Update(slices_, owner.ns(), planned.name, {.manager = std::string(kControllerManager)},
                              [&](const Json& current) -> Outcome<Json> {
                                Json slice = current;
                                Dress(slice, rules, planned, changed);
                                return slice;
                              });
  return Told(written,
              fmt::format("update {} EndpointSlice for {} {}", planned.name, owner.resource().kind, owner.key()));
}

Outcome<void> ServiceSlices::Delete(const StoredObject& slice) {
  const auto deleted = cluster_.objects.Delete(slices_, slice.ns(), slice.name(), {});
  return Told(deleted, fmt::format("delete {} EndpointSlice for Service {}", slice.name(), ServiceOf(slice)));
}

template <class T>
Outcome<void> ServiceSlices::Told(const Outcome<T>& written, std::string_view what) const {
  if (Succeeded(controller_, written)) return {};
  StatusError error = written.error();
  error.message = fmt::format("failed to {}: {}", what, error.message);
  return std::unexpected(std::move(error));
}

}  // namespace berth::server
