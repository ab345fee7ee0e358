// SPDX-License-Identifier: Apache-2.0
#include "server/model/field_errors.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

// The only error, as reason, field and message.
std::string Only(const FieldErrors& errors) {
  EXPECT_EQ(errors.all().size(), 1u);
  const FieldError& error = errors.all().front();
  return error.reason + " " + error.field + ": " + error.message;
}

TEST(FieldErrors, SayWhatUpstreamSays) {
  FieldErrors required, described, invalid, number, duplicate, unsupported, forbidden, missing, long_text, many;
  required.Required("spec.a");
  described.Required("spec.a", "why");
  invalid.Invalid("spec.a", "x\"", "must be y");
  number.Invalid("spec.a", Json::Int(-1), "must be positive");
  duplicate.Duplicate("spec.a[1]", "x");
  unsupported.NotSupported("spec.a", "x", {"Never", "Always"});
  forbidden.Forbidden("spec.a", "not now");
  missing.NotFound("spec.a", "x");
  long_text.TooLong("spec.a", 63);
  many.TooMany("spec.a", 3, 1);

  EXPECT_EQ(Only(required), "FieldValueRequired spec.a: Required value");
  EXPECT_EQ(Only(described), "FieldValueRequired spec.a: Required value: why");
  EXPECT_EQ(Only(invalid), R"(FieldValueInvalid spec.a: Invalid value: "x\"": must be y)");
  EXPECT_EQ(Only(number), "FieldValueInvalid spec.a: Invalid value: -1: must be positive");
  EXPECT_EQ(Only(duplicate), R"(FieldValueDuplicate spec.a[1]: Duplicate value: "x")");
  EXPECT_EQ(Only(unsupported),
            R"(FieldValueNotSupported spec.a: Unsupported value: "x": supported values: "Never", "Always")");
  EXPECT_EQ(Only(forbidden), "FieldValueForbidden spec.a: Forbidden: not now");
  EXPECT_EQ(Only(missing), R"(FieldValueNotFound spec.a: Not found: "x")");
  EXPECT_EQ(Only(long_text), "FieldValueTooLong spec.a: Too long: may not be more than 63 bytes");
  EXPECT_EQ(Only(many), "FieldValueTooMany spec.a: Too many: 3: must have at most 1 item");
}

TEST(FieldErrors, PathsAreWrittenAsUsersKnowThem) {
  EXPECT_EQ(Child("", "spec"), "spec");
  EXPECT_EQ(Key(Child(Index(Child("spec", "containers"), 2), "limits"), "cpu"), "spec.containers[2].limits[cpu]");
}

}  // namespace
}  // namespace berth::server
