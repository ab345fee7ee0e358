// SPDX-License-Identifier: Apache-2.0
#include "client/request/write_request.h"

#include <utility>

#include "api/wire/protobuf.h"

namespace berth::client {
namespace {

RestRequest RequestOf(std::string method, std::string path, std::string body, std::string_view content_type) {
  RestRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.timeout = kWriteTimeout;
  request.content_type = content_type;
  request.body = std::move(body);
  return request;
}

}  // namespace

RestRequest WriteRequest(std::string method, std::string path, api::Value object, std::string_view content_type) {
  if (content_type == kProtobuf) {
    if (Result<std::string> body = api::wire::ToProtobuf(object)) {
      return RequestOf(std::move(method), std::move(path), *std::move(body), kProtobuf);
    }
  }
  return JsonRequest(std::move(method), std::move(path), object.ToJson());  // Every server takes that.
}

RestRequest JsonRequest(std::string method, std::string path, std::string json) {
  return RequestOf(std::move(method), std::move(path), std::move(json), kJson);
}

RestRequest PatchRequest(std::string path, std::string patch) {
  return RequestOf("PATCH", std::move(path), std::move(patch), kStrategicMergePatch);
}

}  // namespace berth::client
