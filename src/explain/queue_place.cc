// SPDX-License-Identifier: Apache-2.0
#include "explain/queue_place.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::explain {
namespace {

using queue::QueuedPod;
using scheduler::Core;
using Where = QueuePlace::Where;
using Standing = queue::SchedulingQueue::Standing;

// Flushes happen at whole seconds and look for what was over before.
Time NextFlush(Time time) {
  constexpr int64_t kSecond = Seconds(1).nanos;
  return Time{(time.nanos / kSecond + 1) * kSecond};
}

// Of what a plugin has registered: one for each action, or one for all of them.
std::vector<std::string> EventNames(const framework::ClusterEvent& registered) {
  namespace action = framework::action;
  if (registered.action == action::kAll) return {std::string(framework::ToString(registered.resource)) + "*"};
  std::vector<std::string> names;
  uint32_t rest = registered.action;
  if ((rest & action::kUpdate) == action::kUpdate) {
    names.push_back(framework::Label({registered.resource, action::kUpdate}));
    rest &= ~action::kUpdate;
  }
  for (; rest != 0; rest &= rest - 1) {
    names.push_back(framework::Label({registered.resource, rest & (~rest + 1)}));
  }
  return names;
}

template <class Pods, class Order>
void SetPlace(const Pods& pods, const Order& order, const QueuedPod& own, QueuePlace& place) {
  place.length = pods.size();
  place.place = 1 + static_cast<size_t>(std::ranges::count_if(
                        pods, [&](const QueuedPod* other) { return other != &own && order(*other, own); }));
}

void AddWakers(const Core& core, const QueuedPod& pod, QueuePlace& place) {
  const scheduler::ProfilePolicy& policy = core.policy();
  pod.rejectors().AnyOf([&](queue::PluginId plugin) {
    place.waits_for.emplace_back(policy.PluginName(plugin));
    for (const framework::EventRegistration& registration : policy.EventsOf(*pod.pod, plugin)) {
      for (std::string& event : EventNames(registration.event)) {
        place.wakers.push_back({std::string(policy.PluginName(plugin)), std::move(event), registration.has_hint});
      }
    }
    return false;
  });
}

void SetQueue(const Core& core, const Standing& standing, Time now, bool counts, QueuePlace& place) {
  const queue::SchedulingQueue& queue = core.queue();
  const QueuedPod& entity = *standing.entity;
  place.since = entity.trail.queue ? entity.trail.since : entity.timestamp;
  place.cause = framework::Label(entity.trail.cause);
  switch (standing.where) {
    case Standing::Where::kActive:
      place.where = Where::kActive;
      place.next_retry = now;
      if (counts) SetPlace(queue.active().pods(), queue.active().order(), entity, place);
      return;
    case Standing::Where::kBackoff: {
      const bool was_rejected = queue.backoff().rejected().Find(entity.key) == &entity;
      const queue::BackoffQueue::Heap& heap = was_rejected ? queue.backoff().rejected() : queue.backoff().failed();
      place.where = was_rejected ? Where::kBackoff : Where::kErrorBackoff;
      place.next_retry = std::max(NextFlush(entity.backoff_expiry), now);
      place.may_be_earlier = was_rejected && queue.options().pop_from_backoff;
      if (counts) SetPlace(heap.pods(), heap.order(), entity, place);
      return;
    }
    case Standing::Where::kUnschedulable:
      place.where = entity.is_gated() ? Where::kGated : Where::kUnschedulable;
      place.length = queue.unschedulable().size();
      place.next_retry = std::max(entity.timestamp, entity.flush_timestamp.value_or(entity.timestamp)) +
                         queue.options().max_in_unschedulable;
      place.may_be_earlier = true;
      if (entity.is_gated()) place.next_retry.reset();
      return;
    case Standing::Where::kIncomplete: place.where = Where::kNoGroup; return;
    case Standing::Where::kPending: place.where = Where::kGroupTried; return;
    case Standing::Where::kNowhere: return;
  }
}

QueuePlace PlaceWith(const Core& core, const cluster::PodInfo& pod, Time now, bool is_long) {
  QueuePlace place;
  const Standing standing = core.queue().StandingOf(pod);
  if (standing.own != nullptr) {
    place.attempts = standing.own->attempts;
    if (standing.entity->group != nullptr) {
      place.group = standing.entity->group->root.ns + "/" + standing.entity->group->root.name;
    }
    SetQueue(core, standing, now, is_long, place);
    AddWakers(core, *standing.own, place);
    if (!is_long) place.wakers.clear();
  } else if (std::ranges::any_of(core.waiting_for_extenders(),
                                 [&](const auto& asked) { return asked->uid == pod.uid; })) {
    place.where = Where::kExtenders;
  } else if (core.bindings().waiting().Has(pod.uid)) {
    place.where = Where::kPermit;
    core.bindings().waiting().ForEach([&](const cluster::PodInfo& waiting, const auto& waits) {
      if (waiting.uid != pod.uid) return;
      for (const auto& wait : waits) {
        place.waits_for.push_back(wait.plugin);
        if (!place.next_retry || wait.deadline < *place.next_retry) place.next_retry = wait.deadline;
      }
    });
  } else if (core.bindings().Has(pod.uid)) {
    place.where = Where::kBinding;
  }
  return place;
}

}  // namespace

