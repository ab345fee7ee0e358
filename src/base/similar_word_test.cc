// SPDX-License-Identifier: Apache-2.0
#include "base/similar_word.h"

#include <gtest/gtest.h>

#include <array>

namespace berth {
namespace {

TEST(SimilarWord, FindsSlipsOfThePen) {
  constexpr std::array<std::string_view, 6> kWords = {"requests", "limits", "operator", "nodeName", "config", "v"};
  const std::array<std::pair<std::string_view, std::string_view>, 9> cases = {{{"request", "requests"},
                                                                               {"opeartor", "operator"},
                                                                               {"nodename", "nodeName"},
                                                                               {"nodeNamee", "nodeName"},
                                                                               {"limitss", "limits"},
                                                                               {"conf", "config"},
                                                                               {"x", ""},
                                                                               {"", ""},
                                                                               {"unrelated", ""}}};

  for (const auto& [written, meant] : cases) {
    SCOPED_TRACE(written);
    EXPECT_EQ(MostSimilar(written, kWords), meant);
  }
}

TEST(SimilarWord, TakesTheNearestAndOfEquallyNearTheFirst) {
  constexpr std::array<std::string_view, 3> kWords = {"topology", "top", "tops"};

  EXPECT_EQ(MostSimilar("topp", kWords), "top");
  EXPECT_EQ(MostSimilar("tops", kWords), "tops");
  EXPECT_EQ(MostSimilar("Nod", std::array<std::string_view, 2>{"Pod", "Node"}), "Node");
}

TEST(SimilarWord, IsSilentAboutWordsWithoutEnd) {
  const std::string longest(64, 'a');
  const std::string longer(65, 'a');
  const std::array<std::string_view, 2> words = {longest, longer};

  EXPECT_EQ(MostSimilar(longest, words), longest);
  EXPECT_EQ(MostSimilar(longer, words), "");
}

TEST(SimilarWord, StandsBehindASentence) {
  constexpr std::array<std::string_view, 1> kWords = {"simulate"};

  EXPECT_EQ("there is no simulte" + DidYouMean("simulte", kWords), "there is no simulte; did you mean simulate?");
  EXPECT_EQ(DidYouMean("replay", kWords), "");
}

}  // namespace
}  // namespace berth
