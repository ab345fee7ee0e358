// SPDX-License-Identifier: Apache-2.0
#include "server/objects/objects.h"

#include <fmt/format.h>

#include <utility>

#include "api/document/field_error.h"
#include "base/uuid.h"
#include "server/model/metadata.h"
#include "server/model/random_suffix.h"
#include "server/model/strategy.h"
#include "server/objects/parked_writes.h"
#include "server/patch/managed_fields.h"
#include "server/patch/reset_fields.h"
#include "server/store/object_bounds.h"

namespace berth::server {
namespace {

// A create that lost a race for a generated name tries again with another.
constexpr int kNameTries = 8;
// Of a generated name, so that the whole of it is a valid label.
constexpr size_t kPrefixMax = 58;

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

// Takes over what clients cannot change.
void KeepSystemFields(Json& metadata, const Json& old) {
  for (const std::string_view name : {"uid", "creationTimestamp", "deletionTimestamp", "generation", "selfLink"}) {
    const Json* value = old.Find(name);
    if (value != nullptr) {
      metadata.Set(name, *value);
    } else if (name != "deletionTimestamp") {
      metadata.Erase(name);
    }
  }
  if (const Json* grace = old.Find("deletionGracePeriodSeconds"); grace != nullptr) {
    metadata.SetDefault("deletionGracePeriodSeconds", *grace);
  }
}

// Whether anything but metadata and status differs.
bool SpecChanged(const Json& object, const Json& old) {
  const auto same = [](const Json& left, const Json& right) {
    for (const Json::Member& member : left.members()) {
      if (member.name == "metadata" || member.name == "status") continue;
      if (right[member.name] != member.value) return false;
    }
    return true;
  };
  return !same(object, old) || !same(old, object);
}

// Whether the last obstacle to the deletion of a marked object has gone.
bool EndsDeletion(const Json& object, const Json& old) {
  const Json& metadata = old["metadata"];
  return metadata.Has("deletionTimestamp") && metadata["deletionGracePeriodSeconds"].IntOr(0) == 0 &&
         object["metadata"]["finalizers"].empty() && object["spec"]["finalizers"].empty();
}

// What of an object an update is about.
enum class UpdatedPart : uint8_t { kAllButStatus, kStatus, kApproval, kResources, kAddition, kFinalizers };

UpdatedPart PartOf(std::string_view subresource) {
  if (subresource == "status") return UpdatedPart::kStatus;
  if (subresource == "approval") return UpdatedPart::kApproval;
  if (subresource == "resize") return UpdatedPart::kResources;
  if (subresource == "ephemeralcontainers") return UpdatedPart::kAddition;
  if (subresource == "finalize") return UpdatedPart::kFinalizers;
  return UpdatedPart::kAllButStatus;
}

// Takes back what an update of this part must not change, and sets what follows from the rest.
void PrepareUpdate(const Strategy& strategy, UpdatedPart part, const Json& old, Time now, Json& object) {
  switch (part) {
    case UpdatedPart::kStatus: strategy.PrepareStatusUpdate(object, old); return strategy.StampStatus(object, old, now);
    case UpdatedPart::kApproval: strategy.PrepareApproval(object, old); return strategy.StampStatus(object, old, now);
    case UpdatedPart::kFinalizers: {
      // The only way to change the finalizers of a namespace's content, and it changes nothing else.
      Json finalizers = object["spec"]["finalizers"];
      object = old;
      object.Make("spec").Set("finalizers", std::move(finalizers));
      if (object["spec"]["finalizers"].empty()) object.Make("spec").Erase("finalizers");
      return;
    }
    case UpdatedPart::kResources:
    case UpdatedPart::kAddition:
    case UpdatedPart::kAllButStatus:
      if (part == UpdatedPart::kResources) {
        strategy.PrepareResize(object, old);
      } else if (part == UpdatedPart::kAddition) {
        strategy.PrepareAddition(object, old);
      } else {
        strategy.PrepareUpdate(object, old);
      }
      strategy.StampSpec(object, old, now);
      if (strategy.has_generation() && SpecChanged(object, old)) {
        object.Make("metadata").Set("generation", Json::Int(old["metadata"]["generation"].IntOr(0) + 1));
      }
  }
}

FieldErrors ValidateUpdate(const Resource& resource, UpdatedPart part, const Json& old, const Json& object) {
  FieldErrors errors;
  ValidateMetadata(object, resource, errors);
  ValidateMetadataUpdate(object["metadata"], old["metadata"], errors);
  switch (part) {
    case UpdatedPart::kStatus: resource.strategy->ValidateStatusUpdate(object, old, errors); break;
    case UpdatedPart::kApproval: resource.strategy->ValidateApproval(object, old, errors); break;
    case UpdatedPart::kResources: resource.strategy->ValidateResize(object, old, errors); break;
    case UpdatedPart::kAddition: resource.strategy->ValidateAddition(object, old, errors); break;
    case UpdatedPart::kFinalizers:
    case UpdatedPart::kAllButStatus: resource.strategy->ValidateChange(object, old, errors); break;
  }
  return errors;
}

// The same write, whose managed fields are taken care of.
WriteOptions Untracked(WriteOptions options) {
  options.manager.clear();
  options.subresource.clear();
  return options;
}

// Controllers do not wait for converters.
Outcome<void> CheckConverter(const Resource& resource, const WebhookDialog* dialog) {
  if (dialog != nullptr || !NeedsConverter(resource)) return {};
  return BadRequest(fmt::format("no converter is asked for what the cluster itself writes; write {} in version {}",
                                resource.Qualified(), resource.stored->version));
}

// A custom resource may call itself something else.
Refusal Refused(const Resource& resource, const Json& object, std::string_view name, FieldErrors errors) {
  if (resource.custom == nullptr) return Invalid(resource, name, std::move(errors));
  return Invalid(resource.group, object["kind"].text(), name, std::move(errors));
}

// Of what is refused, the errors are told alone.
void Warn(const WriteOptions& options, const FieldErrors& found) {
  if (options.warnings == nullptr || !found.empty()) return;
  options.warnings->insert(options.warnings->end(), found.warnings().begin(), found.warnings().end());
}

}  // namespace

Objects::Objects(const Catalog& catalog, Store& store, const runtime::Timers& timers, uint64_t seed, bool tracks_fields)
    : catalog_(catalog),
      store_(store),
      timers_(timers),
      tracks_fields_(tracks_fields),
      admission_(store, catalog, seed + 1),
      mutating_(store, catalog),
      policies_(store, catalog),
      webhooks_(store, catalog, timers, seed + 2),
      parked_(std::make_unique<ParkedWrites>(*this)),
      random_(seed) {}

Objects::~Objects() = default;

Outcome<ObjectPtr> Objects::Get(const Resource& resource, std::string_view ns, std::string_view name) const {
  ObjectPtr object = store_.Find(*resource.stored, ns, name);
  if (object == nullptr) return NotFound(resource, name);
  return object;
}

Outcome<ObjectPtr> Objects::Create(const Resource& resource, std::string_view ns, Json object,
                                   const WriteOptions& options) {
  BERTH_CHECK_OK(CheckConverter(resource, options.dialog));
  if (IsToPark(options.dialog, options.is_admitted)) return parked_->Create(resource, ns, std::move(object), options);
  const Json& metadata = object["metadata"];
  if (!metadata["name"].text().empty() || metadata["generateName"].text().empty()) {
    return TryCreate(resource, ns, std::move(object), options, {});
  }
  const std::string prefix = metadata["generateName"].text().substr(0, kPrefixMax);
  for (int i = 1;; ++i) {
    object.Make("metadata").Set("name", prefix + RandomSuffix(RandomOf(options.dialog)));
    Outcome<ObjectPtr> created = TryCreate(resource, ns, object, options, metadata["generateName"].text());
    if (created || created.error().reason != "AlreadyExists" || i == kNameTries) return created;
  }
}

Outcome<ObjectPtr> Objects::TryCreate(const Resource& resource, std::string_view ns, Json object,
                                      const WriteOptions& options, std::string prefix) {
  const Strategy& strategy = *resource.strategy;
  Random& random = RandomOf(options.dialog);
  Json& metadata = object.Make("metadata");
  const std::string version = metadata["resourceVersion"].text();
  for (const std::string_view name :
       {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion", "generation"}) {
    metadata.Erase(name);
  }
  if (resource.namespaced) {
    metadata.Set("namespace", ns);
  } else {
    metadata.Erase("namespace");
  }
  strategy.Default(object, true);
  Track(resource, nullptr, object, options);
  const std::string given = object["metadata"]["name"].text();
  AdmissionRequest request{.verb = Verb::kCreate,
                           .resource = resource,
                           .subresource = {},
                           .ns = ns,
                           .name = prefix.empty() ? given : prefix,
                           .object = &object,
                           .now = TimeOf(options.dialog),
                           .user = options.user,
                           .random = ChanceOf(options.dialog)};
  MutatingPolicies::Turns policies(mutating_, options.dry_run);
  BERTH_CHECK_OK(Admit(request, policies));
  const std::string name = BERTH_TRY(MutateNew(request, !prefix.empty(), options, policies));
  request.name = name;
  if (options.may) BERTH_CHECK_OK(options.may(object, nullptr));
  object.Make("metadata").Set("uid", MakeUuid(random.Next(), random.Next()));
  object.Make("metadata").Set("creationTimestamp", FormatTime(request.now));
  strategy.PrepareCreate(object);
  strategy.StampSpec(object, Json(), request.now);

  FieldErrors errors;
  ValidateMetadata(object, resource, errors);
  strategy.Validate(object, errors);
  Warn(options, errors);
  if (!errors.empty()) return Refused(resource, object, name, std::move(errors));
  BERTH_CHECK_OK(Validate(request, options));
  const std::vector<QuotaCharge> charges = BERTH_TRY(admission_.Check(request));
  // Of what is not stored, the store knows nothing.
  if (!version.empty() && !options.dry_run) {
    return std::unexpected(
        StatusError{.code = 500, .message = "resourceVersion should not be set on objects to be created"});
  }
  if (const ObjectPtr present = store_.Find(*resource.stored, ns, name); present != nullptr) {
    Refusal refusal = AlreadyExists(resource, name);
    if (present->is_being_deleted()) {
      refusal.error().message = "object is being deleted: " + refusal.error().message;
    }
    return refusal;
  }
  Json kept = BERTH_TRY(Kept(resource, std::move(object), options.dialog));
  BERTH_CHECK_OK(CheckBounds(resource, kept));
  if (!options.dry_run) Charge(charges);
  return Write(resource, std::move(kept), options.dry_run);
}

Refusal PreconditionFailed(const StoredObject& object, std::string_view what, std::string_view asked,
                           std::string_view present) {
  const Resource& resource = object.resource();
  return Conflict(resource, object.name(),
                  fmt::format("StorageError: invalid object, Code: 4, Key: /registry/{}{}/{}, ResourceVersion: 0, "
                              "AdditionalErrorMsg: Precondition failed: {} in precondition: {}, {} in object meta: {}",
                              resource.custom == nullptr ? "" : fmt::format("{}/", resource.group), resource.plural,
                              object.key(), what, asked, what, present));
}

Outcome<void> Objects::CheckVersion(const Resource& resource, std::string_view name, const Json& next,
                                    const StoredObject& old, bool is_status) const {
  const Json& metadata = next["metadata"];
  if (const std::string& uid = metadata["uid"].text(); !uid.empty() && uid != old.uid()) {
    return PreconditionFailed(old, "UID", uid, old.uid());
  }
  const std::string& version = metadata["resourceVersion"].text();
  if (version.empty() || version == "0") {
    if ((is_status && resource.custom == nullptr) || resource.strategy->allows_unconditional_update()) return {};
    FieldErrors errors;
    errors.Invalid("metadata.resourceVersion", Json::Int(0), "must be specified for an update");
    return Invalid(resource.group, resource.plural, name, std::move(errors));
  }
  if (version.find_first_not_of("0123456789") != std::string::npos) {
    return std::unexpected(StatusError{
        .code = 500, .message = fmt::format("strconv.ParseUint: parsing {}: invalid syntax", api::GoQuote(version))});
  }
  if (version != std::to_string(old.revision())) return Conflict(resource, name, kModified);
  return {};
}

Outcome<Objects::Written> Objects::Update(const Resource& resource, std::string_view ns, std::string_view name,
                                          const WriteOptions& options, Edit edit, Make make, bool tracks) {
  const ObjectPtr present = store_.Find(*resource.stored, ns, name);
  if (present == nullptr) {
    if (!make) return NotFound(resource, name);
    Json object = BERTH_TRY(make());
    object.Make("metadata").Erase("resourceVersion");
    ObjectPtr created = BERTH_TRY(Create(resource, ns, std::move(object), tracks ? options : Untracked(options)));
    return Written{.object = std::move(created), .is_new = true};
  }
  BERTH_CHECK_OK(CheckConverter(resource, options.dialog));
  if (IsToPark(options.dialog, options.is_admitted)) {
    return parked_->Update(*present, resource, options, std::move(edit), tracks);
  }
  const TreePtr stored = present->tree();
  const Json converted = resource.stored == &resource ? Json() : BERTH_TRY(Shown(resource, *stored, options.dialog));
  const Json& old = resource.stored == &resource ? *stored : converted;
  const UpdatedPart part = PartOf(options.subresource);
  Json object = BERTH_TRY(edit(old));
  BERTH_CHECK_OK(CheckVersion(resource, name, object, *present, part == UpdatedPart::kStatus));

  object.Make("metadata").Set("resourceVersion", std::to_string(present->revision()));
  if (part == UpdatedPart::kStatus) {
    resource.strategy->DefaultStatus(object);
  } else {
    resource.strategy->Default(object, false);
  }
  if (tracks) Track(resource, &old, object, options);
  const AdmissionRequest request{.verb = Verb::kUpdate,
                                 .resource = resource,
                                 .subresource = options.subresource,
                                 .ns = ns,
                                 .name = name,
                                 .object = &object,
                                 .old = &old,
                                 .now = TimeOf(options.dialog),
                                 .user = options.user,
                                 .random = ChanceOf(options.dialog)};
  MutatingPolicies::Turns policies(mutating_, options.dry_run);
  BERTH_CHECK_OK(Admit(request, policies));
  BERTH_CHECK_OK(Mutate(request, options, policies));
  if (options.may) BERTH_CHECK_OK(options.may(object, &old));
  KeepSystemFields(object.Make("metadata"), old["metadata"]);
  PrepareUpdate(*resource.strategy, part, old, request.now, object);
  FieldErrors errors = ValidateUpdate(resource, part, old, object);
  Warn(options, errors);
  if (!errors.empty()) return Refused(resource, object, name, std::move(errors));
  BERTH_CHECK_OK(Validate(request, options));
  const std::vector<QuotaCharge> charges = BERTH_TRY(admission_.Check(request));

  const bool ends = EndsDeletion(object, old);
  if (!ends) KeepTimesIfSame(old, object);
  if (!ends && object == old) return Written{.object = present};
  Json kept = BERTH_TRY(Kept(resource, std::move(object), options.dialog));
  if (ends) return Written{.object = Drop(resource, std::move(kept), options.dry_run)};
  BERTH_CHECK_OK(CheckBounds(resource, kept));
  if (!options.dry_run) Charge(charges);
  return Written{.object = Write(resource, std::move(kept), options.dry_run)};
}

Outcome<std::string> Objects::MutateNew(AdmissionRequest request, bool is_generated, const WriteOptions& options,
                                        MutatingPolicies::Turns& policies) {
  const std::string name = (*request.object)["metadata"]["name"].text();
  const bool asks = options.dialog != nullptr && !options.is_admitted;
  if (asks && is_generated) {
    request.object->Make("metadata").Erase("name");
    request.name = {};
  }
  BERTH_CHECK_OK(Mutate(request, options, policies));
  if (!asks) return name;
  Json& metadata = request.object->Make("metadata");
  if (metadata["name"].text().empty()) metadata.Set("name", name);
  if (metadata["namespace"].text() != request.ns) {
    return BadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return metadata["name"].text();
}

Outcome<void> Objects::AskWebhooks(const AdmissionRequest& request, const WriteOptions& options) {
  if (options.dialog == nullptr) return {};
  const WebhookWrite write{request, *options.dialog, options.dry_run, options.warnings};
  // The server's own rules are about what is kept.
  BERTH_CHECK_OK(webhooks_.Mutate(write, false, [] { return Outcome<void>(); }));
  return webhooks_.Validate(write);
}

Outcome<void> Objects::Mutate(const AdmissionRequest& request, const WriteOptions& options,
                              MutatingPolicies::Turns& policies) {
  const auto readmit = [&]() -> Outcome<void> {
    BERTH_CHECK_OK(admission_.Admit(request));
    return policies.Second(request);
  };
  if (options.dialog == nullptr || options.is_admitted) return policies.has_changed() ? readmit() : Outcome<void>();
  return webhooks_.Mutate({request, *options.dialog, options.dry_run, options.warnings}, policies.has_changed(),
                          readmit);
}

Outcome<void> Objects::Validate(const AdmissionRequest& request, const WriteOptions& options) {
  BERTH_CHECK_OK(policies_.Check(request, options.dry_run, options.warnings));
  if (options.dialog == nullptr || options.is_admitted) return {};
  return webhooks_.Validate({request, *options.dialog, options.dry_run, options.warnings});
}

ObjectPtr Objects::Overwrite(const StoredObject& present, Json object, bool dry_run) {
  const Resource& resource = present.resource();
  if (object == *present.tree()) return store_.Find(resource, present.ns(), present.name());
  return Write(resource, std::move(object), dry_run);
}

Outcome<void> Objects::Restore(const Resource& resource, Json object) {
  FieldErrors errors;
  ValidateIdentity(object, resource, errors);
  if (!errors.empty()) return Invalid(resource, object["metadata"]["name"].text(), std::move(errors));
  if (NeedsConverter(resource)) {
    return BadRequest(fmt::format("{} \"{}\" has to be in version {}, in which objects of its kind are kept",
                                  resource.Qualified(), object["metadata"]["name"].text(), resource.stored->version));
  }
  BERTH_CHECK_OK(CheckBounds(resource, object));
  Json& metadata = object.Make("metadata");
  metadata.SetDefault("uid", Json::String(MakeUuid(random_.Next(), random_.Next())));
  metadata.SetDefault("creationTimestamp", Json::String(FormatTime(now())));
  store_.Put(*resource.stored, ToStored(resource, std::move(object)));
  return {};
}

void Objects::Track(const Resource& resource, const Json* old, Json& object, const WriteOptions& options) const {
  if (options.manager.empty() || !tracks_fields_) {
    if (old != nullptr && (*old)["metadata"].Has("managedFields")) {
      object.Make("metadata").Set("managedFields", (*old)["metadata"]["managedFields"]);
    }
    return;
  }
  TrackUpdate(old, object, resource.schema(),
              {.manager = options.manager,
               .api_version = resource.api_version,
               .kind = resource.kind,
               .subresource = options.subresource,
               .now = TimeOf(options.dialog),
               .custom = resource.custom,
               .reset = ResetFields(resource, options.subresource)});
}

Outcome<void> Objects::Admit(const AdmissionRequest& request, MutatingPolicies::Turns& policies) {
  BERTH_CHECK_OK(admission_.Admit(request));
  return policies.First(request);
}

void Objects::Charge(const std::vector<QuotaCharge>& charges) {
  for (const QuotaCharge& charge : charges) {
    Json quota = charge.quota->Tree();
    quota.Make("status").Set("used", charge.used);
    Overwrite(*charge.quota, std::move(quota), false);
  }
}

Outcome<Json> Objects::Kept(const Resource& resource, Json object, WebhookDialog* dialog) {
  if (!NeedsConverter(resource)) return ToStored(resource, std::move(object));
  std::vector<Json> kept = BERTH_TRY(webhooks_.Convert(resource, *resource.stored, {std::move(object)}, *dialog));
  return std::move(kept.front());
}

Outcome<Json> Objects::Shown(const Resource& resource, const Json& stored, WebhookDialog* dialog) {
  if (!NeedsConverter(resource)) return FromStored(resource, stored);
  std::vector<Json> shown = BERTH_TRY(webhooks_.Convert(*resource.stored, resource, {stored}, *dialog));
  return std::move(shown.front());
}

ObjectPtr Objects::Write(const Resource& resource, Json object, bool dry_run) {
  if (dry_run) return std::make_shared<StoredObject>(*resource.stored, std::move(object), 0);
  return store_.Put(*resource.stored, std::move(object));
}

ObjectPtr Objects::Drop(const Resource& resource, Json last, bool dry_run) {
  if (dry_run) return Write(resource, std::move(last), true);
  return store_.Remove(*resource.stored, std::move(last));
}

}  // namespace berth::server
