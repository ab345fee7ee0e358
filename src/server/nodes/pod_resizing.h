// SPDX-License-Identifier: Apache-2.0
// How a kubelet gives a pod the resources that it was resized to, while it runs.
//
// It grants them if its node has room for them beside what all other pods were granted, and says so
// (PodResizeInProgress); then they are put into effect, and containers whose policy asks for it start again. If there
// is no room, the resize is deferred (PodResizePending) until there is.

#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "server/kinds/pods/pod_amounts.h"
#include "server/model/json.h"

namespace berth::server {

// What the containers of a pod ask for and its overhead; where its kubelet has granted something else, that.
Amounts GrantedRequests(const Json& pod);
// The same by its spec alone.
Amounts WantedRequests(const Json& pod);

// Whether its containers, or the pod as a whole, have other resources than they ask for.
bool AwaitsResize(const Json& pod);
// Whether what it asks for was granted, so that it remains to put it into effect.
bool IsResizeGranted(const Json& pod);
// Whether a resize is deferred or under way.
bool TellsOfResize(const Json& pod);

// Why a node with these resources has no room for `wanted` beside `others`.
struct NoRoom {
  std::string_view reason;  // "": there is room.
  std::string message;
};
NoRoom FindRoom(const Json& allocatable, const Amounts& others, const Amounts& wanted);

void DeferResize(Json& pod, const std::string& message, Time now);
void GrantResize(Json& pod, Time now);
// Puts what was granted into effect.
void FinishResize(Json& pod, Time now);
// What was asked for was taken back: the pod keeps what it has.
void ForgetResize(Json& pod);

// What an event says of a resize: how it stands, and what the pod asks for.
std::string ResizeMessage(const Json& pod, std::string_view how, const std::string& error = {});

// Whether the first pod is served before the second when there is room again: those that need no more come first, then
// those of higher priority, those with guaranteed resources, and those that have waited longer.
bool IsServedBefore(const Json& left, const Json& right);

}  // namespace berth::server
