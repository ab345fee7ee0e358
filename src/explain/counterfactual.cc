// SPDX-License-Identifier: Apache-2.0
#include "explain/counterfactual.h"

#include <fmt/format.h>

#include <utility>

#include "explain/counterfactual_search.h"
#include "explain/text_list.h"
#include "explain/wrapped_text.h"

namespace berth::explain {

using api::Json;

Result<CounterfactualAnswer> Counterfactuals(scheduler::Core& core, std::string_view name, Time now, Pacer& pacer) {
  const cluster::PodPtr pod = core.pods().Find(name);
  if (pod == nullptr) return Fail(Code::kNotFound, fmt::format("there is no pod {}", name));
  if (core.cluster().FindPod(pod->uid) != nullptr) return Invalid(fmt::format("pod {} has a node", name));
  if (core.policy().ProfileOf(*pod) == nullptr) {
    return Invalid(fmt::format("pod {}: no profile has the scheduler name {}", name, pod->spec().scheduler_name));
  }
  return CounterfactualSearch(core, *pod, now, pacer).Run();
}

Json ToJson(const CounterfactualAnswer& answer) {
  Json changes = Json::MakeList();
  for (const Counterfactual& each : answer.changes) {
    Json one{{"kind", Json::String(each.kind)},
             {"text", Json::String(each.text)},
             {"size", Json::Number(fmt::format("{:.3f}", each.size))},
             {"node", Json::String(each.node)}};
    if (!each.victims.empty()) one.Set("victims", TextList(each.victims));
    Json patches = Json::MakeList();
    for (const ObjectPatch& patch : each.patches) {
      patches.Append(Json{{"kind", Json::String(patch.kind)},
                          {"namespace", Json::String(patch.ns)},
                          {"name", Json::String(patch.name)},
                          {"patch", patch.patch}});
    }
    if (!patches.empty()) one.Set("patches", std::move(patches));
    if (!each.objects.empty()) one.Set("objects", Json::MakeList(each.objects));
    if (!each.change.is_null()) one.Set("change", each.change);
    changes.Append(std::move(one));
  }
  Json map{{"pod", Json::String(answer.pod)},
           {"placedNow", Json::Bool(answer.is_placed_now)},
           {"message", Json::String(answer.message)},
           {"changes", std::move(changes)}};
  if (!answer.owner.empty()) map.Set("owner", std::string_view(answer.owner));
  if (!answer.nominated_node.empty()) {
    map.Set("nominatedNode", std::string_view(answer.nominated_node));
    map.Set("victims", TextList(answer.victims));
  }
  return map;
}

std::string CounterfactualText(const Json& answer) {
  if (answer["placedNow"].AsBool()) return "it would be placed now\n";
  std::string text;
  if (answer.Has("nominatedNode")) {
    text += Wrapped(fmt::format("room is made on {}: {} pods are evicted", answer["nominatedNode"].text(),
                                answer["victims"].size()),
                    0);
  }
  if (answer["changes"].empty()) return text + "no single change would place it\n";
  text += "any one of these would place it:\n";
  for (const Json& each : answer["changes"].items()) {
    std::string line = fmt::format("- {} -> {}", each["text"].text(), each["node"].text());
    for (size_t i = 0; i < each["victims"].size(); ++i) {
      line += fmt::format("{} {}", i == 0 ? ", evicting" : ",", each["victims"][i].text());
    }
    text += Wrapped(line, 2);
  }
  return text;
}

}  // namespace berth::explain
