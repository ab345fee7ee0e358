// SPDX-License-Identifier: Apache-2.0
#include "explain/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/overloaded.h"
#include "explain/text_list.h"

namespace berth::explain {
namespace {

using api::Json;

std::unexpected<Error> Wrong(std::string_view where, std::string_view what) {
  return Invalid(fmt::format("{}: {}", where, what));
}

Result<void> CheckMap(const Json& map, const std::string& where, std::initializer_list<std::string_view> known) {
  if (!map.is_map()) return Wrong(where, "must be an object");
  for (const Json::Member& member : map.members()) {
    if (std::ranges::find(known, std::string_view(member.name)) == known.end()) {
      return Wrong(where, fmt::format("unknown field \"{}\"", member.name));
    }
  }
  return {};
}

Result<std::string> ReadText(const Json& map, std::string_view name, const std::string& where) {
  const Json& value = map[name];
  if (value.is_null()) return std::string();
  if (!value.is_string()) return Wrong(fmt::format("{}.{}", where, name), "must be a string");
  return value.text();
}

Result<NodeChoice> ReadChoice(const Json& map, const std::string& where) {
  NodeChoice choice;
  choice.selector = BERTH_TRY(ReadText(map, "selector", where));
  const Json& names = map["names"];
  if (!names.is_null() && !names.is_list()) return Wrong(where + ".names", "must be a list");
  for (const Json& name : names.items()) {
    if (!name.is_string()) return Wrong(where + ".names", "must have strings only");
    choice.names.push_back(name.text());
  }
  if (choice.names.empty() && choice.selector.empty()) return Wrong(where, "must have names or a selector");
  return choice;
}

Result<Json> ReadLabels(const Json& map, const std::string& where) {
  const Json& labels = map["labels"];
  if (!labels.is_null() && !labels.is_map()) return Wrong(where + ".labels", "must be an object");
  for (const Json::Member& label : labels.members()) {
    if (!label.value.is_string() && !label.value.is_null()) {
      return Wrong(fmt::format("{}.labels[{}]", where, label.name), "must be a string or null");
    }
  }
  return labels;
}

Result<int64_t> ReadCount(const Json& map, const std::string& where, int64_t most) {
  if (!map.Has("count")) return 1;
  const std::optional<int64_t> count = map["count"].AsInt();
  if (!count || *count < 1 || *count > most) {
    return Wrong(where + ".count", fmt::format("must be a number from 1 to {}", most));
  }
  return *count;
}

Result<Change> ReadAddNodes(const Json& map, const std::string& where) {
  BERTH_CHECK_OK(CheckMap(map, where, {"count", "like", "node", "labels"}));
  AddNodes add;
  add.count = BERTH_TRY(ReadCount(map, where, kAddedNodesMax));
  add.like = BERTH_TRY(ReadText(map, "like", where));
  add.node = map["node"];
  add.labels = BERTH_TRY(ReadLabels(map, where));
  if (add.like.empty() == add.node.is_null()) return Wrong(where, "must have either like or node");
  if (!add.node.is_null() && !add.node.is_map()) return Wrong(where + ".node", "must be an object");
  return add;
}

Result<Change> ReadTaints(const Json& map, const std::string& where, bool is_undone) {
  BERTH_CHECK_OK(CheckMap(map, where, {"names", "selector", "taints"}));
  TaintNodes taint{BERTH_TRY(ReadChoice(map, where)), {}, is_undone};
  if (!map["taints"].is_list()) return Wrong(where + ".taints", "must be a list");
  for (const Json& one : map["taints"].items()) {
    BERTH_CHECK_OK(CheckMap(one, where + ".taints", {"key", "value", "effect"}));
    taint.taints.push_back({BERTH_TRY(ReadText(one, "key", where)), BERTH_TRY(ReadText(one, "value", where)),
                            BERTH_TRY(ReadText(one, "effect", where))});
  }
  return taint;
}

template <class Object>
Result<Object> ReadObject(const Json& map, const std::string& where) {
  Object object;
  object.kind = BERTH_TRY(ReadText(map, "kind", where));
  object.ns = BERTH_TRY(ReadText(map, "namespace", where));
  object.name = BERTH_TRY(ReadText(map, "name", where));
  if (object.kind.empty() || object.name.empty()) return Wrong(where, "must have a kind and a name");
  return object;
}

Result<std::string> ReadNeeded(const Json& map, std::string_view name, const std::string& where) {
  std::string text = BERTH_TRY(ReadText(map, name, where));
  if (text.empty()) return Wrong(fmt::format("{}.{}", where, name), "must not be empty");
  return text;
}

Result<Change> ReadHelp(const Json& map, const std::string& where) {
  BERTH_CHECK_OK(CheckMap(map, where, {"namespace", "name", "text", "alike"}));
  if (map.Has("alike") && !map["alike"].is_bool()) return Wrong(where + ".alike", "must be true or false");
  return HelpPod{BERTH_TRY(ReadNeeded(map, "namespace", where)), BERTH_TRY(ReadNeeded(map, "name", where)),
                 BERTH_TRY(ReadNeeded(map, "text", where)), map["alike"].AsBool()};
}

Result<Change> ReadChange(const Json& change, const std::string& where) {
  if (!change.is_map() || change.size() != 1) return Wrong(where, "must be an object with one member");
  const std::string& kind = change.members().front().name;
  const Json& map = change.members().front().value;
  const std::string inner = where + "." + kind;
  if (kind == "addNodes") return ReadAddNodes(map, inner);
  if (kind == "taint" || kind == "untaint") return ReadTaints(map, inner, kind == "untaint");
  if (kind == "removeNodes" || kind == "cordon" || kind == "uncordon") {
    BERTH_CHECK_OK(CheckMap(map, inner, {"names", "selector"}));
    NodeChoice nodes = BERTH_TRY(ReadChoice(map, inner));
    if (kind == "removeNodes") return RemoveNodes{std::move(nodes)};
    return CordonNodes{std::move(nodes), kind == "uncordon"};
  }
  if (kind == "label") {
    BERTH_CHECK_OK(CheckMap(map, inner, {"names", "selector", "labels"}));
    return LabelNodes{BERTH_TRY(ReadChoice(map, inner)), BERTH_TRY(ReadLabels(map, inner))};
  }
  if (kind == "patch") {
    BERTH_CHECK_OK(CheckMap(map, inner, {"kind", "namespace", "name", "patch"}));
    PatchObject patch = BERTH_TRY(ReadObject<PatchObject>(map, inner));
    patch.patch = map["patch"];
    if (!patch.patch.is_map()) return Wrong(inner + ".patch", "must be an object");
    return patch;
  }
  if (kind == "delete") {
    BERTH_CHECK_OK(CheckMap(map, inner, {"kind", "namespace", "name"}));
    return BERTH_TRY(ReadObject<DeleteObject>(map, inner));
  }
  if (kind == "addPods") {
    BERTH_CHECK_OK(CheckMap(map, inner, {"count", "like"}));
    return AddPods{BERTH_TRY(ReadCount(map, inner, kAddedPodsMax)), BERTH_TRY(ReadNeeded(map, "like", inner))};
  }
  if (kind == "help") return ReadHelp(map, inner);
  if (kind == "configure") {
    BERTH_CHECK_OK(CheckMap(map, inner, {"text"}));
    Configure configure{BERTH_TRY(ReadNeeded(map, "text", inner))};
    if (configure.text.size() > kConfigurationBytesMax) {
      return Wrong(inner + ".text", fmt::format("has more than {} bytes", kConfigurationBytesMax));
    }
    if (configure.text.contains('&')) return Wrong(inner + ".text", "must not have anchors: &");
    return configure;
  }
  return Wrong(where, fmt::format("unknown change \"{}\"", kind));
}

Json ChoiceJson(const NodeChoice& choice) {
  Json map = Json::MakeMap();
  if (!choice.names.empty()) map.Set("names", TextList(choice.names));
  if (!choice.selector.empty()) map.Set("selector", std::string_view(choice.selector));
  return map;
}

template <class Object>
Json ObjectJson(const Object& object) {
  return Json{
      {"kind", Json::String(object.kind)}, {"namespace", Json::String(object.ns)}, {"name", Json::String(object.name)}};
}

Json ChangeJson(const Change& change) {
  return std::visit(
      Overloaded{
          [](const AddNodes& add) {
            Json map{{"count", Json::Int(add.count)}};
            if (!add.like.empty()) map.Set("like", std::string_view(add.like));
            if (!add.node.is_null()) map.Set("node", add.node);
            if (!add.labels.is_null()) map.Set("labels", add.labels);
            return Json{{"addNodes", std::move(map)}};
          },
          [](const RemoveNodes& remove) { return Json{{"removeNodes", ChoiceJson(remove.nodes)}}; },
          [](const CordonNodes& cordon) {
            return Json{{cordon.is_undone ? "uncordon" : "cordon", ChoiceJson(cordon.nodes)}};
          },
          [](const LabelNodes& label) {
            Json map = ChoiceJson(label.nodes);
            map.Set("labels", label.labels);
            return Json{{"label", std::move(map)}};
          },
          [](const TaintNodes& taint) {
            Json map = ChoiceJson(taint.nodes);
            Json taints = Json::MakeList();
            for (const api::Taint& one : taint.taints) {
              taints.Append(Json{{"key", Json::String(one.key)},
                                 {"value", Json::String(one.value)},
                                 {"effect", Json::String(one.effect)}});
            }
            map.Set("taints", std::move(taints));
            return Json{{taint.is_undone ? "untaint" : "taint", std::move(map)}};
          },
          [](const PatchObject& patch) {
            Json map = ObjectJson(patch);
            map.Set("patch", patch.patch);
            return Json{{"patch", std::move(map)}};
          },
          [](const DeleteObject& deletion) { return Json{{"delete", ObjectJson(deletion)}}; },
          [](const AddPods& add) {
            return Json{{"addPods", Json{{"count", Json::Int(add.count)}, {"like", Json::String(add.like)}}}};
          },
          [](const HelpPod& help) {
            return Json{{"help", Json{{"namespace", Json::String(help.ns)},
                                      {"name", Json::String(help.name)},
                                      {"text", Json::String(help.text)},
                                      {"alike", Json::Bool(help.with_alike)}}}};
          },
          [](const Configure& configure) { return Json{{"configure", Json{{"text", Json::String(configure.text)}}}}; },
      },
      change);
}

}  // namespace

Result<Question> ParseQuestion(const Json& body) {
  BERTH_CHECK_OK(CheckMap(body, "question", {"changes", "objects", "nodes"}));
  Question question;
  if (body.Has("nodes") && !body["nodes"].is_bool()) return Wrong("nodes", "must be true or false");
  question.shows_nodes = body["nodes"].AsBool();
  const Json& changes = body["changes"];
  const Json& objects = body["objects"];
  if (!changes.is_null() && !changes.is_list()) return Wrong("changes", "must be a list");
  if (!objects.is_null() && !objects.is_list()) return Wrong("objects", "must be a list");
  if (changes.size() > kChangesMax) return Wrong("changes", fmt::format("has more than {}", kChangesMax));
  if (objects.size() > kObjectsMax) return Wrong("objects", fmt::format("has more than {}", kObjectsMax));
  for (size_t i = 0; i < changes.size(); ++i) {
    question.changes.push_back(BERTH_TRY(ReadChange(changes[i], fmt::format("changes[{}]", i))));
  }
  int64_t nodes = 0, pods = 0, configurations = 0;
  for (const Change& change : question.changes) {
    if (const auto* add = std::get_if<AddNodes>(&change)) nodes += add->count;
    if (const auto* add = std::get_if<AddPods>(&change)) pods += add->count;
    if (std::holds_alternative<Configure>(change)) ++configurations;
  }
  if (nodes > kAddedNodesMax) return Wrong("changes", fmt::format("add more than {} nodes", kAddedNodesMax));
  if (pods > kAddedPodsMax) return Wrong("changes", fmt::format("add more than {} pods", kAddedPodsMax));
  if (configurations > 1) return Wrong("changes", "have more than one configuration");
  for (size_t i = 0; i < objects.size(); ++i) {
    if (!objects[i].is_map()) return Wrong(fmt::format("objects[{}]", i), "must be an object");
    question.objects.push_back(objects[i]);
  }
  return question;
}

Result<CounterfactualQuestion> ParseCounterfactualQuestion(const Json& body) {
  BERTH_CHECK_OK(CheckMap(body, "question", {"namespace", "name"}));
  return CounterfactualQuestion{BERTH_TRY(ReadNeeded(body, "namespace", "question")),
                                BERTH_TRY(ReadNeeded(body, "name", "question"))};
}

Json ToJson(const Question& question) {
  Json changes = Json::MakeList();
  for (const Change& change : question.changes) changes.Append(ChangeJson(change));
  Json map{{"changes", std::move(changes)}, {"objects", Json::MakeList(question.objects)}};
  if (question.shows_nodes) map.Set("nodes", Json::Bool(true));
  return map;
}

Result<api::Taint> ParseTaint(std::string_view text) {
  const size_t colon = text.rfind(':');
  constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
  const std::string_view effect = colon == text.npos ? "" : text.substr(colon + 1);
  if (colon == 0 || std::ranges::find(kEffects, effect) == kEffects.end()) {
    return Invalid(fmt::format("\"{}\" is no taint such as key=value:NoSchedule", text));
  }
  const std::string_view pair = text.substr(0, colon);
  const size_t equals = pair.find('=');
  const std::string_view value = equals == pair.npos ? "" : pair.substr(equals + 1);
  return api::Taint{std::string(pair.substr(0, equals)), std::string(value), std::string(effect)};
}

}  // namespace berth::explain
