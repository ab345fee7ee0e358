// SPDX-License-Identifier: Apache-2.0
// TlsFiles: the certificate, key and client CA bundle of a server, read from files and read again when they change.
//
// Files that cannot be used are reported and the last good ones stay in force, so a rotation that is half done does no
// harm.
//
// Thread: that of the timers.

#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "net/tls.h"
#include "runtime/loop.h"

namespace berth::net {

struct TlsFilePaths {
  std::string certificate;
  std::string key;
  std::string client_ca;  // Empty: `options` of the watcher say what it is.
};

class TlsFiles {
 public:
  using OnChange = std::move_only_function<Result<void>(const TlsServerOptions&)>;
  using OnError = std::move_only_function<void(const Error&)>;

  // `options` says all that the files do not. Nothing is read before Load.
  TlsFiles(runtime::Timers& timers, TlsFilePaths paths, TlsServerOptions options, Duration interval = Minutes(1));

  // Reads the files.
  Result<TlsServerOptions> Load();
  // Looks at them regularly and calls `on_change` when their content is another, until this goes.
  void Watch(OnChange on_change, OnError on_error);

 private:
  void Look();

  const TlsFilePaths paths_;
  TlsServerOptions options_;  // As they are in force.
  OnChange on_change_;
  OnError on_error_;
  runtime::Loop look_;
};

}  // namespace berth::net
