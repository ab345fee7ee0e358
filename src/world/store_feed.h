// SPDX-License-Identifier: Apache-2.0
// StoreFeed: hands the objects of a server in the same process to the core, without text or bytes in between.
//
// A change is told as the tree that the server has just written, and decoded where the sink wants it: in a live
// scheduler on the core's thread. It is told at once, or in turns among the server's other work: then clients that keep
// the server busy are not held up by what the core makes of their writes, and an object that changed twice meanwhile is
// told once. What is not told yet, because its turn has not come or the core is full, is kept as a key; the core is
// told how the object is then, which is all that a watch promises as well.
//
// Thread: that of the store.

#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/source.h"
#include "base/result.h"
#include "client/cluster_reader.h"
#include "client/watch/object_sink.h"
#include "client/watch/watched_resource.h"
#include "runtime/timers.h"
#include "server/rest/selection.h"
#include "server/store/store.h"

namespace berth::world {

class StoreFeed : public client::ClusterReader {
 public:
  // Of an object that the core cannot be told of, because it makes no sense. Thread: the one that decodes.
  using OnSkipped = std::function<void(const Error&)>;
  static void LogSkipped(const Error& error);

  // With timers, changes are told in turns. REQUIRES: store, sink and timers outlive this, and nothing is written to
  // the store after it is gone.
  StoreFeed(server::Store& store, const server::Catalog& catalog, client::ObjectSink& sink, api::KeptSources sources,
            OnSkipped on_skipped = LogSkipped, runtime::Timers* timers = nullptr);

  void Start(Callback on_synced) override;
  void Stop() override { is_running_ = false; }
  void Resume() override;
  // Whoever asks wants the core to know what was written.
  void ReadAhead(client::PodRead) override { TellAll(); }
  void ReadAhead(client::ClaimRead) override { TellAll(); }
  void Refresh(Callback done) override;
  std::vector<std::string> NodeNames() const override;

 private:
  struct Told {
    const server::Resource* resource;
    client::WatchedResource watched;
    server::Selection selection;
  };

  struct Untold {
    size_t index;  // Into told_.
    std::string key;
  };

  static constexpr size_t kNotTold = SIZE_MAX;

  void OnChange(const server::Change& change);
  void Note(size_t index, const std::string& key);
  // Tells the first of what is untold. REQUIRES: there is one.
  void TellNext();
  // As far as the core takes it.
  void TellAll();
  void Turn();
  // Tells how the object of this key is now.
  void Tell(const Told& told, const std::string& key);
  void Put(const Told& told, const server::StoredObject& object);
  void Remove(const Told& told, std::string_view ns, std::string_view name);

  server::Store& store_;
  client::ObjectSink& sink_;
  const api::KeptSources sources_;
  const OnSkipped on_skipped_;
  std::vector<Told> told_;
  std::vector<size_t> by_resource_;  // Index into told_, or kNotTold, by that of the resource.
  std::deque<Untold> untold_;        // Oldest first; each once.
  boost::unordered_flat_set<std::pair<size_t, std::string_view>> is_untold_;  // Keys as they stand in untold_.
  std::optional<runtime::Timer> turn_;                                        // None: changes are told at once.
  bool is_running_ = false;
  Callback on_synced_;  // Empty once it was called.
};

}  // namespace berth::world
