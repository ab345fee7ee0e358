// SPDX-License-Identifier: Apache-2.0
#include "client/orders/order_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/request/test_api.h"

namespace berth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kPod = "/api/v1/namespaces/default/pods/a";

struct OrderWorld {
  OrderWorld()
      : events(api.client, api.timers, {}),
        runner(api.client, api.timers, events, nullptr, {.claim_sources = &claim_sources}, Reporter()) {}

  OrderRunner::Report Reporter() {
    return [this](const OrderRunner::News& news) { reports.push_back(Describe(news)); };
  }
  static std::string Describe(const OrderRunner::News& news) {
    if (const auto* read = std::get_if<PodRead>(&news)) {
      if (read->pod) return "found on " + read->pod->node_name;
      return fmt::format("{}/{} is gone in version {}", read->name.ns, read->name.name, read->gone);
    }
    if (const auto* read = std::get_if<ClaimRead>(&news))
      return "claim in version " + read->claim.meta.resource_version;
    const auto& answer = std::get<scheduler::EffectAnswer>(news);
    constexpr std::array kCodes = {"ok", "failed", "unknown"};
    return fmt::format("{} {} {}", answer.id, kCodes[static_cast<size_t>(answer.code)], answer.message);
  }
  void Run(uint64_t id, decltype(Order::what) what, std::string lane = "uid-a") {
    runner.Run({id, std::move(lane), std::move(what)});
  }
  void Bind(uint64_t id = 1) {
    Run(id, BindOrder{PodPath("default", "a"), api::ParseJson(R"({"kind":"Binding"})").value()});
  }
  void Patch(uint64_t id = 1) { Run(id, PatchOrder{PodPath("default", "a"), "{\"status\":{}}"}); }
  void Evict(std::string patch) { Run(1, EvictOrder{PodPath("default", "a"), std::move(patch)}); }
  void Read(uint64_t id = 1) { Run(id, ReadPodOrder{PodPath("default", "a"), "7"}); }
  void Update() {
    Run(1,
        UpdateOrder{
            {"/api/v1", "persistentvolumes", "", "pv1"}, "", "5", {{{"spec", "claimRef"}, "{\"name\":\"data\"}"}}},
        "uid-pv");
  }

  TestApi api;
  EventRecorder events;
  ClaimSources claim_sources;
  std::vector<std::string> reports;
  OrderRunner runner;
};

TEST(OrderRunner, BindsWithOnePost) {
  OrderWorld world;
  world.Bind();
  EXPECT_EQ(world.api.Line(0), "POST " + std::string(kPod) + "/binding");
  EXPECT_EQ(world.api.body(0), "{\"kind\":\"Binding\"}");
  EXPECT_EQ(world.api.content_type(0), "application/json");
  EXPECT_EQ(world.runner.running(), 1u);
  world.api.Answer(201);
  EXPECT_THAT(world.reports, ElementsAre("1 ok "));
  EXPECT_EQ(world.runner.running(), 0u);
}

TEST(OrderRunner, RepeatsABindingThatFailedInTheServer) {
  OrderWorld world;
  world.Bind();
  world.api.Refuse(500, "InternalError", "injected failure");
  EXPECT_EQ(world.api.transport.started(), 1u);
  world.api.timers.Advance(Milliseconds(11));
  world.api.Refuse(503, "ServiceUnavailable", "busy");
  world.api.timers.Advance(Milliseconds(49));
  EXPECT_EQ(world.api.transport.started(), 2u);
  world.api.timers.Advance(Milliseconds(6));
  world.api.Answer(201);
  EXPECT_THAT(world.reports, ElementsAre("1 ok "));
}

TEST(OrderRunner, GivesABindingUpAfterFourTriesWithoutCallingItFailed) {
  OrderWorld world;
  world.Bind();
  for (int i = 0; i < 4; ++i) {
    world.api.Refuse(500, "InternalError", "injected failure");
    world.api.timers.Advance(Seconds(1));
  }
  EXPECT_EQ(world.api.transport.started(), 4u);
  EXPECT_THAT(world.reports, ElementsAre("1 unknown injected failure"));
}

