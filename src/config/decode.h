// SPDX-License-Identifier: Apache-2.0
// Decoding: from the text of a configuration to the structs, strictly and without the defaults that depend on others.

#pragma once

#include <string_view>

#include "api/document/value.h"
#include "base/result.h"
#include "framework/args/strict_decoder.h"
#include "framework/configuration.h"
#include "framework/registry.h"

namespace berth::config {

// The first document of a text, and how it is written.
struct Source {
  framework::SourceFormat format = framework::SourceFormat::kYaml;
  api::Document document;
};

// JSON if the first character that is no space is a brace, YAML otherwise. An empty text is a null document.
Result<Source> ParseSource(std::string_view text);

// The group, version and kind that a document gives itself, or that it gets where it says nothing.
struct TypeIdentity {
  std::string group;
  std::string version;
  std::string kind;
};

// Reads apiVersion and kind of `object`; what is absent comes from `fallback`.
Result<TypeIdentity> ReadTypeIdentity(api::Value object, framework::SourceFormat format, const TypeIdentity& fallback);

// Fails unless the kind exists in kubescheduler.config.k8s.io/v1.
Result<void> CheckRegistered(const TypeIdentity& identity, const framework::Registry& registry);

// Decodes a whole document. Fails with upstream's text for strict errors, including those of nested arguments.
Result<framework::SchedulerConfiguration> DecodeConfiguration(std::string_view text,
                                                              const framework::Registry& registry);

// Decodes the arguments of the plugin `name`; those of plugins that describe none become OpaqueArgs, or nothing for
// null. Unknown and repeated fields are appended to `strict_errors` and do not make it fail.
Result<framework::PluginArgs> DecodeArgs(std::string_view name, api::Value args, framework::SourceFormat format,
                                         const framework::Registry& registry, std::vector<std::string>& strict_errors);

// `value` as compact JSON, the way upstream hands nested documents on: sorted if it came as YAML.
std::string NestedJson(api::Value value, framework::SourceFormat format);

}  // namespace berth::config
