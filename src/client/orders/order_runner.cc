// SPDX-License-Identifier: Apache-2.0
#include "client/orders/order_runner.h"

#include <fmt/format.h>

#include <utility>

#include "api/decode/decode.h"
#include "api/document/json_writer.h"
#include "api/source.h"
#include "base/assert.h"
#include "client/request/write_request.h"
#include "telemetry/log.h"

namespace berth::client {
namespace {

using Kind = CallEnd::Kind;
using AnswerCode = scheduler::EffectAnswer::Code;

// What upstream waits between tries of one write.
constexpr RetryRule FourTries(bool (*covers)(const CallEnd&)) {
  return {.backoff = {.duration = Milliseconds(10), .factor = 5, .jitter = 0.1, .steps = 4}, .covers = covers};
}

// A lost binding is not repeated: it is read back first.
constexpr RetryRule kBindRule =
    FourTries([](const CallEnd& failure) { return failure.is_server_error() || failure.kind == Kind::kNotSent; });
// A patch says the same however often it is sent.
constexpr RetryRule kPatchRule = FourTries([](const CallEnd& failure) {
  return failure.is_server_error() || failure.is_conflict() || failure.kind != Kind::kRefused;
});
constexpr RetryRule kNotSentRule = FourTries([](const CallEnd& failure) { return failure.kind == Kind::kNotSent; });
constexpr RetryRule kReadRule =
    FourTries([](const CallEnd& failure) { return failure.is_server_error() || failure.kind != Kind::kRefused; });
constexpr RetryRule kReadBackRule = {.backoff = {.duration = Milliseconds(100),
                                                 .factor = 2,
                                                 .jitter = 0.1,
                                                 .steps = kTriesUnlimited,
                                                 .cap = Seconds(10)},
                                     .covers = [](const CallEnd& failure) { return !failure.is_refusal(404); }};

const api::Document& DeleteOptions() {
  static const api::Document kOptions = api::JsonWriter::OfTree()
                                            .BeginObject()
                                            .Text("kind", "DeleteOptions")
                                            .Text("apiVersion", "v1")
                                            .EndObject()
                                            .TakeTree()
                                            .value();
  return kOptions;
}

bool IsOf(const ObjectPath& object, std::string_view resource) { return object.resource == resource; }

// Of what the core does not wait for, or does not tell anybody about.
void LogFailure(std::string_view what, const ObjectPath& object, const CallEnd& outcome) {
  const std::string_view kind = IsOf(object, "pods") ? "pod" : "object";
  telemetry::LogError(Error{Code::kInternal, outcome.error.message}, what, kind, object.ns + "/" + object.name);
}

// The resource as errors name it: with its group.
std::string QualifiedResource(const ObjectPath& object) {
  constexpr std::string_view kGroups = "/apis/";
  if (!object.api.starts_with(kGroups)) return std::string(object.resource);
  const std::string_view group = object.api.substr(kGroups.size());
  return fmt::format("{}.{}", object.resource, group.substr(0, group.find('/')));
}

RestRequest ReadRequest(std::string path) {
  RestRequest request;
  request.path = std::move(path);
  request.timeout = Seconds(30);
  return request;
}

}  // namespace

OrderRunner::OrderRunner(RestClient& client, runtime::Timers& timers, EventRecorder& events, ExtenderCaller* extenders,
                         Options options, Report report)
    : events_(events),
      extenders_(extenders),
      options_(std::move(options)),
      report_(std::move(report)),
      attempts_(client, timers, options_.seed),
      claims_(attempts_, options_.claim_sources,
              [this](api::ResourceClaim claim) { report_(ClaimRead{std::move(claim)}); }) {}

OrderRunner::~OrderRunner() {
  for (const uint64_t id : asked_) extenders_->Cancel(id);
}

void OrderRunner::Run(Order order) {
  ++running_;
  if (!order.lane.empty()) {
    const auto [lane, is_first] = lanes_.try_emplace(order.lane);
    if (!is_first) return lane->second.push_back(std::move(order));
  }
  Start(std::move(order));
}

void OrderRunner::Start(Order order) {
  std::visit([&](auto& what) { Do(Ticket{order.id, std::move(order.lane)}, std::move(what)); }, order.what);
}

void OrderRunner::Do(Ticket ticket, BindOrder bind) {
  attempts_.Send(WriteRequest("POST", bind.pod.text() + "/binding", bind.binding.root(), options_.content_type),
                 kBindRule, [this, ticket = std::move(ticket)](CallEnd outcome) {
                   // The conflict may be with a try of our own whose answer was not heard.
                   if (outcome.is_conflict()) outcome.may_be_done = true;
                   Finish(ticket, std::move(outcome));
                 });
}

void OrderRunner::Do(Ticket ticket, PatchOrder patch) {
  if (patch.patch.empty()) return Finish(ticket, AnswerCode::kOk);
  Patch(patch.object, std::move(patch.patch),
        [this, ticket = std::move(ticket), object = patch.object](CallEnd outcome) {
          if (!outcome.ok())
            LogFailure(IsOf(object, "pods") ? "Error updating pod" : "Error updating status", object, outcome);
          Written(ticket, object, std::move(outcome));
        });
}

void OrderRunner::Do(Ticket ticket, EvictOrder evict) {
  if (evict.patch.empty()) return Delete(std::move(ticket), evict.pod);
  Patch(evict.pod, std::move(evict.patch),
        [this, ticket = std::move(ticket), pod = evict.pod](CallEnd outcome) mutable {
          if (outcome.ok()) return Delete(std::move(ticket), pod);
          if (outcome.is_refusal(404)) return Finish(ticket, AnswerCode::kOk, std::move(outcome.error.message));
          LogFailure("Could not add DisruptionTarget condition due to preemption", pod, outcome);
          Finish(ticket, std::move(outcome));
        });
}

void OrderRunner::Delete(Ticket ticket, const ObjectPath& pod) {
  attempts_.Send(WriteRequest("DELETE", pod.text(), DeleteOptions().root(), options_.content_type), kNotSentRule,
                 [this, ticket = std::move(ticket), pod](CallEnd outcome) {
                   if (outcome.is_refusal(404)) {
                     return Finish(ticket, AnswerCode::kOk, std::move(outcome.error.message));
                   }
                   if (!outcome.ok()) LogFailure("Tried to preempt pod", pod, outcome);
                   Finish(ticket, std::move(outcome));
                 });
}

void OrderRunner::Patch(const ObjectPath& object, std::string patch, Attempts::Done done) {
  attempts_.Send(PatchRequest(object.text() + "/status", std::move(patch)), kPatchRule, std::move(done));
}

void OrderRunner::Do(Ticket ticket, UpdateOrder update) {
  RestRequest request = ReadRequest(update.object.text());
  attempts_.Send(std::move(request), kReadRule,
                 [this, ticket = std::move(ticket), update = std::move(update)](CallEnd outcome) mutable {
                   WriteBack(std::move(ticket), update, std::move(outcome));
                 });
}

void OrderRunner::WriteBack(Ticket ticket, const UpdateOrder& update, CallEnd read) {
  if (!read.ok()) return Finish(ticket, AnswerCode::kFailed, std::move(read.error.message));
  const Result<api::Document> document = api::ParseJson(read.answer.body);
  if (!document) return Finish(ticket, AnswerCode::kFailed, document.error().message);
  if (document->root()["metadata"]["resourceVersion"].text() != update.resource_version) {
    return Finish(ticket, AnswerCode::kFailed,
                  fmt::format("Operation cannot be fulfilled on {} \"{}\": the object has been modified; please apply "
                              "your changes to the latest version and try again",
                              QualifiedResource(update.object), update.object.name));
  }
  // As JSON, in which the fields survive that only the server knows.
  std::string body = WithMembers(document->root(), update.members);
  const std::string path = update.object.text() + (update.subresource.empty() ? "" : "/" + update.subresource);
  attempts_.Send(JsonRequest("PUT", path, std::move(body)), kNotSentRule,
                 [this, ticket = std::move(ticket), object = update.object](CallEnd outcome) {
                   Written(ticket, object, std::move(outcome));
                 });
}

void OrderRunner::Written(const Ticket& ticket, const ObjectPath& object, CallEnd outcome) {
  if (outcome.ok() && IsOf(object, "resourceclaims")) claims_.ReportClaim(outcome.answer.body);
  Finish(ticket, std::move(outcome));
}

void OrderRunner::Do(Ticket, WriteEventOrder write) {
  --running_;
  events_.Record(std::move(write.event));
}

void OrderRunner::Do(Ticket ticket, ReadPodOrder read) {
  RestRequest request = ReadRequest(read.pod.text());
  attempts_.Send(std::move(request), kReadBackRule,
                 [this, ticket = std::move(ticket), read = std::move(read)](const CallEnd& outcome) {
                   ReadBack(ticket, read, outcome);
                 });
}

void OrderRunner::ReadBack(const Ticket& ticket, ReadPodOrder read, const CallEnd& outcome) {
  if (!outcome.ok()) {
    report_(PodRead{std::move(read.pod), std::nullopt, std::move(read.resource_version)});
    return Finish(ticket, AnswerCode::kOk);
  }
  const Result<api::Document> document = api::ParseJson(outcome.answer.body);
  if (!document) return Finish(ticket, AnswerCode::kFailed, document.error().message);
  Result<api::Pod> found = api::DecodePod(document->root());
  if (!found) return Finish(ticket, AnswerCode::kFailed, std::move(found.error().message));
  // Without one the pod is of use as well.
  if (options_.keep_sources) static_cast<void>(api::KeepSource(*found, document->root()));
  if (found->status.phase == "Succeeded" || found->status.phase == "Failed") {
    // One that has ended is gone for the watch as well, which will not mention it again.
    report_(PodRead{std::move(read.pod), std::nullopt, std::move(found->meta.resource_version)});
  } else {
    report_(PodRead{std::move(read.pod), std::move(*found), ""});
  }
  Finish(ticket, AnswerCode::kOk);
}

void OrderRunner::Do(Ticket ticket, CallExtenderOrder call) {
  --running_;
  BERTH_ASSERT(extenders_ != nullptr);
  asked_.insert(ticket.id);
  extenders_->Call(ticket.id, call.extender, std::move(call.verb), std::move(call.body),
                   [this](scheduler::EffectAnswer answer) {
                     asked_.erase(answer.id);
                     report_(std::move(answer));
                   });
}

void OrderRunner::Do(Ticket, CancelExtenderOrder cancel) {
  --running_;
  if (asked_.erase(cancel.id) != 0) extenders_->Cancel(cancel.id);
}

template <class ClaimOrder>
void OrderRunner::Do(Ticket ticket, ClaimOrder order) {
  claims_.Write(std::move(order), [this, ticket = std::move(ticket)](std::string error) {
    const AnswerCode code = error.empty() ? AnswerCode::kOk : AnswerCode::kFailed;
    if (!error.empty()) telemetry::LogError(Error{Code::kInternal, error}, "Could not write the ResourceClaim");
    Finish(ticket, code, std::move(error));
  });
}

void OrderRunner::Finish(const Ticket& ticket, CallEnd outcome) {
  if (outcome.ok()) return Finish(ticket, AnswerCode::kOk);
  Finish(ticket, outcome.may_be_done ? AnswerCode::kUnknown : AnswerCode::kFailed, std::move(outcome.error.message));
}

void OrderRunner::Finish(const Ticket& ticket, AnswerCode code, std::string message) {
  --running_;
  report_(scheduler::EffectAnswer{ticket.id, code, std::move(message)});
  if (ticket.lane.empty()) return;
  const auto lane = lanes_.find(ticket.lane);
  if (lane->second.empty()) {
    lanes_.erase(lane);
    return;
  }
  Order next = std::move(lane->second.front());
  lane->second.pop_front();
  Start(std::move(next));
}

}  // namespace berth::client
