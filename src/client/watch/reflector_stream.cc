// SPDX-License-Identifier: Apache-2.0
// The stream of a reflector: a watch, which may begin with a list.

#include <fmt/format.h>

#include <utility>

#include "api/decode/decode_kinds.h"
#include "client/request/object_encoding.h"
#include "client/watch/reflector.h"

namespace berth::client {
namespace {

using api::wire::WatchEvent;

// Between these, so that not all watches end at the same time.
constexpr int64_t kWatchSecondsMin = 300;
constexpr int64_t kWatchSecondsMax = 600;
// A server ends a watch when its time is over; if not even that arrives, the connection is dead.
constexpr Duration kWatchMargin = Seconds(30);
constexpr size_t kRefusalMax = size_t{1} << 20;

ApiError StatusError(const api::wire::EncodedObject& object) {
  ApiError error;
  const Result<api::Document> document = api::wire::ReadObject(object, *api::wire::FindKind("v1", "Status"));
  if (!document) return error;
  const api::Value status = document->root();
  error.status = static_cast<int>(status["code"].AsInt().value_or(0));
  error.reason = status["reason"].text();
  error.message = status["message"].text();
  return error;
}

}  // namespace

void Reflector::OpenWatch() {
  ListOptions options;
  options.resource_version = resource_version_;
  OpenStream(Phase::kWatch, std::move(options));
}

void Reflector::OpenStream(Phase phase, ListOptions options) {
  const auto seconds =
      kWatchSecondsMin + static_cast<int64_t>(random_.Below(uint64_t{kWatchSecondsMax - kWatchSecondsMin}));
  options.watch = true;
  options.allow_watch_bookmarks = true;
  options.timeout_seconds = seconds;
  options.field_selector = resource_.field_selector;
  phase_ = phase;
  stream_ = Stream();
  stream_.start = timers_.Now();
  net::Receiver receiver;
  receiver.on_head = [this](const net::ResponseHead& head) { OnHead(head); };
  receiver.on_body = [this](std::string_view piece) { OnBody(piece); };
  receiver.on_end = [this](Result<void> end) { OnEnd(std::move(end)); };
  call_ = client_.Stream(Request(options), std::move(receiver));
  if (paused_) client_.Pause(call_, true);
  watchdog_.Start(Seconds(seconds) + kWatchMargin, [this] { OnStalled(); });
}

void Reflector::Drop() {
  if (call_ != 0) client_.Cancel(std::exchange(call_, 0));
  CloseStream();
}

void Reflector::CloseStream() {
  watchdog_.Stop();
  if (!frames_) return;
  frames_.reset();
  observer_.OnWatch(resource_, timers_.Now() - stream_.start, stream_.events);
}

void Reflector::OnHead(const net::ResponseHead& head) {
  observer_.OnReached(resource_);
  stream_.status = head.status;
  stream_.content_type = head.Find("Content-Type");
  stream_.encoding = EncodingOf(stream_.content_type);
  if (head.status == 200) frames_.emplace(stream_.encoding);
}

void Reflector::OnBody(std::string_view piece) {
  if (!frames_) {
    stream_.refusal += piece.substr(0, kRefusalMax - stream_.refusal.size());
    return;
  }
  frames_->Feed(piece);
  // Until the piece is used up, or the stream given up or replaced by what an event caused.
  const RestClient::CallId call = call_;
  while (call_ == call) {
    const Result<std::optional<std::string_view>> frame = frames_->Next();
    if (!frame) {
      OnGarbled(frame.error());
    } else if (*frame) {
      OnFrame(**frame);
    } else {
      break;
    }
  }
  Flush();
}

void Reflector::OnFrame(std::string_view frame) {
  const Result<WatchEvent> event = api::wire::CutWatchFrame(stream_.encoding, frame);
  if (!event) return Skip({}, event.error().message);
  OnEvent(*event);
}

void Reflector::OnEnd(Result<void> end) {
  call_ = 0;
  CloseStream();
  if (stream_.status == 200) return OnClosed(stream_.start, stream_.events);
  if (stream_.status == 0) {
    return OnUnreachable(end ? Error{Code::kInternal, "the server closed the connection"} : end.error());
  }
  RestAnswer answer;
  answer.status = stream_.status;
  answer.content_type = stream_.content_type;
  answer.body = std::move(stream_.refusal);
  OnRefused(ErrorOf(answer), false);
}

void Reflector::OnStalled() {
  if (paused_) return watchdog_.Start(kWatchMargin, [this] { OnStalled(); });
  Report("the watch outlived its time: the connection is given up");
  Drop();
  if (stream_.status == 0) return OnUnreachable({Code::kDeadline, "no answer came"});
  OnClosed(stream_.start, stream_.events);
}

void Reflector::OnGarbled(const Error& error) {
  Report(error.message);
  Drop();
  Wait(backoff_.Next(timers_.Now()), true);
}

void Reflector::OnEvent(const WatchEvent& event) {
  if (event.type == WatchEvent::Type::kError) {
    const ApiError error = StatusError(event.object);
    Drop();
    return OnRefused(error, true);
  }
  ++stream_.events;
  Identity identity;
  if (event.type == WatchEvent::Type::kAdded || event.type == WatchEvent::Type::kModified) {
    identity = ReadObject(event.object);
  } else {
    const Result<api::Document> meta = api::wire::ReadMetadata(event.object, kind_, kReadOptions);
    if (!meta) return Skip({}, meta.error().message);
    if (event.type == WatchEvent::Type::kBookmark) return OnBookmark(meta->root());
    identity = IdentityIn(meta->root());
    if (claim_sources_ != nullptr) claim_sources_->Forget(identity.ns, identity.name);
    delivered_.Remove(identity.ns, identity.name, identity.version);
  }
  // The objects of a list come in any order.
  if (phase_ == Phase::kWatch && !identity.version.empty()) AdvanceTo(identity.version);
}

void Reflector::OnBookmark(api::Value meta) {
  const std::string_view version = meta["resourceVersion"].text();
  if (phase_ == Phase::kWatch) {
    if (!version.empty()) AdvanceTo(version);
  } else if (meta["annotations"]["k8s.io/initial-events-end"].text() == "true") {
    phase_ = Phase::kWatch;
    FinishList(version);
    OnListed();
  }
}

Reflector::Identity Reflector::IdentityIn(api::Value meta) {
  return {std::string(meta["namespace"].text()), std::string(meta["name"].text()),
          std::string(meta["resourceVersion"].text())};
}

Reflector::Identity Reflector::IdentityOf(const api::wire::EncodedObject& object) const {
  const Result<api::Document> meta = api::wire::ReadMetadata(object, kind_, kReadOptions);
  return meta ? IdentityIn(meta->root()) : Identity();
}

Reflector::Identity Reflector::ReadObject(const api::wire::EncodedObject& encoded) {
  ++list_items_;
  const Result<api::Document> document = api::wire::ReadObject(encoded, kind_, kReadOptions);
  if (!document) {
    Identity identity = IdentityOf(encoded);
    Skip(identity, fmt::format("{} {}/{}: {}", resource_.kind, identity.ns, identity.name, document.error().message));
    return identity;
  }
  const api::Value object = document->root();
  Identity identity = IdentityIn(object["metadata"]);
  if (identity.name.empty()) {
    Skip(identity, fmt::format("a {} without a name", resource_.kind));
    return identity;
  }
  if (claim_sources_ != nullptr) KeepClaim(identity, object, encoded);
  if (!delivered_.IsNew(identity.ns, identity.name, identity.version)) return identity;
  Result<api::Object> decoded = api::DecodeObjectAs(resource_.kind, resource_.api_version, object);
  if (!decoded) {
    Skip(identity, decoded.error().message);
    return identity;
  }
  if (options_.sources.Has(resource_.kind)) {
    const Result<void> kept = api::KeepSource(*decoded, object);
    if (!kept) observer_.OnSourceMissing(resource_, kept.error().message);
  }
  delivered_.Put(std::move(*decoded));
  return identity;
}

void Reflector::KeepClaim(const Identity& identity, api::Value claim, const api::wire::EncodedObject& encoded) {
  if (claim["status"]["allocation"].is_null()) {
    claim_sources_->Keep(identity.ns, identity.name, encoded);
  } else {
    claim_sources_->Forget(identity.ns, identity.name);
  }
}

void Reflector::Skip(const Identity& identity, const std::string& why) {
  delivered_.Keep(identity.ns, identity.name);
  // Of one that does not even tell its name, only what is wrong with it can be remembered.
  const std::string object = identity.name.empty() ? why : identity.ns + "/" + identity.name;
  if (skipped_.Add(object, identity.version)) observer_.OnSkipped(resource_, why);
}

}  // namespace berth::client
