// SPDX-License-Identifier: Apache-2.0
// ApiServer: answers requests to the Kubernetes API.
//
// It knows neither sockets nor threads: requests come in as bytes and answers leave as bytes through an Exchange, so a
// test or the simulator can run it. Everything it does is done inside Handle, but for watches, the few reads that wait,
// and writes that webhooks are asked about, which are handled again when those have answered.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/timers.h"
#include "server/access/access_control.h"
#include "server/objects/objects.h"
#include "server/rest/call.h"
#include "server/rest/discovery.h"
#include "server/rest/list_options.h"
#include "server/rest/openapi.h"
#include "server/rest/page_expiry.h"
#include "server/rest/request_metrics.h"
#include "server/rest/watches.h"
#include "server/store/store.h"

namespace berth::server {

class ApiServer {
 public:
  // REQUIRES: all but the options outlive this.
  ApiServer(const Catalog& catalog, Store& store, Objects& objects, runtime::Timers& timers, uint64_t seed,
            AccessOptions access = {});
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // In the name of `user`, who was let in: of requests from outside, by access() (see rest/gate.h).
  void Handle(net::ServerRequest request, std::unique_ptr<Exchange> exchange, User user = Administrator());
  // Answers a request that was not let in.
  static void Refuse(net::ServerRequest request, std::unique_ptr<Exchange> exchange, const StatusError& error);

  AccessControl& access() { return access_; }

  // Serves these beside its own. REQUIRES: nothing is asked after they are gone.
  void AddMetrics(const telemetry::Registry& registry) { metrics_.Add(registry); }

  // The objects of a resource that are made when they are asked for: all of a namespace ("": of all), or the one of
  // this name, if it is not empty.
  using Compute = std::function<std::vector<ObjectPtr>(std::string_view ns, std::string_view name)>;
  // REQUIRES: the resource can be listed and got, and nothing else. Nothing is asked after `compute` is gone.
  void Serve(const Resource& resource, Compute compute) { computed_[&resource] = std::move(compute); }

  size_t watch_count() const { return watches_.count(); }

 private:
  // Answers the call, or parks it until webhooks have answered.
  void Attempt(Call call);
  // Lets a converter, if one is needed, make what is shown of the objects.
  Outcome<void> Show(Call& call, std::span<const ObjectPtr> objects);
  // Answers with what was written.
  Outcome<void> SendWritten(Call& call, ObjectPtr object, int status);
  Outcome<void> AnswerWritten(Call& call);
  Outcome<void> Route(Call& call);
  Outcome<void> RouteResource(Call& call);
  bool AnswerFixed(Call& call);

  // Null: its objects are in the store.
  const Compute* FindCompute(const Resource& resource) const;
  Outcome<void> Get(Call& call);
  Outcome<void> List(Call& call);
  Outcome<void> AnswerList(Call& call, const ListOptions& options);
  Outcome<void> Create(Call& call);
  Outcome<void> Put(Call& call);
  Outcome<void> Patch(Call& call);
  Outcome<void> Delete(Call& call);
  Outcome<void> DeleteCollection(Call& call);

  // Subresources that are more than a part of the object.
  Outcome<void> CreateIn(Call& call);
  Outcome<void> GetScale(Call& call);
  // `edit` makes the new scale of the old one; `own` notes in the object that has it who owns what, if nothing else
  // does.
  Outcome<void> WriteScale(Call& call, Objects::Edit edit, Objects::Edit own = {});
  Outcome<void> GetLog(Call& call);
  Outcome<void> Connect(Call& call);
  Outcome<void> CreateToken(Call& call);
  Outcome<void> Review(Call& call);
  Json ReviewToken(const Json& spec) const;

  Outcome<void> Apply(Call& call);
  Outcome<void> Update(Call& call, Objects::Edit edit, Objects::Make make = {}, bool tracks = true);
  Outcome<void> CheckRights(const Call& call, const Json& object, const Json* old) const;
  Outcome<WriteOptions> OptionsOf(Call& call, std::string_view kind) const;
  // When the write is made, the same in all attempts at it.
  Time TimeOf(const Call& call) const { return call.dialog != nullptr ? call.dialog->now() : timers_.WallNow(); }

  const Catalog& catalog_;
  Store& store_;
  Objects& objects_;
  runtime::Timers& timers_;
  Discovery discovery_;
  OpenApi openapi_;
  PageExpiry page_expiry_;
  RequestMetrics metrics_;  // Watches tell it when they end.
  Watches watches_;
  Random random_;
  AccessControl access_;
  std::map<const Resource*, Compute> computed_;
};

}  // namespace berth::server
