// SPDX-License-Identifier: Apache-2.0
#include "record/input_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/checksum.h"
#include "config/policy/from_policy.h"
#include "plugins/registry.h"
#include "record/fields.h"
#include "record/test_run.h"

namespace berth::record {
namespace {

using scheduler::EffectAnswer;
using scheduler::Input;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Bytes(const Input& input) {
  Encoder archive;
  archive(input);
  return archive.Take();
}

std::vector<Input> SmallRun() {
  std::vector<Input> inputs;
  inputs.push_back({Time{5}, scheduler::PutObject{api::Node(cluster::NodeBuilder("n1").Capacity("4", "8Gi"))}});
  inputs.push_back({Time{6}, scheduler::RemoveObject{"Pod", "default", "a", true}});
  inputs.push_back({Time{7}, EffectAnswer{3, EffectAnswer::Code::kUnknown, "lost"}});
  inputs.push_back({Time{8}, scheduler::ScheduleNext{}});
  inputs.push_back({Time{9}, scheduler::PassTime{}});
  return inputs;
}

std::string SmallLog() {
  std::ostringstream out;
  Writer writer(out, RandomRun::MakeSettings(7));
  uint64_t digest = 0;
  for (const Input& input : SmallRun()) {
    writer.WriteInput(input);
    writer.WriteDigest(++digest);
  }
  writer.WriteEnd();
  EXPECT_TRUE(writer.ok());
  EXPECT_EQ(writer.size(), out.str().size());
  return out.str();
}

struct Outcome {
  bool opened = false;
  std::vector<std::string> entries;  // As bytes.
  std::string error;
  std::string unfinished;
};

Outcome ReadAll(const std::string& log) {
  Outcome outcome;
  std::istringstream in(log);
  Result<Reader> reader = Reader::Open(in);
  if (!reader) {
    outcome.error = reader.error().message;
    return outcome;
  }
  outcome.opened = true;
  while (true) {
    const Result<std::optional<Entry>> entry = reader->Next();
    if (!entry) outcome.error = entry.error().message;
    if (!entry || !*entry) {
      outcome.unfinished = reader->unfinished().value_or("");
      return outcome;
    }
    const auto* input = std::get_if<Input>(&(*entry)->what);
    outcome.entries.push_back(input != nullptr ? Bytes(*input)
                                               : std::to_string(std::get<Digest>((*entry)->what).value));
  }
}

TEST(Checksum, IsThePublishedOne) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c("456789", Crc32c("123")), Crc32c("123456789"));
  EXPECT_EQ(Fnv1a(""), 0xCBF29CE484222325U);
  EXPECT_EQ(Fnv1a("a"), 0xAF63DC4C8601EC8CU);
}

TEST(InputLog, SettingsAndEntriesComeBack) {
  const std::string log = SmallLog();
  std::istringstream in(log);
  const Result<Reader> reader = Reader::Open(in);

  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  EXPECT_EQ(reader->settings(), RandomRun::MakeSettings(7));
  const Outcome outcome = ReadAll(log);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.unfinished, "");
  const std::vector<Input> inputs = SmallRun();
  ASSERT_EQ(outcome.entries.size(), 2 * inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(outcome.entries[2 * i], Bytes(inputs[i]));
    EXPECT_EQ(outcome.entries[2 * i + 1], std::to_string(i + 1));
  }
}

TEST(InputLog, EntriesHaveTheDocumentedBytes) {
  std::ostringstream out;
  Writer writer(out, RandomRun::MakeSettings(7));
  const size_t before = out.str().size();

  writer.WriteInput({Time{Seconds(1000).nanos}, scheduler::ScheduleNext{}});
  writer.WriteDigest(DigestOf({}));

  std::string hex;
  for (const char byte : out.str().substr(before)) hex += fmt::format("{:02X}", static_cast<unsigned char>(byte));
  EXPECT_EQ(hex,
            "09000000671FB8810080C0A8CA9A3A0300"
            "0B000000C4DFC48D01DFEF86B0C8A9EFB1AF01");
}

TEST(InputLog, SettingsKeepAbsentPercentagesAndGatesAndLeaveKeysOut) {
  Settings settings = RandomRun::MakeSettings(std::nullopt);
  settings.gates = framework::FeatureGates::Create({{"SchedulerPopFromBackoffQ", false}}).value();
  settings.configuration.profiles[0].percentage_of_nodes_to_score = 0;
  settings.configuration.extenders.resize(1);
  framework::ExtenderConfiguration& extender = settings.configuration.extenders[0];
  extender.url_prefix = "https://me:hidden@example.com/path";
  extender.http_timeout = Seconds(5);
  extender.tls_config.emplace().key_data = "secret";

  const std::string bytes = EncodeSettings(settings);
  const Result<Settings> again = DecodeSettings(bytes, plugins::BuiltIn());

  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_THAT(bytes, Not(HasSubstr("c2VjcmV0")));
  EXPECT_THAT(bytes, Not(HasSubstr("hidden")));
  extender.tls_config->key_data.clear();
  extender.url_prefix = "https://me:***@example.com/path";
  EXPECT_EQ(*again, settings);
}

