// SPDX-License-Identifier: Apache-2.0
#include "api/parts/name_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(NameValidation, TellsWhatIsWrongWithALabel) {
  EXPECT_THAT(ValidateDnsLabel("1a-b"), IsEmpty());
  EXPECT_THAT(ValidateDnsLabel("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(ValidateDnsLabel(std::string(64, 'a')), ElementsAre("must be no more than 63 characters"));
  EXPECT_THAT(ValidateDnsLabel("-"), ElementsAre(StartsWith("a lowercase RFC 1123 label must")));
  EXPECT_THAT(ValidateDns1035Label("a-1"), IsEmpty());
  EXPECT_THAT(ValidateDns1035Label("1a"), ElementsAre(StartsWith("a DNS-1035 label must")));
  EXPECT_THAT(ValidateDns1035Label(""), ElementsAre(StartsWith("a DNS-1035 label must")));
}

}  // namespace
}  // namespace berth::api
