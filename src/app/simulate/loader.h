// SPDX-License-Identifier: Apache-2.0
// Loader: from manifests to a World that holds just what was written.

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/simulate/manifests.h"
#include "app/simulate/validate.h"
#include "app/simulate/world.h"

namespace berth::simulate {

class Loader {
 public:
  explicit Loader(World& world) : world_(world) {}

  // Objects with errors are left out.
  void Add(const Manifest& manifest);
  // Gives pods with a generateName their name. Call it when everything is added.
  void NamePods();

  // One line each.
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  void AddPod(const Manifest& manifest);
  void AddWorkload(const Manifest& manifest);
  void AddObject(const Manifest& manifest);
  void Store(const Manifest& manifest, api::Object object);
  // Puts the object into its namespace. False, with an error reported, if it cannot stay.
  bool Admit(const Manifest& manifest, api::ObjectMeta& meta, const FieldErrors& errors);
  void Report(const Manifest& manifest, const Error& error);

  World& world_;
  std::vector<std::string> errors_;
  std::map<std::string, std::string> origins_;           // "kind namespace/name" to where it was written.
  std::set<std::string> uids_;                           // Of pods.
  std::vector<std::pair<size_t, std::string>> unnamed_;  // Position in world_.pods and prefix of the name.
};

// Whether objects of this kind have no namespace, as far as the simulation knows the kind.
bool IsClusterScoped(std::string_view kind);

}  // namespace berth::simulate
