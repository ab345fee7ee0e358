// SPDX-License-Identifier: Apache-2.0
#include "client/election/leader_elector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/document/value.h"
#include "client/request/test_network.h"

namespace berth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kPath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

LeaderElector::Options WithIdentity(std::string identity) {
  LeaderElector::Options options;
  options.identity = std::move(identity);
  return options;
}

struct ElectorBench {
  ElectorBench()
      : client(transport, timers, *credentials, {"https://kube", "berth", 0, 0}, nullptr),
        elector(client, timers, WithIdentity("me"),
                {.on_started = [this](const Lease& lease) { log.push_back("started " + lease.meta.uid); },
                 .on_stopped =
                     [this](LeaderElector::End end) {
                       log.push_back(end == LeaderElector::End::kLost ? "lost" : "stopped");
                     },
                 .on_new_leader = [this](const std::string& leader) { log.push_back("leader " + leader); },
                 .on_failure = [this](const std::string& message) { failures.push_back(message); }}) {}

  const TestTransport::Call& last() const { return transport.last(); }
  std::string Asked() const { return last().request.method + " " + last().request.target; }
  void Answer(int status, std::string_view body = "{}") { transport.Answer(last().id, status, body); }
  // The server takes what was written.
  void Accept() {
    const api::Document document = api::ParseJson(last().request.body).value();
    Answer(200, Stored(document.root()["spec"].ToJson()));
  }
  // A lease as the server sends it.
  std::string Stored(std::string_view spec) {
    constexpr std::string_view kLease =
        R"({{"kind":"Lease","metadata":{{"name":"kube-scheduler","namespace":"kube-system","uid":"u1",)"
        R"("resourceVersion":"{}","labels":{{"keep":"it"}}}},"spec":{}}})";
    return fmt::format(kLease, ++version, spec);
  }
  std::string HeldBy(std::string_view holder, int renewed = 0, int transitions = 4) {
    constexpr std::string_view kSpec =
        R"({{"holderIdentity":"{}","leaseDurationSeconds":15,"leaseTransitions":{},)"
        R"("acquireTime":"2020-01-01T00:00:00.000000Z","renewTime":"2020-01-01T00:00:{:02}.000000Z"}})";
    return Stored(fmt::format(kSpec, holder, transitions, renewed));
  }
  api::Document Body() const { return api::ParseJson(last().request.body).value(); }
  void Lead() {
    elector.Start();
    Answer(404);
    Accept();
    Accept();
    log.clear();
  }

  TestTimers timers;
  TestTransport transport;
  std::unique_ptr<Credentials> credentials = NoCredentials();
  RestClient client;
  std::vector<std::string> log;
  std::vector<std::string> failures;
  int version = 100;
  LeaderElector elector;
};

TEST(LeaderElector, CreatesTheLeaseIfThereIsNoneAndRenewsItAtOnce) {
  ElectorBench bench;
  bench.elector.Start();
  EXPECT_EQ(bench.Asked(), fmt::format("GET {}/kube-scheduler?timeout=5s", kPath));
  EXPECT_EQ(bench.last().request.timeout, Seconds(5));
  bench.Answer(404);
  EXPECT_EQ(bench.Asked(), fmt::format("POST {}?timeout=5s", kPath));
  EXPECT_EQ(bench.last().request.body,
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
            R"("metadata":{"name":"kube-scheduler","namespace":"kube-system"},)"
            R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2026-01-01T00:00:00.000000Z",)"
            R"("renewTime":"2026-01-01T00:00:00.000000Z","leaseTransitions":0}})");
  bench.timers.Advance(Seconds(1));
  bench.Accept();

  EXPECT_THAT(bench.log, ElementsAre("leader me", "started u1"));
  EXPECT_TRUE(bench.elector.is_leader());
  EXPECT_EQ(bench.Asked(), fmt::format("PUT {}/kube-scheduler?timeout=5s", kPath));
  EXPECT_EQ(bench.last().request.body,
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
            R"("metadata":{"name":"kube-scheduler","namespace":"kube-system","uid":"u1","resourceVersion":"101",)"
            R"("labels":{"keep":"it"}},)"
            R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2026-01-01T00:00:00.000000Z",)"
            R"("renewTime":"2026-01-01T00:00:01.000000Z","leaseTransitions":0}})");
}

TEST(LeaderElector, RenewsEveryRetryPeriodWithoutReading) {
  ElectorBench bench;
  bench.Lead();
  for (int i = 0; i < 5; ++i) {
    const size_t before = bench.transport.started();
    bench.timers.Advance(Seconds(2) - Duration{1});
    EXPECT_EQ(bench.transport.started(), before);
    bench.timers.Advance(Duration{1});
    EXPECT_EQ(bench.last().request.method, "PUT");
    bench.Accept();
  }
  EXPECT_THAT(bench.log, IsEmpty());
}

