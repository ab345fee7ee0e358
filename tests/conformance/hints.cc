// SPDX-License-Identifier: Apache-2.0
#include "conformance/kinds.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "api/decode/decode.h"
#include "api/decode/decode_kinds.h"
#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "config/config.h"
#include "framework/events.h"
#include "framework/profile.h"
#include "plugins/registry.h"

namespace berth::conformance {
namespace {

namespace action = framework::action;
using framework::ClusterEvent;
using framework::EventObject;
using framework::EventResource;

constexpr int kActionBits = 15;

std::unique_ptr<framework::Profile> DefaultProfile() {
  const framework::FeatureGates gates;
  return std::move(*framework::Profile::Create(config::Default(gates).profiles.front(), plugins::BuiltIn(), gates));
}

std::optional<ClusterEvent> ReadEvent(api::Value event) {
  for (uint8_t r = 0; r <= static_cast<uint8_t>(EventResource::kWildcard); ++r) {
    const EventResource resource{r};
    if (framework::ToString(resource) != event["resource"].text()) continue;
    if (event["action"].text() == "Update") return ClusterEvent{resource, action::kUpdate};
    for (int bit = 0; bit < kActionBits; ++bit) {
      if (framework::ActionToString(1U << bit) == event["action"].text()) return ClusterEvent{resource, 1U << bit};
    }
  }
  return std::nullopt;
}

// The object of an event about `resource`.
Result<EventObject> ReadObject(api::Value value, EventResource resource, cluster::Cluster& cluster) {
  if (value.is_null()) return EventObject();
  std::string_view kind = framework::ToString(resource);
  if (kind.ends_with("Pod")) return EventObject(cluster.MakePod(BERTH_TRY(api::DecodePod(value))));
  std::string api_version = "v1";
  if (const size_t slash = kind.find('/'); slash != kind.npos) {
    api_version = fmt::format("{}/v1", kind.substr(0, slash));
    kind.remove_prefix(slash + 1);
  }
  api::Object decoded = BERTH_TRY(api::DecodeObjectAs(kind, api_version, value));
  EventObject object;
  std::visit(
      [&]<class T>(T& known) {
        using Ptr = std::shared_ptr<const T>;
        if constexpr (std::is_constructible_v<EventObject, Ptr>) object = std::make_shared<const T>(std::move(known));
      },
      decoded);
  return object;
}

std::vector<ClusterEvent> Derive(const framework::Change& change) {
  if (const auto* node = change.after<api::Node>()) {
    const auto* before = change.before<api::Node>();
    return before == nullptr ? std::vector<ClusterEvent>() : framework::NodeUpdateEvents(*before, *node);
  }
  const auto* before = change.before<cluster::PodInfo>();
  const auto* after = change.after<cluster::PodInfo>();
  if (before == nullptr || after == nullptr) return {};
  EventResource resource = EventResource::kAssignedPod;
  if (after->node_name.empty()) {
    const bool is_target = change.event.resource == EventResource::kTargetPod;
    resource = is_target ? EventResource::kTargetPod : EventResource::kUnscheduledPod;
  }
  return framework::PodUpdateEvents(*before, *after, resource);
}

std::string_view Ask(const framework::EnqueueExtensions& plugin, const cluster::PodInfo& pod,
                     const framework::Change& change, const cluster::Cluster& cluster) {
  std::string_view answer = "NotRegistered";
  for (const framework::EventRegistration& registration : plugin.EventsToRegister()) {
    if (!framework::Matches(registration.event, change.event)) continue;
    if (!registration.has_hint) return "Queue";
    const Result<framework::QueueingHint> hint = plugin.Hint(pod, change, cluster);
    if (!hint) return "Error";
    if (*hint == framework::QueueingHint::kQueue) return "Queue";
    answer = "Skip";
  }
  return answer;
}

Result<void> RunCase(const framework::Profile& profile, api::Value record, api::JsonWriter& json) {
  cluster::Cluster cluster;
  const api::Value objects = record["objects"];
  for (size_t i = 0; i < objects.size(); ++i) {
    api::Object object = BERTH_TRY(api::DecodeObject(objects[i]));
    std::visit([&](auto& known) { cluster.objects.Put(std::move(known)); }, object);
  }
  const std::optional<ClusterEvent> event = ReadEvent(record["event"]);
  if (!event) return Invalid("unknown event");
  const cluster::PodPtr pod = cluster.MakePod(BERTH_TRY(api::DecodePod(record["pod"])));
  framework::Change change;
  change.event = *event;
  change.old_object = BERTH_TRY(ReadObject(record["old"], event->resource, cluster));
  change.new_object = BERTH_TRY(ReadObject(record["new"], event->resource, cluster));
  const auto* plugin = dynamic_cast<const framework::EnqueueExtensions*>(profile.Find(record["plugin"].text()));
  if (plugin == nullptr) return Invalid("unknown plugin");

  json.BeginObject().Key("expect").String(Ask(*plugin, *pod, change, cluster)).Key("derived").BeginArray();
  for (const ClusterEvent& derived : Derive(change)) {
    json.BeginObject().Key("resource").String(framework::ToString(derived.resource));
    json.Key("action").String(framework::ActionToString(derived.action)).EndObject();
  }
  json.EndArray().EndObject();
  return {};
}

// The names of the single actions, sorted; all updates together have one.
std::vector<std::string> ActionNames(uint32_t actions) {
  std::vector<std::string> names;
  if ((actions & action::kUpdate) == action::kUpdate) {
    names.emplace_back("Update");
    actions &= ~action::kUpdate;
  }
  for (int bit = 0; bit < kActionBits; ++bit) {
    if ((actions & (1U << bit)) != 0) names.push_back(framework::ActionToString(1U << bit));
  }
  std::ranges::sort(names);
  return names;
}

void WriteRegistration(std::string_view plugin, const framework::EventRegistration& registration,
                       api::JsonWriter& json) {
  json.BeginObject().Key("plugin").String(plugin);
  json.Key("resource").String(framework::ToString(registration.event.resource)).Key("actions").BeginArray();
  for (const std::string& name : ActionNames(registration.event.action)) json.String(name);
  json.EndArray().Key("hasHint").Bool(registration.has_hint).EndObject();
}

}  // namespace

void RunHints(api::Value record, api::JsonWriter& results) {
  static const std::unique_ptr<framework::Profile> profile = DefaultProfile();
  const Result<void> done = RunCase(*profile, record, results);
  if (!done) results.BeginObject().Key("failure").String(done.error().message).EndObject();
}

void RunRegistrations(api::Value, api::JsonWriter& results) {
  const std::unique_ptr<framework::Profile> profile = DefaultProfile();
  std::map<std::string_view, const framework::EnqueueExtensions*> plugins;
  for (size_t i = 0; i < profile->plugin_count(); ++i) {
    const framework::Plugin& plugin = profile->plugin(i);
    if (const auto* extensions = dynamic_cast<const framework::EnqueueExtensions*>(&plugin)) {
      plugins.emplace(plugin.name(), extensions);
    }
  }
  for (const auto& [name, plugin] : plugins) {
    for (const auto& registration : plugin->EventsToRegister()) WriteRegistration(name, registration, results);
  }
}

}  // namespace berth::conformance
