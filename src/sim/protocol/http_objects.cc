// SPDX-License-Identifier: Apache-2.0
// Requests about single objects.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/json_writer.h"
#include "sim/protocol/http_api.h"

namespace berth::sim {
namespace {

using client::JsonMember;

const std::map<std::string, std::string, std::less<>> kKinds = {{"pods", "Pod"},
                                                                {"persistentvolumes", "PersistentVolume"},
                                                                {"persistentvolumeclaims", "PersistentVolumeClaim"},
                                                                {"resourceclaims", "ResourceClaim"},
                                                                {"leases", "Lease"}};

void RefuseMissing(Line* line, std::string_view key) {
  Refuse(line, 404, "NotFound", fmt::format("{} not found", key));
}

// What `patch` leaves of `before`: null removes a member.
std::string Merged(api::Value before, api::Value patch) {
  api::JsonWriter out;
  out.BeginObject();
  for (size_t i = 0; i < before.size(); ++i) {
    bool is_patched = false;
    for (size_t j = 0; j < patch.size(); ++j) is_patched |= patch.key(j) == before.key(i);
    if (!is_patched) out.Key(before.key(i)).Raw(before[i].ToJson());
  }
  for (size_t j = 0; j < patch.size(); ++j) {
    if (!patch[j].is_null()) out.Key(patch.key(j)).Raw(patch[j].ToJson());
  }
  return out.EndObject().Take();
}

api::Value FindType(api::Value conditions, std::string_view type) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i]["type"].text() == type) return conditions[i];
  }
  return {};
}

// A list that is merged by the type of its elements.
std::string MergedConditions(api::Value before, api::Value patch) {
  api::JsonWriter out;
  out.BeginArray();
  for (size_t i = 0; i < before.size(); ++i) {
    const api::Value change = FindType(patch, before[i]["type"].text());
    out.Raw(change.is_null() ? before[i].ToJson() : Merged(before[i], change));
  }
  for (size_t j = 0; j < patch.size(); ++j) {
    if (FindType(before, patch[j]["type"].text()).is_null()) out.Raw(Merged({}, patch[j]));
  }
  return out.EndArray().Take();
}

}  // namespace

void HttpApi::Handle(const net::Request& request, const LinePtr& line) {
  const Target target = ParseTarget(request.target);
  const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  const auto resource = std::ranges::find_if(
      resources_, [&](const client::WatchedResource& candidate) { return candidate.Path() == path; });
  if (resource != resources_.end()) return HandleCollection(request, target, *resource, line);
  HandleObject(request, target, line.get());
}

// The path is /api/v1 or /apis/GROUP/VERSION, perhaps namespaces/NS, then RESOURCE, NAME and SUBRESOURCE.
void HttpApi::HandleObject(const net::Request& request, const Target& target, Line* line) {
  const size_t base = target.path.at(0) == "api" ? 2 : 3;
  const bool has_namespace = target.path.at(base) == "namespaces";
  const size_t at = has_namespace ? base + 2 : base;
  const std::string& plural = target.path.at(at);
  if (plural == "events") return HandleEvent(request, target, line);
  const std::string& kind = kKinds.at(plural);
  if (request.method == "POST" && target.path.size() == at + 1) return Create(request, kind, line);
  const std::string key = (has_namespace ? target.path.at(base + 1) : "") + "/" + target.path.at(at + 1);
  if (store_.Find(kind, key) == nullptr) return RefuseMissing(line, key);
  if (request.method == "POST") return BindPod(request, key, line);
  if (request.method == "PATCH") {
    return kind == "Pod" ? PatchPodStatus(request, key, line) : PatchClaimStatus(request, key, line);
  }
  if (request.method == "DELETE") return DeletePod(key, line);
  if (request.method == "PUT") return Put(request, kind, key, line);
  AnswerJson(line, 200, store_.Find(kind, key)->json);
}

void HttpApi::BindPod(const net::Request& request, const std::string& key, Line* line) {
  const StoredPtr pod = store_.Find("Pod", key);
  const api::Document body = ParseBody(request).value();
  const std::string uid(body.root()["metadata"]["uid"].text());
  const std::string node(body.root()["target"]["name"].text());
  if (pod->uid != uid) return Refuse(line, 409, "Conflict", "the UID in the precondition does not match");
  on_binding_(*pod, node);
  if (!pod->root()["metadata"]["deletionTimestamp"].is_null()) {
    return Refuse(line, 409, "Conflict", fmt::format("pod {} is being deleted, cannot be assigned to a host", key));
  }
  if (const std::string_view bound = pod->root()["spec"]["nodeName"].text(); !bound.empty()) {
    return Refuse(line, 409, "Conflict", fmt::format("pod {} is already assigned to node {}", key, bound));
  }
  ++bindings_;
  const api::Document condition =
      api::ParseJson(fmt::format(R"([{{"type":"PodScheduled","status":"True","lastTransitionTime":"{}"}}])",
                                 FormatTime(agenda_.now())))
          .value();
  const std::vector<JsonMember> members = {
      {{"spec", "nodeName"}, Quoted(node)},
      {{"status", "conditions"}, MergedConditions(pod->root()["status"]["conditions"], condition.root())}};
  store_.Edit(*pod, members);
  AnswerJson(line, 201, StatusJson(201, "", ""));
}

