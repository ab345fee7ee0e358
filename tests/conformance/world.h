// SPDX-License-Identifier: Apache-2.0
// World: the API objects of a scenario between its steps.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "api/document/value.h"
#include "api/objects/object.h"
#include "base/result.h"

namespace berth::conformance {

class World {
 public:
  // For schedulers with extenders the objects keep their sources.
  explicit World(bool keep_sources = false) : keep_sources_(keep_sources) {}

  // Adds or replaces an object; kinds that the scheduler does not read are left out.
  Result<void> Apply(api::Value object);
  void Delete(std::string_view kind, std::string_view ns, std::string_view name);
  // The pod, or nullptr.
  api::Pod* FindPod(std::string_view full_name);

  // Makes the recorded changes of a step that scheduled or failed to schedule `pod`.
  Result<void> ApplyEffects(api::Value effects, std::string_view pod);

  // The same for a step that tried a group: what became of its members, and of the conditions of pod groups.
  Result<void> ApplyGroup(api::Value expect, std::string_view ns, std::string_view name, bool keeps_conditions);

  // By kind, namespace and name.
  const std::map<std::tuple<std::string, std::string, std::string>, api::Object>& objects() const { return objects_; }

 private:
  bool keep_sources_;
  std::map<std::tuple<std::string, std::string, std::string>, api::Object> objects_;
};

}  // namespace berth::conformance