TEST(LeaderElector, AClockThatIsSetChangesWhatIsWrittenAndNothingElse) {
  for (const Duration step : {Minutes(60), Minutes(-60)}) {
    ElectorBench bench;
    bench.Lead();
    bench.timers.JumpWall(step);
    for (int i = 0; i < 20; ++i) {
      bench.timers.Advance(Seconds(2));
      ASSERT_EQ(bench.last().request.method, "PUT");
      EXPECT_EQ(bench.Body().root()["spec"]["renewTime"].text(), FormatTimeMicro(bench.timers.WallNow()));
      bench.Accept();
    }
    EXPECT_THAT(bench.log, IsEmpty());
    EXPECT_EQ(bench.elector.CheckHealth(Seconds(20)), std::nullopt);
    // Without an answer it is lost after the deadline, as ever.
    bench.timers.Advance(Seconds(9));
    EXPECT_THAT(bench.log, IsEmpty());
    bench.timers.Advance(Seconds(10));
    EXPECT_THAT(bench.log, ElementsAre("lost"));
  }
}

TEST(LeaderElector, WaitsUntilTheLeaseOfAnotherHasNotChangedForItsDuration) {
  ElectorBench bench;
  bench.elector.Start();
  bench.Answer(200, bench.HeldBy("other", 1));
  EXPECT_THAT(bench.log, ElementsAre("leader other"));
  // It was renewed after ten seconds, which its own times put long ago.
  for (int second = 0; second < 25;) {
    const size_t before = bench.transport.started();
    while (bench.transport.started() == before) {
      bench.timers.Advance(Seconds(1));
      ++second;
    }
    EXPECT_EQ(bench.last().request.method, "GET");
    bench.Answer(200, bench.HeldBy("other", second < 10 ? 1 : 11));
    if (second < 25) {
      EXPECT_EQ(bench.last().request.method, "GET") << second;
    }
  }
  for (int second = 0; second < 10 && bench.last().request.method == "GET"; ++second) {
    bench.timers.Advance(Seconds(1));
    if (bench.transport.is_open(bench.last().id)) bench.Answer(200, bench.HeldBy("other", 11));
  }

  EXPECT_EQ(bench.last().request.method, "PUT");
  EXPECT_EQ(bench.Body().root()["spec"]["leaseTransitions"].text(), "5");
  EXPECT_EQ(bench.Body().root()["spec"]["holderIdentity"].text(), "me");
  bench.Accept();
  EXPECT_THAT(bench.log, ElementsAre("leader other", "leader me", "started u1"));
}

TEST(LeaderElector, TriesToAcquireAfterAJitteredRetryPeriod) {
  ElectorBench bench;
  bench.elector.Start();
  for (int i = 0; i < 6; ++i) {
    bench.Answer(200, bench.HeldBy("other", i));
    const size_t before = bench.transport.started();
    bench.timers.Advance(Seconds(2) - Duration{1});
    EXPECT_EQ(bench.transport.started(), before);
    bench.timers.Advance(Milliseconds(2400) + Duration{1});
    EXPECT_EQ(bench.transport.started(), before + 1);
  }
}

TEST(LeaderElector, TakesALeaseThatWasGivenUpAtOnce) {
  ElectorBench bench;
  bench.elector.Start();
  bench.Answer(200, bench.HeldBy(""));
  EXPECT_EQ(bench.last().request.method, "PUT");
  EXPECT_EQ(bench.Body().root()["spec"]["leaseTransitions"].text(), "5");
  bench.Answer(409, "{}");
  EXPECT_FALSE(bench.elector.is_leader()) << "another was faster";
  EXPECT_THAT(bench.log, IsEmpty());
  EXPECT_THAT(bench.failures, SizeIs(1));
}

TEST(LeaderElector, RenewsByReadingFirstWhenTheLeaseWasTouched) {
  ElectorBench bench;
  bench.Lead();
  bench.timers.Advance(Seconds(2));
  bench.Answer(409);
  EXPECT_EQ(bench.last().request.method, "GET");
  bench.Answer(200, bench.HeldBy("me", 3, 4));
  EXPECT_EQ(bench.last().request.method, "PUT");
  EXPECT_EQ(bench.Body().root()["spec"]["leaseTransitions"].text(), "4");
  EXPECT_EQ(bench.Body().root()["spec"]["acquireTime"].text(), "2020-01-01T00:00:00.000000Z");
  bench.Accept();

  EXPECT_TRUE(bench.elector.is_leader());
  EXPECT_THAT(bench.log, IsEmpty());
}

