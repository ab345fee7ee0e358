// SPDX-License-Identifier: Apache-2.0
// berth-sources: checks the sources of pods and nodes on what upstream sent to extenders.
//
//   berth-sources FILE...
//
// Each line is a scenario (see tests/conformance/vectors/extender): its objects, and the requests that upstream sent.
// Every pod and node in a request must be, byte for byte, the source of the object of that name. The exit status is 0
// if all are.

#include <iostream>
#include <map>
#include <string>

#include "api/decode/decode.h"
#include "api/source.h"
#include "vector_lines.h"

namespace {

namespace api = berth::api;
using api::Value;

struct Counts {
  size_t passed = 0;
  size_t failed = 0;
};

std::string NameOf(Value object) {
  return std::string(object["metadata"]["namespace"].text()).append("/").append(object["metadata"]["name"].text());
}

class Scenario {
 public:
  Scenario(Value record, Counts& counts) : name_(record["name"].text()), counts_(counts) {
    for (size_t i = 0; i < record["objects"].size(); ++i) AddObject(record["objects"][i]);
    AddAnswers(record["script"]);
  }

  void Check(Value request) {
    CheckObject(request["Pod"]);
    const Value nodes = request["Nodes"]["items"];
    for (size_t i = 0; i < nodes.size(); ++i) CheckObject(nodes[i]);
    const Value victims = request["NodeNameToVictims"];
    for (size_t i = 0; i < victims.size(); ++i) {
      for (size_t j = 0; j < victims[i]["Pods"].size(); ++j) CheckObject(victims[i]["Pods"][j]);
    }
  }

 private:
  void AddObject(Value value) {
    api::Object object = api::DecodeObject(value).value();
    if (!api::KeepSource(object, value)) Fail(NameOf(value), "it has no source");
    if (const auto* pod = std::get_if<api::Pod>(&object)) sources_.emplace(NameOf(value), *pod->source);
    if (const auto* node = std::get_if<api::Node>(&object)) sources_.emplace(NameOf(value), *node->source);
  }

  // Nodes that an extender answered with are sent to the next one as they are.
  void AddAnswers(Value script) {
    for (size_t i = 0; i < script.size(); ++i) {
      for (size_t j = 0; j < script[i].size(); ++j) {
        const Value nodes = script[i][j]["body"]["Nodes"]["items"];
        for (size_t k = 0; k < nodes.size(); ++k) AddNode(nodes[k]);
      }
    }
  }

  void AddNode(Value value) {
    berth::Result<api::Node> node = api::DecodeNode(value);
    if (node && api::KeepSource(*node, value)) sources_.emplace(NameOf(value), *node->source);
  }

  void CheckObject(Value sent) {
    if (!sent.is_map()) return;
    const std::string want = sent.ToJson();
    const auto [first, last] = sources_.equal_range(NameOf(sent));
    for (auto it = first; it != last; ++it) {
      if (it->second == want) {
        ++counts_.passed;
        return;
      }
    }
    Fail(NameOf(sent), "want " + want + "\n  got  " + (first == last ? "nothing" : first->second));
  }

  void Fail(const std::string& object, const std::string& problem) {
    ++counts_.failed;
    std::cout << name_ << ": " << object << ": " << problem << "\n";
  }

  std::string name_;
  Counts& counts_;
  std::multimap<std::string, std::string> sources_;  // By namespace and name.
};

void CheckLine(const std::string& line, Counts& counts) {
  const api::Document document = api::ParseJson(line).value();
  Scenario scenario(document.root(), counts);
  const Value requests = document.root()["expect"]["requests"];
  for (size_t i = 0; i < requests.size(); ++i) scenario.Check(requests[i]["body"]);
}

}  // namespace

int main(int argc, char** argv) {
  Counts counts;
  for (int i = 1; i < argc; ++i) {
    if (!ForEachVector(argv[i], [&](const std::string& line, size_t) { CheckLine(line, counts); })) {
      std::cerr << "berth-sources: cannot read " << argv[i] << "\n";
      return 2;
    }
  }
  std::cout << counts.passed << " passed, " << counts.failed << " failed\n";
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}
