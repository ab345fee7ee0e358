// SPDX-License-Identifier: Apache-2.0
#include "server/custom/definition_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Json DefinitionOf(std::string_view property) {
  const std::string schema = R"({"openAPIV3Schema":{"properties":{"a":)" + std::string(property) + "}}}";
  return ParseTree(R"({"spec":{"versions":[{"name":"v1","schema":)" + schema + R"(},{"name":"v2","schema":)" + schema +
                   "}]}}")
      .value();
}

TEST(DefinitionWarnings, NameFormatsThatNobodyChecks) {
  EXPECT_THAT(DefinitionWarnings(DefinitionOf(R"({"items":{"type":"string","format":"x-mine"}})")),
              ElementsAre("unrecognized format \"x-mine\""));
  EXPECT_THAT(DefinitionWarnings(DefinitionOf(R"({"type":"string","format":"date-time"})")), IsEmpty());
  EXPECT_THAT(DefinitionWarnings(DefinitionOf(R"({"type":"integer","format":"int32"})")), IsEmpty());
}

TEST(DefinitionWarnings, NameSetsOfThingsWithoutAValue) {
  EXPECT_THAT(DefinitionWarnings(DefinitionOf(R"({"x-kubernetes-list-type":"set","items":{"type":"array"}})")),
              ElementsAre("x-kubernetes-list-type: set for items of type \"array\" is not supported by server-side "
                          "apply or CEL validation rules"));
  EXPECT_THAT(DefinitionWarnings(DefinitionOf(R"({"x-kubernetes-list-type":"set","items":{"type":"string"}})")),
              IsEmpty());
}

}  // namespace
}  // namespace berth::server
