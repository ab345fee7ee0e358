// SPDX-License-Identifier: Apache-2.0
#include "telemetry/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "telemetry/log_format.h"
#include "telemetry/test_log.h"

namespace berth::telemetry {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

LogLine LineOf(std::string_view message, std::initializer_list<LogValue> values) {
  return {.time = {1'763'218'436'123'456'789},
          .process = 12345,
          .file = "src/a/file.cc",
          .line = 123,
          .message = message,
          .values = values};
}

// The part after the header, which holds the local time.
std::string Text(std::string_view message, std::initializer_list<LogValue> values) {
  const std::string text = LogText(LineOf(message, values));
  return text.substr(text.find("] ") + 2);
}

TEST(Log, TextLineHasTheHeaderOfKlog) {
  EXPECT_THAT(LogText(LineOf("hello", {})),
              MatchesRegex("I1115 [0-9]{2}:[0-9]{2}:56\\.123456   12345 file\\.cc:123\\] \"hello\"\n"));
}

TEST(Log, TextValuesAreQuotedAndNumbersAreNot) {
  EXPECT_EQ(
      Text("Pod added", {"pod", "default/web", "attempts", 3, "bound", true, "score", 0.5, "wait", Milliseconds(1500)}),
      "\"Pod added\" pod=\"default/web\" attempts=3 bound=true score=0.5 wait=\"1.5s\"\n");
  EXPECT_EQ(Text("a \"b\"", {"k", "tab\tbell\a\x01\xff ü"}), "\"a \\\"b\\\"\" k=\"tab\\tbell\\a\\x01\\xff ü\"\n");
}

TEST(Log, SeveralLinesOfAValueAreIndented) {
  EXPECT_EQ(Text("m", {"k", "one\ntwo", "l", "x\n"}), "\"m\" k=<\n\tone\n\ttwo\n > l=<\n\tx\n >\n");
}

TEST(Log, JsonHasTheFieldsOfComponents) {
  EXPECT_EQ(LogJson(LineOf("Pod added", {"pod", "default/web", "attempts", 3})),
            "{\"ts\":1763218436123.456789,\"caller\":\"a/file.cc:123\",\"msg\":\"Pod added\",\"v\":0,"
            "\"pod\":\"default/web\",\"attempts\":3}\n");
}

TEST(Log, ErrorsNameTheirCause) {
  CapturedLog captured;

  LogError(Error{Code::kInternal, "no \"luck\""}, "Failed", "pod", "web");

  EXPECT_THAT(captured.Read(), AllOf(::testing::StartsWith("E"), HasSubstr(" log_test.cc:"),
                                     EndsWith("] \"Failed\" err=\"no \\\"luck\\\"\" pod=\"web\"\n")));
}

TEST(Log, VerbosityChoosesWhatIsLogged) {
  CapturedLog captured({.verbosity = 2});
  int evaluated = 0;

  BERTH_LOG(2, "in", "n", ++evaluated);
  BERTH_LOG(3, "out", "n", ++evaluated);
  SetLogVerbosity(3);
  BERTH_LOG(3, "later");

  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(LogVerbosity(), 3);
  EXPECT_THAT(captured.Read(),
              AllOf(HasSubstr("\"in\" n=1\n"), HasSubstr("\"later\"\n"), ::testing::Not(HasSubstr("out"))));
}

TEST(Log, VmoduleRaisesSingleFiles) {
  CapturedLog captured({.vmodule = "other=9,log_t*=4"});

  EXPECT_TRUE(LogEnabled(4));
  EXPECT_FALSE(LogEnabled(5));
  for (const char* bad : {"x", "=1", "x=", "x=y", "x=1=2"}) {
    const Result<void> configured = ConfigureLog({.vmodule = bad});
    ASSERT_FALSE(configured) << bad;
    EXPECT_EQ(configured.error().message, "syntax error: expect comma-separated list of filename=N");
  }
}

TEST(Log, WarningsForPeopleAreNotQuoted) {
  CapturedLog captured;

  LogWarning("Flag --x has been deprecated");

  EXPECT_THAT(captured.Read(), MatchesRegex("W.*\\] Flag --x has been deprecated\n"));
}

TEST(Log, SplitStreamHoldsMessagesBackUntilFlushed) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  char buffer[256];
  {
    CapturedLog captured({.split_stream = true, .info_buffer_bytes = 4096, .info_fd = ends[1]});
    LogInfo("held");
    LogError("not held");
    EXPECT_THAT(captured.Read(), HasSubstr("not held"));
    EXPECT_LT(::read(ends[0], buffer, sizeof buffer), 0);
    FlushLog();
    EXPECT_GT(::read(ends[0], buffer, sizeof buffer), 0);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Log, LinesOfSeveralThreadsStayWhole) {
  CapturedLog captured;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int j = 0; j < 50; ++j) {
        LogInfo("line", "thread", i);
        SetLogVerbosity(j % 3);
        BERTH_LOG(2, "more", "thread", i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = captured.Read();
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != text.npos; begin = end + 1, end = text.find('\n', begin)) {
    EXPECT_THAT(text.substr(begin, end - begin), MatchesRegex("I.*\\] \"(line|more)\" thread=[0-3]"));
  }
  EXPECT_EQ(begin, text.size());
}

}  // namespace
}  // namespace berth::telemetry
