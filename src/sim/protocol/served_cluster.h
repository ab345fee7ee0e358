// SPDX-License-Identifier: Apache-2.0
// ServedCluster: the API server of the simulated world, as its clients see it: server::ApiServer, three times.
//
// One has the truth: writes, reads of single objects and consistent lists go there, and all that users and controllers
// do. Two replicas follow it, each at its own pace, and answer the other lists and the watches; a request meets either.
// What is older than the last compaction is gone.

#pragma once

#include <array>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/transport.h"
#include "runtime/agenda.h"
#include "server/objects/objects.h"
#include "server/rest/api_server.h"
#include "server/rest/target.h"
#include "server/store/store.h"
#include "sim/core/dice.h"
#include "sim/protocol/line.h"

namespace berth::sim {

class ServedCluster {
 public:
  struct Options {
    bool streams_lists = true;  // Else a list by a watch is refused.
    bool pages_cached = false;  // Also lists that come from a replica come in pages.
    Duration lag_max = Milliseconds(10);
  };
  using LinePtr = std::shared_ptr<Line>;
  using Listener = std::function<void(const server::Change&)>;

  // REQUIRES: the others outlive this.
  ServedCluster(runtime::Agenda& agenda, Dice& dice, Options options);
  ServedCluster(const ServedCluster&) = delete;
  ServedCluster& operator=(const ServedCluster&) = delete;

  // Answers a request. `line` is null if nobody hears the answer.
  void Handle(const net::Request& request, const LinePtr& line);
  // Called with every binding that is asked for, before it is carried out or refused: the pod as it is, and the node.
  void set_on_binding(std::function<void(const server::StoredObject& pod, std::string_view node)> on_binding) {
    on_binding_ = std::move(on_binding);
  }

  // Forgets what happened until now.
  void Compact();
  void set_lag_max(Duration lag_max) { options_.lag_max = lag_max; }

  // Called after every change, in the order in which they were added.
  void Listen(Listener listener);
  // Everything that ever happened to objects of that kind.
  const std::vector<server::ChangePtr>& History(std::string_view kind) const;

  // What users and controllers do. All obey the server's rules; what these refuse is an error of the simulation.
  server::ObjectPtr Create(std::string_view json);
  server::ObjectPtr Edit(const server::StoredObject& object, std::string_view subresource,
                         const std::function<void(server::Json&)>& edit);
  // At once, whatever its grace period.
  void Remove(const server::StoredObject& object);

  // Null if there is none. `key` is `namespace/name`, or the name alone.
  server::ObjectPtr Find(std::string_view kind, std::string_view key) const;
  const server::Store::Objects& All(std::string_view kind) const;

 private:
  struct Server {
    explicit Server(runtime::Agenda& agenda);

    server::Store store;
    server::Objects objects;
    server::ApiServer api;
  };
  struct Waiting {
    server::Revision revision = 0;
    std::function<void()> go_on;
  };
  struct Replica : Server {
    using Server::Server;

    Time next{};  // When it will have come further.
    std::list<Waiting> waiting;
  };

  void OnChange(const server::ChangePtr& change);
  static void Follow(Replica& replica, const server::Change& change);
  void CheckBinding(const net::Request& request, const server::Target& target) const;
  void Read(net::Request request, const server::Target& target, const LinePtr& line);
  // Goes on when the replica has come so far, and refuses if that takes too long.
  void Await(Replica& replica, server::Revision revision, const LinePtr& line, std::function<void()> go_on);

  runtime::Agenda& agenda_;
  Dice& dice_;
  Options options_;
  std::map<std::string, std::vector<server::ChangePtr>, std::less<>> history_;  // By kind.
  std::function<void(const server::StoredObject&, std::string_view)> on_binding_;
  Server truth_;
  std::array<Replica, 2> replicas_;
};

// Whether the scheduler's watch shows it: pods that have ended are none of its business.
bool IsWatched(const server::StoredObject& object);

}  // namespace berth::sim
