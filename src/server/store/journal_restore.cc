// SPDX-License-Identifier: Apache-2.0
#include "server/store/journal_restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/assert.h"
#include "server/store/journal_format.h"

namespace berth::server {
namespace {

struct Place {
  JournalRecord record;
  size_t offset = 0;  // Of its end.
};
using LastPuts = std::unordered_map<std::string_view, Place>;  // By key.

std::unexpected<Error> At(size_t offset, std::string_view what) {
  return Invalid(fmt::format("offset {}: {}", offset, what));
}

// Resources by the names that journals use.
std::map<std::string, const Resource*, std::less<>> ByName(const Catalog& catalog) {
  std::map<std::string, const Resource*, std::less<>> resources;
  for (const auto& resource : catalog.all()) {
    if (resource->stored != resource.get()) continue;
    BERTH_ASSERT(resources.emplace(resource->Qualified(), resource.get()).second);
  }
  return resources;
}

Result<void> Import(const Resource& resource, const LastPuts& puts, Store& store) {
  for (const auto& [key, place] : puts) {
    Result<ObjectPtr> object = StoredObject::FromText(resource, std::string(place.record.text));
    if (!object) return At(place.offset, object.error().message);
    if ((*object)->key() != key || (*object)->revision() != place.record.revision) {
      return At(place.offset, "an object differs from its record");
    }
    store.Import(*std::move(object));
  }
  return {};
}

}  // namespace

Result<size_t> RestoreFromJournal(std::string_view bytes, const Catalog& catalog, Store& store) {
  const auto resources = ByName(catalog);
  std::unordered_map<const Resource*, LastPuts> puts;
  Revision revision = 0;
  JournalReader reader = BERTH_TRY(JournalReader::Open(bytes));
  for (;;) {
    const std::optional<JournalRecord> record = BERTH_TRY(reader.Next());
    if (!record) break;
    revision = std::max(revision, record->revision);
    if (record->type == JournalRecord::Type::kReached) continue;
    const auto resource = resources.find(record->resource);
    if (resource == resources.end()) {
      return At(reader.offset(), fmt::format("this version of berth does not serve {}", record->resource));
    }
    LastPuts& last = puts[resource->second];
    if (record->type == JournalRecord::Type::kPut) {
      last.insert_or_assign(record->key, Place{.record = *record, .offset = reader.offset()});
    } else {
      last.erase(record->key);
    }
  }
  for (const auto& [resource, last] : puts) BERTH_CHECK_OK(Import(*resource, last, store));
  store.ImportRevision(revision);
  return reader.offset();
}

}  // namespace berth::server
