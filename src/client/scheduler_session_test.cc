// SPDX-License-Identifier: Apache-2.0
#include "client/scheduler_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/request/test_api.h"

namespace berth::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
constexpr std::string_view kBinding = "POST /api/v1/namespaces/default/pods/a/binding";

// A core that keeps up.
class IdleCore final : public CoreLink {
 public:
  explicit IdleCore(runtime::Timers& timers) : timers_(timers) {}
  void Deliver(std::vector<Delivery>) override {}
  bool is_full() const override { return false; }
  void Answer(scheduler::EffectAnswer answer) override { answered.push_back(answer.id); }
  void StartScheduling() override { schedules = true; }
  void StopScheduling() override { schedules = false; }
  void AwaitCore(std::move_only_function<void(bool)> done) override {
    timers_.After({}, [done = std::move(done)]() mutable { done(false); });
  }

  bool schedules = false;
  std::vector<uint64_t> answered;

 private:
  runtime::Timers& timers_;
};

struct SessionWorld {
  explicit SessionWorld(bool delays_cache = true)
      : session({api.client, api.client, api.client}, api.timers, core, observer,
                {.host_name = "me",
                 .election = LeaderElector::Options{.identity = "me"},
                 .delay_cache_until_active = delays_cache},
                {.on_leading = {}, .on_end = [this](SchedulerSession::End end) { ends.push_back(end); }}) {}

  // Calls that are open and begin so.
  std::vector<net::Transport::CallId> Open(std::string_view line) const {
    std::vector<net::Transport::CallId> ids;
    for (size_t i = 0; i < api.transport.started(); ++i) {
      if (api.Line(i).starts_with(line) && api.transport.is_open(api.transport.call(i).id))
        ids.push_back(api.transport.call(i).id);
    }
    return ids;
  }
  void Answer(std::string_view line, int status, std::string_view body) {
    ASSERT_EQ(Open(line).size(), 1u) << line;
    api.transport.Answer(Open(line)[0], status, body, {{"Content-Type", "application/json"}});
    api.timers.Run();
  }
  void Lead() {
    session.Start();
    Answer("GET " + std::string(kLeases), 404, "{}");
    Answer("POST " + std::string(kLeases), 201, lease);
    Answer("PUT " + std::string(kLeases), 200, lease);
  }
  void Bind() {
    Order order{1, "uid", BindOrder{PodPath("default", "a"), api::ParseJson("{}").value()}};
    std::vector<Order> orders;
    orders.push_back(std::move(order));
    session.CarryOut(std::move(orders));
  }

  std::string lease = R"({"metadata":{"name":"kube-scheduler","resourceVersion":"1"},"spec":{"holderIdentity":"me"}})";
  TestApi api;
  IdleCore core{api.timers};
  ReflectorObserver observer;
  std::vector<SchedulerSession::End> ends;
  SchedulerSession session;
};

TEST(SchedulerSession, GivesTheLeaseUpWhenNothingIsUnderWay) {
  SessionWorld world;
  world.Lead();
  world.Bind();
  world.Answer(kBinding, 201, "{}");
  world.Answer("POST /api/v1/namespaces/default/events", 201, "{}");
  EXPECT_THAT(world.core.answered, ElementsAre(1));
  world.session.Stop();
  world.api.timers.Run();
  world.Answer("GET " + std::string(kLeases), 200, world.lease);
  world.Answer("PUT " + std::string(kLeases), 200, world.lease);

  EXPECT_THAT(world.ends, ElementsAre(SchedulerSession::End::kStopped));
}

TEST(SchedulerSession, ReadsNothingBeforeItLeadsWhereThatIsAskedFor) {
  constexpr std::string_view kPods = "GET /api/v1/pods";
  SessionWorld at_once(false);
  at_once.session.Start();
  at_once.api.timers.Run();
  EXPECT_EQ(at_once.Open(kPods).size(), 1u);

  SessionWorld world(true);
  world.session.Start();
  world.api.timers.Run();
  EXPECT_THAT(world.Open(kPods), IsEmpty());
  world.Answer("GET " + std::string(kLeases), 404, "{}");
  world.Answer("POST " + std::string(kLeases), 201, world.lease);
  world.Answer("PUT " + std::string(kLeases), 200, world.lease);
  EXPECT_EQ(world.Open(kPods).size(), 1u);
}

TEST(SchedulerSession, LeavesTheLeaseToExpireWhileABindingIsUnderWay) {
  SessionWorld world;
  world.Lead();
  world.Bind();
  world.session.Stop();
  world.api.timers.Advance(Milliseconds(1900));
  EXPECT_THAT(world.ends, IsEmpty());
  world.api.timers.Advance(Milliseconds(200));

  EXPECT_THAT(world.ends, ElementsAre(SchedulerSession::End::kStopped));
  EXPECT_THAT(world.Open("GET " + std::string(kLeases)), IsEmpty());
  EXPECT_THAT(world.Open("PUT " + std::string(kLeases)), IsEmpty());
}

}  // namespace
}  // namespace berth::client
