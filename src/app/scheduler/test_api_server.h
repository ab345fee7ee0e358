// SPDX-License-Identifier: Apache-2.0
// FakeApiServer: just enough of an API server for a whole scheduler: streamed lists and watches, bindings, leases.
//
// It keeps pods, nodes and one lease; other kinds have no objects. Faults are members that a test sets. All JSON.
//
// Thread: that of the loop.

#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/document/value.h"
#include "net/http_server.h"

namespace berth::scheduler_app {

class FakeApiServer : public net::HttpHandler {
 public:
  explicit FakeApiServer(net::EventLoop& loop) : server_(*net::HttpServer::Listen(loop, {}, *this)) {}

  uint16_t port() const { return server_->port(); }

  void AddNode(const std::string& name, std::string_view cpu = "64") {
    Put("nodes", name, [&](uint64_t version) {
      return fmt::format(R"({{"metadata":{{"name":"{0}","uid":"uid-{0}","resourceVersion":"{1}"}},"spec":{{}},)"
                         R"("status":{{"allocatable":{{"cpu":"{2}","memory":"64Gi","pods":"1000"}}}}}})",
                         name, version, cpu);
    });
  }
  void AddPod(const std::string& name, const std::string& cpu = "10m") {
    requests_[name] = cpu;
    PutPod(name, "");
  }

  // By pod: the node that it was bound to.
  const std::map<std::string, std::string>& bound() const { return bound_; }
  int double_bindings() const { return double_bindings_; }
  // How often a request came, by method and last part of the path, such as "POST binding".
  int Count(const std::string& what) const { return counts_.contains(what) ? counts_.at(what) : 0; }
  const std::string& lease() const { return lease_; }
  const std::string& last_patch() const { return last_patch_; }  // Of an event or a status.
  size_t watch_count() const { return watches_.size(); }

  void DropWatches() { watches_.clear(); }
  // The next watches from an older version than the present one are told that it is gone.
  void Compact() { compacted_ = version_; }

  bool is_silent = false;    // Answers nothing.
  int lost_answers = 0;      // So many bindings are done, but not answered.
  int refused_bindings = 0;  // So many bindings are answered with status 500.

 private:
  struct Change {
    uint64_t version;
    std::string plural;
    std::string event;
  };
  struct Watch {
    std::string plural;
    net::Responder responder;
  };
  using MakeJson = std::function<std::string(uint64_t version)>;

  static std::string Event(std::string_view type, std::string_view object) {
    return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
  }
  // The value of a query's field; empty if it has none.
  static std::string_view Field(std::string_view query, std::string_view name) {
    const size_t at = query.find(fmt::format("&{}=", name));
    if (at == std::string_view::npos) return {};
    const std::string_view value = query.substr(at + name.size() + 2);
    return value.substr(0, value.find('&'));
  }

  void Put(const std::string& plural, const std::string& name, const MakeJson& make) {
    const std::string json = make(++version_);
    const bool is_new = objects_[plural].insert_or_assign(name, json).second;
    log_.push_back({version_, plural, Event(is_new ? "ADDED" : "MODIFIED", json)});
    for (Watch& watch : watches_) {
      if (watch.plural == plural) watch.responder.Write(log_.back().event);
    }
  }

  void PutPod(const std::string& name, const std::string& node) {
    Put("pods", name, [&](uint64_t version) {
      return fmt::format(
          R"({{"metadata":{{"name":"{0}","namespace":"default","uid":"uid-{0}","resourceVersion":"{1}"}},)"
          R"("spec":{{"schedulerName":"default-scheduler","nodeName":"{2}","containers":[{{"name":"c","resources":)"
          R"({{"requests":{{"cpu":"{3}"}}}}}}]}},"status":{{"phase":"Pending"}}}})",
          name, version, node, requests_[name]);
    });
  }

  static void Answer(net::Responder& responder, int status, std::string body) {
    responder.Send(status, {{"Content-Type", "application/json"}}, std::move(body));
  }
  static void Refuse(net::Responder& responder, int status, std::string_view reason) {
    Answer(responder, status,
           fmt::format(R"({{"kind":"Status","status":"Failure","reason":"{0}","message":"{0}","code":{1}}})", reason,
                       status));
  }

