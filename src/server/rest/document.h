// SPDX-License-Identifier: Apache-2.0
// Document: a fixed answer that clients keep and ask for again with its tag.

#pragma once

#include <string>
#include <string_view>

#include "server/rest/call.h"
#include "server/store/stored_object.h"

namespace berth::server {

struct Document {
  explicit Document(std::string text);

  Bytes text;
  std::string digest;  // In upper-case hexadecimal.
};

struct DocumentHeaders {
  std::string_view content_type;
  std::string_view cache_control;
  bool varies_by_accept = false;
};

// Sends the document, or 304 if the client has it already.
void SendDocument(Call& call, const Document& document, const DocumentHeaders& headers);

}  // namespace berth::server
