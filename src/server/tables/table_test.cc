// SPDX-License-Identifier: Apache-2.0
#include "server/tables/table.h"

#include <gtest/gtest.h>

#include "server/model/test_tree.h"
#include "server/tables/cells.h"

namespace berth::server {
namespace {

TEST(HumanDuration, ShowsTwoUnitsAtMost) {
  const std::pair<Duration, const char*> kCases[] = {
      {Seconds(-2), "<invalid>"},
      {Milliseconds(-1999), "0s"},
      {Seconds(0), "0s"},
      {Seconds(119), "119s"},
      {Seconds(120), "2m"},
      {Seconds(599), "9m59s"},
      {Minutes(10), "10m"},
      {Minutes(179), "179m"},
      {Minutes(180), "3h"},
      {Minutes(479), "7h59m"},
      {Minutes(8 * 60), "8h"},
      {Minutes(47 * 60), "47h"},
      {Minutes(48 * 60), "2d"},
      {Minutes(191 * 60), "7d23h"},
      {Minutes(192 * 60), "8d"},
      {Minutes(729 * 24 * 60), "729d"},
      {Minutes(730 * 24 * 60), "2y"},
      {Minutes(735 * 24 * 60), "2y5d"},
      {Minutes(8 * 365 * 24 * 60), "8y"},
  };
  for (const auto& [duration, text] : kCases) EXPECT_EQ(HumanDuration(duration), text);
}

TEST(Table, SaysWhatIsAskedForBesidesTheCells) {
  const Catalog catalog;
  const Resource& resource = catalog.Get("", "serviceaccounts");
  const Json object = TreeOf(R"({"metadata":{"name":"a","resourceVersion":"7"},"secrets":[]})");

  const Json none = MakeTable(resource, object, {.include = IncludeObject::kNone, .has_columns = false, .now = {}});
  const Json metadata = MakeTable(resource, object, {});
  const Json all = MakeTable(resource, object, {.include = IncludeObject::kObject, .now = {}});

  EXPECT_EQ(none.ToText(), R"({"apiVersion":"meta.k8s.io/v1","columnDefinitions":null,"kind":"Table",)"
                           R"("metadata":{"resourceVersion":"7"},"rows":[{"cells":["a","<unknown>"],"object":null}]})");
  EXPECT_EQ(metadata["rows"][size_t{0}]["object"].ToText(),
            R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata",)"
            R"("metadata":{"name":"a","resourceVersion":"7"}})");
  EXPECT_EQ(all["rows"][size_t{0}]["object"]["kind"].text(), "ServiceAccount");
  EXPECT_TRUE(all["rows"][size_t{0}]["object"].Has("secrets"));
}

TEST(Table, KindsWithoutPrinterShowTheirCreation) {
  const Catalog catalog;
  const Resource& resource = catalog.Get("", "limitranges");
  const Json object = TreeOf(R"({"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00Z"}})");

  EXPECT_EQ(Cells(resource, object, {}).ToText(), R"(["a","2020-01-01T00:00:00Z"])");
  EXPECT_TRUE(MakeListTable(resource, {}, Json::MakeMap(), {})["rows"].is_null());
}

TEST(Table, OnlyAListShowsWhichStorageClassIsTheDefault) {
  const Catalog catalog;
  const Resource& resource = catalog.Get("storage.k8s.io", "storageclasses");
  const Json object =
      TreeOf(R"({"metadata":{"name":"a","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}}})");

  const Json list = MakeListTable(resource, {object}, Json::MakeMap(), {});
  const Json single = MakeTable(resource, object, {});

  EXPECT_EQ(list["rows"][size_t{0}]["cells"][size_t{0}].text(), "a (default)");
  EXPECT_EQ(single["rows"][size_t{0}]["cells"][size_t{0}].text(), "a");
}

TEST(PartialMetadata, HasTheMetadataAlone) {
  const Json object = TreeOf(R"({"metadata":{"name":"a"},"spec":{}})");

  EXPECT_EQ(MakePartial(object).ToText(),
            R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"a"}})");
  EXPECT_EQ(MakePartialList({object}, Json::MakeMap())["items"].size(), 1u);
}

}  // namespace
}  // namespace berth::server
