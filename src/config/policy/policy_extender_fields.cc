// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/ascii.h"
#include "config/decode_fields.h"
#include "config/policy/policy_fields.h"

namespace berth::config {

using framework::ExtenderConfiguration;
using framework::ExtenderManagedResource;
using framework::ExtenderTlsConfig;
using framework::Into;
using framework::ReadingOrder;

namespace {

template <class T, size_t kCount>
const Field<T>* FindLoosely(const Field<T> (&fields)[kCount], std::string_view name) {
  const auto exact = std::ranges::find(fields, name, &Field<T>::name);
  if (exact != std::end(fields)) return &*exact;
  const auto loose = std::ranges::find_if(fields, [&](const auto& f) { return EqualsIgnoringCase(f.name, name); });
  return loose == std::end(fields) ? nullptr : &*loose;
}

// Reads with any case of the letters and ignores unknown keys; upstream's internal type is read strictly.
template <class T, size_t kCount>
void DecodeExtenderObject(StrictDecoder& decoder, api::Value value, T& out, const Field<T> (&fields)[kCount],
                          const std::string_view (&internal_names)[kCount]) {
  if (AsPolicyDecoder(decoder).spelling() == PolicySpelling::kInternal) {
    return decoder.Object<T>(value, out, Renamed(fields, internal_names));
  }
  if (value.is_null()) return;
  if (!value.is_map()) return decoder.Mismatch(value, "an object");
  for (const size_t i : ReadingOrder(value, decoder.format())) {
    if (const Field<T>* field = FindLoosely(fields, value.key(i))) field->read(decoder, value[i], out);
  }
}

void ReadTls(StrictDecoder& decoder, api::Value value, ExtenderConfiguration& out) {
  static constexpr Field<ExtenderTlsConfig> kFields[] = {
      Into<&ExtenderTlsConfig::insecure>("insecure"),
      Into<&ExtenderTlsConfig::server_name>("serverName"),
      Into<&ExtenderTlsConfig::cert_file>("certFile"),
      Into<&ExtenderTlsConfig::key_file>("keyFile"),
      Into<&ExtenderTlsConfig::ca_file>("caFile"),
      framework::Base64Into<&ExtenderTlsConfig::cert_data>("certData"),
      framework::Base64Into<&ExtenderTlsConfig::key_data>("keyData"),
      framework::Base64Into<&ExtenderTlsConfig::ca_data>("caData"),
  };
  if (value.is_null()) return out.tls_config.reset();
  if (!out.tls_config) out.tls_config.emplace();
  DecodeExtenderObject(decoder, value, *out.tls_config, kFields,
                       {"Insecure", "ServerName", "CertFile", "KeyFile", "CAFile", "CertData", "KeyData", "CAData"});
}

void ReadTimeout(StrictDecoder& decoder, api::Value value, ExtenderConfiguration& out) {
  const PolicyDecoder& policy_decoder = AsPolicyDecoder(decoder);
  if (policy_decoder.spelling() == PolicySpelling::kInternal && policy_decoder.compat() != PolicyCompat::kV116) {
    return Decode(decoder, value, out.http_timeout);
  }
  Decode(decoder, value, out.http_timeout.nanos);
}

void ReadManagedResources(StrictDecoder& decoder, api::Value value, ExtenderConfiguration& out) {
  static constexpr Field<ExtenderManagedResource> kFields[] = {
      Into<&ExtenderManagedResource::name>("name"),
      Into<&ExtenderManagedResource::ignored_by_scheduler>("ignoredByScheduler"),
  };
  out.managed_resources.clear();
  if (value.is_null()) return;
  if (!value.is_list()) return decoder.Mismatch(value, "a list");
  for (size_t i = 0; i < value.size(); ++i) {
    DecodeExtenderObject(decoder, value[i], out.managed_resources.emplace_back(), kFields,
                         {"Name", "IgnoredByScheduler"});
  }
}

}  // namespace

void Decode(StrictDecoder& decoder, api::Value value, PolicyExtender& out) {
  using Config = ExtenderConfiguration;
  static constexpr Field<Config> kFields[] = {
      Into<&Config::url_prefix>("urlPrefix"),
      Into<&Config::filter_verb>("filterVerb"),
      Into<&Config::preempt_verb>("preemptVerb"),
      Into<&Config::prioritize_verb>("prioritizeVerb"),
      Into<&Config::weight>("weight"),
      Into<&Config::bind_verb>("bindVerb"),
      Into<&Config::enable_https>("enableHttps"),
      {"tlsConfig", ReadTls},
      {"httpTimeout", ReadTimeout},
      Into<&Config::node_cache_capable>("nodeCacheCapable"),
      {"managedResources", ReadManagedResources},
      Into<&Config::ignorable>("ignorable"),
  };
  DecodeExtenderObject(decoder, value, out.extender, kFields,
                       {"URLPrefix", "FilterVerb", "PreemptVerb", "PrioritizeVerb", "Weight", "BindVerb", "EnableHTTPS",
                        "TLSConfig", "HTTPTimeout", "NodeCacheCapable", "ManagedResources", "Ignorable"});
}

}  // namespace berth::config