std::string_view ToString(Where where) {
  constexpr std::array<std::string_view, 11> kNames = {
      "none",        "active",        "backoff",         "errorBackoff", "unschedulable", "gated",
      "awaitsGroup", "awaitsAttempt", "awaitsExtenders", "awaitsPermit", "binding"};
  return kNames[static_cast<size_t>(where)];
}

QueuePlace PlaceOf(const Core& core, const cluster::PodInfo& pod, Time now) { return PlaceWith(core, pod, now, true); }

void WritePlace(api::JsonWriter& json, const QueuePlace& place) {
  json.BeginObject().Key("where").String(ToString(place.where)).Text("group", place.group);
  if (place.place > 0) json.Key("place").UInt(place.place);
  if (place.length > 0) json.Key("length").UInt(place.length);
  json.Key("attempts").Int(place.attempts);
  if (place.since) json.Key("since").String(FormatTimeMicro(*place.since));
  json.Text("cause", place.cause).Key("waitsFor").BeginArray();
  for (const std::string& plugin : place.waits_for) json.String(plugin);
  json.EndArray().Key("wokenBy").BeginArray();
  for (const QueuePlace::Waker& waker : place.wakers) {
    json.BeginObject().Key("plugin").String(waker.plugin).Key("event").String(waker.event);
    json.Key("depends").Bool(waker.depends_on_it).EndObject();
  }
  json.EndArray();
  if (place.next_retry) {
    json.Key("nextRetry").String(FormatTimeMicro(*place.next_retry));
    json.Key("mayBeEarlier").Bool(place.may_be_earlier);
  }
  json.EndObject();
}

QueueListing ListQueue(const Core& core, Time now, size_t limit) {
  const queue::SchedulingQueue& queue = core.queue();
  QueueListing listing;
  listing.now = now;
  std::vector<const QueuedPod*> entities;
  const auto add = [&](std::vector<QueuedPod*> pods, const auto& order, size_t& count) {
    std::ranges::sort(pods, [&](const QueuedPod* a, const QueuedPod* b) { return order(*a, *b); });
    for (const QueuedPod* pod : pods) {
      entities.push_back(pod);
      count += pod->size();
    }
  };
  add(queue.active().pods(), queue.active().order(), listing.active);
  add(queue.backoff().rejected().pods(), queue.backoff().rejected().order(), listing.backoff);
  add(queue.backoff().failed().pods(), queue.backoff().failed().order(), listing.backoff);
  std::vector<QueuedPod*> waiting;
  queue.unschedulable().ForEach([&](QueuedPod& pod) { waiting.push_back(&pod); });
  std::ranges::sort(waiting, {},
                    [](const QueuedPod* pod) { return std::pair(pod->timestamp, std::string_view(pod->key)); });
  for (const QueuedPod* pod : waiting) {
    entities.push_back(pod);
    (pod->is_gated() ? listing.gated : listing.unschedulable) += pod->size();
  }
  std::vector<cluster::PodPtr> pods;
  for (const QueuedPod* entity : entities) entity->ForEach([&](const QueuedPod& own) { pods.push_back(own.pod); });
  queue.incomplete().ForEach([&](const QueuedPod& own) { pods.push_back(own.pod); });
  queue.pending().ForEach([&](const QueuedPod& own) { pods.push_back(own.pod); });
  listing.no_group = queue.incomplete().size() + queue.pending().size();
  listing.binding = core.bindings().size();
  listing.total = pods.size();
  if (pods.size() > limit) pods.resize(limit);
  // Places follow from the order of the list.
  std::array<size_t, 11> places{};
  for (const cluster::PodPtr& pod : pods) {
    QueueListing::Row row{std::string(pod->ns()), pod->name, pod->priority(), PlaceWith(core, *pod, now, false)};
    const bool has_place = row.place.where == Where::kActive || row.place.where == Where::kBackoff ||
                           row.place.where == Where::kErrorBackoff;
    if (has_place) row.place.place = ++places[static_cast<size_t>(row.place.where)];
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

void WriteListing(api::JsonWriter& json, const QueueListing& listing) {
  json.BeginObject().Key("time").String(FormatTimeMicro(listing.now)).Key("counts").BeginObject();
  json.Key("active").UInt(listing.active).Key("backoff").UInt(listing.backoff);
  json.Key("unschedulable").UInt(listing.unschedulable).Key("gated").UInt(listing.gated);
  json.Key("awaitsGroup").UInt(listing.no_group).Key("binding").UInt(listing.binding).EndObject();
  json.Key("total").UInt(listing.total).Key("pods").BeginArray();
  for (const QueueListing::Row& row : listing.rows) {
    json.BeginObject().Key("namespace").String(row.ns).Key("name").String(row.name);
    json.Key("priority").Int(row.priority).Key("queue");
    WritePlace(json, row.place);
    json.EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace berth::explain
