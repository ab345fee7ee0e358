// SPDX-License-Identifier: Apache-2.0
#include "app/up/webhook_client.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/test_loopback.h"

namespace berth::up {
namespace {

using Reply = std::optional<Result<server::WebhookReply>>;

// A server on loopback that answers as the path says: with so many bytes, or never.
struct AnsweringServer {
  net::Loopback world;
  std::vector<net::Responder> hanging;
  net::FunctionHandler handler{[this](const net::ServerRequest& request, net::Responder responder) {
    if (request.target == "/never") return hanging.push_back(std::move(responder));
    responder.Send(200, {}, std::string(std::stoul(request.target.substr(1)), 'x'));
  }};
  std::unique_ptr<net::HttpServer> server = world.Serve(handler);
  WebhookClient client{world.loop};

  server::WebhookCall CallTo(std::string target, Duration timeout = Seconds(30)) const {
    server::WebhookCall call{.endpoint = {.scheme = "http", .host = "127.0.0.1", .port = server->port()},
                             .target = std::move(target)};
    call.host = call.endpoint.Authority();
    call.timeout = timeout;
    return call;
  }
  void Send(server::WebhookCall call, Reply& reply) {
    client.Call(std::move(call), [&reply](Result<server::WebhookReply> result) { reply = std::move(result); });
  }
};

std::string FailureOf(const Reply& reply) { return reply && !*reply ? reply->error().message : "none"; }

TEST(WebhookClient, OneThatHangsHoldsUpNobodyElse) {
  AnsweringServer answering;
  Reply hung;
  Reply answered;

  answering.Send(answering.CallTo("/never", Milliseconds(300)), hung);
  answering.Send(answering.CallTo("/5"), answered);
  EXPECT_FALSE(hung || answered);

  EXPECT_TRUE(answering.world.RunUntil([&] { return answered.has_value(); }));
  ASSERT_TRUE(*answered);
  EXPECT_EQ((*answered)->body, "xxxxx");
  EXPECT_TRUE(answering.world.RunUntil([&] { return hung.has_value(); }));
  EXPECT_EQ(FailureOf(hung), "context deadline exceeded");
}

TEST(WebhookClient, WhatIsTooMuchIsAFailure) {
  AnsweringServer answering;
  Reply enough;
  Reply large;
  answering.Send(answering.CallTo("/4194304"), enough);
  answering.Send(answering.CallTo("/4194305"), large);
  EXPECT_TRUE(answering.world.RunUntil([&] { return enough && large; }));
  EXPECT_TRUE(*enough);
  EXPECT_FALSE(*large);

  // Nothing is sent before the loop runs.
  std::vector<Reply> replies(1001);
  for (size_t i = 0; i < 100; ++i) {
    server::WebhookCall call = answering.CallTo("/never");
    call.server_name = std::to_string(i);
    answering.Send(std::move(call), replies[i]);
  }
  server::WebhookCall elsewhere = answering.CallTo("/1");
  elsewhere.server_name = "elsewhere";
  Reply one_more;
  answering.Send(std::move(elsewhere), one_more);
  for (size_t i = 100; i < 1001; ++i) {
    server::WebhookCall call = answering.CallTo("/never");
    call.server_name = "0";
    answering.Send(std::move(call), replies[i]);
  }
  EXPECT_TRUE(answering.world.RunUntil([&] { return one_more && replies[1000]; }));
  EXPECT_EQ(FailureOf(one_more), "too many webhooks are being called");
  EXPECT_EQ(FailureOf(replies[1000]), "too many webhooks are being called");
}

TEST(WebhookClient, CertificatesThatAreNoneAreSaidToBe) {
  AnsweringServer answering;
  server::WebhookCall call = answering.CallTo("/1");
  call.ca_pem = "nonsense";
  Reply reply;

  answering.Send(std::move(call), reply);

  EXPECT_TRUE(answering.world.RunUntil([&] { return reply.has_value(); }));
  ASSERT_FALSE(*reply);
  EXPECT_EQ(reply->error().code, Code::kInvalid);
  EXPECT_EQ(FailureOf(reply), "unable to load root certificates: unable to parse bytes as PEM block");
}

}  // namespace
}  // namespace berth::up
