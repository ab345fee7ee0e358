// SPDX-License-Identifier: Apache-2.0
#include "cluster/tables/chunked_map.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {
namespace {

using Map = ChunkedMap<std::string, int>;
using Pairs = std::vector<std::pair<std::string, int>>;

Pairs All(const auto& map) { return Pairs(map.begin(), map.end()); }

void ChangeBoth(Map& map, std::map<std::string, int>& model, Random& random, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string key = std::to_string(random.Below(1'000));
    switch (random.Below(4)) {
      case 0: EXPECT_EQ(map.Erase(key), model.erase(key) != 0); break;
      case 1:
        if (int* value = map.Edit(key)) ++*value;
        if (const auto it = model.find(key); it != model.end()) ++it->second;
        break;
      default:
        map[key] = i;
        model[key] = i;
        break;
    }
  }
}

TEST(ChunkedMap, IsASortedMapOfWhichCopiesAreIndependent) {
  Random random(1);
  Map map;
  std::map<std::string, int> model;
  std::vector<std::pair<Map, std::map<std::string, int>>> copies;
  for (int round = 0; round < 20; ++round) {
    ChangeBoth(map, model, random, 300);
    copies.emplace_back(map, model);
    auto& [copy, copy_model] = copies[random.Below(copies.size())];
    ChangeBoth(copy, copy_model, random, 300);
  }
  copies.emplace_back(map, model);

  for (const auto& [copy, copy_model] : copies) {
    ASSERT_EQ(All(copy), All(copy_model));
    ASSERT_EQ(copy.size(), copy_model.size());
    for (int i = 0; i < 1'010; ++i) {
      const std::string key = std::to_string(i);
      const auto wanted = copy_model.lower_bound(key);
      const auto found = copy.lower_bound(key);
      ASSERT_EQ(found == copy.end(), wanted == copy_model.end());
      if (found != copy.end()) {
        ASSERT_EQ(found->first, wanted->first);
      }
      ASSERT_EQ(copy.contains(key), copy_model.contains(key));
    }
  }
}

TEST(ChunkedMap, EndsEmpty) {
  ChunkedMap<int, int> map;
  for (int i = 0; i < 1'000; ++i) map[i] = i;
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(map.Erase((i * 7) % 1'000));

  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.begin(), map.end());
  EXPECT_EQ(map.lower_bound(0), map.end());
  EXPECT_EQ(map.Edit(0), nullptr);
  EXPECT_FALSE(map.Erase(0));
}

TEST(ShardedMap, CopiesAreIndependent) {
  ShardedMap<StringMap<int>> map;
  for (int i = 0; i < 5'000; ++i) map[std::to_string(i)] = i;
  ShardedMap<StringMap<int>> copy = map;

  for (int i = 0; i < 5'000; i += 2) EXPECT_TRUE(copy.Erase(std::to_string(i)));
  *map.Edit("1") = -1;
  map["new"] = 1;

  EXPECT_EQ(map.size(), 5'001U);
  EXPECT_EQ(copy.size(), 2'500U);
  EXPECT_EQ(*copy.Find("1"), 1);
  EXPECT_EQ(*map.Find("1"), -1);
  EXPECT_FALSE(copy.contains("new"));
  EXPECT_EQ(copy.Edit("0"), nullptr);
  EXPECT_FALSE(copy.Erase("0"));
  int64_t sum = 0;
  copy.ForEach([&](const std::string&, int value) { sum += value; });
  EXPECT_EQ(sum, 2'500 * 2'500);
}

}  // namespace
}  // namespace berth::cluster
