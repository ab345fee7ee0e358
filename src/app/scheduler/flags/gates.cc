// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/document/field_error.h"
#include "app/scheduler/flags/go_values.h"
#include "app/scheduler/flags/known_gates.h"
#include "base/error_counts.h"
#include "base/text.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kAllAlpha = "AllAlpha";
constexpr std::string_view kAllBeta = "AllBeta";

// Gates which upstream's scheduler consults and Berth follows at their default only. docs/divergences.md has the list.
constexpr std::string_view kFixed[] = {
    "ClientsAllowCBOR",
    "ClientsPreferCBOR",
    "CoordinatedLeaderElection",
    "SchedulerAsyncAPICalls",
};

// A gate at one version.
struct Stage {
  char letter;

  bool Exists() const { return letter != '-'; }
  bool OnByDefault() const { return std::isupper(static_cast<unsigned char>(letter)) != 0; }
  bool IsAny(std::string_view kinds) const {
    return kinds.contains(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  }
  bool IsLocked() const { return IsAny("lx"); }
};

Stage StageOf(const KnownGate& gate, const EffectiveVersion& version) {
  const MinorVersion emulated = std::clamp(version.emulation, {1, kMinorOldest}, {1, kMinorNewest});
  // The only gate whose default depends on the oldest version in the cluster.
  const bool all_newest = version.min_compatibility >= MinorVersion{1, kMinorNewest};
  if (gate.name == "DRAFractionalCapacityRange" && all_newest) return {'B'};
  return {gate.stages[emulated.minor - kMinorOldest]};
}

Result<std::map<std::string, bool>> ParseGates(const std::vector<std::string>& values) {
  std::map<std::string, bool> gates;
  for (const std::string& value : values) {
    if (value.empty()) continue;
    const size_t equals = value.find('=');
    const std::string name(Trim(std::string_view(value).substr(0, equals)));
    if (equals == std::string::npos) return Invalid(fmt::format("missing bool value for {}", name));
    const std::string_view text = Trim(std::string_view(value).substr(equals + 1));
    const Result<bool> enabled = ParseGoBool(text);
    if (!enabled) return Invalid(fmt::format("invalid value of {}={}, err: {}", name, text, enabled.error().message));
    gates[name] = *enabled;
  }
  return gates;
}

// The settings of our component, which goes by an empty name or by `kube`.
Result<std::map<std::string, bool>> OurGates(const GatesByComponent& given) {
  if (given.contains("") && given.contains("kube")) {
    return Invalid("set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use");
  }
  for (const auto& [component, values] : given) {
    if (!component.empty() && component != "kube") {
      return Invalid(fmt::format("component not registered: {}", component));
    }
  }
  return given.empty() ? std::map<std::string, bool>() : ParseGates(given.begin()->second);
}

void ApplyGroups(const EffectiveVersion& version, GateSettings& settings) {
  for (const auto& [group, kind] : {std::pair{kAllAlpha, "a"}, {kAllBeta, "b"}}) {
    const auto it = settings.overrides.find(std::string(group));
    if (it == settings.overrides.end()) continue;
    for (const KnownGate& gate : KnownGates()) {
      if (StageOf(gate, version).IsAny(kind)) settings.enabled[gate.name] = it->second;
    }
  }
}

Result<void> ApplyOverrides(const EffectiveVersion& version, GateSettings& settings) {
  std::vector<std::string> errors;
  for (const auto& [name, on] : settings.overrides) {
    if (name == kAllAlpha || name == kAllBeta) continue;
    const KnownGate* gate = FindKnownGate(name);
    if (gate == nullptr) return Invalid(fmt::format("unrecognized feature gate: {}", name));
    const Stage stage = StageOf(*gate, version);
    if (stage.IsLocked() && stage.OnByDefault() != on) {
      errors.push_back(fmt::format("cannot set feature gate {} to {}, feature is locked to {}", name, on, !on));
    } else if (!stage.Exists()) {
      errors.push_back(fmt::format(
          "cannot set feature gate {} to {}, feature is PreAlpha at emulated version {}, min compatibility version {}",
          name, on, ToText(version.emulation), ToText(version.min_compatibility)));
    }
    settings.enabled[gate->name] = on;
    if (stage.IsAny("sldx")) settings.settled.push_back(name);
  }
  if (errors.empty()) return {};
  return Invalid(JoinErrors(errors));
}

Result<void> CheckDependencies(const GateSettings& settings) {
  std::map<std::string_view, std::vector<std::string_view>> unmet;
  for (const auto& [gate, needs] : GateDependencies()) {
    if (settings.Enabled(gate) && !settings.Enabled(needs)) unmet[gate].push_back(needs);
  }
  std::vector<std::string> errors;
  for (const auto& [gate, needs] : unmet) {
    errors.push_back(
        fmt::format("{} is enabled, but depends on features that are disabled: [{}]", gate, fmt::join(needs, " ")));
  }
  if (errors.empty()) return {};
  return Invalid(JoinErrors(errors));
}

Result<framework::FeatureGates> SchedulerGates(const GateSettings& settings) {
  std::map<std::string, bool> changed;
  for (const framework::GateSpec& spec : framework::GateSpecs()) {
    const bool on = settings.Enabled(spec.name);
    if (on != spec.enabled && !spec.locked) changed.emplace(spec.name, on);
  }
  return framework::FeatureGates::Create(changed);
}

}  // namespace

