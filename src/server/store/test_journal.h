// SPDX-License-Identifier: Apache-2.0
// What the tests of the journal share: states of a store, and changes that depend on nothing but a seed.

#pragma once

#include <map>
#include <string>

#include "base/random.h"
#include "server/store/store.h"
#include "server/store/test_objects.h"

namespace berth::server {

// Everything that must come back: the texts by resource and key, and the revision.
struct StoreState {
  Revision revision = 0;
  std::map<std::string, std::string> texts;

  bool operator==(const StoreState&) const = default;
};

inline StoreState StateOf(const Catalog& catalog, const Store& store) {
  StoreState state{.revision = store.revision(), .texts = {}};
  for (const auto& resource : catalog.all()) {
    if (resource->stored != resource.get()) continue;
    for (const auto& [key, object] : store.All(*resource)) {
      state.texts[resource->Qualified() + " " + key] = *object->json();
    }
  }
  return state;
}

// Writes to a few pods and namespaces.
class RandomWriter {
 public:
  RandomWriter(const Catalog& catalog, Store& store, uint64_t seed)
      : pods_(catalog.Get("", "pods")), namespaces_(catalog.Get("", "namespaces")), store_(store), random_(seed) {}

  void Write() {
    const std::string name = "x" + std::to_string(random_.Below(4));
    if (random_.Below(4) == 0) {
      Write(pods_, "a", TestPod("a", name, "node-" + std::to_string(random_.Below(100))));
    } else {
      Write(namespaces_, "", TestNamespace(name));
    }
  }

 private:
  void Write(const Resource& resource, std::string_view ns, Json object) {
    const bool is_removal = random_.Below(3) == 0 && store_.Find(resource, ns, object["metadata"]["name"].text());
    if (is_removal) {
      store_.Remove(resource, std::move(object));
    } else {
      store_.Put(resource, std::move(object));
    }
  }

  const Resource& pods_;
  const Resource& namespaces_;
  Store& store_;
  Random random_;
};

}  // namespace berth::server
