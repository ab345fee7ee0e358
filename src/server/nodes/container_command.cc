// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/container_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "server/nodes/image.h"

namespace berth::server {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kScriptMax = 4096;
constexpr size_t kWordsMax = 256;
// Who sleeps for longer sleeps for ever.
constexpr double kLongestSleep = 3600.0 * 24 * 365 * 100;

// When a command is run, by how the one before ended.
enum class Joint : uint8_t { kAlways, kIfSucceeded, kIfFailed };

struct Step {
  Joint joint = Joint::kAlways;
  Words words = {};
};

// Splits a script into commands, and these into words. What has a meaning of its own in a shell is not understood.
class ScriptReader {
 public:
  explicit ScriptReader(std::string_view script) : rest_(script) {}

  std::optional<std::vector<Step>> Read() {
    while (!rest_.empty()) {
      if (!Take()) return std::nullopt;
    }
    EndWord();
    if (step_.words.empty()) return step_.joint == Joint::kAlways ? std::optional(std::move(steps_)) : std::nullopt;
    steps_.push_back(std::move(step_));
    return std::move(steps_);
  }

 private:
  bool Take() {
    const char next = rest_.front();
    switch (next) {
      case ' ':
      case '\t': EndWord(); return Skip(1);
      case '\n': return Skip(1) && EndLine();
      case ';': return Skip(1) && EndStep(Joint::kAlways);
      case '|': return rest_.starts_with("||") && Skip(2) && EndStep(Joint::kIfFailed);
      case '&':
        if (word_ && word_->ends_with('>')) return Append(1);  // 2>&1
        return rest_.starts_with("&&") && Skip(2) && EndStep(Joint::kIfSucceeded);
      case '\'':
      case '"': return TakeQuoted(next);
      case '#': return word_ && Append(1);  // A comment, where a word begins.
      case '$': return !rest_.starts_with("$(") && Append(1);
      case '(':
      case ')':
      case '<':
      case '`':
      case '\\': return false;
      default: return Append(1);
    }
  }

  bool TakeQuoted(char quote) {
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    const std::string_view text = rest_.substr(1, end - 1);
    const bool is_plain =
        quote == '\'' || (text.find_first_of("`\\") == std::string_view::npos && !text.contains("$("));
    if (!is_plain) return false;
    if (!word_) word_.emplace();
    word_->append(text);
    return Skip(end + 1);
  }

  bool Skip(size_t count) {
    rest_.remove_prefix(count);
    return true;
  }
  bool Append(size_t count) {
    if (!word_) word_.emplace();
    word_->append(rest_.substr(0, count));
    return Skip(count);
  }
  void EndWord() {
    if (!word_) return;
    step_.words.push_back(*std::exchange(word_, std::nullopt));
  }
  bool EndStep(Joint next) {
    EndWord();
    if (step_.words.empty()) return false;
    steps_.push_back(std::exchange(step_, Step{.joint = next}));
    return true;
  }
  // A line may be empty, or break after `&&`.
  bool EndLine() {
    EndWord();
    return step_.words.empty() || EndStep(Joint::kAlways);
  }

  std::string_view rest_;
  std::optional<std::string> word_;
  Step step_;
  std::vector<Step> steps_;
};

// The name of a program without the folder where it usually is.
std::string_view ProgramOf(std::string_view path) {
  for (const std::string_view folder : {"/usr/bin/", "/bin/"}) {
    if (path.starts_with(folder)) return path.substr(folder.size());
  }
  return path;
}

bool IsShell(std::string_view program) {
  return program == "sh" || program == "bash" || program == "ash" || program == "dash";
}

// Seconds of an argument such as 5, 0.5, 10m or infinity.
std::optional<double> SecondsOf(std::string_view text) {
  if (text == "infinity" || text == "inf") return kLongestSleep * 2;
  if (text.find_first_not_of("0123456789.smhd") != std::string_view::npos) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& [name, seconds] :
       std::array<std::pair<std::string_view, int>, 5>{{{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 24 * 3600}}}) {
    if (unit == name) return number * seconds;
  }
  return std::nullopt;
}

// Carries commands out, in thought.
class ScriptRun {
 public:
  // False: it is not known what it does.
  bool Do(const Words& words, bool in_shell) {
    const std::string_view name = words.front();
    if (in_shell && name == "exit") return Exit(words);
    const std::string_view program = ProgramOf(name);
    if (program == "sleep") return Sleep(words);
    if (program == "false") return Return(1);
    if (program == "true" || program == "echo" || (in_shell && name == ":")) return Return(0);
    return false;
  }
  bool Do(const std::vector<Step>& steps) {
    return std::ranges::all_of(steps, [&](const Step& step) {
      const bool is_skipped =
          (step.joint == Joint::kIfSucceeded && code_ != 0) || (step.joint == Joint::kIfFailed && code_ == 0);
      if (!is_skipped && !has_ended_) return Do(step.words, true);
      return ScriptRun().Do(step.words, true);  // It is known what it would do.
    });
  }

  ContainerCommand result() const {
    if (seconds_ > kLongestSleep) return {};
    return {.runs = Duration{static_cast<int64_t>(seconds_ * 1e9)}, .exit_code = code_};
  }

 private:
  bool Return(int64_t code) {
    code_ = code;
    return true;
  }
  bool Sleep(const Words& words) {
    if (words.size() < 2) return false;
    for (size_t i = 1; i < words.size(); ++i) {
      const std::optional<double> seconds = SecondsOf(words[i]);
      if (!seconds) return false;
      seconds_ += *seconds;
    }
    has_ended_ = seconds_ > kLongestSleep;
    return Return(0);
  }
  bool Exit(const Words& words) {
    has_ended_ = true;
    if (words.size() == 1) return true;
    const std::string& text = words[1];
    uint32_t code = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
    if (words.size() > 2 || error != std::errc() || end != text.data() + text.size()) return false;
    return Return(code % 256);
  }

  double seconds_ = 0;
  int64_t code_ = 0;
  bool has_ended_ = false;  // By `exit`, or because it sleeps for ever.
};

std::optional<ContainerCommand> ReadImage(const Json& container) {
  constexpr ContainerCommand kPause{.runs = std::nullopt, .heeds_signals = true};
  const std::string_view name = ImageName(container["image"].text());
  const Json& args = container["args"];
  if (name == "pause") return kPause;
  if (name == "agnhost" && (args.empty() || args[size_t{0}].text() == "pause")) return kPause;
  return std::nullopt;
}

}  // namespace

std::optional<ContainerCommand> ReadShellScript(std::string_view script) {
  if (script.size() > kScriptMax) return std::nullopt;
  const std::optional<std::vector<Step>> steps = ScriptReader(script).Read();
  ScriptRun run;
  if (!steps || !run.Do(*steps)) return std::nullopt;
  return run.result();
}

std::optional<ContainerCommand> ReadContainerCommand(const Json& container) {
  if (container["command"].empty()) return ReadImage(container);
  if (container["command"].size() + container["args"].size() > kWordsMax) return std::nullopt;
  Words words;
  for (const std::string_view list : {"command", "args"}) {
    for (const Json& word : container[list].items()) words.push_back(word.text());
  }
  if (words.empty()) return std::nullopt;
  if (IsShell(ProgramOf(words[0]))) {
    // What follows the script are its parameters.
    return words.size() > 2 && words[1] == "-c" ? ReadShellScript(words[2]) : std::nullopt;
  }
  ScriptRun run;
  return run.Do(words, false) ? std::optional(run.result()) : std::nullopt;
}

}  // namespace berth::server
