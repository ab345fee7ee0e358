// SPDX-License-Identifier: Apache-2.0
#include "net/responder.h"

#include <utility>

#include "net/server_connection.h"

namespace berth::net {

Responder::Responder(std::shared_ptr<ServerConnection> connection, uint64_t exchange)
    : connection_(std::move(connection)), exchange_(exchange) {}

Responder::~Responder() { Release(); }

Responder& Responder::operator=(Responder&& other) noexcept {
  if (this == &other) return *this;
  Release();
  connection_ = std::move(other.connection_);
  exchange_ = other.exchange_;
  return *this;
}

void Responder::Release() {
  if (const auto connection = std::exchange(connection_, nullptr)) connection->Abandon(exchange_);
}

void Responder::ReadBody(uint64_t bytes_max, std::move_only_function<void(std::string)> done) {
  if (connection_) connection_->ReadBody(exchange_, bytes_max, std::move(done));
}

void Responder::Send(int status, std::vector<Header> headers, std::string body) {
  if (connection_) connection_->Send(exchange_, status, std::move(headers), std::move(body));
}

void Responder::Send(int status, std::vector<Header> headers, std::shared_ptr<const std::string> body) {
  if (connection_) connection_->Send(exchange_, status, std::move(headers), std::move(body));
}

void Responder::Begin(int status, std::vector<Header> headers) {
  if (connection_) connection_->Begin(exchange_, status, std::move(headers), nullptr);
}

void Responder::Write(std::string piece) {
  if (connection_) connection_->Write(exchange_, std::move(piece));
}

void Responder::Write(std::shared_ptr<const std::string> piece) {
  if (connection_) connection_->Write(exchange_, std::move(piece));
}

void Responder::End() {
  if (connection_) connection_->End(exchange_);
}

bool Responder::is_open() const { return connection_ && connection_->is_open(exchange_); }

size_t Responder::pending_bytes() const { return is_open() ? connection_->pending_bytes() : 0; }

void Responder::OnGone(std::move_only_function<void()> callback) {
  if (connection_) connection_->SetGone(exchange_, std::move(callback));
}

void Responder::OnDrained(std::move_only_function<void()> callback) {
  if (connection_) connection_->SetDrained(exchange_, std::move(callback));
}

}  // namespace berth::net
