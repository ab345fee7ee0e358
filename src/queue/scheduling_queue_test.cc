// SPDX-License-Identifier: Apache-2.0
#include "queue/scheduling_queue.h"

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"

namespace berth::queue {
namespace {

using cluster::PodBuilder;
using cluster::PodPtr;
using framework::ClusterEvent;
using framework::EventResource;

constexpr Time kStart{Seconds(1000).nanos + Milliseconds(250).nanos};
constexpr PluginId kFit{0};
constexpr PluginId kVolumes{1};
constexpr PluginId kGates{2};

PluginSet Only(PluginId plugin) {
  PluginSet set;
  set.Insert(plugin);
  return set;
}

// Priority, then time. kFit hears of nodes, kVolumes of volumes, and a hint is true unless told otherwise. Pods in
// `gated` are kept out by kGates, which hears of updates of the pod itself.
class TestPolicy final : public QueuePolicy {
 public:
  bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const override {
    if (a.pod.priority() != b.pod.priority()) return a.pod.priority() > b.pod.priority();
    return a.timestamp < b.timestamp;
  }
  std::optional<PluginId> PreEnqueue(const cluster::PodInfo& pod, std::optional<PluginId>) const override {
    return gated.contains(pod.name) ? std::optional(kGates) : std::nullopt;
  }
  PluginSet Interested(const ClusterEvent& event) const override {
    if (event.resource == EventResource::kNode) return Only(kFit);
    if (event.resource == EventResource::kPersistentVolume) return Only(kVolumes);
    return event.resource == EventResource::kTargetPod ? Only(kGates) : PluginSet();
  }
  bool MayHelp(const framework::Change&, const cluster::PodInfo& pod, PluginId) const override {
    ++hints;
    return !hopeless.contains(pod.name);
  }

  std::set<std::string> gated;
  std::set<std::string> hopeless;
  mutable int hints = 0;
};

class SchedulingQueueTest : public ::testing::Test {
 protected:
  PodPtr Pod(const std::string& name, int32_t priority = 0) {
    const PodPtr pod = cluster_.MakePod(PodBuilder(name).Priority(priority));
    store_.Put(pod);
    return pod;
  }
  void Add(const std::string& name, int32_t priority = 0) { queue_.Add(Pod(name, priority), now_); }
  void Wait(Duration duration) { now_ = now_ + duration; }
  // Pops a pod, which must be `name`, and lets its attempt fail.
  void Fail(const std::string& name, PluginSet unschedulable, PluginSet pending = {}) {
    std::unique_ptr<QueuedPod> pod = queue_.Pop();
    ASSERT_TRUE(pod);
    ASSERT_EQ(pod->pod->name, name);
    GiveBack(std::move(pod), unschedulable, pending);
  }
  void GiveBack(std::unique_ptr<QueuedPod> pod, PluginSet unschedulable, PluginSet pending = {}) {
    pod->unschedulable_plugins = unschedulable;
    pod->pending_plugins = pending;
    EXPECT_TRUE(queue_.AddUnschedulable(std::move(pod), now_));
  }
  void NodeAdded() { queue_.Move({{EventResource::kNode, framework::action::kAdd}, {}, {}}, now_); }
  void VolumeAdded() { queue_.Move({{EventResource::kPersistentVolume, framework::action::kAdd}, {}, {}}, now_); }
  std::string Pop() {
    const std::unique_ptr<QueuedPod> pod = queue_.Pop();
    if (pod) queue_.Done(pod->pod->uid);
    return pod ? pod->pod->name : "";
  }
  // "active", "backoff", "failed", "waiting", "gated" or "".
  std::string PlaceOf(const std::string& name) const {
    const std::string key = "default/" + name;
    if (queue_.active().Find(key)) return "active";
    if (queue_.backoff().rejected().Find(key)) return "backoff";
    if (queue_.backoff().failed().Find(key)) return "failed";
    const QueuedPod* waiting = queue_.unschedulable().Find(key);
    if (waiting == nullptr) return "";
    return waiting->is_gated() ? "gated" : "waiting";
  }

