// SPDX-License-Identifier: Apache-2.0
#include "client/write_request.h"

#include <utility>

#include "api/value.h"
#include "api/wire/protobuf.h"

namespace berth::client {
namespace {

Result<std::string> Protobuf(std::string_view json) {
  const api::Document document = BERTH_TRY(api::ParseJson(json));
  return api::wire::ToProtobuf(document.root());
}

}  // namespace

RestRequest WriteRequest(std::string method, std::string path, std::string json, std::string_view content_type) {
  RestRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.timeout = kWriteTimeout;
  if (content_type == kProtobuf) {
    if (Result<std::string> body = Protobuf(json)) {
      request.content_type = content_type;
      request.body = *std::move(body);
      return request;
    }
    content_type = kJson;  // Every server takes that, too.
  }
  request.content_type = content_type;
  request.body = std::move(json);
  return request;
}

RestRequest PatchRequest(std::string path, std::string patch) {
  return WriteRequest("PATCH", std::move(path), std::move(patch), kStrategicMergePatch);
}

}  // namespace berth::client
