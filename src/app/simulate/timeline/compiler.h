// SPDX-License-Identifier: Apache-2.0
// Compiler: turns what a timeline wants to happen into objects that are ready for the cluster.
//
// Calls come in order of time. The compiler knows which objects were written and exist at that time, so it can refuse
// to create one twice, to change one that is not there, and it can work out what a patch makes of one.

#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/simulate/timeline/fields.h"
#include "app/simulate/timeline/timeline.h"

namespace berth::simulate {

class Compiler {
 public:
  Compiler(const std::string& path, const Manifests& cluster, const World& world);

  // `event` holds `create`, a manifest or a list of them, or `file`.
  Result<CreateObjects> Create(const Fields& event);
  Result<DeleteObject> Delete(const Fields& target);
  Result<ReplaceObject> Patch(const Fields& target);
  Result<DrainNode> Drain(const Fields& target);
  // A pod with a generateName, whose prefix goes to `prefix`.
  Result<PodSource> Template(const Fields& arrivals, std::string& prefix);

  // At the end.
  NameGenerator TakeNames() { return std::move(base_.names); }
  std::vector<std::string> TakeNotes() { return std::move(notes_); }

 private:
  Result<Manifests> Read(const Fields& event) const;
  Result<World> Build(const Manifests& manifests);
  // The target of a change, which is a `kind` if that is given.
  Result<DeleteObject> ReadTarget(const Fields& target, std::string kind = {}) const;
  Result<World> Patch(const DeleteObject& object, api::Value patch, const Fields& target);
  void Forget(const DeleteObject& target);

  std::string path_;
  World base_;  // Nodes, namespaces, classes and names: what the defaults of new objects depend on.
  std::map<std::string, Manifest> known_;  // By "kind namespace/name".
  std::deque<Manifests> manifests_;        // What known_ points into.
  std::set<std::string> noted_;
  std::vector<std::string> notes_;
};

}  // namespace berth::simulate
