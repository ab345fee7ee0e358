// SPDX-License-Identifier: Apache-2.0
#include "explain/answer.h"

#include <fmt/format.h>

#include "explain/capacity.h"
#include "explain/plan.h"
#include "explain/question.h"

namespace berth::explain {

using api::Json;

Result<Json> AnswerIn(Surroundings& surroundings, std::string_view kind, const Json& body, Pacer& pacer) {
  if (kind == "capacity") {
    const CapacityQuestion question = BERTH_TRY(ParseCapacityQuestion(body));
    return ToJson(BERTH_TRY(FindCapacity(surroundings, question, pacer)));
  }
  if (kind != "plan" && kind != "what-if") return Fail(Code::kNotFound, fmt::format("there is no question {}", kind));
  const Question question = BERTH_TRY(ParseQuestion(body));
  if (kind == "plan" && !question.changes.empty()) return Invalid("changes: are for what-if");
  return ToJson(BERTH_TRY(Plan(surroundings, question, pacer)));
}

Result<std::string> Answer(std::string_view kind, const Subject& subject, std::string_view body, Pacer& pacer) {
  const Json question = BERTH_TRY(api::ParseTree(body));
  Surroundings surroundings(subject.core, subject.gates, subject.now, Surroundings::Past::kOfCore);
  surroundings.FillFromCore();
  return BERTH_TRY(AnswerIn(surroundings, kind, question, pacer)).ToText();
}

std::string AnswerText(std::string_view kind, const Json& answer) {
  return kind == "capacity" ? CapacityText(answer) : PlanText(answer);
}

}  // namespace berth::explain
