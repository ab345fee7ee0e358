// SPDX-License-Identifier: Apache-2.0
#include "conformance/kinds.h"

#include <string>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "config/config.h"

namespace berth::conformance {
void RunConfig(api::Value record, api::JsonWriter& results) {
  const auto loaded = config::Load(record["config"].text(), framework::FeatureGates());
  results.BeginObject();
  if (loaded) {
    results.Key("output").Raw(config::ToJson(*loaded));
  } else {
    results.Key("error").String(loaded.error().message);
  }
  results.EndObject();
}

}  // namespace berth::conformance
