// SPDX-License-Identifier: Apache-2.0
#include "server/patch/last_applied.h"

#include <string>

#include "server/patch/apply_check.h"
#include "server/patch/apply_compare.h"
#include "server/patch/go_json.h"

namespace berth::server {
namespace {

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
constexpr size_t kAnnotationsMax = 256 * 1024;  // Bytes of all of them.

}  // namespace

FieldSet LastAppliedFields(const Json& live, const ObjectSchema& schema, std::string_view api_version) {
  const std::string& text = live["metadata"]["annotations"][kAnnotation].text();
  if (text.empty() || !CheckConfig(live, schema).empty()) return {};
  const Result<Json> applied = ParseTree(text);
  if (!applied || (*applied)["apiVersion"].text() != api_version || !CheckConfig(*applied, schema).empty()) return {};
  FieldSet fields = FieldsOf(*applied, schema);
  const FieldChanges changes = CompareFields(&*applied, live, schema);
  fields.Subtract(changes.changed);
  fields.Subtract(changes.removed);
  return fields;
}

void UpdateLastApplied(Json& object, const Json& config) {
  if (object["metadata"]["annotations"][kAnnotation].text().empty()) return;
  Json applied = config;
  if (Json* metadata = applied.Find("metadata")) {
    if (Json* annotations = metadata->Find("annotations"); annotations != nullptr && annotations->is_map()) {
      annotations->Erase(kAnnotation);
      for (Json::Member& each : annotations->mutable_members()) {
        if (each.value.is_null()) each.value = Json::String("");
      }
    }
  }
  Json& annotations = object.Make({"metadata", "annotations"});
  std::string text;
  AppendGoJson(text, applied);
  annotations.Set(kAnnotation, text + "\n");
  size_t size = 0;
  for (const Json::Member& each : annotations.members()) size += each.name.size() + each.value.text().size();
  if (size > kAnnotationsMax) annotations.Erase(kAnnotation);
}

}  // namespace berth::server