TEST(InputLog, SettingsKeepWhatBecameOfAPolicy) {
  using config::PolicyCompat;
  for (const PolicyCompat release : {PolicyCompat::kV116, PolicyCompat::kV121, PolicyCompat::kV122}) {
    SCOPED_TRACE(static_cast<int>(release));
    const auto policy = config::DecodePolicy(
        R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"GeneralPredicates"},{"name":"MaxEBSVolumeCount"},{"name":"CheckVolumeBinding"},
                          {"name":"Rack","argument":{"labelsPresence":{"labels":["rack"],"presence":true}}}],
            "priorities":[{"name":"LeastRequestedPriority","weight":3},{"name":"InterPodAffinityPriority","weight":1}],
            "extenders":[{"urlPrefix":"http://e","filterVerb":"f"}],"alwaysCheckAllPredicates":true})",
        release);
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    config::PolicyOptions options;
    options.compat = release;
    Settings settings = RandomRun::MakeSettings(std::nullopt);
    const auto made = config::FromPolicy(*policy, options, settings.gates);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    settings.configuration.profiles = made->profiles;
    settings.configuration.extenders = made->extenders;
    settings.configuration.extender_score_scale = made->extender_score_scale;
    settings.configuration.pod_max_in_unschedulable = made->pod_max_in_unschedulable;
    settings.policy_release = release;

    const Result<Settings> again = DecodeSettings(EncodeSettings(settings), plugins::BuiltIn());

    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(*again, settings);
    EXPECT_TRUE(again->configuration.profiles.front().run_all_filters);
    const auto core = MakeCore(*again, plugins::BuiltIn());
    EXPECT_TRUE(core.has_value()) << core.error().message;
  }
}

TEST(InputLog, CutAnywhereEverythingBeforeTheCutIsRead) {
  const std::string log = SmallLog();
  const Outcome whole = ReadAll(log);
  size_t entries_before = 0;
  for (size_t size = 0; size < log.size(); ++size) {
    SCOPED_TRACE(size);
    const Outcome cut = ReadAll(log.substr(0, size));

    if (!cut.opened) {
      EXPECT_THAT(cut.error, StartsWith("offset "));
      EXPECT_EQ(entries_before, 0u);
      continue;
    }
    ASSERT_GE(cut.entries.size(), entries_before);
    ASSERT_LE(cut.entries.size(), entries_before + 1);
    entries_before = cut.entries.size();
    EXPECT_EQ(cut.error, "");
    EXPECT_THAT(cut.unfinished, StartsWith("it is still being written, or its writer died"));
    EXPECT_TRUE(std::equal(cut.entries.begin(), cut.entries.end(), whole.entries.begin()));
  }
  EXPECT_EQ(entries_before, whole.entries.size());
}

TEST(InputLog, EveryChangedBitIsNoticedAndEverythingBeforeItIsRead) {
  const std::string log = SmallLog();
  const Outcome whole = ReadAll(log);
  for (size_t bit = 0; bit < log.size() * 8; ++bit) {
    std::string damaged = log;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));

    const Outcome outcome = ReadAll(damaged);

    // A size that is too large reads like a cut.
    ASSERT_TRUE(outcome.error.starts_with("offset ") || outcome.unfinished.ends_with("are no whole entry")) << bit;
    ASSERT_TRUE(std::equal(outcome.entries.begin(), outcome.entries.end(), whole.entries.begin())) << bit;
  }
}

TEST(InputLog, NothingMayFollowTheEnd) {
  EXPECT_THAT(ReadAll(SmallLog() + "x").error, HasSubstr("something follows the end"));
}

TEST(InputLog, OtherFilesAndVersionsAreRefused) {
  std::string newer = SmallLog();
  newer[8] = 10;

  EXPECT_EQ(ReadAll("").error, "offset 0: this is not an input log");
  EXPECT_EQ(ReadAll("apiVersion: v1\nkind: Pod\n").error, "offset 0: this is not an input log");
  EXPECT_EQ(ReadAll(newer).error, "offset 8: the log has version 10, and only 9 is known");
}

TEST(InputLog, DigestsTellEffectsApart) {
  const framework::ReadPod read{nullptr};
  const auto event = [](std::string note) {
    return framework::RecordEvent{nullptr, "Normal", "Scheduled", "Binding", std::move(note), "mine"};
  };
  const std::vector<std::vector<scheduler::IssuedEffect>> runs = {
      {}, {{1, read}}, {{2, read}}, {{1, read}, {2, read}}, {{1, event("a")}}, {{1, event("b")}}};
  std::set<uint64_t> digests;
  for (const auto& effects : runs) digests.insert(DigestOf(effects));
  EXPECT_EQ(digests.size(), runs.size());
}

}  // namespace
}  // namespace berth::record
