// SPDX-License-Identifier: Apache-2.0
#include "client/orders/event_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/request/write_request.h"
#include "telemetry/log.h"

namespace berth::client {
namespace {

constexpr Duration kSilence = Minutes(6);  // After which an event is forgotten, and the period of housekeeping.
constexpr uint64_t kRoundsPerRefresh = 5;  // Every half hour.
// A clock that goes back so far was set; nanoseconds are added where events come at the same instant.
constexpr Duration kSetBackMin = Seconds(1);

// Anything that the server said is final.
constexpr RetryRule kRule = {.backoff = {.duration = Seconds(10), .jitter = 0.25, .steps = 12},
                             .covers = [](const CallEnd& failure) { return failure.kind != CallEnd::Kind::kRefused; }};

std::string ReferenceKey(const api::ObjectReference& object) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", object.kind, object.api_version, object.ns, object.name, object.uid,
                     object.resource_version);
}

// Equal for events that form a series.
std::string KeyOf(const Event& event) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", event.type, event.action, event.reason, event.controller,
                     ReferenceKey(event.regarding), event.related ? ReferenceKey(*event.related) : std::string());
}

std::string EventsPath(const Event& event) {
  return fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", EventNamespace(event.regarding));
}

void LogFailure(const CallEnd& outcome, const Event& event) {
  if (outcome.ok() || outcome.error.reason == "AlreadyExists") return;
  const bool refused = outcome.kind == CallEnd::Kind::kRefused;
  telemetry::LogError(
      Error{Code::kInternal, outcome.error.message},
      refused ? "Server rejected event (will not retry!)" : "Unable to write event (retry limit exceeded!)", "object",
      event.regarding.ns + "/" + event.regarding.name, "reason", event.reason);
}

}  // namespace

EventRecorder::EventRecorder(RestClient& client, runtime::Timers& timers, Options options)
    : timers_(timers),
      options_(std::move(options)),
      attempts_(client, timers, options_.seed),
      random_(options_.seed),
      housekeeping_(timers, {.delay = runtime::Every(kSilence)}, [this] { KeepHouse(); }) {}

// Two events about one object must not get the same name, even at the same instant. A clock that was set back is
// followed: no two events were recorded in the same nanosecond of it.
Time EventRecorder::NameTime() {
  const Time now = timers_.WallNow();
  const bool was_set_back = now + kSetBackMin < last_name_time_;
  last_name_time_ = was_set_back ? now : std::max(now, last_name_time_ + Duration{1});
  return last_name_time_;
}

void EventRecorder::Record(Event event) {
  std::string key = KeyOf(event);
  if (const auto found = known_.find(key); found != known_.end()) return Repeated(found->second);
  if (queue_.size() >= options_.queue_max) {
    ++dropped_;
    return;
  }
  const auto known = std::make_shared<Known>();
  known->time = NameTime();
  known->seen_at = timers_.Now();
  known->name = EventName(event.regarding.name, known->time, random_);
  known->event = std::move(event);
  if (known_.size() < options_.known_max) known_.emplace(std::move(key), known);
  if (!housekeeping_.is_running()) housekeeping_.StartLater();
  Enqueue(known);
}

void EventRecorder::Repeated(const KnownPtr& known) {
  known->seen_at = timers_.Now();
  const Time now = timers_.WallNow();
  if (known->series) {
    ++known->series->count;
    known->series->last_observed = now;
    return;
  }
  known->series = EventSeries{2, now};
  Enqueue(known);
}

void EventRecorder::Enqueue(const KnownPtr& known) {
  if (known->is_writing) {
    known->write_again = true;
    return;
  }
  known->is_writing = true;
  queue_.push_back(known);
  StartSome();
}

void EventRecorder::StartSome() {
  while (running_ < options_.running_max && !queue_.empty()) {
    const KnownPtr known = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    known->was_created ? PatchSeries(known) : Create(known);
  }
}

void EventRecorder::Create(const KnownPtr& known) {
  const Event& event = known->event;
  // A series that began while the event waited is told by a patch, as is every other.
  const std::optional<EventSeries> series = known->was_created ? known->series : std::nullopt;
  const std::string instance = fmt::format("{}-{}", event.controller, options_.host_name);
  const api::Document body = EventBody(event, known->name, known->time, instance, series);
  attempts_.Send(WriteRequest("POST", EventsPath(event), body.root(), options_.content_type), kRule,
                 [this, known](const CallEnd& outcome) {
                   known->was_created = true;
                   Written(known, outcome);
                 });
}

void EventRecorder::PatchSeries(const KnownPtr& known) {
  attempts_.Send(PatchRequest(EventsPath(known->event) + "/" + known->name, SeriesPatch(*known->series)), kRule,
                 [this, known](const CallEnd& outcome) {
                   if (outcome.is_refusal(404)) return Create(known);  // It was refused before, or has expired.
                   Written(known, outcome);
                 });
}

void EventRecorder::Written(const KnownPtr& known, const CallEnd& outcome) {
  LogFailure(outcome, known->event);
  --running_;
  known->is_writing = false;
  if (std::exchange(known->write_again, false)) return Enqueue(known);
  StartSome();
}

void EventRecorder::KeepHouse() {
  const Time silent_since = timers_.Now() - kSilence;
  const bool refresh = ++rounds_ % kRoundsPerRefresh == 0;
  std::erase_if(known_, [&](const auto& entry) {
    const KnownPtr& known = entry.second;
    const bool is_over = known->seen_at < silent_since;
    if (known->series && (is_over || refresh)) Enqueue(known);
    return is_over;
  });
  if (known_.empty()) housekeeping_.Stop();
}

void EventRecorder::RecordCore(const Event& event) {
  const Time time = NameTime();
  const api::Document body = CoreEventBody(event, EventName(event.regarding.name, time, random_), time);
  attempts_.Send(WriteRequest("POST", fmt::format("/api/v1/namespaces/{}/events", EventNamespace(event.regarding)),
                              body.root(), options_.content_type),
                 kRule, [event](const CallEnd& outcome) { LogFailure(outcome, event); });
}

}  // namespace berth::client