  void OnRequest(net::ServerRequest request, net::Responder responder) override {
    if (is_silent) {
      kept_.push_back(std::move(responder));
      return;
    }
    const std::string_view target = request.target;
    const size_t mark = std::min(target.find('?'), target.size());
    const std::string query = "&" + std::string(target.substr(std::min(mark + 1, target.size())));
    std::vector<std::string> path;
    for (std::string_view rest = target.substr(0, mark); !rest.empty();) {
      rest.remove_prefix(1);
      path.emplace_back(rest.substr(0, rest.find('/')));
      rest.remove_prefix(path.back().size());
    }
    ++counts_[request.method + " " + path.back()];
    const std::string& name = path[path.size() - 2];
    if (!Field(query, "watch").empty()) return StartWatch(path.back(), query, std::move(responder));
    if (path.back() == "binding") return Bind(name, request.body, std::move(responder));
    if (name == "leases" || path.back() == "leases") return AnswerLease(request, responder);
    if (name == "pods" && request.method == "GET") return AnswerPod(path.back(), responder);
    if (request.method == "PATCH") last_patch_ = request.body;
    Answer(responder, request.method == "POST" ? 201 : 200, "{}");  // Events and status patches.
  }

  void StartWatch(const std::string& plural, const std::string& query, net::Responder responder) {
    uint64_t since = 0;
    const std::string_view from = Field(query, "resourceVersion");
    std::from_chars(from.data(), from.data() + from.size(), since);
    responder.Begin(200, {{"Content-Type", "application/json"}});
    if (!Field(query, "sendInitialEvents").empty()) {
      for (const auto& [name, json] : objects_[plural]) responder.Write(Event("ADDED", json));
      responder.Write(Event("BOOKMARK", fmt::format(R"({{"metadata":{{"resourceVersion":"{}","annotations":)"
                                                    R"({{"k8s.io/initial-events-end":"true"}}}}}})",
                                                    version_)));
    } else if (since < compacted_) {
      responder.Write(Event("ERROR", R"({"kind":"Status","reason":"Expired","message":"too old","code":410})"));
      return responder.End();
    } else {
      for (const Change& change : log_) {
        if (change.version > since && change.plural == plural) responder.Write(change.event);
      }
    }
    watches_.push_back({plural, std::move(responder)});
  }

  void Bind(const std::string& pod, const std::string& body, net::Responder responder) {
    if (refused_bindings > 0 && refused_bindings-- > 0) return Refuse(responder, 500, "InternalError");
    if (!bound_.contains(pod)) {
      bound_[pod] = api::ParseJson(body)->root()["target"]["name"].text();
      PutPod(pod, bound_[pod]);
    } else {
      ++double_bindings_;
      return Refuse(responder, 409, "Conflict");
    }
    if (lost_answers > 0 && lost_answers-- > 0) {
      responder.Begin(201, {});  // The connection closes in the middle of the answer.
      return;
    }
    Answer(responder, 201, R"({"kind":"Status","status":"Success"})");
  }

  void AnswerPod(const std::string& pod, net::Responder& responder) {
    const auto found = objects_["pods"].find(pod);
    if (found == objects_["pods"].end()) return Refuse(responder, 404, "NotFound");
    Answer(responder, 200, found->second);
  }

  void AnswerLease(const net::ServerRequest& request, net::Responder& responder) {
    if (request.method != "GET") lease_ = request.body;
    if (lease_.empty()) return Refuse(responder, 404, "NotFound");
    Answer(responder, request.method == "POST" ? 201 : 200, lease_);
  }

  uint64_t version_ = 1;
  uint64_t compacted_ = 0;
  std::map<std::string, std::map<std::string, std::string>> objects_;  // By plural, then name: JSON.
  std::vector<Change> log_;
  std::map<std::string, std::string> requests_;  // By pod: cpu.
  std::map<std::string, std::string> bound_;
  int double_bindings_ = 0;
  std::map<std::string, int> counts_;
  std::string lease_;
  std::string last_patch_;
  std::vector<Watch> watches_;
  std::vector<net::Responder> kept_;  // Of requests that are never answered.
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace berth::scheduler_app
