// SPDX-License-Identifier: Apache-2.0
#include "app/replay/run.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <string_view>

#include "record/replay.h"
#include "runtime/system_error.h"

namespace berth::replay {
namespace {

using scheduler::Core;
using scheduler::Outcome;

// In the order of the variants.
constexpr std::array<const char*, 6> kInputNames = {"PutObject",    "RemoveObject", "EffectAnswer",
                                                    "ScheduleNext", "PassTime",     "Reconfigure"};
constexpr std::array<const char*, 15> kEffectNames = {"BindPod",
                                                      "UpdatePersistentVolume",
                                                      "UpdatePersistentVolumeClaim",
                                                      "EvictPod",
                                                      "NominatePod",
                                                      "PatchPodStatus",
                                                      "RecordEvent",
                                                      "ReadPod",
                                                      "CallExtender",
                                                      "CancelExtenderCall",
                                                      "BindClaim",
                                                      "UnreserveClaim",
                                                      "DeallocateClaim",
                                                      "DeleteClaim",
                                                      "PatchPodGroupStatus"};
static_assert(kInputNames.size() == std::variant_size_v<decltype(scheduler::Input::what)>);
static_assert(kEffectNames.size() == std::variant_size_v<framework::Effect>);

const char* OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kScheduled: return "scheduled";
    case Outcome::kUnschedulable: return "unschedulable";
    case Outcome::kError: return "error";
    case Outcome::kWaiting: return "waiting";
  }
  return "unknown";
}

// Enough for the attempt that is looked at.
constexpr size_t kRecordBytes = size_t{1} << 20;

struct Source {
  std::ifstream file;
  std::unique_ptr<record::Replay> replay;  // Refers to the file.
};

Result<std::unique_ptr<Source>> Open(const std::string& path, const framework::Registry& plugins) {
  auto source = std::make_unique<Source>();
  errno = 0;
  source->file.open(path, std::ios::binary);
  if (!source->file) return Fail(Code::kNotFound, fmt::format("open {}: {}", path, runtime::SystemError(errno)));
  Result<std::unique_ptr<record::Replay>> replay = record::Replay::Open(source->file, plugins);
  if (!replay) return Fail(replay.error().code, fmt::format("{}: {}", path, replay.error().message));
  source->replay = *std::move(replay);
  return source;
}

void Count(const record::Replay& replay, Report& report) {
  ++report.inputs[kInputNames[replay.input().what.index()]];
  for (const scheduler::IssuedEffect& issued : replay.effects()) {
    ++report.effects[kEffectNames[issued.effect.index()]];
  }
  if (const auto& attempt = replay.core().last_attempt()) ++report.attempts[OutcomeName(attempt->decision.outcome)];
}

AttemptReport Describe(const record::Replay& replay, size_t number, const Request& request) {
  const Core::LastAttempt& attempt = *replay.core().last_attempt();
  const scheduler::Decision& decision = attempt.decision;
  AttemptReport report;
  report.pod = attempt.pod->full_name();
  report.number = number;
  report.time = replay.now();
  report.outcome = OutcomeName(decision.outcome);
  if (decision.outcome == Outcome::kScheduled) {
    report.node = replay.core().cluster().nodes().name[decision.node.index];
  } else {
    report.message = decision.full_message;
  }
  if (request.explain) {
    const std::vector<const scheduler::AttemptRecord*> records = replay.core().records().Of(attempt.pod->uid);
    if (!records.empty()) {
      report.explanation = explain::Explain(replay.core(), *records.back(), request.explain_limit);
    }
  }
  return report;
}

void LookAround(const record::Replay& replay, Report& report) {
  const queue::SchedulingQueue& queue = replay.core().queue();
  report.steps = replay.step_count();
  report.start = replay.settings().start;
  report.end = replay.now();
  report.active = queue.active().size();
  report.backing_off = queue.backoff().rejected().size() + queue.backoff().failed().size();
  report.unschedulable = queue.unschedulable().size();
  report.binding = replay.core().bindings().size();
  report.unfinished = replay.unfinished();
}

// False at the end of the log or of the time that was asked for.
Result<bool> Advance(record::Replay& replay, const std::optional<Time>& until) {
  const std::optional<Time> next = BERTH_TRY(replay.PeekTime());
  if (!next || (until && *next > *until)) return false;
  return replay.Step();
}

// Up to the goal of the request. `attempts` becomes the number of attempts of the pod that were seen.
Report Run(record::Replay& replay, const Request& request, size_t& attempts) {
  Report report;
  if (request.explain) {
    replay.set_record_limits({.bytes = kRecordBytes, .attempts = 1, .scored_nodes = request.explain_limit});
  }
  while (!report.attempt) {
    const Result<bool> advanced = Advance(replay, request.until);
    if (!advanced) report.problem = advanced.error();
    if (!advanced || !*advanced) break;
    Count(replay, report);
    const bool tried = !request.pod.empty() && record::TriedPod(replay, request.pod);
    if (tried && ++attempts == request.attempt) report.attempt = Describe(replay, attempts, request);
  }
  LookAround(replay, report);
  return report;
}

}  // namespace

Result<Report> ReplayFile(const Request& request) {
  size_t attempts = 0;
  Report report = Run(*BERTH_TRY(Open(request.file, *request.plugins))->replay, request, attempts);
  if (request.pod.empty() || report.attempt) return report;
  if (report.problem && request.attempt != 0) return report;
  if (attempts == 0) return Fail(Code::kNotFound, fmt::format("pod {}: was not tried", request.pod));
  if (request.attempt != 0) {
    return Fail(Code::kNotFound, fmt::format("pod {}: was tried only {} times", request.pod, attempts));
  }
  // Which attempt is the last one is known only now.
  Request again = request;
  again.attempt = attempts;
  attempts = 0;
  return Run(*BERTH_TRY(Open(request.file, *request.plugins))->replay, again, attempts);
}

}  // namespace berth::replay