TEST(OrderRunner, ABindingThatCertainlyDidNotHappenFailed) {
  OrderWorld refused;
  refused.Bind();
  refused.api.Refuse(403, "Forbidden", "pods a is forbidden");
  EXPECT_THAT(refused.reports, ElementsAre("1 failed pods a is forbidden"));

  OrderWorld down;
  down.Bind();
  for (int i = 0; i < 4; ++i) {
    down.api.Fail(Code::kUnavailable);
    down.api.timers.Advance(Seconds(1));
  }
  ASSERT_EQ(down.reports.size(), 1u);
  EXPECT_THAT(down.reports[0], ::testing::AllOf(::testing::StartsWith("1 failed "), ::testing::HasSubstr("refused")));
}

TEST(OrderRunner, ABindingWhoseFateIsUnclearIsNotRepeated) {
  OrderWorld lost;
  lost.Bind();
  lost.api.Fail(Code::kInternal);
  lost.api.timers.Advance(Seconds(5));
  EXPECT_EQ(lost.api.transport.started(), 1u);
  ASSERT_EQ(lost.reports.size(), 1u);
  EXPECT_THAT(lost.reports[0], ::testing::StartsWith("1 unknown "));

  OrderWorld conflict;
  conflict.Bind();
  conflict.api.Refuse(409, "Conflict", "injected conflict");
  EXPECT_THAT(conflict.reports, ElementsAre("1 unknown injected conflict"));

  OrderWorld died;
  died.Bind();
  died.api.Refuse(500, "InternalError", "etcd went away");
  for (int i = 0; i < 3; ++i) {
    died.api.timers.Advance(Seconds(1));
    died.api.Fail(Code::kUnavailable);
  }
  ASSERT_EQ(died.reports.size(), 1u);
  EXPECT_THAT(died.reports[0], ::testing::StartsWith("1 unknown ")) << "the first try may have been stored";
}

TEST(OrderRunner, PatchesTheStatusAndRepeatsWhatMayBeRepeated) {
  OrderWorld world;
  world.Patch();
  EXPECT_EQ(world.api.Line(0), "PATCH " + std::string(kPod) + "/status");
  EXPECT_EQ(world.api.content_type(0), "application/strategic-merge-patch+json");
  EXPECT_EQ(world.api.body(0), "{\"status\":{}}");
  world.api.Refuse(409, "Conflict", "modified");
  world.api.timers.Advance(Milliseconds(11));
  world.api.Refuse(500, "InternalError", "oops");
  world.api.timers.Advance(Milliseconds(55));
  world.api.Fail(Code::kInternal);
  world.api.timers.Advance(Milliseconds(275));
  world.api.Answer(200);
  EXPECT_EQ(world.api.transport.started(), 4u);
  EXPECT_THAT(world.reports, ElementsAre("1 ok "));
}

TEST(OrderRunner, APatchOfNothingNeedsNoRequest) {
  OrderWorld world;
  world.Run(1, PatchOrder{PodPath("default", "a"), ""});
  EXPECT_EQ(world.api.transport.started(), 0u);
  EXPECT_THAT(world.reports, ElementsAre("1 ok "));
}

TEST(OrderRunner, OrdersAboutOneObjectKeepTheirOrder) {
  OrderWorld world;
  world.Patch(1);
  world.Bind(2);
  world.Run(3, PatchOrder{PodPath("default", "a"), ""});
  world.Run(4, BindOrder{PodPath("default", "b"), api::ParseJson("{}").value()}, "uid-b");
  EXPECT_THAT(world.api.requests(),
              ElementsAre("PATCH " + std::string(kPod) + "/status", "POST /api/v1/namespaces/default/pods/b/binding"));
  world.api.Refuse(404, "NotFound", "not found");
  EXPECT_EQ(world.api.transport.started(), 3u);
  world.api.Answer(201);
  world.api.Answer(201);
  EXPECT_THAT(world.reports, ElementsAre("1 failed not found", "4 ok ", "2 ok ", "3 ok "));
}

TEST(OrderRunner, TellsAVictimBeforeItIsDeleted) {
  OrderWorld world;
  world.Evict("{\"status\":{}}");
  world.api.Answer(200);
  world.api.Answer(200);
  EXPECT_THAT(world.api.requests(),
              ElementsAre("PATCH " + std::string(kPod) + "/status", "DELETE " + std::string(kPod)));
  EXPECT_EQ(world.api.body(1), R"({"kind":"DeleteOptions","apiVersion":"v1"})");
  EXPECT_EQ(world.api.content_type(1), "application/json");
  EXPECT_THAT(world.reports, ElementsAre("1 ok "));
}

