// SPDX-License-Identifier: Apache-2.0
// Compares defaults and validation with what upstream did, recorded by tests/kinds/record.py, which explains the files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "api/typed/typed.h"
#include "base/time.h"
#include "server/model/metadata.h"
#include "server/model/resource.h"
#include "server/model/status.h"
#include "server/model/strategy.h"
#include "server/model/test_pointer.h"

namespace berth::server {
namespace {

const std::filesystem::path kDirectory = std::filesystem::path(__FILE__).parent_path() / "../../../tests/kinds";

// When the objects of the test are created.
constexpr std::string_view kStamp = "2001-02-03T04:05:06Z";

std::string WithoutTimes(std::string text) {
  for (size_t at = 0; (at = text.find(kStamp, at)) != text.npos;) text.replace(at, kStamp.size(), "TIME");
  return text;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool SameSpec(const Json& object, const Json& old) {
  const auto strip = [](Json tree) {
    tree.Erase("metadata");
    tree.Erase("status");
    return tree;
  };
  return strip(object) == strip(old);
}

// What the server does to an object, but for admission and storage.
class Writer {
 public:
  explicit Writer(const Resource& resource) : resource_(resource), strategy_(*resource.strategy) {}

  Json Create(Json object) {
    if (!Decode(object)) return object;
    Json& metadata = object.Make("metadata");
    for (const std::string_view name : {"generation", "deletionTimestamp"}) metadata.Erase(name);
    if (resource_.namespaced) metadata.Set("namespace", "default");
    strategy_.Default(object, true);
    object.Make("metadata").Set("uid", "UID");
    object.Make("metadata").Set("creationTimestamp", kStamp);
    strategy_.PrepareCreate(object);
    strategy_.StampSpec(object, Json(), ParseTime(kStamp).value());
    ValidateMetadata(object, resource_, errors_);
    strategy_.Validate(object, errors_);
    return object;
  }

  Json Update(Json object, const Json& old, bool is_status) {
    if (!Decode(object)) return object;
    object.Make("metadata").Set("resourceVersion", "1");
    strategy_.Default(object, false);
    if (is_status) {
      strategy_.PrepareStatusUpdate(object, old);
    } else {
      strategy_.PrepareUpdate(object, old);
      strategy_.StampSpec(object, old, ParseTime(kStamp).value());
      if (strategy_.has_generation() && !SameSpec(object, old)) {
        object.Make("metadata").Set("generation", Json::Int(old["metadata"]["generation"].IntOr(0) + 1));
      }
    }
    ValidateMetadata(object, resource_, errors_);
    ValidateMetadataUpdate(object["metadata"], old["metadata"], errors_);
    if (is_status) {
      strategy_.ValidateStatusUpdate(object, old, errors_);
    } else {
      strategy_.ValidateChange(object, old, errors_);
    }
    return object;
  }

  const std::string& bad_request() const { return bad_request_; }
  const FieldErrors& errors() const { return errors_; }
  bool failed() const { return !errors_.empty() || !bad_request_.empty(); }

 private:
  bool Decode(Json& object) {
    const auto decoded = Canonicalize(object, resource_.message());
    if (!decoded) bad_request_ = decoded.error().message;
    return decoded.has_value();
  }

  const Resource& resource_;
  const Strategy& strategy_;
  FieldErrors errors_;
  std::string bad_request_;
};

std::string Lines(const Json& causes) {
  std::string text;
  for (const Json& cause : causes.items()) {
    text += fmt::format("{} | {} | {}\n", cause[size_t{0}].text(), cause[size_t{1}].text(), cause[size_t{2}].text());
  }
  return text;
}

std::string Lines(const FieldErrors& errors) {
  std::string text;
  if (errors.empty()) return text;
  const Refusal refusal = Invalid("", "Kind", "name", errors);
  for (const FieldError& error : refusal.error().causes) {
    const std::string first_line = error.message.substr(0, error.message.find('\n'));
    text += fmt::format("{} | {} | {}\n", error.reason, first_line, error.field);
  }
  return text;
}

void CheckCase(const Catalog& catalog, const Json& bases, const Json& test, const Json& expected) {
  Json object = Changed(bases[test["base"].text()], test["set"]);
  const Resource* resource = catalog.FindKind(object["apiVersion"].text(), object["kind"].text());
  ASSERT_NE(resource, nullptr);
  Writer writer(*resource);
  object = writer.Create(std::move(object));
  const bool is_status = test.Has("status");
  Json steps = test[is_status ? "status" : "update"];
  if (!steps.is_list()) steps = Json::MakeList({steps});
  for (const Json& step : steps.items()) {
    if (writer.failed() || !step.is_map()) break;
    const Json old = object;
    object = writer.Update(Changed(old, step), old, is_status);
  }

  const int64_t code = expected["code"].IntOr(0);
  if (code == 400) {
    EXPECT_FALSE(writer.bad_request().empty());
  } else if (code == 422) {
    EXPECT_EQ(Lines(writer.errors()), Lines(expected["causes"]));
  } else if (code < 300) {
    EXPECT_EQ(Lines(writer.errors()) + writer.bad_request(), "");
    for (const char* name : {"creationTimestamp", "resourceVersion"}) object.Make("metadata").Erase(name);
    EXPECT_EQ(WithoutTimes(object.ToText()), expected["object"].ToText());
  }
}

framework::FeatureGates GatesOf(const Json& file) {
  std::map<std::string, bool> gates;
  for (const Json::Member& gate : file["gates"].members()) gates.emplace(gate.name, gate.value.AsBool());
  return framework::FeatureGates::Create(gates).value();
}

void CheckFile(const std::filesystem::path& path) {
  const Json file = ParseTree(ReadFile(path)).value();
  const Catalog catalog(GatesOf(file));
  std::string name = path.stem().string();
  name.replace(0, std::string("cases").size(), "recorded");
  std::ifstream recorded(kDirectory / (name + ".jsonl"));
  std::string line;
  const Json& cases = file["cases"];
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(fmt::format("{} case {}: {}", path.filename().string(), i, cases[i].ToText()));
    ASSERT_TRUE(std::getline(recorded, line)) << "record again";
    CheckCase(catalog, file["bases"], cases[i], ParseTree(line).value());
  }
}

TEST(RecordedKinds, AreDefaultedAndValidatedAsUpstreamDoesIt) {
  for (const auto& entry : std::filesystem::directory_iterator(kDirectory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("cases_") && name.ends_with(".json")) CheckFile(entry.path());
  }
}

}  // namespace
}  // namespace berth::server