TEST(LeaderElector, HasLostTheLeaseWhenAnotherHoldsIt) {
  ElectorBench bench;
  bench.Lead();
  bench.timers.Advance(Seconds(2));
  bench.Answer(409);
  bench.Answer(200, bench.HeldBy("other"));

  EXPECT_THAT(bench.log, ElementsAre("leader other", "lost"));
  EXPECT_EQ(bench.timers.pending(), 0u);
}

TEST(LeaderElector, HasLostTheLeaseWhenItCannotRenewItInTime) {
  ElectorBench bench;
  bench.Lead();
  bench.timers.Advance(Seconds(2));
  for (int i = 0; i < 10; ++i) {
    while (bench.transport.open() > 0) bench.Answer(500);
    if (i < 9) {
      EXPECT_THAT(bench.log, IsEmpty()) << i;
    }
    bench.timers.Advance(Seconds(1));
  }

  EXPECT_THAT(bench.log, ElementsAre("lost"));
  EXPECT_EQ(bench.transport.open(), 0u);
}

TEST(LeaderElector, CountsFromWhenTheLeaseWasRenewedAndNotFromTheAnswer) {
  ElectorBench bench;
  bench.Lead();
  bench.timers.Advance(Seconds(2));
  bench.timers.Advance(Milliseconds(4900));
  bench.Accept();
  // Renewed at 2 s for 15 s.
  bench.timers.Advance(Milliseconds(10'099));
  EXPECT_THAT(bench.log, IsEmpty());
  bench.timers.Advance(Milliseconds(1));
  EXPECT_THAT(bench.log, ElementsAre("lost"));
}

TEST(LeaderElector, GivesTheLeaseUpWhenStopped) {
  ElectorBench bench;
  bench.Lead();
  bench.timers.Advance(Seconds(2));
  const auto renewal = bench.last().id;
  bench.elector.Stop();
  EXPECT_FALSE(bench.transport.is_open(renewal));
  EXPECT_EQ(bench.last().request.method, "GET");
  bench.Answer(200, bench.HeldBy("me", 0, 7));
  bench.Answer(409);
  EXPECT_EQ(bench.last().request.method, "GET");
  bench.Answer(200, bench.HeldBy("me", 1, 7));
  EXPECT_THAT(bench.last().request.body,
              HasSubstr(R"("spec":{"holderIdentity":"","leaseDurationSeconds":1,)"
                        R"("acquireTime":"2026-01-01T00:00:02.000000Z","renewTime":"2026-01-01T00:00:02.000000Z",)"
                        R"("leaseTransitions":7})"));
  EXPECT_THAT(bench.log, IsEmpty());
  bench.Accept();

  EXPECT_THAT(bench.log, ElementsAre("stopped"));
  EXPECT_FALSE(bench.elector.is_leader());
}

TEST(LeaderElector, DoesNotGiveUpTheLeaseOfAnotherAndDoesNotWaitForEver) {
  ElectorBench bench;
  bench.Lead();
  bench.elector.Stop();
  bench.Answer(200, bench.HeldBy("other"));
  EXPECT_THAT(bench.log, ElementsAre("stopped"));

  ElectorBench silent;
  silent.Lead();
  silent.elector.Stop();
  silent.timers.Advance(Seconds(10));
  EXPECT_THAT(silent.log, ElementsAre("stopped"));
  EXPECT_EQ(silent.transport.open(), 0u);
}

TEST(LeaderElector, StopsWithoutEverHavingLed) {
  ElectorBench bench;
  bench.elector.Start();
  bench.elector.Stop();
  EXPECT_THAT(bench.log, ElementsAre("stopped"));
  EXPECT_EQ(bench.transport.open(), 0u);
}

TEST(LeaderElector, IsUnhealthyWhenItLeadsButDoesNotRenew) {
  ElectorBench bench;
  EXPECT_FALSE(bench.elector.CheckHealth());
  bench.Lead();
  bench.elector.Stop();  // No timer is left that would notice.
  bench.transport.Cancel(bench.last().id);
  bench.timers.Advance(Seconds(35));
  EXPECT_FALSE(bench.elector.CheckHealth());
  bench.timers.Advance(Duration{1});

  EXPECT_EQ(bench.elector.CheckHealth(), "failed election to renew leadership on lease kube-scheduler");
}

}  // namespace
}  // namespace berth::client