TEST(OrderRunner, AVictimThatIsGoneIsAsGoodAsEvicted) {
  OrderWorld before;
  before.Evict("{\"status\":{}}");
  before.api.Refuse(404, "NotFound", "pods a not found");
  EXPECT_EQ(before.api.transport.started(), 1u);
  EXPECT_THAT(before.reports, ElementsAre("1 ok pods a not found"));

  OrderWorld between;
  between.Evict("");
  between.api.Refuse(404, "NotFound", "pods a not found");
  EXPECT_THAT(between.api.requests(), ElementsAre("DELETE " + std::string(kPod)));
  EXPECT_THAT(between.reports, ElementsAre("1 ok pods a not found"));
}

TEST(OrderRunner, AVictimThatCannotBeToldIsNotDeleted) {
  OrderWorld world;
  world.Evict("{\"status\":{}}");
  world.api.Refuse(403, "Forbidden", "no");
  EXPECT_EQ(world.api.transport.started(), 1u);
  EXPECT_THAT(world.reports, ElementsAre("1 failed no"));
}

TEST(OrderRunner, UpdatesTheVersionThatWasDecidedOnAndKeepsTheRest) {
  OrderWorld world;
  world.Update();
  world.api.Answer(200, R"({"metadata":{"name":"pv1","resourceVersion":"5"},"spec":{"x":1.0},"new":[{}]})");
  EXPECT_THAT(world.api.requests(),
              ElementsAre("GET /api/v1/persistentvolumes/pv1", "PUT /api/v1/persistentvolumes/pv1"));
  EXPECT_EQ(
      world.api.body(1),
      R"({"metadata":{"name":"pv1","resourceVersion":"5"},"spec":{"x":1.0,"claimRef":{"name":"data"}},"new":[{}]})");
  world.api.Answer(200);
  EXPECT_THAT(world.reports, ElementsAre("1 ok "));
}

TEST(OrderRunner, DoesNotUpdateAnotherVersion) {
  OrderWorld world;
  world.Update();
  world.api.Answer(200, R"({"metadata":{"name":"pv1","resourceVersion":"6"}})");
  EXPECT_EQ(world.api.transport.started(), 1u);
  EXPECT_THAT(world.reports,
              ElementsAre("1 failed Operation cannot be fulfilled on persistentvolumes \"pv1\": the object has been "
                          "modified; please apply your changes to the latest version and try again"));
}

TEST(OrderRunner, AnUpdateThatWasNotEvenReadFailed) {
  OrderWorld world;
  world.Update();
  for (int i = 0; i < 4; ++i) {
    world.api.Refuse(500, "InternalError", "oops");
    world.api.timers.Advance(Seconds(1));
  }
  EXPECT_THAT(world.reports, ElementsAre("1 failed oops"));
}

TEST(OrderRunner, AnUpdateWithoutAnAnswerIsUnclear) {
  OrderWorld world;
  world.Update();
  world.api.Answer(200, R"({"metadata":{"resourceVersion":"5"}})");
  world.api.Fail(Code::kDeadline);
  ASSERT_EQ(world.reports.size(), 1u);
  EXPECT_THAT(world.reports[0], ::testing::StartsWith("1 unknown "));
}

TEST(OrderRunner, ReportsAPodThatWasReadBeforeTheAnswer) {
  OrderWorld world;
  world.Read();
  EXPECT_EQ(world.api.Line(0), "GET " + std::string(kPod));
  world.api.Answer(200, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default"},)"
                        R"("spec":{"nodeName":"n1","containers":[]}})");
  EXPECT_THAT(world.reports, ElementsAre("found on n1", "1 ok "));
}

TEST(OrderRunner, ReportsThatAPodIsGoneBeforeTheAnswer) {
  OrderWorld world;
  world.Read();
  world.api.Refuse(404, "NotFound", "pods a not found");
  EXPECT_THAT(world.reports, ElementsAre("default/a is gone in version 7", "1 ok "));
}

TEST(OrderRunner, APodThatHasEndedIsGone) {
  OrderWorld world;
  world.Read();
  world.api.Answer(200, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default",)"
                        R"("resourceVersion":"9"},"spec":{"containers":[]},"status":{"phase":"Succeeded"}})");
  EXPECT_THAT(world.reports, ElementsAre("default/a is gone in version 9", "1 ok "));
}

