// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/autoscaling/replica_proposal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "api/parts/quantity.h"
#include "server/controllers/autoscaling/pod_usage.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr double kTolerance = 0.1;
constexpr Duration kCpuInitialization = Minutes(5);
constexpr Duration kInitialReadinessDelay = Seconds(30);
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
constexpr int64_t kMilliMost = int64_t{1} << 53;

// What a metric of pods' resources asks for.
struct Question {
  std::string resource;
  std::string container;    // "": all of the pod.
  int64_t utilization = 0;  // The target, in percent of the requests; 0: it is `value`.
  int64_t value = 0;        // The target of one pod, in thousandths.
};

struct Figures {
  int64_t used = 0;  // In thousandths.
  int64_t requested = 0;
};

struct Reading {
  double ratio = 0;  // 1: the target.
  int64_t percent = 0;
  int64_t average = 0;
};

enum class Standing : uint8_t { kIgnored, kUnready, kMissing, kReady };

struct Tolerances {
  double down = kTolerance;
  double up = kTolerance;

  bool Allow(double ratio) const { return 1 - down <= ratio && ratio <= 1 + up; }
};

Tolerances TolerancesOf(const Json& behavior) {
  const auto read = [&](std::string_view direction) {
    const Result<api::Quantity> said = api::Quantity::Parse(behavior[direction]["tolerance"].text());
    return said ? said->AsApproximateFloat() : kTolerance;
  };
  return {.down = read("scaleDown"), .up = read("scaleUp")};
}

// As whole percents of what is not nothing.
int64_t Percent(int64_t part, int64_t whole) {
  const bool is_small = part < std::numeric_limits<int64_t>::max() / 100;
  return std::min(kMost, is_small ? part * 100 / whole : part / std::max<int64_t>(whole / 100, 1));
}

int64_t Capped(double number, int64_t most) {
  return static_cast<int64_t>(std::min(std::ceil(number), static_cast<double>(most)));
}

// Nothing: the pod has none.
std::optional<int64_t> Used(const PodInfo& pod, const Question& question) {
  std::optional<int64_t> used;
  for (const ContainerUsage& each : UsageOf(pod)) {
    if (!question.container.empty() && each.name != question.container) continue;
    if (!used) used = 0;
    AddAmount(*used, question.resource == "cpu" ? each.cpu_milli : each.memory_bytes * 1000);
  }
  return question.resource == "cpu" || question.resource == "memory" ? used : std::nullopt;
}

std::expected<int64_t, std::string> Requested(const PodInfo& pod, const Question& question) {
  const TreePtr tree = pod.object->tree();
  const Json& of_pod = (*tree)["spec"]["resources"]["requests"];
  if (question.container.empty() && of_pod.Has(question.resource)) return MilliOf(of_pod[question.resource]);
  int64_t requested = 0;
  for (const Json& container : RunningContainers(*tree)) {
    if (!question.container.empty() && container["name"].text() != question.container) continue;
    const Json& requests = container["resources"]["requests"];
    if (!requests.Has(question.resource)) {
      return std::unexpected(fmt::format("missing request for {} in container {} of Pod {}", question.resource,
                                         container["name"].text(), pod.object->name()));
    }
    AddAmount(requested, MilliOf(requests[question.resource]));
    if (!question.container.empty()) return requested;
  }
  if (question.container.empty()) return requested;
  return std::unexpected(fmt::format("container {} not found in Pod {}", question.container, pod.object->name()));
}

// Whether its use of processors says nothing yet: it has just begun, or was never ready.
bool IsWarmingUp(const Json& status, Time now) {
  const Json& ready = FindCondition(status["conditions"], "Ready");
  const Result<Time> started = ParseTime(status["startTime"].text());
  if (ready.is_null() || !started) return true;
  const bool is_unready = ready["status"].text() == "False";
  const Time changed = ParseTime(ready["lastTransitionTime"].text()).value_or(Time{});
  if (*started + kCpuInitialization > now) return is_unready || now < changed + kMetricWindow;
  return is_unready && *started + kInitialReadinessDelay > changed;
}

