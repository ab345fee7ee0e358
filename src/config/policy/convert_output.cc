// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "api/document/yaml_writer.h"
#include "config/config.h"
#include "config/policy/convert_policy.h"

namespace berth::config {
namespace {

constexpr size_t kCommentColumns = 110;

// Whether a member need not be written: the type of arguments is known from their plugin, and the rest is the default.
bool SaysNothing(std::string_view name, api::Value value) {
  if (name == "kind" || name == "apiVersion") return true;
  if (value.is_map() || value.is_list()) return value.size() == 0;
  return (value.is_bool() && value.text() == "false") || (name == "weight" && value.text() == "0");
}

void WritePruned(api::Value value, api::JsonWriter& json) {
  if (value.is_list()) {
    json.BeginArray();
    for (size_t i = 0; i < value.size(); ++i) WritePruned(value[i], json);
    json.EndArray();
  } else if (value.is_map()) {
    json.BeginObject();
    for (size_t i = 0; i < value.size(); ++i) {
      if (!SaysNothing(value.key(i), value[i])) WritePruned(value[i], json.Key(value.key(i)));
    }
    json.EndObject();
  } else {
    json.Copy(value);
  }
}

// The parts that come from the policy. Everything else has its default, and a file need not say so.
api::Document PolicyParts(const framework::SchedulerConfiguration& configuration) {
  const api::Document whole = ToTree(configuration);
  api::JsonWriter json = api::JsonWriter::OfTree();
  json.BeginObject();
  for (const std::string_view name : {"apiVersion", "kind", "profiles", "extenders"}) {
    const api::Value part = whole.root()[name];
    if (!part.is_null()) WritePruned(part, json.Key(name));
  }
  json.EndObject();
  return json.TakeTree().value();
}

// `text` as comment lines, the first behind `bullet` and the others indented like it.
std::string Comment(std::string_view bullet, std::string_view text) {
  std::string lines;
  std::string prefix = fmt::format("# {}", bullet);
  while (!text.empty()) {
    size_t length = text.size();
    if (length > kCommentColumns) length = text.rfind(' ', kCommentColumns);
    if (length == std::string_view::npos) length = text.size();
    lines += prefix + std::string(text.substr(0, length)) + "\n";
    text.remove_prefix(std::min(length + 1, text.size()));
    prefix = "#" + std::string(bullet.size() + 1, ' ');
  }
  return lines;
}

}  // namespace

std::string ToText(const ConversionNote& note) {
  std::string text =
      fmt::format("{}: {}: {}", note.has_equivalent ? "different" : "no equivalent", note.subject, note.reason);
  if (!note.hint.empty()) text += "; " + note.hint;
  return text;
}

std::string ToYaml(const ConvertedPolicy& converted) {
  framework::SchedulerConfiguration configuration = converted.configuration;
  for (framework::ProfileConfiguration& profile : configuration.profiles) {
    profile.plugins.multi_point.disabled = {{"*"}};  // Nothing but what is listed.
  }
  std::string yaml;
  for (const ConversionNote& note : converted.notes) yaml += Comment("- ", ToText(note));
  if (!yaml.empty())
    yaml = "# What this file says in another way than the policy it was made from, or not at all:\n" + yaml;
  return yaml + api::ToYaml(PolicyParts(configuration).root());
}

}  // namespace berth::config
