// SPDX-License-Identifier: Apache-2.0
#include "net/tls_files.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

namespace berth::net {
namespace {

Result<void> ReadInto(const std::string& path, std::string& content) {
  if (path.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(Code::kNotFound, fmt::format("open {}: no such file or directory", path));
  content.assign(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return Fail(Code::kInternal, fmt::format("read {}: input/output error", path));
  return {};
}

Result<TlsServerOptions> Read(const TlsFilePaths& paths, TlsServerOptions options) {
  BERTH_CHECK_OK(ReadInto(paths.certificate, options.certificate_pem));
  BERTH_CHECK_OK(ReadInto(paths.key, options.key_pem));
  BERTH_CHECK_OK(ReadInto(paths.client_ca, options.client_ca_pem));
  return options;
}

bool SameContent(const TlsServerOptions& left, const TlsServerOptions& right) {
  return left.certificate_pem == right.certificate_pem && left.key_pem == right.key_pem &&
         left.client_ca_pem == right.client_ca_pem;
}

}  // namespace

TlsFiles::TlsFiles(runtime::Timers& timers, TlsFilePaths paths, TlsServerOptions options, Duration interval)
    : paths_(std::move(paths)),
      options_(std::move(options)),
      look_(timers, {.delay = runtime::Every(interval)}, [this] { Look(); }) {}

Result<TlsServerOptions> TlsFiles::Load() {
  options_ = BERTH_TRY(Read(paths_, options_));
  return options_;
}

void TlsFiles::Watch(OnChange on_change, OnError on_error) {
  on_change_ = std::move(on_change);
  on_error_ = std::move(on_error);
  look_.StartLater();
}

void TlsFiles::Look() {
  auto read = Read(paths_, options_);
  if (read && SameContent(*read, options_)) return;
  const Result<void> used = read ? on_change_(*read) : std::unexpected(read.error());
  if (!used) return on_error_(used.error());
  options_ = *std::move(read);
}

}  // namespace berth::net
