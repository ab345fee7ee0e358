// SPDX-License-Identifier: Apache-2.0
#include "plugins/gang_scheduling/gang_scheduling.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::plugins {
namespace {

TEST(GangScheduling, StepsOfASearchAreBounded) {
  const auto is_valid = [](int64_t steps) {
    const std::string path;
    framework::FieldErrors errors;
    GangScheduling::Args args;
    args.search_steps = steps;
    args.Validate({path, framework::FeatureGates(), errors});
    return errors.messages().empty();
  };

  EXPECT_TRUE(is_valid(0));
  EXPECT_TRUE(is_valid(GangScheduling::kSearchStepsMax));
  EXPECT_FALSE(is_valid(GangScheduling::kSearchStepsMax + 1));
  EXPECT_FALSE(is_valid(-1));
}

}  // namespace
}  // namespace berth::plugins
