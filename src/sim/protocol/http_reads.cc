// SPDX-License-Identifier: Apache-2.0
// Lists and watches. Single objects are in http_objects.cc.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/json_writer.h"
#include "client/informers.h"
#include "sim/protocol/http_api.h"

namespace berth::sim {
namespace {

using api::wire::Encoding;
using client::WatchedResource;

constexpr Duration kFreshnessMax = Seconds(3);
constexpr int64_t kBookmarkChance = 6;

int64_t Number(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string BookmarkJson(const std::string& kind, const std::string& api_version, int64_t version, bool ends_list) {
  return fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{{"resourceVersion":"{}"{}}}}})", kind, api_version,
                     version, ends_list ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "");
}

// What a watch says about a change; empty: nothing.
std::string_view TypeOf(const StoreChange& change) {
  const bool was_there = change.before != nullptr && change.before->is_selected;
  const bool is_there = !change.is_removal && change.after->is_selected;
  if (is_there) return was_there ? "MODIFIED" : "ADDED";
  return was_there ? "DELETED" : "";
}

}  // namespace

HttpApi::HttpApi(runtime::Agenda& agenda, Dice& dice, ObjectStore& store, Options options)
    : agenda_(agenda), dice_(dice), store_(store), options_(options), resources_(client::SchedulerResources()) {
  store_.Listen([this](const StoreChange& change) { OnChange(change); });
}

void HttpApi::OnChange(const StoreChange& change) {
  for (Replica& replica : replicas_) {
    replica.next = std::max(replica.next, agenda_.now() + dice_.UpTo(options_.lag_max));
    agenda_.At(replica.next, [this, &replica, version = change.version] { Advance(replica, version); });
  }
}

void HttpApi::Advance(Replica& replica, int64_t version) {
  replica.seen = std::max(replica.seen, version);
  std::erase_if(replica.watches, [](const Watch& watch) { return !watch.line->is_open(); });
  for (Watch& watch : replica.watches) CatchUp(replica, watch);
  if (dice_.Percent(kBookmarkChance)) Bookmark(replica);
  for (auto it = replica.waiting.begin(); it != replica.waiting.end();) {
    if (it->version > replica.seen) {
      ++it;
      continue;
    }
    const std::function<void()> go_on = std::move(it->go_on);
    it = replica.waiting.erase(it);
    go_on();
  }
}

void HttpApi::CatchUp(const Replica& replica, Watch& watch) {
  const std::vector<StoreChange>& history = store_.History(watch.kind);
  auto change = std::ranges::upper_bound(history, watch.sent, {}, &StoreChange::version);
  for (; change != history.end() && change->version <= replica.seen; ++change) {
    const std::string_view type = TypeOf(*change);
    if (!type.empty()) watch.line->Write(EncodeEvent(watch.encoding, type, change->after->json));
    watch.sent = change->version;
  }
}

void HttpApi::Bookmark(Replica& replica) {
  for (Watch& watch : replica.watches) {
    if (watch.sent > replica.seen) continue;
    watch.line->Write(
        EncodeEvent(watch.encoding, "BOOKMARK", BookmarkJson(watch.kind, watch.api_version, replica.seen, false)));
  }
}

void HttpApi::HandleCollection(const net::Request& request, const Target& target, const WatchedResource& resource,
                               const LinePtr& line) {
  if (line == nullptr) return;  // Reading leaves no traces.
  const bool takes_protobuf = std::ranges::any_of(request.headers, [](const net::Header& header) {
    return header.name == "Accept" && header.value.find("protobuf") != std::string::npos;
  });
  const Encoding encoding = takes_protobuf && dice_.Percent(80) ? Encoding::kProtobuf : Encoding::kJson;
  Replica& replica = replicas_[static_cast<size_t>(dice_.Between(0, 1))];
  if (target.Get("watch") == "true") return OpenWatch(replica, target, resource, encoding, line);
  List(replica, target, resource, encoding, line);
}

void HttpApi::Await(Replica& replica, int64_t version, const LinePtr& line, std::function<void()> go_on) {
  if (version <= replica.seen) return go_on();
  const auto place = replica.waiting.insert(replica.waiting.end(), {version, line, std::move(go_on)});
  agenda_.After(kFreshnessMax, [&replica, line, version, address = &*place] {
    const auto found =
        std::ranges::find_if(replica.waiting, [&](const Waiting& waiting) { return &waiting == address; });
    if (found == replica.waiting.end() || found->line != line) return;
    replica.waiting.erase(found);
    Refuse(line.get(), 504, "Timeout",
           fmt::format("Timeout: Too large resource version: {}, current: {}", version, replica.seen));
  });
}

