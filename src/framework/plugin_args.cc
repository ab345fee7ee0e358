// SPDX-License-Identifier: Apache-2.0
#include "framework/plugin_args.h"

namespace berth::framework {

void WriteTypeMeta(ArgsWriter& writer, std::string_view kind) {
  if (writer.form() == JsonForm::kInternal) return;
  writer.json().Key("kind").String(kind);
  writer.json().Key("apiVersion").String("kubescheduler.config.k8s.io/v1");
}

std::string PluginArgs::Json(JsonForm form) const {
  api::JsonWriter json;
  ArgsWriter writer(json, form);
  Write(writer);
  return form == JsonForm::kInternal ? GoJson(json.Take()) : json.Take();
}

}  // namespace berth::framework
