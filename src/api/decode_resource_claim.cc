// SPDX-License-Identifier: Apache-2.0
#include "api/decode_kinds.h"
#include "api/decode_parts.h"

namespace berth::api {
namespace {

void ReadResourceClaim(FieldReader& r, ResourceClaim& claim) {
  FieldReader status = r.Child("status");
  claim.is_allocated = status.Has("allocation");
  if (status.value().size() > 0) claim.status = status.value().ToJson();
}

void ReadDeviceClass(FieldReader& r, DeviceClass& device_class) {
  r.Child("spec").Read("extendedResourceName", device_class.extended_resource_name);
}

}  // namespace

Result<ResourceClaim> DecodeResourceClaim(Value value) { return DecodeAs("ResourceClaim", value, ReadResourceClaim); }

Result<ResourceSlice> DecodeResourceSlice(Value value) {
  return DecodeAs<ResourceSlice>("ResourceSlice", value, [](FieldReader&, ResourceSlice&) {});
}

Result<DeviceClass> DecodeDeviceClass(Value value) { return DecodeAs("DeviceClass", value, ReadDeviceClass); }

}  // namespace berth::api
