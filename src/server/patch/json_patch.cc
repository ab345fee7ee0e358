// SPDX-License-Identifier: Apache-2.0
#include "server/patch/json_patch.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/patch/go_text.h"
#include "server/patch/patch_errors.h"

namespace berth::server {
namespace {

constexpr size_t kOperationsMax = 10000;
constexpr size_t kCopiedBytesMax = size_t{3} * 1024 * 1024;

// The place a pointer names: a map or list, and the name or index in it.
struct Place {
  Json* parent;
  std::string key;

  explicit operator bool() const { return parent != nullptr; }
};

std::string Unescape(std::string_view token) {
  std::string text;
  text.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    text += !is_escape ? token[i] : token[++i] == '0' ? '~' : '/';
  }
  return text;
}

// The index that `key` means in a list with `count` places; negative ones count from the end.
std::optional<size_t> ParseIndex(std::string_view key, size_t count) {
  if (key.starts_with('+') && !key.starts_with("+-")) key.remove_prefix(1);
  int64_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
  const auto places = static_cast<int64_t>(count);
  if (index < -places || index >= places) return std::nullopt;
  return static_cast<size_t>(index < 0 ? index + places : index);
}

// Null if there is none.
Json* Child(Json& parent, std::string_view key) {
  if (!parent.is_list()) return parent.Find(key);
  const auto index = ParseIndex(key, parent.size());
  return index ? &parent.mutable_items()[*index] : nullptr;
}

Place FindPlace(Json& root, std::string_view pointer) {
  size_t slash = pointer.find('/');
  if (slash == std::string_view::npos) return {nullptr, {}};
  Json* parent = &root;
  for (;;) {
    pointer.remove_prefix(slash + 1);
    slash = pointer.find('/');
    if (slash == std::string_view::npos) return {parent, Unescape(pointer)};
    parent = Child(*parent, Unescape(pointer.substr(0, slash)));
    if (parent == nullptr || (!parent->is_map() && !parent->is_list())) return {nullptr, {}};
  }
}

bool Insert(const Place& place, Json value) {
  if (!place.parent->is_list()) {
    place.parent->Set(place.key, std::move(value));
    return true;
  }
  Json::List& items = place.parent->mutable_items();
  const auto index = place.key == "-" ? items.size() : ParseIndex(place.key, items.size() + 1);
  if (!index) return false;
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
  return true;
}

bool Remove(const Place& place) {
  if (!place.parent->is_list()) return place.parent->Erase(place.key);
  Json::List& items = place.parent->mutable_items();
  const auto index = ParseIndex(place.key, items.size());
  if (!index) return false;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(*index));
  return true;
}

class Patcher {
 public:
  explicit Patcher(Json object) : root_(std::move(object)) {}

  // Whether it applies.
  bool Apply(const Json& operation) {
    if (!operation["path"].is_string()) return false;
    const std::string& op = operation["op"].text();
    const std::string& path = operation["path"].text();
    if (op == "add") return Add(path, operation["value"]);
    if (op == "remove") return Remove(path);
    if (op == "replace") return Replace(path, operation["value"]);
    if (op == "test") return Test(path, operation["value"]);
    if (!operation["from"].is_string()) return false;
    if (op == "move") return Move(operation["from"].text(), path);
    if (op == "copy") return Copy(operation["from"].text(), path);
    return false;
  }

  Json Take() { return std::move(root_); }

 private:
  bool Add(std::string_view path, const Json& value) {
    const Place place = FindPlace(root_, path);
    return place && Insert(place, value);
  }

  bool Remove(std::string_view path) {
    const Place place = FindPlace(root_, path);
    return place && server::Remove(place);
  }

  bool Replace(std::string_view path, const Json& value) {
    if (path.empty()) {
      if (!value.is_map() && !value.is_list()) return false;
      root_ = value;
      return true;
    }
    const Place place = FindPlace(root_, path);
    if (!place) return false;
    if (!place.parent->is_list()) return Insert(place, value);
    Json* const current = Child(*place.parent, place.key);
    if (current == nullptr) return false;
    *current = value;
    return true;
  }

  bool Test(std::string_view path, const Json& value) {
    if (path.empty()) return root_ == value;
    const Place place = FindPlace(root_, path);
    if (!place) return false;
    const Json* const current = Child(*place.parent, place.key);
    if (current == nullptr) return place.parent->is_map() && value.is_null();
    return *current == value;
  }

  bool Move(std::string_view from, std::string_view path) {
    const Place source = FindPlace(root_, from);
    if (!source) return false;
    Json* const current = Child(*source.parent, source.key);
    if (current == nullptr) return false;
    Json value = std::move(*current);
    server::Remove(source);
    const Place place = FindPlace(root_, path);
    return place && Insert(place, std::move(value));
  }

  bool Copy(std::string_view from, std::string_view path) {
    const Place source = FindPlace(root_, from);
    if (!source) return false;
    const Json* const current = Child(*source.parent, source.key);
    if (current == nullptr && source.parent->is_list()) return false;
    if (current != nullptr) copied_bytes_ += current->ToText().size();
    if (copied_bytes_ > kCopiedBytesMax) return false;
    Json value = current == nullptr ? Json() : *current;
    const Place place = FindPlace(root_, path);
    return place && Insert(place, std::move(value));
  }

  Json root_;
  size_t copied_bytes_ = 0;
};

Outcome<void> CheckForm(const Json& operations) {
  const auto refuse = [](const Json& value, std::string_view type) {
    return BadRequest(fmt::format("json: cannot unmarshal {} into Go value of type {}", api::GoKindName(value.kind()), type));
  };
  if (!operations.is_list() && !operations.is_null()) return refuse(operations, "jsonpatch.Patch");
  for (const Json& operation : operations.items()) {
    if (!operation.is_map() && !operation.is_null()) return refuse(operation, "jsonpatch.Operation");
  }
  if (operations.size() <= kOperationsMax) return {};
  StatusError error;
  error.code = 413;
  error.reason = "RequestEntityTooLarge";
  error.message = fmt::format("Request entity too large: The allowed maximum operations in a JSON patch is {}, got {}",
                              kOperationsMax, operations.size());
  return Refusal(std::move(error));
}

}  // namespace

Outcome<Json> ApplyJsonPatch(Json object, const Json& operations) {
  BERTH_CHECK_OK(CheckForm(operations));
  Patcher patcher(std::move(object));
  for (const Json& operation : operations.items()) {
    if (!patcher.Apply(operation)) return DoesNotApply();
  }
  return patcher.Take();
}

}  // namespace berth::server
