// SPDX-License-Identifier: Apache-2.0
// berth-wire-pairs: checks the protobuf codec on objects that upstream wrote both as protobuf and as JSON.
//
//   berth-wire-pairs FILE...
//
// Each line is {"name", "protobuf", "json", "exact"} or {"name", "stream", "events"} (see tests/oracle/wire). The
// protobuf must read as the tree of the JSON, and the JSON must be written as protobuf that reads as the same tree and
// has the same bytes where upstream's has. The JSON is canonical already, so its canonical form has the same bytes. A
// watch response must read as its events. The exit status is 0 if there are no differences.

#include <algorithm>
#include <iostream>
#include <string>

#include "api/document/value.h"
#include "api/typed/typed.h"
#include "api/wire/protobuf.h"
#include "api/wire/watch_stream.h"
#include "base/base64.h"
#include "vector_lines.h"

namespace {

using berth::Result;
using berth::api::Document;
using berth::api::Json;
using berth::api::ParseJson;
using berth::api::Value;
namespace wire = berth::api::wire;

struct Counts {
  size_t passed = 0;
  size_t failed = 0;
  size_t same_bytes = 0;
};

// Empty if the bytes read as `json`.
std::string Difference(std::string_view protobuf, const std::string& json) {
  const Result<Document> document = wire::ParseProtobuf(protobuf);
  if (!document) return document.error().message;
  const std::string found = document->root().ToJson();
  if (found == json) return {};
  const size_t at = static_cast<size_t>(std::ranges::mismatch(found, json).in1 - found.begin());
  const size_t from = at > 60 ? at - 60 : 0;
  return "want " + json.substr(from, 120) + "\n  got  " + found.substr(from, 120);
}

std::string CheckCanonicalForm(Value object) {
  const wire::Kind* const kind = wire::FindKind(object["apiVersion"].text(), object["kind"].text());
  if (kind == nullptr) return {};
  const wire::Message& message = wire::MessageAt(kind->message);
  if (const auto errors = StrictErrors(object, message); !errors.empty())
    return "canonical form: " + errors[0].ToText();
  Json tree = Json::FromValue(object);
  if (const Result<void> done = Canonicalize(tree, message); !done) return "canonical form: " + done.error().message;
  const std::string text = EncodeJson(tree, message);
  return text == object.ToJson() ? "" : "canonical form: " + text;
}

std::string CheckPair(Value record, Counts& counts) {
  const auto protobuf = berth::DecodeBase64(record["protobuf"].text());
  if (!protobuf) return "not a pair";
  const std::string json = record["json"].ToJson();
  if (const std::string difference = Difference(*protobuf, json); !difference.empty()) return "read: " + difference;
  const Result<std::string> written = wire::ToProtobuf(record["json"]);
  if (!written) return "write: " + written.error().message;
  if (*written == *protobuf) ++counts.same_bytes;
  if (*written != *protobuf && record["exact"].AsBool().value_or(false)) return "write: other bytes than upstream's";
  const std::string difference = Difference(*written, json);
  return difference.empty() ? CheckCanonicalForm(record["json"]) : "write: " + difference;
}

std::string_view NameOf(wire::WatchEvent::Type type) {
  switch (type) {
    case wire::WatchEvent::Type::kAdded: return "ADDED";
    case wire::WatchEvent::Type::kModified: return "MODIFIED";
    case wire::WatchEvent::Type::kDeleted: return "DELETED";
    case wire::WatchEvent::Type::kBookmark: return "BOOKMARK";
    case wire::WatchEvent::Type::kError: return "ERROR";
  }
  return "";
}

// A watch response must read as the events in it.
std::string CheckStream(Value record) {
  const auto encoding = record["name"].text() == "watch json" ? wire::Encoding::kJson : wire::Encoding::kProtobuf;
  wire::WatchStream stream(encoding);
  stream.Feed(berth::DecodeBase64(record["stream"].text()).value_or(""));
  for (size_t i = 0; i < record["events"].size(); ++i) {
    const auto frame = stream.Next();
    if (!frame || !*frame) return "frame " + std::to_string(i) + " is missing";
    const Result<wire::WatchEvent> event = wire::CutWatchFrame(encoding, **frame);
    if (!event) return event.error().message;
    const Value want = record["events"][i];
    const wire::Kind* const kind = wire::FindKind(want["object"]["apiVersion"].text(), want["object"]["kind"].text());
    if (kind == nullptr) return "event " + std::to_string(i) + " is of no kind";
    const Result<Document> object = wire::ReadObject(event->object, *kind);
    if (!object) return object.error().message;
    if (NameOf(event->type) != want["type"].text()) return "event " + std::to_string(i) + " has another type";
    if (object->root().ToJson() != want["object"].ToJson()) return "event " + std::to_string(i) + " differs";
  }
  return stream.has_partial() ? "bytes are left over" : "";
}

void CheckLine(const std::string& line, Counts& counts) {
  const Result<Document> document = ParseJson(line);
  const std::string problem = !document                                ? document.error().message
                              : document->root()["stream"].is_string() ? CheckStream(document->root())
                                                                       : CheckPair(document->root(), counts);
  if (problem.empty()) {
    ++counts.passed;
    return;
  }
  ++counts.failed;
  std::cout << (document ? document->root()["name"].text() : "line") << ": " << problem << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  Counts counts;
  for (int i = 1; i < argc; ++i) {
    if (!ForEachVector(argv[i], [&](const std::string& line, size_t) { CheckLine(line, counts); })) {
      std::cerr << "berth-wire-pairs: cannot read " << argv[i] << "\n";
      return 2;
    }
  }
  std::cout << counts.passed << " passed, " << counts.failed << " failed, " << counts.same_bytes
            << " with equal bytes\n";
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}
