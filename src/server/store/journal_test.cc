// SPDX-License-Identifier: Apache-2.0
#include "server/store/journal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "runtime/test_files.h"
#include "server/store/journal_compaction.h"
#include "server/store/test_journal.h"

namespace berth::server {
namespace {

using runtime::TestDirectory;

struct JournalWorld {
  explicit JournalWorld(const std::string& directory, Journal::Options options = {}) {
    Result<std::unique_ptr<Journal>> opened = Journal::Open(directory, catalog, store, options);
    if (opened) journal = *std::move(opened);
    if (!opened) error = opened.error().message;
  }

  StoreState State() const { return StateOf(catalog, store); }

  Catalog catalog;
  Store store{catalog};
  std::unique_ptr<Journal> journal;  // Null if it could not be opened.
  std::string error;
};

void Check(const Result<void>& result) { ASSERT_TRUE(result) << result.error().message; }

TEST(Journal, BringsBackTheStoreAfterAProperEnd) {
  const TestDirectory directory;
  StoreState before;
  {
    JournalWorld world(directory.path() + "/deep/data");
    ASSERT_TRUE(world.journal) << world.error;
    RandomWriter writer(world.catalog, world.store, 1);
    for (int i = 0; i < 200; ++i) writer.Write();
    Check(world.journal->Close());
    before = world.State();
  }

  const JournalWorld again(directory.path() + "/deep/data");
  ASSERT_TRUE(again.journal) << again.error;
  EXPECT_EQ(again.State(), before);
  EXPECT_EQ(again.journal->restored().objects, before.texts.size());
  EXPECT_EQ(again.journal->restored().cut_bytes, 0);
}

TEST(Journal, GoesOnWhereItWasCut) {
  const TestDirectory directory;
  StoreState before;
  {
    JournalWorld world(directory.path());
    RandomWriter writer(world.catalog, world.store, 1);
    for (int i = 0; i < 20; ++i) writer.Write();
    Check(world.journal->Flush());
    before = world.State();
    writer.Write();
  }
  const std::string path = JournalPath(directory.path());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
  {
    JournalWorld world(directory.path());
    ASSERT_TRUE(world.journal) << world.error;
    EXPECT_EQ(world.State(), before);
    EXPECT_GT(world.journal->restored().cut_bytes, 0);
    RandomWriter writer(world.catalog, world.store, 2);
    for (int i = 0; i < 20; ++i) writer.Write();
    before = world.State();
  }

  const JournalWorld again(directory.path());
  ASSERT_TRUE(again.journal) << again.error;
  EXPECT_EQ(again.State(), before);
  EXPECT_EQ(again.State().revision, 40);
}

TEST(Journal, BeginsAnewInsteadOfHalfAHeader) {
  const TestDirectory directory;
  {
    const JournalWorld world(directory.path());
  }
  std::filesystem::resize_file(JournalPath(directory.path()), 5);
  {
    JournalWorld world(directory.path());
    ASSERT_TRUE(world.journal) << world.error;
    world.store.Put(world.catalog.Get("", "namespaces"), TestNamespace("a"));
  }

  const JournalWorld again(directory.path());
  EXPECT_EQ(again.store.total_count(), 1);
}

TEST(Journal, RefusesADamagedFileWithItsNameAndTheOffset) {
  const TestDirectory directory;
  {
    JournalWorld world(directory.path());
    RandomWriter writer(world.catalog, world.store, 1);
    for (int i = 0; i < 20; ++i) writer.Write();
  }
  const std::string path = JournalPath(directory.path());
  std::fstream(path, std::ios::in | std::ios::out).seekp(40).put('\xFF');

  const JournalWorld again(directory.path());
  EXPECT_FALSE(again.journal);
  EXPECT_EQ(again.error, path + ": offset 12: a record is damaged; --salvage goes on without what is damaged");
}

TEST(Journal, IsWrittenAnewWithoutWhatIsDamagedIfThatIsAskedFor) {
  const TestDirectory directory;
  const std::string path = JournalPath(directory.path());
  {
    JournalWorld world(directory.path());
    const Resource& namespaces = world.catalog.Get("", "namespaces");
    for (const char* name : {"a", "b", "c"}) world.store.Put(namespaces, TestNamespace(name));
  }
  std::fstream(path, std::ios::in | std::ios::out).seekp(40).put('\xFF');
  StoreState salvaged;
  {
    Catalog catalog;
    Store store(catalog);
    const Result<Journal::Restored> read = Journal::Read(directory.path(), catalog, store, true);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->lost.size(), 1U);
    EXPECT_EQ(read->damaged_file, "");
    EXPECT_FALSE(Journal::Read(directory.path(), catalog, store, false));
  }
  {
    JournalWorld world(directory.path(), {.salvages = true});
    ASSERT_TRUE(world.journal) << world.error;
    EXPECT_EQ(world.store.total_count(), 2U);
    EXPECT_GT(world.store.revision(), 3);
    const Journal::Restored& restored = world.journal->restored();
    ASSERT_EQ(restored.lost.size(), 1U);
    EXPECT_TRUE(restored.lost[0].starts_with("offset 12: ")) << restored.lost[0];
    EXPECT_EQ(restored.damaged_file, path + ".damaged");
    world.store.Put(world.catalog.Get("", "namespaces"), TestNamespace("d"));
    Check(world.journal->Close());
    salvaged = world.State();
  }
  EXPECT_TRUE(std::filesystem::exists(path + ".damaged"));

