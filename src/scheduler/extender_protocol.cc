// SPDX-License-Identifier: Apache-2.0
#include "scheduler/extender_protocol.h"

#include <fmt/format.h>

#include "api/decode/decode.h"
#include "api/document/json_scan.h"
#include "api/document/json_writer.h"
#include "api/source.h"
#include "scheduler/go_json.h"

namespace berth::scheduler {
namespace {

using api::JsonWriter;
using api::Value;
using cluster::PodInfo;

std::string MetadataOnly(std::string_view name, std::string_view ns, std::string_view uid) {
  JsonWriter out;
  out.BeginObject().Key("metadata").BeginObject();
  out.Text("name", name).Text("namespace", ns).Text("uid", uid).EndObject();
  return out.EndObject().Take();
}

bool HasNodeName(std::string_view pod_source) {
  const std::optional<size_t> spec = api::FindJsonMember(pod_source, 0, "spec");
  return spec && api::FindJsonMember(pod_source, *spec, "nodeName");
}

std::string PodJson(const PodInfo& pod) {
  if (!pod.source) return MetadataOnly(pod.name, pod.ns(), pod.uid);
  // The source of an assumed pod is from before it was assumed.
  const bool is_older = !pod.node_name.empty() && !HasNodeName(*pod.source);
  return is_older ? api::SourceOnNode(*pod.source, pod.node_name) : *pod.source;
}

void WriteNodes(JsonWriter& out, std::span<const api::Node* const> nodes) {
  out.BeginObject().Key("metadata").BeginObject().EndObject().Key("items");
  if (nodes.empty()) {
    out.Null();
  } else {
    out.BeginArray();
    for (const api::Node* node : nodes)
      out.Raw(node->source ? *node->source : MetadataOnly(node->meta.name, {}, node->meta.uid));
    out.EndArray();
  }
  out.EndObject();
}

void WriteVictims(JsonWriter& out, const std::map<std::string, ExtenderVictims>& candidates, bool by_uid) {
  out.BeginObject();
  for (const auto& [node, victims] : candidates) {
    out.Key(node).BeginObject().Key("Pods").BeginArray();
    for (const cluster::PodPtr& pod : victims.pods) {
      by_uid ? out.BeginObject().Key("UID").String(pod->uid).EndObject() : out.Raw(PodJson(*pod));
    }
    out.EndArray().Key("NumPDBViolations").Int(victims.num_pdb_violations).EndObject();
  }
  out.EndObject();
}

void ReadStrings(GoJsonReader& reader, Value value, std::vector<std::string>& out) {
  if (!reader.IsList(value, "[]string")) return;
  out.resize(value.size());
  for (size_t i = 0; i < out.size(); ++i) reader.String(value[i], out[i]);
}

void ReadFailures(GoJsonReader& reader, Value value, std::map<std::string, std::string>& out) {
  if (value.is_null()) return out.clear();
  if (!reader.IsMap(value, "v1.FailedNodesMap")) return;
  for (size_t i = 0; i < value.size(); ++i) reader.String(value[i], out[std::string(value.key(i))] = {});
}

void ReadNode(GoJsonReader& reader, Value value, api::Node& out) {
  if (value.is_null() || !reader.IsMap(value, "v1.Node")) return;
  Result<api::Node> node = api::DecodeNode(value);
  if (!node) return reader.Fail(std::move(node.error().message));
  if (const Result<void> kept = api::KeepSource(*node, value); !kept) return reader.Fail(kept.error().message);
  out = *std::move(node);
}

void ReadNodes(GoJsonReader& reader, Value value, std::vector<api::Node>& out) {
  reader.Struct(value, "v1.NodeList", {{"items", [&](Value items) {
                                          out.clear();
                                          if (items.is_null() || !reader.IsList(items, "[]v1.Node")) return;
                                          out.resize(items.size());
                                          for (size_t i = 0; i < out.size(); ++i) ReadNode(reader, items[i], out[i]);
                                        }}});
}

template <class T, class Read>
void ReadPointer(Value value, std::optional<T>& out, const Read& read) {
  if (value.is_null()) return out.reset();
  if (!out) out.emplace();
  read(value, *out);
}

// A pod of a preemption answer, which may be null.
using MetaPod = std::optional<std::string>;
struct NullableVictims {
  std::vector<MetaPod> pods;
  int64_t num_pdb_violations = 0;
};

void ReadPods(GoJsonReader& reader, Value value, std::vector<MetaPod>& out) {
  if (value.is_null()) return out.clear();
  if (!reader.IsList(value, "[]*v1.MetaPod")) return;
  out.resize(value.size());
  for (size_t i = 0; i < out.size(); ++i) {
    ReadPointer(value[i], out[i], [&](Value pod, std::string& uid) {
      reader.Struct(pod, "v1.MetaPod", {{"UID", [&](Value text) { reader.String(text, uid); }}});
    });
  }
}

using NodeVictims = std::map<std::string, std::optional<NullableVictims>>;

void ReadVictims(GoJsonReader& reader, Value value, NodeVictims& out) {
  if (value.is_null()) return out.clear();
  if (!reader.IsMap(value, "map[string]*v1.MetaVictims")) return;
  for (size_t i = 0; i < value.size(); ++i) {
    ReadPointer(value[i], out[std::string(value.key(i))] = {}, [&](Value victims, NullableVictims& to) {
      reader.Struct(victims, "v1.MetaVictims",
                    {{"Pods", [&](Value pods) { ReadPods(reader, pods, to.pods); }},
                     {"NumPDBViolations", [&](Value number) { reader.Int(number, to.num_pdb_violations); }}});
    });
  }
}

Result<MetaVictims> WithoutNulls(const std::string& node, std::optional<NullableVictims> victims) {
  if (!victims) return Invalid(fmt::format("the extender's answer has null victims for node \"{}\"", node));
  MetaVictims out{.uids = {}, .num_pdb_violations = victims->num_pdb_violations};
  for (MetaPod& pod : victims->pods) {
    if (!pod) return Invalid(fmt::format("the extender's answer has a null pod for node \"{}\"", node));
    out.uids.push_back(*std::move(pod));
  }
  return out;
}

}  // namespace

std::string NodesRequest(const PodInfo& pod, std::span<const api::Node* const> nodes, bool by_name) {
  JsonWriter out;
  out.BeginObject().Key("Pod").Raw(PodJson(pod)).Key("Nodes");
  if (by_name) {
    out.Null().Key("NodeNames").BeginArray();
    for (const api::Node* node : nodes) out.String(node->meta.name);
    out.EndArray();
  } else {
    WriteNodes(out, nodes);
    out.Key("NodeNames").Null();
  }
  return out.EndObject().Take();
}

std::string PreemptRequest(const PodInfo& pod, const std::map<std::string, ExtenderVictims>& candidates, bool by_uid) {
  JsonWriter out;
  out.BeginObject().Key("Pod").Raw(PodJson(pod)).Key("NodeNameToVictims");
  if (by_uid) out.Null().Key("NodeNameToMetaVictims");
  WriteVictims(out, candidates, by_uid);
  if (!by_uid) out.Key("NodeNameToMetaVictims").Null();
  return out.EndObject().Take();
}

std::string BindRequest(const PodInfo& pod, std::string_view node_name) {
  JsonWriter out;
  out.BeginObject().Key("PodName").String(pod.name).Key("PodNamespace").String(pod.ns());
  return out.Key("PodUID").String(pod.uid).Key("Node").String(node_name).EndObject().Take();
}

Result<FilterAnswer> DecodeFilterAnswer(std::string_view body) {
  const api::Document document = BERTH_TRY(ParseFirstJson(body));
  GoJsonReader reader;
  FilterAnswer answer;
  const auto nodes = [&](Value value) {
    ReadPointer(value, answer.nodes, [&](Value list, auto& out) { ReadNodes(reader, list, out); });
  };
  const auto names = [&](Value value) {
    ReadPointer(value, answer.node_names, [&](Value list, auto& out) { ReadStrings(reader, list, out); });
  };
  reader.Struct(document.root(), "v1.ExtenderFilterResult",
                {{"Nodes", nodes},
                 {"NodeNames", names},
                 {"FailedNodes", [&](Value value) { ReadFailures(reader, value, answer.failed); }},
                 {"FailedAndUnresolvableNodes",
                  [&](Value value) { ReadFailures(reader, value, answer.failed_and_unresolvable); }},
                 {"Error", [&](Value value) { reader.String(value, answer.error); }}});
  BERTH_CHECK_OK(reader.Finish());
  return answer;
}

Result<std::vector<HostPriority>> DecodePrioritizeAnswer(std::string_view body) {
  const api::Document document = BERTH_TRY(ParseFirstJson(body));
  const Value root = document.root();
  GoJsonReader reader;
  std::vector<HostPriority> answer;
  if (!root.is_null() && reader.IsList(root, "v1.HostPriorityList")) {
    answer.resize(root.size());
    for (size_t i = 0; i < answer.size(); ++i) {
      reader.Struct(root[i], "v1.HostPriority",
                    {{"Host", [&](Value host) { reader.String(host, answer[i].host); }},
                     {"Score", [&](Value score) { reader.Int(score, answer[i].score); }}});
    }
  }
  BERTH_CHECK_OK(reader.Finish());
  return answer;
}

Result<PreemptAnswer> DecodePreemptAnswer(std::string_view body) {
  const api::Document document = BERTH_TRY(ParseFirstJson(body));
  GoJsonReader reader;
  NodeVictims nodes;
  reader.Struct(document.root(), "v1.ExtenderPreemptionResult",
                {{"NodeNameToMetaVictims", [&](Value value) { ReadVictims(reader, value, nodes); }}});
  BERTH_CHECK_OK(reader.Finish());
  PreemptAnswer answer;
  for (auto& [node, victims] : nodes) answer.emplace(node, BERTH_TRY(WithoutNulls(node, std::move(victims))));
  return answer;
}

Result<std::string> DecodeBindAnswer(std::string_view body) {
  const api::Document document = BERTH_TRY(ParseFirstJson(body));
  GoJsonReader reader;
  std::string error;
  reader.Struct(document.root(), "v1.ExtenderBindingResult",
                {{"Error", [&](Value value) { reader.String(value, error); }}});
  BERTH_CHECK_OK(reader.Finish());
  return error;
}

}  // namespace berth::scheduler
