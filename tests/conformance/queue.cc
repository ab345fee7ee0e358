// SPDX-License-Identifier: Apache-2.0
#include "conformance/kinds.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "api/decode/decode.h"
#include "api/document/json_writer.h"
#include "base/assert.h"
#include "config/config.h"
#include "conformance/queue_writer.h"
#include "plugins/registry.h"
#include "scheduler/assembly.h"
#include "scheduler/event_handlers.h"
#include "scheduler/failure_handler.h"
#include "scheduler/profile_policy.h"

namespace berth::conformance {
namespace {

using cluster::PodPtr;
using queue::QueuedPod;

scheduler::Profiles MakeProfiles(const framework::FeatureGates& gates) {
  scheduler::Profiles profiles;
  for (const framework::ProfileConfiguration& profile : config::Default(gates).profiles) {
    profiles.emplace(profile.scheduler_name, framework::Profile::Create(profile, plugins::BuiltIn(), gates).value());
  }
  return profiles;
}

queue::QueueOptions Options(api::Value config) {
  const auto seconds = [&](std::string_view name) { return Seconds(config[name].AsInt().value_or(0)); };
  return {.backoff = {.initial = seconds("podInitialBackoffSeconds"), .max = seconds("podMaxBackoffSeconds")},
          .max_in_unschedulable = seconds("podMaxInUnschedulablePodsSeconds")};
}

std::string_view ApiVersion(std::string_view kind) {
  if (kind == "PersistentVolume" || kind == "PersistentVolumeClaim") return "v1";
  if (kind == "PodGroup") return "scheduling.k8s.io/v1beta1";
  if (kind == "CompositePodGroup") return "scheduling.k8s.io/v1alpha3";
  if (kind == "ResourceClaim" || kind == "ResourceSlice" || kind == "DeviceClass") return "resource.k8s.io/v1";
  return "storage.k8s.io/v1";
}

// The recorded objects carry no kind.
api::Object DecodeAs(std::string_view kind, api::Value value) {
  api::JsonWriter json;
  json.BeginObject().Key("apiVersion").String(ApiVersion(kind)).Key("kind").String(kind);
  for (size_t i = 0; i < value.size(); ++i) json.Key(value.key(i)).Raw(value[i].ToJson());
  json.EndObject();
  return api::DecodeObject(api::ParseJson(json.Take()).value().root()).value();
}

std::vector<std::string_view> Texts(api::Value list) {
  std::vector<std::string_view> texts;
  for (size_t i = 0; i < list.size(); ++i) texts.push_back(list[i].text());
  return texts;
}

// A pod that is being bound.
struct Binding {
  std::unique_ptr<QueuedPod> pod;
  PodPtr assumed;
};

class Script {
 public:
  Script(api::Value config, const framework::FeatureGates& gates)
      : start_(Time{} + Milliseconds(config["startUnixMs"].AsInt().value_or(0))),
        owned_(scheduler::MakeCluster(gates)),
        cluster_(*owned_),
        profiles_(MakeProfiles(gates)),
        policy_(profiles_, extenders_, cluster_),
        queue_(Options(config), policy_, store_, cluster_.nominated, &cluster_.groups),
        handlers_(cluster_, store_, queue_, policy_, [](const std::string&) { return false; }),
        failures_(cluster_, store_, queue_) {}

  std::string Run(api::Value op);

 private:
  void Inform(api::Value op, Time now);
  void InformPod(std::string_view action, const PodPtr& old_pod, const PodPtr& pod, bool tombstone, Time now);
  void InformNode(std::string_view action, api::Value op, Time now);
  void Pop(api::JsonWriter& json);
  void PoppedGroup(std::unique_ptr<QueuedPod> group, bool from_active, api::JsonWriter& json);
  void EndGroup(std::string_view status, Time now, api::JsonWriter& json);
  void Assume(const std::string& uid, std::string_view node);
  scheduler::Failure FailureOf(api::Value op);
  PodPtr MakePod(api::Value value) {
    return value.is_map() ? cluster_.MakePod(api::DecodePod(value).value()) : nullptr;
  }

