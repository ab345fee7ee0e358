// SPDX-License-Identifier: Apache-2.0
#include "runtime/files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/test_files.h"

namespace berth::runtime {
namespace {

TEST(ReadFile, TakesNoMoreThanItsLimit) {
  constexpr size_t kLimit = size_t{64} << 20;
  const TestDirectory directory;
  const std::string file = directory.Write("zeros", "");

  std::filesystem::resize_file(file, kLimit);
  const Result<std::string> all = ReadFile(file);
  std::filesystem::resize_file(file, kLimit + 1);
  const Result<std::string> refused = ReadFile(file);

  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), kLimit);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "read " + file + ": file too large");
}

}  // namespace
}  // namespace berth::runtime
