// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/delegated_auth.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/decode/field_reader.h"
#include "api/document/field_error.h"
#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "app/scheduler/serving/front_proxy.h"
#include "base/ascii.h"
#include "base/markup.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kAuthenticated = "system:authenticated";
constexpr std::string_view kMasters = "system:masters";

User Anonymous() { return {.name = "system:anonymous", .uid = {}, .groups = {"system:unauthenticated"}, .extra = {}}; }

User AddAuthenticated(User user) {
  if (std::ranges::find(user.groups, kAuthenticated) == user.groups.end()) user.groups.emplace_back(kAuthenticated);
  return user;
}

// The token of "Authorization: Bearer TOKEN", or "".
std::string_view BearerToken(const net::ServerRequest& request) {
  std::string_view value = request.Find("Authorization");
  const size_t space = value.find(' ');
  if (space == value.npos) return {};
  const std::string_view scheme = value.substr(0, space);
  const auto same_letter = [](char a, char b) { return (a | 0x20) == b; };
  if (!std::ranges::equal(scheme, std::string_view("bearer"), same_letter)) return {};
  value.remove_prefix(std::min(value.find_first_not_of(' ', space), value.size()));
  return value.substr(0, value.find(' '));
}

std::string TokenQuestion(std::string_view token) {
  api::JsonWriter json;
  json.BeginObject().Key("kind").String("TokenReview").Key("apiVersion").String("authentication.k8s.io/v1");
  json.Key("metadata").BeginObject().EndObject();
  json.Key("spec").BeginObject().Key("token").String(token).EndObject();
  json.Key("status").BeginObject().Key("user").BeginObject().EndObject().EndObject().EndObject();
  return json.Take();
}

// Nothing: the token is nobody's.
Result<std::optional<User>> ReadTokenAnswer(const std::string& body) {
  const api::Document document = BERTH_TRY(api::ParseJson(body));
  api::FieldReader reader(document.root());
  api::FieldReader status = reader.Child("status");
  bool authenticated = false;
  std::string error;
  User user;
  status.Read("authenticated", authenticated);
  status.Read("error", error);
  api::FieldReader fields = status.Child("user");
  fields.Read("username", user.name);
  fields.Read("uid", user.uid);
  fields.Read("groups", user.groups);
  const api::Value extra = fields.value()["extra"];
  for (size_t i = 0; i < extra.size(); ++i) {
    std::vector<std::string>& values = user.extra[std::string(extra.key(i))];
    for (size_t j = 0; j < extra[i].size(); ++j) values.emplace_back(extra[i][j].text());
  }
  if (!reader.ok()) return std::unexpected(reader.error("token review"));
  if (authenticated) return std::optional(std::move(user));
  if (!error.empty()) return Fail(Code::kInternal, error);
  return std::optional<User>();
}

std::string AccessQuestion(const User& user, std::string_view verb, std::string_view path) {
  api::JsonWriter json;
  json.BeginObject().Key("kind").String("SubjectAccessReview").Key("apiVersion").String("authorization.k8s.io/v1");
  json.Key("metadata").BeginObject().EndObject();
  json.Key("spec").BeginObject().Key("nonResourceAttributes").BeginObject();
  json.Key("path").String(path).Key("verb").String(verb).EndObject();
  json.Key("user").String(user.name);
  if (!user.groups.empty()) {
    json.Key("groups").BeginArray();
    for (const std::string& group : user.groups) json.String(group);
    json.EndArray();
  }
  if (!user.extra.empty()) {
    json.Key("extra").BeginObject();
    for (const auto& [key, values] : user.extra) {
      json.Key(key).BeginArray();
      for (const std::string& value : values) json.String(value);
      json.EndArray();
    }
    json.EndObject();
  }
  if (!user.uid.empty()) json.Key("uid").String(user.uid);
  json.EndObject().Key("status").BeginObject().Key("allowed").Bool(false).EndObject().EndObject();
  return json.Take();
}

struct AccessAnswer {
  bool allowed = false;
  bool denied = false;  // Nobody else is to be asked. Neither: no opinion.
  std::string reason;
};

Result<AccessAnswer> ReadAccessAnswer(const std::string& body) {
  const api::Document document = BERTH_TRY(api::ParseJson(body));
  api::FieldReader reader(document.root());
  AccessAnswer answer;
  api::FieldReader status = reader.Child("status");
  status.Read("allowed", answer.allowed);
  status.Read("denied", answer.denied);
  status.Read("reason", answer.reason);
  if (!reader.ok()) return std::unexpected(reader.error("subject access review"));
  return answer;
}

Answer TooManyRequests() {
  Answer answer = ErrorAnswer(429, "Too many requests, please try again later.");
  answer.headers.push_back({"Retry-After", "1"});
  return answer;
}

Answer Unauthorized() { return StatusAnswer(401, "Unauthorized", "Unauthorized", false); }

Answer Forbidden(const User& user, std::string_view verb, std::string_view path, std::string_view reason) {
  std::string message =
      EscapeMarkup(fmt::format("User {} cannot {} path {}", api::GoQuote(user.name), verb, api::GoQuote(path)));
  if (!reason.empty()) message += fmt::format(": {}", reason);
  return StatusAnswer(403, "Forbidden", "forbidden: " + message, true);
}

}  // namespace

