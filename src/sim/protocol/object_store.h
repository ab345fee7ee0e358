// SPDX-License-Identifier: Apache-2.0
// ObjectStore: the objects of a simulated cluster, as JSON, with everything that ever happened to them.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/value.h"
#include "client/json_edit.h"
#include "runtime/agenda.h"

namespace berth::sim {

// One version of an object.
struct StoredObject {
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;
  int64_t version = 0;
  // Whether the scheduler's watch selects it: pods that have ended are none of its business.
  bool is_selected = true;
  std::string json;
  api::Document document;

  api::Value root() const { return document.root(); }
  std::string Key() const { return ns + "/" + name; }
};
using StoredPtr = std::shared_ptr<const StoredObject>;

struct StoreChange {
  int64_t version = 0;
  StoredPtr before;  // Null: it was created.
  StoredPtr after;   // The last state, in the version of its removal, if it was removed.
  bool is_removal = false;
};

// The text as a JSON string.
std::string Quoted(std::string_view text);

class ObjectStore {
 public:
  using Objects = std::map<std::string, StoredPtr, std::less<>>;  // By "namespace/name".
  using Listener = std::function<void(const StoreChange&)>;

  explicit ObjectStore(const runtime::Agenda& agenda) : agenda_(agenda) {}
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  // Called after every change, in the order in which they were added.
  void Listen(Listener listener) { listeners_.push_back(std::move(listener)); }

  // Creates or replaces the object that the JSON names by kind, metadata.namespace and metadata.name. REQUIRES: valid.
  StoredPtr Write(std::string_view json);
  StoredPtr Edit(const StoredObject& object, std::span<const client::JsonMember> members) {
    return Write(client::WithMembers(object.root(), members));
  }
  void Remove(std::string_view kind, std::string_view key);

  // Null if there is none.
  StoredPtr Find(std::string_view kind, std::string_view key) const;
  const Objects& All(std::string_view kind) const;
  const std::vector<StoreChange>& History(std::string_view kind) const;
  Objects StateAt(std::string_view kind, int64_t version) const;
  int64_t version() const { return version_; }

 private:
  struct Kind {
    Objects objects;
    std::vector<StoreChange> history;
  };

  void Record(Kind& kind, StoreChange change);

  const runtime::Agenda& agenda_;
  std::map<std::string, Kind, std::less<>> kinds_;
  std::vector<Listener> listeners_;
  int64_t version_ = 0;
  int64_t uids_ = 0;
};

}  // namespace berth::sim
