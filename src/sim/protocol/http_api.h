// SPDX-License-Identifier: Apache-2.0
// HttpApi: the simulated API server as its clients see it, request by request.
//
// Two replicas serve lists and watches from caches that lag behind the store, each at its own pace; a request meets
// either. Writes and reads of single objects go to the store. Lists come in pages or as a stream, watches begin at a
// version, with bookmarks now and then, and what is older than the last compaction is gone.

#pragma once

#include <array>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/watched_resource.h"
#include "sim/dice.h"
#include "sim/protocol/http_encoding.h"
#include "sim/protocol/object_store.h"

namespace berth::sim {

class HttpApi {
 public:
  struct Options {
    bool streams_lists = true;  // Else a list by a watch is refused.
    bool pages_cached = false;  // Also lists that come from the cache come in pages.
    Duration lag_max = Milliseconds(10);
  };
  using LinePtr = std::shared_ptr<Line>;

  // REQUIRES: the others outlive this.
  HttpApi(runtime::Agenda& agenda, Dice& dice, ObjectStore& store, Options options);
  HttpApi(const HttpApi&) = delete;
  HttpApi& operator=(const HttpApi&) = delete;

  // Called with every binding that is asked for, before it is carried out or refused: the pod as it is, and the node.
  void set_on_binding(std::function<void(const StoredObject& pod, std::string_view node)> on_binding) {
    on_binding_ = std::move(on_binding);
  }

  // `line` is null if nobody hears the answer.
  void Handle(const net::Request& request, const LinePtr& line);

  // Forgets what happened until now, except what open watches have still to send.
  void Compact() { compacted_ = store_.version(); }
  void set_lag_max(Duration lag_max) { options_.lag_max = lag_max; }
  size_t bindings() const { return bindings_; }

 private:
  struct Watch {
    LinePtr line;
    std::string kind;
    std::string api_version;
    api::wire::Encoding encoding{};
    int64_t sent = 0;  // Everything up to there.
  };
  struct Waiting {
    int64_t version = 0;
    LinePtr line;
    std::function<void()> go_on;
  };
  struct Replica {
    int64_t seen = 0;  // How far its cache has come.
    Time next{};       // When it will have come further.
    std::list<Watch> watches;
    std::list<Waiting> waiting;
  };

  void OnChange(const StoreChange& change);
  void Advance(Replica& replica, int64_t version);
  void Bookmark(Replica& replica);

  void HandleCollection(const net::Request& request, const Target& target, const client::WatchedResource& resource,
                        const LinePtr& line);
  void List(Replica& replica, const Target& target, const client::WatchedResource& resource,
            api::wire::Encoding encoding, const LinePtr& line);
  void AnswerList(int64_t version, std::string_view from, int64_t limit, const client::WatchedResource& resource,
                  api::wire::Encoding encoding, Line& line);
  void OpenWatch(Replica& replica, const Target& target, const client::WatchedResource& resource,
                 api::wire::Encoding encoding, const LinePtr& line);
  void BeginWatch(Replica& replica, Watch watch, bool with_list);
  void CatchUp(const Replica& replica, Watch& watch);
  // Goes on when the replica has seen the version, and refuses if that takes too long.
  void Await(Replica& replica, int64_t version, const LinePtr& line, std::function<void()> go_on);

  void HandleObject(const net::Request& request, const Target& target, Line* line);
  void BindPod(const net::Request& request, const std::string& key, Line* line);
  void PatchPodStatus(const net::Request& request, const std::string& key, Line* line);
  void PatchClaimStatus(const net::Request& request, const std::string& key, Line* line);
  void DeletePod(const std::string& key, Line* line);
  void Put(const net::Request& request, const std::string& kind, const std::string& key, Line* line);
  void Create(const net::Request& request, const std::string& kind, Line* line);
  void HandleEvent(const net::Request& request, const Target& target, Line* line);

  runtime::Agenda& agenda_;
  Dice& dice_;
  ObjectStore& store_;
  Options options_;
  const std::vector<client::WatchedResource> resources_;
  std::function<void(const StoredObject&, std::string_view)> on_binding_;
  std::array<Replica, 2> replicas_;
  int64_t compacted_ = 0;
  std::set<std::string> events_;  // Their names.
  size_t bindings_ = 0;
};

}  // namespace berth::sim
