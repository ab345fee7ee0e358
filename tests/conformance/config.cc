// SPDX-License-Identifier: Apache-2.0
#include "conformance/config.h"

#include <istream>
#include <ostream>
#include <string>

#include "api/json_writer.h"
#include "api/value.h"
#include "config/config.h"

namespace berth::conformance {
namespace {

std::string RunLine(std::string_view line) {
  const Result<api::Document> document = api::ParseJson(line);
  const api::Value record = document ? document->root() : api::Value();
  const auto loaded = config::Load(record["config"].text(), framework::FeatureGates());

  api::JsonWriter json;
  json.BeginObject().Key("name").String(record["name"].text());
  json.Key("results").BeginArray().BeginObject();
  if (loaded) {
    json.Key("output").Raw(config::ToJson(*loaded));
  } else {
    json.Key("error").String(loaded.error().message);
  }
  json.EndObject().EndArray().EndObject();
  return json.Take();
}

}  // namespace

void RunConfig(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) out << RunLine(line) << '\n';
  }
}

}  // namespace berth::conformance
