// SPDX-License-Identifier: Apache-2.0
#include "client/request/api_error.h"

#include <gtest/gtest.h>

#include "api/document/value.h"
#include "api/wire/protobuf.h"
#include "client/request/rest_client.h"

namespace berth::client {
namespace {

TEST(ApiError, IsTheStatusOfTheServer) {
  ApiError error = ErrorOf(RestAnswer{
      409, "application/json",
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"a\" already exists","reason":"AlreadyExists","code":409})",
      "post pods"});
  EXPECT_EQ(error.status, 409);
  EXPECT_EQ(error.reason, "AlreadyExists");
  EXPECT_EQ(error.message, "pods \"a\" already exists");
}

TEST(ApiError, MayComeInProtobuf) {
  Result<api::Document> status = api::ParseJson(
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","reason":"Expired","code":410})");
  ASSERT_TRUE(status);
  Result<std::string> body = api::wire::ToProtobuf(status->root());
  ASSERT_TRUE(body) << body.error().message;

  ApiError error = ErrorOf(RestAnswer{410, std::string(kProtobuf), *body, "get pods"});

  EXPECT_EQ(error.reason, "Expired");
  EXPECT_EQ(error.message, "too old");
}

TEST(ApiError, OfOtherAnswersIsAGeneralText) {
  struct Case {
    RestAnswer answer;
    std::string reason;
    std::string message;
  };
  for (const Case& item : std::vector<Case>{
           {{404, "text/plain", "404 page not found\n", "get pods web"},
            "NotFound",
            "the server could not find the requested resource (get pods web)"},
           {{401, "", "", ""}, "Unauthorized", "the server has asked for the client to provide credentials"},
           {{403, "text/html", " denied by proxy\n", "get pods"}, "Forbidden", "denied by proxy (get pods)"},
           {{403, "application/json", "{}", ""}, "Forbidden", "unknown"},
           {{409, "", "", "post pods"}, "AlreadyExists", "the server reported a conflict (post pods)"},
           {{409, "", "", "put pods web"}, "Conflict", "the server reported a conflict (put pods web)"},
           {{500, "text/plain", "it \"broke\"", ""},
            "InternalError",
            "an error on the server (\"it \\\"broke\\\"\") has prevented the request from succeeding"},
           {{502, "application/json", "{", ""},
            "InternalError",
            "an error on the server (\"unknown\") has prevented the request from succeeding"},
           {{418, "", "", ""}, "", "the server responded with the status code 418 but did not return more information"},
       }) {
    SCOPED_TRACE(item.answer.status);
    ApiError error = ErrorOf(item.answer);
    EXPECT_EQ(error.status, item.answer.status);
    EXPECT_EQ(error.reason, item.reason);
    EXPECT_EQ(error.message, item.message);
  }
}

TEST(ApiError, SaysWhatWasAskedFor) {
  EXPECT_EQ(AskedFor("GET", "/api/v1/namespaces/default/pods/web/status"), "get pods web");
  EXPECT_EQ(AskedFor("POST", "/api/v1/namespaces/default/pods"), "post pods");
  EXPECT_EQ(AskedFor("GET", "/api/v1/namespaces/default"), "get namespaces default");
  EXPECT_EQ(AskedFor("GET", "/api/v1/nodes"), "get nodes");
  EXPECT_EQ(AskedFor("PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"),
            "put leases.coordination.k8s.io kube-scheduler");
  EXPECT_EQ(AskedFor("GET", "/apis/storage.k8s.io/v1/storageclasses"), "get storageclasses.storage.k8s.io");
  EXPECT_EQ(AskedFor("GET", "/healthz"), "");
  EXPECT_EQ(AskedFor("GET", "/apis"), "");
}

}  // namespace
}  // namespace berth::client
