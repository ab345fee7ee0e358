// SPDX-License-Identifier: Apache-2.0
// FieldSet: a set of fields of an object, kept in the form in which the API writes it: FieldsV1.
//
// The set is a tree of path elements: f:NAME is a member of a map, k:{"KEY":VALUE} an item of a list by its keys,
// v:VALUE one by its value, i:INDEX one by its place. A leaf is in the set; an inner element is if it holds the element
// ".". Because the tree already is what managedFields holds, sets of stored objects are used as they are, without
// parsing.
//
// Elements stand in the order of their bytes, as members of Json do. Upstream orders keys that are numbers as numbers;
// ForEach, which people see the result of, does the same.

#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "server/model/json.h"

namespace berth::server {

class FieldSet {
 public:
  using Path = std::span<const std::string_view>;

  FieldSet() : root_(Json::MakeMap()) {}
  // The tree of a set that this class has written.
  explicit FieldSet(Json fields) : root_(std::move(fields)) {
    if (!root_.is_map()) root_ = Json::MakeMap();
  }
  // Paths of names, such as {"metadata", "labels"}.
  static FieldSet OfNames(std::initializer_list<std::initializer_list<std::string_view>> paths);
  // Reads what others wrote: elements are spelled as this class does, those of unknown types are left out.
  static Result<FieldSet> Parse(const Json& fields);

  bool empty() const { return root_.empty(); }
  bool Has(Path elements) const;
  bool operator==(const FieldSet& other) const = default;

  void Add(FieldSet other);
  // Takes out exactly the fields of `other`; those below them stay.
  void Subtract(const FieldSet& other);
  // Takes out the fields of `other` and all below them.
  void SubtractTrees(const FieldSet& other);
  FieldSet Intersection(const FieldSet& other) const;

  // The elements of every field: first those of a level, then those below, each in upstream's order.
  void ForEach(const std::function<void(Path)>& visit) const;

  const Json& json() const { return root_; }
  Json& mutable_json() { return root_; }

 private:
  Json root_;  // A map. Unlike an inner element, an empty one has no field.
};

// The path as upstream prints it: .spec.containers[name="a"].image.
std::string FieldPathText(FieldSet::Path elements);

// For those who build or walk trees: puts the element itself into the set.
void AddSelf(Json& element);
bool HasSelf(const Json& element);

}  // namespace berth::server
