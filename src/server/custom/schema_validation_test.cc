// SPDX-License-Identifier: Apache-2.0
#include "server/custom/schema_validation.h"

#include <gtest/gtest.h>

#include <string>

#include "server/custom/schema_values.h"
#include "server/custom/test_quoted.h"

namespace berth::server {
namespace {

std::string Errors(const std::string& schema, const std::string& value, const std::string& old = "") {
  FieldErrors errors;
  const Json before = Quoted(old);
  ValidateValue(Quoted(value), old.empty() ? nullptr : &before, ReadSchema(Quoted(schema)), "", errors);
  std::string text;
  for (const FieldError& error : errors.all()) text += error.field + ": " + error.message + "\n";
  return text;
}

TEST(SchemaValidation, TellsWhatIsWrongInUpstreamsWords) {
  const std::string a = "{'type':'object','properties':{'a':{";
  EXPECT_EQ(Errors(a + "'type':'string'}}}", "{'a':1}"),
            "a: Invalid value: \"integer\": a in body must be of type string: \"integer\"\n");
  EXPECT_EQ(Errors(a + "'type':'integer'}}}", "{'a':1.0}"), "");
  EXPECT_EQ(Errors(a + "'type':'integer'}}}", "{'a':null}"),
            "a: Invalid value: \"null\": a in body must be of type integer: \"null\"\n");
  EXPECT_EQ(Errors(a + "'type':'integer','nullable':true}}}", "{'a':null}"), "");
  EXPECT_EQ(Errors(a + "'type':'integer','format':'int32'}}}", "{'a':4294967296}"),
            "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in a\n");
  EXPECT_EQ(Errors(a + "'type':'number','minimum':1.5,'exclusiveMinimum':true}}}", "{'a':1.5}"),
            "a: Invalid value: 1.5: a in body should be greater than 1.5\n");
  EXPECT_EQ(Errors(a + "'type':'integer','multipleOf':3}}}", "{'a':4}"),
            "a: Invalid value: 4: a in body should be a multiple of 3\n");
  EXPECT_EQ(Errors(a + "'type':'string','minLength':3}}}", "{'a':'xy'}"),
            "a: Invalid value: \"xy\": a in body should be at least 3 chars long\n");
  EXPECT_EQ(Errors(a + "'type':'string','pattern':'^x+$'}}}", "{'a':'xy'}"),
            "a: Invalid value: \"xy\": a in body should match '^x+$'\n");
  EXPECT_EQ(Errors(a + "'type':'string','format':'date-time'}}}", "{'a':'now'}"),
            "a: Invalid value: \"now\": a in body must be of type date-time: \"now\"\n");
  EXPECT_EQ(Errors(a + "'type':'array','minItems':2,'items':{'type':'string'}}}}", "{'a':['x']}"),
            "a: Invalid value: 1: a in body should have at least 2 items\n");
  EXPECT_EQ(Errors(a + "'type':'object','maxProperties':1,'additionalProperties':{'type':'string'}}}}",
                   "{'a':{'x':'1','y':'2'}}"),
            "a: Too many: 2: must have at most 1 item\n");
  EXPECT_EQ(Errors("{'type':'object','required':['b']}", "{}"), "b: Required value\n");
}

TEST(SchemaValidation, NumbersAreComparedAsUpstreamDoesIt) {
  const std::string a = "{'type':'object','properties':{'a':{'type':'number',";
  EXPECT_EQ(Errors(a + "'minimum':0.5}}}", "{'a':0}"), "");
  EXPECT_EQ(Errors(a + "'minimum':0.5}}}", "{'a':0.25}"),
            "a: Invalid value: 0.25: a in body should be greater than or equal to 0.5\n");
  EXPECT_EQ(Errors(a + "'maximum':1e10}}}", "{'a':1.5e11}"),
            "a: Invalid value: 1.5e+11: a in body should be less than or equal to 1e+10\n");
  EXPECT_EQ(Errors(a + "'multipleOf':0.1}}}", "{'a':0.3}"), "");
  EXPECT_EQ(Errors(a + "'format':'float'}}}", "{'a':1.5e39}"),
            "<nil>: Invalid value: \"\": Checked value must be of type number with format float in a\n");
}

TEST(SchemaValidation, MembersOfMapsAtTheRootAreNamedWithADot) {
  EXPECT_EQ(Errors("{'type':'object','additionalProperties':{'type':'integer'}}", "{'a':'b'}"),
            "a: Invalid value: \"string\": .a in body must be of type integer: \"string\"\n");
}

TEST(SchemaValidation, AlternativesTellOfTheBest) {
  const std::string schema =
      "{'type':'object','properties':{'a':{'type':'integer'},'b':{'type':'integer'}},"
      "'oneOf':[{'required':['a']},{'required':['b']}]}";

  EXPECT_EQ(Errors(schema, "{'a':1}"), "");
  EXPECT_EQ(
      Errors(schema, "{'a':1,'b':1}"),
      "<nil>: Invalid value: \"\": \"\" must validate one and only one schema (oneOf). Found 2 valid alternatives\n");
  EXPECT_EQ(Errors(schema, "{}"),
            "<nil>: Invalid value: \"\": \"\" must validate one and only one schema (oneOf). Found none valid\n"
            "a: Required value\n");
}

TEST(SchemaValidation, WhatStaysAsItWasMayBeWrong) {
  const std::string schema =
      "{'type':'object','properties':{'a':{'type':'integer','maximum':3},'b':{'type':'integer'},"
      "'l':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k'],"
      "'items':{'type':'object','properties':{'k':{'type':'string'},'v':{'type':'integer','maximum':3}}}}}}";

  EXPECT_EQ(Errors(schema, "{'a':5,'b':2}", "{'a':5,'b':1}"), "");
  EXPECT_EQ(Errors(schema, "{'l':[{'k':'y','v':1},{'k':'x','v':9}]}", "{'l':[{'k':'x','v':9}]}"), "");
  EXPECT_NE(Errors(schema, "{'l':[{'k':'y','v':9}]}", "{'l':[{'k':'x','v':9}]}"), "");
}

TEST(SchemaValidation, TakesNotAnyNumberOfSteps) {
  std::string alternatives;
  for (int i = 0; i < 3000; ++i) alternatives += (i == 0 ? "" : ",") + std::string("{'minimum':5}");
  std::string items;
  for (int i = 0; i < 400; ++i) items += i == 0 ? "1" : ",1";

  const std::string errors =
      Errors("{'type':'array','items':{'type':'integer','anyOf':[" + alternatives + "]}}", "[" + items + "]");

  EXPECT_NE(errors.find("takes too many steps"), std::string::npos);
}

TEST(SchemaValues, PruneAndDefault) {
  const Schema schema = ReadSchema(
      Quoted("{'type':'object','properties':{'a':{'type':'object','properties':{'x':{'type':'string','default':'d'}}},"
             "'m':{'type':'object','additionalProperties':{'type':'object','properties':{'n':{'type':'integer'}}}},"
             "'n':{'type':'string','nullable':true},'r':{'type':'object','x-kubernetes-embedded-resource':true,"
             "'x-kubernetes-preserve-unknown-fields':true}}}"));
  Json object = Quoted(
      "{'kind':'K','metadata':{'name':'x'},'a':{'x':null,'y':1},'m':{'k':{'n':1,'o':2}},'n':null,'z':1,"
      "'r':{'kind':'P','metadata':{'name':'q','odd':1},'any':1}}");
  std::vector<std::string> unknown;

  ASSERT_TRUE(SettleMetadata(object, schema, &unknown));
  PruneObject(object, schema, &unknown);
  DefaultObject(object, schema);

  EXPECT_EQ(object, Quoted("{'kind':'K','metadata':{'name':'x'},'a':{'x':'d'},'m':{'k':{'n':1}},'n':null,"
                           "'r':{'kind':'P','metadata':{'name':'q'},'any':1}}"));
  EXPECT_EQ(unknown, (std::vector<std::string>{"a.y", "m.k.o", "r.metadata.odd", "z"}));
}

}  // namespace
}  // namespace berth::server
