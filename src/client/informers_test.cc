// SPDX-License-Identifier: Apache-2.0
#include "client/informers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "api/wire/table.h"
#include "client/request/test_network.h"

namespace berth::client {
namespace {

class Sink final : public ObjectSink {
 public:
  void Deliver(std::vector<Delivery> batch) override { deliveries += batch.size(); }
  bool is_full() const override { return false; }

  size_t deliveries = 0;
};

struct InformersBench {
  // Completes the list of the n-th request.
  void List(size_t index) {
    const auto id = transport.call(index).id;
    transport.Head(id, 200, {{"Content-Type", "application/json"}});
    transport.Body(id, R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5",)"
                       R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
                       "\n");
  }

  TestTimers timers;
  TestTransport transport;
  std::unique_ptr<Credentials> credentials = NoCredentials();
  RestClient client{transport, timers, *credentials, {"https://kube", "berth", 0, 0}, nullptr};
  Sink sink;
  ReflectorObserver observer;
  int synced = 0;
  Informers informers{client, timers, sink, observer, {}};
};

TEST(Informers, AreSyncedWhenEveryResourceIs) {
  InformersBench bench;
  bench.informers.Start([&] { ++bench.synced; });
  const size_t count = SchedulerResources().size();
  ASSERT_EQ(bench.transport.started(), count);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(bench.synced, 0);
    bench.List(i);
  }
  EXPECT_EQ(bench.synced, 1);
  bench.informers.Stop();
  EXPECT_EQ(bench.transport.open(), 0u);
}

TEST(Informers, RefreshWhatADecisionCouldBookTwice) {
  InformersBench bench;
  bench.informers.Start([&] { ++bench.synced; });
  const size_t count = SchedulerResources().size();
  for (size_t i = 0; i < count; ++i) bench.List(i);
  int done = 0;
  bench.informers.Refresh([&] { ++done; });

  std::set<std::string> paths;
  for (size_t i = count; i < bench.transport.started(); ++i) {
    const std::string& target = bench.transport.call(i).request.target;
    paths.insert(target.substr(0, target.find('?')));
  }
  EXPECT_EQ(paths,
            (std::set<std::string>{"/api/v1/nodes", "/api/v1/pods", "/api/v1/persistentvolumes",
                                   "/api/v1/persistentvolumeclaims", "/apis/resource.k8s.io/v1/resourceclaims"}));
  for (size_t i = count; i < count + paths.size(); ++i) {
    EXPECT_EQ(done, 0);
    bench.List(i);
  }
  EXPECT_EQ(done, 1);
}

TEST(Informers, KnowEveryKindThatTheyWatch) {
  const WatchedGroups all{.pod_groups = true, .composite_pod_groups = true, .coscheduled_groups = true};
  for (const WatchedResource& resource : SchedulerResources(all)) {
    const api::wire::Kind* kind = api::wire::FindKind(resource.api_version, api::ManifestKind(resource.kind));
    ASSERT_NE(kind, nullptr) << resource.kind;
    EXPECT_EQ(kind->plural, resource.plural);
  }
}

}  // namespace
}  // namespace berth::client
