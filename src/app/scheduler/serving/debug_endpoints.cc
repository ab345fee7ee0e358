// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/debug_endpoints.h"

#include <fmt/format.h>

#include <charconv>

#include "api/document/field_error.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

Answer PlainText(int status, std::string_view text) {
  Answer answer = TextAnswer(std::string(text) + '\n', "text/plain");
  answer.status = status;
  return answer;
}

Answer SetVerbosity(const net::ServerRequest& request) {
  if (request.method != "PUT") return PlainText(406, "unsupported http method");
  const std::string& text = request.body;
  const char* const end = text.data() + text.size();
  uint32_t level = 0;
  const auto [read_to, error] = std::from_chars(text.data(), end, level);
  if (error == std::errc::result_out_of_range || (error == std::errc() && level > INT32_MAX)) {
    return PlainText(400, fmt::format("strconv.ParseUint: parsing {}: value out of range", api::GoQuote(text)));
  }
  if (error != std::errc() || read_to != end) {
    return PlainText(400, fmt::format("strconv.ParseUint: parsing {}: invalid syntax", api::GoQuote(text)));
  }
  telemetry::SetLogVerbosity(static_cast<int>(level));
  return PlainText(200, fmt::format("successfully set klog.logging.verbosity to {}", text));
}

Answer Page(std::string_view title, std::string_view text) {
  return {
      .status = 200,
      .headers = {{"Content-Type", "text/html; charset=utf-8"}},
      .body = fmt::format("<html>\n<head>\n<title>{0}</title>\n</head>\n<body>\n{0}<br>\n<br>\n{1}\n</body>\n</html>\n",
                          title, text)};
}

}  // namespace

Answer ServeDebug(const net::ServerRequest& request, const std::string& path) {
  if (path == "/debug/flags/v") return SetVerbosity(request);
  if (path == "/debug/flags" || path.starts_with("/debug/flags/")) return Page("/debug/flags/", "flags:<br>\nv<br>");
  if (path == "/debug/pprof" || path == "/debug/pprof/") {
    return Page("/debug/pprof/",
                "This scheduler is not written in Go and has no profiles of it. Use perf on its process.");
  }
  return path.starts_with("/debug/pprof/") ? ErrorAnswer(404, "Unknown profile") : NotFoundAnswer();
}

}  // namespace berth::scheduler_app
