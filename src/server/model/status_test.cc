// SPDX-License-Identifier: Apache-2.0
#include "server/model/status.h"

#include <gtest/gtest.h>

#include "api/typed/typed.h"
#include "server/model/resource.h"

namespace berth::server {
namespace {

std::string TextOf(const Refusal& refusal) {
  return EncodeJson(refusal.error().ToJson(), *api::wire::FindMessage("io.k8s.apimachinery.pkg.apis.meta.v1.Status"));
}

const Resource& PriorityClasses() {
  static const Catalog kCatalog;
  return kCatalog.Get("scheduling.k8s.io", "priorityclasses");
}

constexpr std::string_view kHead = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")";

std::string Status(std::string_view rest) { return std::string(kHead).append(rest); }

TEST(Status, NamesTheResourceAndItsGroup) {
  EXPECT_EQ(TextOf(NotFound(PriorityClasses(), "x")),
            Status(R"(priorityclasses.scheduling.k8s.io \"x\" not found","reason":"NotFound","details":{"name":"x",)"
                   R"("group":"scheduling.k8s.io","kind":"priorityclasses"},"code":404})"));
  EXPECT_EQ(Forbidden(PriorityClasses(), "", "why").error().message,
            "priorityclasses.scheduling.k8s.io is forbidden: why");
  EXPECT_EQ(Conflict(PriorityClasses(), "x", "why").error().message,
            "Operation cannot be fulfilled on priorityclasses.scheduling.k8s.io \"x\": why");
}

TEST(Status, ListsAllThatIsInvalid) {
  FieldErrors one, two;
  one.Required("value");
  two.Required("a");
  two.Required("b");
  two.Required("a");

  EXPECT_EQ(TextOf(Invalid(PriorityClasses(), "x", std::move(one))),
            Status(R"(PriorityClass.scheduling.k8s.io \"x\" is invalid: value: Required value","reason":"Invalid",)"
                   R"("details":{"name":"x","group":"scheduling.k8s.io","kind":"PriorityClass","causes":[{"reason":)"
                   R"("FieldValueRequired","message":"Required value","field":"value"}]},"code":422})"));
  const Refusal refusal = Invalid("", "Pod", "x", std::move(two));
  EXPECT_EQ(refusal.error().message, "Pod \"x\" is invalid: [a: Required value, b: Required value]");
  EXPECT_EQ(refusal.error().causes.size(), 2u);
}

TEST(Status, DetailsAreThereOnlyWhereUpstreamHasThem) {
  EXPECT_EQ(TextOf(BadRequest("no")), Status(R"(no","reason":"BadRequest","code":400})"));
  EXPECT_EQ(TextOf(TooManyRequests("no", 0)), Status(R"(no","reason":"TooManyRequests","details":{},"code":429})"));
  EXPECT_EQ(TextOf(TooManyRequests("no", 10)),
            Status(R"(no","reason":"TooManyRequests","details":{"retryAfterSeconds":10},"code":429})"));
  EXPECT_EQ(TextOf(InternalError("no")),
            Status(R"(Internal error occurred: no","reason":"InternalError","details":{"causes":[{"message":"no"}]},)"
                   R"("code":500})"));
}

}  // namespace
}  // namespace berth::server
