// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pod_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/random.h"
#include "server/store/test_objects.h"

namespace berth::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ObjectPtr IndexedPod(std::string_view name, std::string_view node, std::string_view owner) {
  static const Catalog catalog;
  Json pod = TestPod("default", name, node);
  if (!owner.empty()) {
    pod.Make({"metadata", "ownerReferences"})
        .Append(Json{{"kind", Json::String("ReplicaSet")},
                     {"name", Json::String("web")},
                     {"uid", Json::String(owner)},
                     {"controller", Json::Bool(true)}});
  }
  return std::make_shared<StoredObject>(catalog.Get("", "pods"), pod, 1);
}

TEST(PodIndex, FollowsPodsFromOwnerToOwnerAndToTheirNode) {
  PodIndex index;
  index.Put(IndexedPod("a", "", ""));
  EXPECT_THAT(index.OfOwner(""), ElementsAre("default/a"));

  index.Put(IndexedPod("a", "node-1", "u"));

  EXPECT_THAT(index.OfOwner(""), IsEmpty());
  EXPECT_THAT(index.OfOwner("u"), ElementsAre("default/a"));
  EXPECT_THAT(index.OnNode("node-1"), ElementsAre("default/a"));
  EXPECT_EQ(index.Find("default/a")->owner_kind, "ReplicaSet");
}

TEST(PodIndex, FindsEveryPodUntilItIsRemoved) {
  PodIndex index;
  const ObjectPtr a = IndexedPod("a", "node-1", "u");
  index.Put(a);
  index.Put(IndexedPod("b", "", ""));
  EXPECT_EQ(index.Find("default/a")->object, a);
  EXPECT_EQ(index.Find("default/b")->node, "");

  index.Put(a);
  index.Remove(*a);

  EXPECT_EQ(index.Find("default/a"), nullptr);
  EXPECT_THAT(index.OfOwner("u"), IsEmpty());
  EXPECT_THAT(index.OnNode("node-1"), IsEmpty());
  EXPECT_EQ(index.all().size(), 1);
}

// Pods that come, change and go at random: the tallies are those of a count over all.
TEST(PodIndex, TalliesAreWhatCountingGives) {
  static const Catalog catalog;
  PodIndex index;
  Random random(7);
  const auto one_of = [&](std::initializer_list<std::string_view> texts) {
    return std::string(texts.begin()[random.Below(texts.size())]);
  };
  for (int i = 0; i < 2000; ++i) {
    Json pod = IndexedPod(one_of({"a", "b", "c", "d", "e"}), one_of({"", "node-1"}), one_of({"", "u", "v"}))->Tree();
    pod.Make({"metadata", "labels"}).Set("version", one_of({"1", "2"}));
    if (random.Below(4) == 0) pod.Make("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
    pod.Make("status").Set("phase", one_of({"Pending", "Running", "Succeeded"}));
    pod.Make({"status", "conditions"})
        .Append(Json{{"type", Json::String("Ready")}, {"status", Json::String(one_of({"True", "False"}))}});
    const auto object = std::make_shared<StoredObject>(catalog.Get("", "pods"), pod, 1);
    if (random.Below(5) == 0) {
      index.Remove(*object);
    } else {
      index.Put(object);
    }

    for (const std::string_view owner : {"u", "v"}) {
      using Numbers = std::array<size_t, 3>;
      std::map<std::string, Numbers> counted;
      for (const std::string& key : index.OfOwner(owner)) {
        const PodInfo& info = *index.Find(key);
        if (info.has_ended()) continue;
        auto& [active, ready, terminating] = counted[std::string(info.object->labels().Get("version"))];
        if (info.is_active()) ++active;
        if (info.is_active() && info.is_ready) ++ready;
        if (info.is_terminating()) ++terminating;
      }
      std::map<std::string, Numbers> tallied;
      for (const auto& [labels, tally] : index.TalliesOf(owner)) {
        auto& [active, ready, terminating] = tallied[std::string(labels.Get("version"))];
        active += tally.active;
        ready += tally.ready;
        terminating += tally.terminating;
      }
      ASSERT_EQ(tallied, counted) << "after " << i << " changes, owner " << owner;
    }
  }
}

}  // namespace
}  // namespace berth::server
