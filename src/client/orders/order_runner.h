// SPDX-License-Identifier: Apache-2.0
// OrderRunner: carries orders out on the API server or at extenders and tells the core what became of them.
//
// Thousands of orders run side by side; those about one object run one after the other, in the order in which the core
// gave them. Requests, retries and texts are upstream's. A request whose fate is unclear is never reported as failed.
//
// Thread: that of the client.

#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "client/orders/claim_writer.h"
#include "client/orders/event_recorder.h"
#include "client/orders/extender_caller.h"
#include "client/orders/orders.h"
#include "client/request/attempts.h"
#include "client/request/rest_client.h"
#include "scheduler/input.h"

namespace berth::client {

class OrderRunner {
 public:
  struct Options {
    std::string content_type = std::string(kJson);  // Of bindings and deletions.
    bool keep_sources = false;                      // Of the pods that are read; see api/source.h.
    ClaimSources* claim_sources = nullptr;          // What the watch brought of claims. Null: it is not kept.
    uint64_t seed = 0;                              // Of the jitter.
  };
  // An answer, or, before the answer to a read or to a write of a claim, what was read.
  using News = std::variant<scheduler::EffectAnswer, PodRead, ClaimRead>;
  using Report = std::move_only_function<void(News)>;

  // `extenders` may be null: there are none. Calls `report` on the thread of the client, perhaps inside Run.
  OrderRunner(RestClient& client, runtime::Timers& timers, EventRecorder& events, ExtenderCaller* extenders,
              Options options, Report report);

  ~OrderRunner();
  OrderRunner(const OrderRunner&) = delete;
  OrderRunner& operator=(const OrderRunner&) = delete;

  // Events are not answered: nobody waits for them.
  void Run(Order order);

  // Orders to the API server without an answer so far. Of a binding that an extender makes, the core knows.
  size_t running() const { return running_; }

 private:
  // An order that is running.
  struct Ticket {
    uint64_t id = 0;
    std::string lane;
  };

  void Start(Order order);
  void Do(Ticket ticket, BindOrder bind);
  void Do(Ticket ticket, PatchOrder patch);
  void Do(Ticket ticket, EvictOrder evict);
  void Do(Ticket ticket, UpdateOrder update);
  void Do(Ticket ticket, WriteEventOrder write);
  void Do(Ticket ticket, ReadPodOrder read);
  void Do(Ticket ticket, CallExtenderOrder call);
  void Do(Ticket ticket, CancelExtenderOrder cancel);
  template <class ClaimOrder>
  void Do(Ticket ticket, ClaimOrder order);

  void Patch(const ObjectPath& object, std::string patch, Attempts::Done done);
  void Delete(Ticket ticket, const ObjectPath& pod);
  void WriteBack(Ticket ticket, const UpdateOrder& update, CallEnd read);
  // After a write: what the server says of a claim is reported.
  void Written(const Ticket& ticket, const ObjectPath& object, CallEnd outcome);
  void ReadBack(const Ticket& ticket, ReadPodOrder read, const CallEnd& outcome);
  void Finish(const Ticket& ticket, CallEnd outcome);
  void Finish(const Ticket& ticket, scheduler::EffectAnswer::Code code, std::string message = "");

  EventRecorder& events_;
  ExtenderCaller* const extenders_;
  const Options options_;
  Report report_;
  Attempts attempts_;
  ClaimWriter claims_;
  // Orders that wait for an earlier one of their lane, which is running.
  std::unordered_map<std::string, std::deque<Order>> lanes_;
  size_t running_ = 0;
  std::unordered_set<uint64_t> asked_;  // Calls of extenders without an answer so far.
};

}  // namespace berth::client
