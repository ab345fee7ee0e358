// SPDX-License-Identifier: Apache-2.0
// Questions that ask for far too much end with a clear answer, and give way to others all along.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "explain/test_cluster.h"
#include "explain/test_generated.h"

namespace berth::explain {
namespace {

using api::Json;
using testing::HasSubstr;

// Lets a question go on for so many units of work.
class Patience final : public Pacer {
 public:
  explicit Patience(uint64_t units) : left_(units) {}
  Result<void> Pause() override {
    if (left_-- > 0) return {};
    return Fail(Code::kDeadline, "the question takes too long");
  }

 private:
  uint64_t left_;
};

std::string WorkloadJson(const std::string& kind, const std::string& name, const std::string& fields) {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"{}","metadata":{{"name":"{}"}},"spec":{{{}"selector":{{"matchLabels":{{"a":"b"}}}},)"
      R"("template":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
      kind, name, fields);
}

Result<std::string> AskCopy(std::string_view kind, std::string_view body, uint64_t units) {
  TestCluster cluster(NodeYaml("a") + NodeYaml("b") + PodYaml("p", "1", ", nodeName: a"));
  Patience patience(units);
  return Answer(kind, {*cluster.core, cluster.gates, cluster.surroundings->now()}, body, patience);
}

TEST(HostileQuestion, AMillionReplicasAreTooMany) {
  for (const std::string kind : {"Deployment", "StatefulSet", "ReplicaSet"}) {
    SCOPED_TRACE(kind);
    const std::string body = R"({"objects":[)" + WorkloadJson(kind, "w", R"("replicas":1000000,)") + "]}";
    const Result<std::string> answer = AskCopy("plan", body, 100);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kInvalid);
    EXPECT_THAT(answer.error().message,
                HasSubstr("too many pods: with its 1000000 there would be more than the 20000"));
  }
}

TEST(HostileQuestion, ManyWorkloadsTogetherAreTooMany) {
  std::string body = R"({"objects":[)";
  for (int i = 0; i < 3; ++i) body += WorkloadJson("Deployment", fmt::format("w{}", i), R"("replicas":9000,)") + ",";
  body.back() = ']';

  const Result<std::string> answer = AskCopy("plan", body + "}", 100);

  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("too many pods"));
}

TEST(HostileQuestion, WhatTakesLongEndsWhenItsTimeIsUp) {
  const std::string nodes = R"({"changes":[{"addNodes":{"count":10000,"like":"a"}}]})";
  const std::string pods = R"({"objects":[)" + WorkloadJson("Deployment", "w", R"("replicas":20000,)") + "]}";
  std::string daemons = R"({"objects":[)";
  for (int i = 0; i < 1000; ++i) daemons += WorkloadJson("DaemonSet", fmt::format("d{}", i), "") + ",";
  daemons.back() = ']';
  std::string relabels = R"({"changes":[)";
  for (int i = 0; i < 1000; ++i) {
    relabels += fmt::format(R"({{"label":{{"selector":"kubernetes.io/hostname","labels":{{"x":"{}"}}}}}},)", i);
  }
  relabels.back() = ']';
  for (const std::string& body : {nodes, pods, daemons + "}", relabels + "}"}) {
    SCOPED_TRACE(body.substr(0, 100));
    const Result<std::string> answer = AskCopy("what-if", body, 50);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kDeadline) << answer.error().message;
  }
  const Result<std::string> spread = AskCopy(
      "capacity",
      R"({"pods":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"c",
         "image":"i"}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname",
         "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}}}]}}]})",
      5);
  ASSERT_FALSE(spread);
  EXPECT_EQ(spread.error().code, Code::kDeadline);
}

TEST(HostileQuestion, ItsWorldCanBeLetGoOfWithoutTheCore) {
  const framework::FeatureGates gates;
  auto core = scheduler::Core::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                      std::make_unique<framework::SmallestNameChooser>(), Time{});
  ASSERT_TRUE(core);
  Unhindered pacer;
  for (const char* body :
       {R"({"changes":[{"addNodes":{"count":3,"node":{}}}]})", R"({"changes":[{"cordon":{"names":["nowhere"]}}]})"}) {
    std::shared_ptr<void> world;
    (void)Answer("what-if", {**core, gates, Time{}, &world}, body, pacer);
    ASSERT_NE(world, nullptr) << body;
    EXPECT_EQ(world.use_count(), 1) << body;
    core = (*core)->Copy();  // The one that was asked goes first.
  }
}

TEST(HostileQuestion, TenThousandNodesCanBeAdded) {
  const uint64_t count = CasesOf(200, 10'000);
  const Result<std::string> answer =
      AskCopy("what-if", fmt::format(R"({{"changes":[{{"addNodes":{{"count":{},"like":"a"}}}}]}})", count), UINT64_MAX);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ((*api::ParseTree(*answer))["utilization"]["after"]["cpuMilli"]["allocatable"].IntOr(0),
            static_cast<int64_t>(2000 * (count + 2)));
}

TEST(HostileQuestion, ChangesThatGoInCirclesEnd) {
  // Objects that own each other, and changes that undo each other.
  const auto owned = [](const std::string& name, const std::string& owner) {
    return fmt::format(
        R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","ownerReferences":[{{"apiVersion":"v1","kind":"Pod",)"
        R"("name":"{}","uid":"u-{}","controller":true}}]}},"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})",
        name, owner, owner);
  };
  std::string changes;
  for (int i = 0; i < 100; ++i) {
    changes += fmt::format(
        R"({{"patch":{{"kind":"Node","name":"a","patch":{{"metadata":{{"labels":{{"x":"{}"}}}}}}}}}},)", i % 2);
    changes += R"({"cordon":{"names":["b"]}},{"uncordon":{"names":["b"]}},)";
  }
  changes.pop_back();
  const Result<std::string> answer = AskCopy(
      "what-if", fmt::format(R"({{"changes":[{}],"objects":[{},{}]}})", changes, owned("x", "y"), owned("y", "x")),
      100'000);
  ASSERT_TRUE(answer) << answer.error().message;
}

TEST(HostileQuestion, TextsThatMakeNoSenseAreRefused) {
  const std::string deep = R"({"objects":[)" + std::string(1'000'000, '[');
  const std::string huge = R"({"changes":[{"addNodes":{"count":99999999999999999999999999,"like":"a"}}]})";
  const std::string fraction = R"({"changes":[{"addNodes":{"count":1e3,"like":"a"}}]})";
  const std::string limit = R"({"pods":[{}],"limit":9223372036854775807})";
  for (const std::string& body :
       {deep, huge, fraction, limit, std::string(), std::string("null"), std::string(1000, '\xff')}) {
    for (const std::string_view kind : kQuestionKinds) {
      const Result<AnyQuestion> read = ReadQuestion(kind, body);
      ASSERT_FALSE(read) << kind << " " << body.substr(0, 100);
      EXPECT_EQ(read.error().code, Code::kInvalid) << read.error().message.substr(0, 200);
      EXPECT_LT(read.error().message.size(), 1000U);
    }
  }
}

}  // namespace
}  // namespace berth::explain
