// SPDX-License-Identifier: Apache-2.0
// SimulatedDevices: what drivers of devices do on their nodes, without devices.
//
// Every node that a template is for gets its slices, also one that comes later or gets the label that was missing; they
// belong to the node and go with it. A slice that is deleted is published again. What somebody changes in a slice stays
// as it is, so that a device can be tainted by hand.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>

#include "server/controllers/controller.h"
#include "server/nodes/device_templates.h"

namespace berth::server {

class SimulatedDevices : public Controller {
 public:
  SimulatedDevices(const Cluster& cluster, DeviceTemplates templates)
      : cluster_(cluster),
        nodes_(cluster.Get("", "nodes")),
        slices_(cluster.Get("resource.k8s.io", "resourceslices")),
        templates_(std::move(templates)) {}

  std::string_view name() const override { return "simulated-devices"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the name of a node.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  bool Publish(const StoredObject& node, Json slice);
  // Deletes the slice if it belongs to the node.
  bool Withdraw(const StoredObject& node, const std::string& slice);

  const Cluster& cluster_;
  const Resource& nodes_;
  const Resource& slices_;
  const DeviceTemplates templates_;
};

}  // namespace berth::server
