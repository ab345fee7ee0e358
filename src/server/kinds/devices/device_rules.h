// SPDX-License-Identifier: Apache-2.0
// What the kinds of dynamic resource allocation have in common: names of drivers, pools and attributes, selectors,
// taints and tolerations, parameters for drivers.
//
// Upstream validates these kinds twice: by rules that are written out, and by rules that are declared with the types.
// What the declared rules find stands behind all that the others find, and has other words for some things.

#pragma once

#include <cstddef>
#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

struct DeviceErrors {
  FieldErrors written;
  FieldErrors declared;

  // Both, in upstream's order.
  void AddTo(FieldErrors& errors);
};

// Whether there are no more items than `max`; it is reported otherwise.
bool CheckCount(FieldErrors& errors, const FieldPath& path, size_t count, size_t max);

// The name of a pool: subdomains separated by slashes.
void CheckPoolName(FieldErrors& errors, const FieldPath& path, std::string_view name);
// The name of an attribute or a capacity, which may have a domain.
void CheckAttributeName(FieldErrors& errors, const FieldPath& path, std::string_view name);

// The same rules as they are declared.
void CheckDeclaredPoolName(FieldErrors& errors, const FieldPath& path, std::string_view name);
void CheckDeclaredDriverName(FieldErrors& errors, const FieldPath& path, std::string_view name);
void CheckDeclaredLabel(FieldErrors& errors, const FieldPath& path, std::string_view name);
// With a domain.
void CheckFullAttributeName(FieldErrors& errors, const FieldPath& path, std::string_view name);
// A share of a device.
void CheckShareId(FieldErrors& errors, const FieldPath& path, std::string_view id);

// Selectors of devices. Stored ones were compiled when they came, and are not compiled again.
void ValidateDeviceSelectors(const Json& selectors, bool is_stored, const FieldPath& path, DeviceErrors& errors);
// A taint of devices. One that stays may have an effect that later versions know.
void ValidateDeviceTaint(const Json& taint, bool is_effect_new, const FieldPath& path, DeviceErrors& errors);
void ValidateDeviceTolerations(const Json& tolerations, const FieldPath& path, DeviceErrors& errors);
// The conditions that a device or a result waits for before pods are bound.
void ValidateBindingConditions(const Json& object, const FieldPath& path, DeviceErrors& errors);

// What an element of a list of configurations says to the driver.
void ValidateDeviceConfig(const Json& config, bool is_stored, const FieldPath& path, DeviceErrors& errors);
// JSON of which only the driver knows the meaning: an object.
void ValidateOpaque(const Json& value, bool is_stored, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
