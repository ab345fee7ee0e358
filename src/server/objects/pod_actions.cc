// SPDX-License-Identifier: Apache-2.0
#include "server/objects/pod_actions.h"

#include <fmt/format.h>

#include "server/admission/rules.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

Refusal BindingConflict(std::string_view name, std::string_view why) {
  return std::unexpected(
      StatusError{.code = 409,
                  .reason = "Conflict",
                  .message = fmt::format("Operation cannot be fulfilled on pods/binding \"{}\": {}", name, why),
                  .name = std::string(name),
                  .kind = "pods/binding"});
}

Outcome<void> CheckTarget(const Json& binding) {
  const Json& target = binding["target"];
  std::string problems;
  const std::string& kind = target["kind"].text();
  if (!kind.empty() && kind != "Node") {
    problems = fmt::format("target.kind: Unsupported value: \"{}\": supported values: \"Node\", \"<empty>\"", kind);
  }
  if (target["name"].text().empty()) {
    problems = problems.empty() ? "target.name: Required value" : "[" + problems + ", target.name: Required value]";
  }
  if (problems.empty()) return {};
  return std::unexpected(StatusError{.code = 500, .message = problems});
}

// Why the pod cannot be bound; "" if it can.
std::string BindingProblem(const Json& pod, std::string_view name) {
  if (pod["metadata"].Has("deletionTimestamp")) {
    return fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  }
  if (const std::string& node = pod["spec"]["nodeName"].text(); !node.empty()) {
    return fmt::format("pod {} is already assigned to node \"{}\"", name, node);
  }
  if (!pod["spec"]["schedulingGates"].empty()) return fmt::format("pod {} has non-empty .spec.schedulingGates", name);
  return {};
}

}  // namespace

void SetPodCondition(Json& pod, Json condition, Time now) {
  condition.SetDefault("lastProbeTime", Json());
  Json& conditions = pod.Make({"status", "conditions"});
  Json* present = FindMutableCondition(conditions, condition["type"].text());
  const bool is_same = present != nullptr && (*present)["status"] == condition["status"];
  condition.Set("lastTransitionTime", is_same ? (*present)["lastTransitionTime"] : Json::String(FormatTime(now)));
  if (present == nullptr) {
    conditions.Append(std::move(condition));
  } else {
    *present = std::move(condition);
  }
}

Outcome<void> BindPod(Objects& objects, std::string_view ns, std::string_view name, Json binding, bool dry_run,
                      WebhookDialog* dialog, const WhoAsks& user) {
  const Resource& pods = objects.catalog().Get("", "pods");
  BERTH_CHECK_OK(objects.AskWebhooks({.verb = Verb::kCreate,
                                      .resource = pods,
                                      .subresource = "binding",
                                      .ns = ns,
                                      .name = name,
                                      .object = &binding,
                                      .user = user},
                                     {.dry_run = dry_run, .dialog = dialog}));
  const Json& metadata = binding["metadata"];
  if (metadata["name"].text() != name) return BadRequest("name in URL does not match name in Binding object");
  BERTH_CHECK_OK(CheckTarget(binding));
  const ObjectPtr present = BERTH_TRY(objects.Get(pods, ns, name));
  if (const std::string& uid = metadata["uid"].text(); !uid.empty() && uid != present->uid()) {
    return PreconditionFailed(*present, "UID", uid, present->uid());
  }
  const std::string version = std::to_string(present->revision());
  if (const std::string& asked = metadata["resourceVersion"].text(); !asked.empty() && asked != version) {
    return PreconditionFailed(*present, "ResourceVersion", asked, version);
  }
  const TreePtr tree = present->tree();
  if (const std::string problem = BindingProblem(*tree, name); !problem.empty()) return BindingConflict(name, problem);

  Json pod = *tree;
  const std::string& node = binding["target"]["name"].text();
  pod.Make("spec").Set("nodeName", node);
  pod.Make("status").Erase("nominatedNodeName");
  Json& pod_metadata = pod.Make("metadata");
  for (const std::string_view part : {"annotations", "labels"}) {
    for (const Json::Member& member : metadata[part].members()) pod_metadata.Make(part).Set(member.name, member.value);
  }
  AddTopologyLabels(pod_metadata, node, objects.store(), objects.catalog());
  SetPodCondition(pod, Json{{"type", Json::String("PodScheduled")}, {"status", Json::String("True")}}, objects.now());
  objects.Overwrite(*present, std::move(pod), dry_run);
  return {};
}

DeleteOptions ReadDeleteOptions(const Json& options) {
  DeleteOptions read;
  read.grace_seconds = options["gracePeriodSeconds"].AsInt();
  read.uid = options["preconditions"]["uid"].text();
  read.resource_version = options["preconditions"]["resourceVersion"].text();
  const std::string& policy = options["propagationPolicy"].text();
  const Json& orphans = options["orphanDependents"];
  if (policy == "Orphan" || orphans.AsBool()) read.propagation = DeleteOptions::Propagation::kOrphan;
  if (policy == "Foreground") read.propagation = DeleteOptions::Propagation::kForeground;
  if (policy == "Background" || (orphans.is_bool() && !orphans.AsBool()))
    read.propagation = DeleteOptions::Propagation::kBackground;
  read.dry_run = !options["dryRun"].empty();
  return read;
}

}  // namespace berth::server
