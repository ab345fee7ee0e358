// SPDX-License-Identifier: Apache-2.0
#include "server/model/strategy.h"
#include "server/model/test_tree.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

class WithStatus : public Strategy {
 public:
  bool has_status() const override { return true; }
};

Json Budget(std::string_view rest) {
  return TreeOf(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget",)" + std::string(rest) + "}");
}

TEST(Strategy, StatusIsNotTakenAtCreation) {
  Json budget = Budget(R"("status":{"currentHealthy":3})");
  Json kept = budget;
  WithStatus().PrepareCreate(budget);
  Strategy().PrepareCreate(kept);

  EXPECT_EQ(budget["status"],
            TreeOf(R"({"currentHealthy":0,"desiredHealthy":0,"disruptionsAllowed":0,"expectedPods":0})"));
  EXPECT_EQ(kept["status"]["currentHealthy"].AsInt(), 3);
}

TEST(Strategy, UpdatesChangeAllButTheStatus) {
  const Json old = Budget(R"("spec":{"maxUnavailable":1},"status":{"currentHealthy":3})");
  Json budget = Budget(R"("spec":{"maxUnavailable":2},"status":{"currentHealthy":4})");
  WithStatus().PrepareUpdate(budget, old);

  EXPECT_EQ(budget, Budget(R"("spec":{"maxUnavailable":2},"status":{"currentHealthy":3})"));
}

TEST(Strategy, StatusUpdatesChangeStatusAndMetadata) {
  const Json old = Budget(R"("metadata":{"name":"x"},"spec":{"maxUnavailable":1},"status":{"currentHealthy":3})");
  Json budget = Budget(R"("metadata":{"labels":{"a":"b"},"name":"x"},"status":{"currentHealthy":4},"data":{})");
  WithStatus().PrepareStatusUpdate(budget, old);

  EXPECT_EQ(budget, Budget(R"("metadata":{"labels":{"a":"b"},"name":"x"},"spec":{"maxUnavailable":1},)"
                           R"("status":{"currentHealthy":4})"));
}

TEST(Strategy, SelectableFieldsAreFoundByTheirPath) {
  const Json node = TreeOf(R"({"spec":{"unschedulable":true,"taints":[]},"status":{"phase":"Running","n":3}})");

  EXPECT_EQ(Strategy().SelectableField(node, "spec.unschedulable"), "true");
  EXPECT_EQ(Strategy().SelectableField(node, "status.phase"), "Running");
  EXPECT_EQ(Strategy().SelectableField(node, "status.n"), "3");
  EXPECT_EQ(Strategy().SelectableField(node, "status.phase.more"), "");
  EXPECT_EQ(Strategy().SelectableField(node, "spec.nodeName"), "");
}

}  // namespace
}  // namespace berth::server
