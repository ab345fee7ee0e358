// SPDX-License-Identifier: Apache-2.0
// Resource: one kind of object as it is served: its names, verbs and subresources, and the rules of its kind.
//
// Thread: any; resources are made once and constant.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/table.h"
#include "framework/feature_gates.h"
#include "server/model/json.h"

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
  const api::wire::Kind* wire = nullptr;
  const Strategy* strategy = nullptr;
  // Where its objects are kept: itself, or the resource of which this is another view (events, autoscalers).
  const Resource* stored = nullptr;
  // Of views: an object in the form in which it is kept, and back. Null if they are the same.
  Json (*to_stored)(Json object) = nullptr;
  Json (*from_stored)(Json object) = nullptr;
  bool is_served = true;  // Otherwise its gate is off, and objects that are there already are only kept.
  size_t index = 0;       // Among all, for tables.

  // Whether it is only asked, and nothing is kept: bindings and the reviews.
  bool is_virtual() const { return verbs.size() == 1; }
  const api::wire::Message& message() const { return api::wire::MessageAt(wire->message); }
  const Subresource* FindSubresource(std::string_view name) const;
  // `priorityclasses.scheduling.k8s.io`, or the plural alone in the core.
  std::string Qualified() const;
};

// An object of the resource's own form as it is stored, and back.
Json ToStored(const Resource& resource, Json object);
Json FromStored(const Resource& resource, Json object);

// All that is served, in the order of discovery, and behind that what would be with other gates.
class Catalog {
 public:
  explicit Catalog(const framework::FeatureGates& gates = {});
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const framework::FeatureGates& gates() const { return gates_; }
  std::span<const std::unique_ptr<Resource>> all() const { return resources_; }
  std::span<const std::unique_ptr<Resource>> served() const { return all().first(served_); }
  // Of what is served. Null if there is none.
  const Resource* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  // Of all. Null if there is none.
  const Resource* FindKind(std::string_view api_version, std::string_view kind) const;
  // Of what is served, by its kind alone, in the version that is kept. Null if there is none.
  const Resource* FindKept(std::string_view kind) const;
  // REQUIRES: it is one of all. In the version that is kept.
  const Resource& Get(std::string_view group, std::string_view plural) const;

 private:
  framework::FeatureGates gates_;
  std::vector<std::unique_ptr<Resource>> resources_;
  size_t served_ = 0;  // The first so many.
  std::vector<std::unique_ptr<Strategy>> strategies_;
};

}  // namespace berth::server
