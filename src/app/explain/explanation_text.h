// SPDX-License-Identifier: Apache-2.0
// How explanations look to people who read them in a terminal.

#pragma once

#include <string>

#include "explain/explanation.h"
#include "explain/pod_explanation.h"
#include "explain/queue_place.h"

namespace berth::explain {

// One attempt: a line that says what came of it, then why, indented.
std::string ExplanationText(const Explanation& explanation);
// A pod with its attempts, as `berth explain pod` prints it.
std::string PodText(const PodExplanation& explanation, Time now);
std::string QueueText(const QueueListing& listing);

}  // namespace berth::explain
