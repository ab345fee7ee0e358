// SPDX-License-Identifier: Apache-2.0
// The store against a naive model that keeps every state there ever was.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "server/store/store.h"
#include "server/store/test_objects.h"

namespace berth::server {
namespace {

using State = std::map<std::string, std::string>;  // Texts by key.

class ModelRun {
 public:
  explicit ModelRun(uint64_t seed) : random_(seed) {
    store_.Listen([this](const ChangePtr& change) { heard_.push_back(change); });
  }

  void Run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      Step();
      CheckPast(pods_, pod_states_);
      CheckPast(namespaces_, namespace_states_);
    }
    CheckHeard();
  }

 private:
  void Step() {
    const std::string name = "x" + std::to_string(random_.Below(8));
    switch (random_.Below(12)) {
      case 0: Write(namespaces_, TestNamespace(name), namespace_states_); break;
      case 1: Remove(namespaces_, TestNamespace(name), namespace_states_); break;
      case 2:
      case 3: Remove(pods_, TestPod("a", name), pod_states_); break;
      case 4:
        if (random_.Below(20) == 0) store_.Forget(static_cast<Revision>(random_.Below(pod_states_.size())));
        break;
      default: Write(pods_, Pod(name), pod_states_);
    }
  }

  Json Pod(const std::string& name) {
    Json pod = TestPod("a", name, "node-" + std::to_string(random_.Below(5)));
    // Now and then one that drives out much of the history.
    const size_t filler = random_.Below(30) == 0 ? 10000 : random_.Below(100);
    pod.Make({"metadata", "annotations", "filler"}) = Json::String(std::string(filler, 'x'));
    return pod;
  }

  void Write(const Resource& resource, Json object, std::vector<State>& states) {
    const ObjectPtr stored = store_.Put(resource, std::move(object));
    State state = states.back();
    state[stored->key()] = *stored->json();
    Push(states, std::move(state));
  }

  void Remove(const Resource& resource, Json last, std::vector<State>& states) {
    const std::string key = ObjectKey(last["metadata"]["namespace"].text(), last["metadata"]["name"].text());
    if (!states.back().contains(key)) return;
    store_.Remove(resource, std::move(last));
    State state = states.back();
    state.erase(key);
    Push(states, std::move(state));
  }

  // One state of every resource for every revision.
  void Push(std::vector<State>& states, State state) {
    pod_states_.push_back(pod_states_.back());
    namespace_states_.push_back(namespace_states_.back());
    states.back() = std::move(state);
    ASSERT_EQ(store_.revision(), static_cast<Revision>(pod_states_.size() - 1));
  }

  void CheckPast(const Resource& resource, const std::vector<State>& states) {
    const Revision revision = static_cast<Revision>(random_.Below(states.size()));
    const auto snapshot = store_.StateAt(resource, revision);
    const auto changes = store_.ChangesAfter(resource, revision);
    ASSERT_EQ(snapshot.has_value(), changes.has_value());
    ASSERT_TRUE(snapshot || revision < store_.oldest());
    if (!snapshot) return;
    CheckState(*snapshot, states[static_cast<size_t>(revision)]);
    CheckChanges(*changes, states[static_cast<size_t>(revision)], states.back());
  }

  static void CheckState(const Snapshot& snapshot, const State& expected) {
    State state;
    snapshot.VisitFrom("", [&](const ObjectPtr& object) {
      state[object->key()] = *object->json();
      EXPECT_EQ(snapshot.Find(object->key()), object);
      return true;
    });
    EXPECT_EQ(state, expected);
    EXPECT_EQ(snapshot.size(), expected.size());
  }

  // A watcher that applies the changes to the state of then has the state of now.
  static void CheckChanges(const std::vector<ChangePtr>& changes, State state, const State& now) {
    for (const ChangePtr& change : changes) {
      const auto before = state.find(change->object->key());
      ASSERT_EQ(before != state.end(), change->before != nullptr);
      ASSERT_TRUE(!change->before || before->second == *change->before->json());
      if (change->type == Change::Type::kDeleted) {
        state.erase(before);
      } else {
        ASSERT_EQ(change->type == Change::Type::kAdded, change->before == nullptr);
        state[change->object->key()] = *change->object->json();
      }
    }
    EXPECT_EQ(state, now);
  }

  void CheckHeard() {
    ASSERT_EQ(heard_.size(), static_cast<size_t>(store_.revision()));
    for (size_t i = 0; i < heard_.size(); ++i) EXPECT_EQ(heard_[i]->revision, static_cast<Revision>(i + 1));
  }

  Random random_;
  Catalog catalog_;
  const Resource& pods_ = catalog_.Get("", "pods");
  const Resource& namespaces_ = catalog_.Get("", "namespaces");
  Store store_{catalog_, {.history_bytes_max = 60000, .new_bytes_max = 3000}};
  std::vector<State> pod_states_ = {{}};
  std::vector<State> namespace_states_ = {{}};
  std::vector<ChangePtr> heard_;
};

TEST(StoreModel, PastAndChangesAreThoseOfTheModel) {
  for (uint64_t seed = 1; seed <= 20 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    ModelRun(seed).Run(300);
  }
}

}  // namespace
}  // namespace berth::server
