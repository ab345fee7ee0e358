// SPDX-License-Identifier: Apache-2.0
#include "sim/core/extender_model.h"

#include "api/document/json_writer.h"
#include "api/document/value.h"

namespace berth::sim {
namespace {

std::string Filter(api::Value request, Dice& dice, int64_t strikes) {
  api::JsonWriter names;
  api::JsonWriter nodes;
  api::JsonWriter failed;
  names.BeginArray();
  nodes.BeginObject().Key("items").BeginArray();
  failed.BeginObject();
  const auto judge = [&](std::string_view name, auto pass) {
    if (dice.Percent(strikes)) {
      failed.Key(name).String("struck by chance");
    } else {
      pass();
    }
  };
  const api::Value asked = request["NodeNames"];
  for (size_t i = 0; i < asked.size(); ++i) judge(asked[i].text(), [&] { names.String(asked[i].text()); });
  const api::Value objects = request["Nodes"]["items"];
  for (size_t i = 0; i < objects.size(); ++i) {
    const std::string_view name = objects[i]["metadata"]["name"].text();
    judge(name,
          [&] { nodes.BeginObject().Key("metadata").BeginObject().Key("name").String(name).EndObject().EndObject(); });
  }
  return "{" +
         (asked.is_list() ? "\"NodeNames\":" + names.EndArray().Take()
                          : "\"Nodes\":" + nodes.EndArray().EndObject().Take()) +
         ",\"FailedNodes\":" + failed.EndObject().Take() + "}";
}

std::string Prioritize(api::Value request, Dice& dice) {
  api::JsonWriter scores;
  scores.BeginArray();
  const api::Value names = request["NodeNames"];
  for (size_t i = 0; i < names.size(); ++i) {
    scores.BeginObject().Key("Host").String(names[i].text()).Key("Score").Int(dice.Between(0, 10)).EndObject();
  }
  return scores.EndArray().Take();
}

std::string Preempt(api::Value request, Dice& dice, int64_t strikes) {
  api::JsonWriter answer;
  answer.BeginObject().Key("NodeNameToMetaVictims").BeginObject();
  const api::Value candidates = request["NodeNameToVictims"];
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (dice.Percent(strikes)) continue;
    answer.Key(candidates.key(i)).BeginObject().Key("Pods").BeginArray();
    const api::Value pods = candidates[i]["Pods"];
    for (size_t j = 0; j < pods.size(); ++j) {
      answer.BeginObject().Key("UID").String(pods[j]["metadata"]["uid"].text()).EndObject();
    }
    answer.EndArray().EndObject();
  }
  return answer.EndObject().EndObject().Take();
}

}  // namespace

std::vector<framework::ExtenderConfiguration> ModelledExtenders() {
  framework::ExtenderConfiguration knowing;
  knowing.filter_verb = "filter";
  knowing.prioritize_verb = "prioritize";
  knowing.weight = 2;
  knowing.node_cache_capable = true;
  knowing.managed_resources = {{"memory", false}};
  framework::ExtenderConfiguration binding;
  binding.filter_verb = "filter";
  binding.preempt_verb = "preempt";
  binding.bind_verb = "bind";
  binding.managed_resources = {{"example.com/gpu", false}};
  return {knowing, binding};
}

std::string AnswerOf(const framework::CallExtender& call, Dice& dice, int64_t strikes) {
  const api::Document document = api::ParseJson(call.body).value();
  if (call.verb == "filter") return Filter(document.root(), dice, strikes);
  if (call.verb == "prioritize") return Prioritize(document.root(), dice);
  return Preempt(document.root(), dice, strikes);
}

std::string BoundNode(const framework::CallExtender& call) {
  return std::string(api::ParseJson(call.body).value().root()["Node"].text());
}

}  // namespace berth::sim
