// SPDX-License-Identifier: Apache-2.0
// Compares admission with what upstream did, recorded by tests/admission/record.py, which explains the files.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "server/admission/rules.h"
#include "server/controllers/namespaces/namespace_defaults_controller.h"
#include "server/controllers/namespaces/quota_controller.h"
#include "server/model/test_pointer.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

const std::filesystem::path kRecordings = std::filesystem::path(__FILE__).parent_path() / "../../../tests/admission";

// Requests of one file.
class Requests {
 public:
  explicit Requests(Json file) : file_(std::move(file)), is_controlled_(file_["controlled"].AsBool()), cluster_(false) {
    cluster_.objects.admission().SetExtent(Extent::kWhole);
    if (is_controlled_) {
      cluster_.loop.Add(std::make_unique<QuotaController>(cluster_.loop.cluster()));
      cluster_.loop.Add(std::make_unique<NamespaceDefaultsController>(cluster_.loop.cluster(), "", true));
      cluster_.loop.Start();
    }
    for (const Json& step : file_["cluster"].items()) EXPECT_TRUE(Do(step, ""));
    cluster_.Run(Milliseconds(10));  // Until definitions are served.
  }

  // What the recording of the case should be.
  Json Answer(const Json& test, size_t number) {
    const std::string ns = fmt::format("case-{}", number);
    Json space{{"apiVersion", Json::String("v1")},
               {"kind", Json::String("Namespace")},
               {"metadata", Json{{"name", Json::String(ns)}}}};
    if (test.Has("labels")) space.Make("metadata").Set("labels", test["labels"]);
    EXPECT_TRUE(cluster_.objects.Create(cluster_.Get("", "namespaces"), "", std::move(space), {}));
    Settle();
    for (const Json& step : test["given"].items()) EXPECT_TRUE(Do(step, ns));
    Settle();
    if (cluster_.Find("", "serviceaccounts", kDefaultAccount, ns) == nullptr) {
      cluster_.Create(
          "", "serviceaccounts",
          fmt::format("{{metadata: {{name: default, namespace: {}}}, automountServiceAccountToken: false}}", ns));
    }
    Json answers = Json::MakeList();
    for (const Json& step : test["ask"].items()) {
      answers.Append(AnswerTo(step, ns));
      Settle();
    }
    Json line{{"answers", std::move(answers)}};
    const std::string prefix = ns + "/";
    for (const auto& [key, quota] : cluster_.store.All(cluster_.Get("", "resourcequotas"))) {
      if (!key.starts_with(prefix)) continue;
      Json used = quota->Tree()["status"]["used"];
      line.Make("used").Set(quota->name(), used.is_null() ? Json::MakeMap() : std::move(used));
    }
    return ParseTree(Anonymous(line.ToText(), ns)).value();
  }

 private:
  void Settle() {
    if (is_controlled_) cluster_.Run(Milliseconds(100));
  }

  // Without the namespace and the random ends of names.
  static std::string Anonymous(std::string text, const std::string& ns) {
    for (size_t at = 0; (at = text.find(ns, at)) != text.npos;) text.replace(at, ns.size(), "NS");
    for (const std::string_view prefix : {"kube-api-access-", "\"p-"}) {
      for (size_t at = 0; (at = text.find(prefix, at)) != text.npos;) {
        at += prefix.size();
        const size_t end = text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz", at);
        if (end == at + 5) text.replace(at, 5, "XXXXX");
      }
    }
    return text;
  }

  // Several problems in the order of their texts: upstream's is random.
  static std::string Sorted(const std::string& message) {
    const size_t begin = message.find(" is forbidden: [");
    if (begin == message.npos || !message.ends_with("]")) return message;
    const size_t from = message.find('[', begin) + 1;
    std::vector<std::string> problems;
    for (size_t at = from; at < message.size();) {
      const size_t end = std::min(message.find(", m", at), message.size() - 1);
      problems.push_back(message.substr(at, end - at));
      at = end + 2;
    }
    std::ranges::sort(problems);
    return fmt::format("{}{}]", message.substr(0, from), fmt::join(problems, ", "));
  }

