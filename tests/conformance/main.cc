// SPDX-License-Identifier: Apache-2.0
// berth-conformance: runs recorded scenarios through the core and prints what it decides, for comparison with upstream.
//
// It drives the same code as the product, through its public interfaces; nothing here decides.

#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "conformance/kinds.h"
#include "vector_lines.h"

namespace {

using berth::api::JsonWriter;
using berth::api::Value;
namespace conformance = berth::conformance;

using Run = void (*)(Value record, JsonWriter& results);

const std::map<std::string, Run> kKinds = {
    {"cache", conformance::RunCache},
    {"cel", conformance::RunCel},
    {"config", conformance::RunConfig},
    {"decisions", conformance::RunDecisions},
    {"explain", conformance::RunExplain},
    {"extender", conformance::RunExtender},
    {"hints", conformance::RunHints},
    {"policy", conformance::RunPolicy},
    {"quantity", conformance::RunQuantity},
    {"queue", conformance::RunQueue},
    {"registrations", conformance::RunRegistrations},
};

// The name under which a result is printed: what the record is called, or else its place in the file.
std::string NameOf(Value record, size_t line) {
  for (const char* key : {"name", "in"}) {
    if (record[key].is_string()) return std::string(record[key].text());
  }
  return "line " + std::to_string(line);
}

void Print(Run run, Value record, size_t line) {
  JsonWriter json;
  json.BeginObject().Key("name").String(NameOf(record, line)).Key("results").BeginArray();
  run(record, json);
  json.EndArray().EndObject();
  std::cout << json.Take() << "\n" << std::flush;
}

// One record a line. False if a line is not JSON.
bool RunLines(Run run, const std::string& path, std::istream& in) {
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    const berth::Result<berth::api::Document> document = berth::api::ParseJson(line);
    if (!document) {
      std::cerr << "berth-conformance: " << path << ":" << number << ": " << document.error().message << "\n";
      return false;
    }
    Print(run, document->root(), number);
  }
  return true;
}

int Usage() {
  std::cerr << "usage: berth-conformance KIND FILE...\n  KIND is one of:";
  for (const auto& [name, run] : kKinds) std::cerr << " " << name;
  std::cerr << "\n  FILE holds JSON lines, plain or gzipped; one result line is printed for each\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return Usage();
  const auto kind = kKinds.find(argv[1]);
  if (kind == kKinds.end()) return Usage();
  std::ios::sync_with_stdio(false);
  for (int i = 2; i < argc; ++i) {
    if (kind->first == "registrations") {  // The whole file is what is expected; nothing in it is input.
      Print(kind->second, Value(), 1);
      continue;
    }
    std::string text;
    if (!ReadVectors(argv[i], text)) {
      std::cerr << "berth-conformance: cannot read " << argv[i] << "\n";
      return 2;
    }
    std::istringstream in(std::move(text));
    if (!RunLines(kind->second, argv[i], in)) return 2;
  }
  return 0;
}
