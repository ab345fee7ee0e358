// SPDX-License-Identifier: Apache-2.0
// Custom resources from their definition to their end, as clients see them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "server/admission/rules.h"
#include "server/rest/api_server.h"
#include "server/rest/test_exchange.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kBoats = "/apis/example.com/v1/namespaces/default/boats";

constexpr std::string_view kBoatDefinition = R"(
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: boats, kind: Boat, shortNames: [bo], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.oars, statusReplicasPath: .status.oars, labelSelectorPath: .status.selector}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [color]
            properties:
              color: {type: string, enum: [red, blue], default: blue}
              oars: {type: integer, minimum: 0, maximum: 8}
              width: {x-kubernetes-int-or-string: true}
              crew:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string, maxLength: 5}, age: {type: integer, default: 30}}
              cargo: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

class CustomServed {
 public:
  CustomServed() : cluster_(false), server_(cluster_.catalog, cluster_.store, cluster_.objects, cluster_.timers, 1) {}

  std::shared_ptr<MemoryAnswer> Ask(std::string_view method, std::string_view target, std::string_view body = {},
                                    std::string_view content_type = "application/yaml",
                                    std::string_view accept = "application/json") {
    net::ServerRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"Accept", std::string(accept)}, {"Content-Type", std::string(content_type)}};
    request.body = body;
    auto answer = std::make_shared<MemoryAnswer>();
    server_.Handle(std::move(request), std::make_unique<MemoryExchange>(answer));
    return answer;
  }
  Json AskTree(std::string_view method, std::string_view target, std::string_view body = {},
               std::string_view content_type = "application/yaml") {
    return ParseTree(Ask(method, target, body, content_type)->body).value_or(Json());
  }
  void Define(std::string_view yaml = kBoatDefinition) {
    const auto answer = Ask("POST", kDefinitions, yaml);
    ASSERT_EQ(answer->status, 201) << answer->body;
  }
  // One that nobody has validated, as an import may bring it.
  void KeepDefinition(const std::string& group) {
    const Resource& resource = cluster_.Get("apiextensions.k8s.io", "customresourcedefinitions");
    Json definition = TestCluster::Parse(resource, "metadata: {name: xs." + group + "}\nspec: {group: " + group + "}");
    cluster_.store.Put(resource, std::move(definition));
  }
  void Advance(Duration span) { cluster_.timers.Advance(span); }

 private:
  TestCluster cluster_;
  ApiServer server_;
};

TEST(CustomResources, ADefinitionIsEstablishedAtOnce) {
  CustomServed served;
  served.Define();

  const Json status = served.AskTree("GET", std::string(kDefinitions) + "/boats.example.com")["status"];

  EXPECT_EQ(status["acceptedNames"].ToText(),
            R"({"categories":["all"],"kind":"Boat","listKind":"BoatList","plural":"boats","shortNames":["bo"],)"
            R"("singular":"boat"})");
  EXPECT_EQ(status["storedVersions"].ToText(), R"(["v1"])");
  EXPECT_EQ(status["conditions"][size_t{0}]["reason"].text(), "NoConflicts");
  EXPECT_EQ(status["conditions"][size_t{1}]["reason"].text(), "InitialNamesAccepted");
}

TEST(CustomResources, DiscoveryTellsOfThem) {
  CustomServed served;
  EXPECT_EQ(served.Ask("GET", kBoats)->status, 404);
  served.Define();

  EXPECT_THAT(served.Ask("GET", "/apis")->body, HasSubstr(R"("groupVersion":"example.com/v2")"));
  const std::string list = served.Ask("GET", "/apis/example.com/v1")->body;
  EXPECT_THAT(list, HasSubstr(R"("shortNames":["bo"],"categories":["all"])"));
  EXPECT_THAT(list, HasSubstr(R"("name":"boats/scale")"));
  EXPECT_THAT(served.Ask("GET", "/openapi/v3/apis/example.com/v1")->body, HasSubstr("com.example.v1.BoatList"));
  EXPECT_THAT(served.Ask("GET", "/openapi/v2")->body, HasSubstr("com.example.v1.Boat"));
}

