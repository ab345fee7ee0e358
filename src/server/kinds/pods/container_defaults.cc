// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/container_defaults.h"

#include "api/parts/quantity.h"
#include "server/kinds/pods/container_image.h"

namespace berth::server {
namespace {

void DefaultNumber(Json& object, std::string_view name, int64_t number) {
  Json& member = object.Make(name);
  if (member.IntOr(0) == 0) member = Json::Int(number);
}

void DefaultHttpGet(Json* handler) {
  Json* http = handler == nullptr ? nullptr : handler->Find("httpGet");
  if (http == nullptr) return;
  DefaultText(*http, "path", "/");
  DefaultText(*http, "scheme", "HTTP");
}

void DefaultProbe(Json* probe) {
  if (probe == nullptr) return;
  DefaultNumber(*probe, "timeoutSeconds", 1);
  DefaultNumber(*probe, "periodSeconds", 10);
  DefaultNumber(*probe, "successThreshold", 1);
  DefaultNumber(*probe, "failureThreshold", 3);
  DefaultHttpGet(probe);
  if (Json* grpc = probe->Find("grpc")) grpc->SetDefault("service", Json::String(""));
}

void DefaultEnvironment(Json& container) {
  Json* variables = container.Find("env");
  if (variables == nullptr) return;
  for (Json& variable : variables->mutable_items()) {
    Json* source = variable.Find("valueFrom");
    if (source == nullptr) continue;
    if (Json* field = source->Find("fieldRef")) DefaultText(*field, "apiVersion", "v1");
    if (Json* file = source->Find("fileKeyRef")) file->SetDefault("optional", Json::Bool(false));
  }
}

// Whether an amount may have parts smaller than a thousandth. Most have not, and need no parsing.
bool MayBeFine(std::string_view amount) {
  return amount.ends_with('n') || amount.ends_with('u') || amount.find_first_of(".e") != amount.npos;
}

}  // namespace

void DefaultText(Json& object, std::string_view name, std::string_view text) {
  Json& member = object.Make(name);
  if (member.text().empty()) member = Json::String(text);
}

void RoundResourceList(Json* resources) {
  if (resources == nullptr || !resources->is_map()) return;
  for (Json::Member& member : resources->mutable_members()) {
    if (!MayBeFine(member.value.text())) continue;
    const auto amount = api::Quantity::Parse(member.value.text());
    if (!amount) continue;
    const auto rounded = api::Quantity::FromMilli(amount->MilliValue());
    if (rounded != *amount) member.value = Json::String(rounded.String());
  }
}

void DefaultContainer(Json& container) {
  Json& pull_policy = container.Make("imagePullPolicy");
  if (pull_policy.text().empty()) pull_policy = Json::String(DefaultPullPolicy(container["image"].text()));
  DefaultText(container, "terminationMessagePath", "/dev/termination-log");
  DefaultText(container, "terminationMessagePolicy", "File");
  if (Json* ports = container.Find("ports")) {
    for (Json& port : ports->mutable_items()) DefaultText(port, "protocol", "TCP");
  }
  DefaultEnvironment(container);
  if (Json* resources = container.Find("resources")) {
    RoundResourceList(resources->Find("limits"));
    RoundResourceList(resources->Find("requests"));
  }
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    DefaultProbe(container.Find(probe));
  }
  if (Json* lifecycle = container.Find("lifecycle")) {
    DefaultHttpGet(lifecycle->Find("postStart"));
    DefaultHttpGet(lifecycle->Find("preStop"));
  }
}

void DefaultPodContainer(Json& container, bool has_host_network) {
  if (Json* resources = container.Find("resources"); resources != nullptr && resources->Has("limits")) {
    const Json limits = (*resources)["limits"];
    Json& requests = resources->Make("requests");
    for (const Json::Member& limit : limits.members()) requests.SetDefault(limit.name, limit.value);
  }
  Json* ports = has_host_network ? container.Find("ports") : nullptr;
  if (ports == nullptr) return;
  for (Json& port : ports->mutable_items()) {
    if (port["hostPort"].IntOr(0) != 0) continue;
    const Json container_port = port["containerPort"];
    if (container_port.IntOr(0) != 0) port.Set("hostPort", container_port);
  }
}

}  // namespace berth::server
