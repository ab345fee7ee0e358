// SPDX-License-Identifier: Apache-2.0
// Selection: which objects a list or watch is about, by labels and fields.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"
#include "base/result.h"
#include "server/model/status.h"
#include "server/store/stored_object.h"

namespace berth::server {

// Reads a label selector as it stands in a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k`, with upstream's error texts.
Result<api::Selector> ParseLabelSelector(std::string_view text);

struct FieldTerm {
  std::string path;
  std::string value;
  bool is_equal = true;
};

// Reads a field selector: `a=b,c==d,e!=f`; a backslash keeps a comma, an equals sign or another backslash.
Result<std::vector<FieldTerm>> ParseFieldSelector(std::string_view text);

class Selection {
 public:
  // Refuses fields that the resource does not let one ask for.
  static Outcome<Selection> Create(const Resource& resource, std::string_view ns, std::string_view labels,
                                   std::string_view fields);

  // In views of custom resources, which may let one ask for fields that the stored form does not, `shown` is the object
  // in the form of the resource, if that is at hand.
  bool Matches(const StoredObject& object, const Json* shown = nullptr) const;
  // Whether it matches as far as that can be said without `shown`.
  bool MayMatch(const StoredObject& object) const;
  bool has_selectors() const { return !labels_.empty() || !fields_.empty(); }
  // Whether fields are asked for that only a view has.
  bool selects_shown() const { return shown_as_ != nullptr; }
  const std::string& ns() const { return ns_; }

 private:
  std::string ns_;  // Empty: all.
  api::Selector labels_;
  std::vector<FieldTerm> fields_;       // In the names of the stored resource,
  const Resource* shown_as_ = nullptr;  // or of this one, if it is not null.
};

}  // namespace berth::server