  Json AnswerTo(const Json& step, const std::string& ns) {
    const Outcome<ObjectPtr> done = Do(step, ns);
    if (!done) {
      return Json{{"code", Json::Int(done.error().code)}, {"message", Json::String(Sorted(done.error().message))}};
    }
    // Of a quota that is created the recording has the answer to its status.
    const bool is_new = step.Has("create") && (is_controlled_ || (*done)->resource().plural != "resourcequotas");
    Json answer{{"code", Json::Int(is_new ? 201 : 200)}};
    if (step.Has("delete")) return answer;
    const Json object = (*done)->Tree();
    for (const Json& pointer : file_["show"][object["kind"].text()].items()) {
      const Json* at = &object;
      for (const std::string& part : SplitPointer(pointer.text())) at = &(*at)[part];
      if (!at->empty() || !at->text().empty() || at->is_bool()) answer.Make("object").Set(pointer.text(), *at);
    }
    return answer;
  }

  Outcome<ObjectPtr> Do(const Json& step, const std::string& ns) {
    if (step.Has("create")) return Create(step, ns);
    for (const std::string verb : {"update", "status", "delete"}) {
      if (!step.Has(verb)) continue;
      const Json& target = step[verb];
      const Resource& resource = *cluster_.catalog.FindKind(target[size_t{0}].text(), target[1].text());
      const std::string& name = target[2].text();
      if (verb == "delete") {
        return BERTH_TRY(cluster_.objects.Delete(resource, ns, name, {.grace_seconds = 0})).object;
      }
      const auto edit = [&](const Json& current) -> Outcome<Json> {
        Json changed = Changed(current, step["set"]);
        EXPECT_TRUE(resource.schema().Canonicalize(changed));
        return changed;
      };
      return BERTH_TRY(cluster_.objects.Update(resource, ns, name, {.subresource = verb == "update" ? "" : verb}, edit))
          .object;
    }
    return NotFound(cluster_.Get("", "pods"), "a step that is none");
  }

  Outcome<ObjectPtr> Create(const Json& step, const std::string& ns) {
    Json object = Changed(file_["bases"][step["create"].text()], step["set"]);
    const Resource* resource = cluster_.catalog.FindKind(object["apiVersion"].text(), object["kind"].text());
    if (resource == nullptr) return NotFound(cluster_.Get("", "pods"), "a kind that is not served");
    EXPECT_TRUE(resource->schema().Canonicalize(object));
    ObjectPtr made =
        BERTH_TRY(cluster_.objects.Create(*resource, resource->namespaced ? ns : "", std::move(object), {}));
    if (is_controlled_ || resource->plural != "resourcequotas" || step["bare"].AsBool()) return made;
    const auto edit = [&](const Json& current) -> Outcome<Json> {
      Json counted = current;
      Json none = Json::MakeMap();
      for (const Json::Member& limit : current["spec"]["hard"].members()) none.Set(limit.name, "0");
      counted.Set("status", Json{{"hard", current["spec"]["hard"]}, {"used", step.Has("used") ? step["used"] : none}});
      EXPECT_TRUE(resource->schema().Canonicalize(counted));
      return counted;
    };
    return BERTH_TRY(cluster_.objects.Update(*resource, ns, made->name(), {.subresource = "status"}, edit)).object;
  }

  const Json file_;
  const bool is_controlled_;
  TestCluster cluster_;
};

std::string TextOfFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(RecordedAdmission, IsAsUpstreamDoesIt) {
  size_t count = 0;
  for (const std::string name : {"limits", "runtimes", "accounts", "quotas", "usage", "security"}) {
    Requests requests(ParseTree(TextOfFile(kRecordings / ("cases_" + name + ".json"))).value());
    const Json cases = ParseTree(TextOfFile(kRecordings / ("cases_" + name + ".json"))).value()["cases"];
    std::ifstream recorded(kRecordings / ("recorded_" + name + ".jsonl"));
    std::string line;
    for (size_t i = 0; i < cases.size(); ++i, ++count) {
      SCOPED_TRACE(fmt::format("{} case {}: {}", name, i, cases[i].ToText()));
      ASSERT_TRUE(std::getline(recorded, line)) << "record again";
      EXPECT_EQ(requests.Answer(cases[i], i).ToText(), ParseTree(line).value().ToText());
    }
    EXPECT_FALSE(std::getline(recorded, line)) << "more recordings than cases";
  }
  EXPECT_GT(count, 150U);
}

}  // namespace
}  // namespace berth::server