Standing StandingOf(const PodInfo& pod, const Question& question, bool is_measured, Time now) {
  if (pod.is_deleting || pod.phase == PodInfo::Phase::kFailed) return Standing::kIgnored;
  if (pod.phase == PodInfo::Phase::kPending) return Standing::kUnready;
  if (!is_measured) return Standing::kMissing;
  const bool is_unready = question.resource == "cpu" && IsWarmingUp((*pod.object->tree())["status"], now);
  return is_unready ? Standing::kUnready : Standing::kReady;
}

std::expected<Reading, std::string> Read(const std::vector<Figures>& pods, const Question& question) {
  Figures sum;
  for (const Figures& each : pods) {
    AddAmount(sum.used, each.used);
    AddAmount(sum.requested, each.requested);
  }
  Reading reading{.average = sum.used / static_cast<int64_t>(pods.size())};
  if (question.utilization == 0) {
    reading.ratio = static_cast<double>(reading.average) / static_cast<double>(question.value);
    return reading;
  }
  if (sum.requested == 0) return std::unexpected("no metrics returned matched known pods");
  reading.percent = Percent(sum.used, sum.requested);
  reading.ratio = static_cast<double>(reading.percent) / static_cast<double>(question.utilization);
  return reading;
}

struct Answer {
  int64_t replicas = 0;
  Reading reading;
};

std::expected<Answer, std::string> Calculate(const Question& question, const Tolerances& tolerances,
                                             const std::vector<const PodInfo*>& pods, int64_t current, Time now) {
  std::vector<Figures> measured;
  std::vector<Figures> unready;
  std::vector<Figures> missing;
  bool is_anything_known = false;
  for (const PodInfo* pod : pods) {
    const std::optional<int64_t> used = Used(*pod, question);
    is_anything_known = is_anything_known || pod->phase == PodInfo::Phase::kRunning;
    Figures figures{.used = used.value_or(0)};
    if (question.utilization != 0) {
      const auto requested = Requested(*pod, question);
      if (!requested) return std::unexpected(requested.error());
      figures.requested = *requested;
    }
    switch (StandingOf(*pod, question, used.has_value(), now)) {
      case Standing::kIgnored: break;
      case Standing::kUnready: unready.push_back({.requested = figures.requested}); break;
      case Standing::kMissing: missing.push_back(figures); break;
      case Standing::kReady: measured.push_back(figures); break;
    }
  }
  if (!is_anything_known) {
    return std::unexpected(fmt::format(
        "unable to get metrics for resource {}: no metrics returned from resource metrics API", question.resource));
  }
  if (measured.empty()) {
    return std::unexpected("did not receive metrics for targeted pods (pods might be unready)");
  }
  const auto first = Read(measured, question);
  if (!first) return std::unexpected(first.error());
  const bool adds_unready = !unready.empty() && first->ratio > 1;
  const auto stay = Answer{.replicas = current, .reading = *first};
  if (!adds_unready && missing.empty()) {
    if (tolerances.Allow(first->ratio)) return stay;
    return Answer{.replicas = Capped(first->ratio * static_cast<double>(measured.size()), kMost), .reading = *first};
  }
  // What is not known is taken to be such that the number changes as little as can be.
  const bool falls = first->ratio < 1;
  const auto share = static_cast<double>(std::max<int64_t>(100, question.utilization)) / 100;
  for (Figures each : missing) {
    if (!falls && !(first->ratio > 1)) break;
    const int64_t expected =
        question.utilization == 0 ? question.value : Capped(static_cast<double>(each.requested) * share, kMilliMost);
    each.used = falls ? expected : 0;
    measured.push_back(each);
  }
  if (adds_unready) measured.insert(measured.end(), unready.begin(), unready.end());
  const auto second = Read(measured, question);
  if (!second) return std::unexpected(second.error());
  const bool turns = (falls && second->ratio > 1) || (first->ratio > 1 && second->ratio < 1);
  if (tolerances.Allow(second->ratio) || turns) return stay;
  const int64_t replicas = Capped(second->ratio * static_cast<double>(measured.size()), kMost);
  const bool differs = second->ratio < 1 ? replicas > current : replicas < current;
  return differs ? stay : Answer{.replicas = replicas, .reading = *first};
}

