// SPDX-License-Identifier: Apache-2.0
// Event: something that happened to an object, as users see it in `kubectl get events`.
//
// Events about pods are written to events.k8s.io/v1, those about leader election to core/v1, as upstream does.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/document/value.h"
#include "api/objects/storage.h"
#include "base/random.h"
#include "base/time.h"

namespace berth::client {

struct Event {
  api::ObjectReference regarding;
  std::string type;  // Normal or Warning.
  std::string reason;
  std::string action;
  std::string note;
  std::string controller;                                      // Who reports: the scheduler's name.
  std::optional<api::ObjectReference> related = std::nullopt;  // Another object that has a part in it.
};

// How often an event was seen, once that is more than once.
struct EventSeries {
  int64_t count = 2;
  Time last_observed;
};

// The namespace that an event about `regarding` lives in.
const std::string& EventNamespace(const api::ObjectReference& regarding);
// NAME.<hex nanoseconds>, or a random UUID where that would be no valid name.
std::string EventName(const std::string& object_name, Time time, Random& random);

// Bodies, which are encoded where they are sent.
api::Document EventBody(const Event& event, const std::string& name, Time time, const std::string& instance,
                        const std::optional<EventSeries>& series);
api::Document CoreEventBody(const Event& event, const std::string& name, Time time);
// Of an event that was written.
std::string SeriesPatch(const EventSeries& series);

}  // namespace berth::client