TEST(OrderRunner, ReadsUntilItSucceeds) {
  OrderWorld world;
  world.Read();
  for (int i = 0; i < 20; ++i) {
    world.api.Refuse(500, "InternalError", "oops");
    EXPECT_THAT(world.reports, IsEmpty());
    world.api.timers.Advance(Seconds(11));
  }
  world.api.Refuse(404, "NotFound", "pods a not found");
  EXPECT_EQ(world.reports.size(), 2u);
}

TEST(OrderRunner, EventsAreNotAnswered) {
  OrderWorld world;
  WriteEventOrder order;
  order.event.regarding = {"Pod", "v1", "default", "a", "u", "1"};
  world.Run(1, std::move(order), "");
  EXPECT_EQ(world.api.Line(0), "POST /apis/events.k8s.io/v1/namespaces/default/events");
  world.api.Answer(201);
  EXPECT_THAT(world.reports, IsEmpty());
  EXPECT_EQ(world.runner.running(), 0u);
}

TEST(OrderRunner, LeavesNothingBehindWhenItGoes) {
  auto world = std::make_unique<OrderWorld>();
  world->Bind(1);
  world->Bind(2);
  world->Run(3, BindOrder{PodPath("default", "b"), api::ParseJson("{}").value()}, "uid-b");
  world->api.Refuse(500, "InternalError", "oops");
  world.reset();
}

TEST(OrderRunner, PassesOnWhatComesOfACallOfAnExtender) {
  net::EventLoop loop;
  framework::ExtenderConfiguration extender;
  extender.url_prefix = "ftp://extender";
  const auto caller = ExtenderCaller::Create(loop, {extender}, {});
  OrderWorld world;
  OrderRunner runner(world.api.client, world.api.timers, world.events, caller->get(), {}, world.Reporter());

  runner.Run({1, "", CallExtenderOrder{0, "filter", "{}"}});
  runner.Run({2, "", CancelExtenderOrder{1}});

  EXPECT_THAT(world.reports,
              ElementsAre(R"(1 failed Post "ftp://extender/filter": unsupported protocol scheme "ftp")"));
  EXPECT_EQ(runner.running(), 0u);
}

TEST(OrderRunner, CallsOfExtendersEndWithIt) {
  net::EventLoop loop;
  framework::ExtenderConfiguration extender;
  extender.url_prefix = "http://127.0.0.1:1";
  const auto caller = ExtenderCaller::Create(loop, {extender}, {});
  OrderWorld world;
  auto runner = std::make_unique<OrderRunner>(world.api.client, world.api.timers, world.events, caller->get(),
                                              OrderRunner::Options(), world.Reporter());
  runner->Run({1, "", CallExtenderOrder{0, "filter", "{}"}});
  runner->Run({2, "", CallExtenderOrder{0, "prioritize", "{}"}});
  EXPECT_EQ((*caller)->running(), 2u);

  runner->Run({3, "", CancelExtenderOrder{2}});
  EXPECT_EQ((*caller)->running(), 1u);
  runner.reset();

  EXPECT_EQ((*caller)->running(), 0u);
}

constexpr std::string_view kClaim = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c";

BindClaimOrder BindClaim(std::string allocation) {
  return {.claim = ClaimPath("default", "c"),
          .new_claim = "",
          .uid = "uid-c",
          .allocation = std::move(allocation),
          .timestamp = "",
          .consumer = R"({"uid":"uid-a"})",
          .consumer_uid = "uid-a",
          .pod = PodPath("default", "a"),
          .request_mappings = {}};
}

TEST(OrderRunner, WritesFinalizerAllocationAndReservationOfAClaim) {
  OrderWorld world;
  world.Run(1, BindClaim(R"({"devices":{}})"), "uid-c");
  world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c","resourceVersion":"5"},"spec":{"x":1}})");
  EXPECT_EQ(world.api.body(1), R"({"metadata":{"name":"c","uid":"uid-c","resourceVersion":"5",)"
                               R"("finalizers":["resource.kubernetes.io/delete-protection"]},"spec":{"x":1}})");
  world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c","resourceVersion":"6",)"
                        R"("finalizers":["resource.kubernetes.io/delete-protection"]}})");
  EXPECT_THAT(world.api.body(2),
              ::testing::EndsWith(R"("status":{"allocation":{"devices":{}},"reservedFor":[{"uid":"uid-a"}]}})"));
  world.api.Answer(200, R"({"metadata":{"name":"c","namespace":"default","resourceVersion":"7"}})");

  const std::string claim(kClaim);
  EXPECT_THAT(world.api.requests(), ElementsAre("GET " + claim, "PUT " + claim, "PUT " + claim + "/status"));
  EXPECT_THAT(world.reports, ElementsAre("claim in version 7", "1 ok "));
}