void HttpApi::List(Replica& replica, const Target& target, const WatchedResource& resource, Encoding encoding,
                   const LinePtr& line) {
  const int64_t limit = Number(target.Get("limit"));
  if (const std::string token = target.Get("continue"); !token.empty()) {
    const int64_t version = Number(token);
    if (version < compacted_) {
      return Refuse(line.get(), 410, "Expired", "The provided continue parameter is too old");
    }
    return AnswerList(version, token.substr(token.find('/') + 1), limit, resource, encoding, *line);
  }
  const std::string asked = target.Get("resourceVersion");
  if (asked.empty()) return AnswerList(store_.version(), "", limit, resource, encoding, *line);
  Await(replica, Number(asked), line, [=, this, &replica] {
    AnswerList(replica.seen, "", options_.pages_cached ? limit : 0, resource, encoding, *line);
  });
}

void HttpApi::AnswerList(int64_t version, std::string_view from, int64_t limit, const WatchedResource& resource,
                         Encoding encoding, Line& line) {
  const size_t page = limit > 0 ? static_cast<size_t>(std::min(limit, dice_.Between(1, 6))) : SIZE_MAX;
  const ObjectStore::Objects state = store_.StateAt(resource.kind, version);
  api::JsonWriter out;
  out.BeginObject().Key("kind").String(resource.kind + "List").Key("apiVersion").String(resource.api_version);
  out.Key("items").BeginArray();
  size_t items = 0;
  std::string token;
  for (auto it = state.lower_bound(from); it != state.end(); ++it) {
    if (!it->second->is_selected) continue;
    if (items == page) {
      token = fmt::format("{}/{}", version, it->first);
      break;
    }
    out.Raw(it->second->json);
    ++items;
  }
  out.EndArray().Key("metadata").BeginObject().Key("resourceVersion").String(std::to_string(version));
  if (!token.empty()) out.Key("continue").String(token);
  out.EndObject().EndObject();
  line.Answer(200, {ContentType(encoding, false)}, EncodeObject(encoding, out.Take()));
}

void HttpApi::OpenWatch(Replica& replica, const Target& target, const WatchedResource& resource, Encoding encoding,
                        const LinePtr& line) {
  const std::string asked = target.Get("resourceVersion");
  const bool with_list = target.Get("sendInitialEvents") == "true";
  if (with_list && !options_.streams_lists) {
    return Refuse(line.get(), 422, "Invalid", "sendInitialEvents is forbidden for watch");
  }
  agenda_.After(Seconds(Number(target.Get("timeoutSeconds"))), [weak = std::weak_ptr(line)] {
    if (const LinePtr alive = weak.lock()) alive->Close();
  });
  Watch watch{line, resource.kind, resource.api_version, encoding, Number(asked)};
  if (with_list) {
    return Await(replica, asked.empty() ? store_.version() : watch.sent, line,
                 [this, &replica, watch] { BeginWatch(replica, watch, true); });
  }
  if (watch.sent < compacted_) {
    const std::string gone = StatusJson(410, "Expired", "too old resource version");
    if (dice_.Percent(50)) return AnswerJson(line.get(), 410, gone);
    line->Head(200, {ContentType(encoding, true)});
    line->Write(EncodeEvent(encoding, "ERROR", gone));
    return line->Close();
  }
  BeginWatch(replica, std::move(watch), false);
}

void HttpApi::BeginWatch(Replica& replica, Watch watch, bool with_list) {
  watch.line->Head(200, {ContentType(watch.encoding, true)});
  if (with_list) {
    for (const auto& [key, object] : store_.StateAt(watch.kind, replica.seen)) {
      if (object->is_selected) watch.line->Write(EncodeEvent(watch.encoding, "ADDED", object->json));
    }
    watch.line->Write(
        EncodeEvent(watch.encoding, "BOOKMARK", BookmarkJson(watch.kind, watch.api_version, replica.seen, true)));
    watch.sent = replica.seen;
  }
  replica.watches.push_back(std::move(watch));
  CatchUp(replica, replica.watches.back());
}

}  // namespace berth::sim