DelegatedAuth::DelegatedAuth(const AuthenticationOptions& authentication, const AuthorizationOptions& authorization,
                             const AuthenticationConfig& config, client::RestClient* authentication_client,
                             client::RestClient* authorization_client, runtime::Timers& timers)
    : authorization_(authorization), config_(config) {
  if (authentication_client != nullptr) {
    token_reviews_ =
        std::make_unique<Reviews>(*authentication_client, timers, "/apis/authentication.k8s.io/v1/tokenreviews",
                                  [ttl = authentication.cache_ttl](const std::string& answer) {
                                    // An error of the server's authenticators is no answer.
                                    return ReadTokenAnswer(answer) ? ttl : Duration{};
                                  });
  }
  if (authorization_client != nullptr) {
    access_reviews_ = std::make_unique<Reviews>(
        *authorization_client, timers, "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        [&authorization](const std::string& text) {
          const Result<AccessAnswer> answer = ReadAccessAnswer(text);
          if (!answer) return Duration{};
          return answer->allowed ? authorization.allow_cache_ttl : authorization.deny_cache_ttl;
        });
  }
}

void DelegatedAuth::Admit(const net::ServerRequest& request, Done done) {
  std::string verb = Lower(request.method);
  std::string path = ParseTarget(request.target).path;
  Authenticate(request, [this, verb = std::move(verb), path = std::move(path),
                         done = std::move(done)](std::expected<User, Answer> user) mutable {
    if (!user) return done(std::move(user).error());
    Authorize(*user, std::move(verb), std::move(path), std::move(done));
  });
}

void DelegatedAuth::Authenticate(const net::ServerRequest& request, Authenticated done) {
  const net::PeerCertificate* const certificate = request.peer_certificate.get();
  std::string problem;
  if (certificate != nullptr) {
    const Result<std::optional<User>> vouched = UserOfProxy(config_.front_proxy(), *certificate, request.headers);
    if (vouched && *vouched) return done(AddAuthenticated(**vouched));
    if (!vouched) problem = vouched.error().message;
    const bool has_roots = !config_.client_ca_pem().empty();
    if (has_roots && certificate->is_verified() && !certificate->common_name.empty()) {
      return done(AddAuthenticated(
          {.name = certificate->common_name, .uid = {}, .groups = certificate->organizations, .extra = {}}));
    }
    if (has_roots && !certificate->is_verified()) problem = certificate->error;
  }
  const std::string_view token = BearerToken(request);
  if (!token.empty() && token_reviews_) return AuthenticateToken(std::string(token), std::move(done));
  if (problem.empty()) return done(Anonymous());
  telemetry::LogError(Error{Code::kInvalid, problem}, "Unable to authenticate the request");
  done(std::unexpected(Unauthorized()));
}

void DelegatedAuth::AuthenticateToken(std::string token, Authenticated done) {
  token_reviews_->Ask(TokenQuestion(token), [done = std::move(done)](Result<std::string> answer) mutable {
    if (!answer && answer.error().code == Code::kLimit) return done(std::unexpected(TooManyRequests()));
    const Result<std::optional<User>> user =
        answer ? ReadTokenAnswer(*answer) : Result<std::optional<User>>(std::unexpected(answer.error()));
    if (user && *user) return done(AddAuthenticated(**user));
    telemetry::LogError(user ? Error{Code::kInvalid, "invalid bearer token"} : user.error(),
                        "Unable to authenticate the request");
    done(std::unexpected(Unauthorized()));
  });
}

bool DelegatedAuth::IsOpen(std::string_view path) const {
  const auto without_slash = [](std::string_view text) { return text.substr(text.starts_with('/')); };
  return std::ranges::any_of(authorization_.always_allow_paths, [&](std::string_view open) {
    const bool is_prefix = open.ends_with('*');
    if (is_prefix) open.remove_suffix(1);
    const std::string_view wanted = without_slash(open);
    return is_prefix ? without_slash(path).starts_with(wanted) : without_slash(path) == wanted;
  });
}

void DelegatedAuth::Authorize(const User& user, std::string verb, std::string path, Done done) {
  if (IsOpen(path) || std::ranges::find(user.groups, kMasters) != user.groups.end()) return done(std::nullopt);
  if (!access_reviews_) return done(Forbidden(user, verb, path, ""));
  const std::string question = AccessQuestion(user, verb, path);
  access_reviews_->Ask(question, [user, verb = std::move(verb), path = std::move(path),
                                  done = std::move(done)](Result<std::string> text) mutable {
    if (!text && text.error().code == Code::kLimit) return done(TooManyRequests());
    Result<AccessAnswer> answer = text ? ReadAccessAnswer(*text) : Result<AccessAnswer>(std::unexpected(text.error()));
    if (answer && answer->allowed && answer->denied) {
      answer = Fail(Code::kInternal, "webhook subject access review returned both allow and deny response");
    }
    if (!answer) {
      telemetry::LogError(answer.error(), "Unable to authorize the request");
      return done(
          ErrorAnswer(500, fmt::format("Internal Server Error: {}: {}", api::GoQuote(path), answer.error().message)));
    }
    if (answer->allowed) return done(std::nullopt);
    BERTH_LOG(4, "Forbidden", "URI", path, "reason", answer->reason);
    done(Forbidden(user, verb, path, answer->reason));
  });
}

}  // namespace berth::scheduler_app
