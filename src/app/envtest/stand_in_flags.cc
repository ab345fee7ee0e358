// SPDX-License-Identifier: Apache-2.0
#include "app/envtest/stand_in_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/run.h"
#include "app/command_line/standard_output.h"
#include "app/scheduler/flags/flag_bindings.h"
#include "app/scheduler/flags/help.h"
#include "base/similar_word.h"

namespace berth::envtest {
namespace {

scheduler_app::FlagBinding BindIdle(std::string_view type) {
  return {.type = std::string(type),
          .set = [](std::string_view) -> Result<void> { return {}; },
          .text = [] { return std::string(); },
          .if_bare = type == "bool" ? "true" : ""};
}

std::string SimilarFlag(const scheduler_app::FlagSet& flags, std::string_view message) {
  constexpr std::string_view kUnknown = "unknown flag: --";
  if (!message.starts_with(kUnknown)) return {};
  std::vector<std::string_view> names;
  for (const auto& [name, flag] : flags.ByName()) names.push_back(name);
  return DidYouMean(message.substr(kUnknown.size()), names);
}

}  // namespace

void AddIdleFlags(scheduler_app::FlagSet& flags, const std::vector<IdleFlag>& idle) {
  flags.BeginSection("Without effect");
  for (const IdleFlag& flag : idle) flags.Add(std::string(flag.name), BindIdle(flag.type), std::string(flag.why));
}

std::optional<int> ParseStandIn(std::string_view program, scheduler_app::FlagSet& flags,
                                const std::vector<std::string>& arguments) {
  if (std::ranges::any_of(arguments, [](const auto& argument) { return argument == "--help" || argument == "-h"; })) {
    app::Print(fmt::format("Berth in the place of {}, for tests with envtest.\n\n{}", program,
                           scheduler_app::UsageText(program, flags, 0)));
    return 0;
  }
  const auto refuse = [&](std::string_view why) {
    fmt::print(stderr, "{0}: {1}\nThis is Berth in the place of {0}; `{0} --help` lists the flags that it takes.\n",
               program, why);
    return command_line::kExitUsage;
  };
  const Result<std::vector<std::string>> words = flags.Parse(arguments);
  if (!words) return refuse(words.error().message + SimilarFlag(flags, words.error().message));
  if (!words->empty()) return refuse(fmt::format("unexpected argument \"{}\"", words->front()));
  return std::nullopt;
}

}  // namespace berth::envtest
