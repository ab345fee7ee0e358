// SPDX-License-Identifier: Apache-2.0
// How a question changes its world.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "api/decode/decode.h"
#include "api/parts/selector.h"
#include "api/typed/typed.h"
#include "cluster/node_table.h"
#include "config/config.h"
#include "explain/counterfactual.h"
#include "explain/object_forms.h"
#include "explain/surroundings.h"
#include "explain/taints.h"
#include "framework/plugin_expansion.h"
#include "plugins/coscheduling/coscheduling.h"
#include "scheduler/inspection.h"
#include "server/objects/bootstrap.h"
#include "server/patch/merge_patch.h"
#include "server/rest/selection.h"

namespace berth::explain {
namespace {

using api::Json;

Result<void> Refused(const server::StatusError& error) { return Invalid(error.message); }
template <class T>
Result<void> Refused(const server::Outcome<T>& outcome) {
  return outcome ? Result<void>() : Refused(outcome.error());
}

// All that names priority classes: a pod, or what has a template of pods.
void CollectClasses(const Json& object, std::set<std::string>& names) {
  for (const Json* spec : {&object["spec"], &object["spec"]["template"]["spec"],
                           &object["spec"]["jobTemplate"]["spec"]["template"]["spec"]}) {
    if (const std::string& name = (*spec)["priorityClassName"].text(); !name.empty()) names.insert(name);
  }
}

}  // namespace

Result<void> Surroundings::FindPriorities(const std::vector<Json>& objects) {
  if (is_whole_) return {};
  std::set<std::string> classes;
  for (const Json& object : objects) CollectClasses(object, classes);
  const server::Resource& resource = world_.catalog().Get("scheduling.k8s.io", "priorityclasses");
  std::erase_if(classes, [&](const std::string& name) { return world_.store().Find(resource, "", name) != nullptr; });
  if (classes.empty()) return {};
  // A live scheduler is not told of priority classes, but its pods have priorities.
  std::map<std::string, int32_t> found;
  Result<void> paused;
  core_.pods().ForEach([&](const cluster::PodPtr& pod) {
    if (!paused) return;
    if (classes.contains(pod->spec().priority_class_name)) found[pod->spec().priority_class_name] = pod->priority();
    paused = Pause();
  });
  for (const auto& [name, value] : found) Restore("PriorityClass", PriorityClassManifest(name, value));
  return paused;
}

Result<api::Pod> Surroundings::Complete(const Json& manifest) {
  if (!manifest.is_map()) return Invalid("must be an object");
  BERTH_CHECK_OK(FindPriorities({manifest}));
  Json pod = manifest;
  if (manifest["kind"].text() != "Pod") {
    const Json& spec = manifest["spec"];
    const Json& made = spec.Has("jobTemplate") ? spec["jobTemplate"]["spec"]["template"] : spec["template"];
    if (!made.is_map()) return Invalid("is no pod and has no template of one");
    pod = made;
    pod.Make("metadata").Set("namespace", manifest["metadata"]["namespace"]);
  }
  pod.Set("apiVersion", "v1");
  pod.Set("kind", "Pod");
  Json& metadata = pod.Make("metadata");
  metadata.Set("name", "question");
  for (const char* own : {"uid", "resourceVersion", "ownerReferences", "generateName"}) metadata.Erase(own);
  pod.Make("spec").Erase("nodeName");
  pod.Erase("status");
  const server::Resource& pods = world_.catalog().Get("", "pods");
  BERTH_CHECK_OK(api::Canonicalize(pod, pods.message()));
  const std::string& written = pod["metadata"]["namespace"].text();
  const std::string ns = written.empty() ? "default" : written;
  (void)server::CreateNamespace(world_.objects(), ns);  // If that is refused, so is the pod.
  const server::Outcome<server::ObjectPtr> made = world_.objects().Create(pods, ns, std::move(pod), {.dry_run = true});
  if (!made) return Invalid(made.error().message);
  const Json tree = (*made)->Tree();
  return api::DecodeKind<api::Pod>(api::Value(tree));
}

Result<void> Surroundings::Load(const std::vector<Json>& objects) {
  BERTH_CHECK_OK(FindPriorities(objects));
  const auto is_daemon = [](const Json& object) { return object["kind"].text() == "DaemonSet"; };
  if (!is_whole_ && std::ranges::any_of(objects, is_daemon)) BERTH_CHECK_OK(AdoptAllNodes());
  world::Manifests manifests;
  for (size_t i = 0; i < objects.size(); ++i) {
    BERTH_CHECK_OK(Pause());
    const Json& object = objects[i];
    const server::Resource* resource = world_.catalog().FindKept(object["kind"].text());
    const std::string& written = object["metadata"]["namespace"].text();
    const std::string& name = object["metadata"]["name"].text();
    std::string place;
    if (resource != nullptr && resource->namespaced) place = written.empty() ? "default" : written;
    if (resource != nullptr && !name.empty() && world_.store().Find(*resource, place, name) != nullptr) {
      BERTH_CHECK_OK(Patch(object["kind"].text(), place, name, object));
      continue;
    }
    BERTH_CHECK_OK(manifests.Add(object.ToText(), fmt::format("objects[{}]", i)));
  }
  BERTH_CHECK_OK(loader_.Load(manifests));
  for (std::string& note : loader_.TakeNotes()) Note(std::move(note));
  if (run_.failure()) return std::unexpected(*run_.failure());
  return {};
}

Result<void> Surroundings::Make(const Change& change) {
  return std::visit([&](const auto& what) { return Make(what); }, change);
}

Result<std::vector<std::string>> Surroundings::NamesOf(const NodeChoice& nodes) const {
  const cluster::NodeTable& table = core_.cluster().nodes();
  api::Selector selector;
  if (!nodes.selector.empty()) selector = BERTH_TRY(server::ParseLabelSelector(nodes.selector));
  std::vector<std::string> names;
  for (const std::string& name : nodes.names) {
    cluster::NodeSlot slot;
    if (!table.Find(name, slot) || table.has_node[slot.index] == 0) {
      return Fail(Code::kNotFound, fmt::format("there is no node {}", name));
    }
    if (selector.Matches(table.node[slot.index]->meta.labels)) names.push_back(name);
  }
  if (!nodes.names.empty()) return names;
  for (uint32_t slot = 0; slot < table.slot_limit(); ++slot) {
    if (table.has_node[slot] != 0 && selector.Matches(table.node[slot]->meta.labels)) names.push_back(table.name[slot]);
  }
  if (names.empty()) return Fail(Code::kNotFound, fmt::format("no node matches {}", nodes.selector));
  std::ranges::sort(names);
  return names;
}

Result<void> Surroundings::Adopt(const std::string& name) {
  if (world_.store().Find(world_.catalog().Get("", "nodes"), "", name) != nullptr) return {};
  cluster::NodeSlot slot;
  const cluster::NodeTable& table = core_.cluster().nodes();
  if (!table.Find(name, slot) || table.has_node[slot.index] == 0) {
    return Fail(Code::kNotFound, fmt::format("there is no node {}", name));
  }
  Json manifest = NodeManifest(NodeOf(core_.cluster(), slot));
  run_.Untold([&] { Restore("Node", std::move(manifest)); });
  return {};
}

Result<void> Surroundings::AdoptAllNodes() {
  const cluster::NodeTable& table = core_.cluster().nodes();
  for (uint32_t slot = 0; slot < table.slot_limit(); ++slot) {
    BERTH_CHECK_OK(Pause());
    if (table.has_node[slot] != 0) BERTH_CHECK_OK(Adopt(table.name[slot]));
  }
  return {};
}

Result<void> Surroundings::Patch(std::string_view kind, std::string_view ns, std::string_view name, const Json& patch) {
  const server::Resource* resource = world_.catalog().FindKept(kind);
  if (resource == nullptr) return Invalid(fmt::format("there is no kind {}", kind));
  const auto apply = [&](const Json& current) -> server::Outcome<Json> {
    return server::ApplyMergePatch(current, patch);
  };
  BERTH_CHECK_OK(Refused(world_.objects().Update(*resource, ns, name, {}, apply)));
  // The status is written by itself.
  if (!patch.Has("status") || resource->FindSubresource("status") == nullptr) return {};
  return Refused(world_.objects().Update(*resource, ns, name, {.subresource = "status"}, apply));
}

Result<void> Surroundings::Make(const AddNodes& add) {
  Json node = add.node;
  if (!add.like.empty()) {
    cluster::NodeSlot slot;
    const cluster::NodeTable& table = core_.cluster().nodes();
    if (!table.Find(add.like, slot) || table.has_node[slot.index] == 0) {
      return Fail(Code::kNotFound, fmt::format("there is no node {}", add.like));
    }
    api::Node like = *table.node[slot.index];
    Uncordon(like);
    like.meta.uid.clear();
    like.meta.creation_timestamp.reset();
    node = NodeManifest(like);
  }
  node.Set("apiVersion", "v1");
  node.Set("kind", "Node");
  Json& metadata = node.Make("metadata");
  metadata.Erase("uid");
  const std::string prefix = metadata["name"].text().empty() || !add.like.empty() ? "added" : metadata["name"].text();
  for (const Json::Member& label : add.labels.members()) {
    label.value.is_null() ? void(metadata.Make("labels").Erase(label.name))
                          : metadata.Make("labels").Set(label.name, label.value);
  }
  world::Manifests manifests;
  for (int64_t i = 0; i < add.count; ++i) {
    std::string name;
    cluster::NodeSlot slot;
    do name = fmt::format("{}-{}", prefix, ++added_nodes_);
    while (core_.cluster().nodes().Find(name, slot));
    metadata.Set("name", std::string_view(name));
    metadata.Make("labels").Set(cluster::kHostnameLabel, std::string_view(name));
    BERTH_CHECK_OK(manifests.Add(node.ToText(), "node"));
    BERTH_CHECK_OK(Pause());
  }
  return loader_.Load(manifests);
}

Result<void> Surroundings::Make(const RemoveNodes& remove) {
  const server::Resource& nodes = world_.catalog().Get("", "nodes");
  for (const std::string& name : BERTH_TRY(NamesOf(remove.nodes))) {
    BERTH_CHECK_OK(Adopt(name));
    BERTH_CHECK_OK(EmptyNode(name));
    BERTH_CHECK_OK(Refused(world_.objects().Delete(nodes, "", name, {})));
  }
  return {};
}

Result<void> Surroundings::EmptyNode(const std::string& node) {
  cluster::NodeSlot slot;
  if (!core_.cluster().nodes().Find(node, slot)) return {};
  const std::vector<cluster::PodPtr> pods = core_.cluster().nodes().pods[slot.index].pods;
  for (const cluster::PodPtr& pod : pods) {
    BERTH_CHECK_OK(Pause());
    if (world_.store().Find(world_.catalog().Get("", "pods"), pod->ns(), pod->name) != nullptr) continue;
    run_.Feed(scheduler::RemoveObject{"Pod", pod->ns(), pod->name});
    const std::string& controller = pod->pod_template->controller.kind;
    if (controller.empty() || controller == "DaemonSet" || controller == "Node") continue;
    api::Pod again = PodOf(*pod);
    again.node_name.clear();
    again.status = {};
    again.source = {};
    again.meta.name += "-again";
    again.meta.uid += "-again";
    again.meta.creation_timestamp = agenda_.now();
    agenda_.PassTo(agenda_.now() + Duration{1});
    run_.Feed(scheduler::PutObject{std::move(again)});
  }
  return {};
}

Result<void> Surroundings::Make(const CordonNodes& cordon) {
  const Json patch{{"spec", Json{{"unschedulable", cordon.is_undone ? Json() : Json::Bool(true)}}}};
  for (const std::string& name : BERTH_TRY(NamesOf(cordon.nodes))) {
    BERTH_CHECK_OK(Pause());
    BERTH_CHECK_OK(Adopt(name));
    BERTH_CHECK_OK(Patch("Node", "", name, patch));
  }
  return {};
}

Result<void> Surroundings::Make(const LabelNodes& label) {
  const Json patch{{"metadata", Json{{"labels", label.labels}}}};
  for (const std::string& name : BERTH_TRY(NamesOf(label.nodes))) {
    BERTH_CHECK_OK(Pause());
    BERTH_CHECK_OK(Adopt(name));
    BERTH_CHECK_OK(Patch("Node", "", name, patch));
  }
  return {};
}

Result<void> Surroundings::Make(const TaintNodes& taint) {
  const server::Resource& nodes = world_.catalog().Get("", "nodes");
  const auto edit = [&](const Json& current) -> server::Outcome<Json> {
    Json changed = current;
    Json left = Json::MakeList();
    for (const Json& present : current["spec"]["taints"].items()) {
      const bool is_named = std::ranges::any_of(taint.taints, [&](const api::Taint& one) {
        return present["key"].text() == one.key && (one.effect.empty() || present["effect"].text() == one.effect);
      });
      if (!is_named) left.Append(present);
    }
    for (const api::Taint& one : taint.taints) {
      if (taint.is_undone) break;
      Json added{{"key", Json::String(one.key)}, {"effect", Json::String(one.effect)}};
      if (!one.value.empty()) added.Set("value", std::string_view(one.value));
      left.Append(std::move(added));
    }
    changed.Make("spec").Set("taints", std::move(left));
    return changed;
  };
  for (const std::string& name : BERTH_TRY(NamesOf(taint.nodes))) {
    BERTH_CHECK_OK(Pause());
    BERTH_CHECK_OK(Adopt(name));
    BERTH_CHECK_OK(Refused(world_.objects().Update(nodes, "", name, {}, edit)));
  }
  return {};
}

Result<void> Surroundings::Make(const PatchObject& patch) {
  if (patch.kind == "Node") BERTH_CHECK_OK(Adopt(patch.name));
  const server::Resource* resource = world_.catalog().FindKept(patch.kind);
  if (resource == nullptr) return Invalid(fmt::format("there is no kind {}", patch.kind));
  const std::string ns = resource->namespaced && patch.ns.empty() ? "default" : patch.ns;
  if (!is_whole_ && world_.store().Find(*resource, ns, patch.name) == nullptr) {
    return Invalid(fmt::format("{} {} cannot be patched: a scheduler knows only a part of it", patch.kind, patch.name));
  }
  return Patch(patch.kind, ns, patch.name, patch.patch);
}

Result<void> Surroundings::Make(const DeleteObject& deletion) {
  const server::Resource* resource = world_.catalog().FindKept(deletion.kind);
  if (resource == nullptr) return Invalid(fmt::format("there is no kind {}", deletion.kind));
  const std::string ns = resource->namespaced && deletion.ns.empty() ? "default" : deletion.ns;
  if (deletion.kind == "Node") return Make(RemoveNodes{{{deletion.name}, ""}});
  if (!is_whole_ && world_.store().Find(*resource, ns, deletion.name) == nullptr) {
    if (deletion.kind == "Pod" && core_.pods().Find(ns + "/" + deletion.name) == nullptr) {
      return Fail(Code::kNotFound, fmt::format("there is no pod {}/{}", ns, deletion.name));
    }
    run_.Feed(scheduler::RemoveObject{deletion.kind, ns, deletion.name});
    return {};
  }
  // As kubectl deletes.
  return Refused(world_.objects().Delete(*resource, ns, deletion.name,
                                         {.propagation = server::DeleteOptions::Propagation::kBackground}));
}

Result<void> Surroundings::Make(const AddPods& add) {
  if (is_whole_) return Invalid("addPods: is for what a scheduler keeps, not for manifests");
  const cluster::PodPtr like = core_.pods().Find(add.like);
  if (like == nullptr) return Fail(Code::kNotFound, fmt::format("there is no pod {}", add.like));
  for (int64_t i = 0; i < add.count; ++i) {
    BERTH_CHECK_OK(Pause());
    api::Pod more = PodOf(*like);
    more.node_name.clear();
    more.status = {};
    more.source = {};
    do more.meta.name = fmt::format("{}-more-{}", like->name, ++added_pods_);
    while (core_.pods().Find(api::FullName(more.meta)) != nullptr);
    more.meta.uid = fmt::format("{}-more-{}", like->uid, added_pods_);
    more.meta.creation_timestamp = agenda_.now();
    more.meta.deletion_timestamp.reset();
    agenda_.PassTo(agenda_.now() + Duration{1});
    run_.Feed(scheduler::PutObject{std::move(more)});
  }
  return {};
}

Result<void> Surroundings::Make(const Configure& configure) {
  auto loaded = config::Load(configure.text, core_.gates(), core_.registry());
  if (!loaded) return Invalid("configure: " + loaded.error().message);
  constexpr std::string_view kCoscheduling = plugins::Coscheduling::kName;
  if (framework::Enables(*loaded, kCoscheduling) && !framework::Enables(core_.configuration(), kCoscheduling)) {
    return Invalid("configure: Coscheduling cannot be enabled here, the scheduler is not told of its groups");
  }
  loaded->pod_max_in_unschedulable = core_.configuration().pod_max_in_unschedulable;
  const auto changed = std::make_shared<const framework::SchedulerConfiguration>(*std::move(loaded));
  run_.Feed(scheduler::Reconfigure{changed});
  if (core_.configuration() != *changed)
    return Invalid("configure: there were too many plugins in configurations so far");
  return {};
}

void Surroundings::CreateAnew(api::Pod pod) {
  run_.Feed(scheduler::RemoveObject{"Pod", pod.meta.ns, pod.meta.name});
  run_.Feed(scheduler::PutObject{std::move(pod)});
}

Result<void> Surroundings::Make(const HelpPod& help) {
  if (is_whole_) return Invalid("help: is for what a scheduler keeps, not for manifests");
  const std::string name = help.ns + "/" + help.name;
  CounterfactualAnswer answer = BERTH_TRY(Counterfactuals(core_, name, agenda_.now(), *pacer_));
  const auto change = std::ranges::find(answer.changes, help.text, &Counterfactual::text);
  if (change == answer.changes.end()) {
    return Fail(Code::kNotFound, fmt::format("this would not help pod {} now: {}", name, help.text));
  }
  const cluster::PodPtr helped = core_.pods().Find(name);
  std::vector<cluster::PodPtr> alike;
  for (const cluster::PodPtr& pod : scheduler::QueuedPods(core_.queue())) {
    const bool is_alike = pod != helped && pod->ns() == helped->ns() && pod->node_name.empty() &&
                          pod->pod_template->controller.uid == helped->pod_template->controller.uid &&
                          pod->spec() == helped->spec() && pod->labels() == helped->labels();
    if (help.with_alike && is_alike) alike.push_back(pod);
    BERTH_CHECK_OK(Pause());
  }
  for (decltype(scheduler::Input::what)& what : change->told) {
    auto* put = std::get_if<scheduler::PutObject>(&what);
    auto* pod = put == nullptr ? nullptr : std::get_if<api::Pod>(&put->object);
    if (pod == nullptr) {
      run_.Feed(std::move(what));
      continue;
    }
    if (api::FullName(pod->meta) == name) {
      for (const cluster::PodPtr& other : alike) {
        BERTH_CHECK_OK(Pause());
        api::Pod changed = PodOf(*other);
        changed.spec = pod->spec;
        changed.meta.labels = pod->meta.labels;
        CreateAnew(std::move(changed));
      }
    }
    CreateAnew(std::move(*pod));
  }
  return {};
}

}  // namespace berth::explain
