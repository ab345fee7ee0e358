// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/berth_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "app/explain/explanation_text.h"
#include "explain/answer.h"
#include "explain/node_listing.h"
#include "explain/openapi.h"
#include "explain/pod_explanation.h"
#include "explain/queue_place.h"

namespace berth::scheduler_app {
namespace {

constexpr size_t kRowsDefault = 500;
constexpr size_t kRowsMax = 10'000;
constexpr size_t kNodePodsMax = 500;

Answer JsonAnswer(std::string json) { return TextAnswer(std::move(json), "application/json"); }

Answer FailureAnswer(const Error& error) {
  switch (error.code) {
    case Code::kNotFound: return StatusAnswer(404, "NotFound", error.message, false);
    case Code::kInvalid:
    case Code::kLimit: return StatusAnswer(400, "BadRequest", error.message, false);
    case Code::kUnavailable: return StatusAnswer(503, "ServiceUnavailable", error.message, false);
    case Code::kDeadline: return StatusAnswer(504, "Timeout", error.message, false);
    case Code::kConflict:
    case Code::kGone:
    case Code::kInternal: break;
  }
  return StatusAnswer(500, "InternalError", error.message, false);
}

Answer TooMany() {
  Answer answer = StatusAnswer(429, "TooManyRequests", "too many questions at once, please try again later", false);
  answer.headers.push_back({"Retry-After", "1"});
  return answer;
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

Result<size_t> ParseLimit(const std::string& text, size_t unless_said, size_t most) {
  if (text.empty()) return unless_said;
  size_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size() || limit == 0 || limit > most) {
    return Invalid(fmt::format("limit: a number from 1 to {}", most));
  }
  return limit;
}

Result<explain::PodSearch> ReadSearch(const RequestTarget& target) {
  explain::PodSearch search{.words = ValueOf(target, "q")};
  search.limit = static_cast<int64_t>(BERTH_TRY(
      ParseLimit(ValueOf(target, "limit"), static_cast<size_t>(search.limit), size_t{explain::kFoundPodsMax})));
  return explain::ParsePodSearch(explain::ToJson(search));
}

}  // namespace

void BerthApi::Handle(const net::ServerRequest& request, Peer peer, Send send) {
  const RequestTarget target = ParseTarget(request.target);
  const std::vector<std::string> path = Segments(std::string_view(target.path).substr(kBerthApiRoot.size()));
  const bool is_explain = path.size() == 4 && path[0] == "explain" && path[1] == "pods" && !path[2].empty();
  const bool is_queue = path.size() == 1 && path[0] == "queue";
  const bool is_openapi = path.size() == 1 && path[0] == "openapi";
  const bool is_live = core_.follow && path.size() == 1 && path[0] == "live";
  const bool is_node = path.size() == 2 && path[0] == "nodes" && !path[1].empty();
  const bool is_search = path.size() == 1 && path[0] == explain::kPodSearchKind;
  const bool is_posted =
      path.size() == 1 && std::ranges::find(explain::kQuestionKinds, path[0]) != explain::kQuestionKinds.end();
  if (!is_explain && !is_queue && !is_node && !is_search && !is_live && !is_openapi && !is_posted) {
    return send(StatusAnswer(404, "NotFound", "no such question", false));
  }
  const std::string method = is_posted ? "POST" : "GET";
  if (request.method != method) {
    Answer answer = StatusAnswer(405, "MethodNotAllowed", fmt::format("only {} is supported here", method), false);
    answer.headers.push_back({"Allow", method});
    return send(std::move(answer));
  }
  if (is_posted) return PutOnCopy(path[0], std::move(peer), std::move(send));
  if (is_live) return send({.status = 200, .headers = {}, .body = {}, .stream = core_.follow});
  if (is_openapi) return send(JsonAnswer(std::string(explain::kOpenApi)));
  if (is_search) {
    const Result<explain::PodSearch> search = ReadSearch(target);
    if (!search) return send(FailureAnswer(search.error()));
    Place place = TakePlace();
    if (place == nullptr) return send(TooMany());
    return PutOnCopy(path[0], explain::ToJson(*search).ToText(), std::move(place), peer, std::move(send));
  }
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
  if (is_node) {
    return Put(
        [node = path[1]](const scheduler::Core& core) -> Result<std::string> {
          api::JsonWriter json(2);
          explain::WriteNodeListing(json, BERTH_TRY(explain::ListNode(core, node, kNodePodsMax)));
          return json.Take() + "\n";
        },
        false, std::move(send));
  }
  const Result<size_t> limit = ParseLimit(ValueOf(target, "limit"), kRowsDefault, kRowsMax);
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

// Whoever comes first, the answer or the end of time, finds it there.
struct BerthApi::Waiting {
  std::optional<Send> send;  // None: it has been answered.
  Asker asker;
  runtime::Timers::Id timeout = 0;

  void Finish(Answer answer) {
    asker.reset();
    if (Send waiting = std::exchange(send, std::nullopt).value_or(nullptr)) waiting(std::move(answer));
  }
};

BerthApi::Place BerthApi::TakePlace() {
  if (*under_way_ >= kQuestionsMax) return nullptr;
  ++*under_way_;
  return {under_way_.get(), [count = under_way_](void*) { --*count; }};
}

std::shared_ptr<BerthApi::Waiting> BerthApi::Await(Send send) {
  auto waiting = std::make_shared<Waiting>();
  waiting->send = std::move(send);
  waiting->timeout = timers_.After(kTimeMax, [waiting] {
    waiting->Finish(FailureAnswer({Code::kDeadline, fmt::format("no answer within {}", FormatDuration(kTimeMax))}));
  });
  return waiting;
}

BerthApi::Done BerthApi::AnswerTo(std::shared_ptr<Waiting> waiting, Place place, bool is_text) {
  return [this, waiting = std::move(waiting), place = std::move(place), is_text](Result<std::string> answer) mutable {
    place.reset();
    timers_.Cancel(waiting->timeout);
    if (!answer) return waiting->Finish(FailureAnswer(answer.error()));
    waiting->Finish(is_text ? TextAnswer(*std::move(answer)) : JsonAnswer(*std::move(answer)));
  };
}

void BerthApi::Put(Question question, bool is_text, Send send) {
  Place place = TakePlace();
  if (place == nullptr) return send(TooMany());
  core_.ask(std::move(question), AnswerTo(Await(std::move(send)), std::move(place), is_text));
}

void BerthApi::PutOnCopy(std::string kind, Peer peer, Send send) {
  Place place = TakePlace();
  if (place == nullptr) return send(TooMany());
  const auto read_body = peer.read_body;
  read_body(kBodyBytesMax, [this, kind = std::move(kind), peer = std::move(peer), place = std::move(place),
                            send = std::move(send)](std::string body) mutable {
    PutOnCopy(std::move(kind), std::move(body), std::move(place), peer, std::move(send));
  });
}

void BerthApi::PutOnCopy(std::string kind, std::string body, Place place, const Peer& peer, Send send) {
  const std::shared_ptr<Waiting> waiting = Await(std::move(send));
  Result<Asker> asker = core_.ask_copy(std::move(kind), std::move(body), AnswerTo(waiting, std::move(place), false));
  if (!asker) {
    timers_.Cancel(waiting->timeout);
    return waiting->Finish(TooMany());
  }
  waiting->asker = *std::move(asker);
  peer.on_gone([waiting] { waiting->asker.reset(); });
}

}  // namespace berth::scheduler_app
