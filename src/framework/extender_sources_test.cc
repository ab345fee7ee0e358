// SPDX-License-Identifier: Apache-2.0
#include "framework/extender_sources.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

using Extender = ExtenderConfiguration;

// Of one extender that offers this verb.
api::KeptSources SourcesFor(std::string Extender::* verb, bool node_cache_capable = false) {
  Extender extender;
  extender.*verb = "verb";
  extender.node_cache_capable = node_cache_capable;
  return SourcesForExtenders({&extender, 1});
}

TEST(ExtenderSources, AreThoseThatTheVerbsSend) {
  constexpr api::KeptSources kNone;
  constexpr api::KeptSources kPods{.pods = true, .nodes = false};
  constexpr api::KeptSources kAll{.pods = true, .nodes = true};

  EXPECT_EQ(SourcesForExtenders({}), kNone);
  EXPECT_EQ(SourcesFor(&Extender::bind_verb), kNone);
  EXPECT_EQ(SourcesFor(&Extender::preempt_verb), kPods);
  EXPECT_EQ(SourcesFor(&Extender::prioritize_verb), kAll);
  EXPECT_EQ(SourcesFor(&Extender::filter_verb), kAll);
  EXPECT_EQ(SourcesFor(&Extender::filter_verb, true), kPods);
}

}  // namespace
}  // namespace berth::framework
