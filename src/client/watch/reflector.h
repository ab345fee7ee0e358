// SPDX-License-Identifier: Apache-2.0
// Reflector: keeps a sink up to date with the objects of one resource, by a list and then a watch.
//
// The list is streamed by the server where it can do so, else fetched in pages. A watch that ends is resumed where it
// was; if the server no longer knows what happened since, the resource is listed again. Failures are waited out, longer
// each time. Across all of this every change that the server reports is delivered once, in its order, and what was
// missed between two lists as the difference between them. Objects are read one by one: one that cannot be read is
// skipped and reported, once for each of its versions, and stays what it was before.
//
// Thread: that of the client and the timers.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/value.h"
#include "api/source.h"
#include "api/wire/encoded_object.h"
#include "api/wire/table.h"
#include "api/wire/watch_stream.h"
#include "base/random.h"
#include "client/request/claim_sources.h"
#include "client/request/rest_client.h"
#include "client/watch/delivered_objects.h"
#include "client/watch/list_options.h"
#include "client/watch/object_sink.h"
#include "client/watch/reflector_observer.h"
#include "client/watch/skipped_objects.h"
#include "client/watch/watched_resource.h"
#include "runtime/backoff.h"
#include "runtime/timers.h"

namespace berth::client {

class Reflector {
 public:
  struct Options {
    bool protobuf = true;  // Ask for it; what the server sends is understood either way.
    // The first list must show everything that had happened before, as later ones do, and not what a cache has.
    bool fresh = false;
    api::KeptSources sources = {};
    ClaimSources* claim_sources = nullptr;  // Where claims without devices are kept. Null: nowhere.
    uint64_t seed = 0;                      // Of jitter and timeouts.
  };
  using Callback = std::move_only_function<void()>;

  // All that is referred to must outlive the reflector. The resource is one of the wire table. `on_synced` is called
  // when the first list has been delivered.
  Reflector(RestClient& client, runtime::Timers& timers, ObjectSink& sink, ReflectorObserver& observer,
            WatchedResource resource, Options options, Callback on_synced);
  ~Reflector() { Stop(); }
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void Start();
  void Stop();
  // The sink is not full any more.
  void Resume();

  // Delivers an object that was read by itself, or that it is gone, in version `gone` and before; see DeliveredObjects.
  void ReadAhead(scheduler::PutObject put) {
    delivered_.ReadAhead(std::move(put), resource_version_);
    Flush();
  }
  void ReadAhead(scheduler::RemoveObject removal, std::string_view gone) {
    delivered_.ReadAhead(std::move(removal), gone);
    Flush();
  }

  // Calls `done` once everything has been delivered that had happened before this call.
  void Refresh(Callback done);

  bool is_synced() const { return synced_; }
  const WatchedResource& resource() const { return resource_; }
  std::vector<std::string> DeliveredNames() const { return delivered_.Names(); }  // See DeliveredObjects.

 private:
  enum class Phase : uint8_t { kStopped, kWaiting, kStreamingList, kPagedList, kWatch };

  // What came of the open stream so far.
  struct Stream {
    Time start;
    int status = 0;  // 0: no head yet.
    std::string content_type;
    api::wire::Encoding encoding{};
    std::string refusal;  // The body, unless the status is 200.
    size_t events = 0;
  };

  void BeginCycle();
  void BeginPagedList();
  void BeginPagedList(std::string resource_version);
  void BeginList();
  void RequestPage();
  void OnPage(Result<RestAnswer> answer);
  void OnPageRefused(const ApiError& error);
  void ReadPage(const api::wire::EncodedList& page);
  void FinishList(std::string_view resource_version);
  void OnListed();

  void OpenWatch();
  void OpenStream(Phase phase, ListOptions options);
  void OnHead(const net::ResponseHead& head);
  void OnBody(std::string_view piece);
  void OnEnd(Result<void> end);
  void OnStalled();
  void OnGarbled(const Error& error);
  void OnFrame(std::string_view frame);
  void OnEvent(const api::wire::WatchEvent& event);
  void OnBookmark(api::Value meta);
  // What an object says of itself.
  struct Identity {
    std::string ns;
    std::string name;
    std::string version;
  };
  static Identity IdentityIn(api::Value meta);
  // As far as its metadata can be read.
  Identity IdentityOf(const api::wire::EncodedObject& object) const;
  // Delivers the object if it is new, and returns which it is.
  Identity ReadObject(const api::wire::EncodedObject& encoded);
  // Remembers a claim while it has no devices.
  void KeepClaim(const Identity& identity, api::Value claim, const api::wire::EncodedObject& encoded);
  void Skip(const Identity& identity, const std::string& why);
  void CloseStream();

  // The stream ended: without an answer, by a refusal or an event with an error, or by itself.
  void OnUnreachable(const Error& error);
  void OnRefused(const ApiError& error, bool in_event);
  void OnStreamingListRefused(const ApiError& error);
  void OnClosed(Time start, size_t events);

  bool IsStreaming() const { return call_ != 0 && phase_ != Phase::kPagedList; }
  // Ends the open call, if there is one.
  void Drop();
  void Wait(Duration delay, bool relist);
  void AdvanceTo(std::string_view resource_version);
  void Flush();
  void Report(const std::string& message) { observer_.OnFailure(resource_, message); }
  RestRequest Request(const ListOptions& options) const;

  RestClient& client_;
  runtime::Timers& timers_;
  ObjectSink& sink_;
  ReflectorObserver& observer_;
  const WatchedResource resource_;
  const api::wire::Kind& kind_;
  const Options options_;
  ClaimSources* const claim_sources_;  // Null, too, if this is of another kind.
  Callback on_synced_;

  Phase phase_ = Phase::kStopped;
  RestClient::CallId call_ = 0;  // Of a page or the stream; 0: none.
  runtime::Timer wait_;
  runtime::Timer watchdog_;
  Random random_;
  runtime::BackoffManager backoff_;

  Stream stream_;
  std::optional<api::wire::WatchStream> frames_;
  ListOptions page_;                   // Of the paged list.
  std::string list_resource_version_;  // Asked for by the paged list.
  std::string paged_version_;          // That its first page told.
  Time list_start_;
  size_t list_items_ = 0;
  bool server_pages_ = false;  // It pages even what it could have read from its cache: it has none.

  DeliveredObjects delivered_;
  SkippedObjects skipped_;
  std::string resource_version_;      // Everything up to it was delivered; empty: nothing.
  bool version_unavailable_ = false;  // The next list must be consistent and not from there on.
  bool relist_ = false;               // Once the wait is over.
  bool synced_ = false;
  bool paused_ = false;
  bool page_due_ = false;  // Once the sink is not full.
  std::vector<Callback> refreshed_;
};

}  // namespace berth::client
