// SPDX-License-Identifier: Apache-2.0
#include "server/store/journal_restore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/store/journal_format.h"
#include "server/store/test_journal.h"

namespace berth::server {
namespace {

// A journal in memory, and the states after each of its records.
struct Written {
  explicit Written(int changes) {
    struct Log final : ChangeLog {
      explicit Log(std::string& to) : bytes(to) {}
      void Append(const Change& change) override {
        AppendRecord(bytes,
                     change.type == Change::Type::kDeleted ? JournalRecord::Type::kRemove : JournalRecord::Type::kPut,
                     *change.object);
      }
      std::string& bytes;
    };
    Store store(catalog);
    Log log(bytes);
    store.SetLog(&log);
    RandomWriter writer(catalog, store, 1);
    Mark(store);
    for (int i = 0; i < changes; ++i) {
      writer.Write();
      Mark(store);
    }
  }
  void Mark(const Store& store) {
    ends.push_back(bytes.size());
    states.push_back(StateOf(catalog, store));
  }

  Catalog catalog;
  std::string bytes = std::string(JournalHeader());
  std::vector<size_t> ends;  // Of the header and of every record.
  std::vector<StoreState> states;
};

TEST(JournalRestore, BringsBackTheStateAfterTheLastWholeRecordWhereverItIsCut) {
  const Written written(20);

  size_t whole = 0;
  for (size_t size = 0; size <= written.bytes.size(); ++size) {
    if (whole + 1 < written.ends.size() && size == written.ends[whole + 1]) ++whole;
    Store store(written.catalog);
    // At the exact size, so that the address sanitizer sees an over-read.
    const std::vector<char> cut(written.bytes.begin(), written.bytes.begin() + static_cast<ptrdiff_t>(size));
    const Result<size_t> end = RestoreFromJournal({cut.data(), cut.size()}, written.catalog, store);
    ASSERT_TRUE(end) << "cut at " << size << ": " << end.error().message;
    ASSERT_EQ(*end, size < JournalHeader().size() ? 0 : written.ends[whole]) << "cut at " << size;
    ASSERT_EQ(store.revision(), written.states[whole].revision) << "cut at " << size;
    ASSERT_EQ(StateOf(written.catalog, store), written.states[whole]) << "cut at " << size;
  }
  EXPECT_EQ(whole, 20);
}

TEST(JournalRestore, NeverTakesADamagedJournalForAWholeOne) {
  const Written written(20);

  for (size_t at = 0; at < written.bytes.size(); ++at) {
    std::string damaged = written.bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    Store store(written.catalog);
    const Result<size_t> end = RestoreFromJournal(damaged, written.catalog, store);
    const size_t record = static_cast<size_t>(std::ranges::upper_bound(written.ends, at) - written.ends.begin());
    if (end) {
      // Only the last one may be taken for one that was not written to its end.
      ASSERT_EQ(record, written.ends.size() - 1) << "damaged at " << at;
      ASSERT_EQ(StateOf(written.catalog, store), written.states[record - 1]);
    } else if (record > 0) {
      ASSERT_TRUE(end.error().message.starts_with("offset " + std::to_string(written.ends[record - 1]) + ": "))
          << "damaged at " << at << ": " << end.error().message;
    }
  }
}

// What it holds without one of its records.
StoreState Without(const Written& written, size_t record) {
  std::string bytes = written.bytes.substr(0, written.ends[record - 1]);
  bytes += written.bytes.substr(written.ends[record]);
  Store store(written.catalog);
  EXPECT_TRUE(RestoreFromJournal(bytes, written.catalog, store));
  return StateOf(written.catalog, store);
}

TEST(JournalSalvage, DamageCostsTheRecordThatHasIt) {
  const Written written(10);
  std::vector<StoreState> without(1);  // By record; there is none before the first.
  for (size_t record = 1; record < written.ends.size(); ++record) without.push_back(Without(written, record));

  for (size_t at = JournalHeader().size(); at < written.bytes.size(); ++at) {
    SCOPED_TRACE(at);
    std::string damaged = written.bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const size_t record = static_cast<size_t>(std::ranges::upper_bound(written.ends, at) - written.ends.begin());
    Store store(written.catalog);
    std::vector<std::string> lost;
    const Result<size_t> end = SalvageFromJournal(damaged, written.catalog, store, lost);

    ASSERT_TRUE(end) << end.error().message;
    ASSERT_EQ(StateOf(written.catalog, store).texts, without[record].texts);
    if (record == written.ends.size() - 1 && lost.empty()) continue;  // Taken for one that was not written to its end.
    ASSERT_EQ(lost.size(), 1U);
    ASSERT_TRUE(lost[0].starts_with("offset " + std::to_string(written.ends[record - 1]) + ": " +
                                    std::to_string(written.ends[record] - written.ends[record - 1]) + " bytes: "))
        << lost[0];
    ASSERT_GE(store.revision(), written.states.back().revision);
  }
}

TEST(JournalSalvage, ReadsOnBehindADamagedHeader) {
  const Written written(5);
  for (size_t at = 0; at < 8; ++at) {
    std::string damaged = written.bytes;
    damaged[at] = '?';
    Store store(written.catalog);
    std::vector<std::string> lost;
    ASSERT_TRUE(SalvageFromJournal(damaged, written.catalog, store, lost));
    EXPECT_EQ(StateOf(written.catalog, store).texts, written.states.back().texts);
    EXPECT_EQ(lost, std::vector<std::string>{"offset 0: 12 bytes: the header is damaged"});
  }
  Store store(written.catalog);
  std::vector<std::string> lost;
  EXPECT_FALSE(SalvageFromJournal("kind: Pod\nmetadata: {}\n", written.catalog, store, lost));
}

TEST(JournalSalvage, KeepsTheObjectThatAnUnreadableOneWouldReplace) {
  const Catalog catalog;
  const auto put = [](std::string& bytes, Revision revision, std::string_view text) {
    AppendRecord(bytes, JournalRecord{.type = JournalRecord::Type::kPut,
                                      .revision = revision,
                                      .resource = "namespaces",
                                      .key = "a",
                                      .text = text});
  };
  const std::string good =
      R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1"},"spec":{},"status":{}})";
  for (const std::string& bad :
       {std::string("{"), std::string("{}"), std::string(300, '[') + std::string(300, ']'),
        std::string(R"({"kind":"Namespace","metadata":{"name":"b","resourceVersion":"2"}})"),
        std::string(
            R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"2"},"spec":5})")}) {
    SCOPED_TRACE(bad);
    std::string bytes(JournalHeader());
    put(bytes, 1, good);
    const size_t begin = bytes.size();
    put(bytes, 2, bad);
    Store strict(catalog);
    const Result<size_t> refused = RestoreFromJournal(bytes, catalog, strict);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.starts_with("offset " + std::to_string(begin) + ": "));

