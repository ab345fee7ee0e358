// SPDX-License-Identifier: Apache-2.0
#include "world/store_feed.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "client/informers.h"
#include "config/config.h"
#include "record/input_log.h"
#include "server/local_transport.h"
#include "server/test_cluster.h"

namespace berth::world {
namespace {

// What was delivered of each object, in order, as the bytes of an input log: nothing that the core reads is left out.
class Journal : public client::ObjectSink {
 public:
  void Deliver(std::vector<client::Delivery> batch) override {
    for (client::Delivery& delivery : batch) {
      std::visit([&](auto& what) { Add(std::move(what)); }, delivery);
    }
  }
  bool is_full() const override { return full; }

  bool full = false;
  std::map<std::string, std::vector<std::string>> deliveries;  // By kind, namespace and name.

 private:
  static std::string KeyOf(const scheduler::PutObject& put) {
    return std::string(api::KindOf(put.object)) + " " + api::FullName(api::MetaOf(put.object));
  }
  static std::string KeyOf(const scheduler::RemoveObject& removed) {
    return removed.kind + " " + (removed.ns.empty() ? removed.name : removed.ns + "/" + removed.name);
  }

  template <class What>
  void Add(What what) {
    const std::string key = KeyOf(what);
    std::ostringstream bytes;
    record::Writer(bytes, record::Settings{config::Default({}), {}, {}, {}}).WriteInput({Time{}, std::move(what)});
    deliveries[key].push_back(bytes.str());
  }
};

struct Scene {
  Scene() {
    cluster.AddNode("n1");
    cluster.AddNode("n2");
    cluster.Run();
  }

  // A life with all that the core reads and controllers do.
  void Live() {
    cluster.Create(
        "apps", "deployments",
        "{metadata: {name: web}, spec: {replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: "
        "{labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1500m, "
        "memory: 1.5Gi}}, ports: [{containerPort: 80, hostPort: 8080}]}], topologySpreadConstraints: [{maxSkew: "
        "1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: "
        "{matchLabels: {app: web}}}]}}}}");
    cluster.Create(
        "", "persistentvolumeclaims",
        "{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}");
    cluster.Create("", "services", "{metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}");
    cluster.Create("policy", "poddisruptionbudgets",
                   "{metadata: {name: web}, spec: {minAvailable: 50%, selector: {matchLabels: {app: web}}}}");
    cluster.Create("scheduling.k8s.io", "compositepodgroups",
                   "{metadata: {name: all}, spec: {workloadRef: {workloadName: w, templateName: all}, "
                   "schedulingPolicy: {gang: {minGroupCount: 1}}}}");
    cluster.Create("scheduling.k8s.io", "podgroups",
                   "{metadata: {name: some}, spec: {workloadRef: {workloadName: w, templateName: some}, "
                   "parentCompositePodGroupName: all, schedulingPolicy: {gang: {minCount: 2}}}}");
    cluster.Create("resource.k8s.io", "deviceclasses",
                   "{metadata: {name: gpu}, spec: {selectors: [{cel: {expression: device.driver == 'd'}}]}}");
    cluster.Create("", "pods",
                   "{metadata: {name: once, annotations: {berth.dev/complete-after: 1s}}, spec: {restartPolicy: Never, "
                   "containers: [{name: c, image: i}]}}");
    cluster.Run(Seconds(30));
    cluster.Change("apps", "deployments", "web",
                   [](server::Json& web) { web.Make({"spec", "replicas"}) = server::Json::Int(1); });
    cluster.Delete("", "services", "web");
    cluster.Delete("scheduling.k8s.io", "podgroups", "some");
    cluster.Run(Seconds(60));
  }