void HttpApi::PatchPodStatus(const net::Request& request, const std::string& key, Line* line) {
  const StoredPtr pod = store_.Find("Pod", key);
  const api::Document body = ParseBody(request).value();
  const api::Value patch = body.root()["status"];
  std::vector<JsonMember> members;
  if (!patch["conditions"].is_null()) {
    members.push_back(
        {{"status", "conditions"}, MergedConditions(pod->root()["status"]["conditions"], patch["conditions"])});
  }
  for (size_t i = 0; i < patch.size(); ++i) {
    if (patch.key(i) == "nominatedNodeName") {
      members.push_back({{"status", "nominatedNodeName"}, Quoted(patch[i].text())});
    }
  }
  AnswerJson(line, 200, store_.Edit(*pod, members)->json);
}

// Takes consumers out of the list, which is all that is asked for.
void HttpApi::PatchClaimStatus(const net::Request& request, const std::string& key, Line* line) {
  const StoredPtr claim = store_.Find("ResourceClaim", key);
  const api::Document body = ParseBody(request).value();
  if (body.root()["metadata"]["uid"].text() != claim->uid) {
    return Refuse(line, 409, "Conflict", "the UID in the precondition does not match");
  }
  const api::Value gone = body.root()["status"]["reservedFor"];
  const api::Value consumers = claim->root()["status"]["reservedFor"];
  api::JsonWriter left;
  left.BeginArray();
  for (size_t i = 0; i < consumers.size(); ++i) {
    bool is_gone = false;
    for (size_t j = 0; j < gone.size(); ++j) is_gone |= gone[j]["uid"].text() == consumers[i]["uid"].text();
    if (!is_gone) left.Raw(consumers[i].ToJson());
  }
  const std::vector<JsonMember> members = {{{"status", "reservedFor"}, left.EndArray().Take()}};
  AnswerJson(line, 200, store_.Edit(*claim, members)->json);
}

void HttpApi::DeletePod(const std::string& key, Line* line) {
  const StoredPtr pod = store_.Find("Pod", key);
  if (pod->root()["spec"]["nodeName"].text().empty()) {
    store_.Remove("Pod", key);
  } else if (pod->root()["metadata"]["deletionTimestamp"].is_null()) {
    const std::vector<JsonMember> members = {
        {{"metadata", "deletionTimestamp"}, Quoted(FormatTime(agenda_.now() + Seconds(30)))},
        {{"metadata", "deletionGracePeriodSeconds"}, "30"}};
    store_.Edit(*pod, members);
  }
  AnswerJson(line, 200, pod->json);
}

void HttpApi::Put(const net::Request& request, const std::string& kind, const std::string& key, Line* line) {
  const api::Document body = ParseBody(request).value();
  const std::string version(body.root()["metadata"]["resourceVersion"].text());
  if (!version.empty() && version != std::to_string(store_.Find(kind, key)->version)) {
    return Refuse(line, 409, "Conflict", "the object has been modified");
  }
  AnswerJson(line, 200, store_.Write(body.root().ToJson())->json);
}

void HttpApi::Create(const net::Request& request, const std::string& kind, Line* line) {
  const api::Document body = ParseBody(request).value();
  const api::Value meta = body.root()["metadata"];
  if (store_.Find(kind, fmt::format("{}/{}", meta["namespace"].text(), meta["name"].text())) != nullptr) {
    return Refuse(line, 409, "AlreadyExists", "it exists");
  }
  AnswerJson(line, 201, store_.Write(body.root().ToJson())->json);
}

// Events are not kept, only their names.
void HttpApi::HandleEvent(const net::Request& request, const Target& target, Line* line) {
  const api::Document body = ParseBody(request).value();
  if (request.method == "POST") {
    const std::string name(body.root()["metadata"]["name"].text());
    if (!events_.insert(name).second) return Refuse(line, 409, "AlreadyExists", "it exists");
    return AnswerJson(line, 201, body.root().ToJson());
  }
  if (!events_.contains(target.path.back())) return RefuseMissing(line, target.path.back());
  AnswerJson(line, 200, "{}");
}

}  // namespace berth::sim
