// SPDX-License-Identifier: Apache-2.0
#include "server/rest/openapi.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "server/rest/aggregated_discovery.h"
#include "server/rest/answer.h"
#include "server/rest/openapi_paths.h"
#include "server/rest/openapi_protobuf.h"
#include "server/rest/openapi_schemas.h"

namespace berth::server {
namespace {

constexpr std::string_view kRoot = "/openapi/v3";
constexpr std::string_view kRootV2 = "/openapi/v2";
constexpr std::string_view kProtobufV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
// What clients ask for; it is answered with the above, which is a media type.
constexpr std::string_view kAskedProtobufV2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

// What both forms have: who this is, the paths and the schemas.
void WriteInfoAndPaths(api::JsonWriter& out, Resources resources, OpenApiSchemas& schemas) {
  out.Key("info").BeginObject().Key("title").String("Kubernetes").Key("version").String("1.37").EndObject();
  out.Key("paths").BeginObject();
  for (const auto& resource : resources) WritePaths(out, *resource, schemas);
  out.EndObject();
}

void WriteSchemas(api::JsonWriter& out, const OpenApiSchemas& schemas) {
  schemas.Write(out);
  out.Key("io.k8s.apimachinery.pkg.apis.meta.v1.Patch").BeginObject().Key("type").String("object").EndObject();
}

std::string MakeText(Resources version) {
  OpenApiSchemas schemas(OpenApiForm::kV3, version.front()->group, version.front()->version);
  api::JsonWriter out;
  out.BeginObject().Key("openapi").String("3.0.0");
  WriteInfoAndPaths(out, version, schemas);
  out.Key("components").BeginObject().Key("schemas").BeginObject();
  WriteSchemas(out, schemas);
  out.EndObject().EndObject().EndObject();
  return out.Take();
}

api::JsonWriter& WriteV2(api::JsonWriter& out, Resources all) {
  OpenApiSchemas schemas(OpenApiForm::kV2, "", "v1");
  out.BeginObject().Key("swagger").String("2.0");
  WriteInfoAndPaths(out, all, schemas);
  out.Key("definitions").BeginObject();
  WriteSchemas(out, schemas);
  return out.EndObject().EndObject();
}

std::string MakeTextV2(Resources all) {
  api::JsonWriter out;
  return WriteV2(out, all).Take();
}

std::string MakeProtobufV2(Resources all) {
  api::JsonWriter out = api::JsonWriter::OfTree();
  return OpenApiToProtobuf(WriteV2(out, all).TakeTree().value().root());
}

void SendEmpty(Call& call, int status, std::vector<net::Header> headers) {
  headers.push_back({"Cache-Control", "no-cache, private"});
  call.exchange->Send(status, std::move(headers), std::make_shared<const std::string>());
}

bool TakesJson(std::string_view accept) {
  return accept.empty() || accept.find("application/json") != std::string_view::npos ||
         accept.find("*/*") != std::string_view::npos || accept.find("application/*") != std::string_view::npos;
}

}  // namespace

void OpenApi::Refresh() {
  if (generation_ == catalog_.generation()) return;
  generation_ = catalog_.generation();
  documents_.clear();
  json_v2_.reset();
  protobuf_v2_.reset();
}

void OpenApi::MakeDocuments() {
  for (Resources rest = catalog_.served(); !rest.empty();) {
    const Resources version = TakeVersion(rest);
    const std::string_view api_version = version.front()->api_version;
    documents_.emplace(fmt::format("{}/{}", version.front()->group.empty() ? "api" : "apis", api_version),
                       MakeText(version));
  }
  index_ = Index();
}

std::string OpenApi::Index() const {
  api::JsonWriter out;
  out.BeginObject().Key("paths").BeginObject();
  for (const auto& [path, document] : documents_) {
    out.Key(path).BeginObject().Key("serverRelativeURL");
    out.String(fmt::format("{}/{}?hash={}", kRoot, path, document.digest)).EndObject();
  }
  out.EndObject().EndObject();
  return out.Take();
}

bool OpenApi::Answer(Call& call) {
  std::string_view path = call.target.path;
  if (!path.starts_with(kRoot) && path != kRootV2) return false;
  Refresh();
  if (path == kRootV2) return AnswerV2(call), true;
  path.remove_prefix(kRoot.size());
  if (documents_.empty()) MakeDocuments();
  if (path.empty()) {
    // Upstream does not say that it is JSON.
    SendText(call, 200, "text/plain; charset=utf-8", index_);
    return true;
  }
  if (!path.starts_with('/')) return false;
  const auto found = documents_.find(path.substr(1));
  if (found == documents_.end()) return SendEmpty(call, 404, {}), true;
  AnswerDocument(call, found->second);
  return true;
}

void OpenApi::AnswerV2(Call& call) {
  const std::string_view accept = call.request.Find("Accept");
  const size_t protobuf = std::min(accept.find(kProtobufV2), accept.find(kAskedProtobufV2));
  const size_t json = std::min({accept.find("application/json"), accept.find("application/*"), accept.find("*/*")});
  // What is named first.
  const bool takes_protobuf = protobuf < json;
  if (!accept.empty() && !takes_protobuf && json == accept.npos) return SendEmpty(call, 406, {{"Vary", "Accept"}});
  if (!takes_protobuf && !json_v2_) json_v2_.emplace(MakeTextV2(catalog_.served()));
  if (takes_protobuf && !protobuf_v2_) protobuf_v2_.emplace(MakeProtobufV2(catalog_.served()));
  SendDocument(call, takes_protobuf ? *protobuf_v2_ : *json_v2_,
               {.content_type = takes_protobuf ? kProtobufV2 : "application/json",
                .cache_control = "no-cache, private",
                .varies_by_accept = true});
}

void OpenApi::AnswerDocument(Call& call, const Document& document) const {
  const std::string_view hash = call.target.query.Get("hash");
  if (!TakesJson(call.request.Find("Accept"))) return SendEmpty(call, 406, {});
  if (!hash.empty() && hash != document.digest) {
    return SendEmpty(call, 301, {{"Location", fmt::format("{}?hash={}", call.target.path, document.digest)}});
  }
  SendDocument(call, document,
               {.content_type = "application/json",
                .cache_control = hash.empty() ? "no-cache, private" : "public, immutable",
                .varies_by_accept = true});
}

}  // namespace berth::server
