// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/berth_api.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "app/explain/explanation_text.h"
#include "explain/openapi.h"
#include "explain/pod_explanation.h"
#include "explain/queue_place.h"

namespace berth::scheduler_app {
namespace {

using Send = std::move_only_function<void(Answer)>;

constexpr size_t kRowsDefault = 500;
constexpr size_t kRowsMax = 10'000;

Answer JsonAnswer(std::string json) { return TextAnswer(std::move(json), "application/json"); }

Answer FailureAnswer(const Error& error) {
  if (error.code == Code::kNotFound) return StatusAnswer(404, "NotFound", error.message, false);
  if (error.code == Code::kInvalid) return StatusAnswer(400, "BadRequest", error.message, false);
  return StatusAnswer(500, "InternalError", error.message, false);
}

// The last value of a parameter; empty if there is none.
std::string ValueOf(const RequestTarget& target, const std::string& name) {
  const auto [first, last] = target.query.equal_range(name);
  return first == last ? "" : std::prev(last)->second;
}

std::vector<std::string> Segments(std::string_view path) {
  std::vector<std::string> segments;
  while (true) {
    const size_t slash = path.find('/');
    segments.emplace_back(path.substr(0, slash));
    if (slash == path.npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

Result<size_t> ParseLimit(const std::string& text) {
  if (text.empty()) return kRowsDefault;
  size_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size() || limit == 0 || limit > kRowsMax) {
    return Invalid(fmt::format("limit: a number from 1 to {}", kRowsMax));
  }
  return limit;
}

}  // namespace

void BerthApi::Handle(const net::ServerRequest& request, Send send) {
  const RequestTarget target = ParseTarget(request.target);
  const std::vector<std::string> path = Segments(std::string_view(target.path).substr(kBerthApiRoot.size()));
  const bool is_explain = path.size() == 4 && path[0] == "explain" && path[1] == "pods" && !path[2].empty();
  const bool is_queue = path.size() == 1 && path[0] == "queue";
  const bool is_openapi = path.size() == 1 && path[0] == "openapi";
  if (!is_explain && !is_queue && !is_openapi) return send(StatusAnswer(404, "NotFound", "no such question", false));
  if (request.method != "GET") {
    Answer answer = StatusAnswer(405, "MethodNotAllowed", "only GET is supported here", false);
    answer.headers.push_back({"Allow", "GET"});
    return send(std::move(answer));
  }
  if (is_openapi) return send(JsonAnswer(std::string(explain::kOpenApi)));
  const Time now = timers_.Now();
  const bool is_text = ValueOf(target, "output") == "text";
  if (is_explain) {
    explain::PodQuestion question{.ns = path[2],
                                  .name = path[3],
                                  .why_not = ValueOf(target, "whyNot"),
                                  .all_nodes = ValueOf(target, "nodes") == "true"};
    return Put(
        [question = std::move(question), now, is_text](const scheduler::Core& core) -> Result<std::string> {
          const explain::PodExplanation answer = BERTH_TRY(explain::ExplainPod(core, question, now));
          if (is_text) return explain::PodText(answer, now);
          api::JsonWriter json(2);
          explain::WritePodExplanation(json, answer);
          return json.Take() + "\n";
        },
        is_text, std::move(send));
  }
  const Result<size_t> limit = ParseLimit(ValueOf(target, "limit"));
  if (!limit) return send(FailureAnswer(limit.error()));
  Put(
      [limit = *limit, now, is_text](const scheduler::Core& core) -> Result<std::string> {
        const explain::QueueListing listing = explain::ListQueue(core, now, limit);
        if (is_text) return explain::QueueText(listing);
        api::JsonWriter json(2);
        explain::WriteListing(json, listing);
        return json.Take() + "\n";
      },
      is_text, std::move(send));
}

void BerthApi::Put(Question question, bool is_text, Send send) {
  if (*under_way_ >= kQuestionsMax) {
    Answer answer = StatusAnswer(429, "TooManyRequests", "too many questions at once, please try again later", false);
    answer.headers.push_back({"Retry-After", "1"});
    return send(std::move(answer));
  }
  ++*under_way_;
  // Whoever comes first, the answer or the end of time, finds it there.
  const auto kept = std::make_shared<std::optional<Send>>(std::move(send));
  const runtime::Timers::Id timeout = timers_.After(kTimeMax, [kept] {
    if (Send late = std::exchange(*kept, std::nullopt).value_or(nullptr)) {
      late(StatusAnswer(504, "Timeout", fmt::format("no answer within {}", FormatDuration(kTimeMax)), false));
    }
  });
  ask_(std::move(question), [this, kept, timeout, is_text, under_way = under_way_](Result<std::string> answer) {
    --*under_way;
    Send waiting = std::exchange(*kept, std::nullopt).value_or(nullptr);
    if (!waiting) return;
    timers_.Cancel(timeout);
    if (!answer) return waiting(FailureAnswer(answer.error()));
    waiting(is_text ? TextAnswer(*std::move(answer)) : JsonAnswer(*std::move(answer)));
  });
}

}  // namespace berth::scheduler_app
