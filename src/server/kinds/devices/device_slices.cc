// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/devices/device_slices.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "api/parts/selector.h"
#include "api/typed/typed.h"
#include "base/ascii.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/pods/pod_affinity.h"
#include "server/kinds/storage/persistent_volume.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kDevicesMax = 128;
constexpr size_t kAdvancedDevicesMax = 64;
constexpr size_t kCounterSetsMax = 8;
constexpr size_t kCountersMax = 32;
constexpr size_t kConsumedSetsMax = 2;
constexpr size_t kDeviceTaintsMax = 16;
constexpr size_t kAttributesMax = 32;
constexpr size_t kAttributeValuesMax = 48;
constexpr size_t kAttributeValueLengthMax = 64;
constexpr size_t kAttributeKeyLengthMax = 96;

constexpr std::array<std::string_view, 4> kListValues = {"ints", "bools", "strings", "versions"};

// Long keys are cut in the middle.
std::string Shortened(std::string_view key) {
  if (key.size() <= kAttributeKeyLengthMax) return std::string(key);
  constexpr size_t kRemaining = kAttributeKeyLengthMax - 3;
  return std::string(key.substr(0, (kRemaining + 1) / 2)) + "..." +
         std::string(key.substr(key.size() - kRemaining / 2));
}

void ValidatePool(const Json& pool, FieldErrors& errors) {
  const FieldPath path = kSpec / "pool";
  CheckPoolName(errors, path / "name", pool["name"].text());
  if (pool["resourceSliceCount"].IntOr(0) <= 0) {
    errors.Invalid(path / "resourceSliceCount", pool["resourceSliceCount"], "must be greater than zero");
  }
  if (pool["generation"].IntOr(0) < 0) {
    errors.Invalid(path / "generation", pool["generation"], "must be greater than or equal to zero");
  }
}

void ValidateUnchanged(const Json& spec, const Json& old, FieldErrors& errors) {
  const FieldPath pool_path = kSpec / "pool";
  CheckImmutable(errors, pool_path / "name", spec["pool"]["name"], old["pool"]["name"]);
  CheckImmutable(errors, kSpec / "driver", spec["driver"], old["driver"]);
  CheckImmutable(errors, kSpec / "nodeName", spec["nodeName"], old["nodeName"]);
}

// Which of the ways to say which nodes have devices are used.
class NodeChoices {
 public:
  NodeChoices(const Json& object, const FieldPath& path, FieldErrors& errors)
      : object_(object), path_(path), errors_(errors) {}

  void CheckNodeName(std::string_view if_empty) {
    const Json* node = object_.Find("nodeName");
    if (node == nullptr) return;
    if (node->text().empty()) return errors_.Invalid(path_ / "nodeName", "", if_empty);
    Add("nodeName");
    Report(errors_, path_ / "nodeName", node->text(), api::ValidateDnsSubdomain(node->text()));
  }

  void CheckSelector(bool has_one_term) {
    const Json* selector = object_.Find("nodeSelector");
    if (selector == nullptr) return;
    Add("nodeSelector");
    const FieldPath at = path_ / "nodeSelector";
    ValidateNodeSelectorTerms(*selector, at, errors_);
    const Json& terms = (*selector)["nodeSelectorTerms"];
    if (!has_one_term || terms.size() == 1) return;
    InvalidInternal(errors_, at / "nodeSelectorTerms", terms.is_null() ? Json::MakeList() : terms,
                    "core.v1.NodeSelectorTerm", "must have exactly one node selector term");
  }

  void CheckFlag(std::string_view name) {
    const Json* flag = object_.Find(name);
    if (flag == nullptr) return;
    if (flag->AsBool()) return Add(name);
    errors_.Invalid(path_ / name, *flag, "must be either unset or set to true");
  }

  void CheckOne(std::string_view rule, std::string_view if_several) {
    if (count_ == 0) return errors_.Required(path_, rule);
    if (count_ > 1) errors_.Invalid(path_, "{" + used_ + "}", std::string(rule) + std::string(if_several));
  }

 private:
  void Add(std::string_view name) { used_.append(count_++ == 0 ? "`" : ", `").append(name).append("`"); }

  const Json& object_;
  const FieldPath& path_;
  FieldErrors& errors_;
  std::string used_;
  int count_ = 0;
};

void ValidateNodesOfSlice(const Json& spec, FieldErrors& errors) {
  NodeChoices choices(spec, kSpec, errors);
  choices.CheckNodeName("must be either unset or set to a non-empty string");
  choices.CheckSelector(true);
  choices.CheckFlag("allNodes");
  choices.CheckFlag("perDeviceNodeSelection");
  choices.CheckOne("exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
                   ", but multiple fields are set");
}

void ValidateNodesOfDevice(const Json& device, bool has_own_nodes, const FieldPath& path, FieldErrors& errors) {
  if (has_own_nodes) {
    NodeChoices choices(device, path, errors);
    choices.CheckNodeName("must not be empty");
    choices.CheckSelector(false);
    choices.CheckFlag("allNodes");
    choices.CheckOne(
        "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set "
        "to true in the ResourceSlice spec",
        "");
  } else if (device.Has("nodeName") || device.Has("nodeSelector") || device.Has("allNodes")) {
    errors.Invalid(path, Json(),
                   "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to "
                   "true in the ResourceSlice spec");
  }
}