bool GateSettings::Enabled(std::string_view gate) const {
  const auto it = enabled.find(gate);
  return it != enabled.end() && it->second;
}

Result<GateSettings> ResolveGates(const GatesByComponent& given, const EffectiveVersion& version) {
  GateSettings settings;
  settings.overrides = BERTH_TRY(OurGates(given));
  for (const KnownGate& gate : KnownGates()) {
    const Stage stage = StageOf(gate, version);
    if (stage.Exists()) settings.enabled[gate.name] = stage.OnByDefault();
  }
  ApplyGroups(version, settings);
  BERTH_CHECK_OK(ApplyOverrides(version, settings));
  BERTH_CHECK_OK(CheckDependencies(settings));
  settings.scheduler = BERTH_TRY(SchedulerGates(settings));
  return settings;
}

Result<void> CheckImplemented(const GateSettings& settings) {
  std::vector<std::string> refused;
  for (const std::string_view name : kFixed) {
    const bool by_default = StageOf(*FindKnownGate(name), EffectiveVersion()).OnByDefault();
    if (settings.Enabled(name) != by_default) refused.push_back(fmt::format("{}={}", name, !by_default));
  }
  if (refused.empty()) return {};
  return Invalid(fmt::format("feature gates that Berth does not implement: {} (see docs/divergences.md)",
                             fmt::join(refused, ", ")));
}

Result<GateSettings> ResolveGateFlags(const std::vector<std::string>& values) {
  const auto resolve = [&]() -> Result<GateSettings> {
    GatesByComponent given;
    const FlagBinding binding = BindGates(given);
    for (const std::string& value : values) BERTH_CHECK_OK(binding.set(value));
    GateSettings settings = BERTH_TRY(ResolveGates(given, EffectiveVersion()));
    BERTH_CHECK_OK(CheckImplemented(settings));
    return settings;
  };
  Result<GateSettings> settings = resolve();
  if (!settings) return Invalid("--feature-gates: " + settings.error().message);
  return settings;
}

std::vector<telemetry::FeatureState> FeatureStates(const GateSettings& settings, const EffectiveVersion& version) {
  std::vector<telemetry::FeatureState> states;
  for (const KnownGate& gate : KnownGates()) {
    const Stage stage = StageOf(gate, version);
    if (!stage.Exists()) continue;
    const std::string_view text = stage.IsAny("a")    ? "ALPHA"
                                  : stage.IsAny("b")  ? "BETA"
                                  : stage.IsAny("dx") ? "DEPRECATED"
                                                      : "";
    states.push_back({std::string(gate.name), std::string(text), settings.Enabled(gate.name)});
  }
  return states;
}

std::vector<std::string> GateHelp() {
  std::vector<std::string> lines = {"kube:AllAlpha=true|false (ALPHA - default=false)",
                                    "kube:AllBeta=true|false (BETA - default=false)"};
  for (const KnownGate& gate : KnownGates()) {
    const Stage stage = StageOf(gate, EffectiveVersion());
    if (!stage.IsAny("ab")) continue;
    lines.push_back(fmt::format("kube:{}=true|false ({} - default={})", gate.name, stage.IsAny("a") ? "ALPHA" : "BETA",
                                stage.OnByDefault()));
  }
  std::ranges::sort(lines);
  return lines;
}

}  // namespace berth::scheduler_app
