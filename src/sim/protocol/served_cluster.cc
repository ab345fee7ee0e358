// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/served_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "api/typed/typed.h"
#include "api/wire/protobuf.h"
#include "base/assert.h"
#include "client/informers.h"
#include "server/objects/bootstrap.h"
#include "server/store/dump.h"
#include "sim/core/group_gates.h"
#include "sim/protocol/line_exchange.h"

namespace berth::sim {
namespace {

using server::Json;
using server::Revision;

constexpr Duration kFreshnessMax = Seconds(3);
constexpr uint16_t kApiPort = 6443;

// It serves groups of pods also where no scheduler reads them.
const server::Catalog& Catalog() {
  static const server::Catalog kCatalog(AllGroupGates());
  return kCatalog;
}

const server::Resource& ResourceOf(std::string_view api_version, std::string_view kind) {
  return *Catalog().FindKind(api_version, kind);
}

// In the version that is kept.
const server::Resource& ResourceOf(std::string_view kind) { return *Catalog().FindKept(kind); }

Revision Number(std::string_view text) { return text.empty() ? 0 : std::stoll(std::string(text)); }

// What the simulation does itself is allowed.
template <class T>
T Allowed(server::Outcome<T> outcome) {
  if (!outcome) fmt::print(stderr, "the server refuses: {}\n", outcome.error().message);
  BERTH_ASSERT(outcome);
  return *std::move(outcome);
}

bool IsWatchedPath(std::string_view path) {
  static const std::vector<client::WatchedResource> kResources =
      client::SchedulerResources(client::GroupsOf(AllGroupGates()));
  return std::ranges::any_of(kResources, [&](const client::WatchedResource& each) { return each.Path() == path; });
}

// A parameter gets another value, or goes if that is empty. None of the values here needs to be encoded.
void SetParameter(std::string& target, std::string_view name, std::string_view value) {
  const size_t begin = target.find(fmt::format("{}=", name), target.find('?'));
  if (begin == std::string::npos) return;
  const size_t end = std::min(target.find('&', begin), target.size());
  target.replace(begin, end - begin, value.empty() ? "" : fmt::format("{}={}", name, value));
}

void Ask(server::ApiServer& api, const net::Request& request, const std::shared_ptr<Line>& line) {
  net::ServerRequest served;
  served.method = request.method;
  served.target = request.target;
  served.headers = request.headers;
  served.body = request.body;
  api.Handle(std::move(served), std::make_unique<LineExchange>(line));
}

void Refuse(Line& line, const server::StatusError& error) {
  line.Answer(error.code, {{"Content-Type", "application/json"}}, error.ToJson().ToText());
}

}  // namespace

bool IsWatched(const server::StoredObject& object) {
  if (object.resource().kind != "Pod") return true;
  const std::string_view phase = object.Field("status.phase");
  return phase != "Succeeded" && phase != "Failed";
}

ServedCluster::Server::Server(runtime::Agenda& agenda)
    : store(Catalog()), objects(Catalog(), store, agenda, 1), api(Catalog(), store, objects, agenda, 2) {
  // All begin alike, and not with nothing: a client takes revision 0 for any.
  CreateInitialObjects(objects, kApiPort);
}

ServedCluster::ServedCluster(runtime::Agenda& agenda, Dice& dice, Options options)
    : agenda_(agenda), dice_(dice), options_(options), truth_(agenda), replicas_{Replica(agenda), Replica(agenda)} {
  for (const server::Resource* const resource : server::LoadOrder(Catalog())) {
    history_[std::string(resource->kind)] = truth_.store.ChangesAfter(*resource, 0).value();
  }
  truth_.store.Listen([this](const server::ChangePtr& change) { OnChange(change); });
}

void ServedCluster::Listen(Listener listener) {
  truth_.store.Listen([listener = std::move(listener)](const server::ChangePtr& change) { listener(*change); });
}

void ServedCluster::OnChange(const server::ChangePtr& change) {
  history_[std::string(change->object->resource().kind)].push_back(change);
  for (Replica& replica : replicas_) {
    replica.next = std::max(replica.next, agenda_.now() + dice_.UpTo(options_.lag_max));
    agenda_.At(replica.next, [&replica, change] { Follow(replica, *change); });
  }
}

// The same writes in the same order get the same revisions.
void ServedCluster::Follow(Replica& replica, const server::Change& change) {
  const server::Resource& resource = change.object->resource();
  if (change.type == server::Change::Type::kDeleted) {
    replica.store.Remove(resource, change.object->Tree());
  } else {
    replica.store.Put(resource, change.object->Tree());
  }
  BERTH_ASSERT(replica.store.revision() == change.revision);
  for (auto it = replica.waiting.begin(); it != replica.waiting.end();) {
    if (it->revision > change.revision) {
      ++it;
      continue;
    }
    const std::function<void()> go_on = std::move(it->go_on);
    it = replica.waiting.erase(it);
    go_on();
  }
}

void ServedCluster::Compact() {
  truth_.store.Forget(truth_.store.revision());
  for (Replica& replica : replicas_) replica.store.Forget(replica.store.revision());
}

const std::vector<server::ChangePtr>& ServedCluster::History(std::string_view kind) const {
  static const std::vector<server::ChangePtr> kNone;
  const auto found = history_.find(kind);
  return found == history_.end() ? kNone : found->second;
}

server::ObjectPtr ServedCluster::Create(std::string_view json) {
  Json object = server::ParseTree(json).value();
  const server::Resource& resource = ResourceOf(object["apiVersion"].text(), object["kind"].text());
  const Result<void> canonical = Canonicalize(object, resource.message());
  BERTH_ASSERT(canonical);
  const std::string ns = object["metadata"]["namespace"].text();
  return Allowed(truth_.objects.Create(resource, ns, std::move(object), {}));
}

server::ObjectPtr ServedCluster::Edit(const server::StoredObject& object, std::string_view subresource,
                                      const std::function<void(Json&)>& edit) {
  const auto changed = [&](const Json& current) -> server::Outcome<Json> {
    Json next = current;
    edit(next);
    return next;
  };
  return Allowed(truth_.objects.Update(object.resource(), object.ns(), object.name(),
                                       {.subresource = std::string(subresource)}, changed))
      .object;
}

void ServedCluster::Remove(const server::StoredObject& object) {
  Allowed(truth_.objects.Delete(object.resource(), object.ns(), object.name(), {.grace_seconds = 0}));
}

server::ObjectPtr ServedCluster::Find(std::string_view kind, std::string_view key) const {
  const server::Store::Objects& all = All(kind);
  const auto found = all.find(key);
  return found == all.end() ? nullptr : found->second;
}

const server::Store::Objects& ServedCluster::All(std::string_view kind) const {
  return truth_.store.All(ResourceOf(kind));
}

void ServedCluster::Handle(const net::Request& request, const LinePtr& line) {
  const server::Target target = server::ParseTarget(request.target).value();
  if (target.path.ends_with("/binding")) CheckBinding(request, target);
  if (request.method != "GET" || !IsWatchedPath(target.path)) return Ask(truth_.api, request, line);
  if (line != nullptr) Read(request, target, line);  // Otherwise it leaves no traces.
}

void ServedCluster::CheckBinding(const net::Request& request, const server::Target& target) const {
  const server::ObjectPtr pod = Find("Pod", server::ObjectKey(target.segments.at(3), target.segments.at(5)));
  const api::Document binding =
      (api::wire::IsProtobuf(request.body) ? api::wire::ParseProtobuf(request.body) : api::ParseJson(request.body))
          .value();
  if (pod == nullptr || pod->uid() != binding.root()["metadata"]["uid"].text()) return;
  on_binding_(*pod, binding.root()["target"]["name"].text());
}

void ServedCluster::Read(net::Request request, const server::Target& target, const LinePtr& line) {
  if (dice_.Percent(20)) {
    for (net::Header& header : request.headers) {
      if (header.name == "Accept") header.value = "application/json";
    }
  }
  const bool streams_list = target.query.IsSet("sendInitialEvents");
  const bool is_watch = target.query.IsSet("watch");
  const bool goes_on = target.query.Has("continue");
  const std::string_view asked = target.query.Get("resourceVersion");
  if (streams_list && !options_.streams_lists) {
    return Refuse(*line, {.code = 422, .reason = "Invalid", .message = "sendInitialEvents is forbidden for watch"});
  }
  const bool is_cached = is_watch || (!goes_on && !asked.empty());
  const bool has_pages = !is_cached || options_.pages_cached;
  if (target.query.Has("limit")) {
    SetParameter(request.target, "limit", has_pages ? std::to_string(dice_.Between(1, 6)) : "");
  }
  if (!is_cached) return Ask(truth_.api, request, line);
  Replica& replica = replicas_[static_cast<size_t>(dice_.Between(0, 1))];
  const Revision needed = streams_list && asked.empty() ? truth_.store.revision() : Number(asked);
  Await(replica, needed, line, [&replica, request = std::move(request), line] { Ask(replica.api, request, line); });
}

void ServedCluster::Await(Replica& replica, Revision revision, const LinePtr& line, std::function<void()> go_on) {
  if (revision <= replica.store.revision()) return go_on();
  const auto place = replica.waiting.insert(replica.waiting.end(), {revision, std::move(go_on)});
  const auto is_answered = std::make_shared<bool>(false);
  place->go_on = [is_answered, go_on = std::move(place->go_on)] {
    *is_answered = true;
    go_on();
  };
  agenda_.After(kFreshnessMax, [&replica, line, revision, is_answered, place] {
    if (*is_answered) return;
    replica.waiting.erase(place);
    Refuse(*line, {.code = 504,
                   .reason = "Timeout",
                   .message = fmt::format("Timeout: Too large resource version: {}, current: {}", revision,
                                          replica.store.revision())});
  });
}

}  // namespace berth::sim
