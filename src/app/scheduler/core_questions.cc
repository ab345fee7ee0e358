// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/core_questions.h"

#include <memory>
#include <string>
#include <utility>

#include "explain/answer.h"

namespace berth::scheduler_app {
namespace {

// What a question leaves behind.
struct Answered {
  api::Json answer;
  std::shared_ptr<void> world;
};

// Texts are read and written, and the world of a question is let go of, while others may have the core.
Questions::Read ReadOnCopy(std::string kind, std::string body, const runtime::Clock& clock,
                           const framework::FeatureGates& gates, std::shared_ptr<Answered> answered) {
  return [kind = std::move(kind), body = std::move(body), &clock, gates,
          answered = std::move(answered)]() mutable -> Result<Questions::Work> {
    explain::AnyQuestion question = BERTH_TRY(explain::ReadQuestion(kind, body));
    body = {};
    return [question = std::move(question), &clock, gates, answered = std::move(answered)](
               const scheduler::Core& core, explain::Pacer& pacer) -> Result<std::string> {
      std::unique_ptr<scheduler::Core> copy = core.Copy();
      Result<api::Json> answer = explain::Answer({*copy, gates, clock.Now(), &answered->world}, question, pacer);
      scheduler::Core::Free(std::move(copy), [&pacer] { (void)pacer.Pause(); });
      answered->answer = BERTH_TRY(std::move(answer));
      return std::string();
    };
  };
}

}  // namespace

BerthApi::CoreAccess AccessTo(net::EventLoop& loop, LiveScheduler& scheduler, const framework::FeatureGates& gates) {
  BerthApi::CoreAccess access;
  access.ask = [&loop, &scheduler](BerthApi::Question question, BerthApi::Done done) {
    scheduler.Ask([&loop, question = std::move(question), done = std::move(done)](const scheduler::Core& core) mutable {
      loop.Post([answer = question(core), done = std::move(done)]() mutable { done(std::move(answer)); });
    });
  };
  access.ask_copy = [&loop, &scheduler, gates](std::string kind, std::string body,
                                               BerthApi::Done done) -> Result<BerthApi::Asker> {
    const auto answered = std::make_shared<Answered>();
    Questions::Asker asker = BERTH_TRY(scheduler.questions().Ask(
        ReadOnCopy(std::move(kind), std::move(body), loop.clock(), gates, answered),
        [&loop, answered, done = std::move(done)](Result<std::string> ended) mutable {
          if (ended) ended = answered->answer.ToText() + "\n";
          loop.Post([ended = std::move(ended), done = std::move(done)]() mutable { done(std::move(ended)); });
          answered->world.reset();
        }));
    return std::make_shared<Questions::Asker>(std::move(asker));
  };
  return access;
}

web::LiveFeed::Read LookOn(net::EventLoop& loop, LiveScheduler& scheduler) {
  // Who lets go of it does not want to know any more.
  const auto asker = std::make_shared<Questions::Asker>();
  return [&loop, &scheduler, asker](web::LiveFeed::Reading reading) {
    const auto kept = std::make_shared<web::LiveFeed::Reading>(std::move(reading));
    const auto end = [&loop, kept] { loop.Post([kept] { kept->done(); }); };
    Result<Questions::Asker> asked = scheduler.looks().Ask(
        [kept](const scheduler::Core& core, explain::Pacer& pacer) -> Result<std::string> {
          BERTH_CHECK_OK(kept->collect(core, pacer));
          return "";
        },
        [kept, end](Result<std::string> collected) {
          if (collected) kept->encode();
          end();
        });
    if (!asked) return end();
    *asker = *std::move(asked);
  };
}

}  // namespace berth::scheduler_app
