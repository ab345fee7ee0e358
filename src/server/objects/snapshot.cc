// SPDX-License-Identifier: Apache-2.0
#include "server/objects/snapshot.h"

#include <fmt/format.h>

#include <ranges>
#include <set>
#include <utility>

#include "server/admission/rules.h"
#include "server/objects/bootstrap.h"
#include "server/store/dump.h"

namespace berth::server {
namespace {

// Whether what was kept is not a later state of the object that is there, but another one, or one whose life begins
// again: nobody expects a pod to leave its node, or a deletion to be taken back.
bool IsAnother(const StoredObject& present, const Json& kept) {
  const Json& metadata = kept["metadata"];
  if (present.uid() != metadata["uid"].text()) return true;
  if (present.is_being_deleted() && !metadata.Has("deletionTimestamp")) return true;
  return present.resource().kind == "Pod" && (present.Field("spec.nodeName") != kept["spec"]["nodeName"].text() ||
                                              present.Field("status.phase") != kept["status"]["phase"].text());
}

bool IsSame(const StoredObject& present, const Json& kept) {
  Json now = present.Tree();
  now.Make("metadata").Erase("resourceVersion");
  return now == kept;
}

class Restoring {
 public:
  explicit Restoring(Objects& objects) : objects_(objects) {}

  // What is not in the dump goes; what others refer to goes last.
  void RemoveOthers(const Dump& dump) {
    std::set<std::pair<const Resource*, std::string>> kept;
    for (const Dump::Entry& entry : dump.objects) kept.emplace(entry.resource->stored, KeyOf(entry));
    for (const std::string& name : dump.namespaces) kept.emplace(&objects_.catalog().Get("", "namespaces"), name);
    for (const Resource* resource : std::views::reverse(LoadOrder(objects_.catalog()))) {
      std::vector<ObjectPtr> others;
      for (const auto& [key, object] : objects_.store().All(*resource)) {
        if (!kept.contains({resource, key})) others.push_back(object);
      }
      for (const ObjectPtr& other : others) {
        if (Remove(*other)) ++report_.removed;
      }
    }
  }

  Result<void> Put(Dump::Entry entry) {
    const Resource& stored = *entry.resource->stored;
    const Json& metadata = entry.object["metadata"];
    const ObjectPtr present = objects_.store().Find(stored, metadata["namespace"].text(), metadata["name"].text());
    if (present == nullptr) {
      ++report_.created;
    } else if (entry.resource == &stored && IsSame(*present, entry.object)) {
      ++report_.unchanged;
      return {};
    } else {
      ++report_.changed;
      if (IsAnother(*present, entry.object)) Remove(*present);
    }
    const Outcome<void> restored = objects_.Restore(*entry.resource, std::move(entry.object));
    if (!restored) return Invalid(restored.error().message);
    return {};
  }

  RestoreReport& report() { return report_; }

 private:
  static std::string KeyOf(const Dump::Entry& entry) {
    const Json& metadata = entry.object["metadata"];
    return ObjectKey(metadata["namespace"].text(), metadata["name"].text());
  }

  // False if it has gone with another one.
  bool Remove(const StoredObject& object) {
    if (objects_.store().Find(object.resource(), object.ns(), object.name()) == nullptr) return false;
    objects_.Forget(object);
    return true;
  }

  Objects& objects_;
  RestoreReport report_;
};

// Custom resources stay with their definitions, of which there are not too many.
Result<void> CheckDefinitions(const Dump& dump) {
  std::set<std::string> definitions;
  for (const Dump::Entry& entry : dump.objects) {
    if (entry.resource->kind == "CustomResourceDefinition") {
      definitions.insert(entry.object["metadata"]["name"].text());
    }
  }
  if (definitions.size() > kDefinitionsMax) {
    return Invalid(
        fmt::format("it has {} definitions of custom resources; {} may be there", definitions.size(), kDefinitionsMax));
  }
  for (const Dump::Entry& entry : dump.objects) {
    const bool is_defined = entry.resource->custom == nullptr || definitions.contains(entry.resource->Qualified());
    if (!is_defined) return Invalid(fmt::format("it has {}, but not their definition", entry.resource->Qualified()));
  }
  return {};
}

}  // namespace

std::string TakeSnapshot(const Objects& objects) {
  std::string text = R"({"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[)";
  std::string_view separator = "\n";
  for (const Resource* resource : LoadOrder(objects.catalog())) {
    for (const auto& [key, object] : objects.store().All(*resource)) {
      text.append(std::exchange(separator, ",\n")).append(*object->json());
    }
  }
  return text += "\n]}\n";
}

Result<RestoreReport> RestoreSnapshot(Objects& objects, std::string_view text) {
  Dump dump = BERTH_TRY(ReadDump(objects.catalog(), text));
  if (dump.objects.empty()) return Invalid("there are no objects in it");
  BERTH_CHECK_OK(CheckDefinitions(dump));
  Restoring restoring(objects);
  restoring.RemoveOthers(dump);
  for (Dump::Entry& entry : dump.objects) BERTH_CHECK_OK(restoring.Put(std::move(entry)));
  if (!dump.skipped.empty()) {
    // They may be of kinds that the snapshot itself defines, which are served by now.
    std::set<const Resource*> were_served;
    for (const Dump::Entry& entry : dump.objects) were_served.insert(entry.resource);
    Dump again = BERTH_TRY(ReadDump(objects.catalog(), text));
    for (Dump::Entry& entry : again.objects) {
      if (!were_served.contains(entry.resource)) BERTH_CHECK_OK(restoring.Put(std::move(entry)));
    }
    restoring.report().skipped = std::move(again.skipped);
  }
  for (const std::string& name : dump.namespaces) {
    const Outcome<void> made = CreateNamespace(objects, name);
    if (!made) return Invalid(made.error().message);
  }
  return restoring.report();
}

}  // namespace berth::server
