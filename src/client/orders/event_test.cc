// SPDX-License-Identifier: Apache-2.0
#include "client/orders/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::client {
namespace {

constexpr Time kTime{1'767'225'600'123'456'789};  // 2026-01-01T00:00:00.123456789Z

TEST(Event, IsWrittenAsUpstreamWritesIt) {
  const Event event{.regarding = {"Pod", "v1", "default", "p1", "uid-p1", "7"},
                    .type = "Warning",
                    .reason = "FailedScheduling",
                    .action = "Scheduling",
                    .note = "no \"room\"",
                    .controller = "default-scheduler"};
  EXPECT_EQ(EventBody(event, "p1.1", kTime, "default-scheduler-host", std::nullopt).root().ToJson(),
            R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"p1.1","namespace":"default"},)"
            R"("eventTime":"2026-01-01T00:00:00.123456Z","reportingController":"default-scheduler",)"
            R"("reportingInstance":"default-scheduler-host","action":"Scheduling","reason":"FailedScheduling",)"
            R"("regarding":{"kind":"Pod","namespace":"default","name":"p1","uid":"uid-p1","apiVersion":"v1",)"
            R"("resourceVersion":"7"},"note":"no \"room\"","type":"Warning"})");
  EXPECT_THAT(EventBody(event, "p1.1", kTime, "i", EventSeries{3, kTime}).root().ToJson(),
              ::testing::HasSubstr(R"("series":{"count":3,"lastObservedTime":"2026-01-01T00:00:00.123456Z"})"));
}

TEST(Event, NamesWhatElseHasAPartInIt) {
  Event event{.regarding = {"Pod", "v1", "default", "p1", "uid-p1", "7"},
              .type = "Normal",
              .reason = "Preempted",
              .action = "Preempting",
              .note = "note",
              .controller = "default-scheduler"};
  event.related = {"PodGroup", "scheduling.k8s.io/v1beta1", "default", "g", "uid-g", "3"};
  EXPECT_THAT(EventBody(event, "p1.1", kTime, "i", std::nullopt).root().ToJson(),
              ::testing::HasSubstr(R"("related":{"kind":"PodGroup","namespace":"default","name":"g","uid":"uid-g",)"
                                   R"("apiVersion":"scheduling.k8s.io/v1beta1","resourceVersion":"3"})"));
}

TEST(Event, SeriesIsPatchedAlone) {
  EXPECT_EQ(SeriesPatch({2, kTime}), R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:00.123456Z"}})");
}

TEST(Event, OfTheCoreGroupHasCountAndTimestamps) {
  const Event event{.regarding = {"Lease", "coordination.k8s.io/v1", "kube-system", "lock", "uid-l", "3"},
                    .type = "Normal",
                    .reason = "LeaderElection",
                    .action = "",
                    .note = "host_1 became leader",
                    .controller = "default-scheduler"};
  EXPECT_EQ(CoreEventBody(event, "lock.1", kTime).root().ToJson(),
            R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"lock.1","namespace":"kube-system"},)"
            R"("involvedObject":{"kind":"Lease","namespace":"kube-system","name":"lock","uid":"uid-l",)"
            R"("apiVersion":"coordination.k8s.io/v1","resourceVersion":"3"},"reason":"LeaderElection",)"
            R"("message":"host_1 became leader","source":{"component":"default-scheduler"},)"
            R"("firstTimestamp":"2026-01-01T00:00:00Z","lastTimestamp":"2026-01-01T00:00:00Z","count":1,)"
            R"("type":"Normal","eventTime":null,"reportingComponent":"default-scheduler","reportingInstance":""})");
}

TEST(Event, IsNamedByObjectAndTimeOrByChance) {
  Random random(1);
  EXPECT_EQ(EventName("p1", kTime, random), "p1.18867251f555cd15");
  const std::string long_name(250, 'x');
  EXPECT_THAT(EventName(long_name, kTime, random),
              ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

TEST(Event, AboutAClusterObjectLivesInTheDefaultNamespace) {
  EXPECT_EQ(EventNamespace({"Node", "v1", "", "n1", "", ""}), "default");
  EXPECT_EQ(EventNamespace({"Pod", "v1", "team", "p", "", ""}), "team");
}

}  // namespace
}  // namespace berth::client
