// SPDX-License-Identifier: Apache-2.0
// POST, PUT, PATCH and DELETE.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "server/model/strategy.h"
#include "server/objects/pod_actions.h"
#include "server/objects/scale.h"
#include "server/patch/apply.h"
#include "server/patch/body.h"
#include "server/patch/patch.h"
#include "server/patch/reset_fields.h"
#include "server/rest/answer.h"
#include "server/rest/api_server.h"
#include "server/rest/selection.h"

namespace berth::server {
namespace {

constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

// Whether nothing shall be stored. `kind` names the options in an error.
Outcome<bool> IsDryRun(const Query& query, std::string_view kind) {
  const std::string_view text = query.Get("dryRun");
  if (text.empty()) return false;
  if (text == "All") return true;
  FieldErrors errors;
  errors.Add({.reason = "FieldValueNotSupported",
              .message = fmt::format("Unsupported value: [\"{}\"]: supported values: \"All\"", text),
              .field = "dryRun"});
  return Invalid("meta.k8s.io", kind, "", std::move(errors));
}

// An object is where its path says, and may leave out to say so itself.
Outcome<void> SettleNamespace(Json& object, const Call& call) {
  Json& metadata = object.Make("metadata");
  const std::string& given = metadata["namespace"].text();
  if (!call.resource->namespaced) {
    metadata.Erase("namespace");
  } else if (given.empty()) {
    metadata.Set("namespace", call.ns);
  } else if (given != call.ns) {
    return BadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return {};
}

Outcome<void> CheckName(const Json& object, const Call& call) {
  const std::string& given = object["metadata"]["name"].text();
  if (given == call.name) return {};
  if (given.empty()) {
    return BadRequest(
        fmt::format("the name of the object ({} based on URL) was undeterminable: name must be provided", call.name));
  }
  return BadRequest(
      fmt::format("the name of the object ({}) does not match the name on the URL ({})", given, call.name));
}

std::string_view OptionsKind(std::string_view method) {
  if (method == "POST") return "CreateOptions";
  return method == "PUT" ? "UpdateOptions" : "PatchOptions";
}

Refusal NoSuchPatch(const Resource& resource) {
  if (resource.custom != nullptr) {
    return std::unexpected(StatusError{
        .code = 415,
        .reason = "UnsupportedMediaType",
        .message = "the body of the request was in an unknown format - accepted media types include: "
                   "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"});
  }
  return std::unexpected(StatusError{
      .code = 415, .reason = "UnsupportedMediaType", .message = "415: Unsupported Media Type", .has_details = true});
}

// The scale as a configuration of it wants it. Who owns its number is noted in the object that has it.
Outcome<Json> ApplyToScale(const Json& scale, const Json& config, FieldManagerOptions options) {
  static const BodyKind kKind(*api::wire::FindKind("autoscaling/v1", "Scale"));
  options.api_version = kKind.api_version;
  options.kind = kKind.kind;
  options.custom = nullptr;
  options.reset = nullptr;
  options.force = true;
  return ApplyConfig(&scale, config, kKind.schema, options);
}

// What a configuration of a scale wants of the object that has it.
Json ReplicasOf(const Resource& resource, const Json& config) {
  Json object{{"kind", Json::String(resource.kind)}, {"apiVersion", Json::String(resource.api_version)}};
  if (const Json* replicas = config["spec"].Find("replicas")) SetReplicas(resource, object, replicas->IntOr(0));
  return object;
}

// From the body, or from the query if there is none.
Outcome<DeleteOptions> ReadOptions(Call& call) {
  static const api::wire::Kind* const kKind = api::wire::FindKind("v1", "DeleteOptions");
  const Query& query = call.target.query;
  Json options;
  if (!call.request.body.empty()) {
    const std::string_view content_type = call.request.Find("Content-Type");
    Body body = BERTH_TRY(DecodeBody(content_type, call.request.body, *kKind, FieldValidation::kIgnore));
    options = std::move(body.object);
  } else {
    const auto grace = BERTH_TRY(ParseIntParameter(query, "gracePeriodSeconds"));
    if (grace) options.Set("gracePeriodSeconds", Json::Int(*grace));
    if (query.Has("orphanDependents")) options.Set("orphanDependents", Json::Bool(query.IsSet("orphanDependents")));
    options.Set("propagationPolicy", query.Get("propagationPolicy"));
  }
  if (BERTH_TRY(IsDryRun(query, "DeleteOptions"))) options.Make("dryRun").Append(Json::String("All"));
  const std::string& policy = options["propagationPolicy"].text();
  if (!policy.empty() && policy != "Orphan" && policy != "Background" && policy != "Foreground") {
    FieldErrors errors;
    errors.NotSupported("propagationPolicy", policy, {"Foreground", "Background", "Orphan", "nil"});
    return Invalid("meta.k8s.io", "DeleteOptions", "", std::move(errors));
  }
  if (!policy.empty() && options.Has("orphanDependents")) {
    FieldErrors errors;
    errors.Invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set");
    return Invalid("meta.k8s.io", "DeleteOptions", "", std::move(errors));
  }
  DeleteOptions read = ReadDeleteOptions(options);
  const std::string_view warning = call.resource->strategy->deletion_warning();
  if (read.propagation == DeleteOptions::Propagation::kDefault && !warning.empty()) call.warnings.emplace_back(warning);
  read.warnings = &call.warnings;
  read.user = [&call] { return UserInfo(call.user); };
  return read;
}

Json DeletedStatus(const Resource& resource, const StoredObject& object) {
  Json details{{"name", Json::String(object.name())},
               {"kind", Json::String(resource.plural)},
               {"uid", Json::String(object.uid())}};
  if (!resource.group.empty()) details.Set("group", resource.group);
  return Json{{"kind", Json::String("Status")},
              {"apiVersion", Json::String("v1")},
              {"metadata", Json::MakeMap()},
              {"status", Json::String("Success")},
              {"details", std::move(details)}};
}

}  // namespace

Outcome<WriteOptions> ApiServer::OptionsOf(Call& call, std::string_view kind) const {
  constexpr size_t kManagerMax = 128;
  WriteOptions options{.manager = call.Manager(),
                       .subresource = call.subresource,
                       .warnings = &call.warnings,
                       .dialog = call.dialog.get()};
  FieldErrors errors;
  const std::string_view manager = call.target.query.Get("fieldManager");
  if (manager.size() > kManagerMax) errors.TooLong("fieldManager", kManagerMax);
  const auto control = std::ranges::find_if(manager, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
  if (control != manager.end()) {
    errors.Invalid("fieldManager", manager,
                   fmt::format("invalid character U+{:04X} (at position {})", static_cast<unsigned>(*control),
                               control - manager.begin()));
  }
  const bool is_apply = MediaType(call.request.Find("Content-Type")) == kApplyPatch;
  if (kind == "PatchOptions" && !is_apply && call.target.query.Has("force")) {
    errors.Forbidden("force", "may not be specified for non-apply patch");
  }
  if (!errors.empty()) return Invalid("meta.k8s.io", kind, "", std::move(errors));
  options.dry_run = BERTH_TRY(IsDryRun(call.target.query, kind));
  options.user = [&call] { return UserInfo(call.user); };
  if (access_.asks_roles()) {
    options.may = [this, &call](const Json& object, const Json* old) { return CheckRights(call, object, old); };
  }
  return options;
}

// Beyond what was asked about the request: whether the user may give these rights, and may create what is not there.
Outcome<void> ApiServer::CheckRights(const Call& call, const Json& object, const Json* old) const {
  BERTH_CHECK_OK(access_.CheckGrant(call.user, *call.resource, call.ns, call.name, object, old));
  if (old != nullptr || call.name.empty()) return {};
  const Attributes creation{.is_resource = true,
                            .verb = "create",
                            .group = std::string(call.resource->group),
                            .resource = std::string(call.resource->plural),
                            .subresource = call.subresource,
                            .ns = call.ns,
                            .name = call.name};
  const Decision decision = access_.Authorize(call.user, creation);
  if (decision.is_allowed) return {};
  return NotAuthorized(call.user, creation, decision.reason);
}

Outcome<void> ApiServer::Create(Call& call) {
  const WriteOptions options = BERTH_TRY(OptionsOf(call, "CreateOptions"));
  const FieldValidation validation = BERTH_TRY(ParseFieldValidation(call.target.query.Get("fieldValidation")));
  Body body = BERTH_TRY(DecodeBody(call.request.Find("Content-Type"), call.request.body, *call.resource, validation));
  std::ranges::move(body.warnings, std::back_inserter(call.warnings));
  BERTH_CHECK_OK(SettleNamespace(body.object, call));
  if (call.resource->custom != nullptr && call.resource->custom->is_ending()) {
    return Forbidden(*call.resource, body.object["metadata"]["name"].text(),
                     "create not allowed while custom resource definition is terminating");
  }
  return SendWritten(call, BERTH_TRY(objects_.Create(*call.resource, call.ns, std::move(body.object), options)), 201);
}

Outcome<void> ApiServer::SendWritten(Call& call, ObjectPtr object, int status) {
  call.written = std::move(object);
  call.written_status = status;
  return AnswerWritten(call);
}

Outcome<void> ApiServer::AnswerWritten(Call& call) {
  BERTH_CHECK_OK(Show(call, std::span(&call.written, 1)));
  if (call.subresource == "scale") {
    SendTree(call, call.written_status, MakeScale(*call.resource, ShownTree(call, *call.written)));
  } else {
    SendObject(call, call.written_status, *call.written, timers_.WallNow());
  }
  return {};
}

Outcome<void> ApiServer::Update(Call& call, Objects::Edit edit, Objects::Make make, bool tracks) {
  const WriteOptions options = BERTH_TRY(OptionsOf(call, OptionsKind(call.request.method)));
  const Objects::Written written =
      BERTH_TRY(objects_.Update(*call.resource, call.ns, call.name, options, std::move(edit), std::move(make), tracks));
  return SendWritten(call, written.object, written.is_new ? 201 : 200);
}

Outcome<void> ApiServer::Put(Call& call) {
  const FieldValidation validation = BERTH_TRY(ParseFieldValidation(call.target.query.Get("fieldValidation")));
  if (call.subresource == "scale") {
    static const api::wire::Kind* const kScale = api::wire::FindKind("autoscaling/v1", "Scale");
    Body body = BERTH_TRY(DecodeBody(call.request.Find("Content-Type"), call.request.body, *kScale, validation));
    if (call.resource->custom != nullptr) BERTH_CHECK_OK(CheckName(body.object, call));
    return WriteScale(call, [&](const Json&) -> Outcome<Json> { return body.object; });
  }
  Body body = BERTH_TRY(DecodeBody(call.request.Find("Content-Type"), call.request.body, *call.resource, validation));
  std::ranges::move(body.warnings, std::back_inserter(call.warnings));
  BERTH_CHECK_OK(SettleNamespace(body.object, call));
  BERTH_CHECK_OK(CheckName(body.object, call));
  Objects::Make make;
  if (call.resource->strategy->allows_create_on_update()) {
    make = [&body]() -> Outcome<Json> { return body.object; };
  }
  return Update(call, [&](const Json&) -> Outcome<Json> { return body.object; }, std::move(make));
}

Outcome<void> ApiServer::Patch(Call& call) {
  const std::string type = MediaType(call.request.Find("Content-Type"));
  if (type == kApplyPatch) return Apply(call);
  const std::optional<PatchType> patch_type = ParsePatchType(type);
  if (!patch_type) return NoSuchPatch(*call.resource);
  const FieldValidation validation = BERTH_TRY(ParseFieldValidation(call.target.query.Get("fieldValidation")));
  BERTH_CHECK_OK(OptionsOf(call, "PatchOptions"));
  // Whatever becomes of the object: upstream looks at the text before it looks for the object.
  if (!api::ParseJson(call.request.body)) return BadRequest("invalid JSON patch");
  const bool is_scale = call.subresource == "scale";
  const BodyKind kind = is_scale ? BodyKind(*api::wire::FindKind("autoscaling/v1", "Scale")) : *call.resource;
  if (kind.schema.custom() != nullptr && *patch_type == PatchType::kStrategic) {
    return NoSuchPatch(*call.resource);
  }
  auto edit = [&call, &kind, validation, patch_type](const Json& current) -> Outcome<Json> {
    Body body = BERTH_TRY(ApplyPatch(*patch_type, current, call.request.body, kind, validation));
    std::ranges::move(body.warnings, std::back_inserter(call.warnings));
    BERTH_CHECK_OK(SettleNamespace(body.object, call));
    BERTH_CHECK_OK(CheckName(body.object, call));
    return std::move(body.object);
  };
  return is_scale ? WriteScale(call, std::move(edit)) : Update(call, std::move(edit));
}

Outcome<void> ApiServer::Apply(Call& call) {
  if (call.target.query.Get("fieldManager").empty()) {
    FieldErrors errors;
    errors.Required("fieldManager", "is required for apply patch");
    return Invalid("meta.k8s.io", "PatchOptions", "", std::move(errors));
  }
  const FieldValidation validation = BERTH_TRY(ParseFieldValidation(call.target.query.Get("fieldValidation")));
  const Resource& resource = *call.resource;
  const Json config = BERTH_TRY(ReadConfig(call.request.body));
  const std::string manager = call.Manager();
  const FieldManagerOptions options{.manager = manager,
                                    .api_version = resource.api_version,
                                    .kind = resource.kind,
                                    .subresource = call.subresource,
                                    .now = TimeOf(call),
                                    .force = call.target.query.IsSet("force"),
                                    .custom = resource.custom,
                                    .reset = ResetFields(resource, call.subresource)};
  const auto settle = [&](Json applied) -> Outcome<Json> {
    if (validation == FieldValidation::kStrict) BERTH_CHECK_OK(CheckConfigIsStrict(call.request.body));
    BERTH_CHECK_OK(SettleNamespace(applied, call));
    BERTH_CHECK_OK(CheckName(applied, call));
    return applied;
  };
  if (call.subresource == "scale") {
    return WriteScale(
        call,
        [&](const Json& scale) -> Outcome<Json> { return settle(BERTH_TRY(ApplyToScale(scale, config, options))); },
        [&](const Json& live) { return ApplyConfig(&live, ReplicasOf(resource, config), resource.schema(), options); });
  }
  const auto apply = [&](const Json* live) -> Outcome<Json> {
    return settle(BERTH_TRY(ApplyConfig(live, config, resource.schema(), options)));
  };
  Objects::Make make;
  if (call.subresource.empty()) make = [&] { return apply(nullptr); };
  return Update(call, [&](const Json& live) { return apply(&live); }, std::move(make), false);
}

Outcome<void> ApiServer::Delete(Call& call) {
  DeleteOptions options = BERTH_TRY(ReadOptions(call));
  options.warnings = &call.warnings;
  options.dialog = call.dialog.get();
  const Objects::Deleted deleted = BERTH_TRY(objects_.Delete(*call.resource, call.ns, call.name, options));
  // A half-deleted object is shown whatever the kind.
  if (call.resource->returns_deleted || !deleted.is_gone) {
    return SendWritten(call, deleted.object, 200);
  }
  SendTree(call, 200, DeletedStatus(*call.resource, *deleted.object));
  return {};
}

Outcome<void> ApiServer::DeleteCollection(Call& call) {
  BERTH_CHECK_OK(ParseListOptions(call.target.query));
  DeleteOptions options = BERTH_TRY(ReadOptions(call));
  options.warnings = &call.warnings;
  options.dialog = call.dialog.get();
  if (!call.chosen) {
    const Selection selection = BERTH_TRY(Selection::Create(
        *call.resource, call.ns, call.target.query.Get("labelSelector"), call.target.query.Get("fieldSelector")));
    std::vector<ObjectPtr> found;
    for (const auto& [key, object] : store_.All(*call.resource->stored)) {
      if (selection.MayMatch(*object)) found.push_back(object);
    }
    BERTH_CHECK_OK(Show(call, found));
    std::erase_if(found,
                  [&](const ObjectPtr& object) { return !selection.Matches(*object, FindShown(call, *object)); });
    call.chosen = std::move(found);
  }
  // A repeated attempt goes on with the one that the last one stopped at.
  for (; call.chosen_done < call.chosen->size(); ++call.chosen_done) {
    const StoredObject& object = *(*call.chosen)[call.chosen_done];
    const Outcome<Objects::Deleted> deleted = objects_.Delete(*call.resource, object.ns(), object.name(), options);
    if (!deleted && deleted.error().code != 404) return std::unexpected(deleted.error());
  }
  SendList(call, {.objects = *call.chosen, .revision = store_.revision()}, timers_.WallNow());
  return {};
}

}  // namespace berth::server
