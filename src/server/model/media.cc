// SPDX-License-Identifier: Apache-2.0
#include "server/model/media.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/ascii.h"

namespace berth::server {
namespace {

struct Clause {
  std::string type;
  std::string as;
  std::string group;
  std::string version;
  double quality = 1;
};

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string_view TakeTrimmed(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return Trim(taken);
}

Clause ParseClause(std::string_view text) {
  Clause clause;
  clause.type = MediaType(TakeTrimmed(text, ';'));
  while (!text.empty()) {
    std::string_view parameter = TakeTrimmed(text, ';');
    const std::string_view name = TakeTrimmed(parameter, '=');
    if (name == "as") clause.as = Trim(parameter);
    if (name == "g") clause.group = Trim(parameter);
    if (name == "v") clause.version = Trim(parameter);
    if (name == "q") std::from_chars(parameter.data(), parameter.data() + parameter.size(), clause.quality);
  }
  return clause;
}

// By descending quality, in their order.
std::vector<Clause> ParseAccept(std::string_view accept) {
  std::vector<Clause> clauses;
  while (!accept.empty()) {
    const std::string_view clause = TakeTrimmed(accept, ',');
    if (!clause.empty()) clauses.push_back(ParseClause(clause));
  }
  std::ranges::stable_sort(clauses, std::ranges::greater(), &Clause::quality);
  return clauses;
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
  if (clause.as == (options.is_list ? "PartialObjectMetadataList" : "PartialObjectMetadata")) {
    return Media::View::kMetadata;
  }
  return std::nullopt;
}

}  // namespace

std::string MediaType(std::string_view header) { return Lower(TakeTrimmed(header, ';')); }

std::optional<Media> NegotiateMedia(std::string_view accept, const MediaOptions& options) {
  if (Trim(accept).empty()) return Media();
  for (const Clause& clause : ParseAccept(accept)) {
    const std::optional<Media::Format> format = FormatOf(clause.type);
    const std::optional<Media::View> view = ViewOf(clause, options);
    const std::string_view version = ViewVersionOf(clause);
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
