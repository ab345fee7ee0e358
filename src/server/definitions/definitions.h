// SPDX-License-Identifier: Apache-2.0
// Definitions: follows the CustomResourceDefinitions of a store and does what upstream's controllers of them do:
// accepts names, establishes, serves, and empties and finishes those that are deleted.
//
// It works as soon as a definition is written, so whoever has created one finds its resource there.
//
// Thread: that of the store.

#pragma once

#include <functional>
#include <set>
#include <string>

#include "runtime/timers.h"
#include "server/custom/custom_kinds.h"
#include "server/definitions/names.h"
#include "server/objects/objects.h"

namespace berth::server {

class Definitions {
 public:
  // REQUIRES: all outlive this, and it is made before anything else that listens to the store.
  Definitions(Catalog& catalog, Store& store, Objects& objects, runtime::Timers& timers);
  Definitions(const Definitions&) = delete;
  Definitions& operator=(const Definitions&) = delete;

  // Serves what a store that was restored defines.
  void Load();

 private:
  // How many objects of a definition that ends are deleted at a time.
  static constexpr size_t kBatch = 100;

  void OnChange(const Change& change);
  void Note(const std::string& name, const Json& definition);
  void Accept(const std::string& name);
  void Reconsider(const std::string& group);
  void Empty(const std::string& name);
  void EmptySoon(std::string name);
  // Writes the definition anew after `edit`.
  void Write(const std::string& name, const std::function<void(Json& definition)>& edit);

  Store& store_;
  Objects& objects_;
  runtime::Timers& timers_;
  const Resource& resource_;
  CustomKinds kinds_;
  NamesByDefinition taken_;
  std::set<std::string> emptying_;  // For which a timer runs.
};

}  // namespace berth::server
