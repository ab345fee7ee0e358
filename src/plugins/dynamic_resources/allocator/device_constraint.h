// SPDX-License-Identifier: Apache-2.0
// DeviceConstraint: what the devices of a claim must have in common, or must not.
//
// Devices come and go in the order of a stack. An attribute that a device lacks makes it unusable for a constraint.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/objects/device.h"
#include "api/objects/resource_claim.h"

namespace berth::plugins {

// The attribute called `name` ("domain/id") of a device of the driver, or nullptr.
const api::DeviceAttribute* FindAttribute(const api::Device& device, std::string_view driver, std::string_view name);

class DeviceConstraint {
 public:
  // REQUIRES: `written` says which attribute is to match or to be distinct, and outlives this. `lists`: an attribute is
  // a set of values; sets match if they have a value in common and are distinct if they have none.
  DeviceConstraint(const api::DeviceConstraint& written, bool lists);

  // Whether it is about the request, or the alternative of a request.
  bool CoversRequest(const std::string& request, const std::string* alternative) const;
  const std::string& attribute() const {
    return *(is_match_ ? written_->match_attribute : written_->distinct_attribute);
  }
  bool is_match() const { return is_match_; }

  // Adds a device with that attribute (null: it has none); false if that violates the constraint.
  bool Add(const api::DeviceAttribute* attribute);
  // REQUIRES: the last Add that succeeded was of this attribute.
  void Remove();
  // Whether Add would succeed.
  bool Admits(const api::DeviceAttribute* attribute) const;

  size_t size() const { return added_.size(); }
  // What the devices so far leave open, as a text that is equal for equal states.
  std::string State() const;

 private:
  // The values of an attribute, as texts, with their type in front.
  using Values = std::set<std::string>;

  static std::optional<Values> ValuesOf(const api::DeviceAttribute& attribute);
  bool AdmitsScalar(const api::DeviceAttribute& attribute) const;
  bool AdmitsList(const api::DeviceAttribute& attribute) const;

  const api::DeviceConstraint* written_;
  bool is_match_;
  bool lists_;
  std::vector<const api::DeviceAttribute*> added_;
  std::vector<Values> common_;  // Of a match of lists: what the first 1, 2, ... devices have in common.
};

// The attribute as a text that is equal for equal attributes.
std::string AttributeText(const api::DeviceAttribute* attribute);

}  // namespace berth::plugins
