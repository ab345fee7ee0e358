// SPDX-License-Identifier: Apache-2.0
// DeviceOptions: the feature gates that change how devices, pools and claims are understood, at their v1.37 defaults.

#pragma once

namespace berth::cluster {

struct DeviceOptions {
  bool taints = true;                     // DRADeviceTaints.
  bool taint_rules = true;                // DRADeviceTaintRules.
  bool consumable_capacity = true;        // DRAConsumableCapacity.
  bool fractional_capacity = false;       // DRAFractionalCapacityRange.
  bool partitionable_devices = true;      // DRAPartitionableDevices.
  bool binding_conditions = true;         // DRADeviceBindingConditions.
  bool list_attributes = false;           // DRAListTypeAttributes.
  bool derived_attributes = false;        // DRADerivedAttributes.
  bool compatibility_groups = false;      // DRADeviceCompatibilityGroups.
  bool optional_node_operations = false;  // DRAOptionalNodeOperations.
  bool node_allocatable = false;          // DRANodeAllocatableResources.

  // Upstream has three allocators and takes the oldest that knows what is on. Some of what the others do regardless of
  // gates the stable one does not do.
  bool stable_allocator() const {
    return !consumable_capacity && !fractional_capacity && !binding_conditions && !list_attributes &&
           !derived_attributes && !compatibility_groups && !optional_node_operations;
  }
};

}  // namespace berth::cluster
