// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/zpages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "api/document/yaml_writer.h"
#include "net/accept.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kComponent = "kube-scheduler";
constexpr std::string_view kGroup = "config.k8s.io";
constexpr std::string_view kForm[][2] = {{"application", "json"}, {"application", "yaml"}, {"text", "plain"}};

struct Choice {
  std::string subtype;  // "plain" is the text.
  std::string version;  // Of the structured form.
};

std::string Parameter(const net::AcceptClause& clause, const std::string& name) {
  const auto found = clause.parameters.find(name);
  return found == clause.parameters.end() ? "" : found->second;
}

// The structured form is given only to those who ask for it by group, version and kind.
std::optional<Choice> Choose(std::string_view accept, std::string_view kind) {
  if (accept.find_first_not_of(' ') == accept.npos) return Choice{"plain", ""};
  for (const net::AcceptClause& clause : net::ParseAccept(accept)) {
    const std::string as = Parameter(clause, "as");
    const std::string version = Parameter(clause, "v");
    const bool is_structured =
        as == kind && Parameter(clause, "g") == kGroup && (version == "v1alpha1" || version == "v1beta1");
    for (const auto& [type, subtype] : kForm) {
      if (clause.type != "*" && clause.type != type) continue;
      if (clause.subtype != "*" && clause.subtype != subtype) continue;
      if (subtype == "plain" ? as.empty() : is_structured) return Choice{std::string(subtype), version};
    }
  }
  return std::nullopt;
}

std::string TextHead(std::string_view page) {
  return fmt::format(
      "\n{} {}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
      "guarantees "
      "and is for debugging purposes only.\n",
      kComponent, page);
}

void BeginObject(api::JsonWriter& json, std::string_view kind, std::string_view version) {
  json.BeginObject().Key("kind").String(kind).Key("apiVersion").String(fmt::format("{}/{}", kGroup, version));
  json.Key("metadata").BeginObject().Key("name").String(kComponent).EndObject();
}

Answer StructuredAnswer(const api::Document& page, const Choice& choice, std::string_view kind) {
  Answer answer{.status = 200,
                .headers = {{"Content-Type", fmt::format("application/{};g={};v={};as={}", choice.subtype, kGroup,
                                                         choice.version, kind)}},
                .body = choice.subtype == "yaml" ? api::ToYaml(page.root(), api::YamlOrder::kSorted)
                                                 : page.root().ToJson() + '\n'};
  if (choice.version == "v1alpha1") {
    answer.headers.push_back(
        {"Warning", fmt::format("299 - \"This version of the {} endpoint is deprecated. Please use a newer version.\"",
                                kind == "Flagz" ? "flagz" : "statusz")});
  }
  return answer;
}

Answer NotAcceptable() {
  return StatusAnswer(406, "NotAcceptable",
                      "only the following media types are accepted: application/json, application/yaml, text/plain",
                      false);
}

std::string UpTime(int64_t seconds) {
  return fmt::format("{} hr {:02} min {:02} sec", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace

Answer ServeFlagz(std::span<const FlagValue> flags, std::string_view accept) {
  const std::optional<Choice> choice = Choose(accept, "Flagz");
  if (!choice) return NotAcceptable();
  if (choice->subtype == "plain") {
    std::string text = TextHead("flagz");
    for (const FlagValue& flag : flags) text += fmt::format("{}={}\n", flag.name, flag.value);
    return {.status = 200, .headers = {{"Content-Type", std::string(kPlainText)}}, .body = std::move(text)};
  }
  api::JsonWriter json = api::JsonWriter::OfTree();
  BeginObject(json, "Flagz", choice->version);
  json.Key("flags").BeginObject();
  // Programs that read this form know upstream's flags.
  for (const FlagValue& flag : flags) {
    if (!flag.is_extra) json.Key(flag.name).String(flag.value);
  }
  json.EndObject().EndObject();
  return StructuredAnswer(json.TakeTree().value(), *choice, "Flagz");
}

Answer ServeStatusz(const StatusPage& status, std::string_view accept) {
  const std::optional<Choice> choice = Choose(accept, "Statusz");
  if (!choice) return NotAcceptable();
  const int64_t up_seconds = std::max<int64_t>(0, (status.now - status.start).nanos / 1'000'000'000);
  if (choice->subtype == "plain") {
    return {.status = 200,
            .headers = {{"Content-Type", std::string(kPlainText)}},
            .body = fmt::format(
                "{}\nStarted: {}\nUp: {}\nGo version: {}\nBinary version: {}\nEmulation version: {}\nPaths: {}\n",
                TextHead("statusz"), FormatTime(status.start), UpTime(up_seconds), status.runtime_version,
                status.binary_version, status.emulation_version, fmt::join(status.paths, " "))};
  }
  api::JsonWriter json = api::JsonWriter::OfTree();
  BeginObject(json, "Statusz", choice->version);
  json.Key("startTime").String(FormatTime(status.start)).Key("uptimeSeconds").Int(up_seconds);
  json.Key("goVersion").String(status.runtime_version).Key("binaryVersion").String(status.binary_version);
  json.Key("emulationVersion").String(status.emulation_version).Key("paths").BeginArray();
  for (const std::string& path : status.paths) json.String(path);
  json.EndArray().EndObject();
  return StructuredAnswer(json.TakeTree().value(), *choice, "Statusz");
}

}  // namespace berth::scheduler_app
