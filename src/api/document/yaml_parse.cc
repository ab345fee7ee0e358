// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <map>
#include <optional>

#include "api/document/document_builder.h"
#include "api/document/value.h"
#include "api/document/yaml_scalar.h"

namespace berth::api {
namespace {

using Kind = Value::Kind;

// How much aliases may add to a stream, in nodes plus bytes of text. The tree shares what is aliased, so
// building is cheap; the limit protects those who walk the tree.
constexpr uint64_t kAliasCostMax = 10'000'000;

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

uint32_t Line(const yaml_mark_t& mark) { return static_cast<uint32_t>(mark.line + 1); }

std::unexpected<Error> InvalidAt(uint32_t line, std::string_view reason) {
  return Invalid(fmt::format("line {}: {}", line, reason));
}

// Owns a libyaml event.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }

  yaml_event_t* get() { return &event_; }
  const yaml_event_t* operator->() const { return &event_; }
  uint32_t line() const { return Line(event_.start_mark); }

 private:
  yaml_event_t event_{};
};

// Owns a libyaml parser.
class EventSource {
 public:
  explicit EventSource(std::string_view text) : text_(text) {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (ready_) {
      yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
  }
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  ~EventSource() {
    if (ready_) yaml_parser_delete(&parser_);
  }

  Result<void> Next(Event& event) {
    if (!ready_) return Fail(Code::kLimit, "not enough memory to parse YAML");
    if (yaml_parser_parse(&parser_, event.get()) == 0) return std::unexpected(Explain());
    return {};
  }

 private:
  Error Explain() const {
    if (parser_.error == YAML_MEMORY_ERROR) return {Code::kLimit, "not enough memory to parse YAML"};
    const std::string_view problem = parser_.problem == nullptr ? "invalid YAML" : parser_.problem;
    if (parser_.error == YAML_READER_ERROR) {
      const auto end = text_.begin() + static_cast<ptrdiff_t>(std::min(parser_.problem_offset, text_.size()));
      const auto line = static_cast<uint32_t>(1 + std::count(text_.begin(), end, '\n'));
      return InvalidAt(line, problem).error();
    }
    if (parser_.error == YAML_SCANNER_ERROR && IsIndentedByTab(parser_.problem_mark.line)) {
      return InvalidAt(Line(parser_.problem_mark), "found a tab; indent with spaces").error();
    }
    const std::string_view context = parser_.context == nullptr ? "" : parser_.context;
    const std::string_view space = context.empty() ? "" : " ";
    return InvalidAt(Line(parser_.problem_mark), fmt::format("{}{}{}", problem, space, context)).error();
  }

  // `line` counts from 0.
  bool IsIndentedByTab(size_t line) const {
    size_t begin = 0;
    for (; line > 0 && begin < text_.size(); --line) begin = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
    const size_t first = text_.find_first_not_of(' ', begin);
    return first != text_.npos && text_[first] == '\t';
  }

  std::string_view text_;
  yaml_parser_t parser_{};
  bool ready_ = false;
};

// Builds one document from its events.
class Composer {
 public:
  explicit Composer(uint64_t& alias_cost) : alias_cost_(alias_cost) {}

  Result<void> Add(const Event& event) {
    switch (event->type) {
      case YAML_SCALAR_EVENT: return AddScalar(event);
      case YAML_ALIAS_EVENT: return AddAlias(event);
      case YAML_SEQUENCE_START_EVENT: return Begin(event, Kind::kList, event->data.sequence_start.anchor);
      case YAML_MAPPING_START_EVENT: return Begin(event, Kind::kMap, event->data.mapping_start.anchor);
      default: return End(event);
    }
  }

  Result<Document> Finish() { return builder_.Finish(); }

 private:
  enum class Expect : uint8_t { kElement, kKey, kValue, kMergeValue };

  // What an anchor names: a scalar, or a list or map by its id.
  struct Anchor {
    std::optional<YamlScalar> scalar = std::nullopt;
    uint32_t id = 0;
    bool is_open = false;
    uint64_t cost = 0;  // Of its expansion.
    size_t height = 0;  // Levels of lists and maps.
  };

  struct Level {
    Expect expect;
    std::string anchor;
    uint32_t id;
    uint64_t cost_before;
    size_t height = 1;
    uint32_t key_line = 0;  // Of the member that is expected.
  };

  // Where a value that begins at `line` is said to be: at its name, if it has one.
  uint32_t LineOfValue(uint32_t line) const {
    return !levels_.empty() && levels_.back().expect == Expect::kValue ? levels_.back().key_line : line;
  }

  bool ExpectsKey() const { return !levels_.empty() && levels_.back().expect == Expect::kKey; }

  Result<void> AddScalar(const Event& event) {
    const auto& data = event->data.scalar;
    std::string text(reinterpret_cast<const char*>(data.value), data.length);
    // A quoted scalar with the tag '!' counts as implicit, too.
    const bool plain = data.plain_implicit != 0 && data.style == YAML_PLAIN_SCALAR_STYLE;
    const bool is_merge = text == "<<" && (plain || View(data.tag) == "tag:yaml.org,2002:merge");
    auto scalar = ResolveYamlScalar(View(data.tag), plain, std::move(text));
    if (!scalar) return InvalidAt(event.line(), scalar.error().message);
    if (data.anchor != nullptr) {
      anchors_[std::string(View(data.anchor))] = {.scalar = *scalar, .cost = 1 + scalar->text.size()};
    }
    if (ExpectsKey() && is_merge) {
      levels_.back().expect = Expect::kMergeValue;
      return {};
    }
    return Place(*scalar, event.line());
  }

