// SPDX-License-Identifier: Apache-2.0
// ClaimWriter: writes allocations and reservations of ResourceClaims to the API server, and takes them back.
//
// Each write changes the claim as the watch brought it, or, where that is not kept, as it is read. After a conflict it
// reads and starts again, as upstream does; after an answer that was lost too, until it is known what the claim says:
// so a device is never believed to be free that may have been given away. What the server says of the claim is reported
// before the end of the write is.
//
// Thread: that of the client.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/orders/orders.h"
#include "client/request/attempts.h"
#include "client/request/claim_sources.h"

namespace berth::client {

class ClaimWriter {
 public:
  // What the server answered last about a claim.
  using Report = std::move_only_function<void(api::ResourceClaim)>;
  // Empty: done; otherwise why not.
  using Done = std::move_only_function<void(std::string error)>;

  // `sources` may be null: every claim is read.
  ClaimWriter(Attempts& attempts, ClaimSources* sources, Report report)
      : attempts_(attempts), sources_(sources), report_(std::move(report)) {}
  ClaimWriter(const ClaimWriter&) = delete;
  ClaimWriter& operator=(const ClaimWriter&) = delete;

  void Write(BindClaimOrder bind, Done done);
  void Write(DeleteClaimOrder order, Done done);
  // Reports a claim of which the server answered this JSON.
  void ReportClaim(const std::string& claim);

 private:
  // A write that is under way.
  template <class Order>
  struct Job {
    Order order;
    Done done;
    int tries = 0;
    bool is_from_watch = false;  // What is written goes back to what the watch brought.
  };
  template <class Order>
  using JobPtr = std::shared_ptr<Job<Order>>;

  void Create(const JobPtr<BindClaimOrder>& job);
  // Goes on from what the watch brought, if that is kept and makes sense.
  bool BindFromWatch(const JobPtr<BindClaimOrder>& job);
  void Read(const JobPtr<BindClaimOrder>& job);
  // Goes on from the claim as the server has it.
  void Bind(const JobPtr<BindClaimOrder>& job, const std::string& claim);
  void AddFinalizer(const JobPtr<BindClaimOrder>& job, const api::Document& claim);
  void PutStatus(const JobPtr<BindClaimOrder>& job, const api::Document& claim);
  void TellPod(const JobPtr<BindClaimOrder>& job);
  // What follows a write of the claim: `next` if it was done, another try, or the end.
  void Written(const JobPtr<BindClaimOrder>& job, const std::string& what, CallEnd outcome,
               std::move_only_function<void(const std::string& claim)> next);
  void RemoveFinalizer(const JobPtr<DeleteClaimOrder>& job);
  void Delete(const JobPtr<DeleteClaimOrder>& job);

  Attempts& attempts_;
  ClaimSources* const sources_;
  Report report_;
};

}  // namespace berth::client
