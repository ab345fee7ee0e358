// SPDX-License-Identifier: Apache-2.0
#include "server/objects/api_endpoints.h"

#include <utility>

#include "base/assert.h"
#include "server/model/strategy.h"

namespace berth::server {
namespace {

constexpr std::string_view kNamespace = "default";
constexpr std::string_view kName = "kubernetes";

// Sets these members of the object and its labels, and makes it if there is none.
void Publish(Objects& objects, const Resource& resource, const Json& labels, const Json& members) {
  const ObjectPtr present = objects.store().Find(resource, kNamespace, kName);
  Json object;
  if (present != nullptr) {
    object = present->Tree();
  } else {
    object = {{"apiVersion", Json::String(resource.api_version)},
              {"kind", Json::String(resource.kind)},
              {"metadata", Json{{"name", Json::String(kName)}, {"namespace", Json::String(kNamespace)}}}};
    resource.strategy->PrepareCreate(object);
  }
  object.Make("metadata").Set("labels", labels);
  for (const Json::Member& member : members.members()) object.Set(member.name, member.value);
  if (present != nullptr) {
    objects.Overwrite(*present, std::move(object), false);
    return;
  }
  const Outcome<void> made = objects.Restore(resource, std::move(object));
  BERTH_ASSERT(made.has_value());
}

}  // namespace

void PublishApi(Objects& objects, std::string_view address, uint16_t port) {
  const Json ports = Json::MakeList(
      {Json{{"name", Json::String("https")}, {"port", Json::Int(port)}, {"protocol", Json::String("TCP")}}});
  const Json subset{{"addresses", Json::MakeList({Json{{"ip", Json::String(address)}}})}, {"ports", ports}};
  // Its slice is not made by the one that mirrors the Endpoints of others.
  Publish(objects, objects.catalog().Get("", "endpoints"),
          Json{{"endpointslice.kubernetes.io/skip-mirror", Json::String("true")}},
          Json{{"subsets", Json::MakeList({subset})}});
  const Json endpoint{{"addresses", Json::MakeList({Json::String(address)})},
                      {"conditions", Json{{"ready", Json::Bool(true)}}}};
  Publish(objects, objects.catalog().Get("discovery.k8s.io", "endpointslices"),
          Json{{"kubernetes.io/service-name", Json::String(kName)}},
          Json{{"addressType", Json::String(address.contains(':') ? "IPv6" : "IPv4")},
               {"endpoints", Json::MakeList({endpoint})},
               {"ports", ports}});
}

}  // namespace berth::server
