// SPDX-License-Identifier: Apache-2.0
// Reads a Behaviour from a file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "api/document/value.h"
#include "server/nodes/behaviour.h"
#include "server/rest/selection.h"

namespace berth::server {
namespace {

using api::Value;

constexpr size_t kEntriesMax = 1000;
constexpr Duration kLongest = Seconds(int64_t{3600} * 24 * 365);
constexpr std::string_view kSpan = "a time such as 5s, {min: 1s, max: 5s} or {mean: 5s}";

struct SpanName {
  std::string_view name;
  Duration PodScript::* span;
};
constexpr std::array kSpans = {
    SpanName{"endAfter", &PodScript::end_after},     SpanName{"exitAfter", &PodScript::exit_after},
    SpanName{"initFor", &PodScript::init_for},       SpanName{"readyAfter", &PodScript::ready_after},
    SpanName{"startAfter", &PodScript::start_after}, SpanName{"terminateAfter", &PodScript::terminate_after},
};

struct FaultName {
  std::string_view name;
  NodeFault::Kind kind;
};
constexpr std::array kFaults = {FaultName{"diskPressure", NodeFault::Kind::kDiskPressure},
                                FaultName{"notReady", NodeFault::Kind::kNotReady},
                                FaultName{"silent", NodeFault::Kind::kSilent}};

std::unexpected<Error> Wrong(const Value& at, const std::string& path, std::string_view expected) {
  const std::string line = at.line() == 0 ? "" : fmt::format("line {}: ", at.line());
  return Invalid(fmt::format("{}{}: expected {}", line, path, expected));
}

Result<void> CheckMembers(const Value& map, const std::string& path, std::initializer_list<std::string_view> known) {
  if (!map.is_map()) return Wrong(map, path, "a map");
  for (size_t i = 0; i < map.size(); ++i) {
    if (std::ranges::find(known, map.key(i)) != known.end()) continue;
    std::string all;
    for (const std::string_view name : known) all += (all.empty() ? "" : ", ") + std::string(name);
    return Wrong(map[i], fmt::format("{}.{}", path, map.key(i)), "one of " + all);
  }
  return {};
}

Result<Duration> ReadTime(const Value& value, const std::string& path, std::string_view expected) {
  const Result<Duration> time = ParseDuration(value.text());
  if (!value.is_string() || !time || *time < Duration{}) return Wrong(value, path, expected);
  if (*time > kLongest) return Wrong(value, path, "at most " + FormatDuration(kLongest));
  return *time;
}

Result<Spread> ReadSpread(const Value& value, const std::string& path) {
  Spread spread;
  if (!value.is_map()) {
    spread.min = spread.max = BERTH_TRY(ReadTime(value, path, kSpan));
    return spread;
  }
  BERTH_CHECK_OK(CheckMembers(value, path, {"max", "mean", "min"}));
  if (!value["mean"].is_null()) {
    if (value.size() > 1) return Wrong(value, path, kSpan);
    spread.mean = BERTH_TRY(ReadTime(value["mean"], path + ".mean", "a time such as 5s"));
    return spread;
  }
  if (!value["min"].is_null()) spread.min = BERTH_TRY(ReadTime(value["min"], path + ".min", "a time such as 5s"));
  spread.max = BERTH_TRY(ReadTime(value["max"], path + ".max", "a time such as 5s"));
  if (spread.max < spread.min) return Wrong(value, path + ".max", "no less than min");
  return spread;
}

// Whatever is not selected by labels is all there is.
Result<api::Selector> ReadSelector(const Value& value, const std::string& path) {
  if (value.is_null()) return api::Selector::Everything();
  Result<api::Selector> selector = ParseLabelSelector(value.text());
  if (!value.is_string()) return Wrong(value, path, "a label selector such as app=web,tier in (a,b)");
  if (!selector) return Wrong(value, path, "a label selector: " + selector.error().message);
  return selector;
}

Result<PodBehaviour> ReadPods(const Value& value, const std::string& path) {
  BERTH_CHECK_OK(CheckMembers(value, path,
                              {"endAfter", "exitAfter", "exitCode", "failureRate", "initFor", "readyAfter", "selector",
                               "startAfter", "terminateAfter"}));
  PodBehaviour read{.pods = BERTH_TRY(ReadSelector(value["selector"], path + ".selector"))};
  for (const auto& [name, span] : kSpans) {
    if (value[name].is_null()) continue;
    read.parts.push_back({span, BERTH_TRY(ReadSpread(value[name], fmt::format("{}.{}", path, name)))});
  }
  if (const Value code = value["exitCode"]; !code.is_null()) {
    read.exit_code = code.AsInt().value_or(-1);
    if (read.exit_code < 0 || read.exit_code > 255) return Wrong(code, path + ".exitCode", "a number from 0 to 255");
  }
  if (const Value rate = value["failureRate"]; !rate.is_null()) {
    read.failure_rate = rate.AsDouble().value_or(-1);
    if (!(read.failure_rate >= 0 && read.failure_rate <= 1)) {
      return Wrong(rate, path + ".failureRate", "a number from 0 to 1");
    }
  }
  return read;
}

Result<NodeFault> ReadFault(const Value& value, const std::string& path, NodeFault::Kind kind) {
  BERTH_CHECK_OK(CheckMembers(value, path, {"every", "for"}));
  NodeFault fault{.kind = kind};
  fault.every = BERTH_TRY(ReadTime(value["every"], path + ".every", "a time such as 10m"));
  fault.length = BERTH_TRY(ReadTime(value["for"], path + ".for", "a time such as 1m"));
  if (fault.length < Seconds(1)) return Wrong(value["for"], path + ".for", "a second or more");
  if (fault.every <= fault.length) return Wrong(value["every"], path + ".every", "more than for");
  return fault;
}

Result<NodeBehaviour> ReadNodes(const Value& value, const std::string& path) {
  BERTH_CHECK_OK(CheckMembers(value, path, {"diskPressure", "notReady", "selector", "silent"}));
  NodeBehaviour read{.nodes = BERTH_TRY(ReadSelector(value["selector"], path + ".selector"))};
  for (const auto& [name, kind] : kFaults) {
    if (value[name].is_null()) continue;
    read.faults.push_back(BERTH_TRY(ReadFault(value[name], fmt::format("{}.{}", path, name), kind)));
  }
  return read;
}

template <class Entry, class Read>
Result<void> ReadList(const Value& root, std::string_view name, Read read, std::vector<Entry>& entries) {
  const Value list = root[name];
  if (list.is_null()) return {};
  if (!list.is_list()) return Wrong(list, std::string(name), "a list");
  if (list.size() > kEntriesMax) return Wrong(list, std::string(name), fmt::format("at most {} entries", kEntriesMax));
  for (size_t i = 0; i < list.size(); ++i) {
    entries.push_back(BERTH_TRY(read(list[i], fmt::format("{}[{}]", name, i))));
  }
  return {};
}

}  // namespace

Result<Behaviour> ParseBehaviour(std::string_view text) {
  const std::vector<api::Document> documents = BERTH_TRY(api::ParseJsonOrYaml(text));
  if (documents.size() != 1) return Invalid("expected one document with lists `pods` and `nodes`");
  const Value root = documents.front().root();
  if (!root.is_map()) return Invalid("expected a map with lists `pods` and `nodes`");
  for (size_t i = 0; i < root.size(); ++i) {
    if (root.key(i) == "pods" || root.key(i) == "nodes") continue;
    return Wrong(root[i], std::string(root.key(i)), "pods or nodes");
  }
  Behaviour behaviour;
  BERTH_CHECK_OK(ReadList(root, "pods", ReadPods, behaviour.pods));
  BERTH_CHECK_OK(ReadList(root, "nodes", ReadNodes, behaviour.nodes));
  return behaviour;
}

}  // namespace berth::server