    Store store(catalog);
    std::vector<std::string> lost;
    ASSERT_TRUE(SalvageFromJournal(bytes, catalog, store, lost));
    const ObjectPtr kept = store.Find(catalog.Get("", "namespaces"), "", "a");
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(*kept->json(), good);
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_NE(lost[0].find("write of namespaces \"a\" at revision 2: "), std::string::npos) << lost[0];
  }
}

TEST(JournalRestore, LeavesOutZerosAtTheEnd) {
  const Written written(5);
  const size_t before_last = written.ends[written.ends.size() - 2];

  for (const size_t zeros : {1, 11, 12, 100, 5000}) {
    Store store(written.catalog);
    const Result<size_t> end = RestoreFromJournal(written.bytes + std::string(zeros, '\0'), written.catalog, store);
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(*end, written.bytes.size());
  }
  // The disk kept the length of the file, and not all that was in it.
  for (size_t kept = before_last; kept < written.bytes.size() - 1; ++kept) {
    std::string bytes = written.bytes.substr(0, kept);
    bytes.append(written.bytes.size() + 100 - kept, '\0');
    Store store(written.catalog);
    const Result<size_t> end = RestoreFromJournal(bytes, written.catalog, store);
    ASSERT_TRUE(end) << "kept " << kept << ": " << end.error().message;
    EXPECT_EQ(*end, before_last);
  }
}

std::string MessageFor(const Catalog& catalog, const std::string& bytes) {
  Store store(catalog);
  const Result<size_t> end = RestoreFromJournal(bytes, catalog, store);
  return end ? "" : end.error().message;
}

TEST(JournalRestore, NamesWhatItCannotRead) {
  const Catalog catalog;
  std::string unknown(JournalHeader());
  AppendRecord(
      unknown,
      JournalRecord{
          .type = JournalRecord::Type::kPut, .revision = 1, .resource = "boats.example.com", .key = "x", .text = "{}"});
  std::string other(JournalHeader());
  other[8] = '\7';

  EXPECT_EQ(MessageFor(catalog, "kind: Pod\n"), "this is no journal of berth");
  EXPECT_EQ(MessageFor(catalog, other), "the journal was written by another version of berth; this one cannot read it");
  EXPECT_NE(MessageFor(catalog, unknown).find("does not serve boats.example.com"), std::string::npos);
}

}  // namespace
}  // namespace berth::server
