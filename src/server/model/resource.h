// SPDX-License-Identifier: Apache-2.0
// Resource: one kind of object as it is served: its names, verbs and subresources, and the rules of its kind.
//
// Thread: any for built-in kinds, which are made once and constant; custom ones change on the thread of the server.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/table.h"
#include "framework/feature_gates.h"
#include "server/model/json.h"
#include "server/model/object_schema.h"

namespace berth::server {

class Strategy;

struct Subresource {
  std::string_view name;  // Such as status.
  // Of what is sent and answered. Group and version are empty if they are those of the resource.
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::vector<std::string_view> verbs;
};

struct Resource {
  std::string_view group;  // Empty for the core.
  std::string_view version;
  std::string_view plural;
  std::string singular;
  std::string_view kind;
  std::string_view list_kind;
  std::string_view api_version;  // group/version, or the version alone.
  bool namespaced = false;
  std::vector<std::string_view> verbs;
  std::vector<std::string_view> short_names;
  std::vector<std::string_view> categories;
  std::vector<Subresource> subresources;
  // Whether a deletion is answered with the object instead of a Status.
  bool returns_deleted = false;
  const api::wire::Kind* wire = nullptr;  // Null for custom resources,
  const CustomSchema* custom = nullptr;   // which have this instead.
  const Strategy* strategy = nullptr;
  // Where its objects are kept: itself, or the resource of which this is another view (events, autoscalers).
  const Resource* stored = nullptr;
  // Of views: an object in the form in which it is kept, and back. Null if they are the same.
  std::function<Json(Json object)> to_stored;
  std::function<Json(Json object)> from_stored;
  // Of custom resources whose versions a webhook makes of each other: the webhook of the definition; otherwise null.
  // Then the two above show and keep metadata alone, and only the webhook knows the rest.
  Json conversion = {};
  // Otherwise its gate is off, or its definition has gone, and objects that are there already are only kept.
  bool is_served = true;
  size_t index = 0;  // Among all, for tables.

  // Whether it is only asked, and nothing is kept: bindings and the reviews.
  bool is_virtual() const { return verbs.size() == 1; }
  // REQUIRES: it is no custom resource.
  const api::wire::Message& message() const { return api::wire::MessageAt(wire->message); }
  ObjectSchema schema() const { return custom != nullptr ? ObjectSchema(*custom) : ObjectSchema(message()); }
  const Subresource* FindSubresource(std::string_view name) const;
  // `priorityclasses.scheduling.k8s.io`, or the plural alone in the core.
  std::string Qualified() const;
};

// Whether a webhook has to be asked for the form in which objects of the resource are stored, and back.
inline bool NeedsConverter(const Resource& resource) {
  return resource.stored != &resource && !resource.conversion.is_null();
}

// An object of the resource's own form as it is stored, and back.
Json ToStored(const Resource& resource, Json object);
Json FromStored(const Resource& resource, Json object);

// All resources: the built-in ones, and those of definitions, which come and go. A resource once added stays, with its
// index, so that objects and histories can refer to it.
class Catalog {
 public:
  explicit Catalog(const framework::FeatureGates& gates = {});
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const framework::FeatureGates& gates() const { return gates_; }
  std::span<const std::unique_ptr<Resource>> all() const { return resources_; }
  // What is served, in the order of discovery.
  std::span<const Resource* const> served() const { return served_; }
  // Of what is served. Null if there is none.
  const Resource* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  // Of all. Null if there is none.
  const Resource* FindKind(std::string_view api_version, std::string_view kind) const;
  // Of what is served, by its kind alone, in the version that is kept. Null if there is none.
  const Resource* FindKept(std::string_view kind) const;
  // REQUIRES: it is one of all. In the version that is kept.
  const Resource& Get(std::string_view group, std::string_view plural) const;

  // Adds a custom resource, whose strategy and schema belong to the caller and outlive their use here.
  void Add(std::unique_ptr<Resource> resource);
  // To be called when custom resources were added or changed: settles what is served.
  void Refresh();
  // Counts the refreshes.
  uint64_t generation() const { return generation_; }

 private:
  framework::FeatureGates gates_;
  std::vector<std::unique_ptr<Resource>> resources_;
  std::vector<const Resource*> served_;
  size_t built_in_ = 0;  // The first so many of the resources.
  uint64_t generation_ = 0;
  std::vector<std::unique_ptr<Strategy>> strategies_;
};

}  // namespace berth::server
