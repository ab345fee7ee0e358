// SPDX-License-Identifier: Apache-2.0
#include "server/custom/numbers.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(NormalizeNumbers, WritesWhatADecoderHasRead) {
  Json tree = ParseTree(R"({"a":[1.0,1e2,1.50,-0,-0.0,100000000000000000000,0.1e-7,1e-400],"b":"1.0","c":7})").value();

  ASSERT_TRUE(NormalizeNumbers(tree));

  EXPECT_EQ(tree.ToText(), R"({"a":[1,100,1.5,0,-0,100000000000000000000,1e-8,0],"b":"1.0","c":7})");
}

TEST(NormalizeNumbers, RefusesWhatADoubleCannotHold) {
  Json tree = ParseTree(R"({"a":{"b":[1E400]}})").value();

  const Result<void> done = NormalizeNumbers(tree);

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "json: cannot unmarshal number 1E400 into Go value of type float64");
}

TEST(PrintedDouble, HasAnExponentWhereGoPrintsOne) {
  const std::pair<double, const char*> kCases[] = {
      {0.5, "0.5"},       {100000, "100000"}, {1e6, "1e+06"},    {1234567.5, "1.2345675e+06"},
      {0.0001, "0.0001"}, {0.00001, "1e-05"}, {-1e11, "-1e+11"}, {0, "0"}};
  for (const auto& [number, text] : kCases) EXPECT_EQ(PrintedDouble(number), text);
}

}  // namespace
}  // namespace berth::server
