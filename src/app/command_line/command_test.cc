// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "app/command_line/completion.h"
#include "app/command_line/help.h"
#include "app/command_line/man.h"

namespace berth::command_line {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program with a command two levels deep, as it may be added one day.
Command MakeProgram() {
  CLI::App app("Does things. At length.", "prog");
  CLI::App* node = app.add_subcommand("node", "Changes nodes");
  CLI::App* add = node->add_subcommand("add", "Adds a node.\n\nIt's \\new.");
  add->footer("Exit code: 0.\n\nExamples:\n  prog node add a");
  static std::string text;
  add->add_option("name", text, "The name")->required()->type_name("NAME");
  add->add_option("-l,--like", text, "Another one: [x]")->type_name("hot|cold")->check(CLI::IsMember({"hot", "cold"}));
  add->add_option("--from", text, "Where it's from")->type_name("FILE");
  static bool is_quiet = false;
  add->add_flag("--quiet", is_quiet, "Say nothing");
  return Describe(app);
}

TEST(Command, IsReadOffTheTableOfFlags) {
  const Command program = MakeProgram();

  EXPECT_EQ(program.Summary(), "Does things");
  const Command& add = program.commands.at(0).commands.at(0);
  EXPECT_EQ(add.path, "prog node add");
  EXPECT_EQ(add.Usage(), "prog node add [FLAGS] NAME");
  EXPECT_EQ(add.notes, "Exit code: 0.");
  EXPECT_EQ(add.examples, "  prog node add a");
  ASSERT_EQ(add.flags.size(), 4u);  // With --help.
  EXPECT_EQ(FlagHead(add.flags[1]), "-l, --like hot|cold");
  EXPECT_THAT(Choices(add.flags[1].value), ElementsAre("hot", "cold"));
  EXPECT_EQ(FlagHead(add.flags[3]), "    --quiet");
}

TEST(Command, HelpFillsLines) {
  EXPECT_EQ(Fill("one two three\nfour\n\n  kept as  it is\nfive", 9), "one two\nthree\nfour\n\n  kept as  it is\nfive");
  EXPECT_EQ(Fill("one two three", 10, 3), "one two\n   three");
  EXPECT_THAT(HelpText(MakeProgram().commands[0].commands[0], 60),
              HasSubstr("\nFlags:\n  -h, --help           Print this help message and exit\n"));
}

TEST(Command, CompletionsKnowCommandsOfCommands) {
  const Command program = MakeProgram();

  const std::string bash = BashCompletion(program);
  EXPECT_THAT(bash, HasSubstr("'prog node add') command='prog node add' ;;"));
  EXPECT_THAT(bash, HasSubstr("'prog node add --like' | 'prog node add -l') COMPREPLY=($(compgen -W 'hot cold'"));
  EXPECT_THAT(ZshCompletion(program), HasSubstr(R"('*--like=[Another one\: \[x\]]:hot|cold:(hot cold)')"));
  EXPECT_THAT(ZshCompletion(program), HasSubstr("'*--from=[Where it'\\''s from]:FILE:_files'"));
  EXPECT_THAT(
      FishCompletion(program),
      HasSubstr("complete -c prog -n '__fish_seen_subcommand_from node; and __fish_seen_subcommand_from add' -l like "
                "-s l -x -a 'hot cold' -d 'Another one: [x]'\n"));
}

TEST(Command, EveryCommandHasAPage) {
  const std::vector<ManPage> pages = ManPages(MakeProgram(), "Prog 1");

  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[2].file_name, "prog-node-add.1");
  EXPECT_THAT(pages[2].text, HasSubstr("prog\\-node\\-add \\- Adds a node\n"));
  EXPECT_THAT(pages[2].text, HasSubstr("It\\(aqs \\enew.\n"));
  EXPECT_THAT(pages[2].text, HasSubstr(".SH SEE ALSO\n.BR prog\\-node (1)\n"));
}

}  // namespace
}  // namespace berth::command_line
