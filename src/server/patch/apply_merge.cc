// SPDX-License-Identifier: Apache-2.0
#include "server/patch/apply_merge.h"

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/patch/apply_schema.h"

namespace berth::server {
namespace {

using Kind = ApplyType::Kind;

const ApplyType* TypeBelow(const ApplyType& type, const std::string& name) {
  if (type.kind != Kind::kStruct) return type.item;
  const ApplyField* field = type.Find(name);
  return field == nullptr ? type.item : field->type;
}

void Merge(const ApplyType& type, Json& object, const Json& config);

void MergeMap(const ApplyType& type, Json& object, const Json& config) {
  if (!object.is_map()) object = Json::MakeMap();
  for (const Json::Member& member : config.members()) {
    Json* existing = object.Find(member.name);
    const ApplyType* below = TypeBelow(type, member.name);
    if (existing == nullptr || below == nullptr) {
      object.Set(member.name, member.value);
    } else {
      Merge(*below, *existing, member.value);
    }
  }
}

// The merge of two lists: a walk along both, in which the configuration gives the order of what both have.
class ListMerge {
 public:
  ListMerge(const ApplyType& type, Json& object, const Json& config) : type_(type) {
    for (const Json& item : config.items()) configured_.push_back({ItemElement(type, item), &item});
    for (size_t i = 0; i < configured_.size(); ++i) place_.emplace(configured_[i].element, i);
    if (object.is_list()) {
      for (Json& item : object.mutable_items()) existing_.push_back({ItemElement(type, item), &item});
    }
    for (const Existing& item : existing_) ++count_[item.element];
    for (const Configured& item : configured_) {
      if (count_.contains(item.element)) shared_.push_back(item.element);
    }
    merged_.resize(configured_.size());
  }

  Json::List Run() {
    while (at_ < existing_.size() || next_ < configured_.size()) Step();
    return std::move(out_);
  }

 private:
  struct Configured {
    std::string element;
    const Json* value;
  };
  struct Existing {
    std::string element;
    Json* value;
  };

  void Step() {
    if (at_ < existing_.size()) {
      const std::string& element = existing_[at_].element;
      const auto place = place_.find(element);
      const bool is_configured = place != place_.end();
      if (next_ < configured_.size()) {
        if (element == configured_[next_].element) {
          ++at_;
          return TakeConfigured();
        }
        const bool comes_later = is_configured && !shared_.empty() && shared_.front() != element;
        if (comes_later) {
          ++at_;
          return;
        }
      }
      if (!is_configured) {
        out_.push_back(std::move(*existing_[at_++].value));
        return;
      }
      if (merged_[place->second]) ++at_;
    }
    if (next_ < configured_.size()) TakeConfigured();
  }

  void TakeConfigured() {
    const Configured& item = configured_[next_];
    merged_[next_++] = true;
    if (!shared_.empty() && shared_.front() == item.element) shared_.pop_front();
    const auto count = count_.find(item.element);
    // Of several items with the same keys none can be merged with; the configuration replaces them.
    if (count == count_.end() || count->second > 1) {
      out_.push_back(*item.value);
      return;
    }
    const auto existing = std::ranges::find(existing_, item.element, &Existing::element);
    Json value = std::move(*existing->value);
    Merge(*type_.item, value, *item.value);
    out_.push_back(std::move(value));
  }

  const ApplyType& type_;
  std::vector<Configured> configured_;
  std::vector<Existing> existing_;
  std::unordered_map<std::string, size_t> place_;  // In configured_.
  std::unordered_map<std::string, size_t> count_;  // In existing_.
  std::deque<std::string> shared_;                 // What both have and is still to come, in the configuration's order.
  std::vector<bool> merged_;
  size_t at_ = 0;    // In existing_.
  size_t next_ = 0;  // In configured_.
  Json::List out_;
};

// REQUIRES: the configuration has the value.
void Merge(const ApplyType& type, Json& object, const Json& config) {
  const bool is_deduced_leaf = type.kind == Kind::kDeduced && (!object.is_map() || !config.is_map());
  if (type.is_leaf() || is_deduced_leaf || (object.empty() && config.empty())) {
    object = config;
  } else if (config.empty()) {
    return;
  } else if (type.kind == Kind::kList) {
    object = Json::MakeList(ListMerge(type, object, config).Run());
  } else {
    MergeMap(type, object, config);
  }
}

void Remove(const ApplyType& type, Json& value, const Json& elements);

// Whether the item or member goes.
bool RemoveBelow(const ApplyType* type, Json& value, const Json* elements) {
  if (elements == nullptr) return false;
  if (HasSelf(*elements)) return true;
  if (type != nullptr) Remove(*type, value, *elements);
  return false;
}

// REQUIRES: there are elements.
void Remove(const ApplyType& type, Json& value, const Json& elements) {
  if (!value.is_map() && !value.is_list()) return;
  if (type.is_leaf() || value.empty() || (type.kind == Kind::kDeduced && value.is_list())) {
    value = Json();
    return;
  }
  if (value.is_list()) {
    std::erase_if(value.mutable_items(),
                  [&](Json& item) { return RemoveBelow(type.item, item, elements.Find(ItemElement(type, item))); });
  } else {
    std::erase_if(value.mutable_members(), [&](Json::Member& member) {
      return RemoveBelow(TypeBelow(type, member.name), member.value, elements.Find("f:" + member.name));
    });
  }
  if (value.empty()) value = Json();
}

void AddNamed(const ApplyType* type, Json& elements) {
  if (type == nullptr || type->is_leaf()) return;
  for (Json::Member& member : elements.mutable_members()) {
    if (member.name.size() < 2 || member.value.empty()) continue;  // The element itself, or a leaf.
    const bool is_name = member.name[0] == 'f';
    if (is_name == (type->kind == Kind::kList)) continue;
    AddNamed(is_name ? TypeBelow(*type, member.name.substr(2)) : type->item, member.value);
    if (is_name && type->kind == Kind::kStruct && type->Find(member.name.substr(2)) != nullptr) AddSelf(member.value);
  }
}

void Close(const ApplyType* type, Json& elements) {
  if (type == nullptr || elements.empty()) return;
  if (type->is_atomic || type->kind == Kind::kAny) {
    elements = Json::MakeMap();
    return;
  }
  for (Json::Member& member : elements.mutable_members()) {
    if (member.name.size() < 2) continue;
    const bool is_name = member.name[0] == 'f';
    if (is_name == (type->kind == Kind::kList)) continue;
    Close(is_name ? TypeBelow(*type, member.name.substr(2)) : type->item, member.value);
  }
}

}  // namespace

void MergeConfig(Json& object, const Json& config, const ObjectSchema& schema) {
  Merge(ApplyTypeOf(schema), object, config);
}

void RemoveFields(Json& object, const FieldSet& fields, const ObjectSchema& schema) {
  if (!fields.empty()) Remove(ApplyTypeOf(schema), object, fields.json());
}

FieldSet WithNamedFields(FieldSet fields, const ObjectSchema& schema) {
  AddNamed(&ApplyTypeOf(schema), fields.mutable_json());
  return fields;
}

void CloseLeaves(FieldSet& fields, const ObjectSchema& schema) { Close(&ApplyTypeOf(schema), fields.mutable_json()); }

}  // namespace berth::server
