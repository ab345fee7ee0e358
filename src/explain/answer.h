// SPDX-License-Identifier: Apache-2.0
// Answer: questions and answers as JSON, for the API and for commands.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "api/document/json_tree.h"
#include "base/result.h"
#include "base/time.h"
#include "explain/capacity.h"
#include "explain/pacer.h"
#include "explain/pod_search.h"
#include "explain/question.h"
#include "explain/surroundings.h"
#include "framework/feature_gates.h"
#include "scheduler/core.h"

namespace berth::explain {

inline constexpr std::array<std::string_view, 4> kQuestionKinds = {"plan", "what-if", "capacity", "counterfactuals"};
// This one is asked in another way, since it is about what there is.
inline constexpr std::string_view kPodSearchKind = "pods";
using AnyQuestion = std::variant<Question, CapacityQuestion, CounterfactualQuestion, PodSearch>;

// A question of this kind, without a look at any cluster. Errors name the field.
Result<AnyQuestion> ReadQuestion(std::string_view kind, const api::Json& body);
Result<AnyQuestion> ReadQuestion(std::string_view kind, std::string_view body);

// The answer in surroundings in which nothing moves. They change, and are of no use for another question.
Result<api::Json> AnswerIn(Surroundings& surroundings, const AnyQuestion& question, Pacer& pacer);
Result<api::Json> AnswerIn(Surroundings& surroundings, std::string_view kind, const api::Json& body, Pacer& pacer);

// So many pods a question makes of a core at work: its memory is that of a scheduler.
inline constexpr int64_t kPodsOfQuestionMax = 20'000;

// What a core is asked in: it may be changed, a copy say.
struct Subject {
  scheduler::Core& core;
  const framework::FeatureGates& gates;
  Time now;
  // Gets the world of the question, if it needs one, also if it fails: see Surroundings::world.
  std::shared_ptr<void>* world = nullptr;
};
// The same for a core. Errors are the asker's (Code::kInvalid, kNotFound, kLimit) or the pacer's.
Result<api::Json> Answer(const Subject& subject, const AnyQuestion& question, Pacer& pacer);
Result<std::string> Answer(std::string_view kind, const Subject& subject, std::string_view body, Pacer& pacer);

// An answer for people.
std::string AnswerText(std::string_view kind, const api::Json& answer);

}  // namespace berth::explain