  server::TestCluster cluster{true, server::WithGroups()};
  Journal fed;
  StoreFeed feed{cluster.store, cluster.catalog, fed, {.pods = true, .nodes = true}};
};

TEST(StoreFeed, BringsWhatTheWayOverBytesBrings) {
  Scene world;
  server::ApiServer api(world.cluster.catalog, world.cluster.store, world.cluster.objects, world.cluster.timers, 3);
  server::LocalTransport transport(api, world.cluster.timers);
  const auto credentials = client::NoCredentials();
  client::RestClient client(transport, world.cluster.timers, *credentials, {"http://local", "test", 0, 0}, nullptr);
  client::ReflectorObserver observer;
  Journal read;
  client::Informers informers(client, world.cluster.timers, read, observer,
                              {.protobuf = true, .fresh = true, .sources = {.pods = true, .nodes = true}},
                              client::SchedulerResources(client::GroupsOf(world.cluster.catalog.gates())));
  bool is_fed = false;
  bool is_read = false;
  world.feed.Start([&] { is_fed = true; });
  informers.Start([&] { is_read = true; });
  world.cluster.Run(Seconds(1));
  EXPECT_TRUE(is_fed && is_read);

  world.Live();

  EXPECT_GT(read.deliveries.size(), 15U);
  EXPECT_EQ(read.deliveries["PodGroup default/some"].size(), 3U);  // Made, marked for deletion, gone.
  EXPECT_EQ(read.deliveries["CompositePodGroup default/all"].size(), 1U);
  ASSERT_EQ(world.fed.deliveries.size(), read.deliveries.size());
  for (const auto& [key, versions] : read.deliveries) {
    EXPECT_TRUE(world.fed.deliveries[key] == versions)
        << key << ": " << world.fed.deliveries[key].size() << " and " << versions.size() << " deliveries";
  }
}

TEST(StoreFeed, TellsACoreThatWasFullHowThingsAreThen) {
  Scene world;
  world.feed.Start({});
  Journal slow;
  StoreFeed slowly(world.cluster.store, world.cluster.catalog, slow, {.pods = true, .nodes = true});
  bool is_synced = false;
  slow.full = true;
  slowly.Start([&] { is_synced = true; });

  world.Live();

  EXPECT_TRUE(slow.deliveries.empty());
  EXPECT_FALSE(is_synced);
  slow.full = false;
  slowly.Resume();
  EXPECT_TRUE(is_synced);
  for (const auto& [key, versions] : slow.deliveries) {
    EXPECT_EQ(versions.size(), 1U) << key;
    EXPECT_TRUE(versions.back() == world.fed.deliveries[key].back()) << key;
  }
}

TEST(StoreFeed, TellsInTurnsHowThingsAreThen) {
  Scene world;
  Journal told;
  StoreFeed in_turns(world.cluster.store, world.cluster.catalog, told, {}, StoreFeed::LogSkipped,
                     &world.cluster.timers);
  in_turns.Start({});
  EXPECT_TRUE(told.deliveries.contains("Node n1"));  // What is there is told at once.
  const auto create = [&](const std::string& name) {
    world.cluster.Create("", "services", "{metadata: {name: " + name + "}, spec: {ports: [{port: 80}]}}");
  };

  create("web");
  world.cluster.Change("", "services", "web",
                       [](server::Json& web) { web.Make({"metadata", "labels"}).Set("a", "b"); });
  EXPECT_FALSE(told.deliveries.contains("Service default/web"));
  world.cluster.Run(Milliseconds(1));
  EXPECT_EQ(told.deliveries["Service default/web"].size(), 1U);

  told.full = true;
  create("late");
  world.cluster.Run(Milliseconds(1));
  EXPECT_FALSE(told.deliveries.contains("Service default/late"));
  told.full = false;
  in_turns.Resume();
  world.cluster.Run(Milliseconds(1));
  EXPECT_EQ(told.deliveries["Service default/late"].size(), 1U);

  world.cluster.Delete("", "services", "web");
  in_turns.ReadAhead(client::PodRead{});
  EXPECT_EQ(told.deliveries["Service default/web"].size(), 2U);
}

}  // namespace
}  // namespace berth::world
