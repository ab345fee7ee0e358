// SPDX-License-Identifier: Apache-2.0
#include "server/rest/api_server.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "server/objects/bootstrap.h"
#include "server/rest/test_exchange.h"

namespace {

using namespace berth;

// A clock that stands still; what is to be done later is never done.
class StoppedTimers final : public runtime::Timers {
 public:
  Time Now() const override { return Time{1'800'000'000'000'000'000}; }
  Time WallNow() const override { return Now(); }
  Id After(Duration, Work) override { return ++last_; }
  void Cancel(Id) override {}

 private:
  Id last_ = 0;
};

struct World {
  World() : store(catalog), objects(catalog, store, timers, 1), server(catalog, store, objects, timers, 1) {
    server::CreateInitialObjects(objects, 6443);
  }

  server::Catalog catalog;
  StoppedTimers timers;
  server::Store store;
  server::Objects objects;
  server::ApiServer server;
};

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

}  // namespace

// A request: a line each for method, target, Accept and Content-Type, then the body. Every one is answered, unless it
// is a watch or waits, and no answer is an error of the server's own.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Objects pile up; a new world now and then keeps runs independent of all but a few others.
  static std::unique_ptr<World> world;
  static int uses = 0;
  if (world == nullptr || ++uses % 1000 == 0) world = std::make_unique<World>();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  net::ServerRequest request;
  request.method = TakeLine(input);
  request.target = TakeLine(input);
  request.headers.push_back({"Accept", std::string(TakeLine(input))});
  request.headers.push_back({"Content-Type", std::string(TakeLine(input))});
  request.body = input;
  const auto answer = std::make_shared<server::MemoryAnswer>();
  world->server.Handle(std::move(request), std::make_unique<server::MemoryExchange>(answer));
  BERTH_ASSERT(answer->status < 600);
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    "POST\n/api/v1/namespaces/default/pods?fieldManager=f&dryRun=All\napplication/json\napplication/json\n"
    R"({"metadata":{"generateName":"a-"},"spec":{"containers":[{"name":"c","image":"i"}]}})",
    "GET\n/api/v1/nodes?labelSelector=a%3Db,c%20in%20(d,e)&fieldSelector=metadata.name=x&limit=2\n"
    "application/json;as=Table;v=v1;g=meta.k8s.io\n\n",
    "GET\n/apis/apps/v1/namespaces/default/deployments?watch=true&resourceVersion=0&timeoutSeconds=1\n*/*\n\n",
    "PATCH\n/api/v1/namespaces/default\napplication/yaml\napplication/strategic-merge-patch+json\n"
    R"({"metadata":{"labels":{"a":"b"}}})",
    "PATCH\n/api/v1/namespaces/default/configmaps/a?fieldManager=m&force=true\n\napplication/apply-patch+yaml\n"
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
    "PATCH\n/api/v1/namespaces/default\n\napplication/json-patch+json\n[{\"op\":\"add\",\"path\":\"/metadata/labels/"
    "a\",\"value\":\"b\"}]",
    "DELETE\n/api/v1/namespaces/default/services?propagationPolicy=Orphan\n\napplication/json\n",
    "PUT\n/api/v1/namespaces/default/services/kubernetes\napplication/vnd.kubernetes.protobuf\napplication/"
    "yaml\nmetadata: {name: kubernetes}\n",
    "GET\n/openapi/v3/apis/apps/v1\napplication/json\n\n",
    "GET\n/apis\napplication/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\n\n",
    nullptr};
