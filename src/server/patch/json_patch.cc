// SPDX-License-Identifier: Apache-2.0
#include "server/patch/json_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/document/document_builder.h"
#include "server/patch/patch_errors.h"

namespace berth::server {
namespace {

constexpr size_t kOperationsMax = 10000;
constexpr size_t kCopiedBytesMax = size_t{3} * 1024 * 1024;
// Members and elements that make room for others or are looked at, by all operations together.
constexpr size_t kTouchedMax = 10'000'000;

// The place a pointer names: a map or list, and the name or index in it.
struct Place {
  Json* parent;
  std::string key;
  size_t level;  // Of the parent; the root is on the first.

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
  if (slash == std::string_view::npos) return {nullptr, {}, 0};
  Json* parent = &root;
  for (size_t level = 1;; ++level) {
    pointer.remove_prefix(slash + 1);
    slash = pointer.find('/');
    if (slash == std::string_view::npos) return {parent, Unescape(pointer), level};
    parent = Child(*parent, Unescape(pointer.substr(0, slash)));
    if (parent == nullptr || (!parent->is_map() && !parent->is_list())) return {nullptr, {}, 0};
  }
}

class Patcher {
 public:
  explicit Patcher(Json object) : root_(std::move(object)) {}

  // Fails if it does not apply.
  Outcome<void> Apply(const Json& operation) {
    if (!operation["path"].is_string()) return DoesNotApply();
    const std::string& op = operation["op"].text();
    const std::string& path = operation["path"].text();
    if (op == "add") return Add(path, operation["value"]);
    if (op == "remove") return Remove(path);
    if (op == "replace") return Replace(path, operation["value"]);
    if (op == "test") return Test(path, operation["value"]);
    if (!operation["from"].is_string()) return DoesNotApply();
    if (op == "move") return Move(operation["from"].text(), path);
    if (op == "copy") return Copy(operation["from"].text(), path);
    return DoesNotApply();
  }

  Json Take() { return std::move(root_); }
  bool has_failed_test() const { return has_failed_test_; }

 private:
  Outcome<void> Add(std::string_view path, const Json& value) { return Insert(FindPlace(root_, path), value); }

  Outcome<void> Remove(std::string_view path) { return Remove(FindPlace(root_, path)); }

  Outcome<void> Replace(std::string_view path, const Json& value) {
    if (path.empty()) {
      if (!value.is_map() && !value.is_list()) return DoesNotApply();
      root_ = value;
      return {};
    }
    const Place place = FindPlace(root_, path);
    if (!place || !place.parent->is_list()) return Insert(place, value);
    Json* const current = Child(*place.parent, place.key);
    if (current == nullptr) return DoesNotApply();
    BERTH_CHECK_OK(CheckLevels(place, value));
    *current = value;
    return {};
  }

  Outcome<void> Test(std::string_view path, const Json& value) {
    const Place place = path.empty() ? Place{&root_, {}, 1} : FindPlace(root_, path);
    if (!place) return DoesNotApply();
    const Json* const current = path.empty() ? &root_ : Child(*place.parent, place.key);
    const bool is_same = current == nullptr ? place.parent->is_map() && value.is_null() : *current == value;
    has_failed_test_ = !is_same;
    return is_same ? Outcome<void>() : DoesNotApply();
  }

  Outcome<void> Move(std::string_view from, std::string_view path) {
    const Place source = FindPlace(root_, from);
    Json* const current = source ? Child(*source.parent, source.key) : nullptr;
    if (current == nullptr) return DoesNotApply();
    Json value = std::move(*current);
    BERTH_CHECK_OK(Remove(source));
    return Insert(FindPlace(root_, path), std::move(value));
  }

  Outcome<void> Copy(std::string_view from, std::string_view path) {
    const Place source = FindPlace(root_, from);
    if (!source) return DoesNotApply();
    const Json* const current = Child(*source.parent, source.key);
    if (current == nullptr && source.parent->is_list()) return DoesNotApply();
    if (current != nullptr) copied_bytes_ += current->ToText().size();
    if (copied_bytes_ > kCopiedBytesMax) return DoesNotApply();
    Json value = current == nullptr ? Json() : *current;
    return Insert(FindPlace(root_, path), std::move(value));
  }

