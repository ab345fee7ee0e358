// SPDX-License-Identifier: Apache-2.0
#include "config/args_writer.h"

#include "config/config.h"

namespace berth::config {

// The members of each kind of arguments.
class ArgsWriter::Body {
 public:
  explicit Body(ArgsWriter& out) : out_(out) {}

  void operator()(const framework::DefaultPreemptionArgs& args) const {
    out_.TypeMeta("DefaultPreemptionArgs");
    out_.Int("minCandidateNodesPercentage", args.min_candidate_nodes_percentage);
    out_.Int("minCandidateNodesAbsolute", args.min_candidate_nodes_absolute);
  }

  void operator()(const framework::DynamicResourcesArgs& args) const {
    out_.TypeMeta("DynamicResourcesArgs");
    out_.MaybeDuration("filterTimeout", args.filter_timeout);
    out_.MaybeDuration("bindingTimeout", args.binding_timeout);
  }

  void operator()(const framework::InterPodAffinityArgs& args) const {
    out_.TypeMeta("InterPodAffinityArgs");
    out_.Int("hardPodAffinityWeight", args.hard_pod_affinity_weight);
    out_.Key("ignorePreferredTermsOfExistingPods");
    out_.json_.Bool(args.ignore_preferred_terms_of_existing_pods);
  }

  void operator()(const framework::NodeAffinityArgs& args) const {
    out_.TypeMeta("NodeAffinityArgs");
    if (out_.Begin("addedAffinity", args.added_affinity.has_value()))
      WriteNodeAffinity(*args.added_affinity, out_.json_);
  }

  void operator()(const framework::NodeResourcesBalancedAllocationArgs& args) const {
    out_.TypeMeta("NodeResourcesBalancedAllocationArgs");
    out_.Resources(args.resources);
  }

  void operator()(const framework::NodeResourcesFitArgs& args) const {
    out_.TypeMeta("NodeResourcesFitArgs");
    out_.Strings("ignoredResources", args.ignored_resources);
    out_.Strings("ignoredResourceGroups", args.ignored_resource_groups);
    out_.Key("scoringStrategy");
    out_.Strategy(args.scoring_strategy);
  }

  void operator()(const framework::PodTopologySpreadArgs& args) const {
    out_.TypeMeta("PodTopologySpreadArgs");
    if (out_.Begin("defaultConstraints", !args.default_constraints.empty())) {
      out_.json_.BeginArray();
      for (const api::TopologySpreadConstraint& constraint : args.default_constraints) {
        WriteSpreadConstraint(constraint, out_.json_);
      }
      out_.json_.EndArray();
    }
    out_.Text("defaultingType", args.defaulting_type);
  }

  void operator()(const framework::VolumeBindingArgs& args) const {
    out_.TypeMeta("VolumeBindingArgs");
    out_.Int("bindTimeoutSeconds", args.bind_timeout_seconds);
    if (out_.Begin("shape", !args.shape.empty())) out_.Write(args.shape);
  }

  // Those of legacy plugins, of whose kinds this API knows nothing.
  void operator()(const framework::NodeLabelArgs& args) const {
    out_.Strings("presentLabels", args.present_labels);
    out_.Strings("absentLabels", args.absent_labels);
    out_.Strings("presentLabelsPreference", args.present_labels_preference);
    out_.Strings("absentLabelsPreference", args.absent_labels_preference);
  }

  void operator()(const framework::ServiceAffinityArgs& args) const {
    out_.Strings("affinityLabels", args.affinity_labels);
    out_.Strings("antiAffinityLabelsPreference", args.anti_affinity_labels_preference);
  }

  void operator()(const framework::RequestedToCapacityRatioArgs& args) const {
    if (out_.Begin("shape", !args.shape.empty())) out_.Write(args.shape);
    out_.Resources(args.resources);
  }

  void operator()(const framework::ResourceAllocationArgs& args) const { out_.Resources(args.resources); }

