// SPDX-License-Identifier: Apache-2.0
#include "server/custom/schema_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "server/custom/test_quoted.h"

namespace berth::server {
namespace {

std::string Errors(const std::string& schema) {
  FieldErrors errors;
  ValidateSchema(Quoted(schema), "s", false, {}, errors);
  std::string text;
  for (const FieldError& error : errors.all()) text += error.field + ": " + error.message + "\n";
  return text;
}

TEST(ValidateSchema, OnlyTheRootMustHaveWhatAlternativesJudge) {
  EXPECT_EQ(Errors("{'type':'object','not':{'properties':{'a':{'minLength':1}}}}"),
            "s.properties[a]: Required value: because it is defined in s.not.properties[a]\n");
  EXPECT_EQ(Errors("{'type':'object','properties':{'x':{'type':'object','not':{'properties':{'a':{'minLength':1}}}}}}"),
            "");
}

TEST(ValidateSchema, WhatCannotBeStructuralIsNotJudgedAsSuch) {
  EXPECT_EQ(Errors("{'type':'object','properties':{'x':{'$ref':'#/y'}}}"),
            "s.properties[x].$ref: Forbidden: $ref is not supported\n");
  EXPECT_EQ(Errors("{'type':'object','properties':{'x':{'type':'array','items':[{'type':'string'}]}}}"),
            "s.properties[x].items: Forbidden: items must be a schema object and not an array\n");
}

TEST(ValidateSchema, DefaultsThatAreResourcesSayWhatTheyAre) {
  EXPECT_EQ(Errors("{'type':'object','properties':{'x':{'type':'object','x-kubernetes-embedded-resource':true,"
                   "'x-kubernetes-preserve-unknown-fields':true,'default':{'kind':''}}}}"),
            "s.properties[x].default.apiVersion: Required value\n"
            "s.properties[x].default.kind: Invalid value: \"\": must not be empty\n");
}

TEST(NormalizeMembers, DropsWhatUpstreamLeavesOut) {
  Json schema = Quoted(
      "{'type':'array','default':null,'uniqueItems':false,'enum':[],'other':1,"
      "'items':{'type':'string','default':'','nullable':false,'minLength':0},"
      "'x-kubernetes-preserve-unknown-fields':false}");

  NormalizeMembers(schema);

  EXPECT_EQ(schema.ToText(), Quoted("{'items':{'default':'','minLength':0,'type':'string'},'type':'array',"
                                    "'x-kubernetes-preserve-unknown-fields':false}")
                                 .ToText());
}

}  // namespace
}  // namespace berth::server
