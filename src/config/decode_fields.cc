// SPDX-License-Identifier: Apache-2.0
#include "config/decode_fields.h"

#include <array>
#include <utility>

#include "base/base64.h"

namespace berth::framework {

namespace {

template <ExtensionPoint kPoint>
constexpr Field<Plugins> AtPoint() {
  return {NamesOf(kPoint).config,
          [](StrictDecoder& decoder, api::Value value, Plugins& out) { Decode(decoder, value, out[kPoint]); }};
}

}  // namespace

void Decode(StrictDecoder& decoder, api::Value value, LeaderElectionConfiguration& out) {
  using Config = LeaderElectionConfiguration;
  static constexpr Field<Config> kFields[] = {
      Into<&Config::leader_elect>("leaderElect"),
      Into<&Config::lease_duration>("leaseDuration"),
      Into<&Config::renew_deadline>("renewDeadline"),
      Into<&Config::retry_period>("retryPeriod"),
      Into<&Config::resource_lock>("resourceLock"),
      Into<&Config::resource_name>("resourceName"),
      Into<&Config::resource_namespace>("resourceNamespace"),
  };
  decoder.Object<Config>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ClientConnectionConfiguration& out) {
  using Config = ClientConnectionConfiguration;
  static constexpr Field<Config> kFields[] = {
      Into<&Config::kubeconfig>("kubeconfig"),
      Into<&Config::accept_content_types>("acceptContentTypes"),
      Into<&Config::content_type>("contentType"),
      Into<&Config::qps>("qps"),
      Into<&Config::burst>("burst"),
  };
  decoder.Object<Config>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, Plugins& out) {
  static constexpr auto kFields = []<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::array{AtPoint<static_cast<ExtensionPoint>(kIndex)>()..., Into<&Plugins::multi_point>("multiPoint")};
  }(std::make_index_sequence<kExtensionPointCount>());
  decoder.Object<Plugins>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ExtenderTlsConfig& out) {
  static constexpr Field<ExtenderTlsConfig> kFields[] = {
      Into<&ExtenderTlsConfig::insecure>("insecure"),      Into<&ExtenderTlsConfig::server_name>("serverName"),
      Into<&ExtenderTlsConfig::cert_file>("certFile"),     Into<&ExtenderTlsConfig::key_file>("keyFile"),
      Into<&ExtenderTlsConfig::ca_file>("caFile"),         Base64Into<&ExtenderTlsConfig::cert_data>("certData"),
      Base64Into<&ExtenderTlsConfig::key_data>("keyData"), Base64Into<&ExtenderTlsConfig::ca_data>("caData"),
  };
  decoder.Object<ExtenderTlsConfig>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ExtenderManagedResource& out) {
  static constexpr Field<ExtenderManagedResource> kFields[] = {
      Into<&ExtenderManagedResource::name>("name"),
      Into<&ExtenderManagedResource::ignored_by_scheduler>("ignoredByScheduler"),
  };
  decoder.Object<ExtenderManagedResource>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ExtenderConfiguration& out) {
  using Config = ExtenderConfiguration;
  static constexpr Field<Config> kFields[] = {
      Into<&Config::url_prefix>("urlPrefix"),
      Into<&Config::filter_verb>("filterVerb"),
      Into<&Config::preempt_verb>("preemptVerb"),
      Into<&Config::prioritize_verb>("prioritizeVerb"),
      Into<&Config::weight>("weight"),
      Into<&Config::bind_verb>("bindVerb"),
      Into<&Config::enable_https>("enableHTTPS"),
      Into<&Config::tls_config>("tlsConfig"),
      Into<&Config::http_timeout>("httpTimeout"),
      Into<&Config::node_cache_capable>("nodeCacheCapable"),
      Into<&Config::managed_resources>("managedResources"),
      Into<&Config::ignorable>("ignorable"),
  };
  decoder.Object<Config>(value, out, kFields);
}

}  // namespace berth::framework
