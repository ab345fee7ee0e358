// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/container_handlers.h"

#include <fmt/format.h>

#include <string_view>

#include "server/model/checks.h"

namespace berth::server {
namespace {

using Grace = std::optional<int64_t>;

void ValidateHttpGet(const Json& http, const FieldPath& path, FieldErrors& errors) {
  Require(errors, path, http, "path");
  CheckPort(errors, path / "port", http["port"]);
  CheckOneOf(errors, path / "scheme", http["scheme"].text(), {"HTTP", "HTTPS"});
  for (const Json& header : http["httpHeaders"].items()) {
    const std::string& name = header["name"].text();
    Report(errors, path / "httpHeaders", name, CheckHeaderName(name));
  }
}

void ValidateAction(std::string_view kind, const Json& action, Grace grace, const FieldPath& path,
                    FieldErrors& errors) {
  if (kind == "exec") {
    Require(errors, path, action, "command");
  } else if (kind == "httpGet") {
    ValidateHttpGet(action, path, errors);
  } else if (kind == "sleep") {
    const int64_t seconds = action["seconds"].IntOr(0);
    if (grace && (seconds < 0 || seconds > *grace)) {
      errors.Invalid(path, Json::Int(seconds),
                     fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})", *grace));
    }
  } else {
    CheckPort(errors, path / "port", action["port"]);
  }
}

// Exactly one of the kinds of action.
void ValidateHandler(const Json& handler, Grace grace, const FieldPath& path, FieldErrors& errors) {
  bool has_one = false;
  for (const std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const Json* action = handler.Find(kind);
    if (action == nullptr) continue;
    if (has_one) {
      errors.Forbidden(path / kind, "may not specify more than 1 handler type");
    } else {
      ValidateAction(kind, *action, grace, path / kind, errors);
    }
    has_one = true;
  }
  if (!has_one) errors.Required(path, "must specify a handler type");
}

void ValidateProbe(const Json& probe, Grace grace, const FieldPath& path, FieldErrors& errors) {
  ValidateHandler(probe, grace, path, errors);
  CheckNonNegative(errors, path, probe,
                   {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"});
  const Json* own_grace = probe.Find("terminationGracePeriodSeconds");
  if (own_grace != nullptr && own_grace->IntOr(0) <= 0) {
    errors.Invalid(path / "terminationGracePeriodSeconds", *own_grace, "must be greater than 0");
  }
}

// Of probes after which the container is killed: one success is enough.
void ValidateKillingProbe(const Json* probe, Grace grace, const FieldPath& path, FieldErrors& errors) {
  if (probe == nullptr) return;
  ValidateProbe(*probe, grace, path, errors);
  const Json& successes = (*probe)["successThreshold"];
  if (successes.IntOr(0) != 1) errors.Invalid(path / "successThreshold", successes, "must be 1");
}

void ValidateReadinessProbe(const Json* probe, Grace grace, const FieldPath& path, FieldErrors& errors) {
  if (probe == nullptr) return;
  ValidateProbe(*probe, grace, path, errors);
  if (const Json* own_grace = probe->Find("terminationGracePeriodSeconds")) {
    errors.Invalid(path / "terminationGracePeriodSeconds", *own_grace, "must not be set for readinessProbes");
  }
}

}  // namespace

void ValidateHandlers(const Json& container, Grace grace_seconds, const FieldPath& path, FieldErrors& errors) {
  if (const Json* lifecycle = container.Find("lifecycle")) {
    const FieldPath lifecycle_path = path / "lifecycle";
    for (const std::string_view hook : {"postStart", "preStop"}) {
      const Json* handler = lifecycle->Find(hook);
      if (handler != nullptr) ValidateHandler(*handler, grace_seconds, lifecycle_path / hook, errors);
    }
  }
  ValidateKillingProbe(container.Find("livenessProbe"), grace_seconds, path / "livenessProbe", errors);
  ValidateReadinessProbe(container.Find("readinessProbe"), grace_seconds, path / "readinessProbe", errors);
  ValidateKillingProbe(container.Find("startupProbe"), grace_seconds, path / "startupProbe", errors);
}

void ForbidHandlers(const Json& container, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view name : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (!container.Has(name)) continue;
    errors.Forbidden(path / name, "may not be set for init containers without restartPolicy=Always");
  }
}

}  // namespace berth::server
