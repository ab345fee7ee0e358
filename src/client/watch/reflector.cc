// SPDX-License-Identifier: Apache-2.0
// The life of a reflector: lists, waits and what is done about failures. Reading streams stands in
// reflector_stream.cc.

#include "client/watch/reflector.h"

#include <utility>

#include "base/assert.h"
#include "client/request/object_encoding.h"

namespace berth::client {
namespace {

constexpr int64_t kPageSize = 500;
// A server ends other requests than watches after a minute; what takes longer will not come.
constexpr Duration kListTimeout = Minutes(2);
// What upstream's reflectors wait after a failure; from the start again after this time without one.
constexpr runtime::Backoff kBackoff = {
    .duration = Milliseconds(800), .factor = 2, .jitter = 1, .steps = 38, .cap = Seconds(30)};
constexpr Duration kBackoffReset = Minutes(2);

bool IsExpired(const ApiError& error) {
  return error.status == 410 || error.reason == "Expired" || error.reason == "Gone";
}

// The server has not seen the version yet that was asked for.
bool IsTooLarge(const ApiError& error) { return error.message.find("Too large resource version") != std::string::npos; }

bool IsVersionUnavailable(const ApiError& error) { return IsExpired(error) || IsTooLarge(error); }

// The server has no such resource, or its rules of access do not mention it.
bool IsUnknown(const ApiError& error) { return error.status == 404 || error.status == 403; }

bool IsTooManyRequests(const ApiError& error) { return error.status == 429 || error.reason == "TooManyRequests"; }

const api::wire::Kind& KindOf(const WatchedResource& resource) {
  const api::wire::Kind* const kind = api::wire::FindKind(resource.api_version, api::ManifestKind(resource.kind));
  BERTH_ASSERT(kind != nullptr);
  return *kind;
}

}  // namespace

Reflector::Reflector(RestClient& client, runtime::Timers& timers, ObjectSink& sink, ReflectorObserver& observer,
                     WatchedResource resource, Options options, Callback on_synced)
    : client_(client),
      timers_(timers),
      sink_(sink),
      observer_(observer),
      resource_(std::move(resource)),
      kind_(KindOf(resource_)),
      options_(options),
      claim_sources_(resource_.kind == "ResourceClaim" ? options.claim_sources : nullptr),
      on_synced_(std::move(on_synced)),
      wait_(timers),
      watchdog_(timers),
      random_(options.seed),
      backoff_(kBackoff, kBackoffReset, options.seed + 1),
      delivered_(resource_.kind),
      version_unavailable_(options.fresh) {}

void Reflector::Start() {
  if (phase_ == Phase::kStopped) BeginCycle();
}

void Reflector::Stop() {
  Drop();
  wait_.Stop();
  paused_ = false;
  page_due_ = false;
  phase_ = Phase::kStopped;
}

void Reflector::Resume() {
  if (!std::exchange(paused_, false)) return;
  if (std::exchange(page_due_, false)) {
    RequestPage();
  } else if (IsStreaming()) {
    client_.Pause(call_, false);
  }
}

void Reflector::Refresh(Callback done) {
  refreshed_.push_back(std::move(done));
  version_unavailable_ = true;
  if (phase_ == Phase::kStopped) return;
  if (phase_ == Phase::kWaiting) {
    relist_ = true;
    return;
  }
  Drop();
  BeginCycle();
}

void Reflector::Wait(Duration delay, bool relist) {
  phase_ = Phase::kWaiting;
  relist_ = relist;
  wait_.Start(delay, [this] { relist_ ? BeginCycle() : OpenWatch(); });
}

void Reflector::BeginList() {
  delivered_.BeginList();
  if (claim_sources_ != nullptr) claim_sources_->Clear();
  list_start_ = timers_.Now();
  list_items_ = 0;
  page_due_ = false;
}

void Reflector::BeginCycle() {
  BeginList();
  ListOptions options;
  options.resource_version = version_unavailable_ ? "" : resource_version_;
  options.resource_version_match = "NotOlderThan";
  options.send_initial_events = true;
  OpenStream(Phase::kStreamingList, std::move(options));
}

void Reflector::BeginPagedList() {
  if (version_unavailable_) return BeginPagedList("");
  BeginPagedList(resource_version_.empty() ? "0" : resource_version_);
}

void Reflector::BeginPagedList(std::string resource_version) {
  BeginList();
  phase_ = Phase::kPagedList;
  page_ = ListOptions();
  page_.field_selector = resource_.field_selector;
  // A server reads what is at least as new as a given version from its cache, but only all of it at once.
  const bool from_cache = !resource_version.empty() && resource_version != "0" && !server_pages_;
  page_.limit = from_cache ? 0 : kPageSize;
  list_resource_version_ = std::move(resource_version);
  page_.resource_version = list_resource_version_;
  RequestPage();
}

void Reflector::RequestPage() {
  RestRequest request = Request(page_);
  request.timeout = kListTimeout;
  call_ = client_.Send(std::move(request), [this](Result<RestAnswer> answer) { OnPage(std::move(answer)); });
}

void Reflector::OnPage(Result<RestAnswer> answer) {
  call_ = 0;
  if (!answer) {
    observer_.OnUnreachable(resource_, answer.error().message);
    return Wait(backoff_.Next(timers_.Now()), true);
  }
  observer_.OnReached(resource_);
  if (!answer->ok()) return OnPageRefused(ErrorOf(*answer));
  const Result<api::wire::EncodedList> page = api::wire::CutList(EncodingOf(answer->content_type), answer->body, kind_);
  if (!page) {
    Report(page.error().message);
    return Wait(backoff_.Next(timers_.Now()), true);
  }
  ReadPage(*page);
}

void Reflector::OnPageRefused(const ApiError& error) {
  const bool is_missing = resource_.is_custom && IsUnknown(error);
  Report(is_missing ? error.message + " (is the custom resource installed, and may the scheduler read it?)"
                    : error.message);
  if (IsExpired(error) && !page_.continue_token.empty()) {
    // The snapshot that the pages come from is gone: all of it at once, then.
    BeginList();
    page_.continue_token.clear();
    page_.limit = 0;
    page_.resource_version = list_resource_version_;
    return RequestPage();
  }
  if (IsVersionUnavailable(error) && !list_resource_version_.empty()) {
    version_unavailable_ = true;
    return BeginPagedList();
  }
  Wait(backoff_.Next(timers_.Now()), true);
  if (!is_missing) return;
  FinishList("");
  OnListed();
}

void Reflector::ReadPage(const api::wire::EncodedList& page) {
  for (const api::wire::EncodedObject& item : page.items) ReadObject(item);
  if (page_.continue_token.empty()) paged_version_ = page.resource_version;
  page_.continue_token = page.continue_token;
  page_.resource_version.clear();
  if (page_.continue_token.empty()) {
    FinishList(paged_version_);
    OpenWatch();
    return OnListed();
  }
  if (list_resource_version_ == "0") server_pages_ = true;
  Flush();
  if (paused_) {
    page_due_ = true;
  } else {
    RequestPage();
  }
}

void Reflector::FinishList(std::string_view resource_version) {
  delivered_.EndList(resource_version);
  version_unavailable_ = false;
  AdvanceTo(resource_version);
  observer_.OnList(resource_, timers_.Now() - list_start_, list_items_);
  Flush();
}

void Reflector::OnListed() {
  if (!std::exchange(synced_, true) && on_synced_) on_synced_();
  // A callback may ask for the next refresh.
  for (Callback& done : std::exchange(refreshed_, {})) done();
}

void Reflector::OnUnreachable(const Error& error) {
  observer_.OnUnreachable(resource_, error.message);
  Wait(backoff_.Next(timers_.Now()), phase_ != Phase::kWatch);
}

void Reflector::OnRefused(const ApiError& error, bool in_event) {
  if (phase_ == Phase::kStreamingList) return OnStreamingListRefused(error);
  Report(error.message);
  // An error in the middle of a watch may come from the very events that a resumed one would begin with.
  const bool resumable = IsTooManyRequests(error) || (error.status >= 500 && !in_event);
  Wait(backoff_.Next(timers_.Now()), IsVersionUnavailable(error) || !resumable);
}

void Reflector::OnStreamingListRefused(const ApiError& error) {
  if (IsTooManyRequests(error)) {
    Report(error.message);
    return Wait(backoff_.Next(timers_.Now()), true);
  }
  if (IsVersionUnavailable(error) && !std::exchange(version_unavailable_, true)) return BeginCycle();
  // The server does not stream lists, or cannot now; if it is in trouble, the other list will tell.
  BeginPagedList();
}

void Reflector::OnClosed(Time start, size_t events) {
  if (phase_ == Phase::kStreamingList) return BeginPagedList();
  // A server that ends every watch at once is given time.
  if (events == 0 && timers_.Now() - start < Seconds(1))
    return Wait(runtime::Jitter(kBackoff.duration, kBackoff.jitter, random_), false);
  OpenWatch();
}

void Reflector::AdvanceTo(std::string_view resource_version) {
  resource_version_ = resource_version;
  observer_.OnResourceVersion(resource_, resource_version_);
}

void Reflector::Flush() {
  if (std::vector<Delivery> batch = delivered_.Take(); !batch.empty()) sink_.Deliver(std::move(batch));
  if (paused_ || !sink_.is_full()) return;
  paused_ = true;
  if (IsStreaming()) client_.Pause(call_, true);
}

RestRequest Reflector::Request(const ListOptions& options) const {
  RestRequest request;
  request.path = resource_.Path();
  request.query = EncodeQuery(options);
  request.urgent = true;  // Without it the scheduler does not know what it is doing.
  request.accept = kJson;
  if (options_.protobuf) request.accept = std::string(kProtobuf) + "," + std::string(kJson);
  return request;
}

}  // namespace berth::client
