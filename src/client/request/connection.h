// SPDX-License-Identifier: Apache-2.0
// Connection: the transport to one API server and the credentials for it, for any number of RestClients.
//
// Certificates that come from files are read again every minute, and connections from then on use what is new. A file
// that cannot be read, is empty or makes no sense changes nothing; at the start it is an error.
//
// Thread: that of the loop.

#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "client/access/credentials.h"
#include "client/access/process_runner.h"
#include "client/access/server_access.h"
#include "client/request/rest_client.h"
#include "net/event_loop.h"
#include "net/http_client.h"
#include "runtime/loop.h"

namespace berth::client {

class Connection {
 public:
  // The loop must outlive the connection. Nothing is sent yet.
  static Result<std::unique_ptr<Connection>> Create(net::EventLoop& loop, ServerAccess access);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  net::Transport& transport() { return *http_; }
  Credentials& credentials() { return *credentials_; }
  const std::string& url() const { return access_.url; }

  // Takes up what stands in the files now; done every minute by itself.
  void CheckFiles();

 private:
  Connection(net::EventLoop& loop, ServerAccess access);

  // The TLS options with what stands in the files now.
  Result<net::TlsClientOptions> LoadTls() const;
  void OnIdentity(const ClientIdentity& identity);
  void SetTls(net::TlsClientOptions tls);

  ServerAccess access_;
  net::TlsClientOptions tls_;
  runtime::Loop rotation_;
  ProcessRunner runner_;
  std::unique_ptr<net::HttpClient> http_;
  std::unique_ptr<Credentials> credentials_;
};

}  // namespace berth::client
