// SPDX-License-Identifier: Apache-2.0
// The reader of journals accepts any bytes. Checksums would stop nearly every changed journal, so the bytes are also
// taken for the parts of a record with the right ones.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "server/store/journal_format.h"
#include "server/store/journal_restore.h"

namespace berth::server {
namespace {

const Catalog& TestCatalog() {
  static const Catalog catalog;
  return catalog;
}

void Restore(std::string_view bytes) {
  Store store(TestCatalog());
  const Result<size_t> end = RestoreFromJournal(bytes, TestCatalog(), store);
  BERTH_ASSERT(!end || *end <= bytes.size());
  // Whatever was read can be sent.
  for (const auto& resource : TestCatalog().all()) {
    if (!end || resource->stored != resource.get()) continue;
    for (const auto& [key, object] : store.All(*resource)) BERTH_ASSERT(!object->protobuf()->empty());
  }

  // Without what is damaged at least as much is read.
  Store salvaged(TestCatalog());
  std::vector<std::string> lost;
  const Result<size_t> salvaged_end = SalvageFromJournal(bytes, TestCatalog(), salvaged, lost);
  BERTH_ASSERT(salvaged_end || !end);
  if (!end) return;
  BERTH_ASSERT(lost.empty() && *salvaged_end == *end && salvaged.total_count() == store.total_count());
}

// A record, damage, and a record that must be found behind it. The damage is in hexadecimal, so that it is no record.
void RestoreAround(std::string_view damage) {
  const auto put = [](std::string& bytes, std::string_view key) {
    const std::string text = fmt::format(
        R"({{"kind":"Namespace","apiVersion":"v1","metadata":{{"name":"{}","resourceVersion":"1"}}}})", key);
    AppendRecord(
        bytes,
        JournalRecord{
            .type = JournalRecord::Type::kPut, .revision = 1, .resource = "namespaces", .key = key, .text = text});
  };
  std::string bytes(JournalHeader());
  put(bytes, "first");
  bytes += fmt::format("{:02x}", fmt::join(damage, ""));
  put(bytes, "last");
  Store store(TestCatalog());
  std::vector<std::string> lost;
  BERTH_ASSERT(SalvageFromJournal(bytes, TestCatalog(), store, lost).has_value());
  const Resource& namespaces = TestCatalog().Get("", "namespaces");
  BERTH_ASSERT(store.Find(namespaces, "", "first") != nullptr);
  BERTH_ASSERT(store.Find(namespaces, "", "last") != nullptr);
  BERTH_ASSERT(damage.empty() == lost.empty());
}

// The first byte says what the record is and the next ones how long its parts are.
std::string Record(std::string_view bytes) {
  const auto byte = [&](size_t at) { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U; };
  const std::string_view rest = bytes.substr(std::min<size_t>(bytes.size(), 3));
  const std::string_view key = rest.substr(0, byte(2) % 64);
  std::string record(JournalHeader());
  AppendRecord(record, JournalRecord{.type = static_cast<JournalRecord::Type>(byte(0) % 5),
                                     .revision = static_cast<Revision>(byte(1)),
                                     .resource = byte(0) % 2 == 0 ? "pods" : "namespaces",
                                     .key = key,
                                     .text = rest.substr(key.size())});
  return record;
}

}  // namespace
}  // namespace berth::server

extern const char* const kFuzzSeeds[] = {
    "BERTHDAT\1",
    R"(ABCa/x{"kind":"Pod","metadata":{"name":"x","namespace":"a","resourceVersion":"66"}})",
    R"(FBAx{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"x","labels":{"a":"b"},"resourceVersion":"66"}})",
    R"(GBAx)",
    nullptr,
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  berth::server::Restore(bytes);
  berth::server::Restore(berth::server::Record(bytes));
  berth::server::RestoreAround(bytes);
  return 0;
}