TEST(CustomResources, ObjectsAreFilledInAndPruned) {
  CustomServed served;
  served.Define();

  const Json made = served.AskTree("POST", kBoats, R"(
kind: Boat
metadata: {name: a, foo: bar}
spec: {oars: 2, sail: none, crew: [{name: x, hat: true}], cargo: {any: {thing: 1}}}
status: {oars: 1}
)");

  EXPECT_EQ(made["spec"].ToText(),
            R"({"cargo":{"any":{"thing":1}},"color":"blue","crew":[{"age":30,"name":"x"}],"oars":2})");
  EXPECT_FALSE(made.Has("status"));
  EXPECT_EQ(made["metadata"]["generation"].IntOr(0), 1);
  EXPECT_FALSE(made["metadata"].Has("foo"));
  const auto strict =
      served.Ask("POST", std::string(kBoats) + "?fieldValidation=Strict", "metadata: {name: b}\nspec: {sail: x}");
  EXPECT_EQ(strict->status, 400);
  EXPECT_THAT(strict->body, HasSubstr(R"(strict decoding error: unknown field \"spec.sail\")"));
}

TEST(CustomResources, WhatBreaksTheSchemaIsRefused) {
  CustomServed served;
  served.Define();

  const Json refused = served.AskTree("POST", kBoats, R"(
metadata: {name: a}
spec: {color: green, oars: 9, width: 1.5, crew: [{name: longer}, {name: b}, {name: b}]}
)");

  EXPECT_EQ(refused["code"].IntOr(0), 422);
  const std::string& message = refused["message"].text();
  EXPECT_THAT(message, HasSubstr(R"(spec.color: Unsupported value: "green": supported values: "red", "blue")"));
  EXPECT_THAT(message, HasSubstr("spec.oars: Invalid value: 9: spec.oars in body should be less than or equal to 8"));
  EXPECT_THAT(message, HasSubstr(R"(spec.width: Invalid value: "number": spec.width in body must be of type )"
                                 R"(integer,string: "number")"));
  EXPECT_THAT(message, HasSubstr("spec.crew[0].name: Too long: may not be more than 5 bytes"));
  EXPECT_THAT(message, HasSubstr(R"(spec.crew[2]: Duplicate value: {"name":"b"})"));
  EXPECT_THAT(served.AskTree("POST", kBoats, "metadata: {name: a}")["message"].text(),
              HasSubstr("spec: Required value"));
}

TEST(CustomResources, StatusAndScaleHaveTheirOwnWays) {
  CustomServed served;
  served.Define();
  served.Ask("POST", kBoats, "metadata: {name: a}\nspec: {oars: 2}");
  const std::string boat = std::string(kBoats) + "/a";
  constexpr std::string_view kMerge = "application/merge-patch+json";

  const Json changed =
      served.AskTree("PATCH", boat + "/status", R"({"spec":{"oars":4},"status":{"oars":2,"selector":"a=b"}})", kMerge);
  EXPECT_EQ(changed["spec"]["oars"].IntOr(0), 2);
  EXPECT_EQ(changed["metadata"]["generation"].IntOr(0), 1);
  EXPECT_EQ(served.AskTree("GET", boat + "/scale")["status"].ToText(), R"({"replicas":2,"selector":"a=b"})");

  served.Ask("PATCH", boat + "/scale", R"({"spec":{"replicas":5}})", kMerge);

  const Json scaled = served.AskTree("GET", boat);
  EXPECT_EQ(scaled["spec"]["oars"].IntOr(0), 5);
  EXPECT_EQ(scaled["metadata"]["generation"].IntOr(0), 2);

  served.Ask("PATCH", boat + "/scale?fieldManager=m&force=true",
             R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":6}})", "application/apply-patch+yaml");

  const Json applied = served.AskTree("GET", boat);
  EXPECT_EQ(applied["spec"]["oars"].IntOr(0), 6);
  EXPECT_THAT(applied["metadata"]["managedFields"].ToText(),
              HasSubstr(R"("f:spec":{"f:oars":{}}},"manager":"m","operation":"Apply","subresource":"scale")"));
}

