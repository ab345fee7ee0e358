// SPDX-License-Identifier: Apache-2.0
// CustomKinds: makes resources of definitions, and takes them away again.
//
// All versions of a custom resource share one table of the store, that of the version which was there first: without
// conversion they differ in nothing but their apiVersion. Where a webhook converts them, objects are kept in that
// version as well, whichever is marked later. A resource whose definition has gone stays in the catalog, unserved,
// because histories refer to it; a later definition of that name takes it over.
//
// Thread: that of the server.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/custom/custom_kind.h"
#include "server/model/resource.h"
#include "server/store/store.h"

namespace berth::server {

class CustomKinds {
 public:
  // REQUIRES: both outlive this.
  CustomKinds(Catalog& catalog, Store& store) : catalog_(catalog), store_(store) {}
  CustomKinds(const CustomKinds&) = delete;
  CustomKinds& operator=(const CustomKinds&) = delete;

  // Whether the definition is of a kind that is built in, and so is served as ever.
  bool IsBuiltIn(const Json& definition) const;
  // Serves what the definition says, in place of what an earlier one of this name said. `is_served`: its names were
  // accepted; otherwise its objects are only kept.
  void Set(const Json& definition, bool is_served);
  void Remove(std::string_view name);
  // Sets all definitions that are in the store, established or not.
  void SetAll();
  // Where the objects of a definition are kept. Null if it was never set.
  const Resource* FindStored(std::string_view name) const;
  // The same for any resource that is a custom one: the name of its definition; empty for others.
  std::string_view DefinitionOf(const Resource& resource) const;

 private:
  // What a resource refers to.
  struct Texts {
    std::string group, version, plural, kind, list_kind, api_version;
    std::vector<std::string> short_names, categories;
  };
  struct Version {
    Resource* resource = nullptr;  // Belongs to the catalog.
    std::unique_ptr<Texts> texts;
    std::unique_ptr<CustomKind> kind;
  };
  struct Definition {
    std::map<std::string, Version, std::less<>> versions;  // By name.
    Resource* stored = nullptr;
    Json spec;  // As it was set.
  };

  void SetVersion(Definition& definition, const Json& object, const Json& version, bool is_served);
  void Retire(Version& version);
  void Settle(Definition& definition);
  // Fills in the defaults of objects that were kept under an earlier schema.
  void RereadObjects(const Resource& stored);

  Catalog& catalog_;
  Store& store_;
  std::map<std::string, Definition, std::less<>> definitions_;  // By name; gone ones too.
};

}  // namespace berth::server
