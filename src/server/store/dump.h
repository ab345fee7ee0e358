// SPDX-License-Identifier: Apache-2.0
// Dumps: the objects of a cluster in a file, as `kubectl get -o yaml` writes them.
//
// A dump keeps what a server gave its objects: uid, creationTimestamp, status and managedFields; all but the
// resourceVersion, which means nothing to another server. What was written by DumpWriter is read by ReadDump.

#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/model/json.h"
#include "server/model/resource.h"

namespace berth::server {

// The resources that are kept, in an order in which their objects can be loaded: what others refer to comes first.
std::vector<const Resource*> LoadOrder(const Catalog& catalog);

struct Dump {
  struct Entry {
    const Resource* resource = nullptr;
    Json object;  // Canonical, with kind and apiVersion, without resourceVersion.
  };

  std::vector<Entry> objects;        // In the order of loading; each name once.
  std::set<std::string> namespaces;  // In which they are; they need not be in the dump themselves.
  std::vector<std::string> skipped;  // Objects of kinds that are not served, such as `example.com/v1 Boat ns/name`.
};

// Reads JSON or YAML: objects, lists of objects, several documents. If an object occurs twice, the last counts.
// An error names the object, or the line where there is none.
Result<Dump> ReadDump(const Catalog& catalog, std::string_view text);

// Writes objects as one List in YAML. The text is given out in pieces.
class DumpWriter {
 public:
  explicit DumpWriter(std::function<void(std::string_view)> out) : out_(std::move(out)) {}

  void Add(const Json& object);
  void End();

 private:
  std::function<void(std::string_view)> out_;
  bool has_items_ = false;
};

}  // namespace berth::server
