// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/metric_options.h"

#include <algorithm>

#include "api/document/value.h"
#include "runtime/files.h"

namespace berth::scheduler_app {
namespace {

// `metric_and_label` is "metric,label" and `values` "a,b,c".
void Allow(telemetry::Registry::Options& options, std::string_view metric_and_label, std::string_view values) {
  const size_t comma = metric_and_label.find(',');
  if (comma == metric_and_label.npos) return;
  const std::string metric(metric_and_label.substr(0, comma));
  const std::string label(metric_and_label.substr(comma + 1));
  std::set<std::string> allowed;
  while (!values.empty()) {
    const size_t end = std::min(values.find(','), values.size());
    allowed.emplace(values.substr(0, end));
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  options.allowed_label_values[metric][label] = std::move(allowed);
}

Result<void> ReadManifest(telemetry::Registry::Options& options, const std::string& file) {
  const std::string text = BERTH_TRY(runtime::ReadFile(file));
  const std::vector<api::Document> documents = BERTH_TRY(api::ParseJsonOrYaml(text));
  for (const api::Document& document : documents) {
    const api::Value entries = document.root();
    for (size_t i = 0; i < entries.size(); ++i) Allow(options, entries.key(i), entries[i].text());
  }
  return {};
}

}  // namespace

Result<telemetry::Registry::Options> RegistryOptionsFor(const MetricsOptions& options) {
  telemetry::Registry::Options made;
  made.disabled.insert(options.disabled.begin(), options.disabled.end());
  made.show_hidden = !options.show_hidden_for_version.empty();
  if (!options.allow_labels_manifest.empty()) BERTH_CHECK_OK(ReadManifest(made, options.allow_labels_manifest));
  for (const auto& [metric_and_label, values] : options.allow_labels) Allow(made, metric_and_label, values);
  return made;
}

}  // namespace berth::scheduler_app
