// SPDX-License-Identifier: Apache-2.0
#include "server/rest/warnings.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

using Texts = std::vector<std::string>;

TEST(Warnings, AreToldOnceEach) {
  EXPECT_EQ(ShownWarnings({"b", "a", "", "b"}), (Texts{"b", "a"}));
  const std::string longest(4096, 'x');
  EXPECT_EQ(ShownWarnings({longest}), Texts{longest});
}

TEST(Warnings, AreCutShortWhereThereAreMany) {
  const std::string text = std::string(255, 'x') + "äö";
  const std::string cut = std::string(255, 'x') + "ä";
  EXPECT_EQ(ShownWarnings({text, std::string(4000, 'y')}), (Texts{cut, std::string(256, 'y')}));

  Texts many;
  for (int i = 0; i < 1000; ++i) many.push_back(std::to_string(i) + std::string(300, 'z'));
  const Texts shown = ShownWarnings(many);
  ASSERT_EQ(shown.size(), 16U);
  for (const std::string& each : shown) EXPECT_EQ(each.size(), 256U);
}

}  // namespace
}  // namespace berth::server
