// SPDX-License-Identifier: Apache-2.0
// Events, as the core group and events.k8s.io see them.
#include <fmt/format.h>

#include "server/kinds/cluster/event_view.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr FieldPath kObjectNamespace("involvedObject.namespace");
constexpr std::string_view kWrongNamespace = "does not match event.namespace";

void CheckLength(FieldErrors& errors, const Json& event, std::string_view name, size_t max) {
  if (event[name].text().size() > max) {
    errors.Invalid(std::string(name), "", fmt::format("can have at most {} characters", max));
  }
}

// What events must say since they know the time to the microsecond. `event` is in the form of the core group.
void ValidateExact(const Json& event, std::string_view reporter, FieldErrors& errors) {
  const std::string& ns = event["metadata"]["namespace"].text();
  if (event["involvedObject"]["namespace"].text().empty() && ns != "default" && ns != "kube-system") {
    errors.Invalid(kObjectNamespace, "", kWrongNamespace);
  }
  const std::string& component = event["reportingComponent"].text();
  if (component.empty()) errors.Required(std::string(reporter));
  CheckQualifiedName(errors, FieldPath(reporter), component);
  for (const std::string_view name : {"reportingInstance", "action", "reason"}) {
    if (event[name].text().empty()) errors.Required(std::string(name));
    CheckLength(errors, event, name, 128);
  }
  CheckLength(errors, event, "message", 1024);
}

void ValidateAny(const Json& event, std::string_view reporter, FieldErrors& errors) {
  if (event["eventTime"].is_string()) return ValidateExact(event, reporter, errors);
  const std::string& ns = event["metadata"]["namespace"].text();
  const std::string& object_ns = event["involvedObject"]["namespace"].text();
  if (object_ns.empty() ? ns != "default" : object_ns != ns) {
    errors.Invalid(kObjectNamespace, object_ns, kWrongNamespace);
  }
}

class EventStrategy final : public Strategy {
 public:
  void Validate(const Json& event, FieldErrors& errors) const override {
    ValidateAny(event, "reportingComponent", errors);
  }

  NameRule name_rule() const override { return NameRule::kPathSegment; }
  bool allows_create_on_update() const override { return true; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"involvedObject.kind",
                                                   "involvedObject.namespace",
                                                   "involvedObject.name",
                                                   "involvedObject.uid",
                                                   "involvedObject.apiVersion",
                                                   "involvedObject.resourceVersion",
                                                   "involvedObject.fieldPath",
                                                   "reason",
                                                   "reportingComponent",
                                                   "source",
                                                   "type"};
    return kFields;
  }

  std::string SelectableField(const Json& event, std::string_view path) const override {
    if (path != "source") return Strategy::SelectableField(event, path);
    const std::string& component = event["source"]["component"].text();
    return component.empty() ? event["reportingComponent"].text() : component;
  }
};

// The same objects under other names; they must be complete.
class NewEventStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateAny(ToCoreEvent(object), "reportingController", errors);
    const bool is_new = !object["metadata"].Has("resourceVersion");
    if (is_new) ValidateCreate(ToCoreEvent(object), errors);
  }

  void ValidateUpdate(const Json& object, const Json& before, FieldErrors& errors) const override {
    const Json event = ToCoreEvent(object);
    const Json old = ToCoreEvent(before);
    if (event["series"] != old["series"]) ValidateSeries(event, errors);
    if (event["involvedObject"] != old["involvedObject"]) {
      InvalidInternal(errors, "involvedObject", event["involvedObject"], "core.v1.ObjectReference",
                      "field is immutable");
    }
    for (const std::string_view name : {"reason", "message", "source", "firstTimestamp", "lastTimestamp", "count",
                                        "type", "eventTime", "action", "related"}) {
      CheckImmutable(errors, FieldPath(name), event[name], old[name]);
    }
    CheckImmutable(errors, FieldPath("reportingController"), event["reportingComponent"], old["reportingComponent"]);
    CheckImmutable(errors, FieldPath("reportingInstance"), event["reportingInstance"], old["reportingInstance"]);
  }

  bool allows_create_on_update() const override { return true; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"reason",
                                                   "regarding.kind",
                                                   "regarding.namespace",
                                                   "regarding.name",
                                                   "regarding.uid",
                                                   "regarding.apiVersion",
                                                   "regarding.resourceVersion",
                                                   "regarding.fieldPath",
                                                   "reportingController",
                                                   "type"};
    return kFields;
  }

 private:
  static void ValidateSeries(const Json& event, FieldErrors& errors) {
    const Json* series = event.Find("series");
    if (series == nullptr) return;
    if ((*series)["count"].IntOr(0) < 2) errors.Invalid("series.count", "", "should be at least 2");
    if (!(*series)["lastObservedTime"].is_string()) errors.Required("series.lastObservedTime");
  }

  static void ValidateCreate(const Json& event, FieldErrors& errors) {
    constexpr std::string_view kUnset = "needs to be unset";
    ValidateSeries(event, errors);
    if (!event["eventTime"].is_string()) errors.Required("eventTime");
    if (const std::string& type = event["type"].text(); type != "Normal" && type != "Warning") {
      errors.Invalid("type", "", "has invalid value: " + type);
    }
    for (const std::string_view name : {"firstTimestamp", "lastTimestamp"}) {
      if (event[name].is_string()) errors.Invalid(std::string(name), "", kUnset);
    }
    if (event["count"].IntOr(0) != 0) errors.Invalid("count", "", kUnset);
    if (!event["source"].empty()) errors.Invalid("source", "", kUnset);
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeEventStrategy() { return std::make_unique<EventStrategy>(); }
std::unique_ptr<Strategy> MakeNewEventStrategy() { return std::make_unique<NewEventStrategy>(); }

}  // namespace berth::server