TEST(CustomResources, TablesHaveTheColumnsOfTheDefinition) {
  CustomServed served;
  served.Define();
  served.Ask("POST", kBoats, "metadata: {name: a}\nspec: {color: red}");

  const auto answer = served.Ask("GET", kBoats, "", "", "application/json;as=Table;v=v1;g=meta.k8s.io");

  const Json table = ParseTree(answer->body).value_or(Json());
  EXPECT_EQ(table["columnDefinitions"][size_t{1}]["name"].text(), "Color");
  EXPECT_EQ(table["rows"][size_t{0}]["cells"].ToText(), R"(["a","red",null])");
}

TEST(CustomResources, VersionsShowTheSameObjects) {
  CustomServed served;
  served.Define();
  served.Ask("POST", kBoats, "metadata: {name: a}\nspec: {color: red}");

  const Json seen = served.AskTree("GET", "/apis/example.com/v2/namespaces/default/boats/a");

  EXPECT_EQ(seen["apiVersion"].text(), "example.com/v2");
  EXPECT_EQ(seen["spec"]["color"].text(), "red");
}

TEST(CustomResources, EachVersionKeepsWhatItsSchemaHas) {
  CustomServed served;
  served.Define();

  const Json made = served.AskTree("POST", "/apis/example.com/v2/namespaces/default/boats",
                                   "metadata: {name: a}\nspec: {color: red, sail: x}");

  EXPECT_EQ(made["apiVersion"].text(), "example.com/v2");
  EXPECT_EQ(made["spec"].ToText(), R"({"color":"red"})");  // It is kept as v1.
}

TEST(CustomResources, WhatIsNotThereIsToldAsUpstreamTellsIt) {
  CustomServed served;
  served.Define();
  served.Ask("POST", kBoats, "metadata: {name: a}\nspec: {color: red}");
  const auto message = [&](std::string_view method, const std::string& target) {
    return served.AskTree(method, target)["message"].text();
  };

  EXPECT_EQ(served.Ask("GET", "/apis/example.com/v9/namespaces/default/boats")->body, "404 page not found\n");
  EXPECT_EQ(served.Ask("POST", "/apis/example.com/v1/boats", "metadata: {name: b}")->status, 404);
  EXPECT_EQ(message("GET", std::string(kBoats) + "/a/other"), "boats.example.com \"a\" not found");
  EXPECT_EQ(message("DELETE", std::string(kBoats) + "/a/status"),
            "delete is not supported on resources of kind \"boats.example.com\"");
  EXPECT_EQ(message("PUT", std::string(kBoats)), "name must be provided");
}

TEST(CustomResources, AStatusIsWrittenWithAVersion) {
  CustomServed served;
  served.Define();
  served.Ask("POST", kBoats, "metadata: {name: a}\nspec: {color: red}");

  const auto refused = served.Ask("PUT", std::string(kBoats) + "/a/status", "metadata: {name: a}\nstatus: {x: 1}");

  EXPECT_THAT(refused->body, HasSubstr("metadata.resourceVersion: Invalid value: 0: must be specified for an update"));
}

TEST(CustomResources, FieldSelectorsKnowTheFieldsOfTheDefinition) {
  CustomServed served;
  served.Define();
  served.Ask("POST", kBoats, "metadata: {name: a}\nspec: {color: red}");
  served.Ask("POST", kBoats, "metadata: {name: b}\nspec: {}");

  EXPECT_EQ(served.AskTree("GET", std::string(kBoats) + "?fieldSelector=spec.color%3Dblue")["items"].size(), 1u);
  EXPECT_EQ(served.Ask("GET", std::string(kBoats) + "?fieldSelector=spec.oars%3D1")->status, 400);
}

