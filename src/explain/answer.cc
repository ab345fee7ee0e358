// SPDX-License-Identifier: Apache-2.0
#include "explain/answer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "explain/counterfactual.h"
#include "explain/plan.h"

namespace berth::explain {

using api::Json;

Result<AnyQuestion> ReadQuestion(std::string_view kind, const Json& body) {
  if (kind == "capacity") return BERTH_TRY(ParseCapacityQuestion(body));
  if (kind == "counterfactuals") return BERTH_TRY(ParseCounterfactualQuestion(body));
  if (kind == kPodSearchKind) return BERTH_TRY(ParsePodSearch(body));
  if (kind != "plan" && kind != "what-if") return Fail(Code::kNotFound, fmt::format("there is no question {}", kind));
  Question question = BERTH_TRY(ParseQuestion(body));
  if (kind == "plan" && !question.changes.empty()) return Invalid("changes: are for what-if");
  return question;
}

Result<AnyQuestion> ReadQuestion(std::string_view kind, std::string_view body) {
  const Json tree = BERTH_TRY(api::ParseTree(body));
  return ReadQuestion(kind, tree);
}

namespace {

// The answer to what needs no world.
Result<std::optional<Json>> AnswerByCore(scheduler::Core& core, const AnyQuestion& question, Time now, Pacer& pacer) {
  if (const auto* help = std::get_if<CounterfactualQuestion>(&question)) {
    return ToJson(BERTH_TRY(Counterfactuals(core, help->ns + "/" + help->name, now, pacer)));
  }
  if (const auto* search = std::get_if<PodSearch>(&question)) return ToJson(BERTH_TRY(FindPods(core, *search, pacer)));
  return std::nullopt;
}

}  // namespace

Result<Json> AnswerIn(Surroundings& surroundings, const AnyQuestion& question, Pacer& pacer) {
  std::optional<Json> answer = BERTH_TRY(AnswerByCore(surroundings.core(), question, surroundings.now(), pacer));
  if (answer) return *std::move(answer);
  if (const auto* capacity = std::get_if<CapacityQuestion>(&question)) {
    return ToJson(BERTH_TRY(FindCapacity(surroundings, *capacity, pacer)));
  }
  return ToJson(BERTH_TRY(Plan(surroundings, std::get<Question>(question), pacer)));
}

Result<Json> AnswerIn(Surroundings& surroundings, std::string_view kind, const Json& body, Pacer& pacer) {
  const AnyQuestion question = BERTH_TRY(ReadQuestion(kind, body));
  return AnswerIn(surroundings, question, pacer);
}

Result<Json> Answer(const Subject& subject, const AnyQuestion& question, Pacer& pacer) {
  std::optional<Json> answer = BERTH_TRY(AnswerByCore(subject.core, question, subject.now, pacer));
  if (answer) return *std::move(answer);
  Surroundings surroundings(subject.core, subject.gates, subject.now, Surroundings::Past::kOfCore);
  if (subject.world != nullptr) *subject.world = surroundings.world();
  surroundings.set_pods_max(kPodsOfQuestionMax);
  surroundings.FillFromCore();
  return AnswerIn(surroundings, question, pacer);
}

Result<std::string> Answer(std::string_view kind, const Subject& subject, std::string_view body, Pacer& pacer) {
  const AnyQuestion question = BERTH_TRY(ReadQuestion(kind, body));
  return BERTH_TRY(Answer(subject, question, pacer)).ToText();
}

std::string AnswerText(std::string_view kind, const Json& answer) {
  if (kind == "counterfactuals") return CounterfactualText(answer);
  return kind == "capacity" ? CapacityText(answer) : PlanText(answer);
}

}  // namespace berth::explain
