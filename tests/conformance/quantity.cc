// SPDX-License-Identifier: Apache-2.0
#include "conformance/kinds.h"

#include <string>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "api/parts/quantity.h"

namespace berth::conformance {
void RunQuantity(api::Value record, api::JsonWriter& results) {
  const std::string_view text = record["in"].text();
  const Result<api::Quantity> quantity = api::Quantity::Parse(text);
  results.BeginObject().Key("in").String(text);
  if (quantity) {
    const api::Quantity reference = api::Quantity::FromMilli(1500);
    api::Quantity sum = *quantity;
    sum.Add(reference);
    results.Key("canonical").String(quantity->String());
    results.Key("value").String(std::to_string(quantity->Value()));
    results.Key("milli").String(std::to_string(quantity->MilliValue()));
    results.Key("sign").Int(quantity->Sign());
    results.Key("cmp1500m").Int(quantity->Cmp(reference));
    results.Key("plus1500m").String(sum.String());
  } else {
    results.Key("error").Bool(true);
  }
  results.EndObject();
}

}  // namespace berth::conformance
