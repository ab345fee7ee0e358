// SPDX-License-Identifier: Apache-2.0
// Answer: what the serving port says to a request, and the standard answers that Kubernetes' servers give.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "net/responder.h"
#include "net/transport.h"

namespace berth::scheduler_app {

struct Answer {
  int status = 200;
  std::vector<net::Header> headers;
  std::string body;
  // If it is set, it answers instead of the above, and for as long as it likes.
  std::function<void(net::Responder)> stream = nullptr;
};

// Answers a request.
void SendAnswer(Answer answer, net::Responder responder);

inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

// `body` as it is, with the headers that say that it is to be taken as `content_type`.
Answer TextAnswer(std::string body, std::string_view content_type = kPlainText);
// An error as text: one line.
Answer ErrorAnswer(int status, std::string_view message);
Answer NotFoundAnswer();
// An error as an API object of kind Status, with empty details if `with_details`.
Answer StatusAnswer(int status, std::string_view reason, std::string_view message, bool with_details);

// The path and query of a request, decoded.
struct RequestTarget {
  std::string path;
  std::multimap<std::string, std::string> query;
};
RequestTarget ParseTarget(std::string_view target);

}  // namespace berth::scheduler_app