constexpr std::string_view kPorts = R"(
metadata: {name: ports.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ports, kind: Port}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .hostPort}]
    schema: {openAPIV3Schema: &any {type: object, properties: {
      hostPort: {type: string}, host: {type: string}, number: {type: integer}, open: {type: boolean}}}}
  - name: v2
    served: true
    storage: false
    selectableFields: [{jsonPath: .host}, {jsonPath: .number}, {jsonPath: .open}]
    schema: {openAPIV3Schema: *any}
)";
constexpr std::string_view kPortsV1 = "/apis/example.com/v1/namespaces/default/ports";
constexpr std::string_view kPortsV2 = "/apis/example.com/v2/namespaces/default/ports";

std::string NamesIn(const Json& list) {
  std::string names;
  for (const Json& item : list["items"].items()) names += item["metadata"]["name"].text() + " ";
  return names;
}

TEST(CustomResources, EachVersionHasSelectableFieldsOfItsOwn) {
  CustomServed served;
  served.Define(kPorts);
  served.Ask("POST", kPortsV2, "metadata: {name: a}\nhost: one\nhostPort: 'one:80'\nnumber: 80\nopen: true");
  served.Ask("POST", kPortsV2, "metadata: {name: b}\nhost: one\nnumber: 8080\nopen: false");
  served.Ask("POST", kPortsV2, "metadata: {name: c}\nhost: two");
  const auto list = [&](std::string_view path, std::string_view selector) {
    return NamesIn(served.AskTree("GET", std::string(path) + "?fieldSelector=" + std::string(selector)));
  };

  EXPECT_EQ(list(kPortsV2, "host%3Done"), "a b ");
  EXPECT_EQ(list(kPortsV2, "host%3Done,number%3D80"), "a ");
  EXPECT_EQ(list(kPortsV2, "open%3Dfalse"), "b ");
  EXPECT_EQ(list(kPortsV2, "host!%3Done"), "c ");
  EXPECT_EQ(list(kPortsV2, "host%3Done,metadata.name%3Db"), "b ");
  EXPECT_EQ(list(kPortsV1, "hostPort%3Done:80"), "a ");
  EXPECT_EQ(served.AskTree("GET", std::string(kPortsV1) + "?fieldSelector=host%3Done")["message"].text(),
            "field label not supported: host");

  const auto watch = served.Ask("GET", std::string(kPortsV2) + "?watch=true&fieldSelector=host%3Done");
  EXPECT_THAT(watch->body, HasSubstr(R"("type":"ADDED","object":{"apiVersion":"example.com/v2")"));
  EXPECT_THAT(watch->body, Not(HasSubstr(R"("name":"c")")));
  served.Ask("PATCH", std::string(kPortsV2) + "/b", R"({"host":"two"})", "application/merge-patch+json");
  served.Advance(Seconds(1));
  EXPECT_THAT(watch->body, HasSubstr(R"("type":"DELETED")"));
  served.Ask("DELETE", std::string(kPortsV2) + "?fieldSelector=host%3Dtwo");
  EXPECT_EQ(NamesIn(served.AskTree("GET", kPortsV1)), "a ");
}

TEST(CustomResources, SelectableFieldsAreChecked) {
  const auto refused = [](std::string_view path) {
    CustomServed served;
    const std::string yaml =
        "metadata: {name: xs.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n"
        "  names: {plural: xs, kind: X}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n"
        "    selectableFields: [{jsonPath: \"" +
        std::string(path) +
        "\"}]\n    schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}, l: {type: array, items: "
        "{type: string}}, m: {type: object, additionalProperties: {type: string}}, metadata: {type: object, "
        "properties: {name: {type: string}}}}}}\n";
    return served.AskTree("POST", kDefinitions, yaml)["message"].text();
  };
  constexpr std::string_view kWrong = "is an invalid path: ";

  EXPECT_EQ(refused(".a"), "");
  EXPECT_EQ(refused(".m.x"), "");
  EXPECT_THAT(refused("a"), HasSubstr(std::string(kWrong) + "expected [ or . but got: a"));
  EXPECT_THAT(refused("['a']"), HasSubstr(std::string(kWrong) + "array notation is not allowed"));
  EXPECT_THAT(refused(".a."), HasSubstr(std::string(kWrong) + "unexpected end of JSON path"));
  EXPECT_THAT(refused(".b"), HasSubstr(std::string(kWrong) + "does not refer to a valid field"));
  EXPECT_THAT(refused(".l"), HasSubstr("must point to a field of type string, boolean or integer"));
  EXPECT_THAT(refused(".metadata.name"), HasSubstr("must not point to fields in metadata"));
}

