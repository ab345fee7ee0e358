// SPDX-License-Identifier: Apache-2.0
#include "server/policies/made_values.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "cel/containers.h"
#include "cel/made_objects.h"
#include "cel/operations.h"
#include "server/store/object_bounds.h"

namespace berth::server {
namespace {

using cel::Kind;
using cel::Value;

// Values that are made of shared parts can be much larger as JSON than they are.
class JsonMaker {
 public:
  struct Failed {
    std::string message;
  };

  Json Make(const Value& value, const std::string& type) { return Make(value, type, 1); }

 private:
  // `type`: what an object here must be called; empty: nobody looks at that.
  Json Make(const Value& value, const std::string& type, size_t level) {
    if (level > kObjectLevelsMax) throw Failed{"the value is too deep"};
    Spend(1);
    switch (value.kind()) {
      case Kind::kNull: return {};
      case Kind::kBool: return Json::Bool(value.boolean());
      case Kind::kInt: return Json::Int(value.integer());
      case Kind::kUint: return Json::Number(std::to_string(value.unsigned_integer()));
      case Kind::kDouble: return MakeDouble(value.real());
      case Kind::kString: Spend(value.string().size()); return Json::String(value.string());
      case Kind::kList: {
        Json::List items;
        for (size_t i = 0; i < value.list().size(); ++i) items.push_back(Make(value.list().at(i), type, level + 1));
        return Json::MakeList(std::move(items));
      }
      case Kind::kMap: return MakeMap(value.map(), type, false, level);
      case Kind::kObject: {
        const std::string_view is = value.object().type;
        if (!type.empty() && is != type) {
          throw Failed{
              fmt::format("type mismatch: unexpected type name \"{}\", expected \"{}\", which matches field "
                          "name path from root Object type",
                          is, type)};
        }
        return MakeMap(value.object().fields, type, true, level);
      }
      default: break;
    }
    throw Failed{fmt::format("type conversion error from '{}' to 'google.protobuf.Value'", cel::TypeName(value))};
  }

  Json MakeMap(const cel::Map& map, const std::string& type, bool is_object, size_t level) {
    Json::Map members;
    for (const cel::Map::Entry& entry : map.entries()) {
      if (!entry.key.Is(Kind::kString)) {
        throw Failed{fmt::format("map key of type {} is not string", cel::TypeName(entry.key))};
      }
      const std::string_view name = entry.key.string();
      Spend(name.size());
      members.push_back(
          {std::string(name),
           Make(entry.value, is_object && !type.empty() ? fmt::format("{}.{}", type, name) : type, level + 1)});
    }
    return Json::MakeMap(std::move(members));
  }

  static Json MakeDouble(double number) {
    if (!std::isfinite(number)) throw Failed{"a number that is not finite has no JSON"};
    return Json::Number(fmt::format("{}", number));
  }

  void Spend(size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kObjectBytesMax) throw Failed{"the value is too large"};
  }

  size_t bytes_ = 0;
};

Json MakeOperation(const cel::MadeObject& patch, JsonMaker& maker) {
  Json operation = Json::MakeMap();
  for (const cel::Map::Entry& entry : patch.fields.entries()) {
    const std::string_view name = entry.key.string();
    Json value =
        maker.Make(entry.value, entry.value.Is(Kind::kObject) ? std::string(entry.value.object().type) : std::string());
    if (name != "from" || !value.text().empty()) operation.Set(name, std::move(value));
  }
  for (const std::string_view name : {"op", "path"}) operation.SetDefault(name, Json::String(""));
  return operation;
}

}  // namespace

std::expected<Json, std::string> ToConfiguration(const Value& object) {
  try {
    return JsonMaker().Make(object, std::string(cel::kObjectType));
  } catch (const JsonMaker::Failed& failed) {
    return std::unexpected(failed.message);
  } catch (const cel::Cancelled& cancelled) {
    return std::unexpected(cancelled.message);
  }
}

std::expected<Json, std::string> ToPatch(const Value& patches) {
  try {
    JsonMaker maker;
    Json operations = Json::MakeList();
    for (size_t i = 0; i < patches.list().size(); ++i) {
      const Value patch = patches.list().at(i);
      if (patch.Is(Kind::kObject)) operations.Append(MakeOperation(patch.object(), maker));
    }
    return operations;
  } catch (const JsonMaker::Failed& failed) {
    return std::unexpected(failed.message);
  } catch (const cel::Cancelled& cancelled) {
    return std::unexpected(cancelled.message);
  }
}

}  // namespace berth::server
