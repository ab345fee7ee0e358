// SPDX-License-Identifier: Apache-2.0
#include "server/patch/apply_policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "server/patch/apply_check.h"
#include "server/patch/apply_merge.h"
#include "server/patch/apply_schema.h"
#include "server/patch/field_set.h"
#include "server/patch/from_unstructured.h"

namespace berth::server {
namespace {

// Finds what can only be replaced as a whole. Upstream does not look into maps whose members are no fields.
class AtomicParts {
 public:
  std::vector<std::string> Find(const ApplyType& type, const Json& value) {
    Visit(type, value);
    return std::move(found_);
  }

 private:
  void Visit(const ApplyType& type, const Json& value) {
    const bool is_map = value.is_map() && (type.kind == ApplyType::Kind::kStruct || type.kind == ApplyType::Kind::kMap);
    const bool is_list = value.is_list() && type.kind == ApplyType::Kind::kList;
    if ((is_map || is_list) && type.is_atomic) found_.push_back(FieldPathText(path_));
    if (is_map) {
      for (const Json::Member& member : value.members()) {
        if (const ApplyField* const field = type.Find(member.name))
          VisitBelow("f:" + member.name, *field->type, member.value);
      }
    } else if (is_list) {
      for (size_t i = 0; i < value.size(); ++i) VisitBelow(fmt::format("i:{}", i), *type.item, value[i]);
    }
  }

  void VisitBelow(std::string_view element, const ApplyType& type, const Json& value) {
    path_.push_back(element);
    Visit(type, value);
    path_.pop_back();
  }

  std::vector<std::string_view> path_;
  std::vector<std::string> found_;
};

}  // namespace

std::expected<Json, std::string> MergeForPolicy(const Json& object, const Json& config, const ObjectSchema& schema) {
  if (const std::string problem = CheckConfig(config, schema); !problem.empty()) {
    return std::unexpected("error applying patch: failed to convert patch object to typed object: " + problem);
  }
  if (const auto parts = AtomicParts().Find(ApplyTypeOf(schema), config); !parts.empty()) {
    return std::unexpected(fmt::format(
        "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {}",
        fmt::join(parts, ", ")));
  }
  Json merged = object;
  MergeConfig(merged, config, schema);
  Result<void> done;
  if (schema.message() != nullptr) done = ConvertScalars(merged, *schema.message());
  if (done) done = schema.Canonicalize(merged);
  if (!done) return std::unexpected("unable to convert unstructured object: " + done.error().message);
  return merged;
}

}  // namespace berth::server
