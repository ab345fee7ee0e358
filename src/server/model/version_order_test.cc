// SPDX-License-Identifier: Apache-2.0
#include "server/model/version_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace berth::server {
namespace {

TEST(VersionOrder, StableVersionsGoFirst) {
  std::vector<std::string> versions = {"foo", "v1alpha1", "v11beta2", "v2", "v10", "bar", "v1", "v1beta1", "v12alpha3"};

  std::ranges::sort(versions, VersionGoesBefore);

  const std::vector<std::string> expected = {"v10",       "v2",       "v1",  "v11beta2", "v1beta1",
                                             "v12alpha3", "v1alpha1", "bar", "foo"};
  EXPECT_EQ(versions, expected);
}

}  // namespace
}  // namespace berth::server
