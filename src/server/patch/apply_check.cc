// SPDX-License-Identifier: Apache-2.0
#include "server/patch/apply_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "api/document/field_error.h"
#include "server/patch/apply_schema.h"
#include "server/patch/field_set.h"
#include "server/patch/go_text.h"

namespace berth::server {
namespace {

using Kind = ApplyType::Kind;

// The value as %#v prints what upstream wraps it in.
std::string GoSyntax(const Json& value) {
  std::string inner;
  switch (value.kind()) {
    case Json::Kind::kNull: inner = "interface {}(nil)"; break;
    case Json::Kind::kList:
      for (const Json& item : value.items()) inner += fmt::format("{}{}", inner.empty() ? "" : ", ", GoSyntax(item));
      return fmt::format("[]interface {{}}{{{}}}", inner);
    case Json::Kind::kMap:
      for (const Json::Member& member : value.members()) {
        inner += fmt::format("{}\"{}\":{}", inner.empty() ? "" : ", ", member.name, GoSyntax(member.value));
      }
      return fmt::format("map[string]interface {{}}{{{}}}", inner);
    case Json::Kind::kString: inner = api::GoQuote(value.text()); break;
    default: inner = GoText(value);
  }
  return inner;
}

class Checker {
 public:
  void Check(const ApplyType& type, const Json& value) {
    switch (type.kind) {
      case Kind::kStruct:
      case Kind::kMap: return CheckMap(type, value);
      case Kind::kList: return CheckList(type, value);
      case Kind::kDeduced: return;
      default: return CheckScalar(type.kind, value);
    }
  }

  std::string Text() const {
    if (errors_.size() == 1) return errors_.front();
    std::string text;
    for (const std::string& error : errors_) text += fmt::format("{}  {}", text.empty() ? "errors:\n" : "\n", error);
    return text;
  }

 private:
  void Fail(std::string_view what) {
    const std::string path = FieldPathText(path_);
    errors_.push_back(path.empty() ? std::string(what) : fmt::format("{}: {}", path, what));
  }

  void CheckBelow(std::string_view element, const ApplyType& type, const Json& value) {
    path_.push_back(element);
    Check(type, value);
    path_.pop_back();
  }

  void CheckScalar(Kind kind, const Json& value) {
    if (value.is_null() || kind == Kind::kAny) return;
    const bool is_scalar = !value.is_map() && !value.is_list();
    if (kind == Kind::kNumber && !value.is_number()) {
      Fail(fmt::format("expected numeric (int or float), got {}", GoType(value)));
    } else if (kind == Kind::kString && !value.is_string()) {
      Fail(fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}", GoSyntax(value)));
    } else if (kind == Kind::kBool && !value.is_bool()) {
      Fail(fmt::format("expected boolean, got &{{{}}}", GoText(value)));
    } else if (kind == Kind::kScalar && !is_scalar) {
      Fail(fmt::format("expected any scalar, got &{{{}}}", GoText(value)));
    }
  }

  void CheckMap(const ApplyType& type, const Json& value) {
    if (value.is_null()) return;
    if (!value.is_map()) return Fail(fmt::format("expected map, got &{{{}}}", GoText(value)));
    for (const Json::Member& member : value.members()) {
      const std::string element = "f:" + member.name;
      const ApplyField* field = type.kind == Kind::kStruct ? type.Find(member.name) : nullptr;
      if (type.kind == Kind::kStruct && field == nullptr && type.item == nullptr) {
        path_.push_back(element);
        Fail("field not declared in schema");
        path_.pop_back();
        return;
      }
      CheckBelow(element, field != nullptr ? *field->type : *type.item, member.value);
    }
  }

  void CheckList(const ApplyType& type, const Json& value) {
    if (value.is_null()) return;
    if (!value.is_list()) return Fail(fmt::format("expected list, got &{{{}}}", GoText(value)));
    std::vector<std::string> seen;
    for (size_t i = 0; i < value.size(); ++i) {
      std::string element = type.is_atomic ? fmt::format("i:{}", i) : ItemElement(type, value[i]);
      if (element.empty()) return Fail(fmt::format("element {}: {}", i, WhyNoElement(type, value[i])));
      if (!type.is_atomic && std::ranges::find(seen, element) != seen.end()) {
        const std::string_view path[] = {element};
        Fail(fmt::format("duplicate entries for key {}", FieldPathText(path)));
      }
      CheckBelow(element, *type.item, value[i]);
      seen.push_back(std::move(element));
    }
  }

  static std::string WhyNoElement(const ApplyType& type, const Json& item) {
    if (type.keys.empty()) {
      return item.is_map()    ? "associative list without keys has an element that's a map type"
             : item.is_list() ? "not supported: associative list with lists as elements"
                              : "associative list without keys has an element that's an explicit null";
    }
    if (item.is_null()) return "associative list with keys may not have a null element";
    if (!item.is_map()) return "associative list with keys may not have non-map elements";
    std::string names;
    for (const ApplyKey& key : type.keys) names += fmt::format("{}\"{}\"", names.empty() ? "" : " ", key.name);
    return fmt::format(
        "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for "
        "any key fields)",
        names);
  }

  std::vector<std::string_view> path_;
  std::vector<std::string> errors_;
};

}  // namespace

std::string CheckConfig(const Json& config, const ObjectSchema& schema) {
  Checker checker;
  checker.Check(ApplyTypeOf(schema), config);
  return checker.Text();
}

}  // namespace berth::server
