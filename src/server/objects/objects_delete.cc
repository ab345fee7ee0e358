// SPDX-License-Identifier: Apache-2.0
// Deletion: at once, after a grace period, or when the last finalizer has gone.

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/model/metadata.h"
#include "server/model/strategy.h"
#include "server/objects/objects.h"
#include "server/objects/parked_writes.h"

namespace berth::server {
namespace {

using Propagation = DeleteOptions::Propagation;

Outcome<void> CheckPreconditions(const Resource& resource, const StoredObject& object, const DeleteOptions& options) {
  const auto conflict = [&](std::string why) -> Outcome<void> {
    Refusal refusal = Conflict(resource, object.name(), why);
    // Here upstream names the kind where it names the resource elsewhere.
    StatusError& error = refusal.error();
    error.kind = resource.kind;
    const std::string kind = resource.group.empty() ? error.kind : error.kind + "." + std::string(resource.group);
    error.message = "Operation cannot be fulfilled on " + kind + " \"" + std::string(object.name()) + "\": " + why;
    return refusal;
  };
  if (!options.uid.empty() && options.uid != object.uid()) {
    return conflict("the UID in the precondition (" + options.uid + ") does not match the UID in record (" +
                    object.uid() + "). The object might have been deleted and then recreated");
  }
  const std::string version = std::to_string(object.revision());
  if (!options.resource_version.empty() && options.resource_version != version) {
    return conflict("the ResourceVersion in the precondition (" + options.resource_version +
                    ") does not match the ResourceVersion in record (" + version +
                    "). The object might have been modified");
  }
  return {};
}

// Adds the finalizer that makes the garbage collector do what was asked for, and removes the other.
void SetPropagation(Json& metadata, Propagation propagation, const Strategy& strategy) {
  if (propagation == Propagation::kDefault) {
    if (strategy.orphans_dependents()) propagation = Propagation::kOrphan;
    if (HasFinalizer(metadata, kOrphanFinalizer)) propagation = Propagation::kOrphan;
    if (HasFinalizer(metadata, kForegroundFinalizer)) propagation = Propagation::kForeground;
  }
  Json::List finalizers = metadata["finalizers"].items();
  std::erase_if(finalizers, [](const Json& present) {
    return present.text() == kOrphanFinalizer || present.text() == kForegroundFinalizer;
  });
  if (propagation == Propagation::kOrphan) finalizers.push_back(Json::String(kOrphanFinalizer));
  if (propagation == Propagation::kForeground) finalizers.push_back(Json::String(kForegroundFinalizer));
  if (finalizers.empty()) {
    metadata.Erase("finalizers");
  } else {
    metadata.Set("finalizers", Json::MakeList(std::move(finalizers)));
  }
}

void CountGeneration(Json& metadata) {
  if (const int64_t generation = metadata["generation"].IntOr(0); generation > 0) {
    metadata.Set("generation", Json::Int(generation + 1));
  }
}

void Mark(Json& metadata, Time when, int64_t grace_seconds) {
  metadata.Set("deletionTimestamp", FormatTime(when));
  metadata.Set("deletionGracePeriodSeconds", Json::Int(grace_seconds));
}

// As when an object waits for its finalizers.
void MarkAtOnce(const Strategy& strategy, Json& metadata, Time now) {
  if (!metadata.Has("deletionTimestamp") && strategy.counts_deletion()) CountGeneration(metadata);
  const Result<Time> marked = ParseTime(metadata["deletionTimestamp"].text());
  Mark(metadata, marked ? std::min(*marked, now) : now, 0);
}

enum class Step : uint8_t { kGraceful, kPending, kAtOnce };

// Marks an object that ends in its own time. `asked` may be shortened, never extended.
Step BeginGrace(const Strategy& strategy, Json& object, Time now, std::optional<int64_t> asked) {
  if (asked && *asked < 0) asked = 1;
  Json& metadata = object.Make("metadata");
  if (metadata.Has("deletionTimestamp")) {
    const int64_t granted = metadata["deletionGracePeriodSeconds"].IntOr(0);
    if (granted == 0 || !strategy.GraceSeconds(object, asked)) return Step::kAtOnce;
    if (!asked || *asked >= granted) return Step::kPending;
    const Time end = ParseTime(metadata["deletionTimestamp"].text()).value_or(now);
    const Time shortened = end - Seconds(granted) + Seconds(*asked);
    if (shortened < now && *asked != 0) asked = 1;
    Mark(metadata, std::max(shortened, now), *asked);
    return Step::kGraceful;
  }
  const std::optional<int64_t> grace = strategy.GraceSeconds(object, asked);
  if (!grace) return Step::kAtOnce;
  CountGeneration(metadata);
  Mark(metadata, now + Seconds(*grace), *grace);
  return Step::kGraceful;
}

}  // namespace

Outcome<Objects::Deleted> Objects::Delete(const Resource& resource, std::string_view ns, std::string_view name,
                                          const DeleteOptions& options) {
  // What a deletion changes is the same in all versions.
  if (NeedsConverter(resource)) return Delete(*resource.stored, ns, name, options);
  const ObjectPtr present = BERTH_TRY(Get(resource, ns, name));
  if (IsToPark(options.dialog, options.is_admitted)) return parked_->Delete(resource, ns, name, options);
  BERTH_CHECK_OK(CheckPreconditions(resource, *present, options));
  const Json old = present->Tree();
  const Json shown = FromStored(resource, old);
  AdmissionRequest request{.verb = Verb::kDelete,
                           .resource = resource,
                           .subresource = {},
                           .ns = ns,
                           .name = name,
                           .old = &old,
                           .user = options.user};
  BERTH_CHECK_OK(admission_.Admit(request));
  if (!options.is_admitted) {
    const WriteOptions asking{.dry_run = options.dry_run, .warnings = options.warnings, .dialog = options.dialog};
    request.old = &shown;
    MutatingPolicies::Turns policies(mutating_, options.dry_run);
    BERTH_CHECK_OK(Mutate(request, asking, policies));
    BERTH_CHECK_OK(Validate(request, asking));
  }

  Json object = old;
  const Time when = TimeOf(options.dialog);
  resource.strategy->PrepareDelete(object, when);
  const Step step = BeginGrace(*resource.strategy, object, when, options.grace_seconds);
  if (step == Step::kPending) return Deleted{.object = present};
  Json& metadata = object.Make("metadata");
  SetPropagation(metadata, options.propagation, *resource.strategy);
  const bool is_held = metadata.Has("finalizers") || !object["spec"]["finalizers"].empty();
  if (step == Step::kAtOnce && is_held) MarkAtOnce(*resource.strategy, metadata, when);
  if (resource.strategy->is_phased_out() && is_held) object.Make("status").Set("phase", "Terminating");
  const bool stays = is_held || (step == Step::kGraceful && metadata["deletionGracePeriodSeconds"].IntOr(0) > 0);
  if (stays && object == old) return Deleted{.object = present};

  if (stays) return Deleted{.object = Write(resource, std::move(object), options.dry_run)};
  // Watchers of what ends in its own time see that it was marked, however short its time is.
  if (step == Step::kGraceful && !options.dry_run) object = Write(resource, object, false)->Tree();
  return Deleted{.object = Drop(resource, std::move(object), options.dry_run), .is_gone = true};
}

}  // namespace berth::server
