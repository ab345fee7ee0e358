// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/network/ingress_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "api/parts/selector.h"
#include "server/model/checks.h"
#include "server/model/path_segment.h"

namespace berth::server {
namespace {

constexpr size_t kControllerLengthMax = 250;
constexpr size_t kHostLengthMax = 253;

Problems CheckHost(std::string_view host) {
  if (host.find('*') == host.npos) return api::ValidateDnsSubdomain(host);
  Problems problems;
  if (host.size() > kHostLengthMax) problems.emplace_back("must be no more than 253 characters");
  const bool is_wildcard = host.starts_with("*.") && api::ValidateDnsSubdomain(host.substr(2)).empty();
  if (!is_wildcard) {
    problems.emplace_back(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
        "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "
        "regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return problems;
}

void CheckSegment(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name) {
  if (!Require(errors, object_path, object, name)) return;
  Report(errors, object_path / name, object[name].text(), CheckPathSegment(object[name].text()));
}

void ValidateReference(const Json& reference, const FieldPath& path, FieldErrors& errors) {
  if (const Json& group = reference["apiGroup"]; group.is_string()) {
    Report(errors, path / "apiGroup", group.text(), api::ValidateDnsSubdomain(group.text()));
  }
  CheckSegment(errors, path, reference, "kind");
  CheckSegment(errors, path, reference, "name");
}

void ValidateServiceBackend(const Json& service, const FieldPath& path, FieldErrors& errors) {
  const FieldPath service_path = path / "service";
  CheckRequiredDnsLabel(errors, service_path, service, "name");
  const FieldPath port_path = service_path / "port";
  const std::string& name = service["port"]["name"].text();
  const Json& number = service["port"]["number"];
  const bool has_number = number.IntOr(0) != 0;
  if (!name.empty() && has_number) {
    errors.Invalid(path, "", "cannot set both port name & port number");
  } else if (!name.empty()) {
    Report(errors, port_path / "name", name, CheckPortName(name));
  } else if (has_number) {
    Report(errors, port_path / "number", number, CheckPortNumber(number.IntOr(0)));
  } else {
    errors.Required(path, "port name or number is required");
  }
}

void ValidateBackend(const Json& backend, const FieldPath& path, FieldErrors& errors) {
  const bool has_resource = backend.Has("resource");
  const bool has_service = backend.Has("service");
  if (has_resource && has_service) return errors.Invalid(path, "", "cannot set both resource and service backends");
  if (has_resource) return ValidateReference(backend["resource"], path / "resource", errors);
  if (has_service) return ValidateServiceBackend(backend["service"], path, errors);
  errors.Invalid(path, "", "resource or service backend is required");
}

void CheckUrlPath(FieldErrors& errors, const FieldPath& path, const std::string& target) {
  if (!target.starts_with('/')) errors.Invalid(path, target, "must be an absolute path");
  for (const std::string_view part : {"//", "/./", "/../", "%2f", "%2F"}) {
    if (target.find(part) != target.npos) errors.Invalid(path, target, fmt::format("must not contain '{}'", part));
  }
  for (const std::string_view end : {"/..", "/."}) {
    if (target.ends_with(end)) errors.Invalid(path, target, fmt::format("cannot end with '{}'", end));
  }
}

void ValidatePath(const Json& object, const FieldPath& path, FieldErrors& errors) {
  const Json& type = object["pathType"];
  if (!type.is_string()) return errors.Required(path / "pathType", "pathType must be specified");
  const std::string& target = object["path"].text();
  if (type.text() == "Exact" || type.text() == "Prefix") {
    CheckUrlPath(errors, path / "path", target);
  } else if (type.text() == "ImplementationSpecific") {
    if (!target.empty() && !target.starts_with('/')) errors.Invalid(path / "path", target, "must be an absolute path");
  } else {
    errors.NotSupported(path / "pathType", type.text(), {"Exact", "ImplementationSpecific", "Prefix"});
  }
  ValidateBackend(object["backend"], path / "backend", errors);
}

void ValidateRule(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  if (const std::string& host = rule["host"].text(); !host.empty()) {
    if (IpFamily(host) != 0) errors.Invalid(path / "host", host, "must be a DNS name, not an IP address");
    Report(errors, path / "host", host, CheckHost(host));
  }
  const Json* http = rule.Find("http");
  if (http == nullptr) return;
  const FieldPath http_path = path / "http";
  const FieldPath paths_path = http_path / "paths";
  const Json& paths = (*http)["paths"];
  if (paths.empty()) errors.Required(paths_path);
  for (size_t i = 0; i < paths.size(); ++i) ValidatePath(paths[i], paths_path[i], errors);
}

void ValidateTls(const Json& tls, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < tls.size(); ++i) {
    const FieldPath at = path[i];
    const FieldPath hosts_path = at / "hosts";
    const Json& hosts = tls[i]["hosts"];
    for (size_t j = 0; j < hosts.size(); ++j)
      Report(errors, hosts_path[j], hosts[j].text(), CheckHost(hosts[j].text()));
    if (const std::string& secret = tls[i]["secretName"].text(); !secret.empty()) {
      Report(errors, at / "secretName", secret, api::ValidateDnsSubdomain(secret));
    }
  }
}

void ValidateController(const std::string& controller, const FieldPath& path, FieldErrors& errors) {
  if (controller.size() > kControllerLengthMax) errors.TooLong(path, kControllerLengthMax);
  if (controller.empty()) return errors.Required(path);
  const size_t slash = controller.find('/');
  if (slash == controller.npos || slash == 0 || slash + 1 == controller.size()) {
    return errors.Invalid(path, controller, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  const std::string host = controller.substr(0, slash);
  Report(errors, path, host, api::ValidateDnsSubdomain(host));
  const std::string rest = controller.substr(slash + 1);
  const auto is_url = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/-._~%!$&'()*+,;=:").find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(rest, is_url)) {
    errors.Invalid(path, rest, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
  }
}

}  // namespace

void ValidateIngressSpec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& rules = spec["rules"];
  if (rules.empty() && !spec.Has("defaultBackend")) {
    errors.Invalid(path, rules, "either `defaultBackend` or `rules` must be specified");
  }
  if (const Json* backend = spec.Find("defaultBackend")) ValidateBackend(*backend, path / "defaultBackend", errors);
  const FieldPath rules_path = path / "rules";
  for (size_t i = 0; i < rules.size(); ++i) ValidateRule(rules[i], rules_path[i], errors);
  ValidateTls(spec["tls"], path / "tls", errors);
  if (const Json* name = spec.Find("ingressClassName")) {
    Report(errors, path / "ingressClassName", name->text(), api::ValidateDnsSubdomain(name->text()));
  }
}

void ValidateIngressClassSpec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  ValidateController(spec["controller"].text(), path / "controller", errors);
  const Json* parameters = spec.Find("parameters");
  if (parameters == nullptr) return;
  const FieldPath at = path / "parameters";
  ValidateReference(*parameters, at, errors);
  const std::string& scope = (*parameters)["scope"].text();
  CheckOneOf(errors, at / "scope", scope, {"Cluster", "Namespace"});
  const Json* ns = parameters->Find("namespace");
  if (scope == "Namespace") {
    if (ns == nullptr) return errors.Required(at / "namespace", "`parameters.scope` is set to 'Namespace'");
    Report(errors, at / "namespace", ns->text(), CheckDnsLabel(ns->text()));
  } else if (scope == "Cluster" && ns != nullptr) {
    errors.Forbidden(at / "namespace", "`parameters.scope` is set to 'Cluster'");
  }
}

}  // namespace berth::server
