// SPDX-License-Identifier: Apache-2.0
#include "server/rest/openapi_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/wire/table.h"

namespace berth::server {
namespace {

using api::JsonWriter;
using api::wire::Kind;

struct Parameter {
  std::string_view name;
  std::string_view type = "string";
};

constexpr Parameter kWriteParameters[] = {{"dryRun"}, {"fieldManager"}, {"fieldValidation"}, {"force", "boolean"}};
constexpr Parameter kDeleteParameters[] = {
    {"dryRun"}, {"gracePeriodSeconds", "integer"}, {"orphanDependents", "boolean"}, {"propagationPolicy"}};
constexpr Parameter kListParameters[] = {{"allowWatchBookmarks", "boolean"},
                                         {"continue"},
                                         {"fieldSelector"},
                                         {"labelSelector"},
                                         {"limit", "integer"},
                                         {"resourceVersion"},
                                         {"resourceVersionMatch"},
                                         {"sendInitialEvents", "boolean"},
                                         {"timeoutSeconds", "integer"},
                                         {"watch", "boolean"}};

// An operation: a verb of discovery, what it is in HTTP and in OpenAPI.
struct Operation {
  std::string_view verb;
  std::string_view method;
  std::string_view action;  // Of x-kubernetes-action.
  std::string_view prefix;  // Of the id.
  std::span<const Parameter> parameters = {};
};

constexpr Operation kOfCollections[] = {
    {"list", "get", "list", "list", kListParameters},
    {"create", "post", "post", "create", std::span(kWriteParameters).first(3)},
    {"deletecollection", "delete", "deletecollection", "deleteCollection", kListParameters},
};
constexpr Operation kOfObjects[] = {
    {"get", "get", "get", "read"},
    {"create", "post", "post", "create", std::span(kWriteParameters).first(3)},
    {"update", "put", "put", "replace", std::span(kWriteParameters).first(3)},
    {"patch", "patch", "patch", "patch", kWriteParameters},
    {"delete", "delete", "delete", "delete", kDeleteParameters},
};

constexpr std::string_view kPatchTypes[] = {"application/apply-patch+yaml", "application/json-patch+json",
                                            "application/merge-patch+json", "application/strategic-merge-patch+json"};
constexpr std::string_view kAnyType[] = {"*/*"};

bool Has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::string_view kAnswerTypes[] = {"application/json", "application/yaml",
                                             "application/vnd.kubernetes.protobuf"};
constexpr std::string_view kPatchMessage = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

void WriteParameter(JsonWriter& out, OpenApiForm form, const Parameter& parameter, bool is_in_path) {
  out.BeginObject().Key("name").String(parameter.name).Key("in").String(is_in_path ? "path" : "query");
  if (is_in_path) out.Key("required").Bool(true);
  if (form == OpenApiForm::kV3) out.Key("schema").BeginObject();
  out.Key("type").String(parameter.type).Key("uniqueItems").Bool(true);
  if (form == OpenApiForm::kV3) out.EndObject();
  out.EndObject();
}

void WriteSchema(JsonWriter& out, OpenApiForm form, std::string_view message) {
  out.Key("schema").BeginObject();
  WriteReference(out, form, message);
  out.EndObject();
}

// Of v3.
void WriteContent(JsonWriter& out, std::string_view media_type, std::string_view message) {
  out.Key(media_type).BeginObject();
  WriteSchema(out, OpenApiForm::kV3, message);
  out.EndObject();
}

void WriteMediaTypes(JsonWriter& out, std::string_view name, std::span<const std::string_view> words) {
  out.Key(name).BeginArray();
  for (const std::string_view word : words) out.String(word);
  out.EndArray();
}

// policy -> Policy, rbac.authorization.k8s.io -> RbacAuthorization.
std::string GroupInId(std::string_view group) {
  if (group.empty()) return "Core";
  if (group.ends_with(".k8s.io")) group.remove_suffix(7);
  std::string id;
  bool is_first = true;
  for (const char c : group) {
    if (c != '.') id += is_first && c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    is_first = c == '.';
  }
  return id;
}

std::string Capitalized(std::string_view word) {
  std::string text(word);
  if (!text.empty() && text[0] >= 'a') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// Writes the paths of one resource.
class PathWriter {
 public:
  PathWriter(JsonWriter& out, const Resource& resource, OpenApiSchemas& schemas)
      : out_(out), resource_(resource), schemas_(schemas) {}

  void Write() {
    const std::string root = resource_.group.empty() ? fmt::format("/api/{}/", resource_.version)
                                                     : fmt::format("/apis/{}/{}/", resource_.group, resource_.version);
    const std::string path =
        fmt::format("{}{}{}", root, resource_.namespaced ? "namespaces/{namespace}/" : "", resource_.plural);
    const ShownKind own = Of(resource_);
    kind_ = own;
    WritePath(path, kOfCollections, resource_.verbs, {}, false);
    if (resource_.namespaced && !resource_.is_virtual()) {
      WritePath(root + std::string(resource_.plural), std::span(kOfCollections).first(1), resource_.verbs,
                "ForAllNamespaces", false);
    }
    if (resource_.is_virtual()) return;
    WritePath(path + "/{name}", kOfObjects, resource_.verbs, {}, true);
    for (const Subresource& each : resource_.subresources) {
      const std::string api_version =
          each.group.empty() ? std::string(resource_.api_version) : fmt::format("{}/{}", each.group, each.version);
      const Kind* const of = api::wire::FindKind(api_version, each.kind);
      if (of == nullptr && !each.group.empty()) continue;
      kind_ = of == nullptr ? own : Of(*of);
      WritePath(fmt::format("{}/{{name}}/{}", path, each.name), kOfObjects, each.verbs, Capitalized(each.name), true);
    }
  }

 private:
  // A kind and the name of its schema.
  struct ShownKind {
    std::string_view api_version;
    std::string_view kind;
    std::string schema;
  };

  ShownKind Of(const Kind& kind) {
    schemas_.Add(kind.message);
    return {kind.api_version, kind.kind, std::string(api::wire::MessageAt(kind.message).name)};
  }
  ShownKind Of(const Resource& resource) {
    if (resource.custom == nullptr) return Of(*resource.wire);
    schemas_.Add(resource);
    return {resource.api_version, resource.kind, CustomSchemaName(resource, resource.kind)};
  }
  ShownKind OfList() {
    if (resource_.custom == nullptr) return Of(*api::wire::FindKind(resource_.api_version, resource_.list_kind));
    return {resource_.api_version, resource_.list_kind, CustomSchemaName(resource_, resource_.list_kind)};
  }

  void WritePath(const std::string& path, std::span<const Operation> operations,
                 const std::vector<std::string_view>& verbs, std::string_view suffix, bool has_name) {
    out_.Key(path).BeginObject();
    for (const Operation& operation : operations) {
      // POST creates in a collection or in a subresource, never an object by its name.
      const bool is_post_of_object = operation.verb == "create" && has_name && suffix.empty();
      if (Has(verbs, operation.verb) && !is_post_of_object) WriteOperation(operation, suffix);
    }
    out_.Key("parameters").BeginArray();
    if (has_name) WriteParameter(out_, schemas_.form(), {"name"}, true);
    if (path.find("{namespace}") != std::string::npos) {
      WriteParameter(out_, schemas_.form(), {"namespace"}, true);
    }
    WriteParameter(out_, schemas_.form(), {"pretty"}, false);
    out_.EndArray().EndObject();
  }

  void WriteOperation(const Operation& operation, std::string_view suffix) {
    out_.Key(operation.method).BeginObject();
    out_.Key("tags").BeginArray().String(Tag()).EndArray();
    out_.Key("operationId").String(Id(operation, suffix));
    WriteParameters(operation);
    if (!is_v2() && operation.method != "get") WriteRequestBody(operation);
    if (is_v2()) WriteTypes(operation);
    WriteResponses(operation);
    out_.Key("x-kubernetes-action").String(IsConnection() ? "connect" : operation.action);
    WriteKind();
    out_.EndObject();
  }

  std::string Tag() const {
    std::string tag = GroupInId(resource_.group);
    if (tag[0] <= 'Z') tag[0] = static_cast<char>(tag[0] - 'A' + 'a');
    return fmt::format("{}_{}", tag, resource_.version);
  }

  // exec and the like, which lead to a stream.
  bool IsConnection() const { return resource_.custom == nullptr && kind_.kind.ends_with("Options"); }

  std::string Id(const Operation& operation, std::string_view suffix) const {
    if (IsConnection()) {
      return fmt::format("connect{}{}{}Namespaced{}{}", GroupInId(resource_.group), Capitalized(resource_.version),
                         Capitalized(operation.method), resource_.kind, suffix);
    }
    const bool is_for_all = suffix == "ForAllNamespaces";
    const std::string_view scope = resource_.namespaced && !is_for_all ? "Namespaced" : "";
    const std::string_view collection = operation.verb == "deletecollection" ? "Collection" : "";
    const std::string_view prefix = collection.empty() ? operation.prefix : "delete";
    return fmt::format("{}{}{}{}{}{}{}", prefix, GroupInId(resource_.group), Capitalized(resource_.version), collection,
                       scope, resource_.kind, suffix);
  }

  bool is_v2() const { return schemas_.form() == OpenApiForm::kV2; }

  // In v2 the body is one of them.
  void WriteParameters(const Operation& operation) {
    const bool has_body = is_v2() && operation.method != "get";
    if (operation.parameters.empty() && !has_body) return;
    out_.Key("parameters").BeginArray();
    for (const Parameter& parameter : operation.parameters) WriteParameter(out_, schemas_.form(), parameter, false);
    if (has_body) {
      out_.BeginObject().Key("name").String("body").Key("in").String("body");
      if (operation.method != "delete") out_.Key("required").Bool(true);
      WriteSchema(out_, OpenApiForm::kV2, BodyMessage(operation));
      out_.EndObject();
    }
    out_.EndArray();
  }

  std::string BodyMessage(const Operation& operation) {
    if (operation.method == "patch") return std::string(kPatchMessage);
    return operation.method == "delete" ? Common("DeleteOptions").schema : kind_.schema;
  }

  static std::span<const std::string_view> BodyTypes(const Operation& operation) {
    if (operation.method == "patch") return kPatchTypes;
    return kAnyType;
  }

  void WriteRequestBody(const Operation& operation) {
    out_.Key("requestBody").BeginObject().Key("content").BeginObject();
    for (const std::string_view type : BodyTypes(operation)) WriteContent(out_, type, BodyMessage(operation));
    out_.EndObject().EndObject();
  }

  // Of v2, where they belong to the whole operation.
  void WriteTypes(const Operation& operation) {
    WriteMediaTypes(out_, "consumes", BodyTypes(operation));
    WriteMediaTypes(out_, "produces", kAnswerTypes);
  }

  void WriteResponses(const Operation& operation) {
    ShownKind answer = kind_;
    if (operation.verb == "list") answer = OfList();
    if (operation.verb == "deletecollection" || (operation.verb == "delete" && !resource_.returns_deleted)) {
      answer = Common("Status");
    }
    const std::string_view message = answer.schema;
    out_.Key("responses").BeginObject().Key(operation.method == "post" ? "201" : "200").BeginObject();
    out_.Key("description").String(operation.method == "post" ? "Created" : "OK");
    if (is_v2()) {
      WriteSchema(out_, OpenApiForm::kV2, message);
    } else {
      out_.Key("content").BeginObject();
      for (const std::string_view type : kAnswerTypes) WriteContent(out_, type, message);
      out_.EndObject();
    }
    out_.EndObject().EndObject();
  }

  ShownKind Common(std::string_view name) { return Of(*api::wire::FindKind("v1", name)); }

  void WriteKind() {
    const size_t slash = kind_.api_version.find('/');
    const bool is_core = slash == std::string_view::npos;
    out_.Key("x-kubernetes-group-version-kind").BeginObject();
    out_.Key("group").String(is_core ? std::string_view() : kind_.api_version.substr(0, slash));
    out_.Key("version").String(is_core ? kind_.api_version : kind_.api_version.substr(slash + 1));
    out_.Key("kind").String(kind_.kind).EndObject();
  }

  JsonWriter& out_;
  const Resource& resource_;
  OpenApiSchemas& schemas_;
  ShownKind kind_;  // Of the current path.
};

}  // namespace

void WritePaths(JsonWriter& out, const Resource& resource, OpenApiSchemas& schemas) {
  PathWriter(out, resource, schemas).Write();
}

}  // namespace berth::server
