// SPDX-License-Identifier: Apache-2.0
#include "conformance/policy_record.h"

#include <string>
#include <utility>

#include "client/orders/extender_caller.h"
#include "net/event_loop.h"

namespace berth::conformance {
namespace {

constexpr std::string_view kPolicyKey = "policy.cfg";

}  // namespace

Result<config::Policy> ReadPolicy(api::Value record, config::PolicyCompat compat) {
  const bool is_missing = record["missing"].AsBool().value_or(false);
  if (is_missing && record["source"].text() == "file") return Invalid("missing policy config file policy.cfg");
  if (is_missing) {
    return Invalid(
        "couldn't get policy config map kube-system/scheduler-policy: configmaps \"scheduler-policy\" not found");
  }
  const api::Value key = record["configMapKey"];
  if (!key.is_null() && key.text() != kPolicyKey) {
    return Invalid("missing policy config map value at key \"policy.cfg\"");
  }
  const std::string text =
      record["policy"].is_null() ? std::string(record["policyText"].text()) : record["policy"].ToJson();
  return config::DecodePolicy(text, compat);
}

Result<void> CheckCertificates(framework::ExtenderConfiguration extender, config::PolicyCompat compat) {
  // v1.16 and v1.21 take any bytes for a certificate, and then fail every call; Berth refuses to start with them.
  if (compat != config::PolicyCompat::kV122 && extender.tls_config) extender.tls_config->ca_data.clear();
  net::EventLoop loop;
  const auto caller = client::ExtenderCaller::Create(loop, {std::move(extender)}, client::ProxySettings());
  if (caller) return {};
  constexpr std::string_view kPrefix = "couldn't build extenders: ";
  const std::string& message = caller.error().message;
  return Invalid(message.starts_with(kPrefix) ? message.substr(kPrefix.size()) : message);
}

}  // namespace berth::conformance
