// SPDX-License-Identifier: Apache-2.0
// Objects that cannot be read, in lists and watches: they cost nothing but themselves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/wire/envelope.h"
#include "api/wire/protobuf.h"
#include "client/watch/test_reflector.h"

namespace berth::client::reflector_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const WatchedResource kClaims = {"ResourceClaim", "resource.k8s.io/v1", "resourceclaims", ""};

std::string Nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string Claim(std::string_view name, int version, std::string_view spec = "{}") {
  return fmt::format(R"({{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1",)"
                     R"("metadata":{{"namespace":"ns","name":"{}","resourceVersion":"{}"}},"spec":{}}})",
                     name, version, spec);
}

// 300 levels where scheduling does not look.
std::string OpaqueClaim(std::string_view name, int version) {
  return Claim(name, version, R"({"devices":{"config":[{"opaque":{"driver":"d","parameters":)" + Nested(300) + "}}]}}");
}

// 300 levels where it does.
std::string BadClaim(std::string_view name, int version) {
  return Claim(name, version, R"({"devices":{"requests":)" + Nested(300) + "}}");
}

std::string ClaimPage(int version, std::vector<std::string> items, std::string_view next = "") {
  return fmt::format(R"({{"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1",)"
                     R"("metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
                     version, next, fmt::join(items, ","));
}

// A reflector whose server does not stream lists.
std::unique_ptr<Bench> Paging() {
  auto bench = std::make_unique<Bench>(kClaims);
  bench->reflector.Start();
  bench->Answer(422, Status(422, "Invalid"));
  return bench;
}

TEST(Reflector, OpaquePartsOfAnyDepthDoNotHinder) {
  auto bench = Paging();
  bench->Answer(200, ClaimPage(10, {Claim("a", 1), OpaqueClaim("b", 2)}, "next"));
  bench->Answer(200, ClaimPage(10, {OpaqueClaim("c", 3)}));
  bench->OpenStream();
  bench->Send(Event("ADDED", OpaqueClaim("d", 11)) + Event("DELETED", OpaqueClaim("b", 12)));

  EXPECT_THAT(bench->sink.Take(), ElementsAre("put a@1", "put b@2", "put c@3", "put d@11", "removed ResourceClaim b"));
  EXPECT_THAT(bench->log.skipped, IsEmpty());
}

TEST(Reflector, ABadItemOfAPageIsSkippedAndReportedOnce) {
  auto bench = Paging();
  const std::string page = ClaimPage(10, {Claim("a", 1), BadClaim("bad", 2), Claim("c", 3)}, "next");
  bench->Answer(200, page);
  bench->Answer(200, ClaimPage(10, {Claim("d", 4)}));
  EXPECT_THAT(bench->sink.Take(), ElementsAre("put a@1", "put c@3", "put d@4"));
  EXPECT_EQ(bench->synced, 1);
  EXPECT_THAT(bench->log.skipped, ElementsAre(HasSubstr("ResourceClaim ns/bad: ")));
  bench->Answer(410, Status(410, "Expired"));
  bench->timers.Advance(Seconds(2));
  bench->Answer(422, Status(422, "Invalid"));
  bench->Answer(200, ClaimPage(20, {Claim("a", 1), BadClaim("bad", 2), Claim("c", 3), Claim("d", 4)}));

  EXPECT_THAT(bench->sink.Take(), IsEmpty());
  EXPECT_THAT(bench->log.skipped, SizeIs(1)) << "it is the same version";
  EXPECT_EQ(bench->log.resource_version, "20");
}

TEST(Reflector, ABadEventIsSkippedAndTheObjectStaysWhatItWas) {
  Bench bench(kClaims);
  bench.reflector.Start();
  bench.OpenStream();
  bench.Send(Event("ADDED", Claim("a", 1)) + Event("ADDED", BadClaim("b", 2)) + InitialEnd(10));
  EXPECT_THAT(bench.sink.Take(), ElementsAre("put a@1"));
  EXPECT_EQ(bench.synced, 1);
  bench.Send(Event("MODIFIED", BadClaim("a", 11)) + Event("ADDED", Claim("c", 12)));
  EXPECT_THAT(bench.sink.Take(), ElementsAre("put c@12"));
  EXPECT_THAT(bench.log.skipped, SizeIs(2));
  EXPECT_EQ(bench.log.resource_version, "12");
  bench.Send(Event("MODIFIED", BadClaim("c", 13)));
  EXPECT_EQ(bench.log.resource_version, "13") << "it is not to come again";
  bench.Send(Event("MODIFIED", Claim("a", 14)) + Event("DELETED", BadClaim("c", 15)));

  EXPECT_THAT(bench.sink.Take(), ElementsAre("put a@14", "removed ResourceClaim c"));
  EXPECT_TRUE(bench.transport.is_open(bench.call()));
}

TEST(Reflector, WhatHasNoNameIsNoObject) {
  auto bench = Paging();
  bench->Answer(200, ClaimPage(10, {"null", "{}", "[]", "1", Claim("a", 1)}));

  EXPECT_THAT(bench->sink.Take(), ElementsAre("put a@1"));
  EXPECT_THAT(bench->log.skipped, ElementsAre("a ResourceClaim without a name"));
}

// A field of a message. Its length must be below 128.
std::string Field(char tag, std::string_view content) {
  return std::string{tag, static_cast<char>(content.size())} + std::string(content);
}

TEST(Reflector, ABadItemInProtobufIsSkipped) {
  const std::string good = R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"good","resourceVersion":"1"}})";
  const std::string good_bytes = api::wire::ToProtobuf(api::ParseJson(good)->root()).value();
  // The name and the version, and a spec that ends too early; and one that has not even metadata.
  const std::string bad = Field('\x0a', Field('\x0a', "bad") + Field('\x32', "2")) + "\x12\x02\x0a\x7f";
  const std::string message = Field('\x0a', Field('\x12', "10")) + Field('\x12', bad) + Field('\x12', "\x0a\x7f") +
                              Field('\x12', api::wire::OpenEnvelope(good_bytes)->message);
  Bench bench;
  bench.reflector.Start();
  bench.Answer(422, Status(422, "Invalid"));
  bench.transport.Answer(bench.call(), 200,
                         std::string(api::wire::kMagic) +
                             Field('\x0a', Field('\x0a', "v1") + Field('\x12', "NodeList")) + Field('\x12', message),
                         {{"Content-Type", "application/vnd.kubernetes.protobuf"}});

  EXPECT_THAT(bench.sink.Take(), ElementsAre("put good@1"));
  EXPECT_THAT(bench.log.skipped, ElementsAre(HasSubstr("Node /bad: "), HasSubstr("Node /: ")));
  EXPECT_EQ(bench.Target(), WatchFrom(10));
}

}  // namespace
}  // namespace berth::client::reflector_test
