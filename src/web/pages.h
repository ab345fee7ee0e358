// SPDX-License-Identifier: Apache-2.0
// The dashboard's files, as answers to requests.
//
// They are the same for everybody and hold nothing of any cluster, so no token is asked for them. Browsers are told to
// run no script and load nothing that does not come from here, and to show the pages in no frame.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"

namespace berth::web {

inline constexpr std::string_view kDashboardRoot = "/dashboard/";

struct PageAnswer {
  int status = 200;
  std::vector<net::Header> headers;
  std::string body;
};

// Whether the request is for what is below kDashboardRoot, or for that without its slash.
bool IsForPages(const net::ServerRequest& request);
// Whether it is a browser's that asks for "/", to look at it.
bool IsForHome(const net::ServerRequest& request);

// REQUIRES: IsForPages.
PageAnswer AnswerPage(const net::ServerRequest& request);
PageAnswer SendToDashboard();

}  // namespace berth::web
