// SPDX-License-Identifier: Apache-2.0
// The public plugin API: what the author of a plugin outside this repository includes.
//
// A plugin is a class that derives from framework::Plugin and from one interface per extension point (FilterPlugin,
// ScorePlugin, ...), has a static kName and, if it takes arguments, a struct Args that describes them. A program adds
// it to the built-in ones and is the whole of berth with it (berth/main.h), or drives a core of its own:
//
//   framework::Registry plugins = plugins::BuiltIn();
//   BERTH_CHECK_OK(plugins.Add<MyPlugin>());
//   configuration = BERTH_TRY(config::Load(text, gates, plugins));
//   core = BERTH_TRY(scheduler::Core::Create(configuration, plugins, gates, std::move(chooser), now));
//
// docs/plugin-guide.md goes through it step by step with the plugin in examples/plugin.
//
// What the headers below say of Plugin and the extension points, Status, Cycle, Candidates, Scores, Effects,
// PluginArgs, Registry and FeatureGates, and of reading the Cluster, its NodeTable and PodInfo, is the API. Everything
// else may change between versions.

#pragma once

#include "api/document/value.h"
#include "base/result.h"
#include "base/time.h"
#include "cluster/cluster.h"
#include "framework/extension_points.h"
#include "framework/plugin.h"
#include "framework/plugin_args.h"
#include "framework/registry.h"