// Dot-separated words of letters, digits and dashes; numbers among them may not begin with 0 if `is_release`.
bool AreSemverWords(std::string_view text, bool is_release) {
  for (;;) {
    const size_t dot = text.find('.');
    const std::string_view word = text.substr(0, dot);
    if (word.empty() || !std::ranges::all_of(word, [](char c) { return IsAlphanumeric(c) || c == '-'; })) return false;
    if (is_release && word.size() > 1 && word.front() == '0' && std::ranges::all_of(word, IsDigit)) return false;
    if (dot == text.npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsSemver(std::string_view text) {
  if (const size_t plus = text.find('+'); plus != text.npos) {
    if (!AreSemverWords(text.substr(plus + 1), false)) return false;
    text = text.substr(0, plus);
  }
  if (const size_t dash = text.find('-'); dash != text.npos) {
    if (!AreSemverWords(text.substr(dash + 1), true)) return false;
    text = text.substr(0, dash);
  }
  return std::ranges::count(text, '.') == 2 && AreSemverWords(text, true) &&
         std::ranges::all_of(text, [](char c) { return IsDigit(c) || c == '.'; });
}

void CheckVersion(const std::string& text, const FieldPath& path, FieldErrors& errors) {
  if (!IsSemver(text)) errors.Invalid(path, text, "must be a string compatible with semver.org spec 2.0.0");
  if (text.size() > kAttributeValueLengthMax) errors.TooLong(path, kAttributeValueLengthMax);
}

// One of its kinds of values.
void CheckUnion(const Json& attribute, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kKinds =
      "one of: `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`";
  std::string used;
  size_t count = 0;
  const auto add = [&](std::string_view name) { used.append(count++ == 0 ? "{" : ", ").append(name); };
  for (const std::string_view name : {"int", "bool", "string", "version"}) {
    if (attribute.Has(name)) add(name);
  }
  for (const std::string_view name : kListValues) {
    if (!attribute[name].empty()) add(name);
  }
  if (count == 0) errors.Invalid(path, "", "must specify " + std::string(kKinds));
  if (count > 1) errors.Invalid(path, used + "}", "must specify exactly " + std::string(kKinds));
}

void ValidateAttribute(const Json& attribute, const FieldPath& path, DeviceErrors& errors) {
  if (attribute["string"].text().size() > kAttributeValueLengthMax) {
    errors.written.TooLong(path / "string", kAttributeValueLengthMax);
  }
  if (const Json* version = attribute.Find("version")) {
    CheckVersion(version->text(), path / "version", errors.written);
  }
  for (const std::string_view name : kListValues) {
    const Json* list = attribute.Find(name);
    if (list == nullptr) continue;
    const FieldPath at = path / name;
    if (list->empty()) errors.written.Invalid(at, *list, "must not be empty if specified");
    for (size_t i = 0; i < list->size(); ++i) {
      if (name == "versions") CheckVersion((*list)[i].text(), at[i], errors.written);
      if (name == "strings" && (*list)[i].text().size() > kAttributeValueLengthMax) {
        errors.written.TooLong(at[i], kAttributeValueLengthMax);
      }
    }
  }
  CheckUnion(attribute, path, errors.declared);
}

void CheckNumberOfAttributes(const Json& device, const FieldPath& path, FieldErrors& errors) {
  const size_t count = device["attributes"].size() + device["capacity"].size();
  if (count > kAttributesMax) {
    errors.Invalid(path, Json::Int(static_cast<int64_t>(count)),
                   "the total number of attributes and capacities must not exceed 32");
  }
  size_t values = 0;
  for (const Json::Member& attribute : device["attributes"].members()) {
    size_t items = 0;
    for (const std::string_view name : kListValues) items += attribute.value[name].size();
    values += std::max(items, size_t{1});
  }
  if (values > kAttributeValuesMax) {
    errors.Invalid(path, Json::Int(static_cast<int64_t>(values)),
                   "the total number of attribute values must not exceed 48");
  }
}

void ValidateCapacities(const Json& device, const FieldPath& path, FieldErrors& errors) {
  const bool is_shared = device["allowMultipleAllocations"].AsBool();
  for (const Json::Member& capacity : device["capacity"].members()) {
    CheckAttributeName(errors, path, capacity.name);
    const std::string key = Shortened(capacity.name);
    const FieldPath at = path.Key(key);
    if (!capacity.value.Has("requestPolicy")) continue;
    if (is_shared) {
      ValidateCapacityPolicy(capacity.value, at, errors);
    } else {
      errors.Forbidden(at / "requestPolicy", "allowMultipleAllocations must be true");
    }
  }
}

// Counters that a set has or that a device takes; `name_field` names the set.
void ValidateCounters(const Json& set, std::string_view name_field, const FieldPath& path, DeviceErrors& errors) {
  if (Require(errors.declared, path, set, name_field)) {
    CheckDeclaredLabel(errors.declared, path / name_field, set[name_field].text());
  }
  if (!Require(errors.declared, path, set, "counters")) return;
  const FieldPath at = path / "counters";
  if (!CheckCount(errors.written, at, set["counters"].size(), kCountersMax)) return;
  for (const Json::Member& counter : set["counters"].members()) CheckDeclaredLabel(errors.declared, at, counter.name);
}

void ValidateCounterSets(const Json& sets, std::string_view name_field, const char* message_name, size_t max,
                         const FieldPath& path, DeviceErrors& errors) {
  if (!CheckCount(errors.declared, path, sets.size(), max)) return;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (seen.insert(sets[i][name_field].text()).second) continue;
    const std::string text = EncodeJson(sets[i], *api::wire::FindMessage(message_name));
    errors.declared.Add({"FieldValueDuplicate", "Duplicate value: " + text, path[i]});
  }
  for (size_t i = 0; i < sets.size(); ++i) ValidateCounters(sets[i], name_field, path[i], errors);
}

// `old` is what the device was before, null for a new one.
void ValidateDevice(const Json& device, const Json* old, bool has_own_nodes, const FieldPath& path,
                    DeviceErrors& errors) {
  Report(errors.written, path / "name", device["name"].text(), CheckDnsLabel(device["name"].text()));
  CheckNumberOfAttributes(device, path, errors.written);
  const FieldPath attributes_path = path / "attributes";
  for (const Json::Member& attribute : device["attributes"].members()) {
    CheckAttributeName(errors.written, attributes_path, attribute.name);
    const std::string key = Shortened(attribute.name);
    ValidateAttribute(attribute.value, attributes_path.Key(key), errors);
  }
  if (old == nullptr || (*old)["capacity"] != device["capacity"]) {
    ValidateCapacities(device, path / "capacity", errors.written);
  }
  ValidateCounterSets(device["consumesCounters"], "counterSet", "io.k8s.api.resource.v1.DeviceCounterConsumption",
                      kConsumedSetsMax, path / "consumesCounters", errors);
  const FieldPath taints_path = path / "taints";
  const Json& taints = device["taints"];
  const bool has_new_taints = old == nullptr || (*old)["taints"] != taints;
  if (has_new_taints && CheckCount(errors.written, taints_path, taints.size(), kDeviceTaintsMax)) {
    for (size_t i = 0; i < taints.size(); ++i) ValidateDeviceTaint(taints[i], true, taints_path[i], errors);
  }
  ValidateNodesOfDevice(device, has_own_nodes, path, errors.written);
  ValidateBindingConditions(device, path, errors);
}

bool HasLists(const Json& device) {
  return std::ranges::any_of(device["attributes"].members(), [](const Json::Member& attribute) {
    return std::ranges::any_of(kListValues, [&](std::string_view name) { return attribute.value.Has(name); });
  });
}

bool UsesAdvancedFeatures(const Json& device) {
  return !device["taints"].empty() || !device["consumesCounters"].empty() || HasLists(device);
}

// Null if there is none.
const Json* DeviceNamed(const Json& devices, const std::string& name) {
  const auto it = std::ranges::find_if(devices.items(), [&](const Json& each) { return each["name"].text() == name; });
  return it == devices.items().end() ? nullptr : &*it;
}

void ValidateDevices(const Json& spec, const Json& old, DeviceErrors& errors) {
  const FieldPath path = kSpec / "devices";
  const Json& devices = spec["devices"];
  const size_t max = std::ranges::any_of(devices.items(), UsesAdvancedFeatures) ? kAdvancedDevicesMax : kDevicesMax;
  if (!CheckCount(errors.written, path, devices.size(), max)) return;
  const bool has_own_nodes = spec["perDeviceNodeSelection"].AsBool();
  for (size_t i = 0; i < devices.size(); ++i) {
    const Json* before = DeviceNamed(old["devices"], devices[i]["name"].text());
    ValidateDevice(devices[i], before, has_own_nodes, path[i], errors);
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < devices.size(); ++i) {
    const std::string& name = devices[i]["name"].text();
    if (!seen.insert(name).second) errors.written.Duplicate(path[i], name);
  }
}

}  // namespace

void ValidateSliceSpec(const Json& spec, const Json& old, DeviceErrors& errors) {
  CheckDriverName(errors.written, kSpec / "driver", spec["driver"].text());
  ValidatePool(spec["pool"], errors.written);
  if (!old.is_null()) ValidateUnchanged(spec, old, errors.written);
  ValidateNodesOfSlice(spec, errors.written);
  if (spec.Has("sharedCounters") && spec.Has("devices")) {
    errors.written.Invalid(kSpec, "", "only one of `sharedCounters` or `devices` is allowed");
  }
  ValidateDevices(spec, old, errors);
  ValidateCounterSets(spec["sharedCounters"], "name", "io.k8s.api.resource.v1.CounterSet", kCounterSetsMax,
                      kSpec / "sharedCounters", errors);
}

}  // namespace berth::server
