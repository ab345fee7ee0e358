// SPDX-License-Identifier: Apache-2.0
// BerthApi: what is answered under /berth/v1/: why a pod waits or is where it is, who waits, what runs on a node, and
// what would happen if.
//
//   GET explain/pods/NAMESPACE/NAME?whyNot=NODE&nodes=true
//   GET queue?limit=N
//   GET nodes/NAME
//   GET pods?q=WORDS&limit=N
//   GET live      what the dashboard follows, as server-sent events (web/live_feed.h)
//   GET openapi
//   POST plan, what-if, capacity, counterfactuals
//
// Answers are JSON otherwise, those of the first two with output=text a text for people.
//
// Questions go to the core, those that are posted to a copy of it, and change nothing. So many may be under way, and
// each may take so long; beyond that the answer is 429 or 504. A body is not read before there is room for its
// question. Who may ask is decided before: pods of all namespaces are shown.
//
// Thread: that of the timers.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/scheduler/serving/answer.h"
#include "app/scheduler/serving/peer.h"
#include "base/result.h"
#include "net/http_server.h"
#include "runtime/timers.h"
#include "scheduler/core.h"

namespace berth::scheduler_app {

inline constexpr std::string_view kBerthApiRoot = "/berth/v1/";

class BerthApi {
 public:
  using Question = std::move_only_function<Result<std::string>(const scheduler::Core&)>;
  using Done = std::move_only_function<void(Result<std::string>)>;
  using Send = std::move_only_function<void(Answer)>;
  // Whoever lets go of it does not wait for the answer any more.
  using Asker = std::shared_ptr<void>;

  // How questions get to the core. Answers come on the thread of the timers, perhaps later, or never if the core goes.
  struct CoreAccess {
    std::function<void(Question, Done)> ask;
    // A question of this kind with this body, on a copy (explain/answer.h). Fails with Code::kLimit, and nothing comes
    // later, if there are too many.
    std::function<Result<Asker>(std::string kind, std::string body, Done)> ask_copy;
    // Goes on with the answer to who wants to follow, for the dashboard; empty: there is none.
    std::function<void(net::Responder)> follow = nullptr;
  };

  static constexpr size_t kQuestionsMax = 4;
  static constexpr Duration kTimeMax = Seconds(30);
  static constexpr uint64_t kBodyBytesMax = 8 << 20;

  // REQUIRES: the timers outlive this.
  BerthApi(runtime::Timers& timers, CoreAccess core) : timers_(timers), core_(std::move(core)) {}

  // REQUIRES: the path begins with kBerthApiRoot.
  void Handle(const net::ServerRequest& request, Peer peer, Send send);

 private:
  struct Waiting;
  using Place = std::shared_ptr<void>;  // Among the questions that may be under way; null: there is none.

  void Put(Question question, bool is_text, Send send);
  // Reads the question first.
  void PutOnCopy(std::string kind, Peer peer, Send send);
  void PutOnCopy(std::string kind, std::string body, Place place, const Peer& peer, Send send);
  Place TakePlace();
  // Somebody waits until it is answered or time is up.
  std::shared_ptr<Waiting> Await(Send send);
  Done AnswerTo(std::shared_ptr<Waiting> waiting, Place place, bool is_text);

  runtime::Timers& timers_;
  CoreAccess core_;
  std::shared_ptr<std::atomic<size_t>> under_way_ = std::make_shared<std::atomic<size_t>>(0);
};

}  // namespace berth::scheduler_app
