// SPDX-License-Identifier: Apache-2.0
// Compares admission policies with what upstream makes of them, recorded by tests/rules/record_policies.py, which
// explains the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/document/field_error.h"
#include "server/model/test_recording.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

// An answer in the form of the recording.
template <class T>
Json PolicyAnswer(const Outcome<T>& outcome, int code, const std::vector<std::string>& warnings = {}) {
  Json answer{{"code", Json::Int(outcome ? code : outcome.error().code)}};
  if (!outcome) {
    answer.Set("message", outcome.error().message);
    answer.Set("reason", outcome.error().reason);
    std::vector<Json> causes;
    for (const FieldError& error : outcome.error().causes) {
      causes.push_back(
          Json::MakeList({Json::String(error.reason), Json::String(error.message), Json::String(error.field)}));
    }
    std::ranges::sort(causes, {}, [](const Json& cause) {
      return std::tuple(cause[size_t{0}].text(), cause[size_t{1}].text(), cause[size_t{2}].text());
    });
    if (!causes.empty()) answer.Set("causes", Json::MakeList(std::move(causes)));
  }
  Json told = Json::MakeList();
  for (const std::string& warning : warnings) told.Append(Json::String("299 - " + api::GoQuote(warning)));
  if (!told.empty()) answer.Set("warnings", std::move(told));
  return answer;
}

class PolicyCase {
 public:
  PolicyCase(const Json& recorded, size_t number) : recorded_(recorded), number_(std::to_string(number)) {}

  void Compare() {
    for (const Json& object : recorded_["before"].items()) Create(object);
    const Json& answers = recorded_["answers"];
    const Json policy{{"metadata", Json{{"name", Json::String("p" + number_)}}}, {"spec", recorded_["policy"]}};
    EXPECT_EQ(CreateOf("validatingadmissionpolicies", policy).ToText(), answers["policy"].ToText());
    if (recorded_["binding"].is_map()) {
      Json spec = recorded_["binding"];
      spec.Set("policyName", "p" + number_);
      const Json binding{{"metadata", Json{{"name", Json::String("b" + number_)}}}, {"spec", spec}};
      EXPECT_EQ(CreateOf("validatingadmissionpolicybindings", binding).ToText(), answers["binding"].ToText());
    }
    for (size_t i = 0; i < recorded_["writes"].size(); ++i) {
      SCOPED_TRACE("write " + std::to_string(i));
      const Json& write = recorded_["writes"][i];
      EXPECT_EQ(Write(write[size_t{0}].text(), write[1]).ToText(), answers["writes"][i].ToText());
    }
  }

 private:
  Json CreateOf(std::string_view plural, const Json& object) {
    return Create(cluster_.Get("admissionregistration.k8s.io", plural), object);
  }
  Json Create(const Json& object) { return Create(ResourceOf(object), object); }
  Json Create(const Resource& resource, const Json& object) {
    std::vector<std::string> warnings;
    const auto created = cluster_.TryCreate(resource, object.ToText(), {.warnings = &warnings});
    return PolicyAnswer(created, 201, warnings);
  }

  const Resource& ResourceOf(const Json& object) const {
    return cluster_.Get("", object["kind"].text() == "Namespace" ? "namespaces" : "configmaps");
  }

  Json Write(const std::string& how, const Json& object) {
    const Resource& resource = ResourceOf(object);
    const std::string& ns = object["metadata"]["namespace"].text();
    const std::string& name = object["metadata"]["name"].text();
    if (how == "create") return Create(object);
    std::vector<std::string> warnings;
    if (how == "delete") {
      const auto deleted = cluster_.objects.Delete(resource, ns, name, {.warnings = &warnings});
      return PolicyAnswer(deleted, 200, warnings);
    }
    const Json next = TestCluster::Parse(resource, object.ToText());
    const auto written = cluster_.objects.Update(resource, ns, name, {.warnings = &warnings},
                                                 [&](const Json&) -> Outcome<Json> { return next; });
    return PolicyAnswer(written, 200, warnings);
  }

  const Json& recorded_;
  std::string number_;
  TestCluster cluster_{false};
};

TEST(RecordedPolicies, DecideAsUpstreamDoes) {
  const std::vector<Json> all = ReadRecording("rules/recorded_policies.jsonl.gz");
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i]["note"].text());
    PolicyCase(all[i], i).Compare();
  }
  EXPECT_GE(all.size(), 100U);
}

}  // namespace
}  // namespace berth::server
