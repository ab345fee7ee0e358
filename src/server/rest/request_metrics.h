// SPDX-License-Identifier: Apache-2.0
// RequestMetrics: what an API server counts about its requests and objects, under upstream's names.
//
// Thread: that of the server.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/rest/call.h"
#include "server/rest/exchange.h"
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

  // Prints these too, but for those of a name that is here already. REQUIRES: they outlive every Print.
  void Add(const telemetry::Registry& registry) { others_.push_back(&registry); }

  std::string Print() const;

 private:
  class Observed;

  telemetry::Registry registry_;
  std::vector<const telemetry::Registry*> others_;
  telemetry::Labelled<telemetry::Counter>& requests_;
  telemetry::Labelled<telemetry::Gauge>& objects_;
  telemetry::Labelled<telemetry::Gauge>& long_running_;
};

}  // namespace berth::server
