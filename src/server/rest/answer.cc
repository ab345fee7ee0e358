// SPDX-License-Identifier: Apache-2.0
#include "server/rest/answer.h"

#include <fmt/format.h>

#include "api/document/field_error.h"
#include "api/document/yaml_writer.h"
#include "api/typed/typed.h"
#include "api/wire/protobuf.h"
#include "server/objects/objects.h"
#include "server/rest/list_encoding.h"
#include "server/rest/warnings.h"
#include "server/tables/table.h"

namespace berth::server {
namespace {

using View = Media::View;

std::vector<net::Header> Headers(const Call& call, std::string_view content_type) {
  std::vector<net::Header> headers{{"Cache-Control", "no-cache, private"}, {"Content-Type", std::string(content_type)}};
  for (const std::string& warning : ShownWarnings(call.warnings)) {
    headers.push_back({"Warning", "299 - " + api::GoQuote(warning)});
  }
  return headers;
}

void Send(Call& call, int status, Media::Format format, std::string body) {
  if (format == Media::Format::kJson && call.media.is_pretty) body = Indent(body);
  if (format == Media::Format::kJson) body += '\n';
  call.exchange->Send(status, Headers(call, ContentType(format)), std::make_shared<const std::string>(std::move(body)));
}

IncludeObject IncludeOf(const Call& call) {
  const std::string_view text = call.target.query.Get("includeObject");
  if (text == "None") return IncludeObject::kNone;
  return text == "Object" ? IncludeObject::kObject : IncludeObject::kMetadata;
}

TableOptions OptionsOfTable(const Call& call, Time now) {
  return {.include = IncludeOf(call), .api_version = call.media.view_version, .now = now};
}

Json ListMetadata(const ListPage& page) {
  Json metadata{{"resourceVersion", Json::String(std::to_string(page.revision))}};
  if (!page.continues.empty()) metadata.Set("continue", page.continues);
  if (page.remaining) metadata.Set("remainingItemCount", Json::Int(*page.remaining));
  return metadata;
}

// A list whose items are shown one by one.
Json ShownList(const Call& call, Json::List items, Json metadata, Time now) {
  if (call.media.view == View::kTable) {
    return MakeListTable(*call.resource, std::move(items), std::move(metadata), OptionsOfTable(call, now));
  }
  if (call.media.view == View::kMetadata) {
    return MakePartialList(items, std::move(metadata), call.media.view_version);
  }
  if (call.resource->custom == nullptr) {
    for (Json& item : items) {
      item.Erase("kind");
      item.Erase("apiVersion");
    }
  } else {
    metadata.SetDefault("continue", Json::String(""));
  }
  return Json{{"kind", Json::String(call.resource->list_kind)},
              {"apiVersion", Json::String(call.resource->api_version)},
              {"metadata", std::move(metadata)},
              {"items", Json::MakeList(std::move(items))}};
}

}  // namespace

const Json* FindShown(const Call& call, const StoredObject& object) {
  const auto found = call.shown.find(object.revision());
  return found == call.shown.end() ? nullptr : &found->second;
}

Json ShownTree(const Call& call, const StoredObject& object) {
  const Json* const shown = FindShown(call, object);
  return shown != nullptr ? *shown : FromStored(*call.resource, object.Tree());
}

std::string Indent(std::string_view json) {
  std::string out;
  out.reserve(json.size() * 2);
  size_t depth = 0;
  bool in_string = false;
  const auto new_line = [&] { out.append(1, '\n').append(2 * depth, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\') out += json[++i];
      in_string = c != '"';
      continue;
    }
    const bool opens = c == '{' || c == '[';
    if (opens && i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']')) {
      out.append({c, json[++i]});
      continue;
    }
    if (c == '}' || c == ']') {
      --depth;
      new_line();
    }
    out += c;
    in_string = c == '"';
    if (opens) ++depth;
    if (opens || c == ',') new_line();
    if (c == ':') out += ' ';
  }
  return out;
}

std::string Encode(const Json& tree, Media::Format format) {
  if (format == Media::Format::kYaml) return api::ToYaml(api::Value(tree), api::YamlOrder::kSorted);
  if (format == Media::Format::kProtobuf) {
    if (Result<std::string> encoded = api::wire::ToProtobuf(api::Value(tree))) return *std::move(encoded);
  }
  const api::wire::Kind* kind = api::wire::FindKind(tree["apiVersion"].text(), tree["kind"].text());
  return kind == nullptr ? tree.ToText() : EncodeJson(tree, api::wire::MessageAt(kind->message));
}

void SendError(Call& call, const StatusError& error) {
  std::vector<net::Header> headers = Headers(call, ContentType(call.media.format));
  if (error.retry_after_seconds > 0) headers.push_back({"Retry-After", std::to_string(error.retry_after_seconds)});
  std::string body = Encode(error.ToJson(), call.media.format);
  if (call.media.is_pretty && call.media.format == Media::Format::kJson) body = Indent(body);
  if (call.media.format == Media::Format::kJson) body += '\n';
  call.exchange->Send(error.code, std::move(headers), std::make_shared<const std::string>(std::move(body)));
}

void SendTree(Call& call, int status, const Json& object) {
  Send(call, status, call.media.format, Encode(object, call.media.format));
}

void SendText(Call& call, int status, std::string_view content_type, std::string text) {
  call.exchange->Send(status, Headers(call, content_type), std::make_shared<const std::string>(std::move(text)));
}

Outcome<void> CheckIncludeObject(const Call& call) {
  const std::string_view text = call.target.query.Get("includeObject");
  if (call.media.view != View::kTable || text.empty() || text == "None" || text == "Metadata" || text == "Object")
    return {};
  return BadRequest(
      fmt::format("Unable to convert to Table as requested: includeObject: Invalid value: {}: must be 'Metadata', "
                  "'Object', 'None', or empty",
                  api::GoQuote(text)));
}

void SendObject(Call& call, int status, const StoredObject& object, Time now) {
  const Media::Format format = call.media.format;
  if (call.media.view == View::kTable) {
    const Json table = MakeTable(*call.resource, ShownTree(call, object), OptionsOfTable(call, now));
    return Send(call, status, format, Encode(table, format));
  }
  if (call.media.view == View::kMetadata) {
    return Send(call, status, format, Encode(MakePartial(ShownTree(call, object), call.media.view_version), format));
  }
  const bool is_stored_form = call.resource->stored == call.resource;
  if (is_stored_form && format == Media::Format::kProtobuf) {
    return call.exchange->Send(status, Headers(call, ContentType(format)), object.protobuf());
  }
  if (is_stored_form && format == Media::Format::kJson && !call.media.is_pretty) {
    return call.exchange->Send(status, Headers(call, ContentType(format)), object.json());
  }
  Send(call, status, format, Encode(ShownTree(call, object), format));
}

void SendList(Call& call, const ListPage& page, Time now) {
  const Media::Format format = call.media.format;
  if (call.media.view != View::kObject || format == Media::Format::kYaml || call.resource->stored != call.resource) {
    Json::List items;
    items.reserve(page.objects.size());
    for (const ObjectPtr& object : page.objects) items.push_back(ShownTree(call, *object));
    return Send(call, 200, format, Encode(ShownList(call, std::move(items), ListMetadata(page), now), format));
  }
  Send(call, 200, format,
       format == Media::Format::kJson ? EncodeJsonList(*call.resource, ListMetadata(page), page.objects)
                                      : EncodeProtobufList(*call.resource, ListMetadata(page), page.objects));
}

}  // namespace berth::server
