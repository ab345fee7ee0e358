// SPDX-License-Identifier: Apache-2.0
#include "api/yaml_writer.h"

#include <algorithm>

#include "api/json_writer.h"
#include "api/yaml_scalar.h"
#include "base/ascii.h"

namespace berth::api {
namespace {

using Kind = Value::Kind;

// libyaml looks for the ':' of a key within 1024 characters; longer keys need the '?' form.
constexpr size_t kShortKeyMax = 1000;

bool IsVisibleAscii(char c) { return c >= 0x20 && c < 0x7F; }

// Whether the text starts with something that cannot be taken for an indicator of YAML.
bool StartsPlainly(std::string_view text) {
  const size_t dashes = std::min(text.find_first_not_of('-'), text.size());
  if (dashes > 2) return false;
  const std::string_view rest = text.substr(dashes);
  if (rest.empty()) return false;
  return IsAlphanumeric(rest[0]) || (dashes == 0 && (rest[0] == '_' || rest[0] == '/'));
}

// Whether other readers of YAML than ours could take the text for a date.
bool LooksLikeDate(std::string_view text) {
  const size_t year = std::min(text.find_first_not_of("0123456789"), text.size());
  return year == 4 && text.substr(year).starts_with('-') && text.find_first_not_of("0123456789-+:.TtZz ") == text.npos;
}

bool CanBePlain(std::string_view text) {
  if (!StartsPlainly(text) || LooksLikeDate(text) || text.back() == ' ' || text.back() == ':') return false;
  if (!std::ranges::all_of(text, IsVisibleAscii)) return false;
  if (text.find(": ") != text.npos || text.find(" #") != text.npos) return false;
  const auto scalar = ResolveYamlScalar({}, true, std::string(text));
  return scalar && scalar->kind == Kind::kString;
}

// Whether a literal block gives exactly this text. A first line that starts with white space would set the
// wrong indentation.
bool CanBeBlock(std::string_view text) {
  if (text.find('\n') == text.npos || text[0] == ' ' || text[0] == '\n') return false;
  return std::ranges::all_of(text, [](char c) { return IsVisibleAscii(c) || c == '\n'; });
}

class Writer {
 public:
  // Writes a value whose first character stands at column `indent`, to the end of its last line.
  void Write(Value value, size_t indent) {
    if (value.size() == 0) {
      WriteScalar(value, indent);
    } else if (value.is_map()) {
      WriteMap(value, indent);
    } else {
      WriteList(value, indent);
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void WriteMap(Value map, size_t indent) {
    for (size_t i = 0; i < map.size(); ++i) {
      if (i > 0) Indent(indent);
      WriteKey(map.key(i), indent);
      const Value member = map[i];
      if (member.size() == 0) {
        out_ += ' ';
        WriteScalar(member, indent);
        continue;
      }
      out_ += '\n';
      const size_t inner = member.is_list() ? indent : indent + 2;
      Indent(inner);
      Write(member, inner);
    }
  }

  void WriteList(Value list, size_t indent) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) Indent(indent);
      out_ += "- ";
      Write(list[i], indent + 2);
    }
  }

  void WriteKey(std::string_view name, size_t indent) {
    std::string key;
    if (CanBePlain(name)) {
      key = name;
    } else {
      AppendQuoted(key, name);
    }
    if (key.size() > kShortKeyMax) {
      out_ += "? " + key + '\n';
      Indent(indent);
    } else {
      out_ += key;
    }
    out_ += ':';
  }

  void WriteScalar(Value value, size_t indent) {
    switch (value.kind()) {
      case Kind::kNull: out_ += "null"; break;
      case Kind::kList: out_ += "[]"; break;
      case Kind::kMap: out_ += "{}"; break;
      case Kind::kBool:
      case Kind::kNumber: out_ += value.text(); break;
      case Kind::kString:
        if (CanBeBlock(value.text())) return WriteBlock(value.text(), indent + 2);
        WriteString(value.text());
    }
    out_ += '\n';
  }

  void WriteString(std::string_view text) {
    if (CanBePlain(text)) {
      out_ += text;
    } else {
      AppendQuoted(out_, text);
    }
  }

  void WriteBlock(std::string_view text, size_t indent) {
    const bool ends_line = text.ends_with('\n');
    // '-' drops the last line break, '+' keeps all of several.
    out_ += !ends_line ? "|-\n" : text.ends_with("\n\n") ? "|+\n" : "|\n";
    if (ends_line) text.remove_suffix(1);
    while (true) {
      const size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      if (!line.empty()) Indent(indent);
      out_ += line;
      out_ += '\n';
      if (end == text.npos) return;
      text.remove_prefix(end + 1);
    }
  }

  void Indent(size_t columns) { out_.append(columns, ' '); }

  std::string out_;
};

}  // namespace

std::string ToYaml(Value value) {
  Writer writer;
  writer.Write(value, 0);
  return writer.Take();
}

}  // namespace berth::api
