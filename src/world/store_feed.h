// SPDX-License-Identifier: Apache-2.0
// StoreFeed: hands the objects of a server in the same process to the core, without text or bytes in between.
//
// A change is told at once, as the tree that the server has just written, and decoded where the sink wants it: in a
// live scheduler on the core's thread. While the core is full, only the keys of what changed are kept; later it is told
// how those objects are then, which is all that a watch promises as well.
//
// Thread: that of the store.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/source.h"
#include "base/result.h"
#include "client/cluster_reader.h"
#include "client/watch/object_sink.h"
#include "client/watch/watched_resource.h"
#include "server/rest/selection.h"
#include "server/store/store.h"

namespace berth::world {

class StoreFeed : public client::ClusterReader {
 public:
  // Of an object that the core cannot be told of, because it makes no sense. Thread: the one that decodes.
  using OnSkipped = std::function<void(const Error&)>;

  // REQUIRES: store and sink outlive this, and nothing is written to the store after it is gone.
  StoreFeed(server::Store& store, const server::Catalog& catalog, client::ObjectSink& sink, api::KeptSources sources,
            OnSkipped on_skipped = LogSkipped);

  void Start(Callback on_synced) override;
  void Stop() override { is_running_ = false; }
  void Resume() override;
  // What was written was told before its answer came.
  void ReadAhead(client::PodRead) override {}
  void ReadAhead(client::ClaimRead) override {}
  void Refresh(Callback done) override { done(); }
  std::vector<std::string> NodeNames() const override;

 private:
  struct Told {
    const server::Resource* resource;
    client::WatchedResource watched;
    server::Selection selection;
  };

  static constexpr size_t kNotTold = SIZE_MAX;

  static void LogSkipped(const Error& error);
  void OnChange(const server::Change& change);
  // Tells how the object of this key is now.
  void Tell(const Told& told, const std::string& key);
  void Put(const Told& told, const server::StoredObject& object);
  void Remove(const Told& told, std::string_view ns, std::string_view name);

  server::Store& store_;
  client::ObjectSink& sink_;
  const api::KeptSources sources_;
  const OnSkipped on_skipped_;
  std::vector<Told> told_;
  std::vector<size_t> by_resource_;                  // Index into told_, or kNotTold, by that of the resource.
  std::set<std::pair<size_t, std::string>> untold_;  // Index into told_, and key.
  bool is_running_ = false;
  Callback on_synced_;  // Empty once it was called.
};

}  // namespace berth::world
