// SPDX-License-Identifier: Apache-2.0
#include "client/access/credentials.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "api/document/field_error.h"
#include "base/base64.h"
#include "base/text.h"
#include "runtime/files.h"
#include "telemetry/log.h"

namespace berth::client {

namespace {

// Upstream's minute less its ten seconds of leeway.
constexpr Duration kTokenFileAge = Seconds(50);

class FixedHeaders final : public Credentials {
 public:
  explicit FixedHeaders(std::vector<net::Header> headers) : headers_(std::move(headers)) {}

  void Get(Ready ready) override { ready(Authorization{headers_, 0}); }
  void OnUnauthorized(uint64_t /*version*/) override {}

 private:
  std::vector<net::Header> headers_;
};

class FileToken final : public Credentials {
 public:
  FileToken(runtime::Timers& timers, std::string path, std::string token)
      : timers_(timers), path_(std::move(path)), token_(std::move(token)) {}

  void Get(Ready ready) override {
    if (!is_fresh_ || timers_.Now() >= read_at_ + kTokenFileAge) {
      Result<void> read = Read();
      if (!read && token_.empty()) return ready(std::unexpected(std::move(read).error()));
      if (!read) telemetry::LogError(read.error(), "Unable to rotate token");
    }
    ready(Authorization{{{"Authorization", "Bearer " + token_}}, version_});
  }

  void OnUnauthorized(uint64_t version) override {
    if (version == version_) is_fresh_ = false;
  }

 private:
  Result<void> Read() {
    Result<std::string> text = runtime::ReadFile(path_);
    if (!text)
      return Invalid(fmt::format("failed to read token file {}: {}", api::GoQuote(path_), text.error().message));
    std::string_view token = Trim(*text);
    if (token.empty()) return Invalid(fmt::format("read empty token from file {}", api::GoQuote(path_)));
    token_ = token;
    ++version_;
    is_fresh_ = true;
    read_at_ = timers_.Now();
    return {};
  }

  runtime::Timers& timers_;
  const std::string path_;
  std::string token_;
  uint64_t version_ = 0;  // Counts the reads that went well.
  bool is_fresh_ = false;
  Time read_at_;
};

bool IsHeaderNameByte(char c) {
  bool is_alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_alphanumeric || (c != '%' && std::string_view("!#$&'*+-.^_`|~").find(c) != std::string_view::npos);
}

std::string EscapedHeaderName(std::string_view name) {
  std::string escaped;
  for (char c : name) {
    if (IsHeaderNameByte(c)) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

class ImpersonatingCredentials final : public Credentials {
 public:
  ImpersonatingCredentials(std::unique_ptr<Credentials> credentials, const Impersonation& as)
      : credentials_(std::move(credentials)) {
    headers_.push_back({"Impersonate-User", as.user});
    if (!as.uid.empty()) headers_.push_back({"Impersonate-Uid", as.uid});
    for (const std::string& group : as.groups) headers_.push_back({"Impersonate-Group", group});
    for (const auto& [key, values] : as.extra) {
      for (const std::string& value : values) {
        headers_.push_back({"Impersonate-Extra-" + EscapedHeaderName(key), value});
      }
    }
  }

  void Get(Ready ready) override {
    // A copy of the headers, since this may be gone when the credentials come.
    credentials_->Get([headers = headers_, ready = std::move(ready)](Result<Authorization> authorization) mutable {
      if (authorization) {
        authorization->headers.insert(authorization->headers.end(), headers.begin(), headers.end());
      }
      ready(std::move(authorization));
    });
  }
  void OnUnauthorized(uint64_t version) override { credentials_->OnUnauthorized(version); }

 private:
  std::unique_ptr<Credentials> credentials_;
  std::vector<net::Header> headers_;
};

}  // namespace

std::unique_ptr<Credentials> NoCredentials() { return std::make_unique<FixedHeaders>(std::vector<net::Header>()); }

std::unique_ptr<Credentials> BearerToken(std::string token) {
  return std::make_unique<FixedHeaders>(std::vector<net::Header>{{"Authorization", "Bearer " + token}});
}

std::unique_ptr<Credentials> BasicAuth(std::string_view user, std::string_view password) {
  std::string secret = EncodeBase64(fmt::format("{}:{}", user, password));
  return std::make_unique<FixedHeaders>(std::vector<net::Header>{{"Authorization", "Basic " + secret}});
}

std::unique_ptr<Credentials> TokenFile(runtime::Timers& timers, std::string path, std::string token) {
  return std::make_unique<FileToken>(timers, std::move(path), std::move(token));
}

std::unique_ptr<Credentials> Impersonating(std::unique_ptr<Credentials> credentials, const Impersonation& as) {
  return std::make_unique<ImpersonatingCredentials>(std::move(credentials), as);
}

}  // namespace berth::client
