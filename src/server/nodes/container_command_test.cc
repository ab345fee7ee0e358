// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/container_command.h"

#include <gtest/gtest.h>

#include <string>

#include "api/document/value.h"

namespace berth::server {
namespace {

std::optional<ContainerCommand> Read(std::string_view container) {
  const auto documents = api::ParseJsonOrYaml(container);
  EXPECT_TRUE(documents) << container;
  return ReadContainerCommand(Json::FromValue(documents->front().root()));
}

std::string InWords(const std::optional<ContainerCommand>& command) {
  if (!command) return "unknown";
  const std::string end = command->runs ? FormatDuration(*command->runs) + " " + std::to_string(command->exit_code)
                                        : std::string("for ever");
  return end + (command->heeds_signals ? ", heeds" : "");
}

TEST(ContainerCommand, WhatProgramsDo) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"command: [sleep, '5']", "5s 0"},
      {"command: [/bin/sleep, 0.5m]", "30s 0"},
      {"command: [/usr/bin/sleep, 1h]", "1h0m0s 0"},
      {"command: [sleep], args: [1d, 1s]", "24h0m1s 0"},
      {"command: [sleep, infinity]", "for ever"},
      {"command: [sleep, '99999999999']", "for ever"},
      {"command: [sleep, '.5']", "500ms 0"},
      {"command: [sleep, '0']", "0s 0"},
      {"command: ['true']", "0s 0"},
      {"command: [/bin/false, x]", "0s 1"},
      {"command: [echo, $(A)]", "0s 0"},
      {"command: [sleep]", "unknown"},
      {"command: [sleep, '']", "unknown"},
      {"command: [sleep, '-1']", "unknown"},
      {"command: [sleep, 1w]", "unknown"},
      {"command: [sleep, 1ss]", "unknown"},
      {"command: [sleep, '1e3']", "unknown"},
      {"command: [sleep, $(SECONDS)]", "unknown"},
      {"command: [exit, '1']", "unknown"},
      {"command: ['']", "unknown"},
      {"command: [/opt/sleep, '5']", "unknown"},
      {"command: [nginx]", "unknown"},
      {"args: [sleep, '5']", "unknown"},
  };
  for (const auto& [container, told] : cases) {
    EXPECT_EQ(InWords(Read("{image: i, " + std::string(container) + "}")), told) << container;
  }
}

TEST(ContainerCommand, WhatImagesDo) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"image: registry.k8s.io/pause:3.10.1", "for ever, heeds"},
      {"image: 'localhost:5000/pause@sha256:0'", "for ever, heeds"},
      {"image: pause", "for ever, heeds"},
      {"image: pause, command: [sleep, '5']", "5s 0"},
      {"image: registry.k8s.io/e2e-test-images/agnhost:2.63.0", "for ever, heeds"},
      {"image: agnhost, args: [pause]", "for ever, heeds"},
      {"image: agnhost, args: [netexec]", "unknown"},
      {"image: pauses", "unknown"},
      {"image: 'pause/web:pause'", "unknown"},
      {"image: ''", "unknown"},
  };
  for (const auto& [container, told] : cases) {
    EXPECT_EQ(InWords(Read("{" + std::string(container) + "}")), told) << container;
  }
}

TEST(ContainerCommand, ShellsRunScripts) {
  for (const std::string_view shell :
       {"[sh, -c]", "[/bin/sh, -c]", "[bash, -c]", "[/bin/bash, -c]", "[/usr/bin/dash, -c]"}) {
    EXPECT_EQ(InWords(Read("{command: " + std::string(shell) + ", args: [sleep 5; exit 3, name]}")), "5s 3") << shell;
  }
  for (const std::string_view other : {"[sh]", "[sh, -c]", "[sh, -ec, exit 1]", "[sh, run]", "[zsh, -c, exit 1]"}) {
    EXPECT_EQ(InWords(Read("{command: " + std::string(other) + "}")), "unknown") << other;
  }
}

TEST(ContainerCommand, WhatScriptsDo) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "0s 0"},
      {" \n ", "0s 0"},
      {"exit 1", "0s 1"},
      {"exit", "0s 0"},
      {"false; exit", "0s 1"},
      {"exit 257", "0s 1"},
      {"sleep 1; sleep 2m", "2m1s 0"},
      {"sleep 1\n\nsleep 2\n", "3s 0"},
      {"sleep 1 && exit 3", "1s 3"},
      {"sleep 1 &&\n exit 3", "1s 3"},
      {"false && sleep 5", "0s 1"},
      {"false && sleep 5 || sleep 2", "2s 0"},
      {"true || exit 3; sleep 1;", "1s 0"},
      {"exit 2; sleep 5", "0s 2"},
      {"sleep inf; exit 1", "for ever"},
      {": ; false", "0s 1"},
      {"echo hello; exit 4", "0s 4"},
      {"echo 'a; b' \"c && $D\"e; exit 4", "0s 4"},
      {"echo ok >/tmp/health; sleep 1; echo 2>&1 $X a#b; sleep 1", "2s 0"},
      {"sleep '1' \"2\"", "3s 0"},
      {"sleep 1 & exit 1", "unknown"},
      {"sleep 1 | exit 1", "unknown"},
      {"sleep 1;; exit 1", "unknown"},
      {"; exit 1", "unknown"},
      {"&& exit 1", "unknown"},
      {"exit 1 &&", "unknown"},
      {"exit 1 && ; true", "unknown"},
      {"exit 1 2", "unknown"},
      {"exit -1", "unknown"},
      {"exit $?", "unknown"},
      {"exit $(( $RANDOM / 16384 ))", "unknown"},
      {"exit 99999999999", "unknown"},
      {"echo `sleep 5`", "unknown"},
      {"echo \"$(sleep 5)\"", "unknown"},
      {"echo \"a\\\"b\"", "unknown"},
      {"echo 'a", "unknown"},
      {"echo \\; exit 1", "unknown"},
      {"# exit 1", "unknown"},
      {"(exit 1)", "unknown"},
      {"sleep 5 > /dev/null", "unknown"},
      {"while true; do sleep 1; done", "unknown"},
      {"exit 0; nginx", "unknown"},
      {"A=1 sleep 1", "unknown"},
      {"'' ; exit 1", "unknown"},
  };
  for (const auto& [script, told] : cases) EXPECT_EQ(InWords(ReadShellScript(script)), told) << script;
}

TEST(ContainerCommand, LongScriptsAreNotLookedAt) {
  EXPECT_EQ(InWords(ReadShellScript("exit 1" + std::string(4090, ' '))), "0s 1");
  EXPECT_EQ(InWords(ReadShellScript("exit 1" + std::string(4091, ' '))), "unknown");
}

}  // namespace
}  // namespace berth::server