  // A scalar where the document has one: as a member name or as a value.
  Result<void> Place(const YamlScalar& scalar, uint32_t line) {
    cost_ += 1 + scalar.text.size();
    if (!ExpectsKey()) {
      builder_.Scalar(scalar.kind, scalar.text, LineOfValue(line));
      return EndValue(line);
    }
    const auto name = YamlKey(scalar);
    if (!name) return InvalidAt(line, name.error().message);
    builder_.Key(*name);
    levels_.back().expect = Expect::kValue;
    levels_.back().key_line = line;
    return {};
  }

  Result<void> AddAlias(const Event& event) {
    const std::string_view name = View(event->data.alias.anchor);
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) return InvalidAt(event.line(), fmt::format("unknown anchor '{}'", name));
    const Anchor& anchor = found->second;
    if (anchor.is_open) return InvalidAt(event.line(), fmt::format("anchor '{}' contains itself", name));
    alias_cost_ += anchor.cost;
    if (alias_cost_ > kAliasCostMax) return InvalidAt(event.line(), "aliases make the document too large");
    if (anchor.scalar) return Place(*anchor.scalar, event.line());
    if (ExpectsKey()) return InvalidAt(event.line(), "a map key must be a scalar");
    BERTH_CHECK_OK(CheckDepth(anchor.height, event.line()));
    cost_ += anchor.cost;
    if (!levels_.empty()) levels_.back().height = std::max(levels_.back().height, anchor.height + 1);
    builder_.Share(anchor.id, LineOfValue(event.line()));
    return EndValue(event.line());
  }

  Result<void> CheckDepth(size_t more, uint32_t line) const {
    if (builder_.depth() + more <= DocumentBuilder::kDepthMax) return {};
    return InvalidAt(line, fmt::format("nested deeper than {} levels", DocumentBuilder::kDepthMax));
  }

  Result<void> Begin(const Event& event, Kind kind, const yaml_char_t* anchor) {
    if (ExpectsKey()) return InvalidAt(event.line(), "a map key must be a scalar");
    BERTH_CHECK_OK(CheckDepth(1, event.line()));
    const uint32_t id = builder_.Begin(kind, LineOfValue(event.line()));
    if (anchor != nullptr) anchors_[std::string(View(anchor))] = {.id = id, .is_open = true};
    const Expect expect = kind == Kind::kMap ? Expect::kKey : Expect::kElement;
    levels_.push_back({.expect = expect, .anchor = std::string(View(anchor)), .id = id, .cost_before = cost_});
    ++cost_;
    return {};
  }

  Result<void> End(const Event& event) {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    builder_.End();
    if (!levels_.empty()) levels_.back().height = std::max(levels_.back().height, level.height + 1);
    const auto anchor = anchors_.find(level.anchor);
    // The name may have been given anew inside.
    if (anchor != anchors_.end() && anchor->second.is_open && anchor->second.id == level.id) {
      anchor->second = {.id = level.id, .cost = cost_ - level.cost_before, .height = level.height};
    }
    return EndValue(event.line());
  }

  Result<void> EndValue(uint32_t line) {
    if (levels_.empty()) return {};
    Level& level = levels_.back();
    const bool merged = level.expect != Expect::kMergeValue || builder_.MergeLast();
    if (!merged) return InvalidAt(line, "'<<' needs a map or a list of maps");
    if (level.expect != Expect::kElement) level.expect = Expect::kKey;
    return {};
  }

  uint64_t& alias_cost_;
  uint64_t cost_ = 0;  // Of the document so far, aliases expanded.
  DocumentBuilder builder_;
  std::vector<Level> levels_;
  std::map<std::string, Anchor, std::less<>> anchors_;
};

Result<Document> ReadDocument(EventSource& source, uint64_t& alias_cost) {
  Composer composer(alias_cost);
  while (true) {
    Event event;
    BERTH_CHECK_OK(source.Next(event));
    if (event->type == YAML_DOCUMENT_END_EVENT) return composer.Finish();
    BERTH_CHECK_OK(composer.Add(event));
  }
}

}  // namespace

Result<std::vector<Document>> ParseYaml(std::string_view text) {
  if (text.size() > DocumentBuilder::kInputMax) return Fail(Code::kLimit, "the YAML stream is larger than 2 GiB");
  std::vector<Document> documents;
  EventSource source(text);
  uint64_t alias_cost = 0;
  while (true) {
    Event event;
    BERTH_CHECK_OK(source.Next(event));
    if (event->type == YAML_STREAM_END_EVENT) return documents;
    if (event->type != YAML_DOCUMENT_START_EVENT) continue;
    Document document = BERTH_TRY(ReadDocument(source, alias_cost));
    if (!document.root().is_null()) documents.push_back(std::move(document));
  }
}

Result<std::vector<Document>> ParseJsonOrYaml(std::string_view text) {
  const std::string_view content = text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
  const size_t first = content.find_first_not_of(" \t\r\n");
  if (first == content.npos || (content[first] != '{' && content[first] != '[')) return ParseYaml(text);
  auto json = ParseJson(text);
  if (!json) {
    auto yaml = ParseYaml(text);
    // What starts like JSON and is neither was most likely meant to be JSON.
    if (!yaml) return std::unexpected(std::move(json).error());
    return yaml;
  }
  std::vector<Document> documents;
  documents.push_back(*std::move(json));
  return documents;
}

}  // namespace berth::api
