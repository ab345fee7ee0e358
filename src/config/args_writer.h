// SPDX-License-Identifier: Apache-2.0
// ArgsWriter: prints plugin arguments as JSON, either as the API has them or as upstream's error texts show them.
//
// In the API form absent values are left out. The other form prints upstream's internal structs: member names are
// capitalised and absent values are null, but objects of the core API inside keep their API form.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json_writer.h"
#include "framework/configuration.h"

namespace berth::config {

enum class JsonForm : uint8_t { kApi, kInternal };

class ArgsWriter {
 public:
  ArgsWriter(api::JsonWriter& json, JsonForm form) : json_(json), form_(form) {}

  // One value; the object opens and closes here. REQUIRES: `args` is not the monostate.
  void Write(const framework::PluginArgs& args);
  void Write(const framework::PluginSet& set);
  void Write(const std::vector<framework::UtilizationShapePoint>& shape);

 private:
  class Body;

  void Key(std::string_view name);
  void TypeMeta(std::string_view kind);
  void Int(std::string_view name, int64_t value);
  void Text(std::string_view name, std::string_view value);
  void MaybeDuration(std::string_view name, const std::optional<Duration>& duration);
  void Strings(std::string_view name, const std::vector<std::string>& texts);
  void References(std::string_view name, const std::vector<framework::PluginReference>& plugins);
  void Resources(const std::vector<framework::ResourceSpec>& resources);
  void Strategy(const framework::ScoringStrategy& strategy);
  // Writes the key and says true if there is something to write below it; an absent value is left out or null.
  bool Begin(std::string_view name, bool present);

  api::JsonWriter& json_;
  JsonForm form_;
};

// Objects of the core API.
void WriteNodeAffinity(const api::NodeAffinity& affinity, api::JsonWriter& json);
void WriteSpreadConstraint(const api::TopologySpreadConstraint& constraint, api::JsonWriter& json);

}  // namespace berth::config
