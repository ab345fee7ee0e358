// SPDX-License-Identifier: Apache-2.0
// ManagedEntries: metadata.managedFields, that is, who owns which fields of an object.
//
// An entry belongs to a manager, an operation and a subresource, and one of an update to an API version too.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "server/model/json.h"
#include "server/patch/field_set.h"

namespace berth::server {

struct ManagedEntry {
  std::string_view manager() const { return json["manager"].text(); }
  std::string_view operation() const { return json["operation"].text(); }
  std::string_view api_version() const { return json["apiVersion"].text(); }
  std::string_view subresource() const { return json["subresource"].text(); }
  std::string_view time() const { return json["time"].text(); }
  bool is_applied() const { return operation() == "Apply"; }
  void SetTime(Time time) { json.Set("time", FormatTime(time)); }

  // `"kubectl" with subresource "status" using v1`.
  std::string Description() const;

  Json json;  // Without the fields.
  FieldSet fields;
};

class ManagedEntries {
 public:
  ManagedEntries() = default;
  // What an object of the store holds.
  explicit ManagedEntries(Json list);
  // What users sent. Fails where upstream does not take it.
  static Result<ManagedEntries> Parse(const Json& list);

  bool empty() const { return all_.empty(); }
  std::vector<ManagedEntry>& all() { return all_; }
  const std::vector<ManagedEntry>& all() const { return all_; }

  // The entry of this owner, made without fields if there is none. Views end with the next change.
  ManagedEntry& Make(std::string_view manager, std::string_view operation, std::string_view api_version,
                     std::string_view subresource);

  // Drops the entries that own nothing.
  void DropEmpty();
  // Merges the oldest updates until there are at most ten.
  void Cap();

  // The list for metadata, in upstream's order. Leaves nothing behind.
  Json Take();

 private:
  void MergeOld(ManagedEntry& entry, ManagedEntry& oldest);

  std::vector<ManagedEntry> all_;
};

}  // namespace berth::server
