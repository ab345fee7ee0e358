// SPDX-License-Identifier: Apache-2.0
// Json: an object of the API as a tree that can be changed.
//
// Members of a map are sorted by name, so that trees compare as Kubernetes compares them and maps of strings come out
// in its order; the order of a kind's own fields is known to the wire table and applied when the tree is written.
// Numbers keep their digits.
//
// A copy shares its lists and maps with the original, and each of the two gets its own of those that it changes: to
// copy a tree costs nothing, and a version that differs in a few members takes little more room than these. So a
// pointer or reference by which a tree can be changed must not be used any more once that tree has been copied.
//
// Reading never fails: an absent member, an index out of range or a lookup in a scalar yields the null Json, so chains
// such as pod["spec"]["nodeName"].text() need no checks.
//
// Cost: lookups are binary searches; a tree lives as long as a request, what is kept is its text.
//
// Thread: copies may live on different threads.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/document/value.h"
#include "base/copy_on_write.h"

namespace berth::api {

class Json {
 public:
  using Kind = Value::Kind;
  struct Member;
  using List = std::vector<Json>;
  using Map = std::vector<Member>;  // Sorted by name.

  Json() = default;  // Null.
  // A map of these members.
  Json(std::initializer_list<Member> members);
  static Json Bool(bool value);
  static Json Int(int64_t value);
  static Json Number(std::string digits);
  static Json String(std::string text);
  static Json String(std::string_view text);
  static Json String(const char* text);
  static Json MakeList();
  static Json MakeList(List items);
  static Json MakeMap();
  // Members in any order; of equal names the last counts.
  static Json MakeMap(Map members);
  static Json FromValue(Value value);

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_number() const { return kind() == Kind::kNumber; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_map() const { return kind() == Kind::kMap; }

  // The content of a string or the digits of a number; "" for others.
  const std::string& text() const;
  bool AsBool() const;  // False unless this is true.
  std::optional<int64_t> AsInt() const;
  int64_t IntOr(int64_t other) const { return AsInt().value_or(other); }

  // Elements of a list or members of a map; 0 for others.
  size_t size() const;
  bool empty() const { return size() == 0; }

  // Empty unless this is a list or a map.
  const List& items() const;
  const Map& members() const;
  // REQUIRES: this is one.
  List& mutable_items() { return std::get<SharedList>(data_).Edit(); }
  Map& mutable_members() { return std::get<SharedMap>(data_).Edit(); }
  std::string& mutable_text() { return std::get<std::string>(data_); }

  // Null if there is none.
  const Json& operator[](std::string_view name) const;
  const Json& operator[](const char* name) const { return (*this)[std::string_view(name)]; }
  const Json& operator[](size_t index) const;
  const Json* Find(std::string_view name) const;
  Json* Find(std::string_view name);
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  // The member of this name, made if it is absent. Whatever is no map becomes one.
  Json& Make(std::string_view name);
  // The member behind a path of names, made as above.
  Json& Make(std::initializer_list<std::string_view> path);
  void Set(std::string_view name, Json value);
  void Set(std::string_view name, std::string_view text);
  // Sets the member unless it is there. Null counts as absent.
  void SetDefault(std::string_view name, Json value);
  // Whether it was there.
  bool Erase(std::string_view name);
  // REQUIRES: this is null or a list.
  Json& Append(Json value);

  bool operator==(const Json& other) const;

  // Compact, members by name. For objects of a kind see typed/typed.h.
  std::string ToText() const;
  void AppendText(std::string& out) const;

 private:
  struct Digits {
    std::string text;
    bool operator==(const Digits&) const = default;
  };
  using SharedList = CopyOnWrite<List>;
  using SharedMap = CopyOnWrite<Map>;
  // In the order of Kind.
  using Data = std::variant<std::monostate, bool, Digits, std::string, SharedList, SharedMap>;

  explicit Json(Data data);

  Data data_;
};

// How large a tree is.
struct TreeSize {
  size_t levels = 0;  // Of lists and maps.
  size_t nodes = 0;
  size_t bytes = 0;  // Of its compact text, but for what is escaped.
};
TreeSize SizeOf(const Json& tree);

struct Json::Member {
  std::string name;
  Json value;

  bool operator==(const Member& other) const = default;
};

// Here and not in the class: they need to know what a Member is.
inline Json::Json(Data data) : data_(std::move(data)) {}
inline Json Json::Bool(bool value) { return Json(Data(value)); }
inline Json Json::Number(std::string digits) { return Json(Data(Digits{std::move(digits)})); }
inline Json Json::String(std::string text) { return Json(Data(std::move(text))); }
inline Json Json::String(std::string_view text) { return String(std::string(text)); }
inline Json Json::String(const char* text) { return String(std::string(text)); }
inline Json Json::MakeList() { return Json(Data(SharedList())); }
inline Json Json::MakeList(List items) { return Json(Data(SharedList(std::move(items)))); }
inline Json Json::MakeMap() { return Json(Data(SharedMap())); }
inline void Json::Set(std::string_view name, Json value) { Make(name) = std::move(value); }
inline void Json::Set(std::string_view name, std::string_view text) { Make(name) = String(text); }

// The tree of a JSON text.
Result<Json> ParseTree(std::string_view text);

}  // namespace berth::api
