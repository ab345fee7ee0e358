// SPDX-License-Identifier: Apache-2.0
#include "server/rest/openapi_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/wire/json_fields.h"
#include "server/model/resource.h"

namespace berth::server {
namespace {

TEST(OpenApiText, EveryKindHasAText) {
  const Catalog catalog;
  for (const auto& resource : catalog.all()) {
    SCOPED_TRACE(resource->Qualified());
    EXPECT_NE(DescribeMessage(resource->message().name), "");
  }
  EXPECT_EQ(DescribeMessage("io.k8s.api.core.v1.PodList"), "A list of Pod objects.");
}

TEST(OpenApiText, EveryFieldOfAffinityHasAText) {
  for (const std::string_view name :
       {"Affinity", "NodeAffinity", "PodAffinity", "PodAntiAffinity", "PodAffinityTerm", "WeightedPodAffinityTerm",
        "PreferredSchedulingTerm", "NodeSelector", "NodeSelectorTerm", "NodeSelectorRequirement", "Toleration",
        "TopologySpreadConstraint", "ResourceRequirements", "Taint"}) {
    const std::string message = "io.k8s.api.core.v1." + std::string(name);
    SCOPED_TRACE(message);
    EXPECT_NE(DescribeMessage(message), "");
    for (const api::JsonField& field : api::JsonFields::Of(*api::wire::FindMessage(message)).by_name()) {
      EXPECT_NE(DescribeField(message, field.name), "") << field.name;
    }
  }
}

struct ToldRow {
  std::string_view message;
  std::string_view field;
  std::string_view text;
};
constexpr ToldRow kToldRows[] = {
#include "server/rest/openapi_text_fields.inc"
#include "server/rest/openapi_text_kinds.inc"
};

TEST(OpenApiText, TextsAreAboutWhatExists) {
  for (const ToldRow& row : kToldRows) {
    SCOPED_TRACE(std::string(row.message).append(" ").append(row.field));
    std::string name(row.message);
    if (!name.starts_with("io."))
      name.insert(0, name.starts_with("meta.") ? "io.k8s.apimachinery.pkg.apis." : "io.k8s.api.");
    const api::wire::Message* const message = api::wire::FindMessage(name);
    ASSERT_NE(message, nullptr);
    const auto fields = api::JsonFields::Of(*message).by_name();
    const auto is_it = [&](const api::JsonField& field) { return field.name == row.field; };
    EXPECT_TRUE(row.field.empty() || std::ranges::any_of(fields, is_it));
  }
}

}  // namespace
}  // namespace berth::server
