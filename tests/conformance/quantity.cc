// SPDX-License-Identifier: Apache-2.0
#include "conformance/quantity.h"

#include <istream>
#include <ostream>
#include <string>

#include "api/json_writer.h"
#include "api/quantity.h"
#include "api/value.h"

namespace berth::conformance {
namespace {

void WriteResult(std::string_view text, api::JsonWriter& json) {
  const Result<api::Quantity> quantity = api::Quantity::Parse(text);
  json.BeginObject().Key("in").String(text);
  if (!quantity) {
    json.Key("error").Bool(true).EndObject();
    return;
  }
  const api::Quantity reference = api::Quantity::FromMilli(1500);
  api::Quantity sum = *quantity;
  sum.Add(reference);
  json.Key("canonical").String(quantity->String());
  json.Key("value").String(std::to_string(quantity->Value()));
  json.Key("milli").String(std::to_string(quantity->MilliValue()));
  json.Key("sign").Int(quantity->Sign());
  json.Key("cmp1500m").Int(quantity->Cmp(reference));
  json.Key("plus1500m").String(sum.String());
  json.EndObject();
}

}  // namespace

void RunQuantity(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const Result<api::Document> document = api::ParseJson(line);
    api::JsonWriter json;
    const std::string text(document ? document->root()["in"].text() : std::string_view());
    json.BeginObject().Key("name").String(text).Key("results").BeginArray();
    WriteResult(text, json);
    json.EndArray().EndObject();
    out << json.Take() << "\n";
  }
}

}  // namespace berth::conformance
