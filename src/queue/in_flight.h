// SPDX-License-Identifier: Apache-2.0
// InFlight: the pods that are being scheduled, and what has happened since each of them was popped.
//
// One log holds the pops and the events in order. A pod that comes back unscheduled is held against the events after
// its own pop: one of them may have made it schedulable while nobody looked. Events that no pod in flight can still
// need are forgotten.
//
// Thread: core.

#pragma once

#include <list>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "framework/events.h"
#include "framework/observer.h"
#include "queue/plugin_set.h"

namespace berth::queue {

class InFlight {
 public:
  struct Entry {
    enum class Kind : uint8_t {
      kPop,                   // `uid` was popped.
      kChange,                // `change` happened; `interested` plugins registered it.
      kForceActivate,         // The pod `uid` is to be tried again.
      kUnschedulableTimeout,  // All pods are to be tried again.
    };
    Kind kind = Kind::kPop;
    std::string uid = {};
    framework::Change change = {};
    PluginSet interested = {};
  };

  bool empty() const { return pops_.empty(); }
  bool Contains(std::string_view uid) const { return pops_.contains(uid); }
  // False if the pod is in flight already.
  bool Begin(std::string uid);
  // Appends to the log. REQUIRES: some pod is in flight.
  void Record(Entry entry);
  // Nothing happens if the pod is not in flight.
  void Done(std::string_view uid);

  // Calls `visit(const Entry&)` for what happened since the pod was popped, until it returns true. REQUIRES: the pod is
  // in flight.
  template <class Visit>
  void ForEachSince(std::string_view uid, Visit visit) const {
    for (auto entry = std::next(Log::const_iterator(pops_.find(uid)->second)); entry != log_.end(); ++entry) {
      if (entry->kind != Entry::Kind::kPop && visit(*entry)) return;
    }
  }

  const std::list<Entry>& log() const { return log_; }
  size_t size() const { return pops_.size(); }
  void set_observer(framework::Observer* observer) { observer_ = observer; }

 private:
  using Log = std::list<Entry>;
  void Tell(const Entry& entry, int change) const;

  framework::Observer* observer_ = nullptr;
  Log log_;
  boost::unordered_flat_map<std::string_view, Log::iterator> pops_;  // Keys are in the log.
};

}  // namespace berth::queue
