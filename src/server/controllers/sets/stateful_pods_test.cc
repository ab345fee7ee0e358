// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/stateful_pods.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(StatefulPods, OnlyNamesThatTheSetGivesHaveANumber) {
  EXPECT_EQ(OrdinalOf("db-0", "db"), 0);
  EXPECT_EQ(OrdinalOf("db-12", "db"), 12);
  for (const char* name : {"db", "db-", "db-x", "db-1x", "db-01", "db--1", "dbx-1", "other-1", "db-99999999999"}) {
    EXPECT_EQ(OrdinalOf(name, "db"), -1) << name;
  }
}

}  // namespace
}  // namespace berth::server
