// SPDX-License-Identifier: Apache-2.0
#include "world/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "api/objects/kinds.h"
#include "api/typed/typed.h"
#include "runtime/with_file.h"
#include "server/kinds/pods/life_annotations.h"
#include "server/model/strategy.h"
#include "server/objects/bootstrap.h"

namespace berth::world {
namespace {

using server::Json;
using server::Resource;

constexpr size_t kErrorsShown = 20;
constexpr uint16_t kApiPort = 6443;  // Nobody listens there.

// Besides what the scheduler reads: what makes pods and claims.
constexpr std::array<std::string_view, 7> kMakers = {
    "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController", "ResourceClaimTemplate"};

int RankOf(const Resource& resource) {
  if (resource.kind == "Namespace") return 0;
  if (!resource.namespaced) return 1;
  if (resource.kind == "Pod") return 4;
  // Others make them.
  return resource.kind == "ReplicaSet" || resource.kind == "Job" ? 3 : 2;
}
constexpr int kFirstNamespaced = 2;

std::unexpected<Error> InvalidInput(std::vector<std::string> errors) {
  if (errors.size() > kErrorsShown) {
    const size_t more = errors.size() - kErrorsShown;
    errors.resize(kErrorsShown);
    errors.push_back(fmt::format("and {} more errors", more));
  }
  return Invalid(fmt::format("{}", fmt::join(errors, "\n")));
}

std::string_view FileOf(std::string_view origin) {
  const size_t colon = origin.rfind(':');
  const bool has_line = colon != origin.npos && origin.find_first_not_of("0123456789", colon + 1) == origin.npos;
  return has_line ? origin.substr(0, colon) : origin;
}

// An error of the parser, which may know the line better.
std::string WithOrigin(const Manifest& manifest, const std::string& message) {
  return message.starts_with("line ") ? runtime::WithFile(FileOf(manifest.origin), message)
                                      : fmt::format("{}: {}", manifest.origin, message);
}

std::string NamespaceOf(const Manifest& manifest, const Resource& resource) {
  if (!resource.namespaced) return "";
  const std::string_view written = manifest.object.value["metadata"]["namespace"].text();
  return written.empty() ? "default" : std::string(written);
}

// As errors call an object. A name may be of any length, and what is wrong with it has to fit on the line.
std::string Describe(const Manifest& manifest, const Resource& resource) {
  constexpr size_t kNameMax = 300;
  const std::string_view name = manifest.object.value["metadata"]["name"].text();
  std::string key = server::ObjectKey(NamespaceOf(manifest, resource), name);
  if (key.size() > kNameMax) key = key.substr(0, kNameMax) + "...";
  return fmt::format("{} {}", resource.kind, key);
}

Time TimeOr(api::Value value, Time other) { return ParseTime(value.text()).value_or(other); }

// By hand nobody knows the uids of owners that are written by hand as well.
void NameOwners(Json& object, const World& world, std::string_view ns) {
  Json* owners = object.Make("metadata").Find("ownerReferences");
  if (owners == nullptr) return;
  for (Json& owner : owners->mutable_items()) {
    const Resource* kind = world.catalog().FindKind(owner["apiVersion"].text(), owner["kind"].text());
    if (kind == nullptr) continue;
    const server::ObjectPtr found = world.store().Find(*kind->stored, kind->namespaced ? ns : "", owner["name"].text());
    if (found != nullptr) owner.Set("uid", found->uid());
  }
}

void Annotate(Json& holder, Duration runs) {
  holder.Make({"metadata", "annotations"}).Set(server::kCompleteAfter, FormatDuration(runs));
}

}  // namespace

bool IsRead(std::string_view kind) {
  return std::ranges::find(kMakers, kind) != kMakers.end() ||
         std::ranges::any_of(api::kKindRows, [&](const api::KindRow& row) { return row.kind == kind; });
}

void SetRuns(Json& object, Duration runs) {
  if (object["kind"].text() == "Pod") return Annotate(object, runs);
  if (object["spec"].Has("template")) Annotate(object.Make({"spec", "template"}), runs);
  if (object["spec"].Has("jobTemplate")) Annotate(object.Make({"spec", "jobTemplate", "spec", "template"}), runs);
}

Time LatestTime(const Manifests& manifests) {
  Time latest;
  for (const Manifest& manifest : manifests.all()) {
    if (manifest.object.kind != "Pod") continue;
    const api::Value pod = manifest.object.value;
    latest = std::max(
        {latest, TimeOr(pod["metadata"]["creationTimestamp"], latest), TimeOr(pod["status"]["startTime"], latest)});
  }
  return latest;
}

void Loader::Select(const Manifests& manifests) {
  items_.clear();
  const Time now = world_.objects().now();
  for (const Manifest& manifest : manifests.all()) {
    if (!manifest.problems.empty() && !manifest.object.is_from_server) {
      errors_.insert(errors_.end(), manifest.problems.begin(), manifest.problems.end());
      continue;
    }
    // A cluster of another version may well have fields that are not known here.
    unknown_.insert(unknown_.end(), manifest.problems.begin(), manifest.problems.end());
    const std::string& kind = manifest.object.kind;
    const Resource* resource = world_.catalog().FindKind(manifest.object.api_version, kind);
    if (resource == nullptr || world_.catalog().FindKept(kind) == nullptr || !IsRead(kind) ||
        (kind == "CronJob" && !takes_cron_jobs_)) {
      ++skipped_[kind];
      continue;
    }
    const Item item{&manifest, resource, RankOf(*resource),
                    TimeOr(manifest.object.value["metadata"]["creationTimestamp"], now)};
    CheckCount(item);
    items_.push_back(item);
  }
  std::ranges::stable_sort(items_, {}, [](const Item& item) {
    return std::pair(item.rank, item.resource->kind == "Pod" ? item.created : Time{});
  });
}

// Before anything is made of it.
void Loader::CheckCount(const Item& item) {
  const api::Value spec = item.manifest->object.value["spec"];
  const int64_t count = item.resource->kind == "Pod"
                            ? 1
                            : spec[item.resource->kind == "Job" ? "parallelism" : "replicas"].AsInt().value_or(0);
  pods_ = std::min(pods_, pods_max_) + std::clamp<int64_t>(count, 0, pods_max_ + 1);
  if (pods_ <= pods_max_) return;
  errors_.push_back(
      fmt::format("{}: {}: too many pods: with its {} there would be more than the {} that are made at "
                  "most",
                  item.manifest->origin, Describe(*item.manifest, *item.resource), count, pods_max_));
}

// What a cluster has anyhow, and the namespaces of all objects.
void Loader::MakeSurroundings() {
  const Resource& services = world_.catalog().Get("", "services");
  const bool is_first = world_.store().Find(services, "default", "kubernetes") == nullptr;
  (void)server::CreateInitialObjects(world_.objects(), kApiPort);
  const auto is_api_service = [](const Item& item) {
    return item.resource->kind == "Service" && item.manifest->object.is_from_server &&
           NamespaceOf(*item.manifest, *item.resource) == "default" &&
           item.manifest->object.value["metadata"]["name"].text() == "kubernetes";
  };
  // Every cluster has one of its own.
  if (is_first && std::ranges::any_of(items_, is_api_service)) {
    (void)world_.objects().Delete(services, "default", "kubernetes", {});
  }
  std::set<std::string> namespaces;
  for (const Item& item : items_) namespaces.insert(NamespaceOf(*item.manifest, *item.resource));
  for (const std::string& name : namespaces) {
    // If that is refused, so are the objects, which says where they stand.
    if (!name.empty()) (void)server::CreateNamespace(world_.objects(), name);
  }
}

void Loader::Report(const Item& item, const server::StatusError& error) {
  const std::string where = fmt::format("{}: {}", item.manifest->origin, Describe(*item.manifest, *item.resource));
  if (error.reason == "AlreadyExists") {
    const auto first = std::ranges::find_if(items_, [&](const Item& other) {
      return Describe(*other.manifest, *other.resource) == Describe(*item.manifest, *item.resource);
    });
    const bool is_twice = first->manifest != item.manifest;
    errors_.push_back(is_twice ? fmt::format("{} is already in the input, at {}", where, first->manifest->origin)
                               : where + " exists already");
  } else if (error.causes.empty()) {
    errors_.push_back(fmt::format("{}: {}", where, error.message));
  }
  for (const server::FieldError& cause : error.causes) {
    errors_.push_back(fmt::format("{}: {}: {}", where, cause.field, cause.message));
  }
}

server::Outcome<void> Loader::Create(const Item& item, Json object) {
  const Resource& resource = *item.resource;
  const std::string ns = NamespaceOf(*item.manifest, resource);
  NameOwners(object, world_, ns);
  const Json status = object["status"];
  const server::ObjectPtr made = BERTH_TRY(world_.objects().Create(resource, ns, std::move(object), {}));
  if (status.empty() || resource.FindSubresource("status") == nullptr) return {};
  BERTH_CHECK_OK(world_.objects().Update(resource, ns, made->name(), {.subresource = "status"},
                                         [&](const Json& current) -> server::Outcome<Json> {
                                           Json changed = current;
                                           for (const Json::Member& member : status.members()) {
                                             changed.Make("status").Set(member.name, member.value);
                                           }
                                           return changed;
                                         }));
  return {};
}

void Loader::Put(const Item& item, std::optional<Duration> runs) {
  const Manifest& manifest = *item.manifest;
  const Resource& resource = *item.resource;
  if (!manifest.object.is_from_server) {
    // This one knows the line.
    const Result<api::Object> decoded = api::DecodeObject(manifest.object);
    if (!decoded && decoded.error().code != Code::kNotFound) {
      errors_.push_back(WithOrigin(manifest, decoded.error().message));
      return;
    }
  }
  Json object = Json::FromValue(manifest.object.value);
  object.Set("kind", manifest.object.kind);
  object.Set("apiVersion", manifest.object.api_version);
  if (const Result<void> canonical = resource.schema().Canonicalize(object); !canonical) {
    errors_.push_back(
        fmt::format("{}: {}: {}", manifest.origin, Describe(manifest, resource), canonical.error().message));
    return;
  }
  if (runs) SetRuns(object, *runs);
  server::Outcome<void> done;
  if (!manifest.object.is_from_server) {
    done = Create(item, std::move(object));
  } else if (const std::string ns = NamespaceOf(manifest, resource);
             world_.store().Find(*resource.stored, ns, object["metadata"]["name"].text()) != nullptr) {
    done = server::AlreadyExists(resource, object["metadata"]["name"].text());
  } else if (const std::string& uid = object["metadata"]["uid"].text();
             resource.kind == "Pod" && !uid.empty() && !uids_.insert(uid).second) {
    done = server::Conflict(resource, object["metadata"]["name"].text(), "another pod in the input has its uid");
  } else {
    Json& metadata = object.Make("metadata");
    if (!ns.empty()) metadata.Set("namespace", ns);
    metadata.Erase("managedFields");
    metadata.Erase("resourceVersion");
    resource.strategy->Default(object, true);
    done = world_.objects().Restore(resource, std::move(object));
  }
  if (!done) return Report(item, done.error());
  NoteOddities(item);
}

void Loader::NoteOddities(const Item& item) {
  const api::Value object = item.manifest->object.value;
  if (item.resource->kind == "Node") {
    const api::Value status = object["status"];
    const api::Value amounts = status["allocatable"].is_null() ? status["capacity"] : status["allocatable"];
    if (amounts.is_null() || !amounts["pods"].is_null()) return;
    notes_.push_back(
        fmt::format("node {} has no allocatable pods: nothing fits there", object["metadata"]["name"].text()));
  } else if (item.resource->kind == "Pod") {
    const std::string_view node = object["spec"]["nodeName"].text();
    if (node.empty() || world_.store().Find(world_.catalog().Get("", "nodes"), "", node) != nullptr) return;
    notes_.push_back(fmt::format(
        "pod {} is on node {}, which is not in the input",
        server::ObjectKey(NamespaceOf(*item.manifest, *item.resource), object["metadata"]["name"].text()), node));
  }
}

Result<void> Loader::PutAll(std::span<const Item> items, std::optional<Duration> runs) {
  for (const Item& item : items) {
    Put(item, runs);
    if (pause_) BERTH_CHECK_OK(pause_());
  }
  return {};
}

Result<void> Loader::Load(const Manifests& manifests, std::optional<Duration> runs) {
  Select(manifests);
  if (!errors_.empty()) return InvalidInput(std::exchange(errors_, {}));
  const auto namespaced = std::ranges::find_if(items_, [](const Item& item) { return item.rank >= kFirstNamespaced; });
  BERTH_CHECK_OK(PutAll({items_.begin(), namespaced}, runs));
  MakeSurroundings();
  BERTH_CHECK_OK(PutAll({namespaced, items_.end()}, runs));
  items_.clear();
  if (!errors_.empty()) return InvalidInput(std::exchange(errors_, {}));
  return {};
}

std::vector<std::string> Loader::TakeNotes() {
  if (!skipped_.empty()) {
    size_t total = 0;
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : skipped_) {
      total += count;
      kinds.push_back(fmt::format("{} {}", count, kind));
    }
    notes_.insert(notes_.begin(), fmt::format("skipped {} object{} of kinds that scheduling does not read: {}", total,
                                              total == 1 ? "" : "s", fmt::join(kinds, ", ")));
  }
  if (!unknown_.empty()) {
    const size_t more = unknown_.size() - 1;
    notes_.insert(notes_.begin(), fmt::format("left out what Kubernetes v1.37 does not know: {}{}", unknown_.front(),
                                              more == 0 ? "" : fmt::format("; and {} more", more)));
  }
  skipped_.clear();
  unknown_.clear();
  return std::exchange(notes_, {});
}

}  // namespace berth::world
