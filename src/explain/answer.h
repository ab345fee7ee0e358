// SPDX-License-Identifier: Apache-2.0
// Answer: questions and answers as JSON, for the API and for commands.

#pragma once

#include <string>
#include <string_view>

#include "api/document/json_tree.h"
#include "base/result.h"
#include "base/time.h"
#include "explain/pacer.h"
#include "explain/surroundings.h"
#include "framework/feature_gates.h"
#include "scheduler/core.h"

namespace berth::explain {

// A question of this kind, "plan", "what-if" or "capacity", in surroundings in which nothing moves. They change, and
// are of no use for another question.
Result<api::Json> AnswerIn(Surroundings& surroundings, std::string_view kind, const api::Json& body, Pacer& pacer);

// What a core is asked in: it may be changed, a copy say.
struct Subject {
  scheduler::Core& core;
  const framework::FeatureGates& gates;
  Time now;
};
// The same for a core, with JSON texts. Errors are the asker's (Code::kInvalid, kNotFound, kLimit) or the pacer's.
Result<std::string> Answer(std::string_view kind, const Subject& subject, std::string_view body, Pacer& pacer);

// An answer for people.
std::string AnswerText(std::string_view kind, const api::Json& answer);

}  // namespace berth::explain
