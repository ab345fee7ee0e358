// SPDX-License-Identifier: Apache-2.0
// RequestMetrics: what an API server counts about its requests and objects, under upstream's names.
//
// Thread: that of the server.

#pragma once

#include <memory>

#include "server/exchange.h"
#include "server/rest/call.h"
#include "server/store/store.h"
#include "telemetry/registry.h"

namespace berth::server {

class RequestMetrics {
 public:
  // REQUIRES: the store outlives this.
  RequestMetrics(const Catalog& catalog, const Store& store);
  RequestMetrics(const RequestMetrics&) = delete;
  RequestMetrics& operator=(const RequestMetrics&) = delete;

  // Counts the request when it is answered. `verb` is that of discovery.
  void Observe(Call& call, std::string_view verb);

  std::string Print() const { return registry_.Print(); }

 private:
  class Observed;

  telemetry::Registry registry_;
  telemetry::Labelled<telemetry::Counter>& requests_;
  telemetry::Labelled<telemetry::Gauge>& objects_;
  telemetry::Labelled<telemetry::Gauge>& long_running_;
};

}  // namespace berth::server
