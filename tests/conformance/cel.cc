// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "api/parts/quantity.h"
#include "cel/device.h"
#include "cel/device_expression.h"
#include "conformance/kinds.h"

namespace berth::conformance {
namespace {

// A recorded device. Keeps what the device only looks at, but for texts, which are the record's.
class RecordedDevice {
 public:
  explicit RecordedDevice(api::Value record)
      : device_(record["driver"].text(), record["allowMultipleAllocations"].AsBool().value_or(false)) {
    const api::Value attributes = record["attributes"];
    for (size_t i = 0; i < attributes.size(); ++i) AddAttribute(attributes.key(i), attributes[i]);
    const api::Value capacity = record["capacity"];
    for (size_t i = 0; i < capacity.size(); ++i) {
      amounts_.push_back(*api::Quantity::Parse(capacity[i]["value"].text()));
      device_.AddCapacity(capacity.key(i), amounts_.back());
    }
  }

  const cel::Device& device() const { return device_; }

 private:
  const std::vector<std::string>& KeepAll(api::Value list) {
    std::vector<std::string>& kept = lists_.emplace_back();
    for (size_t i = 0; i < list.size(); ++i) kept.emplace_back(list[i].text());
    return kept;
  }

  void AddAttribute(std::string_view name, api::Value attribute) {
    if (const api::Value ints = attribute["ints"]; ints.is_list()) {
      std::vector<int64_t> values;
      for (size_t i = 0; i < ints.size(); ++i) values.push_back(*ints[i].AsInt());
      device_.AddInts(name, values);
    } else if (const api::Value bools = attribute["bools"]; bools.is_list()) {
      std::vector<bool> values;
      for (size_t i = 0; i < bools.size(); ++i) values.push_back(*bools[i].AsBool());
      device_.AddBools(name, values);
    } else if (attribute["strings"].is_list()) {
      device_.AddStrings(name, KeepAll(attribute["strings"]));
    } else if (attribute["versions"].is_list()) {
      device_.AddVersions(name, KeepAll(attribute["versions"]));
    } else if (attribute["int"].is_number()) {
      device_.AddInt(name, *attribute["int"].AsInt());
    } else if (attribute["bool"].is_bool()) {
      device_.AddBool(name, *attribute["bool"].AsBool());
    } else if (attribute["string"].is_string()) {
      device_.AddString(name, attribute["string"].text());
    } else if (attribute["version"].is_string()) {
      device_.AddVersion(name, attribute["version"].text());
    } else {
      device_.AddUnset(name);
    }
  }

  std::deque<std::vector<std::string>> lists_;
  std::deque<api::Quantity> amounts_;
  cel::Device device_;
};

void WriteElement(api::JsonWriter& json, bool value) { json.Bool(value); }
void WriteElement(api::JsonWriter& json, int64_t value) { json.Int(value); }
void WriteElement(api::JsonWriter& json, const std::string& value) { json.String(value); }
void WriteElement(api::JsonWriter& json, const cel::Version& value) { json.String(value.text); }

template <class T>
constexpr std::string_view kFieldOf = "string";
template <>
constexpr std::string_view kFieldOf<bool> = "bool";
template <>
constexpr std::string_view kFieldOf<int64_t> = "int";
template <>
constexpr std::string_view kFieldOf<cel::Version> = "version";

template <class T>
void WriteAttribute(api::JsonWriter& json, const T& value) {
  json.Key(kFieldOf<T>);
  WriteElement(json, value);
}
template <class T>
void WriteAttribute(api::JsonWriter& json, const std::vector<T>& values) {
  if (values.empty()) return;
  json.Key(std::string(kFieldOf<T>) + "s").BeginArray();
  for (size_t i = 0; i < values.size(); ++i) WriteElement(json, values[i]);
  json.EndArray();
}
void WriteAttribute(api::JsonWriter&, const std::monostate&) {}

void WriteOutcome(const cel::DeviceExpression& expression, bool is_derived, const cel::Device& device,
                  api::JsonWriter& json) {
  std::optional<uint64_t> cost;
  if (is_derived) {
    const Result<cel::AttributeValue> value = expression.Derive(device, &cost);
    if (value) {
      json.Key("value").BeginObject();
      std::visit([&json](const auto& held) { WriteAttribute(json, held); }, *value);
      json.EndObject();
    } else {
      json.Key("error").String(value.error().message);
    }
  } else {
    const Result<bool> matches = expression.Matches(device, &cost);
    if (matches) {
      json.Key("result").Bool(*matches);
    } else {
      json.Key("error").String(matches.error().message);
    }
  }
  if (cost) json.Key("cost").UInt(*cost);
}

}  // namespace

void RunCel(api::Value record, api::JsonWriter& results) {
  const bool is_derived = record["derived"].AsBool().value_or(false);
  cel::CompileOptions options;
  options.derives_attribute = is_derived;
  options.estimates_cost = true;
  const api::Value gates = record["gates"];
  options.consumable_capacity = gates["DRAConsumableCapacity"].AsBool().value_or(true);
  options.list_type_attributes = gates["DRAListTypeAttributes"].AsBool().value_or(false);

  results.BeginObject().Key("compile");
  const auto expression = cel::DeviceExpression::Compile(record["expression"].text(), options);
  if (!expression) {
    results.String((expression.error().is_internal ? "internal: " : "") + expression.error().detail).EndObject();
    return;
  }
  results.String("ok").Key("type").String(expression->result_type());
  results.Key("costEstimate").UInt(expression->max_cost());
  const RecordedDevice recorded(record["device"]);
  WriteOutcome(*expression, is_derived, recorded.device(), results);
  results.EndObject();
}

}  // namespace berth::conformance
