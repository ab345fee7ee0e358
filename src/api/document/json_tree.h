// SPDX-License-Identifier: Apache-2.0
// Json: an object of the API as a tree that can be changed.
//
// Members of a map are sorted by name, so that trees compare as Kubernetes compares them and maps of strings come out
// in its order; the order of a kind's own fields is known to the wire table and applied when the tree is written.
// Numbers keep their digits.
//
// A copy shares its texts, lists and maps with the original, and each of the two gets its own of those that it changes:
// to copy a tree costs nothing, and a version that differs in a few members takes little more room than these. So a
// pointer or reference by which a tree can be changed must not be used any more once that tree has been copied or
// measured.
//
// Reading never fails: an absent member, an index out of range or a lookup in a scalar yields the null Json, so chains
// such as pod["spec"]["nodeName"].text() need no checks.
//
// Cost: a Json is as large as two pointers, a member as three; lookups look through a map, or halve it if it is large.
//
// Thread: copies may live on different threads.

#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/document/member_name.h"
#include "api/document/value.h"

namespace berth::api {

class Json;

// How large a tree is.
struct TreeSize {
  size_t levels = 0;  // Of lists and maps.
  size_t nodes = 0;
  size_t bytes = 0;  // Of its compact text, but for what is escaped.
  bool operator==(const TreeSize&) const = default;
};
// Cost: that of what has changed since lists and maps in it were last asked.
TreeSize SizeOf(const Json& tree);

class Json {
 public:
  using Kind = Value::Kind;
  struct Member;
  using List = std::vector<Json>;
  using Map = std::vector<Member>;  // Sorted by name.

  Json() = default;  // Null.
  Json(const Json& other) : kind_(other.kind_), is_true_(other.is_true_), shared_(other.shared_) {
    if (shared_ != nullptr) shared_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  Json(Json&& other) noexcept
      : kind_(std::exchange(other.kind_, Kind::kNull)),
        is_true_(other.is_true_),
        shared_(std::exchange(other.shared_, nullptr)) {}
  Json& operator=(Json other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(is_true_, other.is_true_);
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~Json() {
    // Nobody else can copy or release what only this one holds.
    if (shared_ != nullptr && (is_alone() || shared_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)) Destroy();
  }
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

  Kind kind() const { return kind_; }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_number() const { return kind() == Kind::kNumber; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_map() const { return kind() == Kind::kMap; }

  // The content of a string or the digits of a number; "" for others.
  const std::string& text() const;
  bool AsBool() const { return is_true_; }  // False unless this is true.
  std::optional<int64_t> AsInt() const;
  int64_t IntOr(int64_t other) const { return AsInt().value_or(other); }

  // Elements of a list or members of a map; 0 for others.
  size_t size() const;
  bool empty() const { return size() == 0; }

  // Empty unless this is a list or a map.
  const List& items() const;
  const Map& members() const;
  // REQUIRES: this is one. Cost: that of a copy of it, if others hold it.
  List& mutable_items();
  Map& mutable_members();
  std::string& mutable_text();

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
  // What copies of a text or of the digits of a number, of a list or of a map have in common.
  struct Shared {
    std::atomic<uint32_t> holders = 1;
  };
  struct SharedText;
  struct SharedTree;
  struct SharedList;
  struct SharedMap;

  Json(Kind kind, Shared* shared) : kind_(kind), shared_(shared) {}
  // One of this kind that is held by nobody else, made of a copy of what is there.
  template <class Node>
  Node& Edit();
  static const std::string kNoText;
  static const List kNoItems;
  static const Map kNoMembers;

  friend TreeSize SizeOf(const Json& tree);
  // REQUIRES: this is a list or a map.
  TreeSize Measure(TreeSize (*of)(const Json& child)) const;
  // As if nothing were remembered.
  static TreeSize MeasureAnew(const Json& tree);

  bool is_alone() const { return shared_->holders.load(std::memory_order_acquire) == 1; }
  void Destroy();

  Kind kind_ = Kind::kNull;
  bool is_true_ = false;
  Shared* shared_ = nullptr;  // Null: null, a bool, or an empty one of its kind.
};

struct Json::Member {
  MemberName name;
  Json value;

  bool operator==(const Member& other) const = default;
};

// Here and not in the class: they need to know what a Member is.
struct Json::SharedText : Shared {
  explicit SharedText(std::string text) : value(std::move(text)) {}
  void Change() {}
  std::string value;
};
// A list or a map remembers how large the tree is that it holds, until somebody asks for it to change it or what is
// below it.
struct Json::SharedTree : Shared {
  void Change() { levels.store(0, std::memory_order_relaxed); }
  void Remember(const TreeSize& size) const;
  std::optional<TreeSize> Remembered() const;

  // Copies on different threads remember the same.
  mutable std::atomic<uint32_t> levels = 0;  // 0: nobody asked yet.
  mutable std::atomic<uint32_t> nodes = 0;
  mutable std::atomic<uint32_t> bytes = 0;
};
struct Json::SharedList : SharedTree {
  explicit SharedList(List items) : value(std::move(items)) {}
  List value;
};
struct Json::SharedMap : SharedTree {
  explicit SharedMap(Map members) : value(std::move(members)) {}
  Map value;
};

inline Json Json::Bool(bool value) {
  Json made(Kind::kBool, nullptr);
  made.is_true_ = value;
  return made;
}
inline Json Json::Number(std::string digits) { return {Kind::kNumber, new SharedText(std::move(digits))}; }
inline Json Json::String(std::string text) {
  return {Kind::kString, text.empty() ? nullptr : new SharedText(std::move(text))};
}
inline Json Json::String(std::string_view text) { return String(std::string(text)); }
inline Json Json::String(const char* text) { return String(std::string(text)); }
inline Json Json::MakeList() { return {Kind::kList, nullptr}; }
inline Json Json::MakeList(List items) {
  return {Kind::kList, items.empty() ? nullptr : new SharedList(std::move(items))};
}
inline Json Json::MakeMap() { return {Kind::kMap, nullptr}; }
inline void Json::Set(std::string_view name, Json value) { Make(name) = std::move(value); }
inline void Json::Set(std::string_view name, std::string_view text) { Make(name) = String(text); }

inline const std::string& Json::text() const {
  const bool has_text = kind_ == Kind::kString || kind_ == Kind::kNumber;
  return has_text && shared_ != nullptr ? static_cast<const SharedText*>(shared_)->value : kNoText;
}
inline const Json::List& Json::items() const {
  return is_list() && shared_ != nullptr ? static_cast<const SharedList*>(shared_)->value : kNoItems;
}
inline const Json::Map& Json::members() const {
  return is_map() && shared_ != nullptr ? static_cast<const SharedMap*>(shared_)->value : kNoMembers;
}
inline size_t Json::size() const { return is_map() ? members().size() : items().size(); }

// The tree of a JSON text.
Result<Json> ParseTree(std::string_view text);

}  // namespace berth::api
