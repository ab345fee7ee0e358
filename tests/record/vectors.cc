// SPDX-License-Identifier: Apache-2.0
// berth-record-vectors: writes every object and every configuration of recorded scenarios as an input log would, reads
// them again and compares.
//
//   berth-record-vectors FILE...    (JSON lines, plain or gzipped)

#include <iostream>
#include <map>
#include <string>

#include "api/decode/decode.h"
#include "config/config.h"
#include "record/fields.h"
#include "record/settings.h"
#include "vector_lines.h"

namespace {

namespace api = berth::api;
namespace record = berth::record;

struct Tally {
  size_t objects = 0;
  size_t settings = 0;
  size_t wrong = 0;
};

bool ComesBack(const api::Object& object) {
  record::Encoder encoder;
  encoder(object);
  const std::string bytes = encoder.Take();
  api::Object again;
  record::Decoder decoder(bytes);
  decoder(again);
  decoder.Finish();
  encoder(again);
  return decoder.ok() && again == object && encoder.Take() == bytes;
}

bool ComesBack(const record::Settings& settings) {
  const auto again = record::DecodeSettings(record::EncodeSettings(settings), berth::plugins::BuiltIn());
  return again && *again == settings;
}

// Whatever decodes as an object is one.
void CheckObjects(api::Value value, Tally& tally) {
  if (value.is_map() && value["kind"].is_string() && value["metadata"].is_map()) {
    if (const berth::Result<api::Object> object = api::DecodeObject(value)) {
      ++tally.objects;
      if (!ComesBack(*object)) {
        ++tally.wrong;
        std::cerr << "does not come back: " << value.ToJson() << "\n";
      }
    }
    return;
  }
  for (size_t i = 0; i < value.size(); ++i) CheckObjects(value[i], tally);
}

void CheckSettings(api::Value record, Tally& tally) {
  std::map<std::string, bool> overrides;
  const api::Value written_gates = record["featureGates"];
  for (size_t i = 0; i < written_gates.size(); ++i) {
    overrides[std::string(written_gates.key(i))] = written_gates[i].AsBool().value_or(false);
  }
  const auto gates = berth::framework::FeatureGates::Create(overrides);
  if (!gates) return;
  // Scenarios hold a configuration as it is, the cases of configurations hold a text.
  const api::Value written = record["config"];
  const std::string text = written.is_string() ? std::string(written.text()) : written.ToJson();
  const auto configuration = written.is_null() ? berth::config::Default(*gates) : berth::config::Load(text, *gates);
  if (!configuration) return;
  ++tally.settings;
  if (!ComesBack(
          {.configuration = *configuration, .gates = *gates, .seed = tally.settings, .start = berth::Time{-1}})) {
    ++tally.wrong;
    std::cerr << "settings do not come back: " << text << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  Tally tally;
  for (int i = 1; i < argc; ++i) {
    const auto check = [&](const std::string& line, size_t) {
      const berth::Result<api::Document> document = api::ParseJson(line);
      if (!document) return;
      CheckObjects(document->root(), tally);
      CheckSettings(document->root(), tally);
    };
    if (!ForEachVector(argv[i], check)) {
      std::cerr << "berth-record-vectors: cannot read " << argv[i] << "\n";
      return 2;
    }
  }
  std::cout << tally.objects << " objects, " << tally.settings << " settings, " << tally.wrong
            << " did not come back\n";
  return tally.objects > 0 && tally.settings > 0 && tally.wrong == 0 ? 0 : 1;
}
