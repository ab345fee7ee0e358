// SPDX-License-Identifier: Apache-2.0
#include "runtime/with_file.h"

#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

TEST(WithFile, PutsTheLineBehindTheFile) {
  EXPECT_EQ(WithFile("a.yaml", "line 7: reason: more"), "a.yaml:7: reason: more");
  EXPECT_EQ(WithFile("a.yaml", "reason: more"), "a.yaml: reason: more");
}

}  // namespace
}  // namespace berth::runtime
