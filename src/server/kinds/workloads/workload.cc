// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/workloads/workload.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "api/parts/selector.h"
#include "server/kinds/pods/pod_spec.h"
#include "server/kinds/pods/pod_template.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {

Json* WorkloadStrategy::Template(Json& object) const {
  Json* spec = object.Find("spec");
  Json* pod_template = spec == nullptr ? nullptr : spec->Find("template");
  return pod_template == nullptr || pod_template->is_null() ? nullptr : pod_template;
}

void WorkloadStrategy::PrepareCreate(Json& object) const {
  Strategy::PrepareCreate(object);
  object.Make("metadata").Set("generation", Json::Int(1));
  if (Json* pod_template = Template(object)) DropDisabledFields(pod_template->Make("spec"), Json(), gates());
}

void WorkloadStrategy::PrepareUpdate(Json& object, const Json& old) const {
  Strategy::PrepareUpdate(object, old);
  Json before = old;
  const Json* const old_template = Template(before);
  const Json old_spec = old_template == nullptr ? Json() : (*old_template)["spec"];
  if (Json* pod_template = Template(object)) DropDisabledFields(pod_template->Make("spec"), old_spec, gates());
}

void ValidateIntOrPercent(const Json& value, const FieldPath& path, FieldErrors& errors) {
  if (value.is_string()) return Report(errors, path, value, CheckPercent(value.text()));
  if (value.IntOr(0) < 0) errors.Invalid(path, value, "must be greater than or equal to 0");
}

int64_t NumberOf(const Json& int_or_percent) {
  if (!int_or_percent.is_string()) return int_or_percent.IntOr(0);
  const std::string& text = int_or_percent.text();
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void ValidateAtMostAll(const Json& value, const FieldPath& path, FieldErrors& errors) {
  if (!value.is_string() || !CheckPercent(value.text()).empty() || NumberOf(value) <= 100) return;
  errors.Invalid(path, value, "must not be greater than 100%");
}

bool IsReadable(const Json& selector) { return api::Selector::Compile(ReadLabelSelector(selector)).has_value(); }

bool SelectorMatches(const Json& selector, const Json& labels) {
  const auto compiled = api::Selector::Compile(ReadLabelSelector(selector));
  if (!compiled) return false;
  api::Labels set;
  for (const Json::Member& label : labels.members()) set.Set(label.name, label.value.text());
  return compiled->Matches(set);
}

void ValidateRequiredSelector(const Json& spec, std::string_view kind, const FieldPath& spec_path,
                              FieldErrors& errors) {
  const FieldPath path = spec_path / "selector";
  const Json& selector = spec["selector"];
  if (selector.is_null()) return errors.Required(path);
  ValidateLabelSelector(selector, path, errors);
  if (selector.empty()) errors.Invalid(path, selector, fmt::format("empty selector is invalid for {}", kind));
}

void ValidateMatchingTemplate(const Json& spec, const FieldPath& spec_path, FieldErrors& errors) {
  const FieldPath path = spec_path / "template";
  const Json& labels = spec["template"]["metadata"]["labels"];
  const bool is_everything = spec["selector"].is_map() && spec["selector"].empty();
  if (!is_everything && !SelectorMatches(spec["selector"], labels)) {
    errors.Invalid(path / "metadata.labels", labels, "`selector` does not match template `labels`");
  }
  ValidatePodTemplate(spec["template"], path, errors);
}

void ValidateEndlessPods(const Json& spec, std::string_view kind, const FieldPath& spec_path, FieldErrors& errors) {
  const Json& pod = spec["template"]["spec"];
  const FieldPath path = spec_path / "template.spec";
  CheckOneOf(errors, path / "restartPolicy", pod["restartPolicy"].text(), {"Always"});
  if (pod.Has("activeDeadlineSeconds")) {
    errors.Forbidden(path / "activeDeadlineSeconds", fmt::format("activeDeadlineSeconds in {} is not Supported", kind));
  }
}

void ValidateCounterOrder(const Json& status, std::initializer_list<CounterOrder> orders, const FieldPath& path,
                          FieldErrors& errors) {
  for (const CounterOrder& order : orders) {
    const int64_t count = status[order.counter].IntOr(0);
    if (count > status[order.most].IntOr(0)) errors.Invalid(path / order.counter, Json::Int(count), order.detail);
  }
}

void ValidateCollisionCount(const Json& status, const Json& old, const FieldPath& path, FieldErrors& errors) {
  const int64_t count = status["collisionCount"].IntOr(0);
  if (old.Has("collisionCount") && count < old["collisionCount"].IntOr(0)) {
    errors.Invalid(path / "collisionCount", Json::Int(count), "cannot be decremented");
  }
}

}  // namespace berth::server
