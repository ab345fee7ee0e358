// SPDX-License-Identifier: Apache-2.0
// Compares the rules of custom resources with what upstream makes of them, recorded by tests/rules/record.py, which
// explains the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "api/document/field_error.h"
#include "base/ascii.h"
#include "server/custom/custom_kind.h"
#include "server/custom/definition_kind.h"
#include "server/model/resource.h"
#include "server/model/strategy.h"
#include "server/model/test_recording.h"

namespace berth::server {
namespace {

// An answer in the form of the recording.
Json AnswerOf(const FieldErrors& errors, int64_t code) {
  Json answer{{"code", Json::Int(errors.empty() ? code : 422)}};
  std::vector<Json> causes;
  for (const FieldError& error : errors.all()) {
    causes.push_back(
        Json::MakeList({Json::String(error.reason), Json::String(error.message), Json::String(error.field)}));
  }
  std::ranges::sort(causes, {}, [](const Json& cause) {
    return std::tuple(cause[size_t{0}].text(), cause[size_t{1}].text(), cause[size_t{2}].text());
  });
  if (!causes.empty()) answer.Set("causes", Json::MakeList(std::move(causes)));
  Json warnings = Json::MakeList();
  for (const std::string& warning : errors.warnings()) warnings.Append(Json::String("299 - " + api::GoQuote(warning)));
  if (!warnings.empty()) answer.Set("warnings", std::move(warnings));
  return answer;
}

Json DefinitionOf(const std::string& kind, const Json& schema) {
  const std::string plural = Lower(kind) + "s";
  return Json{{"metadata", Json{{"name", Json::String(plural + ".rules.example.com")}}},
              {"spec", Json{{"group", Json::String("rules.example.com")},
                            {"scope", Json::String("Cluster")},
                            {"names", Json{{"plural", Json::String(plural)}, {"kind", Json::String(kind)}}},
                            {"versions", Json::MakeList({Json{{"name", Json::String("v1")},
                                                              {"served", Json::Bool(true)},
                                                              {"storage", Json::Bool(true)},
                                                              {"schema", Json{{"openAPIV3Schema", schema}}}}})}}}};
}

// Creates and changes one object, as a server would.
class Writer {
 public:
  Writer(const Json& definition, std::string name)
      : kind_(std::make_unique<CustomKind>(definition, definition["spec"]["versions"][size_t{0}])),
        name_(std::move(name)) {}

  void Change(const Json& definition) {
    kind_ = std::make_unique<CustomKind>(definition, definition["spec"]["versions"][size_t{0}]);
  }

  Json Create(const Json& spec, const std::string& kind) {
    FieldErrors errors;
    Json object = Make(spec, kind);
    kind_->Default(object, true);
    kind_->PrepareCreate(object);
    kind_->Validate(object, errors);
    if (errors.empty()) present_ = object;
    return AnswerOf(errors, 201);
  }

  Json Update(const Json& spec, const std::string& kind) {
    FieldErrors errors;
    Json object = Make(spec, kind);
    kind_->Default(object, false);
    kind_->PrepareUpdate(object, present_);
    kind_->ValidateChange(object, present_, errors);
    if (errors.empty()) present_ = object;
    return AnswerOf(errors, 200);
  }

 private:
  Json Make(const Json& spec, const std::string& kind) const {
    Json object{{"apiVersion", Json::String("rules.example.com/v1")},
                {"kind", Json::String(kind)},
                {"metadata", Json{{"name", Json::String(name_)}}},
                {"spec", spec}};
    EXPECT_TRUE(kind_->Canonicalize(object, nullptr));
    return object;
  }

  std::unique_ptr<CustomKind> kind_;
  std::string name_;
  Json present_;
};

class Case {
 public:
  Case(const Json& recorded, size_t number) : recorded_(recorded), kind_("C" + std::to_string(number)) {}

  void Compare() {
    const Json& schema = recorded_["schema"];
    const Json before = Define(schema.is_list() ? schema[size_t{0}] : schema);
    if (recorded_["definition"]["code"].IntOr(0) != 201) return;
    const Json after = schema.is_list() ? DefinitionOf(kind_, schema[1]) : Json();
    for (size_t i = 0; i < recorded_["objects"].size(); ++i) {
      Writer writer(before, "o" + std::to_string(i));
      const Json& answers = recorded_["answers"][i];
      // Each object begins with what the definition was before; the server has changed it once, with the first.
      for (size_t step = 0; step < answers.size(); ++step) {
        SCOPED_TRACE("object " + std::to_string(i) + " step " + std::to_string(step));
        const Json& spec = recorded_["objects"][i][step];
        const Json answer = step == 0 ? writer.Create(spec, kind_) : writer.Update(spec, kind_);
        EXPECT_EQ(answer.ToText(), answers[step].ToText());
        if (step == 0 && !after.is_null()) writer.Change(after);
      }
    }
  }

 private:
  Json Define(const Json& schema) {
    static const std::unique_ptr<Strategy> strategy = MakeCustomResourceDefinitionStrategy();
    Json definition = DefinitionOf(kind_, schema);
    strategy->Default(definition, true);
    strategy->PrepareCreate(definition);
    FieldErrors errors;
    strategy->Validate(definition, errors);
    EXPECT_EQ(AnswerOf(errors, 201).ToText(), recorded_["definition"].ToText());
    return definition;
  }

  const Json& recorded_;
  std::string kind_;
};

TEST(RecordedRules, AreJudgedAsUpstreamDoes) {
  const std::vector<Json> all = ReadRecording("rules/recorded_rules.jsonl.gz");
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i]["note"].text());
    Case(all[i], i).Compare();
  }
  EXPECT_GE(all.size(), 300U);
}

}  // namespace
}  // namespace berth::server
