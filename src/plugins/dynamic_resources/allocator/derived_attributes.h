// SPDX-License-Identifier: Apache-2.0
// DerivedAttributes: attributes that a request computes from a device, each computed once per device and expression.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "plugins/dynamic_resources/allocator/candidate_devices.h"
#include "plugins/dynamic_resources/allocator/prepared_claims.h"

namespace berth::plugins {

class DerivedAttributes {
 public:
  explicit DerivedAttributes(const CandidateDevices& candidates) : candidates_(candidates) {}

  // The attribute of the device as the request has it: derived, or else the device's own, or nullptr. Fails with
  // upstream's text if an expression does.
  Result<const api::DeviceAttribute*> Find(const PreparedRequest& request, uint32_t device, const std::string& name);

 private:
  Result<api::DeviceAttribute> Derive(const api::DeviceDerivedAttribute& written, uint32_t device) const;

  const CandidateDevices& candidates_;
  std::map<std::pair<uint32_t, std::string>, std::unique_ptr<api::DeviceAttribute>> derived_;  // By device, expression.
};

}  // namespace berth::plugins