// Of one version, with this schema.
std::string DefinitionWith(std::string_view schema) {
  return "metadata: {name: foos.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n"
         "  names: {plural: foos, kind: Foo}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n"
         "    selectableFields: []\n    schema: {openAPIV3Schema: " +
         std::string(schema) + "}\n";
}

// Without what every object has.
Json Published(std::string_view schema, bool is_v2) {
  CustomServed served;
  served.Define(DefinitionWith(schema));
  const Json document = served.AskTree("GET", is_v2 ? "/openapi/v2" : "/openapi/v3/apis/example.com/v1");
  Json shown = (is_v2 ? document["definitions"] : document["components"]["schemas"])["com.example.v1.Foo"];
  EXPECT_EQ(shown["x-kubernetes-group-version-kind"].ToText(),
            R"([{"group":"example.com","kind":"Foo","version":"v1"}])");
  shown.Erase("x-kubernetes-group-version-kind");
  if (!shown.Has("properties")) return shown;
  for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
    EXPECT_THAT(std::as_const(shown)["properties"][name]["description"].text(), Not(testing::IsEmpty()));
    shown.Make("properties").Erase(name);
  }
  return shown;
}

TEST(CustomResources, SchemasOfTheThirdVersionAreAsTheyWereWritten) {
  EXPECT_EQ(Published("{type: object, description: A foo., properties: {spec: {type: object, nullable: true, default: "
                      "{}, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: integer}}}}}",
                      false)
                .ToText(),
            R"({"description":"A foo.","properties":{"spec":{"default":{},"nullable":true,"properties":{"a":{"type":)"
            R"("integer"}},"type":"object","x-kubernetes-preserve-unknown-fields":true}},"type":"object"})");
  EXPECT_EQ(Published("{type: object, properties: {port: {x-kubernetes-int-or-string: true}, both: "
                      "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}, odd: "
                      "{x-kubernetes-int-or-string: true, anyOf: [{minimum: 1}]}}}",
                      false)["properties"]
                .ToText(),
            R"({"both":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},)"
            R"("odd":{"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]}],"anyOf":[{"minimum":1}],)"
            R"("x-kubernetes-int-or-string":true},)"
            R"("port":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}})");
}

TEST(CustomResources, SchemasOfTheSecondVersionForbidNothingThatIsAllowed) {
  EXPECT_EQ(Published("{type: object, x-kubernetes-preserve-unknown-fields: true, description: A foo., properties: "
                      "{spec: {type: object}}}",
                      true)
                .ToText(),
            R"({"type":"object"})");
  EXPECT_EQ(Published("{type: object, description: A foo., properties: {spec: {type: object, description: Its spec., "
                      "x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object}}}}}",
                      true)
                .ToText(),
            R"({"description":"A foo.","properties":{"spec":{"description":"Its spec.",)"
            R"("x-kubernetes-preserve-unknown-fields":true}},"type":"object"})");
  EXPECT_EQ(Published("{type: object, required: [a, b], properties: {a: {type: string, nullable: true, default: x}, b: "
                      "{type: array, nullable: true, items: {type: string}}, c: {type: string, anyOf: [{minLength: "
                      "1}]}}}",
                      true)
                .ToText(),
            R"({"properties":{"a":{},"b":{},"c":{"type":"string"}},"type":"object"})");
}

