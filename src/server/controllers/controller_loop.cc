// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/controller_loop.h"

#include <algorithm>
#include <charconv>

#include "telemetry/log.h"

namespace berth::server {
namespace {

// Requests wait no longer than this for a turn to end, unless one look takes longer.
constexpr Duration kTurn{100'000};

}  // namespace

bool Succeeded(const Controller& controller, const StatusError& error) {
  if (error.code == 404) return true;
  if (std::ranges::any_of(error.causes,
                          [](const FieldError& cause) { return cause.reason == "NamespaceTerminating"; })) {
    return true;
  }
  telemetry::LogInfo("A controller's write was refused", "controller", controller.name(), "err", error.message);
  return false;
}

int64_t Scaled(const Json& value, int64_t total, bool rounds_up) {
  if (const std::optional<int64_t> number = value.AsInt()) return *number;
  int64_t percent = 0;
  const std::string& text = value.text();
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (percent * total + (rounds_up ? 99 : 0)) / 100;
}

ControllerLoop::ControllerLoop(Store& store, Objects& objects, runtime::Timers& timers, uint64_t seed)
    : store_(store),
      timers_(timers),
      random_(seed),
      cluster_{.objects = objects, .pods = pods_, .random = random_, .similar_events = similar_events_},
      pod_resource_(objects.catalog().Get("", "pods")),
      turn_(timers) {}

void ControllerLoop::Add(std::unique_ptr<Controller> controller) {
  auto entry = std::make_unique<Entry>();
  entry->controller = std::move(controller);
  entry->enqueue = [this, added = entry.get()](std::string key, Duration delay) {
    Enqueue(*added, std::move(key), delay);
  };
  entries_.push_back(std::move(entry));
}

void ControllerLoop::Start() {
  store_.Listen([this](const ChangePtr& change) { OnChange(*change); });
  for (const auto& resource : cluster_.objects.catalog().all()) {
    if (resource->stored != resource.get()) continue;
    for (const auto& [key, object] : store_.All(*resource)) OnChange(Change(Change::Type::kAdded, object, nullptr));
  }
}

void ControllerLoop::OnChange(const Change& change) {
  const bool is_pod = &change.object->resource() == &pod_resource_;
  const bool is_deletion = change.type == Change::Type::kDeleted;
  if (is_pod && !is_deletion) pods_.Put(change.object);
  for (const auto& entry : entries_) entry->controller->OnChange(change, entry->enqueue);
  if (is_pod && is_deletion) pods_.Remove(*change.object);
}

void ControllerLoop::Enqueue(Entry& entry, std::string key, Duration delay) {
  if (delay > Duration{}) {
    const Time due = timers_.Now() + delay;
    const auto [at, is_new] = entry.delayed.try_emplace(key, due);
    if (!is_new && at->second <= due) return;
    at->second = due;
    timers_.After(delay, [this, alive = std::weak_ptr(is_alive_), &entry, key = std::move(key), due] {
      if (alive.expired()) return;
      if (const auto found = entry.delayed.find(key); found != entry.delayed.end() && found->second == due) {
        entry.delayed.erase(found);
      }
      Enqueue(entry, key, Duration{});
    });
    return;
  }
  if (!entry.queued.insert(key).second) return;
  jobs_.push_back({.entry = &entry, .key = std::move(key)});
  if (!turn_.is_running()) turn_.Start(Duration{}, [this] { Turn(); });
}

void ControllerLoop::Turn() {
  const Time end = timers_.Now() + kTurn;
  // What is asked for in this turn waits for the next one, however quick this one is: on a virtual clock it takes no
  // time at all.
  for (size_t left = jobs_.size(); left > 0 && timers_.Now() < end; --left) {
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    job.entry->queued.erase(job.key);
    if (const std::optional<Duration> again = job.entry->controller->Sync(job.key)) {
      Enqueue(*job.entry, job.key, *again);
    }
  }
  if (!jobs_.empty() && !turn_.is_running()) turn_.Start(Duration{}, [this] { Turn(); });
}

}  // namespace berth::server