  void operator()(const framework::VolumeLimitArgs& args) const {
    if (args.max_pd_volumes) out_.Int("maxPDVolumes", *args.max_pd_volumes);
  }

  void operator()(const framework::OpaqueArgs&) const {}
  void operator()(const std::monostate&) const {}

 private:
  ArgsWriter& out_;
};

void ArgsWriter::Write(const framework::PluginArgs& args) {
  if (const auto* opaque = std::get_if<framework::OpaqueArgs>(&args)) {
    json_.Raw(opaque->json);
    return;
  }
  json_.BeginObject();
  std::visit(Body(*this), args);
  json_.EndObject();
}

void ArgsWriter::Write(const framework::PluginSet& set) {
  json_.BeginObject();
  References("enabled", set.enabled);
  References("disabled", set.disabled);
  json_.EndObject();
}

void ArgsWriter::Write(const std::vector<framework::UtilizationShapePoint>& shape) {
  json_.BeginArray();
  for (const framework::UtilizationShapePoint& point : shape) {
    json_.BeginObject();
    Int("utilization", point.utilization);
    Int("score", point.score);
    json_.EndObject();
  }
  json_.EndArray();
}

void ArgsWriter::Key(std::string_view name) {
  std::string key(name);
  if (form_ == JsonForm::kInternal) key[0] = static_cast<char>(key[0] - 'a' + 'A');
  json_.Key(key);
}

void ArgsWriter::TypeMeta(std::string_view kind) {
  if (form_ == JsonForm::kInternal) return;
  json_.Key("kind").String(kind);
  json_.Key("apiVersion").String(kApiVersion);
}

void ArgsWriter::Int(std::string_view name, int64_t value) {
  Key(name);
  json_.Int(value);
}

void ArgsWriter::Text(std::string_view name, std::string_view value) {
  Key(name);
  json_.String(value);
}

void ArgsWriter::MaybeDuration(std::string_view name, const std::optional<Duration>& duration) {
  if (Begin(name, duration.has_value())) json_.String(FormatDuration(*duration));
}

void ArgsWriter::Strings(std::string_view name, const std::vector<std::string>& texts) {
  if (!Begin(name, !texts.empty())) return;
  json_.BeginArray();
  for (const std::string& text : texts) json_.String(text);
  json_.EndArray();
}

void ArgsWriter::References(std::string_view name, const std::vector<framework::PluginReference>& plugins) {
  if (!Begin(name, !plugins.empty())) return;
  json_.BeginArray();
  for (const framework::PluginReference& plugin : plugins) {
    json_.BeginObject();
    Text("name", plugin.name);
    Int("weight", plugin.weight);
    json_.EndObject();
  }
  json_.EndArray();
}

void ArgsWriter::Resources(const std::vector<framework::ResourceSpec>& resources) {
  if (!Begin("resources", !resources.empty())) return;
  json_.BeginArray();
  for (const framework::ResourceSpec& resource : resources) {
    json_.BeginObject();
    Text("name", resource.name);
    Int("weight", resource.weight);
    json_.EndObject();
  }
  json_.EndArray();
}

void ArgsWriter::Strategy(const framework::ScoringStrategy& strategy) {
  json_.BeginObject();
  Text("type", strategy.type);
  Resources(strategy.resources);
  if (Begin("requestedToCapacityRatio", strategy.requested_to_capacity_ratio.has_value())) {
    json_.BeginObject();
    const std::vector<framework::UtilizationShapePoint>& shape = strategy.requested_to_capacity_ratio->shape;
    if (Begin("shape", !shape.empty())) Write(shape);
    json_.EndObject();
  }
  json_.EndObject();
}

bool ArgsWriter::Begin(std::string_view name, bool present) {
  if (!present && form_ == JsonForm::kApi) return false;
  Key(name);
  if (!present) json_.Null();
  return present;
}

}  // namespace berth::config
