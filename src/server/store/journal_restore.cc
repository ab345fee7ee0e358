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
  size_t offset = 0;
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
    const bool is_new = resources.emplace(resource->Qualified(), resource.get()).second;
    BERTH_ASSERT(is_new);
  }
  return resources;
}

Result<ObjectPtr> ObjectOf(const Resource& resource, const JournalRecord& record) {
  ObjectPtr object = BERTH_TRY(StoredObject::FromText(resource, std::string(record.text)));
  if (object->key() != record.key || object->revision() != record.revision) {
    return Invalid("an object differs from its record");
  }
  return object;
}

class Restorer {
 public:
  // `lost` is null if nothing may be.
  Restorer(const Catalog& catalog, Store& store, std::vector<std::string>* lost, const DefineResources& define)
      : catalog_(catalog), resources_(ByName(catalog)), store_(store), lost_(lost), define_(define) {}

  Result<size_t> Run(std::string_view bytes) {
    JournalReader reader = BERTH_TRY(lost_ == nullptr ? JournalReader::Open(bytes) : JournalReader::OpenDamaged(bytes));
    if (!bytes.starts_with(JournalHeader()) && reader.offset() > 0) Lose(0, reader.offset(), "the header is damaged");
    while (BERTH_TRY(TakeNext(reader))) {
    }
    for (const auto& [resource, last] : puts_) BERTH_CHECK_OK(Import(*resource, last));
    if (define_) BERTH_CHECK_OK(ImportDefined());
    // What was lost may have had any revisions, but not more of them than bytes; none is given twice.
    store_.ImportRevision(revision_ + static_cast<Revision>(lost_bytes_));
    return reader.offset();
  }

 private:
  // False at the end.
  Result<bool> TakeNext(JournalReader& reader) {
    const size_t offset = reader.offset();
    const Result<std::optional<JournalRecord>> record = reader.Next();
    if (!record) {
      if (lost_ == nullptr) return std::unexpected(record.error());
      const JournalReader::Gap gap = reader.Skip();
      const bool is_named = gap.record && resources_.contains(gap.record->resource);
      Lose(gap.offset, gap.size, is_named ? "a record is damaged: " + Describe(*gap.record) : "damaged");
      return true;
    }
    if (!*record) return false;
    const Result<void> taken = Take(**record, offset);
    if (taken) return true;
    if (lost_ == nullptr) return At(offset, taken.error().message);
    Lose(offset, reader.offset() - offset, fmt::format("{}: {}", Describe(**record), taken.error().message));
    return true;
  }

  Result<void> Take(const JournalRecord& record, size_t offset) {
    revision_ = std::max(revision_, record.revision);
    if (record.type == JournalRecord::Type::kReached) return {};
    const auto resource = resources_.find(record.resource);
    if (resource == resources_.end() && define_) {
      TakeLater(record, offset);
      return {};
    }
    if (resource == resources_.end()) {
      return Invalid(fmt::format("this version of berth does not serve {}", record.resource));
    }
    LastPuts& last = puts_[resource->second];
    if (record.type == JournalRecord::Type::kRemove) {
      last.erase(record.key);
      return {};
    }
    // An object that cannot be read must not take the place of one that can.
    if (lost_ != nullptr) BERTH_CHECK_OK(ObjectOf(*resource->second, record));
    last.insert_or_assign(record.key, Place{.record = record, .offset = offset});
    return {};
  }

  void TakeLater(const JournalRecord& record, size_t offset) {
    LastPuts& last = later_[std::string(record.resource)];
    if (record.type == JournalRecord::Type::kRemove) {
      last.erase(record.key);
    } else {
      last.insert_or_assign(record.key, Place{.record = record, .offset = offset});
    }
  }

  // What only the definitions that were restored make known.
  Result<void> ImportDefined() {
    define_();
    const auto resources = ByName(catalog_);
    for (const auto& [name, last] : later_) {
      if (last.empty()) continue;
      const auto resource = resources.find(name);
      if (resource == resources.end()) {
        const Place& first = last.begin()->second;
        const std::string why = fmt::format("this version of berth does not serve {}", name);
        if (lost_ == nullptr) return At(first.offset, why);
        for (const auto& [key, place] : last) Lose(place.offset, place.record.text.size(), why);
      } else {
        BERTH_CHECK_OK(Import(*resource->second, last));
      }
    }
    return {};
  }

  Result<void> Import(const Resource& resource, const LastPuts& puts) {
    for (const auto& [key, place] : puts) {
      Result<ObjectPtr> object = ObjectOf(resource, place.record);
      if (!object && lost_ != nullptr) {
        Lose(place.offset, place.record.text.size(), object.error().message);
        continue;
      }
      if (!object) return At(place.offset, object.error().message);
      store_.Import(*std::move(object));
    }
    return {};
  }

  void Lose(size_t offset, size_t size, std::string_view what) {
    lost_->push_back(fmt::format("offset {}: {} bytes: {}", offset, size, what));
    lost_bytes_ += size;
  }

  const Catalog& catalog_;
  const std::map<std::string, const Resource*, std::less<>> resources_;
  Store& store_;
  std::vector<std::string>* lost_;
  const DefineResources& define_;
  size_t lost_bytes_ = 0;
  std::unordered_map<const Resource*, LastPuts> puts_;
  std::map<std::string, LastPuts> later_;  // By the name of the resource.
  Revision revision_ = 0;
};

}  // namespace

Result<size_t> RestoreFromJournal(std::string_view bytes, const Catalog& catalog, Store& store,
                                  const DefineResources& define) {
  return Restorer(catalog, store, nullptr, define).Run(bytes);
}

Result<size_t> SalvageFromJournal(std::string_view bytes, const Catalog& catalog, Store& store,
                                  std::vector<std::string>& lost, const DefineResources& define) {
  return Restorer(catalog, store, &lost, define).Run(bytes);
}

}  // namespace berth::server
