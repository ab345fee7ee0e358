// SPDX-License-Identifier: Apache-2.0
#include "client/request/write_request.h"

#include <gtest/gtest.h>

#include "api/document/value.h"
#include "api/wire/protobuf.h"

namespace berth::client {
namespace {

TEST(WriteRequest, SendsJsonAsItIs) {
  const RestRequest request = WriteRequest("POST", "/p", api::ParseJson(R"({"a":1})")->root(), kJson);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/p");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.body, R"({"a":1})");
  EXPECT_EQ(request.timeout, kWriteTimeout);
}

TEST(WriteRequest, SendsWhatASchedulerWritesInProtobuf) {
  for (const std::string json :
       {R"({"kind":"Binding","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"u"},)"
        R"("target":{"kind":"Node","name":"n1"}})",
        R"({"kind":"DeleteOptions","apiVersion":"v1"})",
        R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"a.1","namespace":"default"},)"
        R"("eventTime":"2026-01-01T00:00:00.123456Z","reportingController":"s","reportingInstance":"s-h",)"
        R"("action":"Binding","reason":"Scheduled","regarding":{"kind":"Pod","namespace":"default","name":"a",)"
        R"("uid":"u","apiVersion":"v1","resourceVersion":"7"},"note":"done","type":"Normal"})"}) {
    const auto expected = api::ParseJson(json).value();
    const RestRequest request = WriteRequest("POST", "/p", expected.root(), kProtobuf);
    EXPECT_EQ(request.content_type, "application/vnd.kubernetes.protobuf");
    const auto back = api::wire::ParseProtobuf(request.body);
    ASSERT_TRUE(back.has_value()) << back.error().message;
    for (size_t i = 0; i < expected.root().size(); ++i) {
      const std::string_view key = expected.root().key(i);
      EXPECT_EQ(back->root()[key].ToJson(), expected.root()[key].ToJson()) << key;
    }
  }
}

TEST(WriteRequest, FallsBackToJsonForWhatHasNoProtobuf) {
  const auto unheard = api::ParseJson(R"({"kind":"Unheard","apiVersion":"x/v1"})").value();
  const RestRequest request = WriteRequest("PUT", "/p", unheard.root(), kProtobuf);
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.body, R"({"kind":"Unheard","apiVersion":"x/v1"})");
}

TEST(PatchRequest, IsAlwaysJson) {
  const RestRequest request = PatchRequest("/p", "{}");
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.content_type, "application/strategic-merge-patch+json");
}

}  // namespace
}  // namespace berth::client
