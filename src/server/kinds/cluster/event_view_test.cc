// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/cluster/event_view.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(EventView, TheTwoFormsSayTheSame) {
  const Json core =
      ParseTree(R"({"apiVersion":"v1","kind":"Event","involvedObject":{"kind":"Pod"},"message":"m","count":3,)"
                R"("source":{"component":"c"},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,)"
                R"("reportingComponent":"r","reportingInstance":"","metadata":{"name":"e"}})")
          .value();
  const Json renamed =
      ParseTree(R"({"apiVersion":"events.k8s.io/v1","kind":"Event","regarding":{"kind":"Pod"},"note":"m",)"
                R"("deprecatedCount":3,"deprecatedSource":{"component":"c"},)"
                R"("deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null,"eventTime":null,)"
                R"("reportingController":"r","metadata":{"name":"e"}})")
          .value();

  EXPECT_EQ(ToNewEvent(core).ToText(), renamed.ToText());
  EXPECT_EQ(ToCoreEvent(renamed).ToText(), core.ToText());
}

}  // namespace
}  // namespace berth::server
