// SPDX-License-Identifier: Apache-2.0
// TestApiServer: the API server of `berth up` on a port, without its controllers, with faults in front of it.
//
// Faults are members that a test sets.
//
// Thread: that of the loop.

#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http_server.h"
#include "server/http_front.h"
#include "server/objects/bootstrap.h"
#include "server/rest/exchange.h"
#include "world/world.h"

namespace berth::scheduler_app {

class TestApiServer : public net::HttpHandler {
 public:
  explicit TestApiServer(net::EventLoop& loop)
      : loop_(loop), world_(loop, 1, {}), front_(world_.api()), server_(*net::HttpServer::Listen(loop, {}, *this)) {
    server::CreateInitialObjects(world_.objects(), port());
  }

  uint16_t port() const { return server_->port(); }

  // As it is, and so without the taint of a node that is new.
  void AddNode(const std::string& name, std::string_view cpu = "64") {
    Restore("nodes", fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}"}},"status":)"
                                 R"({{"allocatable":{{"cpu":"{}","memory":"64Gi","pods":"1000"}}}}}})",
                                 name, cpu));
  }
  void AddPod(const std::string& name, std::string_view cpu = "10m") {
    Restore("pods",
            fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"default"}},"spec":)"
                        R"({{"schedulerName":"default-scheduler","containers":[{{"name":"c","image":"i","resources":)"
                        R"({{"requests":{{"cpu":"{}"}}}}}}]}},"status":{{"phase":"Pending"}}}})",
                        name, cpu));
  }

  // By pod: the node that it was bound to.
  std::map<std::string, std::string> bound() const {
    std::map<std::string, std::string> bound;
    for (const auto& [key, pod] : world_.store().All(world_.catalog().Get("", "pods"))) {
      const std::string_view node = pod->Field("spec.nodeName");
      if (!node.empty()) bound.emplace(pod->name(), node);
    }
    return bound;
  }
  // How often a request came, by method and last part of the path, such as "POST binding".
  int Count(const std::string& what) const { return counts_.contains(what) ? counts_.at(what) : 0; }
  std::string lease() const {
    const auto& all = world_.store().All(world_.catalog().Get("coordination.k8s.io", "leases"));
    return all.empty() ? "" : *all.begin()->second->json();
  }
  const std::string& last_patch() const { return last_patch_; }  // Of an event or a status.

  void DropConnections() {
    net::HttpServerOptions options;
    options.port = port();
    server_.reset();
    server_ = *net::HttpServer::Listen(loop_, options, *this);
  }
  // The next watches from an older version than the present one are told that it is gone.
  void Compact() { world_.store().Forget(world_.store().revision()); }

  bool is_silent = false;    // Answers nothing.
  int lost_answers = 0;      // So many bindings are done, but not answered.
  int refused_bindings = 0;  // So many bindings are answered with status 500.

 private:
  // An answer that nobody hears.
  class Unheard : public server::Exchange {
   public:
    void Send(int, std::vector<net::Header>, server::Bytes) override {}
    void Begin(int, std::vector<net::Header>) override {}
    void Write(server::Bytes) override {}
    void End() override {}
    size_t pending_bytes() const override { return 0; }
    void OnDrained(std::move_only_function<void()>) override {}
    void OnGone(std::move_only_function<void()>) override {}
  };

  void Restore(std::string_view plural, const std::string& json) {
    const auto put = world_.objects().Restore(world_.catalog().Get("", plural), server::ParseTree(json).value());
    EXPECT_TRUE(put) << put.error().message;
  }

  void OnRequest(net::ServerRequest request, net::Responder responder) override {
    if (is_silent) {
      kept_.push_back(std::move(responder));
      return;
    }
    const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
    const std::string_view last = path.substr(path.rfind('/') + 1);
    ++counts_[fmt::format("{} {}", request.method, last)];
    if (request.method == "PATCH") last_patch_ = request.body;
    if (last == "binding" && refused_bindings > 0) {
      --refused_bindings;
      return responder.Send(500, {}, std::string());
    }
    if (last == "binding" && lost_answers > 0) {
      --lost_answers;
      world_.api().Handle(std::move(request), std::make_unique<Unheard>());
      return responder.Begin(201, {});  // The connection closes in the middle of the answer.
    }
    front_.OnRequest(std::move(request), std::move(responder));
  }

  net::EventLoop& loop_;
  world::World world_;
  server::HttpFront front_;
  std::map<std::string, int> counts_;
  std::string last_patch_;
  std::vector<net::Responder> kept_;  // Of requests that are never answered.
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace berth::scheduler_app
