// SPDX-License-Identifier: Apache-2.0
#include "server/custom/rules.h"

#include <gtest/gtest.h>

#include <string>

#include "server/custom/schema_rules.h"
#include "server/custom/test_quoted.h"

namespace berth::server {
namespace {

TEST(SchemaRules, ExpressionsOfASchemaAreBounded) {
  const auto errors_of = [](size_t bytes) {
    const Json rule{{"rule", Json::String("true || '" + std::string(bytes, 'x') + "' == ''")}};
    const Json schema{{"type", Json::String("object")}, {"x-kubernetes-validations", Json::MakeList({rule, rule})}};
    FieldErrors errors;
    ValidateSchema(schema, "schema", false, {}, errors);
    return errors;
  };

  EXPECT_TRUE(errors_of(90'000).empty());
  const FieldErrors errors = errors_of(132'000);
  ASSERT_EQ(errors.all().size(), 1U);
  EXPECT_EQ(errors.all()[0].message,
            "Forbidden: the expressions of x-kubernetes-validations have 264032 bytes together, and may have 262144");
}

TEST(Rules, WhatTheySayIsBounded) {
  const Schema schema = ReadSchema(
      Quoted("{'type':'array','items':{'type':'integer','x-kubernetes-validations':[{'rule':'false','message':'" +
             std::string(1000, 'm') + "'}]}}"));
  const auto rules = Rules::Make(schema, false);
  Json list = Json::MakeList();
  for (int i = 0; i < 5000; ++i) list.Append(Json::Int(i));
  FieldErrors errors;

  const int64_t left = rules->Check(list, nullptr, true, "list", Rules::kBudget, errors);

  EXPECT_LT(left, 0);
  EXPECT_GT(errors.all().size(), 1000U);
  EXPECT_LT(errors.all().size(), 1100U);
}

TEST(Rules, WhatCostsNothingIsBounded) {
  const Schema schema =
      ReadSchema(Quoted("{'type':'array','items':{'type':'integer','x-kubernetes-validations':[{'rule':'true'}]}}"));
  const auto rules = Rules::Make(schema, false);
  const Json list = Quoted("[1,2,3,4,5]");
  FieldErrors errors;

  EXPECT_EQ(rules->Check(list, nullptr, true, "list", 5, errors), 0);
  EXPECT_TRUE(errors.empty());
  EXPECT_LT(rules->Check(list, nullptr, true, "list", 4, errors), 0);
  EXPECT_EQ(errors.all().size(), 1U);
}

TEST(Rules, AWarningIsGivenWhereAValueStays) {
  const Schema schema = ReadSchema(
      Quoted("{'type':'object','properties':{'a':{'type':'integer','x-kubernetes-validations':[{'rule':'self < "
             "5'}]},'b':{'type':'integer'}}}"));
  const auto rules = Rules::Make(schema, true);
  FieldErrors errors;

  rules->Check(Quoted("{'a':9,'b':2}"), nullptr, true, "", Rules::kBudget, errors);
  ASSERT_EQ(errors.all().size(), 1U);
  const Json old = Quoted("{'a':9,'b':1}");
  FieldErrors later;
  rules->Check(Quoted("{'a':9,'b':2}"), &old, true, "", Rules::kBudget, later);

  EXPECT_TRUE(later.empty());
  EXPECT_EQ(later.warnings(), std::vector<std::string>{"a: Invalid value: 9: failed rule: self < 5"});
}

}  // namespace
}  // namespace berth::server