// What the watch brought of the claim.
void KeepClaim(OrderWorld& world, std::string_view uid, std::string_view version) {
  const std::string claim =
      fmt::format(R"({{"metadata":{{"name":"c","namespace":"default","uid":"{}","resourceVersion":"{}"}},)"
                  R"("spec":{{"devices":{{}}}}}})",
                  uid, version);
  world.claim_sources.Keep("default", "c", {api::wire::Encoding::kJson, claim});
}

TEST(OrderRunner, AClaimThatTheWatchBroughtIsNotReadAgain) {
  OrderWorld world;
  KeepClaim(world, "uid-c", "5");

  world.Run(1, BindClaim(R"({"devices":{}})"), "uid-c");
  EXPECT_EQ(world.api.body(0), R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1",)"
                               R"("metadata":{"name":"c","namespace":"default","uid":"uid-c","resourceVersion":"5",)"
                               R"("finalizers":["resource.kubernetes.io/delete-protection"]},)"
                               R"("spec":{"devices":{"requests":null}},"status":{}})");
  world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c","resourceVersion":"6",)"
                        R"("finalizers":["resource.kubernetes.io/delete-protection"]}})");
  world.api.Answer(200, R"({"metadata":{"name":"c","namespace":"default","resourceVersion":"7"}})");

  const std::string claim(kClaim);
  EXPECT_THAT(world.api.requests(), ElementsAre("PUT " + claim, "PUT " + claim + "/status"));
  EXPECT_THAT(world.reports, ElementsAre("claim in version 7", "1 ok "));
  EXPECT_EQ(world.claim_sources.size(), 0u);
}

TEST(OrderRunner, AClaimIsReadWhenWhatTheWatchBroughtIsRefused) {
  const std::string claim(kClaim);
  for (const int status : {409, 422}) {
    SCOPED_TRACE(status);
    OrderWorld world;
    KeepClaim(world, "uid-c", "5");

    world.Run(1, BindClaim(R"({"devices":{}})"), "uid-c");
    world.api.Refuse(status, "Refused", "no");
    world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c","resourceVersion":"6"}})");
    world.api.Refuse(422, "Invalid", "no");

    EXPECT_THAT(world.api.requests(), ElementsAre("PUT " + claim, "GET " + claim, "PUT " + claim));
    EXPECT_THAT(world.reports, ElementsAre("1 failed add finalizer to claim default/c: no"));
  }
}

TEST(OrderRunner, AClaimIsReadWhenTheWatchBroughtAnotherOfItsName) {
  OrderWorld world;
  KeepClaim(world, "uid-of-another", "5");

  world.Run(1, BindClaim(R"({"devices":{}})"), "uid-c");

  EXPECT_THAT(world.api.requests(), ElementsAre("GET " + std::string(kClaim)));
}

TEST(OrderRunner, AClaimThatSomebodyElseHasAllocatedIsNotTouched) {
  OrderWorld world;
  world.Run(1, BindClaim(R"({"devices":{}})"), "uid-c");
  world.api.Answer(200, R"({"metadata":{"name":"c","namespace":"default","uid":"uid-c","resourceVersion":"8"},)"
                        R"("status":{"allocation":{}}})");

  EXPECT_EQ(world.api.transport.started(), 1u);
  EXPECT_THAT(world.reports,
              ElementsAre("claim in version 8", "1 failed claim default/c got allocated elsewhere in the meantime"));
}

