// SPDX-License-Identifier: Apache-2.0
#include "app/convert_policy/convert.h"

#include "config/config.h"
#include "config/policy/convert_policy.h"

namespace berth::convert_policy {

Result<Conversion> Convert(std::string_view policy_text, std::string_view release) {
  const framework::FeatureGates gates;
  config::PolicyOptions options;
  options.compat = BERTH_TRY(config::ParsePolicyCompat(release));
  const config::Policy policy = BERTH_TRY(config::DecodePolicy(policy_text, options.compat));
  const config::ConvertedPolicy converted = BERTH_TRY(config::ConvertPolicy(policy, options, gates));

  Conversion conversion;
  conversion.yaml = config::ToYaml(converted);
  // What a policy may say is not quite what a configuration may say: extenders are checked more strictly, for one.
  const auto loaded = config::Load(conversion.yaml, gates);
  if (!loaded) return Invalid("the policy has no equivalent: " + loaded.error().message);
  for (const config::ConversionNote& note : converted.notes) {
    conversion.notes.push_back(config::ToText(note));
    if (!note.has_equivalent) conversion.is_equivalent = false;
  }
  return conversion;
}

}  // namespace berth::convert_policy