TEST(CustomResources, ObjectsInObjectsArePublishedAsSuch) {
  const Json shown = Published(
      "{type: object, properties: {pod: {type: object, x-kubernetes-embedded-resource: true, properties: "
      "{spec: {type: object}}}, any: {type: object, x-kubernetes-embedded-resource: true, "
      "x-kubernetes-preserve-unknown-fields: true}}}",
      true)["properties"];

  EXPECT_EQ(shown["pod"]["required"].ToText(), R"(["kind","apiVersion"])");
  EXPECT_EQ(shown["pod"]["properties"]["kind"]["type"].text(), "string");
  EXPECT_EQ(shown["pod"]["properties"]["metadata"]["$ref"].text(),
            "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_FALSE(shown["any"].Has("properties"));
}

TEST(CustomResources, SelectableFieldsArePublished) {
  CustomServed served;
  served.Define(kPorts);

  const Json schemas = served.AskTree("GET", "/openapi/v3/apis/example.com/v2")["components"]["schemas"];

  for (const std::string_view kind : {"com.example.v2.Port", "com.example.v2.PortList"}) {
    EXPECT_EQ(schemas[kind]["x-kubernetes-selectable-fields"].ToText(),
              R"([{"fieldPath":"host"},{"fieldPath":"number"},{"fieldPath":"open"}])");
  }
}

TEST(CustomResources, FieldsThatAreAppliedTwiceAreRefusedIfValidationIsStrict) {
  CustomServed served;
  served.Define(DefinitionWith(
      "{type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {foo: "
      "{type: string}}}}}"));
  const auto apply = [&](std::string_view validation) {
    return served.AskTree(
        "PATCH",
        "/apis/example.com/v1/namespaces/default/foos/a?fieldManager=m&fieldValidation=" + std::string(validation),
        "\napiVersion: example.com/v1\nkind: Foo\nmetadata:\n  name: a\nspec:\n  unknown: uk1\n"
        "  foo: foo1\n  foo: foo2\n  l:\n  - b: 1\n    b: 2\n",
        "application/apply-patch+yaml");
  };

  const Json refused = apply("Strict");

  EXPECT_EQ(refused["code"].IntOr(0), 400);
  EXPECT_EQ(refused["message"].text(),
            "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 9: key "
            "\"foo\" already set in map\n  line 12: key \"b\" already set in map");
  EXPECT_EQ(apply("Ignore")["spec"]["foo"].text(), "foo2");
}

TEST(CustomResources, RepeatedKeysAreNamedUpToABound) {
  CustomServed served;
  served.Define(DefinitionWith("{type: object, x-kubernetes-preserve-unknown-fields: true}"));
  std::string body = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n";
  for (int i = 0; i < 1000; ++i) body += "x: 1\n";

  const Json refused =
      served.AskTree("PATCH", "/apis/example.com/v1/namespaces/default/foos/a?fieldManager=m&fieldValidation=Strict",
                     body, "application/apply-patch+yaml");

  const std::string& message = refused["message"].text();
  EXPECT_THAT(message, HasSubstr("line 104: key \"x\" already set in map"));
  EXPECT_THAT(message, Not(HasSubstr("line 105:")));
}

TEST(CustomResources, AppliesOwnFieldsByTheSchema) {
  CustomServed served;
  served.Define();
  const std::string boat = std::string(kBoats) + "/a";
  constexpr std::string_view kApply = "application/apply-patch+yaml";
  const auto apply = [&](std::string_view manager, std::string_view spec) {
    return served.AskTree("PATCH", boat + "?fieldManager=" + std::string(manager),
                          "apiVersion: example.com/v1\nkind: Boat\nmetadata: {name: a}\nspec: " + std::string(spec),
                          kApply);
  };

  EXPECT_EQ(apply("one", "{color: red, crew: [{name: x}]}")["spec"]["color"].text(), "red");
  const Json both = apply("two", "{crew: [{name: z}], cargo: {a: {b: 1}}}");

  EXPECT_EQ(both["spec"]["crew"].size(), 2u);
  EXPECT_THAT(both["metadata"]["managedFields"].ToText(), HasSubstr(R"("f:cargo":{"f:a":{".":{},"f:b":{}}})"));
  EXPECT_EQ(apply("two", "{color: blue}")["reason"].text(), "Conflict");
  EXPECT_EQ(apply("one", "{color: red}")["spec"]["crew"].ToText(), R"([{"age":30,"name":"z"}])");
}

TEST(CustomResources, GoWithTheirDefinition) {
  CustomServed served;
  served.Define();
  served.Ask("POST", kBoats, "metadata: {name: a, finalizers: [example.com/wait]}\nspec: {color: red}");

  served.Ask("DELETE", std::string(kDefinitions) + "/boats.example.com");
  served.Advance(Seconds(1));
  EXPECT_TRUE(served.AskTree("GET", std::string(kBoats) + "/a")["metadata"].Has("deletionTimestamp"));
  const Json ending = served.AskTree("GET", std::string(kDefinitions) + "/boats.example.com");
  EXPECT_EQ(ending["status"]["conditions"][size_t{2}]["reason"].text(), "InstanceDeletionInProgress");
  EXPECT_EQ(served.Ask("POST", kBoats, "metadata: {name: b}\nspec: {color: red}")->status, 403);
  served.Ask("PATCH", std::string(kBoats) + "/a", R"({"metadata":{"finalizers":null}})",
             "application/merge-patch+json");
  served.Advance(Seconds(1));

  EXPECT_EQ(served.Ask("GET", std::string(kDefinitions) + "/boats.example.com")->status, 404);
  EXPECT_EQ(served.Ask("GET", kBoats)->status, 404);
  served.Define();
  EXPECT_EQ(served.AskTree("GET", kBoats)["items"].size(), 0u);
}

TEST(CustomResources, BadDefinitionsAreRefused) {
  CustomServed served;

  const auto refused = [&](std::string_view schema) {
    const std::string yaml =
        "metadata: {name: xs.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n"
        "  names: {plural: xs, kind: X}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n"
        "    schema: {openAPIV3Schema: " +
        std::string(schema) + "}\n";
    return served.AskTree("POST", kDefinitions, yaml)["message"].text();
  };

  constexpr std::string_view kRoot = "spec.validation.openAPIV3Schema";
  EXPECT_THAT(refused("{}"), HasSubstr(std::string(kRoot) + ".type: Required value: must not be empty at the root"));
  EXPECT_THAT(refused("{type: object, properties: {a: {}}}"),
              HasSubstr("properties[a].type: Required value: must not be empty for specified object fields"));
  EXPECT_THAT(refused("{type: object, properties: {a: {type: array}}}"),
              HasSubstr("properties[a].items: Required value: must be specified"));
  EXPECT_THAT(refused("{type: object, anyOf: [{required: [b], properties: {b: {}}}]}"),
              HasSubstr("properties[b]: Required value: because it is defined in " + std::string(kRoot) +
                        ".anyOf[0].properties[b]"));
  EXPECT_THAT(refused("{type: object, properties: {a: {type: integer, default: x}}}"),
              HasSubstr("properties[a].default: Invalid value: \"string\""));
  EXPECT_THAT(refused("{type: object, properties: {a: {type: string, pattern: '('}}}"),
              HasSubstr("must be a valid regular expression, but isn't"));
  EXPECT_THAT(refused("{type: object, properties: {a: 1}}"), Not(HasSubstr("created")));
  EXPECT_THAT(served.AskTree("POST", kDefinitions, "metadata: {name: other}")["message"].text(),
              HasSubstr("must be spec.names.plural+\".\"+spec.group"));
}

TEST(CustomResources, DefinitionsAreBounded) {
  CustomServed served;
  for (size_t i = 0; i < kDefinitionsMax; ++i) served.KeepDefinition("g" + std::to_string(i) + ".example.com");

  EXPECT_EQ(served.Ask("POST", kDefinitions, kBoatDefinition)->status, 403);
}

}  // namespace
}  // namespace berth::server
