// SPDX-License-Identifier: Apache-2.0
// ControlPlane: everything that `berth up` runs, put together: store, API server, simulated cluster and scheduler.
//
// Thread: that of the event loop.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/scheduler/live_scheduler.h"
#include "app/scheduler/serving/berth_api.h"
#include "app/up/embedded_scheduler.h"
#include "app/up/kubeconfig_entries.h"
#include "app/up/options.h"
#include "app/up/progress.h"
#include "app/up/snapshot_handler.h"
#include "app/up/webhook_client.h"
#include "base/result.h"
#include "net/event_loop.h"
#include "net/http_server.h"
#include "runtime/loop.h"
#include "server/http_front.h"
#include "server/store/dump.h"
#include "server/store/journal.h"
#include "web/live_feed.h"
#include "world/world.h"

namespace berth::up {

// What is asked under /berth/v1/.
class QuestionHandler : public net::HttpHandler {
 public:
  QuestionHandler(net::EventLoop& loop, scheduler_app::BerthApi::CoreAccess core) : api_(loop, std::move(core)) {}
  void OnRequest(net::ServerRequest request, net::Responder responder) override;

 private:
  scheduler_app::BerthApi api_;
};

// The dashboard's files, and the way there for browsers that come to "/".
class PageHandler : public net::HttpHandler {
 public:
  void OnRequest(net::ServerRequest request, net::Responder responder) override;
};

class ControlPlane {
 public:
  // Serves at once. REQUIRES: both outlive it.
  static Result<std::unique_ptr<ControlPlane>> Create(net::EventLoop& loop, const Options& options);
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  uint16_t port() const { return http_->port(); }
  std::string url() const;  // By which clients on this machine reach it.
  // Where people look at it. REQUIRES: it runs the scheduler.
  std::string dashboard_url() const;
  Access access() const;
  size_t node_count() const;

  // `done` is called once everything has ended.
  void Stop(std::move_only_function<void()> done);
  // Why it could not go on; the loop was stopped then.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  ControlPlane(net::EventLoop& loop, const Options& options);

  Result<void> OpenJournal();
  void SyncJournal();
  void FailJournal(const Error& error);
  Result<void> Fill();
  Result<void> StartAccess();
  Result<server::Dump> ReadImport() const;
  Result<void> Import(server::Dump dump);
  Result<void> MakeNodes();
  Result<void> Listen();
  Result<void> StartCluster();

  net::EventLoop& loop_;
  const Options& options_;
  world::World world_;
  std::unique_ptr<server::Journal> journal_;  // Null: nothing is kept.
  runtime::Loop sync_;
  server::HttpFront front_;
  std::unique_ptr<net::HttpServer> http_;
  std::string certificate_pem_;  // Without a key. Empty: no TLS.
  std::vector<std::string> certificate_names_;
  std::unique_ptr<EmbeddedScheduler> scheduler_;
  std::unique_ptr<web::LiveFeed> live_;
  std::unique_ptr<QuestionHandler> questions_;
  SnapshotHandler snapshots_;
  PageHandler pages_;
  std::unique_ptr<Progress> progress_;
  WebhookClient webhooks_;
  std::optional<Error> failure_;
};

}  // namespace berth::up