TEST(OrderRunner, AClaimThatAnotherMemberHasAllocatedInTheSameWayIsReserved) {
  const std::string allocation =
      R"({"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"gpu-0"}]}})";
  OrderWorld world;
  world.Run(1, BindClaim(allocation), "uid-c");
  world.api.Answer(200, R"({"metadata":{"name":"c","namespace":"default","uid":"uid-c","resourceVersion":"8"},)"
                        R"("status":{"allocation":)" +
                            allocation + R"(,"reservedFor":[{"uid":"uid-b"}]}})");

  EXPECT_THAT(world.api.body(1), ::testing::EndsWith(R"("reservedFor":[{"uid":"uid-b"},{"uid":"uid-a"}]}})"));
}

TEST(OrderRunner, AfterALostAnswerTheClaimTellsWhatBecameOfIt) {
  OrderWorld world;
  world.Run(1, BindClaim(""), "uid-c");
  world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c"},"status":{"allocation":{}}})");
  world.api.Fail(Code::kDeadline);
  world.api.Answer(200, R"({"metadata":{"name":"c","namespace":"default","uid":"uid-c","resourceVersion":"9"},)"
                        R"("status":{"allocation":{},"reservedFor":[{"uid":"uid-a"}]}})");

  EXPECT_THAT(world.reports, ElementsAre("claim in version 9", "1 ok "));
}

TEST(OrderRunner, AClaimWhoseAnswersAreLostIsNeverLeftUnclear) {
  OrderWorld world;
  world.Run(1, BindClaim(""), "uid-c");
  for (int i = 0; i < 8; ++i) {
    world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c"},"status":{"allocation":{}}})");
    world.api.Fail(Code::kDeadline);
  }
  EXPECT_TRUE(world.reports.empty());
  world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c"},"status":{"allocation":{}}})");
  world.api.Refuse(422, "Invalid", "no");

  EXPECT_THAT(world.reports, ElementsAre("1 failed add reservation to claim default/c: no"));
}

TEST(OrderRunner, AConflictAboutAClaimStartsAgainFromWhatIsThere) {
  OrderWorld world;
  world.Run(1, BindClaim(""), "uid-c");
  for (int i = 0; i < 5; ++i) {
    world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c"},"status":{"allocation":{}}})");
    world.api.Refuse(409, "Conflict", "modified");
  }

  EXPECT_EQ(world.api.transport.started(), 10u);
  EXPECT_THAT(world.reports, ElementsAre("1 failed add reservation to claim default/c: modified"));
}

TEST(OrderRunner, WhatTheServerSaysOfAPatchedClaimIsReported) {
  OrderWorld world;
  world.Run(1, PatchOrder{ClaimPath("default", "c"), "{}"}, "uid-c");
  world.api.Answer(200, R"({"metadata":{"name":"c","namespace":"default","uid":"uid-c","resourceVersion":"9"}})");
  EXPECT_THAT(world.api.requests(), ElementsAre("PATCH " + std::string(kClaim) + "/status"));
  EXPECT_THAT(world.reports, ElementsAre("claim in version 9", "1 ok "));
}

TEST(OrderRunner, AClaimIsUpdatedOnlyInTheVersionThatTheCoreKnows) {
  OrderWorld world;
  world.Run(1, UpdateOrder{ClaimPath("default", "c"), "status", "5", {{{"status", "allocation"}, "null"}}}, "uid-c");
  world.api.Answer(200, R"({"metadata":{"name":"c","resourceVersion":"6"}})");
  EXPECT_THAT(
      world.reports,
      ElementsAre("1 failed Operation cannot be fulfilled on resourceclaims.resource.k8s.io \"c\": the object has "
                  "been modified; please apply your changes to the latest version and try again"));
}

TEST(OrderRunner, DeletesAClaimOnceItsFinalizerIsGone) {
  OrderWorld world;
  world.Run(1, DeleteClaimOrder{ClaimPath("default", "c"), "uid-c"}, "uid-c");
  world.api.Answer(200, R"({"metadata":{"name":"c","uid":"uid-c",)"
                        R"("finalizers":["other","resource.kubernetes.io/delete-protection"]}})");
  EXPECT_EQ(world.api.body(1), R"({"metadata":{"name":"c","uid":"uid-c","finalizers":["other"]}})");
  world.api.Answer(200);
  world.api.Answer(200);

  const std::string claim(kClaim);
  EXPECT_THAT(world.api.requests(), ElementsAre("GET " + claim, "PUT " + claim, "DELETE " + claim));
  EXPECT_THAT(world.reports, ElementsAre("1 ok "));
}

}  // namespace
}  // namespace berth::client
