// SPDX-License-Identifier: Apache-2.0
// RequestNames: the names of the requests of a claim, which its other parts refer to.

#pragma once

#include <map>
#include <set>
#include <string_view>

#include "server/kinds/devices/device_rules.h"
#include "server/model/json.h"

namespace berth::server {

class RequestNames {
 public:
  // `requests` must outlive this.
  explicit RequestNames(const Json& requests);

  // One name: of a request, or of a request and one of its alternatives with a slash between.
  void ValidateReference(std::string_view reference, const FieldPath& path, FieldErrors& errors) const;
  // A list of them.
  void ValidateReferences(const Json& references, const FieldPath& path, DeviceErrors& errors) const;

 private:
  bool Has(std::string_view reference) const;

  std::map<std::string_view, std::set<std::string_view>> names_;
};

}  // namespace berth::server
