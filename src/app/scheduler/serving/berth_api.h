// SPDX-License-Identifier: Apache-2.0
// BerthApi: what is answered under /berth/v1/: why a pod waits or is where it is, and who waits.
//
//   GET explain/pods/NAMESPACE/NAME?whyNot=NODE&nodes=true
//   GET queue?limit=N
//   GET openapi
//
// Answers are JSON, those of the first two with output=text a text for people.
//
// Questions go to the core and change nothing. So many may be under way, and each may take so long; beyond that the
// answer is 429 or 504. Who may ask is decided before: pods of all namespaces are shown.
//
// Thread: that of the timers.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/scheduler/serving/answer.h"
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
  // Puts the question to the core and calls back on the thread of the timers, perhaps later, or never if the core goes.
  using Ask = std::function<void(Question, Done)>;

  static constexpr size_t kQuestionsMax = 4;
  static constexpr Duration kTimeMax = Seconds(30);

  // REQUIRES: the timers outlive this.
  BerthApi(runtime::Timers& timers, Ask ask) : timers_(timers), ask_(std::move(ask)) {}

  // REQUIRES: the path begins with kBerthApiRoot.
  void Handle(const net::ServerRequest& request, std::move_only_function<void(Answer)> send);

 private:
  void Put(Question question, bool is_text, std::move_only_function<void(Answer)> send);

  runtime::Timers& timers_;
  Ask ask_;
  std::shared_ptr<size_t> under_way_ = std::make_shared<size_t>(0);
};

}  // namespace berth::scheduler_app
