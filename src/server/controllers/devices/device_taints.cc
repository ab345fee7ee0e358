// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/devices/device_taints.h"

#include <algorithm>

#include "api/parts/toleration.h"

namespace berth::server {
namespace {

constexpr std::string_view kEvicts = "NoExecute";

// How long the tolerations of a device that was allocated bear a taint, from when it came; nothing: for ever.
std::optional<Duration> ToleratedFor(const Json& tolerations, const Json& taint) {
  const api::Taint of{.key = taint["key"].text(), .value = taint["value"].text(), .effect = taint["effect"].text()};
  std::optional<Duration> shortest;
  for (const Json& each : tolerations.items()) {
    // Only those that name the effect count, unlike for pods.
    if (each["effect"].text() != kEvicts) continue;
    const api::Toleration toleration{.key = each["key"].text(),
                                     .op = each["operator"].text(),
                                     .value = each["value"].text(),
                                     .effect = each["effect"].text()};
    if (!api::Tolerates(toleration, of, false)) continue;
    const std::optional<int64_t> seconds = each["tolerationSeconds"].AsInt();
    if (!seconds) return std::nullopt;
    const Duration span = Seconds(std::max<int64_t>(0, *seconds));
    if (!shortest || span < *shortest) shortest = span;
  }
  return shortest.value_or(Duration{});
}

// Adds what a taint means for a device that was allocated. `rule` is empty for taints of drivers.
void AddTaint(std::optional<DeviceTaints::Eviction>& eviction, const Json& result, const Json& taint,
              const std::string& rule) {
  const std::optional<Duration> span = ToleratedFor(result["tolerations"], taint);
  if (!span) return;
  const Time since = ParseTime(taint["timeAdded"].text()).value_or(Time{});
  const Time when = since + *span;
  if (!eviction) {
    eviction.emplace(when);
  } else {
    eviction->when = std::min(eviction->when, when);
  }
  if (!rule.empty()) eviction->rules.insert(rule);
}

}  // namespace

bool DeviceTaints::PutSlice(const StoredObject& object) {
  const bool was_tainted = RemoveSlice(object);
  const Json spec = object.Tree()["spec"];
  Slice slice{.pool = {spec["driver"].text(), spec["pool"]["name"].text()},
              .generation = spec["pool"]["generation"].IntOr(0),
              .devices = {}};
  for (const Json& each : spec["devices"].items()) {
    Device device{.name = each["name"].text(), .taints = {}};
    for (const Json& taint : each["taints"].items()) {
      if (taint["effect"].text() == kEvicts) device.taints.push_back(taint);
    }
    slice.is_tainted |= !device.taints.empty();
    slice.devices.push_back(std::move(device));
  }
  tainted_slices_ += slice.is_tainted ? 1 : 0;
  const PoolName pool = slice.pool;
  pools_[pool].insert(std::string(object.name()));
  slices_.emplace(object.name(), std::move(slice));
  return was_tainted || IsTainted(pool);
}

bool DeviceTaints::RemoveSlice(const StoredObject& object) {
  const auto found = slices_.find(std::string(object.name()));
  if (found == slices_.end()) return false;
  const auto pool = pools_.find(found->second.pool);
  const bool was_tainted = IsTainted(pool->first);
  tainted_slices_ -= found->second.is_tainted ? 1 : 0;
  pool->second.erase(found->first);
  if (pool->second.empty()) pools_.erase(pool);
  slices_.erase(found);
  return was_tainted;
}

bool DeviceTaints::IsTainted(const PoolName& pool) const {
  const auto found = pools_.find(pool);
  return found != pools_.end() &&
         std::ranges::any_of(found->second, [&](const std::string& name) { return slices_.at(name).is_tainted; });
}

void DeviceTaints::PutRule(const StoredObject& rule) {
  Json tree = rule.Tree();
  if (tree["spec"]["taint"]["effect"].text() != kEvicts) return RemoveRule(rule);
  rules_.insert_or_assign(std::string(rule.name()), std::move(tree));
}

void DeviceTaints::RemoveRule(const StoredObject& rule) { rules_.erase(std::string(rule.name())); }

std::optional<DeviceTaints::Eviction> DeviceTaints::EvictionOf(const Json& claim, const Json* pretended) const {
  std::optional<Eviction> eviction;
  for (const Json& result : claim["status"]["allocation"]["devices"]["results"].items()) {
    const std::string& name = result["device"].text();
    for (const Slice* slice : Current({result["driver"].text(), result["pool"].text()})) {
      const auto device = std::ranges::find(slice->devices, name, &Device::name);
      if (device == slice->devices.end()) continue;
      for (const Json& taint : device->taints) AddTaint(eviction, result, taint, {});
      break;
    }
    const auto apply = [&](const std::string& rule_name, const Json& rule) {
      if (!Selects(rule, result["driver"].text(), result["pool"].text(), name)) return;
      Json taint = rule["spec"]["taint"];
      taint.Set("effect", kEvicts);
      AddTaint(eviction, result, taint, rule_name);
    };
    if (pretended != nullptr) {
      apply((*pretended)["metadata"]["name"].text(), *pretended);
    } else {
      for (const auto& [rule_name, rule] : rules_) apply(rule_name, rule);
    }
  }
  return eviction;
}

size_t DeviceTaints::CountSelected(const Json& rule) const {
  size_t count = 0;
  for (const auto& [pool, names] : pools_) {
    for (const Slice* slice : Current(pool)) {
      for (const Device& device : slice->devices) {
        count += Selects(rule, pool.first, pool.second, device.name) ? 1 : 0;
      }
    }
  }
  return count;
}

bool DeviceTaints::Selects(const Json& rule, std::string_view driver, std::string_view pool, std::string_view device) {
  const Json* selector = rule["spec"].Find("deviceSelector");
  if (selector == nullptr) return false;
  const auto is = [&](const char* name, std::string_view value) {
    const Json* wanted = selector->Find(name);
    return wanted == nullptr || wanted->text() == value;
  };
  return is("driver", driver) && is("pool", pool) && is("device", device);
}

std::vector<const DeviceTaints::Slice*> DeviceTaints::Current(const PoolName& pool) const {
  std::vector<const Slice*> current;
  const auto found = pools_.find(pool);
  if (found == pools_.end()) return current;
  for (const std::string& name : found->second) {
    const Slice& slice = slices_.at(name);
    if (!current.empty() && slice.generation < current.front()->generation) continue;
    if (!current.empty() && slice.generation > current.front()->generation) current.clear();
    current.push_back(&slice);
  }
  return current;
}

}  // namespace berth::server
