// SPDX-License-Identifier: Apache-2.0
#include "server/rest/openapi_text.h"

#include <map>
#include <utility>

namespace berth::server {
namespace {

struct TextRow {
  std::string_view message;  // Without what those of Kubernetes begin with.
  std::string_view field;
  std::string_view text;
};

constexpr TextRow kTextRows[] = {
#include "server/rest/openapi_text_fields.inc"
#include "server/rest/openapi_text_kinds.inc"
    // Of every message that has no text of its own for such a field.
    {"", "apiVersion", "The group and version in which this object is written."},
    {"", "kind", "What sort of object this is."},
    {"", "metadata", "Name, labels and the like; of a list, its version."},
    {"", "spec", "How it shall be."},
    {"", "status", "How it is. Written by those who make it so, not by users."},
    {"", "items", "The objects of the list."},
};

using TextMap = std::map<std::pair<std::string_view, std::string_view>, std::string_view>;

const TextMap& AllTexts() {
  static const TextMap kTextMap = [] {
    TextMap texts;
    for (const TextRow& row : kTextRows) texts.emplace(std::pair(row.message, row.field), row.text);
    return texts;
  }();
  return kTextMap;
}

// io.k8s.api.core.v1.Pod -> core.v1.Pod.
std::string_view ShortName(std::string_view message) {
  for (const std::string_view prefix : {"io.k8s.api.", "io.k8s.apimachinery.pkg.apis."}) {
    if (message.starts_with(prefix)) return message.substr(prefix.size());
  }
  return message;
}

std::string_view FindText(std::string_view message, std::string_view field) {
  const auto found = AllTexts().find({ShortName(message), field});
  return found == AllTexts().end() ? std::string_view() : found->second;
}

}  // namespace

std::string DescribeMessage(std::string_view message) {
  if (const std::string_view text = FindText(message, ""); !text.empty()) return std::string(text);
  if (!message.ends_with("List")) return {};
  const std::string_view item = message.substr(0, message.size() - 4);
  if (FindText(item, "").empty()) return {};
  return "A list of " + std::string(item.substr(item.rfind('.') + 1)) + " objects.";
}

std::string_view DescribeField(std::string_view message, std::string_view field) {
  const std::string_view text = FindText(message, field);
  return text.empty() ? FindText("", field) : text;
}

}  // namespace berth::server