  Outcome<void> Insert(const Place& place, Json value) {
    if (!place) return DoesNotApply();
    BERTH_CHECK_OK(CheckLevels(place, value));
    if (!place.parent->is_list()) {
      BERTH_CHECK_OK(Touch(CountBehind(place)));
      place.parent->Set(place.key, std::move(value));
      return {};
    }
    Json::List& items = place.parent->mutable_items();
    const auto index = place.key == "-" ? items.size() : ParseIndex(place.key, items.size() + 1);
    if (!index) return DoesNotApply();
    BERTH_CHECK_OK(Touch(items.size() - *index));
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return {};
  }

  Outcome<void> Remove(const Place& place) {
    if (!place) return DoesNotApply();
    if (!place.parent->is_list()) {
      BERTH_CHECK_OK(Touch(CountBehind(place)));
      return place.parent->Erase(place.key) ? Outcome<void>() : DoesNotApply();
    }
    Json::List& items = place.parent->mutable_items();
    const auto index = ParseIndex(place.key, items.size());
    if (!index) return DoesNotApply();
    BERTH_CHECK_OK(Touch(items.size() - *index));
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(*index));
    return {};
  }

  // Values within values could otherwise become deeper with every operation.
  Outcome<void> CheckLevels(const Place& place, const Json& value) {
    const api::TreeSize size = SizeOf(value);
    BERTH_CHECK_OK(Touch(size.nodes));
    if (place.level + size.levels <= api::DocumentBuilder::kDepthMax) return {};
    return BadRequest(fmt::format("the patch nests the object deeper than {} levels", api::DocumentBuilder::kDepthMax));
  }

  // Members of the map that stand behind the place.
  static size_t CountBehind(const Place& place) {
    const Json::Map& members = place.parent->members();
    const auto name = [](const Json::Member& member) -> const std::string& { return member.name; };
    return static_cast<size_t>(members.end() - std::ranges::lower_bound(members, place.key, {}, name));
  }

  Outcome<void> Touch(size_t more) {
    touched_ += more;
    if (touched_ <= kTouchedMax) return {};
    return TooLarge("The operations of the JSON patch move too much");
  }

  Json root_;
  size_t copied_bytes_ = 0;
  size_t touched_ = 0;
  bool has_failed_test_ = false;
};

Outcome<void> CheckForm(const Json& operations) {
  const auto refuse = [](const Json& value, std::string_view type) {
    return BadRequest(
        fmt::format("json: cannot unmarshal {} into Go value of type {}", api::GoKindName(value.kind()), type));
  };
  if (!operations.is_list() && !operations.is_null()) return refuse(operations, "jsonpatch.Patch");
  for (const Json& operation : operations.items()) {
    if (!operation.is_map() && !operation.is_null()) return refuse(operation, "jsonpatch.Operation");
  }
  if (operations.size() <= kOperationsMax) return {};
  return TooLarge(
      fmt::format("The allowed maximum operations in a JSON patch is {}, got {}", kOperationsMax, operations.size()));
}

}  // namespace

Outcome<Json> ApplyJsonPatch(Json object, const Json& operations) {
  BERTH_CHECK_OK(CheckForm(operations));
  Patcher patcher(std::move(object));
  for (const Json& operation : operations.items()) {
    BERTH_CHECK_OK(patcher.Apply(operation));
  }
  return patcher.Take();
}

Outcome<Json> ApplyJsonPatchIfTrue(const Json& object, const Json& operations) {
  BERTH_CHECK_OK(CheckForm(operations));
  Patcher patcher(object);
  for (const Json& operation : operations.items()) {
    Outcome<void> applied = patcher.Apply(operation);
    if (patcher.has_failed_test()) return object;
    if (!applied) return std::unexpected(std::move(applied).error());
  }
  return patcher.Take();
}

}  // namespace berth::server
