// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/scheduler/flags/complete.h"
#include "app/scheduler/flags/validate.h"
#include "client/access/server_access.h"
#include "runtime/files.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kMissingName = "missing filename for serving cert";

Result<void> CheckReadable(const std::string& file) {
  const Result<std::string> text = runtime::ReadFile(file);
  if (!text) return std::unexpected(text.error());
  return {};
}

Result<void> CheckPair(const std::string& cert_file, const std::string& key_file) {
  if (cert_file.empty() || key_file.empty()) return Invalid(std::string(kMissingName));
  BERTH_CHECK_OK(CheckReadable(cert_file));
  return CheckReadable(key_file);
}

Result<void> CheckServing(const ServingOptions& serving) {
  if (!serving.cert_file.empty() || !serving.key_file.empty()) {
    BERTH_CHECK_OK(CheckPair(serving.cert_file, serving.key_file));
  }
  BERTH_CHECK_OK(ValidateTls(serving));
  for (const SniCertificate& certificate : serving.sni_certificates) {
    const Result<void> checked = CheckPair(certificate.cert_file, certificate.key_file);
    if (!checked) return Invalid(fmt::format("failed to load SNI cert and key: {}", checked.error().message));
  }
  return {};
}

// `purpose` names the bundle in the text about an empty file.
Result<void> CheckAuthority(const std::string& file, std::string_view purpose, std::string_view failure) {
  if (file.empty()) return {};
  const Result<std::string> text = runtime::ReadFile(file);
  if (!text) return Invalid(fmt::format("{}: {}", failure, text.error().message));
  if (text->empty())
    return Invalid(fmt::format("{}: missing content for CA bundle \"{}::{}\"", failure, purpose, file));
  return {};
}

Result<void> CheckKubeconfig(const std::string& file, std::string_view failure) {
  if (file.empty()) return {};
  const auto access = client::FindServer(file, "", client::ClientEnvironment::OfProcess());
  if (!access) return Invalid(fmt::format("{}: {}", failure, access.error().message));
  return {};
}

Result<void> CheckDelegation(const AuthenticationOptions& authentication, const AuthorizationOptions& authorization) {
  BERTH_CHECK_OK(CheckKubeconfig(authentication.kubeconfig,
                                 "failed to get delegated authentication kubeconfig: "
                                 "failed to get delegated authentication kubeconfig"));
  BERTH_CHECK_OK(
      CheckAuthority(authentication.client_ca_file, "client-ca-bundle", "unable to load client CA provider"));
  BERTH_CHECK_OK(CheckAuthority(authentication.request_header.client_ca_file, "request-header",
                                "unable to create request header authentication config"));
  return CheckKubeconfig(authorization.kubeconfig, "failed to get delegated authorization kubeconfig");
}

}  // namespace

Result<void> CheckSurroundings(const Options& options) {
  const framework::ClientConnectionConfiguration& client = options.configuration.client_connection;
  const auto access = client::FindServer(client.kubeconfig, options.master, client::ClientEnvironment::OfProcess());
  if (!access) return std::unexpected(access.error());
  if (options.serving.secure_port != 0) {
    BERTH_CHECK_OK(CheckServing(options.serving));
    BERTH_CHECK_OK(CheckDelegation(options.authentication, options.authorization));
  }
  if (client.qps > 0 && client.burst <= 0) {
    return Invalid(
        "burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0");
  }
  if (options.configuration.leader_election.leader_elect) return CheckLock(options.configuration.leader_election);
  return {};
}

Result<void> CheckLock(const framework::LeaderElectionConfiguration& election) {
  constexpr std::string_view kPrefix = "couldn't create resource lock: ";
  const std::string& lock = election.resource_lock;
  if (lock == "leases") return {};
  if (lock == "configmapsleases") {
    return Invalid(fmt::format("{}{} lock is removed, migrated to leases", kPrefix, lock));
  }
  if (lock == "endpoints" || lock == "configmaps" || lock == "endpointsleases") {
    return Invalid(fmt::format("{}{} lock is removed, migrate to leases", kPrefix, lock));
  }
  return Invalid(fmt::format("{}Invalid lock-type {}", kPrefix, lock));
}

Result<void> CheckElectionTimes(const framework::LeaderElectionConfiguration& election) {
  constexpr std::string_view kFailure = "couldn't create leader elector: {}";
  constexpr double kJitter = 1.2;
  const auto retry_nanos = static_cast<double>(election.retry_period.nanos);
  std::string_view problem;
  if (election.lease_duration <= election.renew_deadline) {
    problem = "leaseDuration must be greater than renewDeadline";
  } else if (election.renew_deadline.nanos <= static_cast<int64_t>(kJitter * retry_nanos)) {
    problem = "renewDeadline must be greater than retryPeriod*JitterFactor";
  } else if (election.lease_duration.nanos < 1) {
    problem = "leaseDuration must be greater than zero";
  } else if (election.renew_deadline.nanos < 1) {
    problem = "renewDeadline must be greater than zero";
  } else if (election.retry_period.nanos < 1) {
    problem = "retryPeriod must be greater than zero";
  }
  if (problem.empty()) return {};
  return Invalid(fmt::format(kFailure, problem));
}

}  // namespace berth::scheduler_app
