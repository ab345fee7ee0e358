// SPDX-License-Identifier: Apache-2.0
// TestCluster: a store, the rules of the API and the controllers of a simulated cluster, on a clock that tests advance.

#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/document/value.h"
#include "api/typed/typed.h"
#include "runtime/test_timers.h"
#include "server/all_controllers.h"
#include "server/controllers/controller_loop.h"
#include "server/definitions/definitions.h"
#include "server/objects/bootstrap.h"
#include "server/objects/objects.h"
#include "server/objects/pod_actions.h"

namespace berth::server {

using runtime::TestTimers;

// The gates of groups, all on.
inline framework::FeatureGates WithGroups() {
  return framework::FeatureGates::Create({{"CompositePodGroup", true},
                                          {"DRAWorkloadResourceClaims", true},
                                          {"GenericWorkload", true},
                                          {"PodGroupPreemptionPolicy", true},
                                          {"TopologyAwareWorkloadScheduling", true}})
      .value();
}

class TestCluster {
 public:
  // `controls`: with all controllers, and a scheduler of sorts that binds pods in turn to nodes that they tolerate.
  explicit TestCluster(bool controls = true, const framework::FeatureGates& gates = {}, ClusterRules rules = {})
      : catalog(gates),
        store(catalog),
        objects(catalog, store, timers, 1),
        definitions(catalog, store, objects, timers),
        loop(store, objects, timers, 2) {
    CreateInitialObjects(objects, 6443);
    if (!controls) return;
    AddControllers(loop, std::move(rules));
    loop.Start();
  }

  const Resource& Get(std::string_view group, std::string_view plural) const { return catalog.Get(group, plural); }

  // From YAML, in its namespace or `default`.
  Outcome<ObjectPtr> TryCreate(const Resource& resource, std::string_view yaml, const WriteOptions& options = {}) {
    Json object = Parse(resource, yaml);
    const std::string& given = object["metadata"]["namespace"].text();
    const std::string ns = !resource.namespaced ? "" : given.empty() ? "default" : given;
    return objects.Create(resource, ns, std::move(object), options);
  }
  ObjectPtr Create(const Resource& resource, std::string_view yaml) {
    const Outcome<ObjectPtr> created = TryCreate(resource, yaml);
    EXPECT_TRUE(created) << created.error().message;
    return created ? *created : nullptr;
  }
  ObjectPtr Create(std::string_view group, std::string_view plural, std::string_view yaml) {
    return Create(Get(group, plural), yaml);
  }

  static Json Parse(const Resource& resource, std::string_view yaml) {
    const auto documents = api::ParseJsonOrYaml(yaml);
    EXPECT_TRUE(documents) << documents.error().message;
    Json object = Json::FromValue(documents->front().root());
    object.Set("apiVersion", resource.api_version);
    object.Set("kind", resource.kind);
    const auto canonical = resource.schema().Canonicalize(object);
    EXPECT_TRUE(canonical) << canonical.error().message;
    return object;
  }

  // Null if it is gone.
  ObjectPtr Find(std::string_view group, std::string_view plural, std::string_view name,
                 std::string_view ns = "default") const {
    const Resource& resource = Get(group, plural);
    return store.Find(resource, resource.namespaced ? ns : "", name);
  }
  Json Tree(std::string_view group, std::string_view plural, std::string_view name,
            std::string_view ns = "default") const {
    const ObjectPtr found = Find(group, plural, name, ns);
    return found == nullptr ? Json() : found->Tree();
  }

  template <class Edit>
  void Change(std::string_view group, std::string_view plural, std::string_view name, Edit edit,
              std::string_view subresource = {}, std::string_view ns = "default") {
    const Resource& resource = Get(group, plural);
    const auto written =
        objects.Update(resource, resource.namespaced ? ns : "", name, {.subresource = std::string(subresource)},
                       [&](const Json& current) -> Outcome<Json> {
                         Json changed = current;
                         edit(changed);
                         return changed;
                       });
    EXPECT_TRUE(written) << written.error().message;
  }
  void Delete(std::string_view group, std::string_view plural, std::string_view name, DeleteOptions options = {},
              std::string_view ns = "default") {
    const Resource& resource = Get(group, plural);
    const auto deleted = objects.Delete(resource, resource.namespaced ? ns : "", name, options);
    EXPECT_TRUE(deleted) << deleted.error().message;
  }

  // A node that is ready at once.
  void AddNode(std::string_view name) {
    Create("", "nodes", "metadata: {name: " + std::string(name) + "}");
    nodes.emplace_back(name);
  }
  void Bind(std::string_view pod, std::string_view node, std::string_view ns = "default") {
    const Json binding{{"metadata", Json{{"name", Json::String(pod)}}},
                       {"target", Json{{"kind", Json::String("Node")}, {"name", Json::String(node)}}}};
    const Outcome<void> bound = BindPod(objects, ns, pod, binding, false);
    EXPECT_TRUE(bound) << bound.error().message;
  }

  // The pods of the namespace, in the order of names.
  std::vector<ObjectPtr> Pods(std::string_view ns = "default") const {
    std::vector<ObjectPtr> pods;
    const std::string prefix = std::string(ns) + "/";
    for (const auto& [key, pod] : store.All(Get("", "pods"))) {
      if (key.starts_with(prefix)) pods.push_back(pod);
    }
    return pods;
  }
  size_t CountPods(std::string_view phase) const {
    size_t count = 0;
    for (const ObjectPtr& pod : Pods()) count += pod->Field("status.phase") == phase ? 1 : 0;
    return count;
  }

  // The events about objects of this name, each as "Normal Reason: message", in no order.
  std::vector<std::string> Events(std::string_view about, std::string_view ns = "default") const {
    std::vector<std::string> events;
    for (const auto& [key, event] : store.All(*Get("", "events").stored)) {
      const Json tree = event->Tree();
      if (event->ns() != ns || tree["involvedObject"]["name"].text() != about) continue;
      events.push_back(tree["type"].text() + " " + tree["reason"].text() + ": " + tree["message"].text());
    }
    return events;
  }

  // Lets time pass, and binds the pods that wait: those that name a node to it, the others in turn to `nodes`.
  void Run(Duration span = Seconds(5)) {
    const Duration step = span > Seconds(5) ? Milliseconds(200) : Milliseconds(10);
    for (Duration passed{}; passed < span; passed = passed + step) {
      timers.Advance(step);
      Schedule();
    }
    timers.Advance(Milliseconds(1));
  }

  Catalog catalog;
  TestTimers timers;
  Store store;
  Objects objects;
  Definitions definitions;
  ControllerLoop loop;
  std::vector<std::string> nodes;  // That pods are bound to.

 private:
  void Schedule() {
    if (nodes.empty()) return;
    std::vector<ObjectPtr> waiting;
    for (const auto& [key, pod] : store.All(Get("", "pods"))) {
      if (pod->Field("spec.nodeName").empty()) waiting.push_back(pod);
    }
    for (const ObjectPtr& pod : waiting) {
      const Json tree = pod->Tree();
      const Json& affinity = tree["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
      const Json& field = affinity["nodeSelectorTerms"][size_t{0}]["matchFields"][size_t{0}];
      const std::string& named = field["values"][size_t{0}].text();
      Bind(pod->name(), named.empty() ? nodes[turn_++ % nodes.size()] : named, pod->ns());
    }
  }

  size_t turn_ = 0;
};

}  // namespace berth::server
