// SPDX-License-Identifier: Apache-2.0
#include "server/rest/request_metrics.h"

#include <set>
#include <utility>

#include "telemetry/process_metrics.h"

namespace berth::server {

using telemetry::Stability;

// Passes everything on, and counts the answer.
class RequestMetrics::Observed : public Exchange {
 public:
  Observed(RequestMetrics& metrics, std::unique_ptr<Exchange> exchange, const Call& call, std::string verb)
      : metrics_(metrics), exchange_(std::move(exchange)), resource_(call.resource), verb_(std::move(verb)) {
    scope_ = call.resource == nullptr ? ""
             : !call.name.empty()     ? "resource"
             : !call.ns.empty()       ? "namespace"
                                      : "cluster";
    subresource_ = call.subresource;
    is_dry_run_ = call.target.query.Get("dryRun") == "All";
    if (verb_ == "WATCH")
      watching_ = &metrics_.long_running_.With("WATCH", resource_->group, resource_->version, resource_->plural);
    if (watching_ != nullptr) watching_->Add(1);
  }
  ~Observed() override {
    if (watching_ != nullptr) watching_->Add(-1);
  }

  void Send(int status, std::vector<net::Header> headers, Bytes body) override {
    Count(status);
    exchange_->Send(status, std::move(headers), std::move(body));
  }
  void Begin(int status, std::vector<net::Header> headers) override {
    Count(status);
    exchange_->Begin(status, std::move(headers));
  }
  void Write(Bytes piece) override { exchange_->Write(std::move(piece)); }
  void End() override { exchange_->End(); }
  size_t pending_bytes() const override { return exchange_->pending_bytes(); }
  void OnDrained(std::move_only_function<void()> callback) override { exchange_->OnDrained(std::move(callback)); }
  void OnGone(std::move_only_function<void()> callback) override { exchange_->OnGone(std::move(callback)); }

 private:
  void Count(int status) {
    const std::string code = std::to_string(status);
    const std::string_view group = resource_ == nullptr ? "" : resource_->group;
    const std::string_view version = resource_ == nullptr ? "" : resource_->version;
    const std::string_view plural = resource_ == nullptr ? "" : resource_->plural;
    metrics_.requests_
        .With(verb_, is_dry_run_ ? "All" : "", group, version, plural, subresource_, scope_, "apiserver", code)
        .Add();
  }

  RequestMetrics& metrics_;
  std::unique_ptr<Exchange> exchange_;
  const Resource* resource_;
  std::string verb_;
  std::string subresource_;
  std::string_view scope_;
  bool is_dry_run_ = false;
  telemetry::Gauge* watching_ = nullptr;
};

RequestMetrics::RequestMetrics(const Catalog& catalog, const Store& store)
    : requests_(registry_.AddCounter(
          {.name = "apiserver_request_total",
           .help = "Requests by what they asked for and how they were answered.",
           .stability = Stability::kStable},
          {"verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component", "code"})),
      objects_(registry_.AddGauge({.name = "apiserver_storage_objects",
                                   .help = "Objects that are kept, by resource.",
                                   .stability = Stability::kStable},
                                  {"resource"})),
      long_running_(registry_.AddGauge({.name = "apiserver_longrunning_requests",
                                        .help = "Watches that are open, by resource.",
                                        .stability = Stability::kStable},
                                       {"verb", "group", "version", "resource"})) {
  telemetry::AddProcessMetrics(registry_);
  registry_.BeforePrinting([this, &catalog, &store] {
    for (const auto& resource : catalog.all()) {
      if (resource->is_virtual() || resource->stored != resource.get()) continue;
      objects_.With(resource->Qualified()).Set(static_cast<double>(store.Count(*resource)));
    }
  });
}

std::string RequestMetrics::Print() const {
  std::string text = registry_.Print();
  for (const telemetry::Registry* other : others_) {
    std::set<std::string> names;
    for (const auto& [name, family] : other->families()) {
      if (!registry_.families().contains(name)) names.insert(name);
    }
    if (!names.empty()) text += other->Print(names);
  }
  return text;
}

void RequestMetrics::Observe(Call& call, std::string_view verb) {
  std::string name = verb == "create" ? "POST" : verb == "update" ? "PUT" : std::string(verb);
  for (char& letter : name) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  call.exchange = std::make_unique<Observed>(*this, std::move(call.exchange), call, std::move(name));
}

}  // namespace berth::server