  cluster::Cluster cluster_;
  TestPolicy policy_;
  PodStore store_;
  Time now_ = kStart;
  SchedulingQueue queue_{{}, policy_, store_, cluster_.nominated};
};

TEST_F(SchedulingQueueTest, PodsArePoppedByPriorityThenByTime) {
  Add("late-low");
  Wait(Milliseconds(1));
  Add("high", 10);
  Wait(Milliseconds(1));
  Add("later-low");

  EXPECT_EQ(Pop(), "high");
  EXPECT_EQ(Pop(), "late-low");
  EXPECT_EQ(Pop(), "later-low");
  EXPECT_EQ(Pop(), "");
  EXPECT_EQ(queue_.scheduling_cycle(), 3);
}

TEST_F(SchedulingQueueTest, RejectedPodWaitsForAnEventOfItsRejector) {
  Add("p");
  Fail("p", Only(kFit));
  EXPECT_EQ(PlaceOf("p"), "waiting");

  VolumeAdded();
  EXPECT_EQ(PlaceOf("p"), "waiting");
  EXPECT_EQ(policy_.hints, 0);

  policy_.hopeless = {"p"};
  NodeAdded();
  EXPECT_EQ(PlaceOf("p"), "waiting");

  policy_.hopeless.clear();
  NodeAdded();
  EXPECT_EQ(PlaceOf("p"), "backoff");
}

TEST_F(SchedulingQueueTest, PodWhoseBackoffIsOverGoesStraightToTheActiveQueue) {
  Add("p");
  Fail("p", Only(kFit));

  Wait(Seconds(2));
  NodeAdded();

  EXPECT_EQ(PlaceOf("p"), "active");
}

TEST_F(SchedulingQueueTest, PendingPluginSkipsTheBackoff) {
  Add("p");
  Fail("p", {}, Only(kVolumes));

  VolumeAdded();

  EXPECT_EQ(PlaceOf("p"), "active");
}

TEST_F(SchedulingQueueTest, BackoffDoublesUpToTheMaximum) {
  Add("p");
  for (const int64_t seconds : {1, 2, 4, 8, 10, 10}) {
    SCOPED_TRACE(seconds);
    Fail("p", Only(kFit));
    NodeAdded();
    ASSERT_EQ(PlaceOf("p"), "backoff");
    // The failure was at a quarter of a second; its backoff ends with the window of the second it would end in.
    const Time expiry = queue_.backoff().Find("default/p")->backoff_expiry;
    EXPECT_EQ(expiry, now_ - Milliseconds(250) + Seconds(seconds));
    now_ = expiry;
    queue_.FlushBackoff(now_);
    EXPECT_EQ(PlaceOf("p"), "backoff");
    now_ = expiry + Seconds(1);
    queue_.FlushBackoff(now_);
    EXPECT_EQ(PlaceOf("p"), "active");
    Wait(Milliseconds(250));
  }
}

TEST_F(SchedulingQueueTest, NothingToDoPopsARejectedPodBeforeItsBackoffEnds) {
  Add("p");
  Fail("p", Only(kFit));
  NodeAdded();

  EXPECT_EQ(PlaceOf("p"), "backoff");
  EXPECT_EQ(Pop(), "p");
}

TEST_F(SchedulingQueueTest, PodThatFailedByAnErrorIsNotPoppedEarly) {
  Add("p");
  Fail("p", {});

  EXPECT_EQ(PlaceOf("p"), "failed");
  EXPECT_EQ(Pop(), "");
  Wait(Seconds(3));
  queue_.FlushBackoff(now_);
  EXPECT_EQ(Pop(), "p");
}

TEST_F(SchedulingQueueTest, WithoutPopFromBackoffTheBackoffIsExact) {
  SchedulingQueue queue({.backoff = {.windows = false}, .pop_from_backoff = false}, policy_, store_,
                        cluster_.nominated);
  queue.Add(Pod("p"), now_);
  std::unique_ptr<QueuedPod> pod = queue.Pop();
  queue.AddUnschedulable(std::move(pod), now_);

  EXPECT_FALSE(queue.Pop());
  queue.FlushBackoff(now_ + Seconds(1));
  EXPECT_FALSE(queue.Pop());
  queue.FlushBackoff(now_ + Seconds(1) + Milliseconds(1));
  EXPECT_TRUE(queue.Pop());
}

TEST_F(SchedulingQueueTest, EventDuringAnAttemptIsNotMissed) {
  Add("a");
  std::unique_ptr<QueuedPod> a = queue_.Pop();
  NodeAdded();
  Add("b");
  std::unique_ptr<QueuedPod> b = queue_.Pop();

  GiveBack(std::move(b), Only(kFit));
  EXPECT_EQ(PlaceOf("b"), "waiting") << "the event came before b was popped";
  GiveBack(std::move(a), Only(kFit));
  EXPECT_EQ(PlaceOf("a"), "backoff");
  EXPECT_TRUE(queue_.in_flight().log().empty());
}

TEST_F(SchedulingQueueTest, LogKeepsWhatTheOldestPodInFlightNeeds) {
  Add("a");
  Add("b");
  std::unique_ptr<QueuedPod> a = queue_.Pop();
  NodeAdded();
  std::unique_ptr<QueuedPod> b = queue_.Pop();
  NodeAdded();
  EXPECT_EQ(queue_.in_flight().log().size(), 4U);

  queue_.Done(b->pod->uid);
  EXPECT_EQ(queue_.in_flight().log().size(), 3U);
  queue_.Done(a->pod->uid);
  EXPECT_TRUE(queue_.in_flight().log().empty());
  NodeAdded();
  EXPECT_TRUE(queue_.in_flight().log().empty());
}

TEST_F(SchedulingQueueTest, MoveRestrictedByACheckIsStillSeenByPodsInFlight) {
  Add("waiting");
  Fail("waiting", Only(kFit));
  Add("flying");
  std::unique_ptr<QueuedPod> flying = queue_.Pop();

  queue_.Move({{EventResource::kNode, framework::action::kAdd}, {}, {}}, now_,
              [](const cluster::PodInfo&) { return false; });
  GiveBack(std::move(flying), Only(kFit));

  EXPECT_EQ(PlaceOf("waiting"), "waiting");
  EXPECT_EQ(PlaceOf("flying"), "backoff");
}

TEST_F(SchedulingQueueTest, GatedPodEntersTheQueueWhenItsGateIsGone) {
  policy_.gated = {"p"};
  Add("p");
  EXPECT_EQ(PlaceOf("p"), "gated");
  EXPECT_EQ(queue_.unschedulable().gated_count(), 1U);

  NodeAdded();
  EXPECT_EQ(PlaceOf("p"), "gated");

  policy_.gated.clear();
  const PodPtr old_pod = store_.Find("default/p");
  queue_.Update(old_pod, cluster_.MakePod(PodBuilder("p").Label("a", "b").ResourceVersion("2")), now_);
  EXPECT_EQ(PlaceOf("p"), "active");
  EXPECT_EQ(queue_.unschedulable().gated_count(), 0U);
  EXPECT_EQ(queue_.active().Find("default/p")->pod->resource_version, "2");
}

TEST_F(SchedulingQueueTest, PodThatWaitedTooLongIsTriedAgain) {
  Add("p");
  policy_.gated = {"gated"};
  Add("gated");
  Fail("p", Only(kVolumes));

  Wait(Minutes(5));
  queue_.FlushUnschedulable(now_);
  EXPECT_EQ(PlaceOf("p"), "waiting");
  Wait(Milliseconds(1));
  queue_.FlushUnschedulable(now_);

  EXPECT_EQ(PlaceOf("p"), "active");
  EXPECT_TRUE(queue_.active().Find("default/p")->was_flushed);
  EXPECT_EQ(PlaceOf("gated"), "gated");
  EXPECT_FALSE(queue_.unschedulable().Find("default/gated")->was_flushed);
}

TEST_F(SchedulingQueueTest, ActivationIgnoresTheBackoffButNotTheGate) {
  Add("rejected");
  Fail("rejected", Only(kVolumes));
  Add("failed");
  Fail("failed", {});
  policy_.gated = {"gated"};
  Add("gated");

  for (const char* name : {"rejected", "failed", "gated", "unknown"}) {
    queue_.Activate(std::string("default/") + name, std::string("uid-") + name, now_);
  }

  EXPECT_EQ(PlaceOf("rejected"), "active");
  EXPECT_EQ(PlaceOf("failed"), "active");
  EXPECT_EQ(PlaceOf("gated"), "gated");
  EXPECT_EQ(PlaceOf("unknown"), "");
}

TEST_F(SchedulingQueueTest, ActivationOfAPodInFlightCountsForThatPodOnly) {
  Add("a");
  Add("b");
  std::unique_ptr<QueuedPod> a = queue_.Pop();
  std::unique_ptr<QueuedPod> b = queue_.Pop();

  queue_.Activate("default/a", "uid-a", now_);
  GiveBack(std::move(a), Only(kFit));
  GiveBack(std::move(b), Only(kFit));

  EXPECT_EQ(PlaceOf("a"), "backoff");
  EXPECT_EQ(PlaceOf("b"), "waiting");
}

TEST_F(SchedulingQueueTest, PodAnnouncedTwiceIsPoppedOnce) {
  Add("p");
  std::unique_ptr<QueuedPod> first = queue_.Pop();
  queue_.Add(first->pod, now_);

  EXPECT_EQ(PlaceOf("p"), "active");
  EXPECT_FALSE(queue_.Pop());
  EXPECT_EQ(queue_.scheduling_cycle(), 1);

  queue_.Add(first->pod, now_);
  EXPECT_FALSE(queue_.AddUnschedulable(std::move(first), now_)) << "a copy is queued already";
  EXPECT_TRUE(queue_.in_flight().empty());
}

TEST_F(SchedulingQueueTest, NominationOutlivesAnUpdateThatDoesNotKnowOfIt) {
  Add("p");
  const PodPtr pod = store_.Find("default/p");
  queue_.nominator().Set(pod, "n1");

  const PodPtr updated = cluster_.MakePod(PodBuilder("p").ResourceVersion("2"));
  queue_.Update(pod, updated, now_);
  EXPECT_EQ(cluster_.nominated.NodeOf("uid-p"), "n1");

  const PodPtr cleared = cluster_.MakePod(PodBuilder("p").ResourceVersion("4"));
  queue_.Update(cluster_.MakePod(PodBuilder("p").NominatedNode("n2").ResourceVersion("3")), cleared, now_);
  EXPECT_EQ(cluster_.nominated.NodeOf("uid-p"), "");
}

TEST_F(SchedulingQueueTest, PodThatIsGoneOrPlacedIsNotNominated) {
  const PodPtr gone = cluster_.MakePod(PodBuilder("gone"));
  queue_.nominator().Set(gone, "n1");
  EXPECT_EQ(cluster_.nominated.NodeOf("uid-gone"), "");

  store_.Put(cluster_.MakePod(PodBuilder("gone").Node("n2")));
  queue_.nominator().Set(gone, "n1");
  EXPECT_EQ(cluster_.nominated.NodeOf("uid-gone"), "");
}

// Random calls as a healthy informer and scheduler make them: every pod is in exactly one place.
TEST_F(SchedulingQueueTest, EveryPodIsInExactlyOnePlace) {
  std::mt19937 random(11);
  std::map<std::string, std::unique_ptr<QueuedPod>> flying;
  std::set<std::string> alive;
  int created = 0;
  const auto some = [&](auto& set) { return std::next(set.begin(), static_cast<long>(random() % set.size())); };
  for (int i = 0; i < 6000; ++i) {
    Wait(Milliseconds(static_cast<int64_t>(random() % 400)));
    switch (random() % 12) {
      case 0:
      case 1: {
        const std::string name = "p" + std::to_string(++created);
        if (random() % 4 == 0) policy_.gated.insert(name);
        if (random() % 4 == 0) policy_.hopeless.insert(name);
        alive.insert(name);
        Add(name, static_cast<int32_t>(random() % 3));
        break;
      }
      case 2:
      case 3:
      case 4:
        if (std::unique_ptr<QueuedPod> pod = queue_.Pop()) flying[pod->pod->name] = std::move(pod);
        break;
      case 5:
      case 6:
        if (!flying.empty()) {
          const auto it = some(flying);
          const PluginSet rejectors = random() % 4 == 0 ? PluginSet() : Only(random() % 2 == 0 ? kFit : kVolumes);
          GiveBack(std::move(it->second), rejectors);
          flying.erase(it);
        }
        break;
      case 7:
        if (!alive.empty()) {
          const std::string name = *some(alive);
          if (flying.contains(name)) break;
          queue_.Delete(*store_.Find("default/" + name), now_);
          alive.erase(name);
        }
        break;
      case 8: NodeAdded(); break;
      case 9: VolumeAdded(); break;
      case 10:
        queue_.FlushBackoff(now_);
        if (random() % 10 == 0) queue_.FlushUnschedulable(now_);
        break;
      case 11:
        if (!alive.empty()) {
          const std::string name = *some(alive);
          const PodPtr old_pod = store_.Find("default/" + name);
          if (random() % 2 == 0) policy_.gated.erase(name);
          queue_.Update(old_pod, old_pod, now_);
          if (random() % 4 == 0) queue_.Activate("default/" + name, old_pod->uid, now_);
        }
        break;
    }
    const size_t queued = queue_.active().size() + queue_.backoff().rejected().size() +
                          queue_.backoff().failed().size() + queue_.unschedulable().size();
    ASSERT_EQ(queued + flying.size(), alive.size());
    for (const std::string& name : alive) ASSERT_EQ(PlaceOf(name).empty(), flying.contains(name)) << name;
  }
}

}  // namespace
}  // namespace berth::queue
