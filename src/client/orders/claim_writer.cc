// SPDX-License-Identifier: Apache-2.0
#include "client/orders/claim_writer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "api/decode/decode.h"
#include "client/orders/claim_json.h"
#include "client/orders/json_edit.h"
#include "client/request/write_request.h"

namespace berth::client {
namespace {

using Kind = CallEnd::Kind;

constexpr int kTriesMax = 5;
constexpr std::string_view kFinalizer = "resource.kubernetes.io/delete-protection";

constexpr RetryRule kUntilAnswered = {
    .backoff =
        {.duration = Milliseconds(100), .factor = 2, .jitter = 0.1, .steps = kTriesUnlimited, .cap = Seconds(10)},
    .covers = [](const CallEnd& failure) { return failure.kind != Kind::kRefused || failure.is_server_error(); }};
constexpr RetryRule kClaimNotSent = {.backoff = {.duration = Milliseconds(10), .factor = 5, .jitter = 0.1, .steps = 4},
                                     .covers = [](const CallEnd& failure) { return failure.kind == Kind::kNotSent; }};
constexpr RetryRule kClaimPatch = {.backoff = {.duration = Milliseconds(10), .factor = 5, .jitter = 0.1, .steps = 4},
                                   .covers = [](const CallEnd& failure) {
                                     return failure.is_server_error() || failure.is_conflict() ||
                                            failure.kind != Kind::kRefused;
                                   }};

RestRequest GetClaim(const ObjectPath& claim) {
  RestRequest request;
  request.path = claim.text();
  request.timeout = Seconds(30);
  return request;
}

// The elements of a list as JSON, without that which `leaves_out` picks.
template <class Pick>
std::string ListJson(api::Value list, Pick leaves_out, const std::string& added) {
  std::string json = "[";
  const auto add = [&](std::string_view element) {
    if (json.size() > 1) json += ',';
    json += element;
  };
  for (size_t i = 0; i < list.size(); ++i) {
    if (!leaves_out(list[i])) add(list[i].ToJson());
  }
  if (!added.empty()) add(added);
  return json + "]";
}

std::string WithElement(api::Value list, const std::string& added) {
  return ListJson(list, [](api::Value) { return false; }, added);
}

bool IsReservedFor(api::Value claim, const std::string& uid) {
  const api::Value consumers = claim["status"]["reservedFor"];
  for (size_t i = 0; i < consumers.size(); ++i) {
    if (consumers[i]["uid"].text() == uid) return true;
  }
  return false;
}

bool HasFinalizer(api::Value claim) {
  const api::Value finalizers = claim["metadata"]["finalizers"];
  for (size_t i = 0; i < finalizers.size(); ++i) {
    if (finalizers[i].text() == kFinalizer) return true;
  }
  return false;
}

// Whether the claim has these devices: another pod of the group may have written what they share.
bool IsAllocatedAs(const std::string& allocation, api::Value claim) {
  const Result<api::Document> own = api::ParseJson(allocation);
  if (!own) return false;
  const api::Value wanted = own->root()["devices"]["results"];
  const api::Value there = claim["status"]["allocation"]["devices"]["results"];
  if (wanted.size() == 0 || wanted.size() != there.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    for (const char* field : {"request", "driver", "pool", "device"}) {
      if (wanted[i][field].text() != there[i][field].text()) return false;
    }
  }
  return true;
}

// Why the claim cannot be bound; empty: it can.
std::string BindProblem(const BindClaimOrder& order, api::Value claim) {
  const std::string name = fmt::format("claim {}/{}", order.claim.ns, order.claim.name);
  if (!claim["metadata"]["deletionTimestamp"].is_null() || claim["metadata"]["uid"].text() != order.uid) {
    return name + " got deleted in the meantime";
  }
  const bool is_allocated = !claim["status"]["allocation"].is_null();
  if (!order.allocation.empty() && is_allocated && !IsAllocatedAs(order.allocation, claim)) {
    return name + " got allocated elsewhere in the meantime";
  }
  if (order.allocation.empty() && !is_allocated && !order.timestamp.empty()) {
    return name + " got deallocated elsewhere in the meantime";
  }
  return "";
}

}  // namespace

void ClaimWriter::ReportClaim(const std::string& claim) {
  const Result<api::Document> document = api::ParseJson(claim);
  if (!document) return;
  Result<api::ResourceClaim> decoded = api::DecodeKind<api::ResourceClaim>(document->root());
  if (decoded) report_(*std::move(decoded));
}

void ClaimWriter::Write(BindClaimOrder bind, Done done) {
  auto job = std::make_shared<Job<BindClaimOrder>>(std::move(bind), std::move(done));
  if (!job->order.new_claim.empty()) return Create(job);
  if (!BindFromWatch(job)) Read(job);
}

bool ClaimWriter::BindFromWatch(const JobPtr<BindClaimOrder>& job) {
  if (sources_ == nullptr || job->order.allocation.empty()) return false;
  const std::optional<std::string> source = sources_->Take(job->order.claim.ns, job->order.claim.name);
  if (!source) return false;
  const Result<api::Document> claim = api::ParseJson(*source);
  if (!claim || !BindProblem(job->order, claim->root()).empty()) return false;
  job->is_from_watch = true;
  Bind(job, *source);
  return true;
}

void ClaimWriter::Create(const JobPtr<BindClaimOrder>& job) {
  attempts_.Send(JsonRequest("POST", job->order.claim.collection(), job->order.new_claim), kClaimNotSent,
                 [this, job](CallEnd outcome) {
                   if (!outcome.ok()) {
                     return job->done(fmt::format("create claim for extended resources {}/: {}", job->order.claim.ns,
                                                  outcome.error.message));
                   }
                   const Result<api::Document> created = api::ParseJson(outcome.answer.body);
                   if (!created) return job->done(created.error().message);
                   job->order.claim.name = created->root()["metadata"]["name"].text();
                   job->order.uid = created->root()["metadata"]["uid"].text();
                   ReportClaim(outcome.answer.body);
                   Bind(job, outcome.answer.body);
                 });
}

void ClaimWriter::Read(const JobPtr<BindClaimOrder>& job) {
  attempts_.Send(GetClaim(job->order.claim), kUntilAnswered, [this, job](CallEnd outcome) {
    if (outcome.ok()) return Bind(job, outcome.answer.body);
    job->done(job->tries == 0 ? outcome.error.message
                              : fmt::format("get updated claim {}/{} after conflict: {}", job->order.claim.ns,
                                            job->order.claim.name, outcome.error.message));
  });
}

void ClaimWriter::Bind(const JobPtr<BindClaimOrder>& job, const std::string& claim) {
  const Result<api::Document> document = api::ParseJson(claim);
  if (!document) return job->done(document.error().message);
  const BindClaimOrder& order = job->order;
  // An earlier try of ours may have been carried out without an answer.
  if (IsReservedFor(document->root(), order.consumer_uid)) {
    ReportClaim(claim);
    return TellPod(job);
  }
  if (std::string problem = BindProblem(order, document->root()); !problem.empty()) {
    ReportClaim(claim);
    return job->done(std::move(problem));
  }
  if (!document->root()["status"]["allocation"].is_null()) job->order.allocation.clear();
  if (!order.allocation.empty() && !HasFinalizer(document->root())) return AddFinalizer(job, *document);
  PutStatus(job, *document);
}

void ClaimWriter::AddFinalizer(const JobPtr<BindClaimOrder>& job, const api::Document& claim) {
  const std::vector<JsonMember> members = {
      {{"metadata", "finalizers"},
       WithElement(claim.root()["metadata"]["finalizers"], fmt::format("\"{}\"", kFinalizer))}};
  attempts_.Send(JsonRequest("PUT", job->order.claim.text(), WithMembers(claim.root(), members)), kClaimNotSent,
                 [this, job](CallEnd outcome) {
                   Written(job, "add finalizer to", std::move(outcome),
                           [this, job](const std::string& written) { Bind(job, written); });
                 });
}

void ClaimWriter::PutStatus(const JobPtr<BindClaimOrder>& job, const api::Document& claim) {
  const BindClaimOrder& order = job->order;
  std::vector<JsonMember> members;
  if (!order.allocation.empty()) members.push_back({{"status", "allocation"}, order.allocation});
  members.push_back({{"status", "reservedFor"}, WithElement(claim.root()["status"]["reservedFor"], order.consumer)});
  if (order.allocation.empty() && !order.timestamp.empty() &&
      claim.root()["status"]["allocation"]["allocationTimestamp"].is_null()) {
    members.push_back({{"status", "allocation", "allocationTimestamp"}, order.timestamp});
  }
  attempts_.Send(JsonRequest("PUT", order.claim.text() + "/status", WithMembers(claim.root(), members)), kClaimNotSent,
                 [this, job](CallEnd outcome) {
                   const std::string_view what =
                       job->order.allocation.empty() ? "add reservation to" : "add allocation and reservation to";
                   Written(job, std::string(what), std::move(outcome), [this, job](const std::string& written) {
                     ReportClaim(written);
                     TellPod(job);
                   });
                 });
}

void ClaimWriter::Written(const JobPtr<BindClaimOrder>& job, const std::string& what, CallEnd outcome,
                          std::move_only_function<void(const std::string& claim)> next) {
  const bool was_from_watch = std::exchange(job->is_from_watch, false);
  if (outcome.ok()) return next(outcome.answer.body);
  // What may have been done is looked at, however often it takes to know; conflicts come to an end. What the watch
  // brought may be old, or lack what only the server knows of.
  if (outcome.may_be_done || (outcome.is_conflict() && ++job->tries < kTriesMax) || was_from_watch) return Read(job);
  job->done(fmt::format("{} claim {}/{}: {}", what, job->order.claim.ns, job->order.claim.name, outcome.error.message));
}

void ClaimWriter::TellPod(const JobPtr<BindClaimOrder>& job) {
  const BindClaimOrder& order = job->order;
  if (order.request_mappings.empty()) {
    if (order.new_claim.empty()) return job->done("");
    return job->done(fmt::format("nil or empty request mappings, no update of pod {}/{} ExtendedResourceClaimStatus",
                                 order.pod.ns, order.pod.name));
  }
  attempts_.Send(
      PatchRequest(order.pod.text() + "/status", ExtendedResourcePatch(order.request_mappings, order.claim.name)),
      kClaimPatch, [job](const CallEnd& outcome) {
        job->done(outcome.ok() ? ""
                               : fmt::format("update pod {}/{} ExtendedResourceClaimStatus: {}", job->order.pod.ns,
                                             job->order.pod.name, outcome.error.message));
      });
}

void ClaimWriter::Write(DeleteClaimOrder order, Done done) {
  RemoveFinalizer(std::make_shared<Job<DeleteClaimOrder>>(std::move(order), std::move(done)));
}

void ClaimWriter::RemoveFinalizer(const JobPtr<DeleteClaimOrder>& job) {
  attempts_.Send(GetClaim(job->order.claim), kUntilAnswered, [this, job](const CallEnd& read) {
    if (read.is_refusal(404)) return job->done("");
    if (!read.ok()) return job->done(read.error.message);
    const Result<api::Document> claim = api::ParseJson(read.answer.body);
    if (!claim) return job->done(claim.error().message);
    if (claim->root()["metadata"]["uid"].text() != job->order.uid) return job->done("");
    if (!HasFinalizer(claim->root())) return Delete(job);
    const std::vector<JsonMember> members = {
        {{"metadata", "finalizers"},
         ListJson(
             claim->root()["metadata"]["finalizers"], [](api::Value one) { return one.text() == kFinalizer; }, "")}};
    attempts_.Send(JsonRequest("PUT", job->order.claim.text(), WithMembers(claim->root(), members)), kClaimNotSent,
                   [this, job](const CallEnd& written) {
                     if (written.ok()) return Delete(job);
                     if ((written.may_be_done || written.is_conflict()) && ++job->tries < kTriesMax) {
                       return RemoveFinalizer(job);
                     }
                     job->done(fmt::format("update resourceclaim {}/{}: {}", job->order.claim.ns, job->order.claim.name,
                                           written.error.message));
                   });
  });
}

void ClaimWriter::Delete(const JobPtr<DeleteClaimOrder>& job) {
  constexpr std::string_view kOptions = R"({"kind":"DeleteOptions","apiVersion":"v1"})";
  attempts_.Send(JsonRequest("DELETE", job->order.claim.text(), std::string(kOptions)), kClaimPatch,
                 [job](const CallEnd& outcome) {
                   job->done(outcome.ok() || outcome.is_refusal(404) ? "" : outcome.error.message);
                 });
}

}  // namespace berth::client
