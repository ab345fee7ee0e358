// SPDX-License-Identifier: Apache-2.0
#include "server/patch/body.h"

#include <fmt/format.h>

#include "api/typed/typed.h"
#include "api/wire/protobuf.h"
#include "server/model/media.h"
#include "server/patch/managed_fields.h"
#include "server/patch/patch_strictness.h"

namespace berth::server {
namespace {

constexpr size_t kQuotedMax = 1024;
constexpr size_t kShownMax = 30;  // Of a body in an error.

Refusal UnsupportedMedia() {
  return std::unexpected(
      StatusError{.code = 415,
                  .reason = "UnsupportedMediaType",
                  .message = "the body of the request was in an unknown format - accepted media types include: "
                             "application/json, application/yaml, application/vnd.kubernetes.protobuf"});
}

// The bytes as upstream shows them: as they are if they begin like JSON, else in hexadecimal.
std::string Show(std::string_view bytes) {
  if (bytes.empty()) return "<empty>";
  const std::string_view rest = bytes.size() > kShownMax ? " ..." : "";
  bytes = bytes.substr(0, kShownMax);
  if (bytes.starts_with('{')) return fmt::format("{}{}", bytes, rest);
  return fmt::format("{:02x}{}", fmt::join(bytes, ""), rest);
}

Refusal Unrecognized(const BodyKind& kind, std::string_view why, std::string_view bytes) {
  return BadRequest(
      fmt::format("the object provided is unrecognized (must be of type {}): {} ({})", kind.kind, why, Show(bytes)));
}

std::string_view VersionOf(std::string_view api_version) { return api_version.substr(api_version.rfind('/') + 1); }

Refusal CannotBeHandled(std::string_view api_version, std::string_view found, const BodyKind& kind,
                        std::string_view why) {
  return BadRequest(
      fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", found, VersionOf(api_version), kind.kind, why));
}

Outcome<api::Document> Parse(Media::Format format, std::string_view bytes, const BodyKind& kind) {
  switch (format) {
    case Media::Format::kJson: {
      Result<api::Document> document = api::ParseJson(bytes);
      if (!document) {
        const std::string& message = document.error().message;
        const bool is_cut = message.ends_with("ends too early") || message.ends_with("is empty");
        return Unrecognized(kind,
                            fmt::format("couldn't get version/kind; json parse error: {}",
                                        is_cut ? "unexpected end of JSON input" : message),
                            bytes);
      }
      return std::move(*document);
    }
    case Media::Format::kYaml: {
      Result<std::vector<api::Document>> documents = api::ParseYaml(bytes);
      if (!documents) return Unrecognized(kind, "yaml: " + documents.error().message, bytes);
      if (documents->empty()) return api::Document();
      return std::move(documents->front());
    }
    case Media::Format::kProtobuf: {
      if (!api::wire::IsProtobuf(bytes)) {
        return Unrecognized(
            kind, "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]", bytes);
      }
      Result<api::Document> document = api::wire::ParseProtobuf(bytes);
      if (!document) return Unrecognized(kind, document.error().message, bytes);
      return std::move(*document);
    }
  }
  return UnsupportedMedia();
}

// A custom resource of another kind is found out by validation.
Outcome<void> CheckCustomKind(Json& tree, const BodyKind& kind) {
  for (const std::string_view name : {"apiVersion", "kind"}) {
    if (tree[name].text().empty()) tree.Set(name, name == "kind" ? kind.kind : kind.api_version);
  }
  if (tree["apiVersion"].text() == kind.api_version) return {};
  return BadRequest(fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                                tree["apiVersion"].text(), kind.api_version));
}

// An object may leave out what it is; if it says so, it must be right.
Outcome<void> CheckBodyKind(Json& tree, const BodyKind& kind) {
  if (kind.schema.custom() != nullptr) return CheckCustomKind(tree, kind);
  const std::string api_version(tree["apiVersion"].text().empty() ? kind.api_version : tree["apiVersion"].text());
  const std::string name(tree["kind"].text().empty() ? kind.kind : tree["kind"].text());
  const api::wire::Kind* found = api::wire::FindKind(api_version, name);
  if (found != kind.wire) {  // Some kinds are of several versions, such as DeleteOptions.
    if (found == nullptr) {
      return CannotBeHandled(api_version, name, kind,
                             fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme "
                                         "\"pkg/runtime/scheme.go:111\"",
                                         name, api_version));
    }
    return CannotBeHandled(
        api_version, name, kind,
        fmt::format("converting ({0}.{1}) to ({2}): unknown conversion", VersionOf(api_version), name, kind.kind));
  }
  tree.Set("apiVersion", api_version);
  tree.Set("kind", name);
  return {};
}

Outcome<Body> Finish(Json tree, const BodyKind& kind, FieldValidation validation, std::vector<std::string> problems) {
  if (validation == FieldValidation::kStrict && !problems.empty()) {
    return CannotBeHandled(kind.api_version, kind.kind, kind,
                           fmt::format("strict decoding error: {}", fmt::join(problems, ", ")));
  }
  return Body{.object = std::move(tree), .warnings = std::move(problems)};
}

}  // namespace

Outcome<FieldValidation> ParseFieldValidation(std::string_view text) {
  if (text.empty() || text == "Warn") return FieldValidation::kWarn;
  if (text == "Strict") return FieldValidation::kStrict;
  if (text == "Ignore") return FieldValidation::kIgnore;
  FieldErrors errors;
  errors.NotSupported("fieldValidation", text, {"", "Ignore", "Strict", "Warn"});
  return Invalid("meta.k8s.io", "CreateOptions", "", std::move(errors));
}

Outcome<Body> DecodeBody(std::string_view content_type, std::string_view bytes, const BodyKind& kind,
                         FieldValidation validation) {
  const std::optional<Media::Format> format = BodyFormat(content_type);
  if (!format) return UnsupportedMedia();
  const bool is_custom = kind.schema.custom() != nullptr;
  if (is_custom && *format == Media::Format::kProtobuf) return UnsupportedMedia();
  const api::Document document = BERTH_TRY(Parse(*format, bytes, kind));
  if (!document.root().is_map()) {
    if (document.root().is_null() && !bytes.empty()) {
      return Unrecognized(kind, fmt::format("Object 'Kind' is missing in '{}'", bytes.substr(0, kQuotedMax)), bytes);
    }
    return Unrecognized(
        kind,
        fmt::format("couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value "
                    "of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind "
                    "string \"json:\\\"kind,omitempty\\\"\" }}",
                    api::GoKindName(document.root().kind())),
        bytes);
  }
  Json tree = Json::FromValue(document.root());
  BERTH_CHECK_OK(CheckBodyKind(tree, kind));
  std::vector<std::string> problems;
  const bool tells = validation != FieldValidation::kIgnore;
  if (is_custom && tells) problems = FindDuplicates(document.root());
  if (!is_custom && tells && *format != Media::Format::kProtobuf) {
    for (const api::StrictError& error : StrictErrors(document.root(), *kind.schema.message())) {
      problems.push_back(error.ToText());
    }
  }
  MarkCleared(tree);
  const Result<void> canonical = kind.schema.Canonicalize(tree, is_custom && tells ? &problems : nullptr);
  if (!canonical) return CannotBeHandled(kind.api_version, kind.kind, kind, canonical.error().message);
  return Finish(std::move(tree), kind, validation, std::move(problems));
}

}  // namespace berth::server
