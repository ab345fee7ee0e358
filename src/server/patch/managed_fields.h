// SPDX-License-Identifier: Apache-2.0
// Tracking of who changed which fields, for all writes but server-side apply.
//
// A write is tracked as it was sent: after decoding and defaulting, before the server itself changes the object
// (PrepareCreate, PrepareUpdate, admission), because what the server sets belongs to nobody. What it will reset
// (a status sent to the main resource) is told by `reset`, so that nobody owns it either.
//
// Thread: any.
// Cost: a new pod takes a few microseconds; for a changed object, fields that stay are only compared.

#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "server/model/json.h"
#include "server/model/object_schema.h"
#include "server/patch/field_set.h"
#include "server/patch/managed_entries.h"

namespace berth::server {

struct FieldManagerOptions {
  std::string_view manager;
  std::string_view api_version;
  std::string_view kind;
  std::string_view subresource;
  Time now;
  // Server-side apply takes fields from others instead of failing.
  bool force = false;
  // Of a custom resource.
  const CustomSchema* custom = nullptr;
  // What cannot be written on this way, with all below; may be null.
  const FieldSet* reset = nullptr;
};

// Who the client is: what the query says, or else the user agent up to the first slash.
std::string ManagerName(std::string_view field_manager, std::string_view user_agent);

// Sets metadata.managedFields of an object that is about to replace `old`, or to be created if that is null.
// Objects whose managedFields were cleared are not tracked until somebody applies. Users clear them by sending one
// empty entry, and may send entries of their own; entries that are no valid ones are ignored.
void TrackUpdate(const Json* old, Json& object, const ObjectSchema& schema, const FieldManagerOptions& options);

// An empty list of managedFields, which the canonical form leaves out, becomes one empty entry, which says the same. To
// be called on what users send, before Canonicalize.
void MarkCleared(Json& object);

// If nothing but times in managedFields has changed, takes the times back too, so that the write is none. To be called
// before a changed object is stored.
void KeepTimesIfSame(const Json& old, Json& object);

// Adds to `entries` what the change from `old` to `object` means, as an update by `options.manager`.
void RecordUpdate(const Json* old, const Json& object, const ObjectSchema& schema, const FieldManagerOptions& options,
                  ManagedEntries& entries);

// Takes out of `fields` what is never owned: the names, versions and times that the server keeps.
void StripFields(FieldSet& fields);

// Drops the entries of versions that the kind does not have in its group; so each view of events forgets the other's.
void DropForeignVersions(ManagedEntries& entries, const FieldManagerOptions& options);

}  // namespace berth::server
