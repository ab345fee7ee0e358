// SPDX-License-Identifier: Apache-2.0
// Media: in which form a client wants its answer, and in which it sent its body.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::server {

struct Media {
  enum class Format : uint8_t { kJson, kYaml, kProtobuf };
  // What is shown of objects.
  enum class View : uint8_t { kObject, kTable, kMetadata };

  Format format = Format::kJson;
  View view = View::kObject;
  std::string_view view_version = "meta.k8s.io/v1";  // Of tables and metadata.
  bool is_pretty = false;
};

struct MediaOptions {
  bool is_list = false;      // PartialObjectMetadataList may be asked for, instead of PartialObjectMetadata.
  bool is_watch = false;     // Both may be.
  bool shows_tables = true;  // Tables and metadata may be asked for.
  bool is_custom = false;    // Whole objects cannot be asked for as protobuf.
};

// The first form in an Accept header that can be given; nothing if there is none.
std::optional<Media> NegotiateMedia(std::string_view accept, const MediaOptions& options);

std::string_view ContentType(Media::Format format);

// The format of a body by its Content-Type; none is JSON. Nothing: unknown.
std::optional<Media::Format> BodyFormat(std::string_view content_type);

// A media type without its parameters, in lower case.
std::string MediaType(std::string_view header);

}  // namespace berth::server