  Time start_;
  std::unique_ptr<cluster::Cluster> owned_;
  cluster::Cluster& cluster_;
  scheduler::Profiles profiles_;
  scheduler::Extenders extenders_{framework::SchedulerConfiguration()};
  scheduler::ProfilePolicy policy_;
  queue::PodStore store_;
  queue::SchedulingQueue queue_;
  scheduler::EventHandlers handlers_;
  scheduler::FailureHandler failures_;
  // By uid. After a duplicate notification one pod can be in both.
  std::map<std::string, std::unique_ptr<QueuedPod>> popped_;
  std::map<std::string, Binding> bindings_;
  std::unique_ptr<QueuedPod> group_;  // Whose attempt runs.
};

std::string Script::Run(api::Value op) {
  const Time now = start_ + Milliseconds(op["t"].AsInt().value_or(0));
  const std::string_view name = op["op"].text();
  const std::string uid(op["uid"].text());
  api::JsonWriter json;
  json.BeginObject();
  const bool needs_attempt = name == "fail" || name == "assume";
  if ((needs_attempt && !popped_.contains(uid)) || (name == "groupEnd" && group_ == nullptr) ||
      (name == "bindFail" && !bindings_.contains(uid))) {
    // Only after an earlier difference: there is no such attempt to go on with.
    return json.Key("failure").String("no attempt of " + uid).EndObject().Take();
  }
  if (name == "informer") {
    Inform(op, now);
  } else if (name == "pop") {
    Pop(json);
  } else if (name == "fail") {
    failures_.AttemptFailed(std::move(popped_.extract(uid).mapped()), FailureOf(op), now);
  } else if (name == "assume") {
    Assume(uid, op["node"].text());
  } else if (name == "done") {
    queue_.Done(uid);
  } else if (name == "bound") {
    bindings_.erase(uid);
  } else if (name == "bindFail") {
    Binding binding = std::move(bindings_.extract(uid).mapped());
    failures_.BindingFailed(std::move(binding.pod), binding.assumed, FailureOf(op), op["status"].text() != "error",
                            now);
  } else if (name == "skip") {
    popped_.erase(uid);
    queue_.Done(uid);
  } else if (name == "groupEnd") {
    EndGroup(op["status"].text(), now, json);
  } else if (name == "activate" && op["new"].is_map()) {
    queue_.Activate(*MakePod(op["new"]), now);
  } else if (name == "activate") {
    queue_.Activate(op["pod"].text(), uid, now);
  } else if (name == "preemptStart") {
    cluster_.running_preemptions.insert(uid);
  } else if (name == "preemptEnd") {
    cluster_.running_preemptions.erase(uid);
  } else if (name == "flushBackoff") {
    queue_.FlushBackoff(now);
  } else if (name == "flushUnschedulable") {
    queue_.FlushUnschedulable(now);
  }
  WriteQueueState(queue_, policy_.names(), cluster_, start_, json);
  return json.EndObject().Take();
}

void Script::Inform(api::Value op, Time now) {
  const std::string_view kind = op["kind"].text();
  const std::string_view action = op["action"].text();
  if (kind == "Pod") {
    InformPod(action, MakePod(op["old"]), MakePod(op["new"]), op["tombstone"].AsBool().value_or(false), now);
  } else if (kind == "Node") {
    InformNode(action, op, now);
  } else if (action == "delete") {
    const api::Value meta = op["old"]["metadata"];
    handlers_.Remove(kind, meta["namespace"].text(), meta["name"].text(), false, now);
  } else {
    handlers_.Put(DecodeAs(kind, op["new"]), now);
  }
}

void Script::InformPod(std::string_view action, const PodPtr& old_pod, const PodPtr& pod, bool tombstone, Time now) {
  if (action == "add") return handlers_.PodAdded(pod, now);
  if (action == "update") return handlers_.PodUpdated(old_pod, pod, now);
  handlers_.PodDeleted(old_pod, tombstone, now);
}

void Script::InformNode(std::string_view action, api::Value op, Time now) {
  const auto node = [](api::Value value) { return api::DecodeNode(value).value(); };
  if (action == "add") return handlers_.NodeAdded(node(op["new"]), now);
  const auto old_node = std::make_shared<const api::Node>(node(op["old"]));
  if (action == "update") return handlers_.NodeUpdated(old_node, node(op["new"]), now);
  handlers_.NodeDeleted(old_node, now);
}

void Script::Pop(api::JsonWriter& json) {
  const bool from_active = std::ranges::any_of(queue_.active().pods(), [&](const QueuedPod* pod) {
    return pod->AnyOf([&](const QueuedPod& member) { return !queue_.in_flight().Contains(member.pod->uid); });
  });
  std::unique_ptr<QueuedPod> pod = queue_.Pop();
  if (!pod) {
    json.Key("blocked").Bool(true);
    return;
  }
  if (pod->group != nullptr) return PoppedGroup(std::move(pod), from_active, json);
  const std::string uid = pod->pod->uid;
  json.Key("popped").BeginObject().Key("pod").String(pod->key).Key("uid").String(uid);
  json.Key("from").String(from_active ? "active" : "backoff").Key("attempts").Int(pod->attempts).EndObject();
  popped_[uid] = std::move(pod);
}

void Script::PoppedGroup(std::unique_ptr<QueuedPod> group, bool from_active, api::JsonWriter& json) {
  const cluster::GroupKey& root = group->group->root;
  json.Key("popped").BeginObject().Key("group").String(root.ns + "/" + root.name);
  json.Key("from").String(from_active ? "active" : "backoff").Key("attempts").Int(group->attempts);
  json.Key("members").BeginObject();
  for (auto& [name, members] : group->group->members) {
    json.Key(name).BeginArray();
    for (std::unique_ptr<QueuedPod>& member : members) {
      const std::string uid = member->pod->uid;
      json.String(uid);
      popped_[uid] = std::move(member);
    }
    json.EndArray();
  }
  json.EndObject().EndObject();
  group->group->members.clear();
  group_ = std::move(group);
}

void Script::EndGroup(std::string_view status, Time now, api::JsonWriter& json) {
  using End = queue::SchedulingQueue::GroupEnd;
  const End end = status == "success" ? End::kScheduled : status == "error" ? End::kError : End::kRejected;
  if (!queue_.EndGroup(std::exchange(group_, nullptr), end, now)) json.Key("refused").Bool(true);
}

void Script::Assume(const std::string& uid, std::string_view node) {
  std::unique_ptr<QueuedPod> pod = std::move(popped_.extract(uid).mapped());
  const PodPtr assumed = cluster::PodCatalog::WithNode(*pod->pod, std::string(node));
  BERTH_ASSERT(cluster_.AssumePod(assumed).has_value());
  queue_.nominator().Remove(*assumed);
  bindings_[uid] = {std::move(pod), assumed};
}

scheduler::Failure Script::FailureOf(api::Value op) {
  scheduler::Failure failure;
  if (op["status"].text() != "unschedulable") {
    failure.nominated_node_name = "";
    if (op["status"].text() == "group") failure.nominated_node_name = op["nominate"]["node"].text();
    return failure;
  }
  failure.unschedulable_plugins = policy_.names().InternAll(Texts(op["unschedulablePlugins"]));
  failure.pending_plugins = policy_.names().InternAll(Texts(op["pendingPlugins"]));
  if (op["nominate"]["mode"].text() == "override") failure.nominated_node_name = op["nominate"]["node"].text();
  return failure;
}

}  // namespace

void RunQueue(api::Value record, api::JsonWriter& results) {
  std::map<std::string, bool> overrides;
  const api::Value gates = record["featureGates"];
  for (size_t i = 0; i < gates.size(); ++i) overrides.emplace(gates.key(i), gates[i].AsBool().value_or(false));
  Script script(record["config"], framework::FeatureGates::Create(overrides).value());
  const api::Value ops = record["ops"];
  for (size_t i = 0; i < ops.size(); ++i) results.Raw(script.Run(ops[i]));
}

}  // namespace berth::conformance
