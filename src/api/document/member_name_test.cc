// SPDX-License-Identifier: Apache-2.0
#include "api/document/member_name.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace berth::api {
namespace {

TEST(MemberName, IsItsText) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("spec"), std::string("metadata"),
        std::string("terminationGracePeriodSeconds"), std::string(65, 'x'), std::string(300, 'y'),
        std::string("a\0b", 3), std::string("k:{\"ip\":\"10.0.0.7\"}")}) {
    const MemberName name(text);
    EXPECT_EQ(name.text(), text);
    EXPECT_EQ(name, text);
    EXPECT_EQ(name, MemberName(text));
    EXPECT_TRUE(name.Is(text, MemberName::OutlineOf(text)));
    const std::string longer = text + "z";
    EXPECT_NE(name, MemberName(longer));
    EXPECT_FALSE(name.Is(longer, MemberName::OutlineOf(longer)));
  }
}

// Of every size around those that outlines tell apart.
TEST(MemberName, DiffersInEveryLetter) {
  for (size_t size = 1; size < 40; ++size) {
    const std::string text(size, 'x');
    const MemberName name(text);
    for (size_t i = 0; i < size; ++i) {
      std::string other = text;
      other[i] = 'y';
      EXPECT_FALSE(name.Is(other, MemberName::OutlineOf(other))) << other;
      EXPECT_NE(name, MemberName(other));
    }
  }
}

TEST(MemberName, IsOrderedByItsText) {
  const std::vector<std::string> texts = {"", "a", "aa", "b", std::string(100, 'b'), "c"};
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t j = 0; j < texts.size(); ++j) {
      EXPECT_EQ(MemberName(texts[i]) < MemberName(texts[j]), i < j) << texts[i] << " " << texts[j];
      EXPECT_EQ(MemberName(texts[i]) < texts[j], i < j) << texts[i] << " " << texts[j];
    }
  }
}

TEST(MemberName, CopiesOutliveTheOriginal) {
  for (const std::string& text : {std::string("short"), std::string(1000, 'n')}) {
    auto original = std::make_unique<MemberName>(text);
    const MemberName copy = *original;
    MemberName moved = std::move(*original);
    original.reset();
    EXPECT_EQ(copy, text);
    EXPECT_EQ(moved, copy);
    moved = MemberName("other");
    EXPECT_EQ(copy, text);
  }
}

// More than the table holds: those that find no room are names as well.
TEST(MemberName, ManyNamesAreTheirTexts) {
  std::vector<MemberName> names;
  for (int i = 0; i < 20'000; ++i) names.emplace_back("many-" + std::to_string(i));

  for (int i = 0; i < 20'000; ++i) {
    const std::string text = "many-" + std::to_string(i);
    ASSERT_EQ(names[static_cast<size_t>(i)], text);
    ASSERT_EQ(names[static_cast<size_t>(i)], MemberName(text));
  }
}

TEST(MemberName, ThreadsAgree) {
  std::vector<std::vector<MemberName>> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<MemberName>& names : found) {
      threads.emplace_back([&names] {
        for (int i = 0; i < 500; ++i) names.emplace_back("shared-" + std::to_string(i));
      });
    }
  }

  for (const std::vector<MemberName>& names : found) EXPECT_EQ(names, found[0]);
}

}  // namespace
}  // namespace berth::api
