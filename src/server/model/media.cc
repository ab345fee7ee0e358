// SPDX-License-Identifier: Apache-2.0
#include "server/model/media.h"

#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "net/accept.h"

namespace berth::server {
namespace {

struct Clause {
  std::string type;
  std::string as;
  std::string group;
  std::string version;
};

Clause MakeClause(net::AcceptClause accepted) {
  const auto parameter = [&](const char* name) { return std::move(accepted.parameters[name]); };
  return {Lower(accepted.type + '/' + accepted.subtype), parameter("as"), parameter("g"), parameter("v")};
}

std::optional<Media::Format> FormatOf(std::string_view type) {
  if (type == "application/json" || type == "*/*" || type == "application/*") return Media::Format::kJson;
  if (type == "application/yaml") return Media::Format::kYaml;
  if (type == "application/vnd.kubernetes.protobuf") return Media::Format::kProtobuf;
  return std::nullopt;
}

// The version in which tables and metadata are wanted; "" if it is not known.
std::string_view ViewVersionOf(const Clause& clause) {
  if (clause.as.empty()) return "meta.k8s.io/v1";
  if (clause.group != "meta.k8s.io") return {};
  if (clause.version == "v1beta1") return "meta.k8s.io/v1beta1";
  return clause.version == "v1" ? "meta.k8s.io/v1" : std::string_view();
}

std::optional<Media::View> ViewOf(const Clause& clause, const MediaOptions& options) {
  if (clause.as.empty()) return Media::View::kObject;
  if (!options.shows_tables) return std::nullopt;
  if (clause.as == "Table") return Media::View::kTable;
  const bool is_one = clause.as == "PartialObjectMetadata" && (!options.is_list || options.is_watch);
  if (is_one || (options.is_list && clause.as == "PartialObjectMetadataList")) return Media::View::kMetadata;
  return std::nullopt;
}

}  // namespace

std::string MediaType(std::string_view header) { return Lower(Trim(TakeUntil(header, ';'), kBlanks)); }

std::optional<Media> NegotiateMedia(std::string_view accept, const MediaOptions& options) {
  if (Trim(accept, kBlanks).empty()) return Media();
  for (net::AcceptClause& accepted : net::ParseAccept(accept)) {
    const Clause clause = MakeClause(std::move(accepted));
    const std::optional<Media::Format> format = FormatOf(clause.type);
    const std::optional<Media::View> view = ViewOf(clause, options);
    const std::string_view version = ViewVersionOf(clause);
    if (options.is_custom && format == Media::Format::kProtobuf && view == Media::View::kObject) continue;
    if (format && view && !version.empty()) return Media{.format = *format, .view = *view, .view_version = version};
  }
  return std::nullopt;
}

std::string_view ContentType(Media::Format format) {
  switch (format) {
    case Media::Format::kJson: return "application/json";
    case Media::Format::kYaml: return "application/yaml";
    case Media::Format::kProtobuf: return "application/vnd.kubernetes.protobuf";
  }
  return {};
}

std::optional<Media::Format> BodyFormat(std::string_view content_type) {
  const std::string type = MediaType(content_type);
  if (type.empty()) return Media::Format::kJson;
  if (type == "*/*" || type == "application/*") return std::nullopt;
  return FormatOf(type);
}

}  // namespace berth::server