std::string Printed(const Question& question, int64_t milli) {
  const auto format =
      question.resource == "memory" ? api::Quantity::Format::kBinarySi : api::Quantity::Format::kDecimalSi;
  return api::Quantity::FromMilli(milli, format).String();
}

MetricFailure Failed(std::string reason, const std::string& why, std::string_view what) {
  return {.reason = std::move(reason), .message = why, .error = fmt::format("failed to get {}: {}", what, why)};
}

std::expected<ReplicaProposal, MetricFailure> ProposeByResource(const Json& metric, const Json& behavior,
                                                                const std::vector<const PodInfo*>& pods,
                                                                int64_t current, Time now) {
  const bool is_container = metric["type"].text() == "ContainerResource";
  const std::string_view member = is_container ? "containerResource" : "resource";
  const Json& source = metric[member];
  const Json& target = source["target"];
  Question question{.resource = source["name"].text(), .container = source["container"].text()};
  if (target.Has("averageValue")) {
    question.value = MilliOf(target["averageValue"]);
  } else {
    question.utilization = std::clamp<int64_t>(target["averageUtilization"].IntOr(0), 0, kMost);
  }
  const auto fail = [&](const std::string& why) {
    return std::unexpected(Failed(
        is_container ? "FailedGetContainerResourceMetric" : "FailedGetResourceMetric", why,
        is_container ? question.container + " container metric value" : question.resource + " resource metric value"));
  };
  if (question.value == 0 && question.utilization == 0) {
    return fail(
        "invalid resource metric source: neither an average utilization target nor an average value (usage) target was "
        "set");
  }
  const bool by_value = question.utilization == 0;
  const auto answer = Calculate(question, TolerancesOf(behavior), pods, current, now);
  if (!answer) {
    return fail(
        fmt::format("failed to get {} {}: {}", question.resource, by_value ? "usage" : "utilization", answer.error()));
  }
  Json shown{{"averageValue", Json::String(Printed(question, answer->reading.average))}};
  if (!by_value) shown.Set("averageUtilization", Json::Int(answer->reading.percent));
  Json status{{"name", source["name"]}, {"current", std::move(shown)}};
  if (is_container) status.Set("container", source["container"]);
  std::string name = question.resource + " resource";
  if (!by_value) {
    name = fmt::format("{} {}resource utilization (percentage of request)", question.resource,
                       is_container ? "container " : "");
  }
  return ReplicaProposal{.replicas = answer->replicas,
                         .metric = std::move(name),
                         .status = Json{{"type", metric["type"]}, {member, std::move(status)}}};
}

}  // namespace

std::expected<ReplicaProposal, MetricFailure> ProposeReplicas(const Json& metric, const Json& behavior,
                                                              const std::vector<const PodInfo*>& pods, int64_t current,
                                                              Time now) {
  const std::string& type = metric["type"].text();
  if (type == "Resource" || type == "ContainerResource") return ProposeByResource(metric, behavior, pods, current, now);
  // Nobody serves these metrics here.
  if (type == "Pods") {
    const std::string why = fmt::format(
        "unable to get metric {}: unable to fetch metrics from custom metrics API: no "
        "custom metrics API (custom.metrics.k8s.io) registered",
        metric["pods"]["metric"]["name"].text());
    return std::unexpected(Failed("FailedGetPodsMetric", why, "pods metric value"));
  }
  if (type == "Object") {
    const std::string why = fmt::format(
        "unable to get metric {}: no custom metrics API (custom.metrics.k8s.io) "
        "registered",
        metric["object"]["metric"]["name"].text());
    return std::unexpected(Failed("FailedGetObjectMetric", why, "object metric value"));
  }
  if (type == "External") {
    const std::string& name = metric["external"]["metric"]["name"].text();
    const std::string why = fmt::format(
        "unable to get external metric {}: no external metrics API "
        "(external.metrics.k8s.io) registered",
        name);
    return std::unexpected(Failed("FailedGetExternalMetric", why, name + " external metric value"));
  }
  const std::string why = fmt::format("unknown metric source type \"{}\"", type);
  return std::unexpected(MetricFailure{.reason = "InvalidMetricSourceType", .message = why, .error = why});
}

}  // namespace berth::server