  const JournalWorld again(directory.path());
  ASSERT_TRUE(again.journal) << again.error;
  EXPECT_EQ(again.State(), salvaged);
  EXPECT_TRUE(again.journal->restored().lost.empty());
}

TEST(Journal, ReadingADirectoryThatHasNoneIsAnError) {
  const TestDirectory directory;
  Catalog catalog;
  Store store(catalog);
  EXPECT_FALSE(Journal::Read(directory.path() + "/typo", catalog, store, false));
  EXPECT_FALSE(std::filesystem::exists(directory.path() + "/typo"));
}

TEST(Journal, GoesOnIfItCannotBeWrittenAnew) {
  const TestDirectory directory;
  std::vector<std::string> troubles;
  Journal::Options options{.compact_bytes_min = 2000, .compact_step_bytes = 100, .compact_retry_syncs = 3};
  options.on_trouble = [&](const std::string& trouble) { troubles.push_back(trouble); };
  StoreState before;
  {
    JournalWorld world(directory.path(), options);
    RandomWriter writer(world.catalog, world.store, 1);
    const std::string new_path = directory.path() + "/journal.new";
    // A disk on which nothing has room.
    const auto fill = [&] {
      std::error_code error;
      std::filesystem::create_symlink("/dev/full", new_path, error);
    };
    for (int i = 0; i < 200; ++i) {
      fill();
      writer.Write();
      Check(world.journal->Flush());
      Check(world.journal->Sync());
    }
    ASSERT_EQ(troubles.size(), 1U);
    EXPECT_NE(troubles[0].find("no space left on device"), std::string::npos) << troubles[0];
    const size_t grown = world.journal->file_bytes();
    EXPECT_GT(grown, 10'000U);

    // There is room again.
    std::filesystem::remove(new_path);
    for (int i = 0; i < 10'000 && world.journal->file_bytes() >= grown; ++i) {
      usleep(1000);
      Check(world.journal->Sync());
    }
    EXPECT_LT(world.journal->file_bytes(), grown);
    EXPECT_EQ(troubles.size(), 1U);
    before = world.State();
  }

  const JournalWorld again(directory.path());
  ASSERT_TRUE(again.journal) << again.error;
  EXPECT_EQ(again.State(), before);
}

TEST(Journal, HasItsDirectoryForItself) {
  const TestDirectory directory;
  {
    const JournalWorld first(directory.path());
    const JournalWorld second(directory.path());
    EXPECT_FALSE(second.journal);
    EXPECT_EQ(second.error, directory.path() + ": another process is using this directory");
  }
  EXPECT_TRUE(JournalWorld(directory.path()).journal);
}

TEST(Journal, FileIsForItsOwnerOnly) {
  using std::filesystem::perms;
  const TestDirectory directory;
  const JournalWorld world(directory.path() + "/data");

  EXPECT_EQ(std::filesystem::status(directory.path() + "/data").permissions(), perms::owner_all);
  EXPECT_EQ(std::filesystem::status(JournalPath(directory.path() + "/data")).permissions(),
            perms::owner_read | perms::owner_write);
}

TEST(Journal, FailsForGoodWhenItCannotWrite) {
  const TestDirectory directory;
  JournalWorld world(directory.path());
  RandomWriter writer(world.catalog, world.store, 1);
  // A file may not grow beyond this, as on a full disk.
  struct rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old = signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  for (int i = 0; i < 20; ++i) writer.Write();
  const Result<void> first = world.journal->Flush();
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, old);

  ASSERT_FALSE(first);
  EXPECT_NE(first.error().message.find("file too large"), std::string::npos) << first.error().message;
  EXPECT_FALSE(world.journal->Flush());
  EXPECT_FALSE(world.journal->Sync());
  EXPECT_FALSE(world.journal->Close());
}

TEST(Journal, IsWrittenAnewWhenMuchOfItIsOfThePast) {
  const TestDirectory directory;
  const Journal::Options options{.compact_bytes_min = 20000, .compact_step_bytes = 500};
  StoreState before;
  {
    JournalWorld world(directory.path(), options);
    RandomWriter writer(world.catalog, world.store, 1);
    for (int i = 0; i < 3000; ++i) {
      writer.Write();
      if (i % 3 == 0) Check(world.journal->Flush());
      if (i % 100 == 0) Check(world.journal->Sync());
    }
    // The new file takes over when the disk has it, however slow that is.
    for (int i = 0; i < 10'000 && world.journal->file_bytes() >= 100'000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      writer.Write();
      Check(world.journal->Flush());
      Check(world.journal->Sync());
    }
    Check(world.journal->Close());
    EXPECT_LT(world.journal->file_bytes(), 100'000);
    before = world.State();
  }

  const JournalWorld again(directory.path(), options);
  ASSERT_TRUE(again.journal) << again.error;
  EXPECT_EQ(again.State(), before);
  EXPECT_FALSE(std::filesystem::exists(directory.path() + "/journal.new"));
}

TEST(Journal, CompactionKeepsTheRevisionOfARemoval) {
  const TestDirectory directory;
  const Journal::Options options{.compact_bytes_min = 1, .compact_step_bytes = 1};
  {
    JournalWorld world(directory.path(), options);
    const Resource& namespaces = world.catalog.Get("", "namespaces");
    world.store.Put(namespaces, TestNamespace("a"));
    world.store.Remove(namespaces, TestNamespace("a"));
    Check(world.journal->Flush());
    for (int i = 0; i < 100 && world.journal->file_bytes() > 50; ++i) {
      Check(world.journal->Sync());
      usleep(1000);
    }
    EXPECT_LT(world.journal->file_bytes(), 50);
  }

  EXPECT_EQ(JournalWorld(directory.path()).store.revision(), 2);
}

// Writes until it is killed. Says on the pipe how far the journal has come, as a server answers its clients.
[[noreturn]] void WriteForever(const std::string& directory, int pipe) {
  JournalWorld world(directory, {.compact_bytes_min = 30000, .compact_step_bytes = 2000});
  if (!world.journal) _exit(1);
  RandomWriter writer(world.catalog, world.store, static_cast<uint64_t>(world.store.revision()) + 1);
  for (int i = 0;; ++i) {
    for (int change = 0; change <= i % 5; ++change) writer.Write();
    if (!world.journal->Flush() || (i % 50 == 0 && !world.journal->Sync())) _exit(2);
    const Revision revision = world.store.revision();
    if (write(pipe, &revision, sizeof(revision)) != sizeof(revision)) _exit(3);
  }
}

// The last that came out of the pipe before its other end was closed.
Revision LastSaid(int pipe) {
  Revision last = 0;
  Revision next = 0;
  while (read(pipe, &next, sizeof(next)) == sizeof(next)) last = next;
  return last;
}

TEST(Journal, KeepsWhatWasAnsweredWhenTheProcessIsKilledAtAnyTime) {
  const TestDirectory directory;
  Revision reached = 0;
  for (int round = 0; round < 25; ++round) {
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(pipes[0]);
      WriteForever(directory.path(), pipes[1]);
    }
    close(pipes[1]);
    Revision first = 0;
    ASSERT_EQ(read(pipes[0], &first, sizeof(first)), static_cast<ssize_t>(sizeof(first)));
    usleep(static_cast<useconds_t>(100 * round));
    kill(child, SIGKILL);
    const Revision said = LastSaid(pipes[0]);
    close(pipes[0]);
    waitpid(child, nullptr, 0);

    const JournalWorld world(directory.path());
    ASSERT_TRUE(world.journal) << world.error;
    ASSERT_GE(world.store.revision(), said);
    ASSERT_GT(world.store.revision(), reached);
    reached = world.store.revision();
  }
}

}  // namespace
}  // namespace berth::server
