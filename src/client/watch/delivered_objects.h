// SPDX-License-Identifier: Apache-2.0
// DeliveredObjects: remembers which version of every object was handed over, so that nothing is lost or repeated when
// the server is asked anew.
//
// Changes go through it one by one and come out as deliveries. Between BeginList and EndList it hears of everything
// that exists: what it knows in that version already is not delivered again, and what did not come up is gone. The
// first list is delivered as it comes. A later one may end early and be taken up by a server that is further behind, so
// its changes are held back until it has ended.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "client/watch/object_sink.h"

namespace berth::client {

class DeliveredObjects {
 public:
  explicit DeliveredObjects(std::string kind) : kind_(std::move(kind)) {}

  // A list begins; one that has not ended is forgotten.
  void BeginList();
  // The list was complete, as of that version.
  void EndList(std::string_view resource_version);

  // Whether that version still has to be delivered by Put. If not, the object is there all the same.
  bool IsNew(std::string_view ns, std::string_view name, std::string_view resource_version);
  void Put(api::Object object);
  // The object is there, in a version that cannot be delivered.
  void Keep(std::string_view ns, std::string_view name);
  // It was removed in that version.
  void Remove(std::string_view ns, std::string_view name, std::string_view resource_version);

  // An object that was read by itself, while the watch has delivered everything up to `delivered`. If that is less,
  // the older versions that the list and the watch still bring are not delivered.
  void ReadAhead(scheduler::PutObject put, std::string_view delivered);
  // An object that was found gone by itself, in version `gone` and those before it.
  void ReadAhead(scheduler::RemoveObject removal, std::string_view gone);

  // What was not taken yet, in order.
  std::vector<Delivery> Take() { return std::exchange(ready_, {}); }

  size_t size() const { return known_.size(); }
  // What exists by all that was handed over, sorted. For resources without namespaces.
  std::vector<std::string> Names() const;

 private:
  struct Known {
    uint64_t version = 0;
    uint64_t list = 0;  // The last one that it came up in.
    bool read_ahead = false;
    bool is_gone = false;  // It was found gone, but the watch has not come so far.

    // Whether what was delivered makes that version superfluous.
    bool IsCovering(uint64_t other) const;
  };

  void Apply(Delivery delivery);
  void Apply(scheduler::PutObject put);
  void Apply(scheduler::RemoveObject removal);
  void RemoveVanished(std::string_view resource_version);

  const std::string kind_;
  boost::unordered_flat_map<std::string, Known> known_;  // By namespace/name.
  std::vector<Delivery> ready_;
  std::vector<Delivery> held_back_;
  uint64_t list_ = 0;  // Counts lists.
  bool listing_ = false;
  bool listed_ = false;  // A list was complete.
};

}  // namespace berth::client
